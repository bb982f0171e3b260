"""The kinds of reduction: those that every level shares, and those of loops that join two in one pass.

    softmax x -> (m, s)     m = max x, s = sum of exp(x - m)
    welford x -> (t, q)     t = sum of x, q = sum of (x - t / n) ** 2 over the n values
    weighted v -> o         o = sum of exp(x - m) * v, with x and m of the softmax before it

All are read once where the reductions that they stand for would read their input twice: they have an online form. What
is summed so far is relative to the maximum so far; where that grows from m to n, sums are multiplied by exp(m - n).
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import is_float
from mlc_dialects.triton.types import block_element

Combine = Callable[[SSAValue, SSAValue], Operation]

PLAIN = ("add", "mul", "max", "min", "and", "or", "argmax", "argmin")
PAIRED = ("softmax", "welford")
"""Kinds of float that give two results for each value (Milakov and Gimelshein 2018; Welford 1962)."""
WEIGHTED = "weighted"
"""The kind of float that sums what it is given with the weights of a softmax."""
FIRST = {"softmax": "max", "welford": "add"}
"""How the first results of a paired kind combine."""
COMBINE: dict[str, tuple[Combine, Combine]] = {
    "add": (arith.AddfOp, arith.AddiOp),
    "mul": (arith.MulfOp, arith.MuliOp),
    "max": (arith.MaximumfOp, arith.MaxSIOp),
    "min": (arith.MinimumfOp, arith.MinSIOp),
    "and": (arith.AndIOp, arith.AndIOp),
    "or": (arith.OrIOp, arith.OrIOp),
}
"""Kind to the op that combines two floats, and two integers."""


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


def combined(kind: str, x: SSAValue, y: SSAValue) -> Operation:
    """The op that combines two scalars, or two blocks, each place with its like; `kind` is one of COMBINE."""
    return COMBINE[kind][0 if is_float(block_element(x.type)) else 1](x, y)
