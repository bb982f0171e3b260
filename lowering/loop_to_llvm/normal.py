"""The error function's complement, the inverse of both, the normal distribution's quantiles, and the gamma function.

The C library has no inverse and no scaled complement: these have formulas for float64 too. Those of float32 work in
float64 and are straight-line code; float64 calls the C library's `exp`, `log`, `erf` and `erfc`. The polynomial
here is a weighted least-squares fit at Chebyshev points, made in 45 digits, as those of `polynomials` are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from llvmlite import ir

from lowering.loop_to_llvm import double
from lowering.loop_to_llvm.floats import Floats, called
from mlc_dialects.common.polynomials import ERFCX, ERFCX_CENTRE, FAR, MIDDLE, MIDDLE_END, NEAR, NEAR_END

_ERFC_CENTRE, _ERFC_END = 3.0, 10.2
_ERFC = (
    1.0740069070831024, -0.8833944538379224, 0.5902283581945175, -0.31046722574418434, 0.11952773925748425,
    -0.02682779356545685, -0.0012124408876349677, 0.003037698772314111, -0.0005462286638819845,
    -0.0002871906801274663, 9.658460907342575e-05, 3.9884719445661675e-05,
)  # fmt: skip
"""exp(x^2) * erfc(x) * (x + 3) as a polynomial in (x - 3) / (x + 3), for x from 0 to 10.2, to 2^-34."""


def _library(f: Floats, name: str, x: ir.Value) -> ir.Value:
    """The C library's function of float64."""
    return called(f.builder, name, ir.FunctionType(f.kind, [f.kind]), [x])


def _lgamma_single(f: Floats, x: ir.Value) -> ir.Value:
    """The C library's of float64: that of float32 is less exact, and no faster."""
    return _library(f, "lgamma", x)


def _scaled_complement(f: Floats, size: ir.Value, centre: float, coefficients: Sequence[float]) -> ir.Value:
    """exp(x^2) * erfc(x) for x = size >= 0, by the polynomial in (x - centre) / (x + centre)."""
    near_zero = f.div(1.0, f.add(size, centre))
    place = f.fma(near_zero, -2 * centre, 1.0)
    return f.mul(f.polynomial(place, coefficients), near_zero)


def _erfc_single(f: Floats, x: ir.Value) -> ir.Value:
    size = f.bounded(f.abs(x), 0.0, _ERFC_END)
    scaled = _scaled_complement(f, size, _ERFC_CENTRE, _ERFC)
    found = f.mul(scaled, double.exp(f, f.neg(f.mul(size, size))))
    return f.where(x, "<", 0.0, f.sub(2.0, found), found)


def _erfcx_single(f: Floats, x: ir.Value) -> ir.Value:
    return _erfcx(f, x, double.exp(f, f.mul(x, x)))


def _erfcx_double(f: Floats, x: ir.Value) -> ir.Value:
    """exp(x^2) has the error of its argument, unless what the rounding of x^2 loses is a factor of its own."""
    size = f.bounded(f.abs(x), 0.0, 27.0)  # exp is inf there
    square = f.mul(size, size)
    lost = f.fma(size, size, f.neg(square))
    power = _library(f, "exp", square)
    return _erfcx(f, x, f.mul(power, f.add(lost, 1.0)))


def _erfcx(f: Floats, x: ir.Value, power: ir.Value) -> ir.Value:
    """`power` is exp(x^2)."""
    found = _scaled_complement(f, f.abs(x), ERFCX_CENTRE, ERFCX)
    return f.where(x, "<", 0.0, f.sub(f.add(power, power), found), found)


def _inverse(f: Floats, x: ir.Value, minus_w: ir.Value) -> ir.Value:
    """erfinv x to 2^-32, where `minus_w` is log(1 - x^2)."""
    w = f.neg(minus_w)
    root = f.sqrt(w)
    is_near, is_middle = f.compare(w, "<", NEAR_END), f.compare(w, "<", MIDDLE_END)
    coefficients = [
        f.select(is_near, near, f.select(is_middle, middle, far))
        for near, middle, far in zip(NEAR, MIDDLE, FAR, strict=True)
    ]
    found = f.polynomial(f.select(is_near, w, f.div(1.0, root)), coefficients)
    return f.mul(x, f.select(is_near, found, f.mul(found, root)))


def _corrected(f: Floats, y: ir.Value, x: ir.Value, rest: ir.Value) -> ir.Value:
    """erfinv x by a step of Newton's method and its next term from y, where `rest` is 1 - |x|."""
    size = f.abs(y)
    below = f.sub(f.abs(x), _library(f, "erf", size))
    above = f.sub(_library(f, "erfc", size), rest)
    gap = f.where(rest, "<", 0.5, above, below)
    power = _library(f, "exp", f.mul(f.mul(size, size), 0.5))  # twice, for it is up to 1e162
    step = f.mul(f.mul(f.mul(gap, power), power), math.sqrt(math.pi) / 2)
    return f.with_sign(f.add(size, f.fma(f.mul(size, step), step, step)), x)


def _erfinv_ends(f: Floats, x: ir.Value, found: ir.Value) -> ir.Value:
    """inf at 1, NaN beyond."""
    at_end = f.where(f.abs(x), "==", 1.0, f.with_sign(f.of(float("inf")), x), float("nan"))
    return f.where(f.abs(x), "<", 1.0, found, at_end)


def _erfinv_single(f: Floats, x: ir.Value) -> ir.Value:
    product = f.mul(f.sub(1.0, x), f.add(x, 1.0))
    return _erfinv_ends(f, x, _inverse(f, x, double.log(f, product)))


def _erfinv_double(f: Floats, x: ir.Value) -> ir.Value:
    product = f.mul(f.sub(1.0, x), f.add(x, 1.0))
    found = _inverse(f, x, _library(f, "log", product))
    return _erfinv_ends(f, x, _corrected(f, found, x, f.sub(1.0, f.abs(x))))


def _quantile(f: Floats, p: ir.Value, inverse: Callable[[ir.Value, ir.Value], ir.Value]) -> ir.Value:
    """-sqrt(2) * erfinv(1 - 2p), where `inverse` has that of 1 - 2p >= 0 and 2p."""
    is_high = f.compare(p, ">=", 0.5)
    tail = f.select(is_high, f.sub(1.0, p), p)
    rest = f.add(tail, tail)
    size = f.mul(inverse(f.sub(1.0, rest), rest), math.sqrt(2.0))
    size = f.where(tail, ">", 0.0, size, f.where(tail, "==", 0.0, float("inf"), float("nan")))
    return f.select(is_high, size, f.neg(size))


def _normcdfinv_single(f: Floats, p: ir.Value) -> ir.Value:
    return _quantile(f, p, lambda x, rest: _inverse(f, x, double.log(f, f.mul(rest, f.sub(2.0, rest)))))


def _normcdfinv_double(f: Floats, p: ir.Value) -> ir.Value:
    def inverse(x: ir.Value, rest: ir.Value) -> ir.Value:
        found = _inverse(f, x, _library(f, "log", f.mul(rest, f.sub(2.0, rest))))
        return _corrected(f, found, x, rest)

    return _quantile(f, p, inverse)


NORMAL_SINGLE: dict[str, Callable[..., ir.Value]] = {
    "erfc": _erfc_single, "erfcx": _erfcx_single, "erfinv": _erfinv_single, "normcdfinv": _normcdfinv_single,
    "lgamma": _lgamma_single,
}  # fmt: skip
"""Functions of float32 by their names in CUDA, whose operands have been widened to float64."""
NORMAL_DOUBLE: dict[str, Callable[..., ir.Value]] = {
    "erfcx": _erfcx_double, "erfinv": _erfinv_double, "normcdfinv": _normcdfinv_double,
}  # fmt: skip
"""Functions of float64 by their names in CUDA."""
