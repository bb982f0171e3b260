"""Rules of order: minima, maxima and comparisons. All exact; most integer rules fail for NaN."""

from __future__ import annotations

import math

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import element_type
from mlc_dialects.semantics.numerics import empty_reduction
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.elementwise_op import ELEMENTWISE, ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp
from mlc_support.rewriting import rule
from passes.tensor.canonicalize.algebra import filled, is_splat_of
from passes.tensor.matching import (
    NON_NEGATIVE,
    ROUNDINGS,
    both_orders,
    complemented,
    floats,
    fold,
    integers,
    made_by,
    negated,
    number,
    signed,
)

SWAPPED: dict[type[ElementwiseOp], type[ElementwiseOp]] = {
    ew.EqOp: ew.EqOp, ew.NeOp: ew.NeOp, ew.LtOp: ew.GtOp, ew.LeOp: ew.GeOp, ew.GtOp: ew.LtOp, ew.GeOp: ew.LeOp,
}  # fmt: skip
_KEEP_NAN = (
    ew.NegOp, ew.AbsOp, *ROUNDINGS, ew.ExpOp, ew.Exp2Op, ew.Expm1Op, ew.SigmoidOp,
    *(ELEMENTWISE[n] for n in ("atan", "sinh", "cosh", "tanh", "asinh", "erf", "erfc")),
)  # fmt: skip
"""NaN of NaN, and of nothing else."""
_KEEP_INFINITY = (ew.NegOp, ew.AbsOp, *ROUNDINGS)


def _dual(op: Operation) -> type[ew.MaximumOp] | type[ew.MinimumOp]:
    return ew.MinimumOp if isinstance(op, ew.MaximumOp) else ew.MaximumOp


def below(x: float, y: float) -> bool:
    """x < y, in the order of `maximum`, where -0.0 is less than 0.0."""
    return x < y or (x == y == 0 and math.copysign(1, x) < math.copysign(1, y))


def absorbed(op: ew.MaximumOp | ew.MinimumOp) -> SSAValue | None:
    """x, where `op` is max(x, min(x, y)) or min(x, max(x, y))."""
    return next((x for x, y in both_orders(op) if x in (made_by(y, _dual(op)) or ())), None)


@rule
def absorb_order(op: ew.MaximumOp | ew.MinimumOp) -> SSAValue | None:
    """max(x, min(x, y)) == x; min(x, max(x, y)) == x: integers, since y may be NaN"""
    return absorbed(op) if integers(op.result) else None


@rule
def drop_weakest_bound(op: ew.MaximumOp | ew.MinimumOp) -> SSAValue | None:
    """max(x, least) == x; min(x, greatest) == x: integers, and floats with infinities, NaN included"""
    x, bound = op.operands
    kind = "max" if isinstance(op, ew.MaximumOp) else "min"
    return x if is_splat_of(bound, empty_reduction(kind, element_type(x.type))) else None


@rule
def strongest_bound(op: ew.MaximumOp | ew.MinimumOp) -> SSAValue | None:
    """max(x, greatest) == greatest; min(x, least) == least: integers"""
    x, bound = op.operands
    kind = "min" if isinstance(op, ew.MaximumOp) else "max"
    return bound if integers(x) and is_splat_of(bound, empty_reduction(kind, element_type(x.type))) else None


@rule
def clamp_low_first(op: ew.MaximumOp) -> Operation | None:
    """max(min(x, b), a) == min(max(x, a), b), where a <= b: everything, NaN included"""
    inner = made_by(op.operands[0], ew.MinimumOp)
    high, low = (number(inner[1]), number(op.operands[1])) if inner else (None, None)
    if inner is None or low is None or high is None or math.isnan(low) or math.isnan(high) or below(high, low):
        return None
    return ew.MinimumOp(ew.MaximumOp(inner[0], op.operands[1]), inner[1])


@rule
def empty_clamp(op: ew.MinimumOp | ew.MaximumOp) -> SSAValue | None:
    """min(max(x, a), b) == b, where a >= b; max(min(x, b), a) == a, where a > b: integers"""
    inner = made_by(op.operands[0], _dual(op)) if integers(op.result) else None
    near, far = (number(inner[1]), number(op.operands[1])) if inner else (None, None)
    if near is None or far is None:
        return None
    crossed = near >= far if isinstance(op, ew.MinimumOp) else near < far
    return op.operands[1] if crossed else None


@rule
def extreme_of_negations(op: ew.MaximumOp | ew.MinimumOp) -> Operation | None:
    """max(-x, -y) == -min(x, y); min(-x, -y) == -max(x, y): floats, zeros included; the least integer stays"""
    x, y = (negated(v) for v in op.operands)
    return ew.NegOp(_dual(op)(x, y)) if x is not None and y is not None and floats(x) else None


@rule
def extreme_of_opposites(op: ew.MaximumOp | ew.MinimumOp) -> Operation | None:
    """max(x, -x) == |x|; min(x, -x) == -|x|: floats and signed integers"""
    x = next((x for x, y in both_orders(op) if negated(y) == x), None)
    if x is None or not signed(x):
        return None
    return ew.AbsOp(x) if isinstance(op, ew.MaximumOp) else ew.NegOp(ew.AbsOp(x))


@rule
def bound_below_range(op: ew.MaximumOp) -> SSAValue | None:
    """max(e ** x, c) == e ** x, where c <= 0: floats whose function has no negative value; NaN stays"""
    x, bound = op.operands
    low = number(bound)
    if low is None or not low <= 0 or not floats(x):
        return None
    return x if isinstance(x.owner, NON_NEGATIVE) else None


@rule
def absorb_nan(
    op: ew.AddOp | ew.SubOp | ew.MulOp | ew.DivOp | ew.MaximumOp | ew.MinimumOp | ew.FmodOp | ew.Atan2Op,
) -> SSAValue | None:
    """x + NaN == NaN; -, *, /, max, min, fmod and atan2 likewise: floats"""
    for value in op.operands:
        if (n := number(value)) is not None and math.isnan(n):
            return value
    return None


@rule
def compare_with_nan(op: ew.EqOp | ew.NeOp | ew.LtOp | ew.LeOp | ew.GtOp | ew.GeOp) -> ConstantOp | None:
    """x < NaN is false, and x != NaN true: floats"""
    constants = [number(v) for v in op.operands if floats(v)]
    if not any(n is not None and math.isnan(n) for n in constants):
        return None
    return filled(isinstance(op, ew.NeOp), op.result)


@rule
def compare_with_limit(op: ew.LtOp | ew.LeOp | ew.GtOp | ew.GeOp) -> ConstantOp | None:
    """x < least is false, x >= least true; x > greatest is false, x <= greatest true: integers"""
    x, bound = op.operands
    if not integers(x):
        return None
    low, high = (is_splat_of(bound, empty_reduction(kind, element_type(x.type))) for kind in ("max", "min"))
    if (low and isinstance(op, ew.LtOp)) or (high and isinstance(op, ew.GtOp)):
        return filled(False, op.result)
    return filled(True, op.result) if (low and isinstance(op, ew.GeOp)) or (high and isinstance(op, ew.LeOp)) else None


@rule
def compare_negations(op: ew.EqOp | ew.NeOp | ew.LtOp | ew.LeOp | ew.GtOp | ew.GeOp) -> Operation | None:
    """-x < -y == x > y; -x < c == x > -c: floats; for integers == and != alone, since -least is least"""
    x, y = negated(op.operands[0]), negated(op.operands[1])
    if x is None or not (floats(x) or isinstance(op, ew.EqOp | ew.NeOp)):
        return None
    other = fold(ew.NegOp, op.operands[1]) if y is None else y
    return SWAPPED[type(op)](x, other) if other is not None else None


@rule
def compare_complements(op: ew.EqOp | ew.NeOp | ew.LtOp | ew.LeOp | ew.GtOp | ew.GeOp) -> Operation | None:
    """~x < ~y == x > y; ~x < c == x > ~c: integers and booleans"""
    x, y = complemented(op.operands[0]), complemented(op.operands[1])
    if x is None:
        return None
    other = fold(ew.NotOp, op.operands[1]) if y is None else y
    return SWAPPED[type(op)](x, other) if other is not None else None


@rule
def compare_difference(op: ew.LtOp | ew.GtOp) -> Operation | None:
    """x - y < 0 == x < y; x - y > 0 == x > y: floats; not <=, since inf - inf is NaN, nor integers, which wrap"""
    inner = made_by(op.operands[0], ew.SubOp)
    zero = number(op.operands[1])
    return type(op)(*inner) if inner and zero == 0 and floats(inner[0]) else None


@rule
def equal_difference(op: ew.EqOp | ew.NeOp) -> Operation | None:
    """x - y == 0 is x == y; x ^ y == 0 is x == y: integers and booleans"""
    inner = made_by(op.operands[0], ew.SubOp, ew.XorOp)
    return type(op)(*inner) if inner and not floats(inner[0]) and is_splat_of(op.operands[1], 0) else None


@rule
def equal_shifted(op: ew.EqOp | ew.NeOp) -> Operation | None:
    """x + c == d is x == d - c; x ^ c == d is x == d ^ c: integers and booleans"""
    shift = op.operands[0].owner
    if not isinstance(shift, ew.AddOp | ew.XorOp) or floats(op.operands[0]):
        return None
    undo = ew.SubOp if isinstance(shift, ew.AddOp) else ew.XorOp
    rest = fold(undo, op.operands[1], shift.operands[1])
    return type(op)(shift.operands[0], rest) if rest else None


@rule
def abs_is_zero(op: ew.EqOp | ew.NeOp) -> Operation | None:
    """|x| == 0 is x == 0; |x| != 0 likewise: floats and integers"""
    inner = made_by(op.operands[0], ew.AbsOp)
    return type(op)(inner[0], op.operands[1]) if inner and number(op.operands[1]) == 0 else None


@rule
def compare_below_range(op: ew.LtOp) -> ConstantOp | None:
    """|x| < c is false, where c <= 0: floats and functions that are never negative; |least| is negative"""
    x, bound = op.operands
    high = number(bound)
    if high is None or not high <= 0 or not floats(x) or not isinstance(x.owner, NON_NEGATIVE):
        return None
    return filled(False, op.result)


@rule
def differs_from_itself(op: ew.NeOp) -> Operation | None:
    """x != x is isnan(x): floats"""
    x, y = op.operands
    return ew.IsNanOp(x) if x == y and floats(x) else None


@rule
def nan_of_function(op: ew.IsNanOp) -> Operation | None:
    """isnan(-x) == isnan(e ** x) == isnan(x): floats, functions that have a value everywhere"""
    inner = made_by(op.operands[0], *_KEEP_NAN)
    return ew.IsNanOp(inner[0]) if inner else None


@rule
def infinity_of_function(op: ew.IsInfOp) -> Operation | None:
    """isinf(-x) == isinf(|x|) == isinf(floor(x)) == isinf(x): floats"""
    inner = made_by(op.operands[0], *_KEEP_INFINITY)
    return ew.IsInfOp(inner[0]) if inner else None


@rule
def nan_of_integer(op: ew.IsNanOp) -> ConstantOp | None:
    """isnan(float(i)) is false: integers and booleans cast to floats; they may still be infinite in f16"""
    cast = op.operands[0].owner
    return filled(False, op.result) if isinstance(cast, CastOp) and not floats(cast.input) else None


_JOINED: dict[tuple[type[ElementwiseOp], frozenset[type[ElementwiseOp]]], type[ElementwiseOp]] = {
    (ew.OrOp, frozenset((ew.LtOp, ew.EqOp))): ew.LeOp,
    (ew.OrOp, frozenset((ew.GtOp, ew.EqOp))): ew.GeOp,
    (ew.AndOp, frozenset((ew.LeOp, ew.GeOp))): ew.EqOp,
    (ew.AndOp, frozenset((ew.LeOp, ew.NeOp))): ew.LtOp,
    (ew.AndOp, frozenset((ew.GeOp, ew.NeOp))): ew.GtOp,
}


@rule
def join_comparisons(op: ew.AndOp | ew.OrOp) -> Operation | None:
    """x < y | x == y is x <= y; x <= y & x >= y is x == y; x <= y & x != y is x < y: everything, NaN included"""
    first, second = (v.owner for v in op.operands)
    if not isinstance(first, ElementwiseOp) or not isinstance(second, ElementwiseOp):
        return None
    x, kind = [*first.operands], type(second)
    if [*second.operands] == x[::-1]:
        kind = SWAPPED.get(kind)
    elif [*second.operands] != x:
        return None
    joined = _JOINED.get((type(op), frozenset((type(first), kind)))) if kind else None
    return joined(*x) if joined else None


ORDER = (
    absorb_order, drop_weakest_bound, strongest_bound, empty_clamp, clamp_low_first, extreme_of_negations,
    extreme_of_opposites, bound_below_range, absorb_nan, compare_with_nan, compare_with_limit,
    compare_negations, compare_complements, compare_difference, equal_difference, equal_shifted,
    abs_is_zero, compare_below_range, differs_from_itself, nan_of_function, infinity_of_function,
    nan_of_integer, join_comparisons,
)  # fmt: skip
