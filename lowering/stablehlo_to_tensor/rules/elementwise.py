"""Elementwise ops of StableHLO and CHLO."""

from __future__ import annotations

import re
from typing import TypeGuard

from xdsl.dialects.builtin import BFloat16Type, Float16Type, IntegerType, StringAttr, bf16, f8E4M3FN, f16, f32, i1
from xdsl.ir import OpResult, SSAValue

from lowering.stablehlo_to_tensor.emitter import Emitter, Outside, Rule, element, known_integer, rule, shape
from lowering.stablehlo_to_tensor.syntax import HloOp
from mlc_dialects.common.byte_floats import BEYOND
from mlc_dialects.common.types import BY_TYPE, is_bool, is_float, with_element
from mlc_dialects.tensor.calls import ExternOp, OperandAttr, PythonAttr

SAME = {
    "add": "add", "subtract": "sub", "multiply": "mul", "maximum": "maximum", "minimum": "minimum", "atan2": "atan2",
    "negate": "neg", "abs": "abs", "and": "and", "or": "or", "xor": "xor", "not": "not", "floor": "floor",
    "ceil": "ceil", "round_nearest_even": "round", "logistic": "sigmoid", "exponential": "exp",
    "exponential_minus_one": "expm1", "log": "log", "log_plus_one": "log1p", "sqrt": "sqrt", "rsqrt": "rsqrt",
    "sine": "sin", "cosine": "cos", "tan": "tan", "tanh": "tanh", "shift_left": "shl",
    "chlo.tan": "tan", "chlo.asin": "asin", "chlo.acos": "acos", "chlo.atan": "atan", "chlo.sinh": "sinh",
    "chlo.cosh": "cosh", "chlo.asinh": "asinh", "chlo.acosh": "acosh", "chlo.atanh": "atanh", "chlo.erf": "erf",
    "chlo.erfc": "erfc", "chlo.erf_inv": "erfinv", "chlo.lgamma": "lgamma", "chlo.is_inf": "isinf",
}  # fmt: skip
"""Ops whose function the elementwise table has."""
VIEW = "aten.view.dtype"
OF_TRUTHS = {"add": "or", "maximum": "or", "mul": "and", "minimum": "and", "sub": "xor"}
"""What arithmetic means on i1."""


def _same(function: str) -> Rule:
    def apply(e: Emitter, op: HloOp, *operands: SSAValue) -> SSAValue:
        truths = is_bool(element(operands[0]))
        return e.apply(OF_TRUTHS.get(function, function) if truths else function, *operands)

    return apply


for _theirs, _ours in SAME.items():
    rule(_theirs)(_same(_ours))


@rule("divide", "remainder")
def divide(e: Emitter, op: HloOp, x: SSAValue, y: SSAValue) -> SSAValue:
    """Of integers rounded towards zero; the rest has the sign of x."""
    if op.name == "stablehlo.remainder":
        return e.apply("fmod", x, y)
    return e.apply("div" if is_float(element(x)) else "truncdiv", x, y)


@rule("power")
def power(e: Emitter, op: HloOp, x: SSAValue, y: SSAValue) -> SSAValue:
    if not is_float(element(x)):
        raise Outside("a power of integers")
    return e.apply("pow", x, y)


@rule("chlo.square")
def square(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    return e.apply("mul", x, x)


@rule("compare")
def compare(e: Emitter, op: HloOp, x: SSAValue, y: SSAValue) -> SSAValue:
    stated = op.stated
    direction = stated["comparison_direction"].lower()
    if stated.get("compare_type") == "TOTALORDER":
        raise Outside("the total order of floats")
    if _are_bits(x) and direction in ("lt", "ge") and known_integer(y) == 0:
        negative = _is_negative(e, x)
        return negative if direction == "lt" else e.apply("not", negative)
    return e.apply(direction, x, y)


@rule("bitcast_convert")
def bitcast_convert(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    """PyTorch's view of the same bytes."""
    type_ = element(op.results[0])
    dtype = PythonAttr(StringAttr(f"torch.{BY_TYPE[type_].torch_name}"))
    if shape(op.results[0]) != shape(x) or type_ == i1 or element(x) == i1:
        raise Outside("a view of the bytes as elements of another width")
    return e.op(ExternOp(VIEW, [x], [with_element(x.type, type_)], [OperandAttr(StringAttr("0")), dtype]))


def _are_bits(value: SSAValue) -> TypeGuard[OpResult]:
    """True for the bits of a float."""
    op = value.owner
    return isinstance(op, ExternOp) and op.callee.data == VIEW and is_float(element(op.operands[0]))


def _is_negative(e: Emitter, bits: OpResult) -> SSAValue:
    """The sign bit of a float, that of -0.0 included, without a view of its bytes."""
    number = bits.owner.operands[0]
    signed = e.apply("copysign", e.full(1, number), number)
    return e.apply("lt", signed, e.full(0, signed))


@rule("select")
def select(e: Emitter, op: HloOp, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
    return e.apply("select", e.broadcast(condition, shape(x)), x, y)


@rule("clamp")
def clamp(e: Emitter, op: HloOp, least: SSAValue, x: SSAValue, greatest: SSAValue) -> SSAValue:
    """min(max(x, least), greatest)"""
    least, greatest = (e.broadcast(v, shape(x)) for v in (least, greatest))
    return e.apply("minimum", e.apply("maximum", x, least), greatest)


@rule("convert")
def convert(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    """Numbers that round beyond the largest f8E4M3FN are NaN; `mlc_tensor.cast` gives the largest."""
    if element(op.results[0]) == f8E4M3FN:
        x = e.cast(x, f32)
        beyond = e.apply("gt", e.apply("abs", x), e.full(BEYOND, x))
        x = e.apply("select", beyond, e.full(float("nan"), x), x)
    return e.cast(x, element(op.results[0]))


@rule("reduce_precision")
def reduce_precision(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    """To a type of 16 bits and back."""
    stated = op.stated
    bits = re.findall(r"\d+", str(stated.get("format", ""))) or [stated["exponent_bits"], stated["mantissa_bits"]]
    narrow: dict[tuple[int, int], Float16Type | BFloat16Type] = {(8, 7): bf16, (5, 10): f16}
    exponent, mantissa = map(int, bits)
    if (exponent, mantissa) not in narrow:
        raise Outside(f"floats of {exponent} and {mantissa} bits")
    return e.cast(e.cast(x, narrow[exponent, mantissa]), element(x))


@rule("is_finite")
def is_finite(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    """|x| < inf: false for NaN"""
    return e.apply("lt", e.apply("abs", x), e.full(float("inf"), x))


@rule("chlo.is_pos_inf", "chlo.is_neg_inf")
def is_signed_infinity(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    return e.apply("eq", x, e.full(float("inf" if "pos" in op.name else "-inf"), x))


@rule("sign")
def sign(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    """1 or -1; of floats x where it is a zero or NaN"""
    result = e.apply("sign", x)
    if not is_float(element(x)):
        return result
    return e.apply("select", e.apply("eq", e.apply("abs", result), e.full(1, x)), result, x)


@rule("cbrt")
def cbrt(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    """|x| ** (1 / 3) with the sign of x"""
    return e.apply("copysign", e.apply("pow", e.apply("abs", x), e.full(1 / 3, x)), x)


@rule("round_nearest_afz")
def round_away(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    """The nearest integer, ties away from zero: one more than the integer part where half or more is left."""
    whole = e.apply("trunc", x)
    rest = e.apply("abs", e.apply("sub", x, whole))
    further = e.apply("add", whole, e.apply("copysign", e.full(1, x), x))
    return e.apply("select", e.apply("ge", rest, e.full(0.5, x)), further, whole)


@rule("shift_right_arithmetic")
def shift_right_arithmetic(e: Emitter, op: HloOp, x: SSAValue, y: SSAValue) -> SSAValue:
    """All of a float's bits but the sign shifted out are its sign."""
    if _are_bits(x) and known_integer(y) == 8 * BY_TYPE[element(x)].bytes - 1:
        return e.apply("neg", e.cast(_is_negative(e, x), element(x)))
    return e.apply("shr", x, y)


@rule("shift_right_logical")
def shift_right_logical(e: Emitter, op: HloOp, x: SSAValue, y: SSAValue) -> SSAValue:
    """The arithmetic shift without the copies of the sign, which are those that the least integer brings, less one."""
    type_ = element(x)
    if not isinstance(type_, IntegerType) or type_.width.data not in (8, 16, 32, 64) or BY_TYPE[type_].name == "ui8":
        raise Outside(f"a shift of {type_}")
    bits = type_.width.data
    signs = e.apply("shl", e.apply("shr", e.full(-(1 << (bits - 1)), x), y), e.full(1, x))
    inside = e.apply("and", e.apply("ge", y, e.full(0, x)), e.apply("lt", y, e.full(bits, x)))
    return e.apply("select", inside, e.apply("and", e.apply("shr", x, y), e.apply("not", signs)), e.full(0, x))
