"""Rules that are wrong for some value (NaN, infinities, a sign of zero) or round otherwise: fast-math alone."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.elementwise_op import ELEMENTWISE, ElementwiseOp
from mlc_dialects.tensor.ops import ConstantOp
from mlc_support.rewriting import rule
from passes.tensor.canonicalize.algebra import filled, is_constant, is_splat_of
from passes.tensor.matching import both_orders, floats, fold, made_by, negated, number, other_of, wide_floats
from passes.tensor.simplify.integers import distributed, joined
from passes.tensor.simplify.order import absorbed
from passes.tensor.simplify.powers import logistic
from passes.tensor.simplify.select import as_abs, as_extreme, as_other

_OPPOSITE: dict[type[ElementwiseOp], type[ElementwiseOp]] = {
    ew.LtOp: ew.GeOp, ew.GeOp: ew.LtOp, ew.LeOp: ew.GtOp, ew.GtOp: ew.LeOp,
}  # fmt: skip


@rule(inexact=True)
def fast_multiply_by_zero(op: ew.MulOp) -> ConstantOp | None:
    """x * 0 == 0: wrong for NaN, infinities and negative numbers"""
    return filled(0, op.result) if floats(op.result) and number(op.operands[1]) == 0 else None


@rule(inexact=True)
def fast_add_zero(op: ew.AddOp) -> SSAValue | None:
    """x + 0.0 == x: wrong for -0.0"""
    return op.operands[0] if floats(op.result) and is_splat_of(op.operands[1], 0.0) else None


@rule(inexact=True)
def fast_subtract_from_zero(op: ew.SubOp) -> Operation | None:
    """0.0 - x == -x: wrong for 0.0"""
    return ew.NegOp(op.operands[1]) if floats(op.result) and is_splat_of(op.operands[0], 0.0) else None


@rule(inexact=True)
def fast_subtract_itself(op: ew.SubOp) -> ConstantOp | None:
    """x - x == 0: wrong for NaN and infinities"""
    return filled(0, op.result) if op.operands[0] == op.operands[1] and floats(op.result) else None


@rule(inexact=True)
def fast_divide_by_itself(op: ew.DivOp) -> ConstantOp | None:
    """x / x == 1: wrong for NaN, infinities and zeros"""
    return filled(1, op.result) if op.operands[0] == op.operands[1] else None


@rule(inexact=True)
def fast_divide_zero(op: ew.DivOp) -> ConstantOp | None:
    """0 / x == 0: wrong for NaN, zeros and negative numbers"""
    return filled(0, op.result) if number(op.operands[0]) == 0 else None


@rule(inexact=True)
def fast_negate_difference(op: ew.NegOp) -> Operation | None:
    """-(x - y) == y - x: wrong where x == y, -0.0 becoming 0.0"""
    inner = made_by(op.operands[0], ew.SubOp)
    return ew.SubOp(inner[1], inner[0]) if inner and floats(op.result) else None


@rule(inexact=True)
def fast_join_constants(op: ew.AddOp | ew.MulOp) -> Operation | None:
    """(x + c) + d == x + (c + d); (x * c) * d == x * (c * d): rounds once instead of twice"""
    return joined(op) if floats(op.result) else None


@rule(inexact=True)
def fast_divide_by_constant(op: ew.DivOp) -> Operation | None:
    """x / c == x * (1 / c): rounds twice, and 1 / c may be infinite"""
    divisor = number(op.operands[1])
    if not divisor or is_constant(op.operands[0]):
        return None
    inverse = fold(ew.DivOp, filled(1, op.result).result, op.operands[1])
    return ew.MulOp(op.operands[0], inverse) if inverse and abs(number(inverse.result) or 0) < float("inf") else None


@rule(inexact=True)
def fast_take_factor_out(op: ew.AddOp | ew.SubOp) -> Operation | None:
    """x * z + y * z == (x + y) * z; differences likewise: rounds twice instead of three times"""
    return distributed(op) if floats(op.result) else None


@rule(inexact=True)
def fast_take_divisor_out(op: ew.AddOp | ew.SubOp) -> Operation | None:
    """x / z + y / z == (x + y) / z; differences likewise: rounds twice instead of three times"""
    left, right = (made_by(v, ew.DivOp) for v in op.operands)
    if not left or not right or left[1] != right[1] or not all(v.has_one_use() for v in op.operands):
        return None
    return ew.DivOp(type(op)(left[0], right[0]), left[1])


@rule(inexact=True)
def fast_cancel_sum(op: ew.SubOp) -> SSAValue | None:
    """(x + y) - y == x: wrong where the sum rounds, and for NaN and infinities"""
    return other_of(made_by(op.operands[0], ew.AddOp), op.operands[1]) if floats(op.result) else None


@rule(inexact=True)
def fast_cancel_difference(op: ew.AddOp) -> SSAValue | None:
    """(x - y) + y == x: wrong where the difference rounds, and for NaN and infinities"""
    for difference, y in both_orders(op):
        inner = made_by(difference, ew.SubOp)
        if inner and inner[1] == y and floats(y):
            return inner[0]
    return None


@rule(inexact=True)
def fast_cancel_factor(op: ew.DivOp) -> SSAValue | None:
    """(x * y) / y == x: wrong where the product rounds, and for NaN, infinities and zeros"""
    return other_of(made_by(op.operands[0], ew.MulOp), op.operands[1])


@rule(inexact=True)
def fast_cancel_divisor(op: ew.MulOp) -> SSAValue | None:
    """(x / y) * y == x: wrong where the quotient rounds, and for NaN, infinities and zeros"""
    for quotient, y in both_orders(op):
        inner = made_by(quotient, ew.DivOp)
        if inner and inner[1] == y:
            return inner[0]
    return None


@rule(inexact=True)
def fast_divide_by_quotient(op: ew.DivOp) -> Operation | None:
    """1 / (y / z) == z / y: rounds once instead of twice"""
    inner = made_by(op.operands[1], ew.DivOp) if is_splat_of(op.operands[0], 1) else None
    return ew.DivOp(inner[1], inner[0]) if inner else None


@rule(inexact=True)
def fast_divide_twice(op: ew.DivOp) -> Operation | None:
    """(x / y) / z == x / (y * z): a product may overflow where the quotients do not"""
    inner = made_by(op.operands[0], ew.DivOp) if op.operands[0].has_one_use() else None
    return ew.DivOp(inner[0], ew.MulOp(inner[1], op.operands[1])) if inner else None


@rule(inexact=True)
def fast_multiply_by_reciprocal(op: ew.MulOp) -> Operation | None:
    """x * (1 / y) == x / y: rounds once instead of twice, when the reciprocal has no other use"""
    for x, reciprocal in both_orders(op):
        inner = made_by(reciprocal, ew.DivOp) if reciprocal.has_one_use() else None
        if inner and is_splat_of(inner[0], 1) and not is_constant(x):
            return ew.DivOp(x, inner[1])
    return None


@rule(inexact=True)
def fast_inverse_function(op: ElementwiseOp) -> SSAValue | None:
    """e ** log(x) == x; log(e ** x) == x; exp2, log2, expm1 and log1p likewise: wrong outside the range"""
    name = op.FUNCTION.inverse
    inner = made_by(op.operands[0], ELEMENTWISE[name]) if name else None
    return inner[0] if inner else None


@rule(inexact=True)
def fast_square_of_root(op: ew.MulOp) -> SSAValue | None:
    """sqrt(x) * sqrt(x) == x: wrong below zero, and rounds"""
    root = made_by(op.operands[0], ew.SqrtOp)
    return root[0] if root and op.operands[0] == op.operands[1] else None


@rule(inexact=True)
def fast_root_of_square(op: ew.SqrtOp) -> Operation | None:
    """sqrt(x * x) == |x|: wrong where the square overflows or vanishes"""
    square = made_by(op.operands[0], ew.MulOp)
    return ew.AbsOp(square[0]) if square and square[0] == square[1] else None


@rule(inexact=True)
def fast_power_of_half(op: ew.PowOp) -> Operation | None:
    """x ** 0.5 == sqrt(x): wrong for -inf and -0.0"""
    return ew.SqrtOp(op.operands[0]) if is_splat_of(op.operands[1], 0.5) else None


@rule(inexact=True)
def fast_power_of_minus_half(op: ew.PowOp) -> Operation | None:
    """x ** -0.5 == rsqrt(x): wrong for -inf and -0.0"""
    return ew.RsqrtOp(op.operands[0]) if is_splat_of(op.operands[1], -0.5) else None


@rule(inexact=True)
def fast_power_of_three(op: ew.PowOp) -> Operation | None:
    """x ** 3 == x * x * x: rounds twice"""
    x = op.operands[0]
    return ew.MulOp(ew.MulOp(x, x), x) if is_splat_of(op.operands[1], 3) else None


@rule(inexact=True)
def fast_power_of_minus_two(op: ew.PowOp) -> Operation | None:
    """x ** -2 == 1 / (x * x): rounds twice"""
    x = op.operands[0]
    return ew.DivOp(filled(1, x), ew.MulOp(x, x)) if is_splat_of(op.operands[1], -2) else None


@rule(inexact=True)
def fast_reciprocal_of_root(op: ew.DivOp) -> Operation | None:
    """1 / sqrt(x) == rsqrt(x) for 16-bit floats too: rounds once instead of twice"""
    root = made_by(op.operands[1], ew.SqrtOp)
    return ew.RsqrtOp(root[0]) if root and not wide_floats(op.result) and is_splat_of(op.operands[0], 1) else None


@rule(inexact=True)
def fast_divide_by_root(op: ew.DivOp) -> Operation | None:
    """x / sqrt(y) == x * rsqrt(y): rounds otherwise"""
    root = made_by(op.operands[1], ew.SqrtOp) if op.operands[1].has_one_use() else None
    return ew.MulOp(op.operands[0], ew.RsqrtOp(root[0])) if root and not is_constant(op.operands[0]) else None


@rule(inexact=True)
def fast_sigmoid(op: ew.DivOp) -> Operation | None:
    """1 / (1 + e ** -x) == sigmoid(x) for 16-bit floats too: rounds once instead of three times"""
    x = None if wide_floats(op.result) else logistic(op)
    return None if x is None else ew.SigmoidOp(x)


@rule(inexact=True)
def fast_expm1(op: ew.AddOp) -> Operation | None:
    """e ** x - 1 == expm1(x), which is closer near 0"""
    exponent = made_by(op.operands[0], ew.ExpOp) if op.operands[0].has_one_use() else None
    return ew.Expm1Op(exponent[0]) if exponent and is_splat_of(op.operands[1], -1) else None


@rule(inexact=True)
def fast_log1p(op: ew.LogOp) -> Operation | None:
    """log(x + 1) == log1p(x), which is closer near 0"""
    total = made_by(op.operands[0], ew.AddOp)
    return ew.Log1pOp(total[0]) if total and is_splat_of(total[1], 1) else None


@rule(inexact=True)
def fast_product_of_exponentials(op: ew.MulOp) -> Operation | None:
    """e ** x * e ** y == e ** (x + y): overflows elsewhere, and rounds otherwise"""
    x, y = (made_by(v, ew.ExpOp) for v in op.operands)
    if not x or not y or not any(v.has_one_use() for v in op.operands):
        return None
    return ew.ExpOp(ew.AddOp(x[0], y[0]))


@rule(inexact=True)
def fast_reciprocal_of_exponential(op: ew.DivOp) -> Operation | None:
    """1 / e ** x == e ** -x: rounds once instead of twice"""
    exponent = made_by(op.operands[1], ew.ExpOp) if is_splat_of(op.operands[0], 1) else None
    return ew.ExpOp(ew.NegOp(exponent[0])) if exponent else None


@rule(inexact=True)
def fast_absorb_order(op: ew.MaximumOp | ew.MinimumOp) -> SSAValue | None:
    """max(x, min(x, y)) == x: wrong where y is NaN"""
    return absorbed(op) if floats(op.result) else None


@rule(inexact=True)
def fast_select_extreme(op: ew.SelectOp) -> Operation | None:
    """where(x < y, x, y) == min(x, y): wrong for NaN and for zeros of two signs"""
    return as_extreme(op) if floats(op.result) else None


@rule(inexact=True)
def fast_select_magnitude(op: ew.SelectOp) -> Operation | None:
    """where(x < 0, -x, x) == |x|: wrong for -0.0"""
    return as_abs(op) if floats(op.result) else None


@rule(inexact=True)
def fast_select_equals(op: ew.SelectOp) -> SSAValue | None:
    """where(x == y, x, y) == y: wrong for zeros of two signs"""
    return as_other(op) if floats(op.result) else None


@rule(inexact=True)
def fast_negate_comparison(op: ew.NotOp) -> Operation | None:
    """~(x < y) == x >= y: wrong for NaN"""
    inner = op.operands[0].owner
    if not isinstance(inner, ElementwiseOp) or type(inner) not in _OPPOSITE or not floats(inner.operands[0]):
        return None
    return _OPPOSITE[type(inner)](*inner.operands) if op.operands[0].has_one_use() else None


@rule(inexact=True)
def fast_sum_of_negations(op: ew.SubOp) -> Operation | None:
    """-x - y == -(x + y): wrong where the sum is zero, 0.0 becoming -0.0"""
    x = negated(op.operands[0])
    return ew.NegOp(ew.AddOp(x, op.operands[1])) if x is not None and floats(x) else None


FAST = (
    fast_multiply_by_zero, fast_add_zero, fast_subtract_from_zero, fast_subtract_itself,
    fast_divide_by_itself, fast_divide_zero, fast_negate_difference, fast_join_constants,
    fast_divide_by_constant, fast_take_factor_out, fast_take_divisor_out,
    fast_cancel_sum, fast_cancel_difference, fast_cancel_factor, fast_cancel_divisor,
    fast_divide_by_quotient, fast_divide_twice, fast_multiply_by_reciprocal, fast_inverse_function,
    fast_square_of_root, fast_root_of_square, fast_power_of_half, fast_power_of_minus_half,
    fast_power_of_three, fast_power_of_minus_two, fast_reciprocal_of_root, fast_divide_by_root,
    fast_sigmoid, fast_expm1, fast_log1p, fast_product_of_exponentials, fast_reciprocal_of_exponential,
    fast_absorb_order, fast_select_extreme, fast_select_magnitude, fast_select_equals,
    fast_negate_comparison, fast_sum_of_negations,
)  # fmt: skip
