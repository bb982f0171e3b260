"""What the interpreter of `mlc_loop` knows where an op runs: values at a grid of points, one axis a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, SSAValue

from lowering.interpreter.buffers import Buffer
from mlc_dialects.common.index_syntax import operand_name
from mlc_dialects.loop.dialect import KernelOp, LoopOp, YieldOp
from mlc_dialects.semantics.numerics import Array, Value
from mlc_dialects.semantics.scalar import evaluate_scalar
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr
from mlc_support.locations import location_of

_MOST_POINTS = 1 << 25


@dataclass(frozen=True)
class Frame:
    """What is known where an op runs. `shape` holds the iterations of the loops around it."""

    kernels: Mapping[str, KernelOp]
    sizes: Mapping[str, int]
    values: dict[SSAValue, Value | Buffer]
    shape: tuple[int, ...] = ()
    active: Array | None = None
    """Which points take part, where some do not: loops that run in order end at different times."""

    def value(self, ssa: SSAValue) -> Value:
        """A scalar, with one axis for each loop; an axis has size 1 where the scalar does not vary."""
        found = self.values[ssa]
        assert isinstance(found, Value)
        missing = len(self.shape) - found.array.ndim
        return Value(found.array.reshape(found.shape + (1,) * missing), found.element) if missing else found

    def everywhere(self, ssa: SSAValue) -> Value:
        """A scalar at every point of the grid."""
        one = self.value(ssa)
        return Value(np.broadcast_to(one.array, self.shape), one.element)

    def taking_part(self, condition: SSAValue | None) -> Array:
        """The points that take part and at which `condition` holds."""
        found = np.ones(self.shape, np.bool_)
        if self.active is not None:
            found &= self.active.reshape(self.active.shape + (1,) * (len(self.shape) - self.active.ndim))
        return found if condition is None else found & self.everywhere(condition).array

    def buffer(self, ssa: SSAValue) -> Buffer:
        """A buffer whose memory may be used."""
        found = self.values[ssa]
        assert isinstance(found, Buffer)
        if not found.memory.live:
            raise ValueError("the buffer was freed before")
        return found

    def define(self, ssa: SSAValue, value: Value | Buffer) -> None:
        """What `ssa` is from here on."""
        self.values[ssa] = value

    def index(self, exprs: Sequence[IndexExpr], operands: Sequence[SSAValue]) -> list[Any]:
        """Index expressions at every point, whose d0, d1, ... are `operands`."""
        named: Any = {operand_name(i): self.value(v).array for i, v in enumerate(operands)} | dict(self.sizes)
        return [expr.evaluate(named) for expr in exprs]

    def inside(self, loop: LoopOp) -> Frame:
        """The frame of a loop's body. The points of a loop over several axes are one axis here, in row-major order."""
        extents = [size.evaluate(self.sizes) for size in loop.sizes]
        shape = (*self.shape, prod(extents))
        if prod(shape) > _MOST_POINTS:
            raise ValueError(f"the grid of {' x '.join(map(str, shape))} points is too large for the interpreter")
        for index, places in zip(loop.indices, np.indices(extents, np.int64), strict=True):
            self.define(index, Value(places.reshape((1,) * len(self.shape) + (-1,)), i64))
        return replace(self, shape=shape)

    def run(self, block: Block) -> Operation | None:
        """Every op in order, up to the terminator, which is given back."""
        for op in block.ops:
            if isinstance(op, YieldOp | func.ReturnOp):
                return op
            try:
                run_op(op, self)
            except NotImplementedError as error:
                raise MlcError(f"{op.name} has no meaning for the interpreter", location_of(op)) from error
            except ValueError as error:
                raise MlcError(f"{op.name}: {error}", location_of(op)) from error
        return None


@singledispatch
def run_op(op: Operation, frame: Frame) -> None:
    """Runs one op at every point of the grid. A scalar op is a function of its operands alone."""
    if not op.results:
        raise NotImplementedError(op.name)
    frame.define(op.results[0], evaluate_scalar(op, [frame.value(v) for v in op.operands]))
