"""Values on which algebra goes wrong: NaN, infinities, both zeros, denormals, limits, powers of two."""

from __future__ import annotations

from functools import cache

import numpy as np
from xdsl.ir import Attribute

from mlc_dialects.common.types import is_bool, is_float
from mlc_dialects.semantics.numerics import array_dtype

_NAN, _INF = float("nan"), float("inf")
_COUNTS = {1: 64, 2: 26, 3: 14, 4: 7}


@cache
def special(element: Attribute, parameters: int) -> tuple[float, ...]:
    """Values of `element`, the most telling first: fewer where more parameters are combined."""
    if is_bool(element):
        return (0, 1)
    values = _floats(element) if is_float(element) else _integers(element)
    return tuple(values[: _COUNTS[parameters]])


def _floats(element: Attribute) -> list[float]:
    """Least and greatest normal and denormal numbers, and numbers that round."""
    greatest, normal, denormal = {
        "f8E4M3FN": (448.0, 2.0**-6, 2.0**-9), "f8E5M2": (57344.0, 2.0**-14, 2.0**-16),
        "f16": (65504.0, 2.0**-14, 2.0**-24), "bf16": (3.3895313892515355e38, 2.0**-126, 2.0**-133),
        "f32": (3.4028234663852886e38, 2.0**-126, 2.0**-149), "f64": (1.7976931348623157e308, 2.0**-1022, 5e-324),
    }[str(element)]  # fmt: skip
    first = [_NAN, -0.0, 0.0, _INF, -_INF, 1.0, -2.5, 0.1, denormal, -greatest, greatest, 3.0, -1.0, -denormal]
    more = [2.0, 0.5, -0.7, 1e-3, 7.75, normal, -normal, 3 * denormal, 255.0, -5 * denormal, 1.5, -0.5, 2.0**-7]
    spread = np.random.default_rng(1).normal(size=40) * 3
    return [*first, *more, 1024.0, -8.0, 0.3, 88.5, -88.5, 11.0, normal - denormal, 5e3, *spread.tolist()]


def _integers(element: Attribute) -> list[float]:
    limits = np.iinfo(array_dtype(element))
    least, greatest = int(limits.min), int(limits.max)
    values = [0, 1, least, greatest, 2, 3, 7, 5, least + 1, greatest - 1, 100, 64, 13, 31, 8, 16, 96, 127, 254]
    if least < 0:
        values = [0, 1, -1, least, greatest, 2, -3, 7, -8, least + 1, greatest - 1, 5, -100, 64, -64, 13, -31, 8, -2]
    return [*values, *range(20, 60)]
