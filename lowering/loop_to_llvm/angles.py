"""Sine, cosine and tangent of float32: the angle is reduced in float64, the rest is float32.

Straight-line code, which LLVM's loop vectoriser takes. Half of its time is the reduction of angles up to 2^128, by the
method of Payne and Hanek. The polynomials are weighted least-squares fits at Chebyshev points to what their comments
say, made in 48 digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from llvmlite import ir

from lowering.loop_to_llvm.floats import Floats
from lowering.loop_to_llvm.types import DOUBLE, FLOAT, I32

_SIN = (-0.16666654671295103, 0.008332165292888931, -0.00019515888239209078)
"""(sin(x) / x - 1) / x^2 as a polynomial in x^2, for |x| <= pi / 4, to 2^-28 of sin x."""
_COS = (0.04166664622447496, -0.0013887340870370227, 2.4435779096781652e-05)
"""(cos x - 1 + x^2 / 2) / x^4 as a polynomial in x^2, for |x| <= pi / 4, to 2^-33 of cos x."""
_TAN = (
    0.3333334939268846, 0.13332678463304418, 0.05405810373425132, 0.02129164970466362, 0.01081149359652059,
    0.00011982037946794208, 0.004361670252287655,
)  # fmt: skip
"""(tan(x) / x - 1) / x^2 as a polynomial in x^2, for |x| <= pi / 4, to 2^-29 of tan x."""
_QUARTERS = (
    (2.0**52, (0.6366197723675814, -3.935735335036497e-17)),
    (2.0**80, (3.330811476132176e-09, -1.2982810449786118e-25)),
    (2.0**108, (-1.160177773473606e-17, -6.0354330106881195e-34)),
    (2.0**128, (-2.643052792873273e-26, -1.3190424939343312e-42)),
)
"""Below a bound, the quarter turns of a unit as a sum: 2 / pi, less what gives whole turns of x above the bound before.

Such an x is a multiple of 2^-23 times that bound.
"""


def _turned(f: Floats, size: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The angle that `size` >= 0 is beyond the nearest quarter turn, and the number of that modulo 4.

    inf gives NaN.
    """
    builder = f.builder
    d = Floats(builder, DOUBLE)
    x = builder.fpext(size, DOUBLE)
    high, low = (_by_size(d, x, [parts[k] for _, parts in _QUARTERS]) for k in range(2))
    product = d.mul(x, high)
    rest = d.fma(x, low, d.fma(x, high, d.neg(product)))
    within = d.fma(d.rounded(product, 0.25)[0], -4.0, product)
    n, quarter = d.rounded(d.add(within, rest))
    turn = d.add(d.sub(within, n), rest)
    return builder.fptrunc(d.mul(turn, math.pi / 2), FLOAT), builder.trunc(quarter, I32)


def _by_size(d: Floats, x: ir.Value, values: Sequence[float]) -> ir.Value:
    """The value of the least of the bounds that x is below."""
    found = d.of(values[-1])
    for (bound, _), value in reversed([*zip(_QUARTERS[:-1], values[:-1], strict=True)]):
        found = d.where(x, "<", bound, value, found)
    return found


def _both(f: Floats, angle: ir.Value) -> tuple[ir.Value, ir.Value]:
    """sin and cos of up to an eighth of a turn."""
    square = f.mul(angle, angle)
    sine = f.fma(f.mul(angle, square), f.polynomial(square, _SIN), angle)
    return sine, f.fma(f.mul(square, square), f.polynomial(square, _COS), f.fma(square, -0.5, 1.0))


def _negated(f: Floats, value: ir.Value, number: ir.Value, bit: int) -> ir.Value:
    """`value`, with its sign changed where that bit of `number` is set."""
    moved = f.builder.shl(number, f.whole(31 - bit))
    sign = f.builder.and_(moved, f.whole(1 << 31))
    return f.from_bits(f.builder.xor(f.bits(value), sign))


def _sin(f: Floats, x: ir.Value) -> ir.Value:
    angle, quarter = _turned(f, f.abs(x))
    sine, cosine = _both(f, angle)
    found = _negated(f, f.select(f.has_bit(quarter, 1), cosine, sine), quarter, 1)
    return _negated(f, found, f.bits(x), 31)


def _cos(f: Floats, x: ir.Value) -> ir.Value:
    angle, quarter = _turned(f, f.abs(x))
    sine, cosine = _both(f, angle)
    found = f.select(f.has_bit(quarter, 1), sine, cosine)
    return _negated(f, found, f.builder.add(quarter, f.whole(1)), 1)


def _tan(f: Floats, x: ir.Value) -> ir.Value:
    """That of the angle, or of a quarter turn more: -1 / tan."""
    angle, quarter = _turned(f, f.abs(x))
    square, is_odd = f.mul(angle, angle), f.has_bit(quarter, 1)
    tangent = f.fma(f.mul(angle, square), f.polynomial(square, _TAN), angle)
    found = f.div(f.select(is_odd, -1.0, tangent), f.select(is_odd, tangent, 1.0))
    return _negated(f, found, f.bits(x), 31)


ANGLES: dict[str, Callable[..., ir.Value]] = {"sin": _sin, "cos": _cos, "tan": _tan}
"""Functions of float32 by their names in C."""
