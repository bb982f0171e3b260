"""transposed-loads: a factor of products that is loaded again the other way round is the transpose of the first.

    %k = load p[%j * 64 + %d]         %j: 1 x 64,  %d: 64 x 1
    %s = dot %q, %k
    %again = load p[%j2 * 64 + %d2]   %j2: 64 x 1, %d2: 1 x 64
    %o = dot %w, %again
 -> %again = transpose %k

Gradients of attention multiply by keys and by their transpose. Tensor cores take either from one copy in shared memory,
which is loaded once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.triton.dialect import ArangeOp, BroadcastOp, DotOp, IndexOp, KernelOp, LoadOp, MaskOp, TransposeOp
from mlc_dialects.triton.types import block_shape
from mlc_support.index_expr import IndexExpr, variable

AXES = ("rows", "columns")
"""What index expressions call a lane's place in a block."""


class _UnknownError(Exception):
    """An index or a mask is not made of lanes and scalars by index expressions alone."""


@dataclass(frozen=True)
class TransposedLoadsPass(ModulePass):
    """Makes transposes of loads of factors that another load has already, with rows and columns exchanged."""

    name = "transposed-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                _share({load.parent for load in kernel.walk() if isinstance(load, LoadOp) and load.parent is not None})


def _share(blocks: set[Block]) -> None:
    for block in blocks:
        known: dict[object, LoadOp] = {}
        for load in [op for op in block.ops if isinstance(op, LoadOp) and _is_factor(op)]:
            try:
                first = known.setdefault(_read(load, AXES), load)
                other = known.get(_read(load, AXES[::-1]), load)
            except _UnknownError:
                continue
            if first is load and other is not load:
                transpose = TransposeOp(other.result)
                transpose.location, transpose.result.name_hint = load.location, load.result.name_hint
                Rewriter.replace_op(load, transpose)


def _is_factor(load: LoadOp) -> bool:
    """True if products alone read the block, which has two dimensions."""
    uses = [*load.result.uses]
    wide = sum(size > 1 for size in block_shape(load.result.type)) == 2
    return wide and bool(uses) and all(isinstance(u.operation, DotOp) and u.index < 2 for u in uses)


def _read(load: LoadOp, axes: Sequence[str]) -> object:
    """What the lane at a place of the block loads, with the two coordinates of the place called `axes`."""
    (index,) = index_exprs(load.index)
    return load.pointer, _substituted(index, load.indices, axes), _conditions(load.mask, axes), load.other


def _substituted(expr: IndexExpr, operands: Sequence[SSAValue], axes: Sequence[str]) -> IndexExpr:
    """An index expression over operands as one over lanes and scalars."""
    return expr.substitute({operand_name(k): _index(v, axes) for k, v in enumerate(operands)})


def _index(value: SSAValue, axes: Sequence[str]) -> IndexExpr:
    """An integer, or a block of integers, as an expression over lanes and scalars."""
    shape = block_shape(value.type)
    match value.owner:
        case IndexOp() as op:
            (expr,) = index_exprs(op.index)
            return _substituted(expr, op.operands_, axes)
        case BroadcastOp() as op:
            return _index(op.input, axes)
        case ArangeOp() if len(shape) == 2:
            return variable(axes[0] if shape[0] > 1 else axes[1])
        case _ if not shape:
            return variable(f"%{id(value)}")
        case _:
            raise _UnknownError


def _conditions(mask: SSAValue | None, axes: Sequence[str]) -> frozenset[tuple[IndexExpr, IndexExpr]]:
    """The indices that a mask compares with their bounds."""
    match None if mask is None else mask.owner:
        case None:
            return frozenset()
        case BroadcastOp() as op:
            return _conditions(op.input, axes)
        case arith.AndIOp() as op:
            return _conditions(op.lhs, axes) | _conditions(op.rhs, axes)
        case MaskOp() as op:
            limits = (_substituted(e, op.bounds, axes) for e in index_exprs(op.limits))
            return frozenset(zip((_index(v, axes) for v in op.indices), limits, strict=True))
        case _:
            raise _UnknownError
