"""What a call that sorts says."""

from __future__ import annotations

from dataclasses import dataclass

from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.arguments import Arguments
from mlc_dialects.tensor.calls import ExternOp

NAMES = {
    "aten.sort.default": ("x", "dim", "descending"),
    "aten.sort.stable": ("x",),
    "aten.topk.default": ("x", "k", "dim", "largest"),
}


@dataclass(frozen=True)
class Sorting:
    """Along which dimension, the greatest first or the least, and how many are wanted; None for all."""

    dim: int
    descending: bool
    count: int | None

    @staticmethod
    def of(op: ExternOp) -> Sorting:
        """What a call of `sort` or `topk` says."""
        callee = op.callee.data
        given = Arguments(op, NAMES[callee])
        rank = max(1, len(shape_of(op.inputs[0].type)))
        first = given.number("largest", 1) if "topk" in callee else given.number("descending")
        count = int(given.number("k")) if "topk" in callee else None
        return Sorting(int(given.number("dim", -1)) % rank, bool(first), count)
