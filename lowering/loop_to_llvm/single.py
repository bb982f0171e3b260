"""Elementary functions of float32 in float32 arithmetic: those that neural networks are full of.

Straight-line code, which LLVM's loop vectoriser takes. The polynomials are least-squares fits at Chebyshev points to
what their comments say, made in 40 digits.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from lowering.loop_to_llvm.floats import Floats
from mlc_support.elementary_fits import (
    ERF_FAR,
    ERF_FAR_END,
    ERF_NEAR,
    ERF_NEAR_END,
    ERF_NEAR_FIRST,
    TANH_NEAR,
    TANH_NEAR_END,
)

_EXP = (0.5000000014291086, 0.16666573358081635, 0.041666456777923716, 0.008363776466630793, 0.0013934544520014336)
"""(exp r - 1 - r) / r^2 for |r| <= log(2) / 2."""
_EXP2 = (
    0.6931472029101425, 0.2402264792225659, 0.055503323955345, 0.009618436206808231, 0.0013398896816824702,
    0.00015353697482026877,
)  # fmt: skip
"""(2^r - 1) / r for |r| <= 1/2, within 2^-28 of 2^r."""
_LOG = (
    0.3333331012681775, -0.2500000055857134, 0.20002246417761155, -0.16668512503265026, 0.1421776417211246,
    -0.12396447684976286, 0.11890981464778308, -0.11726587988086061, 0.06800908719388739,
)  # fmt: skip
"""(log(1 + f) - f + f^2 / 2) / f^3 for 1 + f from sqrt(1/2) to sqrt(2)."""
_EXP2_SHORT = (
    1.0000000716544475, 0.6931469670574039, 0.2402211972461083, 0.055507132855123376, 0.009675541303492942,
    0.0013276468108777842,
)  # fmt: skip
"""2^r for |r| <= 1/2, within 2^-23."""
_LOG2_HIGH, _LOG2_LOW = 0.693145751953125, 1.428606765330187e-06
"""log(2) in two parts, of which the first has 16 bits."""
_SMALLEST_NORMAL = 2.0**-126
_ROOT_HALF = 0x3F3504F3
"""The bits of sqrt(1/2): above it a mantissa counts for the next exponent."""


def _exp(f: Floats, x: ir.Value) -> ir.Value:
    """exp x = 2^n * exp r, where x = n * log 2 + r."""
    above, exponent = _exp_above_one(f, f.bounded(x, -105.0, 90.0))
    return _scaled(f, f.add(above, 1.0), exponent)


def _exp_above_one(f: Floats, x: ir.Value) -> tuple[ir.Value, ir.Value]:
    """exp r - 1 and n, where x = n * log 2 + r."""
    n, exponent = f.rounded(x, 1.4426950408889634)
    r = f.fma(n, -_LOG2_LOW, f.fma(n, -_LOG2_HIGH, x))
    return f.fma(f.mul(r, r), f.polynomial(r, _EXP), r), exponent


def _exp2(f: Floats, x: ir.Value) -> ir.Value:
    """2^x = 2^n * 2^r, where x = n + r."""
    x = f.bounded(x, -151.0, 129.0)
    n, exponent = f.rounded(x)
    r = f.sub(x, n)
    return _scaled(f, f.fma(r, f.polynomial(r, _EXP2), 1.0), exponent)


def _scaled(f: Floats, x: ir.Value, exponent: ir.Value) -> ir.Value:
    """x * 2^exponent in two steps, which reach denormal results."""
    half = f.builder.ashr(exponent, f.whole(1))
    return f.mul(f.mul(x, f.power_of_two(half)), f.power_of_two(f.builder.sub(exponent, half)))


def _expm1(f: Floats, x: ir.Value) -> ir.Value:
    """2^n * (exp r - 1) + 2^n - 1, by halves, for 2^n alone can be inf."""
    above, exponent = _exp_above_one(f, f.bounded(x, -30.0, 89.0))
    half = f.power_of_two(f.builder.sub(exponent, f.whole(1)))
    found = f.mul(f.fma(half, above, f.sub(half, 0.5)), 2.0)
    return f.where(f.abs(x), "<", 2.0**-25, x, found)  # halves of denormal numbers would be rounded, and -0 stays


def _log(f: Floats, x: ir.Value) -> ir.Value:
    """log x = e * log 2 + log m, where x = m * 2^e and m is about 1."""
    builder = f.builder
    small = f.compare(x, "<", _SMALLEST_NORMAL)
    moved = builder.sub(f.bits(f.select(small, f.mul(x, 2.0**23), x)), f.whole(_ROOT_HALF))
    e = builder.sitofp(builder.ashr(moved, f.whole(f.digits)), f.kind)
    e = f.select(small, f.sub(e, 23.0), e)
    mantissa = builder.add(builder.and_(moved, f.whole((1 << f.digits) - 1)), f.whole(_ROOT_HALF))
    r = f.sub(f.from_bits(mantissa), 1.0)
    square = f.mul(r, r)
    tail = f.fma(f.mul(square, r), f.polynomial(r, _LOG), f.mul(square, -0.5))
    found = f.fma(e, _LOG2_HIGH, f.add(r, f.fma(e, _LOG2_LOW, tail)))
    return f.logarithm_at_ends(x, found)


def _log1p(f: Floats, x: ir.Value) -> ir.Value:
    """log u for u = 1 + x, and what the rounding of u has lost."""
    u = f.add(x, 1.0)
    lost = f.div(f.sub(x, f.sub(u, 1.0)), u)
    found = f.add(_log(f, u), lost)
    plain = f.where(x, "==", -1.0, float("-inf"), f.where(x, "==", float("inf"), x, found))
    return f.where(x, "==", 0.0, x, plain)  # -0 stays


def _tanh(f: Floats, x: ir.Value) -> ir.Value:
    square = f.mul(x, x)
    near = f.fma(f.mul(x, square), f.polynomial(square, TANH_NEAR), x)
    far = f.sub(1.0, f.div(2.0, f.add(_exp(f, f.mul(f.abs(x), 2.0)), 1.0)))
    return f.with_sign(f.where(f.abs(x), "<", TANH_NEAR_END, near, far), x)  # -0 stays


def _erf(f: Floats, x: ir.Value) -> ir.Value:
    size = f.abs(x)
    near = f.fma(x, ERF_NEAR_FIRST, f.mul(x, f.polynomial(f.mul(x, x), ERF_NEAR)))
    logarithm = f.polynomial(f.where(size, ">", ERF_FAR_END, ERF_FAR_END, size), ERF_FAR)
    n, exponent = f.rounded(logarithm)
    far = f.sub(1.0, f.times_power(f.polynomial(f.sub(logarithm, n), _EXP2_SHORT), exponent))
    return f.where(size, ">=", ERF_NEAR_END, f.with_sign(far, x), near)  # NaN stays


SINGLE: dict[str, Callable[..., ir.Value]] = {
    "exp": _exp, "exp2": _exp2, "expm1": _expm1, "log": _log, "log1p": _log1p, "tanh": _tanh, "erf": _erf,
}  # fmt: skip
"""Functions of float32 by their names in C."""
