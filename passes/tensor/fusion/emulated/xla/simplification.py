"""What XLA makes of an op before it fuses: what simplification leaves out, and which views are kernels."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import element_type, is_float
from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.elementwise import AddOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, IotaOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PermuteOp, ReshapeOp, ViewOp
from mlc_dialects.tensor.windows import windows
from passes.tensor.canonicalize.algebra import is_splat_of
from passes.tensor.fusion.emulated.xla.ops import broadcast_from, is_splat, readers


def simplified_operands(op: Operation) -> list[SSAValue]:
    """What an op reads once XLA has simplified it, where others still read what it no longer does.

    (a / b) / c == a / (b * c), 1 / (1 + e) being the sigmoid; (x * constant) * broadcast == x * (constant * broadcast)
    """
    operands = list(op.operands)
    inner = operands[0].owner if operands else None
    if not isinstance(op, ElementwiseOp) or not isinstance(inner, ElementwiseOp) or len(readers(inner)) < 2:
        return operands
    names = op.FUNCTION.name, inner.FUNCTION.name
    if names == ("div", "div"):
        return [*inner.operands, *operands[1:]]
    scaled = names == ("mul", "mul") and isinstance(operands[1].owner, BroadcastOp) and not is_splat(operands[1])
    kept = [v for v in inner.operands if not is_splat(v)]
    return [*kept, *operands[1:]] if scaled and len(kept) == 1 else operands


def adds_nothing(op: Operation) -> bool:
    """True for x + 0, which XLA takes for x."""
    return isinstance(op, AddOp) and any(is_splat_of(value, 0) for value in op.operands)


def restored(op: Operation) -> SSAValue | None:
    """What a cast gives back: what it leaves as it is, or what another has narrowed. XLA keeps the digits."""
    if not isinstance(op, CastOp):
        return None
    element, value = element_type(op.result.type), op.input
    if element_type(value.type) == element:
        return value
    narrow = unreshaped(value).owner
    if not isinstance(narrow, CastOp) or element_type(narrow.input.type) != element:
        return None
    return narrow.input if is_float(element) and is_float(element_type(narrow.result.type)) else None


def _is_transposed_first(op: Operation) -> bool:
    """True for a transpose of something small that is broadcast then: one kernel transposes, for all that read it."""
    if not isinstance(op, PermuteOp) or keeps_rows(op):
        return False
    return any(isinstance(reader, BroadcastOp) for reader in _readers_through_reshapes(op))


def owners(values: Iterable[SSAValue]) -> list[Operation]:
    """The ops whose results they are."""
    return [value.owner for value in values if isinstance(value.owner, Operation)]


def is_kernel(op: Operation) -> bool:
    """True for what is computed, and for the views that are: lookups, transposes before broadcasts, moved results."""
    if not is_free(op) or (isinstance(op, GatherOp) and windows(op).indexed):
        return True
    return _is_transposed_first(op) or _is_returned(op)


def is_result(op: Operation) -> bool:
    """True if the function returns what the op gives."""
    return any(isinstance(reader, ReturnOp) for reader in readers(op))


def _is_returned(op: Operation) -> bool:
    """True for a view that moves elements and is a result: a kernel writes it."""
    moves = isinstance(op, ViewOp | CatOp) and not isinstance(op, ReshapeOp)
    return moves and any(isinstance(reader, ReturnOp) for reader in _readers_through_reshapes(op))


def _readers_through_reshapes(op: Operation) -> set[Operation]:
    work = readers(op)
    while any(isinstance(reader, ReshapeOp) for reader in work):
        work = {r for reader in work for r in (readers(reader) if isinstance(reader, ReshapeOp) else {reader})}
    return work


def is_iota(value: SSAValue) -> bool:
    """True for the place along one dimension, broadcast or not."""
    return isinstance(broadcast_from(value), IotaOp)


def unreshaped(value: SSAValue) -> SSAValue:
    """What reshapes alone make the value of."""
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.input
    return value


def keeps_rows(op: PermuteOp) -> bool:
    """True if the last dimension stays where it is, so that whole rows move."""
    return not op.order or op.order[-1] == len(op.order) - 1
