"""The kinds of reduction: those that every level shares, and those of loops that join two in one pass.

    softmax x -> (m, s)     m = max x, s = sum of exp(x - m)
    welford x -> (t, q)     t = sum of x, q = sum of (x - t / n) ** 2 over the n values

Both are read once where the two reductions that they stand for would read their input twice.
"""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute

from mlc_dialects.scalar import scalar_attribute
from mlc_dialects.types import is_float

PLAIN = ("add", "mul", "max", "min", "and", "or", "argmax", "argmin")
PAIRED = ("softmax", "welford")
"""Kinds of float that give two results for each value (Milakov and Gimelshein 2018; Welford 1962)."""


def result_count(kind: str) -> int:
    """How many results a reduction of `kind` has for each value."""
    return 2 if kind in PAIRED else 1


def identity(kind: str, element: Attribute) -> IntegerAttr | FloatAttr:
    """What changes nothing when combined: 0, 1, -inf or the least integer, inf or the greatest, all bits, none."""
    if kind in ("add", "or"):
        return scalar_attribute(0, element)
    if kind == "mul":
        return scalar_attribute(1, element)
    if kind == "and":
        return scalar_attribute(1 if element == i1 else -1, element)
    greatest = kind in ("min", "argmin")
    if is_float(element):
        return scalar_attribute(float("inf") if greatest else float("-inf"), element)
    assert isinstance(element, IntegerType)
    least = -(1 << (element.width.data - 1))
    return scalar_attribute(-least - 1 if greatest else least, element)
