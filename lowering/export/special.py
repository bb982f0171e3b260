"""The formulas of special functions, for languages without them. They compute in float64, as mlc's own CPU target does.

Each is exact to the last bits of float32. Those of float64 are to 2^-32, but for `erfcx` and `lgamma`, which have
the errors of `exp` and `log`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from xdsl.dialects.builtin import f64
from xdsl.ir import SSAValue

from mlc_dialects.common.polynomials import ERFCX, ERFCX_CENTRE, FAR, MIDDLE, MIDDLE_END, NEAR, NEAR_END
from mlc_dialects.common.types import element_type, shape_of
from mlc_dialects.tensor.composites import cast
from mlc_dialects.tensor.elementwise_op import ELEMENTWISE, ElementwiseOp
from mlc_dialects.tensor.ops import ConstantOp

LANCZOS_SHIFT = 7.5
LANCZOS = (
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
)  # fmt: skip
"""gamma(z + 1) = sqrt(2 pi) * t^(z + 1/2) * exp(-t) * (c_0 + sum of c_k / (z + k)), where t is z + 7.5."""

Operand = SSAValue | float


def _function(name: str) -> Callable[..., SSAValue]:
    """The op of the table on values and numbers, at least one of them a value."""

    def build(*operands: Operand) -> SSAValue:
        shape = next(shape_of(v.type) for v in operands if isinstance(v, SSAValue))
        values = [v if isinstance(v, SSAValue) else ConstantOp.splat(v, shape, f64).result for v in operands]
        return ELEMENTWISE[name](*values).results[0]

    return build


_add, _sub, _mul, _div, _neg, _abs = map(_function, ("add", "sub", "mul", "div", "neg", "abs"))
_exp, _log, _sqrt, _sin, _floor = map(_function, ("exp", "log", "sqrt", "sin", "floor"))
_less, _at_least, _equal, _where = map(_function, ("lt", "ge", "eq", "select"))


def _polynomial(x: SSAValue, coefficients: Sequence[Operand]) -> SSAValue:
    """By Horner's rule, coefficients from the constant on."""
    found = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        found = _add(_mul(found, x), coefficient)
    assert isinstance(found, SSAValue)
    return found


def _erfcx(x: SSAValue) -> SSAValue:
    """exp(x^2) * erfc(x), by a polynomial for x >= 0; else 2 * exp(x^2) less that of -x."""
    size = _abs(x)
    near_zero = _div(1.0, _add(size, ERFCX_CENTRE))
    place = _add(_mul(near_zero, -2 * ERFCX_CENTRE), 1.0)
    found = _mul(_polynomial(place, ERFCX), near_zero)
    power = _exp(_mul(x, x))
    return _where(_less(x, 0.0), _sub(_add(power, power), found), found)


def _inverse(x: SSAValue, product: SSAValue) -> SSAValue:
    """erfinv x, where `product` is 1 - x^2."""
    w = _neg(_log(product))
    root = _sqrt(w)
    is_near, is_middle = _less(w, NEAR_END), _less(w, MIDDLE_END)
    coefficients = [
        _where(is_near, near, _where(is_middle, middle, far))
        for near, middle, far in zip(NEAR, MIDDLE, FAR, strict=True)
    ]
    found = _polynomial(_where(is_near, w, _div(1.0, root)), coefficients)
    return _mul(x, _where(is_near, found, _mul(found, root)))


def _erfinv(x: SSAValue) -> SSAValue:
    """inf at 1, -inf at -1, NaN beyond."""
    size = _abs(x)
    found = _inverse(x, _mul(_sub(1.0, x), _add(x, 1.0)))
    at_end = _where(_equal(size, 1.0), _mul(x, math.inf), math.nan)
    return _where(_less(size, 1.0), found, at_end)


def _ndtri(p: SSAValue) -> SSAValue:
    """-sqrt(2) * erfinv(1 - 2p), by the lesser of both tails."""
    is_high = _at_least(p, 0.5)
    tail = _where(is_high, _sub(1.0, p), p)
    rest = _add(tail, tail)
    found = _mul(_inverse(_sub(1.0, rest), _mul(rest, _sub(2.0, rest))), math.sqrt(2.0))
    at_end = _where(_equal(tail, 0.0), math.inf, math.nan)
    size = _where(_less(0.0, tail), found, at_end)
    return _where(is_high, size, _neg(size))


def _lgamma(x: SSAValue) -> SSAValue:
    """log |gamma(x)|, below 1/2 by the reflection: gamma(x) * gamma(1 - x) * sin(pi x) is pi."""
    is_low = _less(x, 0.5)
    z = _where(is_low, _neg(x), _sub(x, 1.0))
    parts = [_div(coefficient, _add(z, float(k))) for k, coefficient in enumerate(LANCZOS[1:], 1)]
    series = reduce(_add, parts, LANCZOS[0])
    t = _add(z, LANCZOS_SHIFT)
    power = _sub(_mul(_add(z, 0.5), _log(t)), t)
    found = _add(_add(power, _log(series)), math.log(2 * math.pi) / 2)
    size = _abs(x)
    sine = _abs(_sin(_mul(_sub(size, _floor(size)), math.pi)))
    reflected = _sub(_sub(math.log(math.pi), _log(sine)), found)
    return _where(_equal(size, math.inf), math.inf, _where(is_low, reflected, found))


FORMULAS: Mapping[str, Callable[[SSAValue], SSAValue]] = {
    "erfcx": _erfcx,
    "erfinv": _erfinv,
    "lgamma": _lgamma,
    "ndtri": _ndtri,
}
"""Function of the table to what builds it, of float64."""


def special(op: ElementwiseOp) -> list[SSAValue]:
    """The function that `op` is of, by its formula."""
    (x,) = op.operands
    return [cast(FORMULAS[op.FUNCTION.name](cast(x, f64)), element_type(x.type))]
