"""The kinds of reduction that every level shares."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute

from mlc_dialects.scalar import scalar_attribute
from mlc_dialects.types import is_float


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
