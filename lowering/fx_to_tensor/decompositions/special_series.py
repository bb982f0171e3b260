"""Coefficients of the special functions, worked out from their integrals and power series.

Every function here is smooth on a bounded interval, where a Chebyshev interpolant converges
geometrically; the integrands are analytic and even or periodic, so that the trapezoid rule
converges geometrically too (Trefethen and Weideman, SIAM Review 56, 2014). Integrals and series
are those of the NIST Digital Library of Mathematical Functions, chapter 10.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

Array = Any  # numpy arrays: their stubs know neither chebinterpolate's callback nor the parts of a complex array
Coefficients = tuple[float, ...]
NODES = 48
"""Degree of the interpolants before the coefficients that do not count are cut off."""
SPLIT = 8.0
"""Where the expansions around 0 meet those around infinity."""


def interpolant(function: Callable[[Array], Array]) -> Coefficients:
    """Chebyshev coefficients of a function on [-1, 1], c[0] not halved."""
    return tuple(float(c) for c in chebyshev.chebinterpolate(function, NODES))


def _over(variable: Callable[[Array], Array], values: Callable[[Array], Array]) -> Coefficients:
    """The interpolant of `values` of `variable` of a point of [-1, 1]."""
    return interpolant(lambda t: values(variable(t)))


def _small(t: Array) -> Array:
    """[-1, 1] to x in [0, SPLIT]"""
    return (t + 1) * (SPLIT / 2)


def _small_square(t: Array) -> Array:
    """[-1, 1] to x in [0, SPLIT], evenly in x^2"""
    return np.sqrt((t + 1) / 2) * SPLIT


def _large(t: Array) -> Array:
    """[-1, 1] to x in [SPLIT, inf), evenly in 1/x"""
    return 2 * SPLIT / (t + 1)


def _large_square(t: Array) -> Array:
    """[-1, 1] to x in [SPLIT, inf), evenly in 1/x^2"""
    return SPLIT / np.sqrt((t + 1) / 2)


def _from_two(t: Array) -> Array:
    """[-1, 1] to x in [2, inf), evenly in 1/x"""
    return 4 / (t + 1)


def _periodic(x: Array, integrand: Callable[[Array, Array], Array]) -> Array:
    """The mean over t in [0, pi] of integrand(x, t), even and periodic in t."""
    count = 8192
    t = np.linspace(0, math.pi, count + 1)
    weights = np.full(count + 1, 1 / count)
    weights[[0, -1]] /= 2
    return integrand(x[:, None], t) @ weights


def _decaying(x: Array, integrand: Callable[[Array, Array], Array]) -> Array:
    """The integral over v in [0, inf) of integrand(x, v), even in v and below exp(-v^2 / 2)."""
    step = 0.02
    v = np.arange(0, 12, step)
    values = integrand(x[:, None], v) * step
    return values.sum(1) - values[:, 0] / 2


def _scaled_i(order: int, x: Array) -> Array:
    """exp(-x) I(x)"""
    return _periodic(x, lambda x, t: np.exp(x * (np.cos(t) - 1)) * np.cos(order * t))


def _scaled_k(order: int, x: Array) -> Array:
    """sqrt(x) exp(x) K(x), substituting v = 2 sqrt(x) sinh(t / 2) in the integral over cosh."""
    return _decaying(x, lambda x, v: np.exp(-v * v / 2) / np.sqrt(1 + v * v / (4 * x)) * (1 + v * v / (2 * x)) ** order)


def _hankel(order: int, x: Array) -> Array:
    """P(x) + i Q(x): the Hankel function without its phase and its sqrt(2 / (pi x))."""
    power = order - 0.5
    total = _decaying(x, lambda x, v: np.exp(-v * v) * v ** (2 * order) * (1 + 0.5j * v * v / x) ** power)
    return 2 * total / math.gamma(order + 0.5)


def _j(order: int, x: Array) -> Array:
    return _periodic(x, lambda x, t: np.cos(order * t - x * np.sin(t)))


def _harmonic(n: int) -> float:
    return sum(1 / k for k in range(1, n + 1)) - float(np.euler_gamma)


def _power_series(order: int, x: Array, term: Callable[[int], float]) -> Array:
    """The sum over k of term(k) (x / 2)^(2 k) / (k! (k + order)!)"""
    half = (x / 2) ** 2
    factors = (term(k) / (math.factorial(k) * math.factorial(k + order)) for k in range(60))
    return sum((f * half**k for k, f in enumerate(factors)), np.zeros_like(x))


def _y_rest(order: int, x: Array) -> Array:
    """Y(x) - 2/pi ln(x) J(x), for order 1 plus 2 / (pi x) and over x: entire in x^2."""
    if order == 0:
        terms = _power_series(0, x, lambda k: (-1) ** k * (2 * _harmonic(k) + 2 * math.log(2)))
        return -terms / math.pi
    terms = _power_series(1, x, lambda k: (-1) ** k * (_harmonic(k) + _harmonic(k + 1) + 2 * math.log(2)))
    return -terms / (2 * math.pi)


@cache
def i_series(order: int) -> tuple[Coefficients, Coefficients]:
    """exp(-x) I(x) up to SPLIT in x (over x for order 1); sqrt(x) exp(-x) I(x) from there on in 1/x."""
    near = _over(_small, lambda x: _scaled_i(order, x) / (np.maximum(x, 1e-300) if order else 1))
    return near, _over(_large, lambda x: np.sqrt(x) * _scaled_i(order, x))


@cache
def k_series(order: int) -> tuple[Coefficients, Coefficients]:
    """The power series in (x / 2)^2 of K(x) + (-1)^order ln(x / 2) I(x) without 1/x (over x / 2 for
    order 1), up to 2; sqrt(x) exp(x) K(x) from there on, in 1/x."""
    near = [
        (_harmonic(k) if order == 0 else -(_harmonic(k) + _harmonic(k + 1)) / 2)
        / (math.factorial(k) * math.factorial(k + order))
        for k in range(16)
    ]
    return tuple(near), _over(_from_two, lambda x: _scaled_k(order, x))


@cache
def i_powers(order: int) -> Coefficients:
    """The power series of I(x) (over x / 2 for order 1) in (x / 2)^2, good up to 2."""
    return tuple(1 / (math.factorial(k) * math.factorial(k + order)) for k in range(16))


@cache
def j_series(order: int) -> Coefficients:
    """J(x) up to SPLIT in x^2, over x for order 1."""
    return _over(_small_square, lambda x: _j(order, x) / (np.maximum(x, 1e-300) if order else 1))


@cache
def y_series(order: int) -> Coefficients:
    """What Y(x) has beside its logarithm and its pole, up to SPLIT in x^2, over x for order 1."""
    return _over(_small_square, lambda x: _y_rest(order, x))


@cache
def hankel_series(order: int) -> tuple[Coefficients, Coefficients]:
    """P(x) and x Q(x) from SPLIT on, in 1/x^2."""
    real = _over(_large_square, lambda x: _hankel(order, x).real)
    return real, _over(_large_square, lambda x: x * _hankel(order, x).imag)
