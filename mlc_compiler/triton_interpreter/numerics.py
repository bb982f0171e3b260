"""Arithmetic of the GPU in numpy: the formats and roundings that numpy lacks.

bfloat16 values travel as their 16 bits in uint16 arrays, as Triton's interpreter keeps them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def from_bf16(bits: Array) -> Array:
    """bfloat16 bits -> float32, exact."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def to_bf16(values: Array) -> Array:
    """float32 -> bfloat16 bits, to nearest even; every NaN becomes the quiet NaN 0x7FC0, as in PyTorch."""
    single = np.ascontiguousarray(values, dtype=np.float32)
    bits = single.view(np.uint32)
    rounded = ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(single), np.uint16(0x7FC0), rounded).reshape(np.shape(values))


def truncate_to_bf16(values: Array) -> Array:
    """float32 -> bfloat16 bits, toward zero, NaN kept."""
    single = np.asarray(values, dtype=np.float32)
    chopped = (single.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(single), np.uint16(0x7FC0), chopped)


def float_to_int(values: Array, dtype: np.dtype[Any]) -> Array:
    """Toward zero, saturating, as PTX `cvt.rzi`: NaN is 0, or the sign bit alone from f64 or into 64 bits.

    An 8-bit result is the low byte of the 16-bit one: PTX converts no float to 8 bits.
    Source: PTX ISA, "cvt", paragraph on NaN inputs of float-to-integer conversions.
    """
    if dtype.itemsize == 1:
        return float_to_int(values, np.dtype(np.int16 if dtype.kind == "i" else np.uint16)).astype(dtype)
    limits = np.iinfo(dtype)
    whole = np.trunc(values.astype(np.float64))
    high, low, nan = whole >= float(limits.max), whole <= float(limits.min), np.isnan(whole)
    result = np.where(high | low | nan, 0.0, whole).astype(dtype)
    result = np.where(high, limits.max, np.where(low, limits.min, result)).astype(dtype)
    sign_bit = np.array(1 << (8 * dtype.itemsize - 1), np.uint64).astype(dtype)
    return np.where(nan, sign_bit, result) if values.dtype == np.float64 or dtype.itemsize == 8 else result


def maximum(x: Array, y: Array) -> Array:
    """max, NaN when either is NaN, +0 above -0 (PTX `max.NaN`)."""
    return np.where((x == 0) & (y == 0), x + y, np.maximum(x, y))


def minimum(x: Array, y: Array) -> Array:
    """min, NaN when either is NaN, -0 below +0 (PTX `min.NaN`)."""
    return np.where((x == 0) & (y == 0), -(-x - y), np.minimum(x, y))


def maximum_number(x: Array, y: Array) -> Array:
    """max, the number when one is NaN (PTX `max`)."""
    return np.where((x == 0) & (y == 0), x + y, np.fmax(x, y))


def minimum_number(x: Array, y: Array) -> Array:
    """min, the number when one is NaN (PTX `min`)."""
    return np.where((x == 0) & (y == 0), -(-x - y), np.fmin(x, y))


def _to_odd(rounded: Array, error: Array, bits: type[np.unsignedinteger[Any]]) -> Array:
    """`rounded`, moved to the neighbour of odd significand toward the exact value `rounded + error`.

    Rounding the result again, to at least two bits fewer, then rounds the exact value once.
    Source: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008.
    """
    raw = rounded.view(bits)
    inexact = (error != 0) & np.isfinite(rounded) & np.isfinite(error)
    beyond = inexact & ((error < 0) == (rounded > 0))
    moved = np.where(beyond & (rounded != 0), raw - bits(1), raw)
    return np.where(inexact, moved | bits(1), raw).view(rounded.dtype)


def fma_exact(x: Array, y: Array, z: Array) -> Array:
    """x * y + z of float32 (or narrower) values, as the float64 that rounds to float32 once and correctly."""
    product = x.astype(np.float64) * y.astype(np.float64)
    addend = z.astype(np.float64)
    total = np.ascontiguousarray(product + addend)
    virtual = total - product
    error = (product - (total - virtual)) + (addend - virtual)
    return _to_odd(total, error, np.uint64)


def narrow_to_odd(values: Array) -> Array:
    """float64 -> float32 rounded to odd, so that a second rounding to 16 bits is correct."""
    single = np.ascontiguousarray(values.astype(np.float32))
    return _to_odd(single, values - single.astype(np.float64), np.uint32)


def to_bf16_once(values: Array) -> Array:
    """float64 or integers -> bfloat16 bits, rounded once (PTX `cvt.rn.bf16`; PyTorch rounds to float32 in between)."""
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        values = fma_exact(values >> 32, np.array(2.0**32), values & 0xFFFFFFFF)
    return to_bf16(narrow_to_odd(values.astype(np.float64)))


def multiply_high(x: Array, y: Array) -> Array:
    """The high half of the unsigned product; operands and result keep their own integer type."""
    width = 8 * x.dtype.itemsize
    unsigned = np.dtype(f"uint{width}")
    a, b = x.view(unsigned).astype(np.uint64), y.view(unsigned).astype(np.uint64)
    if width < 64:
        return ((a * b) >> np.uint64(width)).astype(unsigned).view(x.dtype)
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    middle = (a >> half) * (b & low) + (((a & low) * (b & low)) >> half)
    cross = (a & low) * (b >> half) + (middle & low)
    return ((a >> half) * (b >> half) + (middle >> half) + (cross >> half)).view(x.dtype)
