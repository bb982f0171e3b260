"""Elementary functions of float32 in float64 arithmetic, rounded once: short polynomials, and hardly any special cases.

Straight-line code, which LLVM's loop vectoriser takes. Each formula is within 2^-32 of its function, so that the
rounded result is off by little more than half a unit in the last place. The polynomials are weighted least-squares
fits at Chebyshev points to what their comments say, made in 45 digits; an error in a comment is that of the function.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from llvmlite import ir

from lowering.loop_to_llvm.floats import Floats
from lowering.loop_to_llvm.types import I32, I64

_EXP = (
    0.5000000068154374, 0.16666665865969763, 0.04166629332341993, 0.008333497244356051, 0.001394477697221995,
    0.0001979051715469667,
)  # fmt: skip
"""(exp r - 1 - r) / r^2 for |r| <= log(2) / 2, to 2^-34."""
_LOG = (
    1.9999999999999465, 0.666666666797155, 0.3999999485179639, 0.2857217023899687, 0.2217407996563137,
    0.19610554515500211,
)  # fmt: skip
"""log((1 + s) / (1 - s)) / s as a polynomial in s^2, for (1 + s) / (1 - s) from sqrt(1/2) to sqrt(2), to 2^-45."""
_ATAN = (
    0.9999999999906369, -0.3333333300484653, 0.1999998081483729, -0.14285271011193487, 0.11105737605789905,
    -0.0905159686871465, 0.07503877682581374, -0.06042433149171439, 0.04396405449654209, -0.026335260416648812,
    0.011644379462084083, -0.003277446494687948, 0.0004328156740207913,
)  # fmt: skip
"""atan(x) / x as a polynomial in x^2, for |x| <= 1, to 2^-36."""
_SINH = (0.166666666670475, 0.008333333278455788, 0.00019841295403491728, 2.755214077451526e-06, 2.5526662718753254e-08)
"""(sinh(x) / x - 1) / x^2 as a polynomial in x^2, for |x| <= 1, to 2^-43."""
_LEFT_OF_ROOT_HALF = 0x3FE6A09E
"""The high half of the bits of sqrt(1/2), above which a mantissa counts for the next exponent."""
_INF = float("inf")


# Exponentials and logarithms.


def exp(f: Floats, x: ir.Value) -> ir.Value:
    """exp x = 2^n * exp r, where x = n * log 2 + r; beyond |x| = 160 that of 160, which float32 takes for inf or 0."""
    x = f.bounded(x, -160.0, 160.0)
    n, exponent = f.rounded(x, 1 / math.log(2))
    r = f.fma(n, -math.log(2), x)
    value = f.add(f.fma(f.mul(r, r), f.polynomial(r, _EXP), r), 1.0)
    return f.mul(value, f.power_of_two(exponent))


def log(f: Floats, x: ir.Value, lost: ir.Value | None = None, base: float = math.e) -> ir.Value:
    """log(x + lost) = e * log 2 + log m, where x = m * 2^e and m is about 1; `lost` is what rounding took from x."""
    builder = f.builder
    high = builder.trunc(builder.lshr(f.bits(x), f.whole(32)), I32)
    exponent = builder.ashr(builder.sub(high, ir.Constant(I32, _LEFT_OF_ROOT_HALF)), ir.Constant(I32, 20))
    e, wide = builder.sitofp(exponent, f.kind), builder.sext(exponent, I64)
    m = f.from_bits(builder.sub(f.bits(x), builder.shl(wide, f.whole(f.digits))))
    above = f.sub(m, 1.0)
    if lost is not None:
        above = f.fma(lost, f.power_of_two(builder.neg(wide)), above)
    s = f.div(above, f.add(m, 1.0))
    unit = 1 / math.log(base)
    terms = f.polynomial(f.mul(s, s), [c * unit for c in _LOG])
    return f.logarithm_at_ends(x, f.fma(e, math.log(2, base), f.mul(s, terms)))


def _log2(f: Floats, x: ir.Value) -> ir.Value:
    return log(f, x, base=2)


def _log10(f: Floats, x: ir.Value) -> ir.Value:
    return log(f, x, base=10)


def _log1p(f: Floats, x: ir.Value) -> ir.Value:
    u = f.add(x, 1.0)
    found = log(f, u, lost=f.sub(x, f.sub(u, 1.0)))
    return f.where(x, "==", _INF, x, found)


def _pow(f: Floats, x: ir.Value, y: ir.Value) -> ir.Value:
    """exp(y * log |x|), negative for negative x and odd y; NaN for negative x and y that is no integer."""
    size = f.abs(x)
    power = exp(f, f.mul(y, log(f, size)))
    half = f.mul(y, 0.5)
    is_whole = f.compare(f.floor(y), "==", y)
    is_odd = f.builder.and_(is_whole, f.compare(f.floor(half), "<", half))
    signed = f.select(f.builder.and_(is_odd, f.is_negative(x)), f.neg(power), power)
    has_no_value = f.builder.and_(f.builder.not_(is_whole), f.builder.and_(f.compare(x, "<", 0.0), _is_finite(f, x)))
    found = f.select(has_no_value, float("nan"), signed)
    # 1^y and x^0 are 1 even of NaN, and so is (-1)^inf.
    is_one = f.builder.or_(f.compare(x, "==", 1.0), f.compare(y, "==", 0.0))
    is_unit = f.builder.and_(f.compare(size, "==", 1.0), f.compare(f.abs(y), "==", _INF))
    return f.select(f.builder.or_(is_one, is_unit), 1.0, found)


def _is_finite(f: Floats, x: ir.Value) -> ir.Value:
    return f.compare(f.abs(x), "<", _INF)


# Hyperbolic functions and their inverses.


def _sinh(f: Floats, x: ir.Value) -> ir.Value:
    square = f.mul(x, x)
    near = f.fma(f.mul(x, square), f.polynomial(square, _SINH), x)
    power = exp(f, f.abs(x))
    far = f.mul(f.sub(power, f.div(1.0, power)), 0.5)
    return f.where(square, "<", 1.0, near, f.with_sign(far, x))


def _cosh(f: Floats, x: ir.Value) -> ir.Value:
    power = exp(f, f.abs(x))
    return f.mul(f.add(power, f.div(1.0, power)), 0.5)


def _asinh(f: Floats, x: ir.Value) -> ir.Value:
    """log(|x| + sqrt(x^2 + 1)), by how much that is above 1."""
    size, square = f.abs(x), f.mul(x, x)
    above = f.div(square, f.add(f.sqrt(f.add(square, 1.0)), 1.0))
    found = _log1p(f, f.add(size, f.where(square, "==", _INF, _INF, above)))
    return f.with_sign(found, x)


def _acosh(f: Floats, x: ir.Value) -> ir.Value:
    """log(x + sqrt(x^2 - 1)), by x - 1."""
    above = f.sub(x, 1.0)
    found = _log1p(f, f.add(above, f.sqrt(f.mul(above, f.add(x, 1.0)))))
    return f.where(x, ">=", 1.0, found, float("nan"))


def _atanh(f: Floats, x: ir.Value) -> ir.Value:
    """log((1 + |x|) / (1 - |x|)) / 2."""
    size = f.abs(x)
    return f.with_sign(f.mul(_log1p(f, f.div(f.add(size, size), f.sub(1.0, size))), 0.5), x)


# Inverses of trigonometric functions.


def _atan2(f: Floats, y: ir.Value, x: ir.Value) -> ir.Value:
    """The angle of the lesser of |x| and |y| over the greater, from the nearer axis."""
    across, along = f.abs(y), f.abs(x)
    is_steep = f.compare(across, ">", along)
    low, high = f.select(is_steep, along, across), f.select(is_steep, across, along)
    ratio = f.select(f.compare(low, "==", high), f.where(high, "==", 0.0, 0.0, 1.0), f.div(low, high))
    angle = f.mul(ratio, f.polynomial(f.mul(ratio, ratio), _ATAN))
    angle = f.select(is_steep, f.sub(math.pi / 2, angle), angle)
    return f.with_sign(f.select(f.is_negative(x), f.sub(math.pi, angle), angle), y)


def _atan(f: Floats, x: ir.Value) -> ir.Value:
    return _atan2(f, x, f.of(1.0))


def _asin(f: Floats, x: ir.Value) -> ir.Value:
    return _atan2(f, x, _other_leg(f, x))


def _acos(f: Floats, x: ir.Value) -> ir.Value:
    return _atan2(f, _other_leg(f, x), x)


def _other_leg(f: Floats, x: ir.Value) -> ir.Value:
    """sqrt(1 - x^2)."""
    return f.sqrt(f.mul(f.sub(1.0, x), f.add(x, 1.0)))


def _hypot(f: Floats, x: ir.Value, y: ir.Value) -> ir.Value:
    """sqrt(x^2 + y^2), inf where either is."""
    found = f.sqrt(f.fma(x, x, f.mul(y, y)))
    is_infinite = f.builder.or_(*(f.compare(f.abs(v), "==", _INF) for v in (x, y)))
    return f.select(is_infinite, _INF, found)


def _fmod(f: Floats, x: ir.Value, y: ir.Value) -> ir.Value:
    """What x leaves after whole y, exactly: m * 2^d modulo n by squares, for x and y as integers m and n times powers.

    As float32 has 24 bits, no product has more than 49; and the powers of 2 are at most 277 apart.
    """
    builder = f.builder
    (m, high), (n, low) = (_integer_and_exponent(f, v) for v in (x, y))
    apart = builder.sub(high, low)
    inverse = f.div(1.0, n)
    power = f.power_of_two(builder.ashr(apart, f.whole(4)))
    for bit in (8, 4, 2, 1):
        doubled = f.select(f.has_bit(apart, bit), f.add(power, power), power)
        power = _modulo(f, f.mul(power, doubled), n, inverse)
    left = f.mul(_modulo(f, f.mul(m, power), n, inverse), f.power_of_two(low))
    found = f.select(builder.icmp_signed("<", apart, f.whole(0)), x, f.with_sign(left, x))
    has_value = builder.and_(_is_finite(f, x), f.compare(f.abs(y), ">", 0.0))
    return f.select(has_value, found, float("nan"))


def _integer_and_exponent(f: Floats, x: ir.Value) -> tuple[ir.Value, ir.Value]:
    """|x| of float32 as an integer of 24 bits, and the power of 2 that is its factor."""
    bits = f.bits(f.abs(x))
    mantissa = f.builder.or_(f.builder.and_(bits, f.whole((1 << 52) - 1)), f.bits(f.of(2.0**23)))
    return f.from_bits(mantissa), f.builder.sub(f.builder.lshr(bits, f.whole(52)), f.whole(1023 + 23))


def _modulo(f: Floats, x: ir.Value, n: ir.Value, inverse: ir.Value) -> ir.Value:
    """x modulo n of integers, whose quotient the product with 1 / n gives up to one."""
    rest = f.fma(f.neg(f.floor(f.mul(x, inverse))), n, x)
    rest = f.where(rest, "<", 0.0, f.add(rest, n), rest)
    return f.select(f.builder.fcmp_ordered(">=", rest, n), f.sub(rest, n), rest)


DOUBLE_STEPS: dict[str, Callable[..., ir.Value]] = {
    "log2": _log2, "log10": _log10, "pow": _pow, "sinh": _sinh, "cosh": _cosh, "asinh": _asinh, "acosh": _acosh,
    "atanh": _atanh, "atan2": _atan2, "atan": _atan, "asin": _asin, "acos": _acos, "hypot": _hypot, "fmod": _fmod,
}  # fmt: skip
"""Functions of float32 by their names in C, whose operands have been widened to float64."""
