"""The scalar code of elementwise tensor ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import LocationAttr, f32, i32
from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.common.scalar_builder import Scalars
from mlc_dialects.common.types import element_type, is_float, is_half, is_signed, storage
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_support.errors import MlcError
from mlc_support.locations import location_of


class Emitter:
    """Appends ops to a block with one location and name."""

    def __init__(self, block: Block, location: LocationAttr | None, name: str | None):
        self._block, self._location, self._name = block, location, name
        self.scalars = Scalars(self._append)

    def op(self, op: Operation) -> SSAValue:
        """Appends `op` and returns its result."""
        self._append(op)
        return op.results[0]

    def _append(self, op: Operation) -> None:
        if self._location is not None:
            op.location = self._location
        for result in op.results:
            result.name_hint = self._name
        self._block.add_op(op)


def compute(op: Operation, operands: Sequence[SSAValue], emit: Emitter) -> SSAValue:
    """f(x, y) on scalars. 16-bit floats are widened, computed in f32, and rounded once.

    Unsigned integers, which are signless scalars, are computed in i32 and wrapped once.
    """
    scalars = emit.scalars
    if isinstance(op, CastOp):
        return _cast(op, operands[0], scalars)
    if not isinstance(op, ElementwiseOp):
        raise MlcError(f"{op.name} has no loops", location_of(op), "decompose makes simpler ops of it, before fuse")
    narrow, unsigned = operands[-1].type, is_unsigned(op.operands[-1])
    if op.FUNCTION.name == "select" or not (is_half(narrow) or unsigned):
        return op.FUNCTION.scalar(scalars, operands)
    wide = [scalars.convert(o, i32 if unsigned else f32, unsigned_from=unsigned) for o in operands]
    result = op.FUNCTION.scalar(scalars, wide)
    return result if op.FUNCTION.predicate else scalars.convert(result, narrow)


def is_unsigned(value: SSAValue) -> bool:
    element = element_type(value.type)
    return not is_float(element) and not is_signed(element)


def orders_unsigned(op: ReduceOp | ScanOp) -> bool:
    """True if a reduction or scan compares unsigned elements, which are signless scalars."""
    return op.kind.data in ("max", "min", "argmax", "argmin") and is_unsigned(op.input)


def _cast(op: CastOp, value: SSAValue, scalars: Scalars) -> SSAValue:
    source, target = element_type(op.input.type), element_type(op.result.type)
    unsigned = not is_float(source) and not is_signed(source)
    if is_float(source) and not is_float(target) and not is_signed(target):
        value = scalars.convert(value, i32)
    return scalars.convert(value, storage(target), unsigned_from=unsigned)
