"""Rules of signs: negation moves outwards or into constants, and meets its like. All exact."""

from __future__ import annotations

import math

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.elementwise_op import ELEMENTWISE, ElementwiseOp
from mlc_support.rewriting import rule
from passes.tensor.canonicalize.algebra import is_constant, is_splat_of
from passes.tensor.matching import NON_NEGATIVE, both_orders, floats, fold, made_by, negated, number, signed

_ODD = (
    ew.TruncOp, ew.RoundOp,
    *(ELEMENTWISE[n] for n in ("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf")),
)  # fmt: skip
_EVEN = (ELEMENTWISE["cos"], ELEMENTWISE["cosh"])


@rule
def negate_by_factor(op: ew.MulOp | ew.DivOp) -> Operation | None:
    """x * -1 == -x; x / -1 == -x: floats and integers, NaN and zeros included"""
    return ew.NegOp(op.operands[0]) if is_splat_of(op.operands[1], -1) else None


@rule
def negate_by_difference(op: ew.SubOp) -> Operation | None:
    """0 - x == -x for integers, -0.0 - x == -x for floats; but 0.0 - 0.0 is 0.0"""
    zero = -0.0 if floats(op.result) else 0
    return ew.NegOp(op.operands[1]) if is_splat_of(op.operands[0], zero) else None


@rule
def add_negated(op: ew.AddOp) -> Operation | None:
    """x + -y == x - y: floats and integers"""
    for x, y in both_orders(op):
        inner = negated(y)
        if inner is not None:
            return ew.SubOp(x, inner)
    return None


@rule
def subtract_negated(op: ew.SubOp) -> Operation | None:
    """x - -y == x + y: floats and integers"""
    inner = negated(op.operands[1])
    return None if inner is None else ew.AddOp(op.operands[0], inner)


@rule
def negation_into_constant(op: ew.MulOp | ew.DivOp) -> Operation | None:
    """-x * c == x * -c; -x / c == x / -c; c / -x == -c / x: floats and integers"""
    x, y = op.operands
    if (inner := negated(x)) is not None and (opposite := fold(ew.NegOp, y)):
        return type(op)(inner, opposite)
    if (inner := negated(y)) is not None and (opposite := fold(ew.NegOp, x)):
        return type(op)(opposite, inner)
    return None


@rule
def negation_out_of_product(op: ew.MulOp | ew.DivOp) -> Operation | None:
    """-x * y == -(x * y); x / -y == -(x / y), and -x * -y == x * y: floats and integers, y not constant"""
    x, y = op.operands
    if is_constant(x) or is_constant(y):
        return None
    if (inner := negated(x)) is not None:
        return ew.NegOp(type(op)(inner, y))
    return None if (inner := negated(y)) is None else ew.NegOp(type(op)(x, inner))


@rule
def negate_scaled(op: ew.NegOp) -> Operation | None:
    """-(x * c) == x * -c; -(x / c) == x / -c; -(c / x) == -c / x: floats and integers"""
    product = op.operands[0].owner
    if not isinstance(product, ew.MulOp | ew.DivOp) or not op.operands[0].has_one_use():
        return None
    x, y = product.operands
    if opposite := fold(ew.NegOp, y):
        return type(product)(x, opposite)
    return type(product)(opposite, y) if (opposite := fold(ew.NegOp, x)) else None


@rule
def abs_of_negation(op: ew.AbsOp) -> Operation | None:
    """|-x| == |x|: floats and signed integers, the least one included"""
    inner = negated(op.operands[0])
    return ew.AbsOp(inner) if inner is not None and signed(op.result) else None


@rule
def abs_of_copysign(op: ew.AbsOp) -> Operation | None:
    """|copysign(x, y)| == |x|: floats"""
    inner = made_by(op.operands[0], ew.CopysignOp)
    return ew.AbsOp(inner[0]) if inner else None


@rule
def abs_of_non_negative(op: ew.AbsOp) -> SSAValue | None:
    """|e ** x| == e ** x; |x * x| == x * x: floats, NaN included; but sqrt(-0.0) is -0.0"""
    x = op.operands[0]
    square = made_by(x, ew.MulOp)
    if not floats(x) or not (isinstance(x.owner, NON_NEGATIVE) or (square and square[0] == square[1])):
        return None
    return x


@rule
def abs_of_unsigned(op: ew.AbsOp) -> SSAValue | None:
    """|x| == x: unsigned integers"""
    return None if signed(op.result) else op.operands[0]


@rule
def square_of_abs(op: ew.MulOp) -> Operation | None:
    """|x| * |x| == x * x: floats and integers, which wrap"""
    x, y = op.operands
    inner = made_by(x, ew.AbsOp)
    return ew.MulOp(inner[0], inner[0]) if x == y and inner else None


@rule
def negation_out_of_odd(op: ElementwiseOp) -> Operation | None:
    """sin(-x) == -sin(x); tanh(-x) == -tanh(x); round(-x) == -round(x): floats, odd functions"""
    inner = negated(op.operands[0]) if type(op) in _ODD else None
    return None if inner is None else ew.NegOp(type(op)(inner))


@rule
def negation_into_even(op: ElementwiseOp) -> Operation | None:
    """cos(-x) == cos(|x|) == cos(x); cosh likewise: floats"""
    inner = made_by(op.operands[0], ew.NegOp, ew.AbsOp) if type(op) in _EVEN else None
    return type(op)(inner[0]) if inner else None


@rule
def mirror_rounding(op: ew.NegOp) -> Operation | None:
    """-floor(-x) == ceil(x); -ceil(-x) == floor(x): floats, the sign of zero included"""
    rounded = made_by(op.operands[0], ew.FloorOp, ew.CeilOp)
    inner = negated(rounded[0]) if rounded else None
    if inner is None:
        return None
    return ew.CeilOp(inner) if isinstance(op.operands[0].owner, ew.FloorOp) else ew.FloorOp(inner)


@rule
def copysign_of_sign(op: ew.CopysignOp) -> Operation | None:
    """copysign(-x, y) == copysign(|x|, y) == copysign(x, y): floats"""
    inner = made_by(op.operands[0], ew.NegOp, ew.AbsOp, ew.CopysignOp)
    return ew.CopysignOp(inner[0], op.operands[1]) if inner else None


@rule
def copysign_of_constant(op: ew.CopysignOp) -> Operation | None:
    """copysign(x, 1) == |x|; copysign(x, -1) == -|x|: floats, but not where the sign is a NaN's"""
    sign = number(op.operands[1])
    if sign is None or math.isnan(sign):
        return None
    size = ew.AbsOp(op.operands[0])
    return size if math.copysign(1, sign) > 0 else ew.NegOp(size)


SIGNS = (
    negate_by_factor, negate_by_difference, add_negated, subtract_negated,
    negation_into_constant, negation_out_of_product, negate_scaled, abs_of_negation, abs_of_copysign,
    abs_of_non_negative, abs_of_unsigned, square_of_abs, negation_out_of_odd, negation_into_even,
    mirror_rounding, copysign_of_sign, copysign_of_constant,
)  # fmt: skip
