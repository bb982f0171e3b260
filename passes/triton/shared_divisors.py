"""shared-divisors: division by what many elements share, with one reciprocal for all of them.

    %q = div %x, broadcast %d             one d for many elements
 -> %q = quotient %x by %d                `lib.quotient`: rounded to nearest, with a branch for every four

Of many elements a lane it does not pay. If the quotient is rounded to integers, fewer steps do:

    %q = div %x, broadcast %d
    %n = roundeven %q
 -> %r = div 1, %t                        t = d * c, once for all of them
    %p = mul %y, %r                       y = x * c
    %e = fma %p, abs %t, %y               the residual y - p * t
    %q = where abs %e < inf, fma(%e, %r, %p), %p

A division takes a dozen instructions an element, with a reciprocal and a branch on its operands; this takes five,
and no branch.

If r is 1 / t rounded to nearest, p is y * r rounded, and e is y - p * t, then e * r + p rounded once is y / t rounded
to nearest, as long as nothing overflows or underflows: Markstein, "Computation of elementary functions on the IBM RISC
System/6000 processor" (1990); Brisebarre, Muller and Raina, "Accelerating correctly rounded floating-point division
when the divisor is known in advance" (2004). Here:

- c is -2**64 for |d| < 2**-64, else -1/4, with the sign of d; -1 where d is known to be in between and positive. So t
  is exact, 2**-85 <= -t <= 2**126, and r a normal number. A zero y gives e = +0, and e * r = -0 keeps the sign of p.
- Where |x / d| >= 2**-36, y and e are exact; where it is below 2**127, nothing overflows: q is x / d to the last bit.
- Below 2**-36, q is less than 2**-35 and has the sign of x / d.
- From 2**127 on, q may be infinite where x / d is one of the last finite numbers: both are above 2**126.
- A divisor that is 0, infinite or NaN, and such an x, make e infinite or NaN, and p what division gives.

If the divisor is computed from the row's largest magnitude, as in scale = max(amax(abs(x)), 1e-6) / 127, nothing
overflows and the select is dropped: where the scale is finite, so is e; where it is infinite, r is 0, and with 1 for
abs t so are e * r and q.

This form applies if all readers hide the remaining differences: rounded to an integer, a magnitude below 2**-35 is 0;
clamped or converted to an integer, one above 2**126 is like infinity. A float32 that is stored directly shows both, and
takes the first form.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, prod
from typing import NamedTuple

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerType, f32
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.scalar_builder import fma
from mlc_dialects.common.types import is_bool, is_half
from mlc_dialects.triton.dialect import (
    BroadcastOp,
    CastOp,
    CompareOp,
    FullOp,
    KernelOp,
    LoadOp,
    QuotientOp,
    ReduceOp,
    WhereOp,
)
from mlc_dialects.triton.types import LANES, block_element, block_shape
from mlc_dialects.triton.values import constant_of
from mlc_support.rewriting import Rule, RulePass, rule

SHARED = 16
"""The fewest elements that must share a divisor for its reciprocal to pay."""
MOST_A_LANE = 16
"""Elements of a lane that `lib.quotient` pays for: of 32, in 16 warps, it takes 1.3 times as long as division, measured
on an H200; why, is not known. Of exponentials, which are often 0, it pays for more: division of a 0 takes a hundred
instructions. So a softmax with a mask takes 51 us, and not 82."""
SMALL = 2.0**-64
MOST = (2.0 - 2.0**-23) * 2.0**127
"""The largest float32."""


@dataclass(frozen=True)
class SharedDivisorsPass(RulePass):
    """Replaces divisions of float32 blocks by a shared divisor, where the result is the same."""

    name = "shared-divisors"

    def rules(self) -> tuple[Rule, ...]:
        """The rules, in order."""
        return (whole_quotient, shared_quotient)


@rule
def whole_quotient(op: arith.DivfOp) -> SSAValue | None:
    """whole(x / d) == whole(p + r * (y - p * t)), y = x * c, t = d * c, r = 1 / t, p = y * r"""
    divisor = _shared(op)
    return None if divisor is None or not _is_unseen(op.result, Doubt()) else _quotient(op.lhs, divisor)


@rule
def shared_quotient(op: arith.DivfOp) -> Operation | None:
    """x / broadcast(d) == quotient(x, d)"""
    divisor = _shared(op)
    return QuotientOp(op.lhs, divisor) if divisor is not None and _pays(op) else None


def _pays(op: arith.DivfOp) -> bool:
    """True if a lane has up to `MOST_A_LANE` of the elements, or that many exponentials of each row."""
    kernel = op.parent_op()
    while not isinstance(kernel, KernelOp):
        assert kernel is not None
        kernel = kernel.parent_op()
    shape, warps = block_shape(op.result.type), kernel.warps.value.data
    if prod(shape) <= MOST_A_LANE * LANES * warps:
        return True
    lanes_of_row = LANES * max(1, warps // prod(shape[:-1]))
    return isinstance(op.lhs.owner, math.ExpOp | math.Exp2Op) and shape[-1] >= MOST_A_LANE * lanes_of_row


def _shared(op: arith.DivfOp) -> SSAValue | None:
    """The divisor of a float32 block before it was broadcast to at least `SHARED` elements."""
    divisor = op.rhs
    while isinstance(divisor.owner, BroadcastOp):
        divisor = divisor.owner.input
    few = prod(block_shape(divisor.type)) * SHARED <= prod(block_shape(op.result.type))
    return divisor if few and block_element(op.result.type) == f32 and not op.fastmath.data else None


def _quotient(x: SSAValue, d: SSAValue) -> SSAValue:
    """x / d by the steps above."""
    least, most = _bounds(d)
    known = least >= SMALL and most <= 2.0**126
    y, t = (arith.NegfOp(x).result, arith.NegfOp(d).result) if known else _scaled(x, d)
    inverse = arith.DivfOp(_full(d.type, 1.0), t).result
    r = BroadcastOp(inverse, x.type).result
    size = math.AbsFOp(t).result
    covered = known and _covers(d, x)
    if covered:
        size = WhereOp(_is_number(size), size, _full(d.type, 1.0)).result
    p = arith.MulfOp(y, r).result
    e = fma(p, BroadcastOp(size, x.type).result, y).result
    for value, name in ((inverse, "inverse"), (p, "near"), (e, "rest")):
        value.name_hint = name
    q = fma(e, r, p).result
    return q if covered else WhereOp(_is_number(math.AbsFOp(e).result), q, p).result


def _is_number(size: SSAValue) -> SSAValue:
    """False where a magnitude is infinite or NaN."""
    return CompareOp("lt", size, _full(size.type, inf)).result


def _covers(d: SSAValue, x: SSAValue) -> bool:
    """True if |d| is at least the largest |x| of the elements that it divides, times a constant.

    Elements beyond a mask are excepted, which are 0 or NaN.
    """
    match d.owner:
        case math.AbsFOp():
            return d.owner.operand is x
        case WhereOp():
            return _covers(d.owner.on_true, x) and _vanishes(x, d.owner.condition)
        case ReduceOp() if d.owner.kind.data == "max":
            return _covers(d.owner.input, x)
        case arith.MaximumfOp():
            return any(_covers(v, x) for v in d.owner.operands)
        case arith.DivfOp() | arith.MulfOp() if _factor(d.owner) is not None:
            return _covers(d.owner.operands[0], x)
        case _:
            return False


def _vanishes(x: SSAValue, mask: SSAValue) -> bool:
    """True if x is 0 or NaN where `mask` is false."""
    match x.owner:
        case LoadOp():
            return x.owner.mask is mask and x.owner.other is None
        case CastOp() | BroadcastOp():
            return _vanishes(x.owner.operands[0], mask)
        case arith.MulfOp():
            return any(_vanishes(v, mask) for v in x.owner.operands)
        case _:
            return False


def _scaled(x: SSAValue, d: SSAValue) -> tuple[SSAValue, SSAValue]:
    """x * c and d * c."""
    is_small = CompareOp("lt", math.AbsFOp(d).result, _full(d.type, SMALL)).result
    power = WhereOp(is_small, _full(d.type, 1 / SMALL), _full(d.type, 0.25)).result
    c = arith.NegfOp(math.CopySignOp(power, d).result).result
    return arith.MulfOp(x, BroadcastOp(c, x.type).result).result, arith.MulfOp(d, c).result


def _bounds(value: SSAValue) -> tuple[float, float]:
    """Lower and upper bound of a float32, unless it is infinite or NaN."""
    op = value.owner
    match op:
        case FullOp() if isinstance(op.value, FloatAttr):
            return op.value.value.data, op.value.value.data
        case arith.MaximumfOp():
            (a, b), (c, d) = map(_bounds, op.operands)
            return max(a, c), max(b, d)
        case arith.DivfOp() | arith.MulfOp() if (factor := _factor(op)) is not None:
            a, b = _bounds(op.operands[0])
            return a * factor, b * factor
        case _:
            return -MOST, MOST


def _factor(op: arith.DivfOp | arith.MulfOp) -> float | None:
    """c of x * c, or 1 / c of x / c, for a positive constant c."""
    constant = constant_of(op.operands[1])
    if op.fastmath.data or constant is None or not 2.0**-99 < constant.value.data < 2.0**99:
        return None
    return 1 / constant.value.data if isinstance(op, arith.DivfOp) else constant.value.data


def _full(type_: Attribute, number: float) -> SSAValue:
    """`number` in each element: a broadcast scalar, which costs no registers."""
    one = FullOp(FloatAttr(number, f32), f32).result
    return BroadcastOp(one, type_).result if block_shape(type_) else one


class Doubt(NamedTuple):
    """How far two numbers for one quotient may differ: both have the same sign and are tiny, or both are huge.

    Both are below `below`, or both above `above` and not clamped on that side; `bounds` are the clamps that were
    applied.
    """

    below: float = 2.0**-35
    above: float = 2.0**126
    bounds: frozenset[type[Operation]] = frozenset()

    @property
    def is_over(self) -> bool:
        return self.below == 0 and len(self.bounds) == 2


def _is_unseen(value: SSAValue, doubt: Doubt) -> bool:
    """True if everything computed from `value` is the same for both numbers."""
    return doubt.is_over or all(_makes_same(use.operation, value, doubt) for use in value.uses)


def _makes_same(user: Operation, value: SSAValue, doubt: Doubt) -> bool:
    """`_is_unseen` for one reader."""
    if isinstance(user, CastOp) and isinstance(element := block_element(user.result.type), IntegerType):
        beyond = doubt.above >= 2.0**64 or len(doubt.bounds) == 2  # integers saturate, and bounds are numbers
        return beyond and doubt.below <= 1 and not is_bool(element)
    after = _after(user, value, doubt)
    return after is not None and _is_unseen(user.results[0], after)


def _after(user: Operation, value: SSAValue, doubt: Doubt) -> Doubt | None:
    """How far the results of `user` may differ; None if unknown."""
    below, above, bounds = doubt
    match user:
        case CastOp():
            return Doubt(2 * below, above / 2, bounds)
        case math.RoundEvenOp() if below <= 0.25:
            return Doubt(0, above, bounds)
        case math.TruncOp() if below <= 1:
            return Doubt(0, above, bounds)
        case math.FloorOp() | math.CeilOp() if below == 0:
            return doubt
        case arith.MulfOp() | arith.DivfOp() if (factor := _factor(user)) is not None:
            return Doubt(2 * factor * below, factor * above / 2, bounds)
        case arith.MaximumfOp() | arith.MinimumfOp() if (size := _size(_other(user, value))) and size[1] <= above:
            return Doubt(below, above, bounds | {type(user)})
        case arith.SubfOp() if user.rhs is value:  # which would turn the bounds around
            return None
        case arith.AddfOp() | arith.SubfOp() if (size := _size(_other(user, value))) and size[1] <= above / 2:
            return Doubt(0, above / 2, bounds) if below <= size[0] * 2.0**-26 else None  # which leaves no trace of it
        case _:
            return None


def _other(op: Operation, value: SSAValue) -> SSAValue:
    """The other operand of a binary op."""
    return op.operands[1] if op.operands[0] is value else op.operands[0]


def _size(value: SSAValue) -> tuple[float, float] | None:
    """The least and largest magnitude of a constant, or of integers; None if it may be infinite."""
    owner = value.owner
    while isinstance(owner, BroadcastOp) or (isinstance(owner, CastOp) and is_half(block_element(owner.input.type))):
        owner = owner.input.owner
    match owner:
        case FullOp():
            size = abs(owner.value.value.data)
            return size, size
        case CastOp() if isinstance(block_element(owner.input.type), IntegerType):
            return 0, 2.0**64
        case _:
            return None
