"""Gathers of whole rows: the dimensions of what is gathered that indices leave as they are.

    gather %table[%rows_broadcast, %iota]    a row for each of `rows`: dimension 1 of the table is a window

So an embedding is a gather of rows for a compiler that has such, and not one of single elements.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import IotaOp
from mlc_dialects.tensor.views import ViewOp
from mlc_support.index_expr import IndexExpr, variable


@dataclass(frozen=True)
class Windows:
    """What a gather takes whole."""

    of: dict[int, int]
    """Dimension of the operand to the dimension of the result that goes along it."""
    indexed: tuple[int, ...]
    """The other dimensions of the operand."""
    points: tuple[int, ...]
    """The other dimensions of the result: one window for each of their places."""


def windows(op: GatherOp | ScatterOp) -> Windows:
    """The windows of a gather, in the order of both the operand's and the result's dimensions; a scatter's updates
    stand for its result."""
    table, moved = (op.input, op.result) if isinstance(op, GatherOp) else (op.into, op.updates)
    shape = shape_of(moved.type)
    names = [f"d{k}" for k in range(len(shape))]
    places = [_place(index, [variable(name) for name in names]) for index in op.indices]
    found, last = dict[int, int](), -1
    for dim, (place, size) in enumerate(zip(places, shape_of(table.type), strict=True)):
        along = names.index(str(place)) if isinstance(place, IndexExpr) and str(place) in names else -1
        others = [p for k, p in enumerate(places) if k != dim and along >= 0 and _depends(p, names[along])]
        if along > last and not others and shape[along] == size and size.constant != 0:
            found[dim] = last = along
    indexed = tuple(k for k in range(len(places)) if k not in found)
    return Windows(found, indexed, tuple(k for k in range(len(shape)) if k not in found.values()))


def _place(value: SSAValue, index: list[IndexExpr]) -> IndexExpr | list[IndexExpr]:
    """What an index is at a place of the result; where that is data, the place that it is read at."""
    while isinstance(value.owner, ViewOp):
        index, value = list(value.owner.source_index(index)), value.owner.input
    return index[value.owner.axis] if isinstance(value.owner, IotaOp) else index


def _depends(place: IndexExpr | list[IndexExpr], name: str) -> bool:
    parts = [place] if isinstance(place, IndexExpr) else place
    return any(v.name == name for part in parts for v in part.variables())
