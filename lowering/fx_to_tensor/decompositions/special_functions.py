"""Special functions as formulas of plain ops, for floats of 32 and 64 bits (16-bit ones compute in 32).

Bessel functions follow the expansions of `special_series`; digamma, trigamma and zeta move their
argument up by recurrences and then use the asymptotic (Euler-Maclaurin) series: NIST Digital
Library of Mathematical Functions, chapters 5, 10 and 25.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from lowering.fx_to_tensor.decompositions import special_series as series
from lowering.fx_to_tensor.decompositions.special_series import SPLIT, Coefficients

aten = torch.ops.aten
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
"""B2, B4, ..., B16."""


def in_float(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Computes in float32 at least; integers give the default float, 16-bit floats stay what they are."""

    def call(*arguments: Any) -> Tensor:
        tensors = [a for a in arguments if isinstance(a, Tensor)]
        dtype = tensors[0].dtype
        for other in tensors[1:]:
            dtype = torch.promote_types(dtype, other.dtype)
        result = dtype if dtype.is_floating_point else torch.get_default_dtype()
        wide = torch.float64 if result == torch.float64 else torch.float32
        return function(*(a.to(wide) if isinstance(a, Tensor) else a for a in arguments)).to(result)

    return call


def _precision(x: Tensor) -> float:
    return 1e-17 if x.dtype == torch.float64 else 1e-9


def _chebyshev(x: Tensor, coefficients: Coefficients) -> Tensor:
    """The sum of c[k] T_k(x), by Clenshaw's recurrence."""
    largest = max(abs(c) for c in coefficients)
    count = 1 + max(k for k, c in enumerate(coefficients) if abs(c) > _precision(x) * largest)
    above, current = torch.zeros_like(x), torch.full_like(x, coefficients[count - 1])
    twice = 2 * x
    for c in reversed(coefficients[1 : count - 1]):
        above, current = current, twice * current + (c - above)
    return x * current + (coefficients[0] - above)


def _polynomial(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """c[0] + c[1] x + ..., by Horner's rule."""
    total = torch.full_like(x, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = total * x + c
    return total


# Bessel functions


def _modified_i(order: int, scaled: bool, x: Tensor) -> Tensor:
    """I of order 0 or 1, times exp(-|x|) if scaled."""
    size = x.abs()
    near, far = series.i_series(order)
    small = _chebyshev(size * (2 / SPLIT) - 1, near)
    if order:
        small = small * size
    large = _chebyshev((2 * SPLIT) / size - 1, far) * torch.rsqrt(size)
    result = torch.where(size <= SPLIT, small, large)
    if not scaled:
        half = torch.exp(size / 2)
        result = result * half * half  # exp(|x|) overflows before I does
    return torch.where(x < 0, -result, result) if order else result


def _modified_k(order: int, scaled: bool, x: Tensor) -> Tensor:
    """K of order 0 or 1, times exp(x) if scaled; inf at 0, NaN below."""
    near, far = series.k_series(order)
    square = (x / 2) ** 2
    i = _polynomial(square, series.i_powers(order))
    logarithm = torch.log(x / 2)
    if order:
        small = 1 / x + x / 2 * (logarithm * i + _polynomial(square, near))
    else:
        small = _polynomial(square, near) - logarithm * i
    large = _chebyshev(4 / x - 1, far) * torch.rsqrt(x)
    small, large = (small * torch.exp(x), large) if scaled else (small, large * torch.exp(-x))
    result = torch.where(x <= 2, small, large)
    return torch.where(x == 0, math.inf, result)


def _oscillating(order: int, second: bool, size: Tensor) -> Tensor:
    """J (Y if `second`) of order 0 or 1 from SPLIT on."""
    real, imaginary = series.hankel_series(order)
    place = 2 * (SPLIT / size) ** 2 - 1
    p, q = _chebyshev(place, real), _chebyshev(place, imaginary) / size
    angle = size - (2 * order + 1) * (math.pi / 4)
    sine, cosine = torch.sin(angle), torch.cos(angle)
    wave = p * sine + q * cosine if second else p * cosine - q * sine
    return wave * torch.rsqrt(size) * math.sqrt(2 / math.pi)


def _near_j(order: int, size: Tensor) -> Tensor:
    value = _chebyshev(2 * (size / SPLIT) ** 2 - 1, series.j_series(order))
    return value * size if order else value


def _bessel_j(order: int, x: Tensor) -> Tensor:
    size = x.abs()
    result = torch.where(size <= SPLIT, _near_j(order, size), _oscillating(order, False, size))
    return torch.where(x < 0, -result, result) if order else result


def _bessel_y(order: int, x: Tensor) -> Tensor:
    """-inf at 0, NaN below."""
    rest = _chebyshev(2 * (x / SPLIT) ** 2 - 1, series.y_series(order))
    near = (2 / math.pi) * torch.log(x) * _near_j(order, x)
    near = near + x * rest - (2 / math.pi) / x if order else near + rest
    result = torch.where(x <= SPLIT, near, _oscillating(order, True, x))
    return torch.where(x == 0, -math.inf, torch.where(x < 0, math.nan, result))


def _spherical_bessel_j0(x: Tensor) -> Tensor:
    """sin(x) / x"""
    near = _polynomial(x * x, [(-1) ** k / math.factorial(2 * k + 1) for k in range(7)])
    far = torch.where(x.abs() == math.inf, 0.0, torch.sin(x) / x)
    return torch.where(x.abs() < 0.5, near, far)


# The gamma function's derivatives


def _digamma(x: Tensor) -> Tensor:
    """The derivative of log gamma; -+inf at +-0, NaN at the other poles."""
    below = x < 0
    y = torch.where(below, 1 - x, x)
    total = torch.zeros_like(x)
    for _ in range(10):
        small = y < 10
        total = torch.where(small, total - 1 / y, total)
        y = torch.where(small, y + 1, y)
    square = 1 / (y * y)
    tail = square * _polynomial(square, [b / (2 * k + 2) for k, b in enumerate(BERNOULLI)])
    result = total + torch.log(y) - 0.5 / y - tail
    fraction = x - torch.round(x)
    result = torch.where(below, result - math.pi / torch.tan(math.pi * fraction), result)
    result = torch.where(below & (fraction == 0), math.nan, result)
    return torch.where(x == 0, torch.copysign(torch.full_like(x, math.inf), -x), result)


def _trigamma(x: Tensor) -> Tensor:
    """The second derivative of log gamma."""
    below = x < 0.5
    y = torch.where(below, 1 - x, x)
    total = torch.zeros_like(x)
    for _ in range(8):
        total = total + 1 / (y * y)
        y = y + 1
    square = 1 / (y * y)
    total = total + (1 + 0.5 / y + square * _polynomial(square, BERNOULLI)) / y
    sine = torch.sin(math.pi * (x - torch.floor(x)))
    return torch.where(below, (math.pi / sine) ** 2 - total, total)


def _zeta_of_positive(s: Tensor | float, q: Tensor) -> Tensor:
    """The sum over k >= 0 of (q + k)^-s for q > 0, by Euler and Maclaurin from the ninth term on."""
    total = torch.pow(q, -s)
    for k in range(1, 9):
        total = total + torch.pow(q + k, -s)
    a = q + 9
    power = torch.pow(a, -s)
    total = total + power * a / (s - 1) + 0.5 * power
    factor, power = s, power / a
    for k, bernoulli in enumerate(BERNOULLI):
        total = total + power * factor * (bernoulli / math.factorial(2 * k + 2))
        factor = factor * (s + (2 * k + 1)) * (s + (2 * k + 2))
        power = power / (a * a)
    return total


def _zeta(s: Tensor | float, q: Tensor) -> Tensor:
    """Hurwitz's zeta function: inf at its poles, NaN where s < 1 and for roots of negative numbers.

    Below 0 the terms up to the first positive q are a difference of two zetas, mirrored.
    """
    s = torch.as_tensor(s, dtype=q.dtype, device=q.device)
    first = q - torch.floor(q)
    sign = torch.where(s / 2 == torch.floor(s / 2), 1.0, -1.0).to(q.dtype)
    mirrored = sign * (_zeta_of_positive(s, 1 - first) - _zeta_of_positive(s, 1 - q))
    base = _zeta_of_positive(s, torch.where(q < 0, first, q))
    result = torch.where(q < 0, base + mirrored, base)
    result = torch.where((q < 0) & (s != torch.floor(s)), math.nan, result)
    result = torch.where((q <= 0) & (q == torch.floor(q)), math.inf, result)
    return torch.where(s == 1, math.inf, torch.where(s < 1, math.nan, result))


def _polygamma(n: int, x: Tensor) -> Tensor:
    """The derivative of order n of digamma."""
    if n < 2:
        return _trigamma(x) if n else _digamma(x)
    return (-1) ** (n + 1) * math.factorial(n) * _zeta(float(n + 1), x)


# Parts of a number


def _frexp(x: Tensor) -> tuple[Tensor, Tensor]:
    """(m, e): x == m * 2^e with |m| in [0.5, 1); (x, 0) for 0, infinities and NaN.

    The logarithm may be off by one beside powers of two; scaling by two factors never overflows.
    """
    wide = x if x.dtype == torch.float64 else x.to(torch.float32)
    plain = (wide != 0) & (wide.abs() < math.inf)
    exponent = torch.where(plain, torch.floor(torch.log2(wide.abs())) + 1, 0)
    half = torch.floor(exponent / 2)
    mantissa = wide * torch.exp2(-half) * torch.exp2(half - exponent)
    low, high = plain & (mantissa.abs() < 0.5), plain & (mantissa.abs() >= 1)
    mantissa = torch.where(low, mantissa * 2, torch.where(high, mantissa * 0.5, mantissa))
    exponent = torch.where(low, exponent - 1, torch.where(high, exponent + 1, exponent))
    return torch.where(plain, mantissa, wide).to(x.dtype), exponent.to(torch.int32)


def _ldexp(x: Tensor, other: Tensor) -> Tensor:
    """x * 2^other"""
    return x * torch.pow(2.0, other)


def _round_decimals(x: Tensor, *, decimals: int) -> Tensor:
    """To a multiple of 10^-decimals, ties to even of the scaled number."""
    scale = 10.0 ** abs(decimals)
    scaled = torch.round(x * scale if decimals >= 0 else x / scale)
    return scaled / scale if decimals >= 0 else scaled * scale


def _angle(x: Tensor) -> Any:
    """pi for negative numbers, 0 for others, NaN for NaN."""
    if x.is_complex():
        return NotImplemented
    if not x.is_floating_point():
        return torch.where(x < 0, math.pi, 0.0)
    return torch.where(x.isnan(), x, torch.where(x < 0, math.pi, 0.0)).to(x.dtype)


def _ordered(function: Callable[..., Tensor], *chosen: Any) -> Callable[..., Tensor]:
    """`function` with its first arguments chosen, on tensors of any type."""
    return in_float(partial(function, *chosen))


TABLE: dict[Any, Callable[..., Any]] = {
    aten.frexp.Tensor: _frexp,
    aten.ldexp.Tensor: _ldexp,
    aten.round.decimals: _round_decimals,
    aten.angle.default: _angle,
    aten.i0.default: _ordered(_modified_i, 0, False),
    aten.special_i0e.default: _ordered(_modified_i, 0, True),
    aten.special_i1.default: _ordered(_modified_i, 1, False),
    aten.special_i1e.default: _ordered(_modified_i, 1, True),
    aten.special_modified_bessel_i0.default: _ordered(_modified_i, 0, False),
    aten.special_modified_bessel_i1.default: _ordered(_modified_i, 1, False),
    aten.special_modified_bessel_k0.default: _ordered(_modified_k, 0, False),
    aten.special_modified_bessel_k1.default: _ordered(_modified_k, 1, False),
    aten.special_scaled_modified_bessel_k0.default: _ordered(_modified_k, 0, True),
    aten.special_scaled_modified_bessel_k1.default: _ordered(_modified_k, 1, True),
    aten.special_bessel_j0.default: _ordered(_bessel_j, 0),
    aten.special_bessel_j1.default: _ordered(_bessel_j, 1),
    aten.special_bessel_y0.default: _ordered(_bessel_y, 0),
    aten.special_bessel_y1.default: _ordered(_bessel_y, 1),
    aten.special_spherical_bessel_j0.default: in_float(_spherical_bessel_j0),
    aten.digamma.default: in_float(_digamma),
    aten.polygamma.default: in_float(_polygamma),
    aten.special_zeta.default: in_float(_zeta),
}
"""Op to its formula."""
