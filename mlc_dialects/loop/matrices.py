"""Buffers as matrices that a tensor descriptor can tell, of which the copy engine of a GPU (TMA) loads blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from mlc_dialects.common.buffers import buffer_element, buffer_offset
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.memory import LoadOp
from mlc_support.index_expr import IndexExpr, integer, product, variable
from mlc_support.index_maps import delinearize

ALIGNMENT = 16
"""Bytes: a matrix, and each of its rows, begin at multiples of it (CUDA driver API, cuTensorMapEncodeTiled)."""

Axis = Sequence[tuple[SSAValue, IndexExpr]]
"""Indices and their sizes, the outermost first, which count together: the last one fastest."""
NAMES = ("a", "b")
PROBES = ((0, 0), (1, 0), (0, 1))
"""Places along both axes: the first, and its neighbour along either."""


@dataclass(frozen=True)
class Matrix:
    """Rows of elements that are neighbours in memory."""

    first: int
    """Elements from the start of the buffer to the first of the matrix."""
    rows: int
    columns: int
    step: int
    """Elements from one row to the next."""
    transposed: bool
    """True if neighbours in memory are neighbours along the first of the two axes."""


def matrix_of(load: LoadOp, first: Axis, second: Axis) -> Matrix | None:
    """What `load` reads along two axes, as a matrix; None where it is none, or one that no tensor descriptor can tell.

    Its sizes are numbers. Elements along one axis are neighbours in memory; those along the other are a constant
    multiple of 16 bytes apart, and rows do not overlap.
    """
    places: dict[SSAValue, IndexExpr] = {}
    counts: list[int] = []
    for name, axis in zip(NAMES, (first, second), strict=True):
        sizes = tuple(size for _, size in axis)
        count = product(sizes).constant
        if count is None:
            return None
        counts.append(count)
        places |= zip((index for index, _ in axis), delinearize(variable(name, count), sizes), strict=True)
    if load.condition is not None or any(index not in places for index in load.indices):
        return None
    offset = buffer_offset(load.buffer.type, index_exprs(load.index))
    offset = offset.substitute({operand_name(k): places[index] for k, index in enumerate(load.indices)})
    start, *beside = (offset.substitute({"a": integer(a), "b": integer(b)}).constant for a, b in PROBES)
    if start is None or None in beside:
        return None
    steps = [place - start for place in beside if place is not None]
    moved = (variable(name, count) * step for name, count, step in zip(NAMES, counts, steps, strict=True))
    if offset != sum(moved, integer(start)) or 1 not in steps:
        return None
    transposed = steps[1] != 1
    (rows, columns), step = (counts[::-1], steps[1]) if transposed else (counts, steps[0])
    size = byte_size(buffer_element(load.buffer.type))
    aligned = step * size % ALIGNMENT == 0 == start * size % ALIGNMENT
    return Matrix(start, rows, columns, step, transposed) if aligned and step >= columns else None
