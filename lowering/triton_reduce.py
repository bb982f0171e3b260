"""How reductions start and combine, on blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from mlc_dialects.triton_types import block_element
from mlc_dialects.triton_values import CompareOp, WhereOp
from mlc_dialects.types import is_float

Append = Callable[[Operation], SSAValue]
Combine = Callable[[SSAValue, SSAValue], Operation]

COMBINE: dict[str, tuple[Combine, Combine]] = {
    "add": (arith.AddfOp, arith.AddiOp),
    "mul": (arith.MulfOp, arith.MuliOp),
    "max": (arith.MaximumfOp, arith.MaxSIOp),
    "min": (arith.MinimumfOp, arith.MinSIOp),
    "and": (arith.AndIOp, arith.AndIOp),
    "or": (arith.OrIOp, arith.OrIOp),
}
"""Kind to the op that combines two floats, and two integers."""


def merge_into(
    kinds: Sequence[str], accumulators: Sequence[SSAValue], values: Sequence[SSAValue], append: Append
) -> list[SSAValue]:
    """The accumulators after one more block of values; argmax and argmin carry (value, index) pairs."""
    merged: list[SSAValue] = []
    old, new = list(accumulators), list(values)
    for kind in kinds:
        if kind.startswith("arg"):
            merged += _merge_pair(kind, old.pop(0), old.pop(0), new.pop(0), new.pop(0), append)
            continue
        a, b = old.pop(0), new.pop(0)
        combine = COMBINE[kind][0 if is_float(block_element(a.type)) else 1]
        merged.append(append(combine(a, b)))
    return merged


def _merge_pair(
    kind: str, best: SSAValue, best_index: SSAValue, value: SSAValue, index: SSAValue, append: Append
) -> list[SSAValue]:
    """The better of two (value, index) pairs: NaN beats all, and of equals the lower index wins."""

    def compare(predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        return append(CompareOp(predicate, a, b))

    def both(a: SSAValue, b: SSAValue) -> SSAValue:
        return append(arith.AndIOp(a, b))

    def either(a: SSAValue, b: SSAValue) -> SSAValue:
        return append(arith.OrIOp(a, b))

    better = compare("gt" if kind == "argmax" else "lt", value, best)
    equal = compare("eq", value, best)
    if is_float(block_element(value.type)):
        is_nan, was_nan = compare("ne", value, value), compare("ne", best, best)
        was_number = compare("eq", best, best)
        better = either(better, both(is_nan, was_number))
        equal = either(equal, both(is_nan, was_nan))
    take = either(better, both(equal, compare("lt", index, best_index)))
    return [append(WhereOp(take, value, best)), append(WhereOp(take, index, best_index))]
