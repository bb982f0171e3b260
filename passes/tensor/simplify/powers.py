"""Rules of powers, quotients, rounding and composed functions, where the result keeps every bit."""

from __future__ import annotations

import math

from xdsl.dialects.builtin import bf16, f16, f32, f64
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.types import element_type, is_float
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.ops import CastOp, ConstantOp
from mlc_support.rewriting import rule
from passes.tensor.canonicalize.algebra import filled, is_splat_of
from passes.tensor.matching import ROUNDINGS, both_orders, floats, fold, made_by, negated, number, wide_floats

_SMALLEST_NORMAL: dict[Attribute, int] = {f16: -14, bf16: -126, f32: -126, f64: -1022}


@rule
def power_of_two(op: ew.PowOp) -> Operation | None:
    """x ** 2 == x * x: floats; the product is the power rounded to nearest"""
    x = op.operands[0]
    return ew.MulOp(x, x) if is_splat_of(op.operands[1], 2) else None


@rule
def power_of_minus_one(op: ew.PowOp) -> Operation | None:
    """x ** -1 == 1 / x: floats; the quotient is the power rounded to nearest"""
    x = op.operands[0]
    return ew.DivOp(filled(1, x), x) if is_splat_of(op.operands[1], -1) else None


@rule
def power_of_zero(op: ew.PowOp) -> ConstantOp | None:
    """x ** 0 == 1: floats, NaN included, by IEEE 754"""
    return filled(1, op.result) if number(op.operands[1]) == 0 else None


@rule
def power_of_one(op: ew.PowOp) -> ConstantOp | None:
    """1 ** x == 1: floats, NaN included, by IEEE 754"""
    return filled(1, op.result) if is_splat_of(op.operands[0], 1) else None


@rule
def divide_by_power_of_two(op: ew.DivOp) -> Operation | None:
    """x / 2 ** k == x * 2 ** -k: floats, denormals included, where 2 ** -k is a normal number of the type"""
    divisor = number(op.operands[1])
    if not divisor or not math.isfinite(divisor) or abs(math.frexp(divisor)[0]) != 0.5 or divisor == 1:
        return None
    least = _SMALLEST_NORMAL[element_type(op.result.type)]
    if not least <= 1 - math.frexp(divisor)[1] <= 1 - least:
        return None
    return ew.MulOp(op.operands[0], filled(1 / divisor, op.result))


@rule
def join_growing_scales(op: ew.MulOp) -> Operation | None:
    """(x * 2 ** i) * 2 ** j == x * 2 ** (i + j), i, j >= 0: floats; a smaller factor might round a denormal"""
    inner = made_by(op.operands[0], ew.MulOp)
    factors = [number(inner[1]), number(op.operands[1])] if inner and floats(op.result) else [None]
    if any(f is None or not abs(f) >= 1 or abs(math.frexp(f)[0]) != 0.5 for f in factors):
        return None
    product = fold(ew.MulOp, inner[1], op.operands[1]) if inner else None
    if inner is None or product is None or not math.isfinite(number(product.result) or 0):
        return None
    return ew.MulOp(inner[0], product)


@rule
def round_integral(op: ew.FloorOp | ew.CeilOp | ew.TruncOp | ew.RoundOp) -> SSAValue | None:
    """floor(ceil(x)) == ceil(x); trunc(sign(x)) == sign(x); round(float(i)) == float(i): floats with no fraction"""
    x = op.operands[0]
    cast = x.owner
    whole = isinstance(cast, CastOp) and not is_float(element_type(cast.input.type))
    return x if whole or isinstance(cast, (*ROUNDINGS, ew.SignOp)) else None


@rule
def reciprocal_of_root(op: ew.DivOp) -> Operation | None:
    """1 / sqrt(x) == rsqrt(x): f32 and f64; 16-bit floats would round sqrt(x) in between"""
    root = made_by(op.operands[1], ew.SqrtOp)
    return ew.RsqrtOp(root[0]) if root and wide_floats(op.result) and is_splat_of(op.operands[0], 1) else None


def logistic(op: ew.DivOp) -> SSAValue | None:
    """x, where `op` is 1 / (1 + e ** -x)."""
    terms = made_by(op.operands[1], ew.AddOp) if is_splat_of(op.operands[0], 1) else None
    for one, decay in both_orders(terms) if terms else ():
        exponent = made_by(decay, ew.ExpOp) if is_splat_of(one, 1) else None
        if exponent and (x := negated(exponent[0])) is not None:
            return x
    return None


@rule
def recognise_sigmoid(op: ew.DivOp) -> Operation | None:
    """1 / (1 + e ** -x) == sigmoid(x): f32 and f64; 16-bit floats would round in between"""
    x = logistic(op) if wide_floats(op.result) else None
    return None if x is None else ew.SigmoidOp(x)


@rule
def modulus_sign(op: ew.FmodOp) -> Operation | None:
    """fmod(x, -y) == fmod(x, |y|) == fmod(x, y): floats; the sign is x's"""
    inner = made_by(op.operands[1], ew.NegOp, ew.AbsOp) if floats(op.result) else None
    return ew.FmodOp(op.operands[0], inner[0]) if inner else None


POWERS = (
    power_of_two, power_of_minus_one, power_of_zero, power_of_one, divide_by_power_of_two,
    join_growing_scales, round_integral, reciprocal_of_root, recognise_sigmoid, modulus_sign,
)  # fmt: skip
