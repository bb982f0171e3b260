"""8-bit floats on numpy: all 256 values of a format, and how float32 rounds to them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from mlc_dialects.common.byte_floats import BYTE_FLOATS, NAN, ByteFloat

Array = np.ndarray[Any, np.dtype[Any]]


def decoded(bits: Array, element: Attribute) -> Array:
    """The float32 that each byte means."""
    return _values(BYTE_FLOATS[element])[bits.view(np.uint8)]


def encoded(array: Array, element: Attribute) -> Array:
    """The byte of the nearest value, ties to even, for each float32; int8."""
    format = BYTE_FLOATS[element]
    magnitude = np.abs(array.astype(np.float32))
    values = _values(format)[: format.overflow + 1].astype(np.float64)
    if np.isinf(values[-1]):  # rounds as if the exponent went on
        values[-1] = 2 * values[-2] - values[-3]
    between = (values[1:] + values[:-1]) / 2
    below, above = (np.searchsorted(between, magnitude, side) for side in ("left", "right"))
    nearest = np.where(below % 2 == 0, below, above)  # of a tie, the even one
    code = np.where(np.isnan(magnitude), NAN, nearest) | (np.signbit(array) * 0x80)
    return code.astype(np.uint8).view(np.int8)


def rounded(array: Array, element: Attribute) -> Array:
    """float32 elements rounded to the nearest that `element` holds, ties to even."""
    return decoded(encoded(array, element), element)


@lru_cache
def _values(format: ByteFloat) -> Array:
    """The float32 of each byte."""
    codes = np.arange(256)
    magnitudes = codes & 0x7F
    exponents, digits = magnitudes >> format.digits, magnitudes & ((1 << format.digits) - 1)
    significands = digits + np.where(exponents > 0, 1 << format.digits, 0)
    values = significands * format.step * np.exp2(np.maximum(exponents - 1, 0))
    values = np.where(magnitudes == format.overflow, np.minimum(values * np.inf, format.bound), values)
    values = np.where(magnitudes > format.overflow, np.nan, values)
    return np.where(codes > 0x7F, -values, values).astype(np.float32)
