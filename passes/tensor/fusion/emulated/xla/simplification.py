"""What XLA makes of ops before it fuses them.

What is repeated is computed first and repeated then. Elements are moved while they are small: a cast to more digits
is computed behind what moves them, one to fewer before. Follows xla/hlo/transforms/simplifiers:
algebraic_simplifier, convert_mover, simplify_fp_conversions.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from math import prod

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import Shape, byte_size, element_type, is_float, shape_of, with_shape
from mlc_dialects.tensor.elementwise import AddOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PermuteOp, ReshapeOp, SliceOp, ViewOp
from mlc_dialects.tensor.windows import windows
from passes.tensor.fusion.emulated.xla.algebra import VALUE_RULES, Replacement, again, op_of, simplified_operands, uses
from passes.tensor.fusion.emulated.xla.ops import broadcast_from, is_number, readers, regrouped, sizes

SCANNED = 16
"""A scan no longer than this is one."""
MANY = 64
"""Readers of a reshape, more than which are left alone."""
SHORT = 8
"""A reduction over dimensions no longer than this stays one."""


def _restored(op: Operation) -> Replacement | None:
    """A cast gives back what another has narrowed, sizes of 1 more or less: XLA keeps the digits."""
    if not isinstance(op, CastOp) or _wide_sizes(unreshaped(op.input)) != _wide_sizes(op.input):
        return None
    return _restored_behind_reshapes(op)


def _restored_behind_reshapes(op: Operation) -> Replacement | None:
    """A cast gives back what another has narrowed, reshapes between or not."""
    narrow = _narrowing(op, unreshaped(op.input)) if isinstance(op, CastOp) else None
    if narrow is None:
        return None
    between = op.operands[0].owner
    if between is narrow:
        return Replacement(narrow.input)
    reshape = ReshapeOp(narrow.input, shape_of(op.results[0].type))
    return Replacement(reshape.result, [(reshape, op_of(between))])


def _wide_sizes(value: SSAValue) -> list[int]:
    return [size for size in sizes(value) if size != 1]


def _narrowing(op: CastOp, value: SSAValue) -> CastOp | None:
    """The cast to fewer digits that gives the value, if `op` casts back to all that there were."""
    narrow, element = value.owner, element_type(op.result.type)
    if not isinstance(narrow, CastOp) or element_type(narrow.input.type) != element:
        return None
    return narrow if is_float(element) and is_float(element_type(narrow.result.type)) else None


def _repeated_later(op: Operation) -> Replacement | None:
    """f(broadcast(x)) == broadcast(f(x)), where all else that f reads is one number."""
    if not isinstance(op, ElementwiseOp | CastOp):
        return None
    wide = list(dict.fromkeys(v for v in op.operands if not is_number(v)))
    broadcast = wide[0].owner if len(wide) == 1 else None
    if not isinstance(broadcast, BroadcastOp):
        return None
    shape = shape_of(broadcast.input.type)
    ops, operands = _numbers(op, shape)
    operands = [broadcast.input if v is broadcast.result else v for v in operands]
    inner = again(op, operands, with_shape(op.results[0].type, shape))
    outer = BroadcastOp(inner.results[0], shape_of(op.results[0].type))
    return Replacement(outer.result, [*ops, (inner, op), (outer, broadcast)])


def _repeated_once(op: Operation) -> Replacement | None:
    """A broadcast of a broadcast is one; so is a transpose of a transpose."""
    if isinstance(op, BroadcastOp) and isinstance(inner := op.input.owner, BroadcastOp):
        one = BroadcastOp(inner.input, shape_of(op.result.type))
        return Replacement(one.result, [(one, op)])
    if isinstance(op, PermuteOp) and isinstance(inner := op.input.owner, PermuteOp):
        both = PermuteOp(inner.input, [inner.order[d] for d in op.order])
        return Replacement(both.result, [(both, op)])
    return None


def _reshaped_later(op: Operation) -> Replacement | None:
    """f(reshape(x), reshape(y)) == reshape(f(x, y))."""
    reshapes = _moving_reshapes(op)
    if not isinstance(op, ElementwiseOp) or len(reshapes) < 2 or any(map(_is_repeated, op.operands)):
        return None
    return _behind(op, reshapes)


def _all_reshaped_later(op: Operation) -> Replacement | None:
    """f(reshape(x)) == reshape(f(x)), of casts too, where all else that reads these reshapes moves before them."""
    reshapes = _moving_reshapes(op)
    return _behind(op, reshapes) if reshapes and all(map(_moves, reshapes)) else None


def _moves(reshape: ReshapeOp) -> bool:
    """True if all that reads the reshape moves before it; of many readers that is not asked, each time anew."""
    found = [use.operation for use in islice(reshape.result.uses, MANY + 1)]
    return len(found) <= MANY and all(map(_moving_reshapes, found))


def _behind(op: Operation, reshapes: list[ReshapeOp]) -> Replacement:
    """The op on what these reshapes read, and its result reshaped."""
    shape = shape_of(reshapes[0].input.type)
    ops, operands = _numbers(op, shape)
    for place, value in enumerate(op.operands):
        if isinstance(value.owner, ReshapeOp) and value.owner in reshapes:
            operands[place] = value.owner.input
        elif _is_repeated(value):
            operands[place], more = _repeated_before(value, reshapes[0])
            ops += more
    inner = again(op, operands, with_shape(op.results[0].type, shape))
    outer = ReshapeOp(inner.results[0], shape_of(op.results[0].type))
    return Replacement(outer.result, [*ops, (inner, op), (outer, reshapes[0])])


def _moving_reshapes(op: Operation) -> list[ReshapeOp]:
    """The reshapes of one shape that an op reads, if it reads nothing else but what is repeated in that one too."""
    if not isinstance(op, ElementwiseOp | CastOp):
        return []
    wide = list(dict.fromkeys(v for v in op.operands if not is_number(v)))
    reshapes = [v.owner for v in wide if isinstance(v.owner, ReshapeOp)]
    if len({sizes(reshape.input) for reshape in reshapes}) != 1:
        return []
    others = [v for v in wide if not isinstance(v.owner, ReshapeOp)]
    return reshapes if all(_can_be_repeated_before(v, reshapes[0]) for v in others) else []


def _is_repeated(value: SSAValue) -> bool:
    return isinstance(value.owner, BroadcastOp) and not is_number(value)


def _can_be_repeated_before(value: SSAValue, reshape: ReshapeOp) -> bool:
    """True for what is repeated in dimensions that the reshape leaves as they are, or is one dimension repeated."""
    if not isinstance(value.owner, BroadcastOp):
        return False
    return len(_wide_sizes(value.owner.input)) <= 1 or _repeated_shape(value.owner, reshape) is not None


def _repeated_before(value: SSAValue, reshape: ReshapeOp) -> tuple[SSAValue, list[tuple[Operation, Operation]]]:
    """What is repeated as a value, in the shape before a reshape."""
    broadcast = value.owner
    assert isinstance(broadcast, BroadcastOp)
    shape = _repeated_shape(broadcast, reshape)
    if shape is None:
        back = ReshapeOp(value, shape_of(reshape.input.type))
        return back.result, [(back, broadcast)]
    narrow = ReshapeOp(broadcast.input, shape)
    wide = BroadcastOp(narrow.result, shape_of(reshape.input.type))
    return wide.result, [(narrow, broadcast), (wide, broadcast)]


def _repeated_shape(broadcast: BroadcastOp, reshape: ReshapeOp) -> tuple[int, ...] | None:
    """The shape of what is to be repeated before a reshape; None if that changes the dimensions that it has."""
    before, after, kept = sizes(reshape.input), sizes(reshape.result), sizes(broadcast.input)
    kept = (*(1 for _ in range(len(after) - len(kept))), *kept)
    shape = [1] * len(before)
    sources, targets = (iter([d for d, size in enumerate(side) if size != 1]) for side in (before, after))
    for many, few in regrouped(before, after):
        there, here = list(islice(sources, many)), list(islice(targets, few))
        if many == few == 1:
            shape[there[0]] = kept[here[0]]
        elif any(kept[d] != 1 for d in here):
            return None
    return tuple(shape)


def _numbers(op: Operation, shape: Shape) -> tuple[list[tuple[Operation, Operation]], list[SSAValue]]:
    """The operands of an op, with constants of another shape in place of those that are one number."""
    ops: list[tuple[Operation, Operation]] = []
    operands: list[SSAValue] = []
    for value in op.operands:
        source = broadcast_from(value)
        if isinstance(source, ConstantOp) and is_number(value):
            number = ConstantOp(source.value, with_shape(value.type, shape))
            ops.append((number, source))
            operands.append(number.result)
        else:
            operands.append(value)
    return ops, operands


def _widened_later(op: Operation) -> Replacement | None:
    """A view of values that are cast to more digits, and that nobody else reads, is cast itself."""
    casts = [v.owner for v in op.operands]
    if not isinstance(op, CatOp | ReshapeOp | SliceOp | PermuteOp) or not all(_widens(c) for c in casts):
        return None
    inputs = [c.operands[0] for c in casts if isinstance(c, CastOp)]
    if len({element_type(v.type) for v in inputs}) > 1 or any(len(uses(c)) > 1 for c in casts):
        return None
    view = again(op, inputs, with_shape(inputs[0].type, shape_of(op.results[0].type)))
    cast = CastOp(view.results[0], element_type(op.results[0].type))
    return Replacement(cast.result, [(view, op), (cast, op_of(casts[0]))])


def _narrowed_first(op: Operation) -> Replacement | None:
    """A cast to fewer digits of a view that nobody else reads is computed before the view."""
    if not isinstance(op, CastOp) or _bytes(op.result) >= _bytes(op.input):
        return None
    view = op.input.owner
    if not isinstance(view, CatOp | ReshapeOp | SliceOp | PermuteOp) or len(uses(view)) > 1:
        return None
    casts = {v: CastOp(v, element_type(op.result.type)) for v in view.operands}
    moved = again(view, [casts[v].result for v in view.operands], op.result.type)
    return Replacement(moved.results[0], [*((cast, op) for cast in casts.values()), (moved, view)])


def _reduced_twice(op: Operation) -> Replacement | None:
    """A reduction over dimensions that are not neighbours reduces the longest first, then the others."""
    if not isinstance(op, ReduceOp) or op.kind.data in ("argmax", "argmin"):
        return None
    shape = sizes(op.input)
    wide = [d for d in range(len(shape)) if shape[d] != 1]
    places = [k for k, d in enumerate(wide) if d in op.reduced]
    longest = max(op.reduced, key=lambda d: shape[d])
    if not places or places[-1] - places[0] + 1 == len(places) or shape[longest] <= SHORT:
        return None
    first = ReduceOp(op.kind.data, op.input, [longest])
    then = ReduceOp(op.kind.data, first.result, [d for d in op.reduced if d != longest])
    return Replacement(then.result, [(first, op), (then, op)])


def _scanned_twice(op: Operation) -> Replacement | None:
    """A long scan is one of parts, and one of what the parts come to, which is added to them."""
    if not isinstance(op, ScanOp) or op.kind.data != "add":
        return None
    shape, axis = sizes(op.input), op.axis
    if shape[axis] <= SCANNED or shape[axis] % SCANNED:
        return None
    parts = ReshapeOp(op.input, [*shape[:axis], shape[axis] // SCANNED, SCANNED, *shape[axis + 1 :]])
    inner = ScanOp("add", parts.result, axis + 1)
    wide = sizes(inner.result)
    lasts = SliceOp(
        inner.result,
        [SCANNED - 1 if d == axis + 1 else 0 for d in range(len(wide))],
        [1] * len(wide),
        [1 if d == axis + 1 else size for d, size in enumerate(wide)],
    )
    outer = ScanOp("add", lasts.result, axis)
    repeated = BroadcastOp(outer.result, wide)
    total = AddOp(inner.result, repeated.result)
    result = ReshapeOp(total.result, shape)
    return Replacement(result.result, [(new, op) for new in (parts, inner, lasts, outer, repeated, total, result)])


Rule = Callable[[Operation], Replacement | None]
RULES: tuple[Rule, ...] = (
    *VALUE_RULES,
    _reduced_twice,
    _scanned_twice,
    _restored,
    _repeated_later,
    _repeated_once,
    _reshaped_later,
    _widened_later,
    _narrowed_first,
)


FIRST_RULES: tuple[Rule, ...] = (*VALUE_RULES, _restored_behind_reshapes, _all_reshaped_later, _repeated_once)
"""What holds before XLA looks at layouts: then reshapes move, and casts behind them are undone."""


def _widens(owner: object) -> bool:
    return isinstance(owner, CastOp) and _bytes(owner.input) < _bytes(owner.result)


def _bytes(value: SSAValue) -> int:
    return byte_size(element_type(value.type))


def operands_of(op: Operation) -> list[SSAValue]:
    """What an op reads once XLA has simplified it: of windows that move whole, the places where they begin."""
    if not isinstance(op, GatherOp | ScatterOp):
        return simplified_operands(op)
    found = windows(op)
    moved = op.result if isinstance(op, GatherOp) else op.updates
    points = prod(sizes(moved)[d] for d in found.points)
    others = [op.input] if isinstance(op, GatherOp) else [op.into, op.updates]
    return [*others, *(_unrepeated(op.indices[d], points) for d in found.indexed)]


def _unrepeated(value: SSAValue, count: int) -> SSAValue:
    """What is repeated as the value, where that has no more than so many elements."""
    while prod(sizes(value)) > count and isinstance(value.owner, BroadcastOp | ReshapeOp):
        value = value.owner.input
    return value


def is_transpose(op: PermuteOp) -> bool:
    """True for a permutation that a kernel does: of a result, or before a view that rows cannot follow."""
    behind = _behind_reshapes(op)
    if any(isinstance(reader, ReturnOp) for reader in behind):
        return True
    moved = GatherOp | ScatterOp | CatOp | ViewOp
    return not keeps_rows(op) and any(isinstance(reader, moved) for reader in behind)


def _behind_reshapes(op: Operation) -> set[Operation]:
    work = readers(op)
    while any(isinstance(reader, ReshapeOp) for reader in work):
        work = {r for reader in work for r in (readers(reader) if isinstance(reader, ReshapeOp) else {reader})}
    return work


def unreshaped(value: SSAValue) -> SSAValue:
    """What reshapes alone make the value of."""
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.input
    return value


def keeps_rows(op: PermuteOp) -> bool:
    """True if the last dimension stays where it is, sizes of 1 aside, so that whole rows move."""
    wide = [d for d in op.order if sizes(op.input)[d] != 1]
    return not wide or wide[-1] == max(wide)
