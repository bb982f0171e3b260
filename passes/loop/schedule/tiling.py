"""Tilings of a kernel: how many rows and columns a program holds at once, and by how many warps.

`tilings` lists those that are worth a prediction (some dozens): legal, of whole sectors of memory, with something to do
for each lane and room for what it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mlc_dialects.loop.dialect import KernelOp, LoopOp, ParallelOp, ReduceOp, SerialOp
from mlc_dialects.loop.exclusive_prefix import flags_of
from mlc_dialects.loop.schedule import TILING
from mlc_dialects.triton.types import LANES
from mlc_support.index_maps import assumed
from mlc_support.powers import power_of_two, power_of_two_up_to
from mlc_support.walks import walk
from passes.common.device import SECTOR_BYTES
from passes.loop.analysis.coalescing import has_scan, kinds
from passes.loop.analysis.legality import last_blocks_of
from passes.loop.schedule.overlapping_tail import most_arriving_rows
from passes.loop.schedule.pipelining import PIPELINED, stages_of_rounds, stages_of_steps
from passes.loop.schedule.traffic import FAR, Traffic
from passes.loop.schedule.workload import Workload

MOST_ROWS = 1024
"""Rows of a program, at the most."""
MOST_ELEMENTS = 1 << 15
"""Elements of a block, at the most."""
LONGEST_MEAN = 8192
"""Columns whose variance may be about a mean that was summed before: of more it would lose digits that eager keeps."""


@dataclass(frozen=True)
class Tiling:
    """Rows and columns that a program holds at once, the warps that do, and steps of a loop whose loads are in flight.

    `columns` is 1 where there are no loops over columns. A loop with fewer columns holds a power of two of them.
    """

    rows: int
    columns: int
    warps: int
    stages: int = 1

    @staticmethod
    def asked(kernel: KernelOp) -> Tiling | None:
        """The tiling that a kernel's schedule asks for; None where rows, columns or warps are open."""
        rows, columns, warps, stages = (kernel.decided(name) for name in TILING)
        if not (isinstance(rows, int) and isinstance(columns, int) and isinstance(warps, int)):
            return None
        return Tiling(rows, columns, warps, stages if isinstance(stages, int) else 1)

    def suits(self, kernel: KernelOp) -> bool:
        """True if the kernel's schedule says nothing else."""
        own = {"rows": self.rows, "columns": self.columns, "warps": self.warps}
        return all(kernel.decided(name) in (None, number) for name, number in own.items())


@dataclass(frozen=True)
class Structure:
    """What of a kernel decides which tilings are legal."""

    kernel: KernelOp

    @cached_property
    def outer(self) -> ParallelOp:
        return self.kernel.rows

    @cached_property
    def serial(self) -> SerialOp | None:
        """The persistent loop over rows, if there is one."""
        return next((op for op in self.outer.loops if isinstance(op, SerialOp)), None)

    @cached_property
    def columns(self) -> list[LoopOp]:
        """The loops over columns."""
        if self.serial is None:
            return self.outer.loops
        return [op for op in walk(self.outer) if isinstance(op, ParallelOp | ReduceOp) and op is not self.outer]

    @cached_property
    def is_tile(self) -> bool:
        """True if columns are parallel as rows are: programs share them."""
        inner = self.columns
        return bool(inner) and self.serial is None and not any(isinstance(op, ReduceOp) or has_scan(op) for op in inner)

    @cached_property
    def is_ordered(self) -> bool:
        """True if programs await each other."""
        return flags_of(self.outer) is not None

    @cached_property
    def awaiting_rows(self) -> int | None:
        """The number of strided rows, where programs that await each other have parts of blocks of them; or None."""
        return self.outer.overlap.value.data if self.is_ordered and self.outer.overlap is not None else None

    @cached_property
    def shares_a_row(self) -> bool:
        """True if programs that await each other have parts of one row."""
        return self.is_ordered and self.awaiting_rows is None

    @cached_property
    def longest_row(self) -> int:
        """The columns of the longest loop, rounded up to a power of two."""
        return max((power_of_two(assumed(loop.size)) for loop in self.columns), default=1)

    @cached_property
    def most_columns(self) -> int:
        """The most columns of a block: a variance is only shifted where it is summed block by block."""
        return LONGEST_MEAN if "welford" in kinds(self.columns) else MOST_ELEMENTS

    @cached_property
    def most_rows(self) -> int:
        """The most rows of a program, so that all of them signal or wait as one."""
        if self.awaiting_rows is not None:
            return min(MOST_ROWS, power_of_two_up_to(self.awaiting_rows))
        if self.shares_a_row or self.serial is not None:
            return 1
        arrives = any(last.group.constant is None for last in last_blocks_of(self.outer))
        most = MOST_ROWS if self.columns or arrives else MOST_ELEMENTS
        return min(most_arriving_rows(self.outer, most), power_of_two(assumed(self.outer.size)))

    def described(self, tiling: Tiling) -> str:
        """What a program holds at once, for people."""
        if self.serial is not None:
            return f"{self.outer.size} persistent programs, {self.serial.block_size} row(s) at once"
        if not self.columns:
            return f"{tiling.rows} elements a program"
        if self.is_tile:
            return f"tiles of {tiling.rows} x {tiling.columns}"
        held = "in registers" if tiling.columns >= self.longest_row else f"looped by {tiling.columns} columns"
        return f"{tiling.rows} row(s) {held}"


LEAST_BYTES, MOST_BYTES = 4, 128
"""Bytes of the widest element that a lane holds of a block."""
UNCROWDED = 16
"""Warps of which each thread has room for MOST_BYTES; of more, whose threads have fewer registers, for less."""
MOST_POINTWISE = 32
"""The same of a pointwise kernel: more leave fewer programs, and gain nothing."""
MOST_SCANNED_BYTES = 512
"""The same where lanes wait for one another at each step, so that few of them should."""
MOST_AWAITING_BYTES, LEAST_AWAITING = 256, 16
"""The same, and elements, where programs wait for one another."""
FEWEST_COLUMNS = 8
"""Columns of a block, at the least, where there are as many."""
MOST_TILE = 1 << 14
"""Elements of a tile."""
PIECE_BYTES = 64
"""The shortest contiguous piece of memory that a strided block is made of; less for the axis that is not contiguous."""
LONGEST_PIECE_BYTES = 512
"""The longest: beyond, a block only has fewer columns."""
LITTLE = 0.25
"""The share of bytes that may be contiguous along the rows where a block is a row. On an H200 such blocks take 0.73 to
0.98 times as long where it is 0.01 to 0.17 (three kernels), and 1.25 to 1.6 times where it is 0.33 to 0.7 (four)."""
SMALL_ROWS = 4096
"""Elements of a block that holds several whole rows."""


def tilings(kernel: KernelOp, work: Workload) -> Iterator[Tiling]:
    """Every legal tiling of a kernel that is worth a prediction; one row and warp where none is."""
    at, sense = Structure(kernel), Sense.of(work)
    stages = (stages_of_steps(kernel),) if at.serial is None else stages_of_rounds(kernel, at.serial)
    stages = (PIPELINED,) if sense.is_scan else stages
    found = False
    for rows, columns in _blocks(at, sense):
        held = rows * columns * (1 if at.serial is None else at.serial.block_size)
        for warps in _powers(1, sense.most_warps):
            if sense.fills_lanes(held, warps):
                yield from (Tiling(rows, columns, warps, each) for each in stages)
                found = True
    if not found:
        yield from (Tiling(1, min(at.longest_row, at.most_columns), 1, each) for each in stages)


def _blocks(at: Structure, sense: Sense) -> Iterator[tuple[int, int]]:
    """Rows and columns of blocks."""
    if at.serial is not None:
        yield 1, at.longest_row
        return
    for rows in _powers(1, at.most_rows):
        for columns in _powers(min(FEWEST_COLUMNS, at.longest_row), min(at.longest_row, at.most_columns)):
            if sense.moves_sectors(rows, columns, at):
                yield rows, columns


@dataclass(frozen=True)
class Sense:
    """What makes a tiling of a kernel worth a prediction."""

    size: int
    """Bytes of the widest element that is moved for each row and column."""
    rows_contiguous: bool
    """True if neighbouring rows of some of what is moved share sectors of memory, and neighbouring columns do not."""
    columns_contiguous: bool
    takes_rows: bool
    """True if a block may be one row, since little of what is moved is contiguous along the rows."""
    adjoining: int
    """Elements of a row that lie between those of its neighbours, as a group's channels where these are last; or 0."""
    has_columns: bool
    is_tile: bool
    is_scan: bool
    awaits: bool
    """True if programs wait for one another."""
    most_warps: int

    @staticmethod
    def of(work: Workload) -> Sense:
        """What decides for `work`."""
        moved, has_columns = work.moved, work.has_columns
        along_rows = [t for t in moved if _shares_sectors(t)]
        along_columns = any(t.column_step == 1 and t.row_step != 1 for t in moved)
        is_little = along_columns and sum(map(_bytes, along_rows)) <= LITTLE * sum(map(_bytes, moved))
        return Sense(
            size=max((t.bytes for t in moved), default=4),
            rows_contiguous=bool(along_rows),
            columns_contiguous=along_columns,
            takes_rows=is_little or not along_rows,
            adjoining=max((_adjoining(t) for t in moved), default=0),
            has_columns=has_columns,
            is_tile=work.is_tile,
            is_scan=any(b.is_ordered for b in work.bodies),
            awaits=work.between.waits,
            most_warps=_most_warps(work),
        )

    def fills_lanes(self, elements: int, warps: int) -> bool:
        """True if a lane has something to do, and room for what it holds."""
        each = elements / (LANES * warps)
        if self.awaits:
            return each >= LEAST_AWAITING and each * self.size <= MOST_AWAITING_BYTES
        if not self.has_columns and each * self.size > MOST_POINTWISE:
            return False
        most = MOST_SCANNED_BYTES if self.is_scan else MOST_BYTES * UNCROWDED // max(UNCROWDED, warps)
        return each * self.size <= most and (each * self.size >= LEAST_BYTES or warps == 1)

    def moves_sectors(self, rows: int, columns: int, at: Structure) -> bool:
        """True if blocks are made of whole sectors of what they move."""
        if rows * columns > MOST_ELEMENTS:
            return False
        if not self.has_columns:
            return rows * self.size >= min(8 * LANES * LEAST_BYTES, at.most_rows * self.size)
        if self.is_tile:
            return self._is_tile_block(rows, columns, at)
        whole = columns >= at.longest_row
        if self.rows_contiguous and self._is_strided_block(rows, columns, whole, rows >= at.most_rows):
            return True
        return self.takes_rows and self._is_row_block(rows, columns, whole)

    def _is_tile_block(self, rows: int, columns: int, at: Structure) -> bool:
        """True if pieces of memory along either side of a tile have a sensible length, or all of that axis."""
        least = PIECE_BYTES / (2 * self.size)
        wide, deep = rows >= min(least, at.most_rows), columns >= min(least, at.longest_row)
        return wide and deep and rows * columns <= MOST_TILE

    def _is_row_block(self, rows: int, columns: int, whole: bool) -> bool:
        """True if a block that is contiguous along the columns has pieces of a sensible length, or whole rows."""
        piece = rows * self.adjoining * self.size
        several = (whole and rows * columns <= SMALL_ROWS) or 0 < piece <= LONGEST_PIECE_BYTES
        return (whole or columns * self.size >= LONGEST_PIECE_BYTES) and (rows == 1 or several)

    def _is_strided_block(self, rows: int, columns: int, whole: bool, all_rows: bool) -> bool:
        """True if a block that is contiguous along the rows has pieces of a sensible length."""
        wide = all_rows or rows * self.size >= (SECTOR_BYTES if self.awaits else PIECE_BYTES)
        deep = whole or not self.columns_contiguous or 2 * columns * self.size >= PIECE_BYTES
        return wide and deep and rows * self.size <= LONGEST_PIECE_BYTES


def _most_warps(work: Workload) -> int:
    """Warps of a program, at the most."""
    if not work.between.waits:
        return 32 if work.reduces_across_lanes else 8
    return 8 if work.overlap is None else 16


def _bytes(t: Traffic) -> int:
    """Those of the buffer that the launch moves, each counted once, as far as that is known."""
    return t.distinct or t.footprint


def _shares_sectors(t: Traffic) -> bool:
    """True if neighbouring rows share sectors of memory, and neighbouring columns are farther away."""
    across = FAR if t.column_step is None else t.column_step or FAR
    return t.row_step is not None and 0 < t.row_step * t.bytes < SECTOR_BYTES and t.row_step < across


def _adjoining(t: Traffic) -> int:
    """Elements of a row up to the next row's, if only then the row goes on elsewhere; or 0."""
    if len(t.column_axes) < 2 or not t.row_axes:
        return 0
    (extent, step), row_step = t.column_axes[0], t.row_axes[0][1]
    return extent if step == 1 and row_step == extent else 0


def _powers(least: int, most: int) -> Iterator[int]:
    size = least
    while size <= most:
        yield size
        size *= 2
