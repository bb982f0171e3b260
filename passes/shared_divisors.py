"""shared-divisors: a quotient by what a whole row shares is a product, where only whole numbers are made of it.

    %q = div %x, broadcast %d             %d is one number for many elements
    %n = roundeven %q
 -> %r = div 1, %t                        t = d * c, once for them all
    %p = mul %y, %r                       y = x * c
    %e = fma %p, abs %t, %y               the rest y - p * t
    %q = where abs %e < inf, fma(%e, %r, %p), %p

A division takes a dozen instructions, the reciprocal of its divisor and a test of its operands for every element; this
takes five, and no branch.

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

So what cannot tell numbers below 2**-35 from zeros, nor those above 2**126 from infinity, sees no difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, prod

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerType, f32
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.mlc_triton import BroadcastOp, CastOp, CompareOp, FullOp, WhereOp
from mlc_dialects.scalar import fma
from mlc_dialects.triton_types import block_element, block_shape
from mlc_dialects.triton_values import constant_of
from mlc_dialects.types import is_bool
from mlc_support.rewriting import Rule, RulePass, rule

SHARED = 16
"""How many elements a divisor must have at least to be worth inverting: a lane holds a few of them."""
SMALL = 2.0**-64
MOST = (2.0 - 2.0**-23) * 2.0**127
"""The greatest float32."""
MODERATE = 2.0**100
"""What is below cannot move a number above 2**126 below it, nor is lost in it."""


@dataclass(frozen=True)
class SharedDivisorsPass(RulePass):
    """Replaces divisions of float32 blocks by a number for many elements, where that cannot be seen."""

    name = "shared-divisors"

    def rules(self) -> tuple[Rule, ...]:
        """Those that run, in order."""
        return (whole_quotient,)


@rule
def whole_quotient(op: arith.DivfOp) -> SSAValue | None:
    """whole(x / d) == whole(p + r * (y - p * t)), y = x * c, t = d * c, r = 1 / t, p = y * r"""
    divisor = _shared(op)
    if divisor is None or not _ends_whole(op.result):
        return None
    return _quotient(op.lhs, divisor)


def _shared(op: arith.DivfOp) -> SSAValue | None:
    """The divisor of a float32 block before it was repeated for at least `SHARED` elements each."""
    divisor = op.rhs
    while isinstance(divisor.owner, BroadcastOp):
        divisor = divisor.owner.input
    few = prod(block_shape(divisor.type)) * SHARED <= prod(block_shape(op.result.type))
    return divisor if few and block_element(op.result.type) == f32 and not op.fastmath.data else None


def _quotient(x: SSAValue, d: SSAValue) -> SSAValue:
    """x / d by the steps above."""
    y, t = _scaled(x, d)
    inverse = arith.DivfOp(_full(d.type, 1.0), t).result
    r = BroadcastOp(inverse, x.type).result
    size = BroadcastOp(math.AbsFOp(t).result, x.type).result
    p = arith.MulfOp(y, r).result
    e = fma(p, size, y).result
    for value, name in ((inverse, "inverse"), (p, "near"), (e, "rest")):
        value.name_hint = name
    infinity = BroadcastOp(_full(f32, inf), x.type).result
    known = CompareOp("lt", math.AbsFOp(e).result, infinity).result
    return WhereOp(known, fma(e, r, p).result, p).result


def _scaled(x: SSAValue, d: SSAValue) -> tuple[SSAValue, SSAValue]:
    """x * c and d * c."""
    least, most = _bounds(d)
    if least >= SMALL and most <= 2.0**126:
        return arith.NegfOp(x).result, arith.NegfOp(d).result
    is_small = CompareOp("lt", math.AbsFOp(d).result, _full(d.type, SMALL)).result
    power = WhereOp(is_small, _full(d.type, 1 / SMALL), _full(d.type, 0.25)).result
    c = arith.NegfOp(math.CopySignOp(power, d).result).result
    return arith.MulfOp(x, BroadcastOp(c, x.type).result).result, arith.MulfOp(d, c).result


def _bounds(value: SSAValue) -> tuple[float, float]:
    """Between what a float32 is, unless it is infinite or NaN."""
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
    """c of x * c, 1 / c of x / c, for a positive number c."""
    constant = constant_of(op.operands[1])
    if op.fastmath.data or constant is None or not 1 / MODERATE < constant.value.data < MODERATE:
        return None
    return 1 / constant.value.data if isinstance(op, arith.DivfOp) else constant.value.data


def _full(type_: Attribute, number: float) -> SSAValue:
    return FullOp(FloatAttr(number, f32), type_).result


def _ends_whole(value: SSAValue, rounded: bool = False, ends: frozenset[type[Operation]] = frozenset()) -> bool:
    """True if nothing made of a quotient tells numbers below 2**-35 from zeros, or above 2**126 from infinity.

    `rounded` says that it has been to a whole number, which leaves zeros of the right sign; `ends` whether it has met
    a greatest and a least number. After both it is what it would be.
    """
    if rounded and len(ends) == 2:
        return True
    return all(_reads_whole(use.operation, value, rounded, ends) for use in value.uses)


def _reads_whole(user: Operation, value: SSAValue, rounded: bool, ends: frozenset[type[Operation]]) -> bool:
    """As `_ends_whole`, for one reader."""
    match user:
        case math.RoundEvenOp():
            return _ends_whole(user.result, True, ends)
        case CastOp() if isinstance(element := block_element(user.result.type), IntegerType):
            return not is_bool(element)
        case arith.MaximumfOp() | arith.MinimumfOp() if _is_moderate(_other(user, value)):
            return _ends_whole(user.result, rounded, ends | {type(user)})
        case arith.AddfOp() | arith.SubfOp() if rounded and _is_moderate(_other(user, value)):
            return _ends_whole(user.result, rounded, ends)
        case _:
            return False


def _other(op: Operation, value: SSAValue) -> SSAValue:
    """The operand of two that is not `value`."""
    return op.operands[1] if op.operands[0] is value else op.operands[0]


def _is_moderate(value: SSAValue) -> bool:
    """True for a number of at most 2**100, or blocks of integers in float32."""
    constant = constant_of(value)
    if constant is not None:
        return abs(constant.value.data) <= MODERATE
    while isinstance(value.owner, BroadcastOp):
        value = value.owner.input
    owner = value.owner
    return isinstance(owner, CastOp) and isinstance(block_element(owner.input.type), IntegerType)
