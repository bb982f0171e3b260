"""What is made of a value, and how precise it has to be for that.

A value that is only ever rounded to 16 bits may have a relative error far below 2**-12. What decides a comparison,
becomes a whole number or an index, or is stored in 32 bits must be what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.annotations import ROUNDED
from mlc_dialects.common.buffers import buffer_element
from mlc_dialects.common.scalar_builder import LOG2_E
from mlc_dialects.common.types import is_half
from mlc_dialects.loop.dialect import AccumulateOp, AtomicOp, KernelOp, LoadOp, ReduceOp, StoreOp, YieldOp
from mlc_support.walks import meets, walk

_EXACT = (
    *(arith.CmpfOp, arith.FPToSIOp, LoadOp),
    *(math.RoundEvenOp, math.FloorOp, math.CeilOp, math.TruncOp),  # near a step nothing is too small
)
"""Ops that need their operands exactly."""
MOST_CAP = 64.0
"""The greatest factor of a tanh in a power that may be coarse."""


def number_of(value: SSAValue) -> float | None:
    """A constant float; one of 16 bits may be extended."""
    op = value.owner
    if isinstance(op, arith.ExtFOp):
        return number_of(op.input)
    return op.value.value.data if isinstance(op, arith.ConstantOp) and isinstance(op.value, FloatAttr) else None


def rounds_to_half(value: SSAValue, sums: bool = True) -> bool:
    """True if all that is made of `value` is rounded to 16 bits, and decides nothing on its way.

    Without `sums`, nothing may be added to it either: there a relative error can grow.
    """
    return _rounds(value, lambda _, __, made: made if sums else None)


def rounds_beside_one(value: SSAValue) -> bool:
    """`rounds_to_half` without sums, but for those with a constant of 1 or more whose result `is_added`.

    There an error that is small beside 1 stays as small, and all that is made of the sum has one like it in float32.
    """

    def behind(user: Operation, value: SSAValue, made: list[SSAValue]) -> list[SSAValue] | None:
        known = _is_beside_one(user, value) and all(rounds_to_half(v) and is_added(v) for v in made)
        return [] if known else None

    return _rounds(value, behind)


Behind = Callable[[Operation, SSAValue, list[SSAValue]], list[SSAValue] | None]
"""Of a sum, the value in it and what is made of that: what is still to be looked at; None if it must be exact."""


def _rounds(value: SSAValue, behind_sum: Behind) -> bool:
    """True if all that is made of `value` is rounded to 16 bits, and sums are as they should be."""

    def step(current: SSAValue) -> bool | list[SSAValue]:
        """True where `current` must be exact; else what is made of it."""
        made: list[SSAValue] = []
        for use in current.uses:
            found = _made_of(use.operation, current)
            if found is not None and isinstance(use.operation, arith.AddfOp | arith.SubfOp | YieldOp):
                found = behind_sum(use.operation, current, found)
            if found is None:
                return True
            made += found
        return made

    return not meets(value, step)


def is_added(value: SSAValue) -> bool:
    """True if all that is made of `value` are products that something is added to: its absolute error is what counts.

    Rounded by itself it would show a relative error, where it is small.
    """

    def step(current: SSAValue) -> bool | list[SSAValue]:
        """True where `current` may be rounded; else what is made of it by multiplication."""
        users = [use.operation for use in current.uses if not isinstance(use.operation, arith.AddfOp | arith.SubfOp)]
        if not all(isinstance(user, arith.MulfOp | arith.NegfOp) for user in users):
            return True
        return [result for user in users for result in user.results]

    return not meets(value, step)


def _is_beside_one(user: Operation, value: SSAValue) -> bool:
    """True for a sum or a difference of `value` and a constant of 1 or more, or of -1 or less."""
    others = [number_of(v) for v in user.operands if v is not value]
    return len(others) == 1 and others[0] is not None and abs(others[0]) >= 1


def _kernel_of(op: Operation) -> KernelOp:
    """The kernel that `op` is in."""
    around: Operation | None = op
    while not isinstance(around, KernelOp):
        assert around is not None
        around = around.parent_op()
    return around


def is_rounded(op: Operation) -> bool:
    """True in a kernel whose float32 results show that the program rounds what they are computed from to 16 bits."""
    return ROUNDED in _kernel_of(op).attributes


def alike(op: Operation) -> list[Operation]:
    """`op`, and those of its kernel that compute as it does, with the same constant if there is one.

    Loops over the same values compute them each by itself. They can be joined only as long as they do so alike.
    """
    constant, every = number_of(op.operands[-1]), walk(_kernel_of(op))
    return [other for other in every if isinstance(other, type(op)) and number_of(other.operands[-1]) == constant]


def all_round_to_half(op: Operation) -> bool:
    """`rounds_to_half`, for all that compute as `op` does."""
    return all(rounds_to_half(other.results[0]) for other in alike(op))


def is_power(value: SSAValue) -> bool:
    """True if all that is made of `value` is e ** (c * value + ...), rounded to 16 bits, where |c| is at most MOST_CAP.

    It may be written as a power of 2. What is added may be a mask, or the greatest of such values, as in a softmax.
    Gradients have 1 - value ** 2 besides, of which an absolute error counts likewise.
    """
    seen: dict[SSAValue, float] = {}
    work = [(value, 1.0)]
    while work:
        current, factor = work.pop()
        if factor > MOST_CAP * LOG2_E:
            return False
        if factor <= seen.get(current, 0.0):
            continue
        seen[current] = factor
        for use in current.uses:
            found = _powers(use.operation, current, factor)
            if found is None:
                return False
            work += found
    return True


def _powers(user: Operation, value: SSAValue, factor: float) -> list[tuple[SSAValue, float]] | None:
    """What `user` makes of a part of a power, and by how much it grows; None if it is no part of a power."""
    match user:
        case math.ExpOp() | math.Exp2Op():
            most = MOST_CAP if isinstance(user, math.ExpOp) else MOST_CAP * LOG2_E
            return [] if factor <= most and rounds_to_half(user.result) else None
        case StoreOp():
            return [] if is_rounded(user) else None
        case YieldOp():
            return [(r, factor) for r in _greatest_of(user, value)] or None
        case arith.MulfOp():
            return _multiples(user, value, factor)
        case arith.AddfOp() | arith.SubfOp() | arith.NegfOp() | arith.SelectOp():
            return [(user.results[0], factor)]
        case _:
            return None


def _multiples(product: arith.MulfOp, value: SSAValue, factor: float) -> list[tuple[SSAValue, float]] | None:
    """`_powers` for a product with a constant, or of a value with itself."""
    if product.lhs is product.rhs:
        return [] if factor == 1 and _is_taken_from_1(product.result) else None
    constant = number_of(product.rhs if product.lhs is value else product.lhs)
    return None if constant is None else [(product.result, factor * abs(constant))]


def _is_taken_from_1(value: SSAValue) -> bool:
    """True if all that is made of `value` is 1 - value, rounded to 16 bits."""
    readers = [use.operation for use in value.uses]
    return all(
        isinstance(op, arith.SubfOp) and op.rhs is value and number_of(op.lhs) == 1 and rounds_to_half(op.result)
        for op in readers
    )


def _greatest_of(end: YieldOp, value: SSAValue) -> list[SSAValue]:
    """The results of a loop that are the greatest of its `value`s, if all that it makes of them is that."""
    parts = _reductions_of(end, value)
    return [r for _, results in parts for r in results] if all(kind == "max" for kind, _ in parts) else []


def _made_of(user: Operation, value: SSAValue) -> list[SSAValue] | None:
    """The values that `user` makes of `value`; None if it needs it exactly."""
    match user:
        case StoreOp() | AtomicOp() | AccumulateOp():
            return [] if is_half(buffer_element(user.buffer.type)) or is_rounded(user) else None
        case YieldOp():
            return _reduced_of(user, value)
        case arith.TruncFOp() if is_half(user.result.type):
            return []
        case _ if isinstance(user, _EXACT) or any(region.blocks for region in user.regions):
            return None
        case _:
            return [*user.results]


def _reduced_of(end: YieldOp, value: SSAValue) -> list[SSAValue] | None:
    """What a loop reduces `value` to; None if it needs it exactly, for a position or a condition."""
    parts = _reductions_of(end, value)
    if value is end.condition or any(kind.startswith("arg") for kind, _ in parts):
        return None
    return [r for _, results in parts for r in results]


def is_summed_for_log(value: SSAValue) -> bool:
    """True if sums of `value` are all that is made of it, and logarithms all that is made of the sums."""
    users = _readers([value])
    ends = [user for user in users if isinstance(user, YieldOp)]
    parts = [part for end in ends for part in _reductions_of(end, value)]
    if len(ends) < len(users) or any(kind != "add" for kind, _ in parts):
        return False
    readers = _readers(r for _, results in parts for r in results)
    return bool(readers) and all(isinstance(op, math.LogOp) for op in readers)


def _readers(values: Iterable[SSAValue]) -> list[Operation]:
    """The ops that read one of `values`, as often as they do."""
    return [use.operation for value in values for use in value.uses]


def _reductions_of(end: YieldOp, value: SSAValue) -> list[tuple[str, tuple[SSAValue, ...]]]:
    """Kind and results of each reduction that is given `value` at `end`."""
    loop = end.parent_op()
    assert isinstance(loop, ReduceOp)
    return [(kind, results) for kind, given, results in loop.parts if given is value]
