"""What decides the usual tiling of contiguous rows: their loops, and what these load and store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from mlc_dialects.loop.dialect import LoopOp, ParallelOp
from passes.common.device import WIDEST_BYTES, Device
from passes.loop.analysis.coalescing import (
    Access,
    are_aligned,
    are_contiguous,
    kinds,
    most_columns,
    reread_bytes,
    stores,
    widest_element,
)
from passes.loop.analysis.registers import carried_bytes, resident_columns
from passes.loop.schedule.overlapping_tail import most_arriving_rows
from passes.loop.schedule.tiling import MOST_ROWS

ELEMENTS = 1024
"""Elements of a program that holds several rows."""
LOOPED, LOOPED_WARPS = 8192, 8
"""Columns of a longer row that are read at once, and warps of a program that does, or half or twice as many."""
READ_BYTES = 2 * WIDEST_BYTES
"""What a lane holds of a row that is only read: two of the widest loads, for as many lanes as there are."""
SEARCHING = {"argmax", "argmin"}
"""Reductions that carry a place along: where lanes meet there is much to compare, so that few of them should."""


@dataclass(frozen=True)
class Rows:
    """The rows of a kernel, the loops over their columns, and what these load and store."""

    outer: ParallelOp
    loops: Sequence[LoopOp]
    found: Sequence[Access]
    device: Device

    @cached_property
    def longest(self) -> int:
        """The longest row that is kept in registers, if they have room for what is read again."""
        return resident_columns(self.device)

    @cached_property
    def count(self) -> int | None:
        """How many rows there are; None if that is not known."""
        return self.outer.size.constant

    @cached_property
    def columns(self) -> int | None:
        """The columns of the longest loop; None if some are not known."""
        return most_columns(self.loops)

    @cached_property
    def most(self) -> int:
        """How many rows a program may take so that all of them tell others of one."""
        return most_arriving_rows(self.outer, MOST_ROWS)

    @cached_property
    def is_contiguous(self) -> bool:
        """True if no loop runs over planes."""
        return are_contiguous(self.loops)

    @cached_property
    def is_aligned(self) -> bool:
        """True if all that the longest loops read and write is aligned."""
        return are_aligned(self.loops, self.found)

    @cached_property
    def widest(self) -> int:
        """The bytes of the widest element that is read or written for each row and column."""
        return widest_element(self.found)

    @cached_property
    def only_read(self) -> bool:
        """True if nothing is stored for each column."""
        return not stores(self.loops)

    @cached_property
    def is_reread(self) -> bool:
        """True if a loop reads again what an earlier one has read."""
        return reread_bytes(self.loops) > 0

    @cached_property
    def carried(self) -> int:
        """Bytes of accumulator for each column that the greediest loop carries along."""
        return carried_bytes(self.loops)

    @cached_property
    def kinds(self) -> set[str]:
        """The kinds of the reductions."""
        return kinds(self.loops)

    @cached_property
    def has_variance(self) -> bool:
        """True if a variance is summed up as its elements come."""
        return "welford" in self.kinds

    @cached_property
    def has_softmax(self) -> bool:
        """True if a maximum and a sum of exponentials are taken in one loop."""
        return "softmax" in self.kinds

    @cached_property
    def searches(self) -> bool:
        """True if a reduction finds a place."""
        return bool(self.kinds & SEARCHING)
