"""Schedules of rows whose columns are strided in memory: neighbouring lanes take neighbouring rows."""

from __future__ import annotations

from dataclasses import replace

from mlc_dialects.loop.dialect import LoopOp, ParallelOp
from mlc_dialects.triton.types import LANES
from mlc_support.powers import holds_little_more, power_of_two
from passes.common.device import LINE_BYTES
from passes.loop.analysis.registers import lane_bytes, warps_for
from passes.loop.schedule.elements import Schedule
from passes.loop.schedule.rows import FILLED, LOOPED_WARPS, Rows

BESIDE_BYTES = 2 * LINE_BYTES
"""How much of a line of memory a program takes where rows lie side by side."""
NARROWEST = 16
"""How many rows side by side a program takes at least: fewer would waste parts of memory transactions."""
SCANNED_BYTES = 512
"""What a lane holds of what is scanned down columns: lanes wait for each other, so that few of them should."""


def strided_rows(rows: Rows) -> Schedule:
    """Blocks of rows that lie side by side, as deep as accumulators have room for."""
    rows = _of_longest_loops(rows)
    depth, device = power_of_two(rows.columns), rows.limits.device
    take, elements, warps = _read_in_blocks(rows)
    while elements > take and elements // (LANES * warps) * rows.carried > lane_bytes(device):
        elements //= 2
    block = max(1, min(depth, elements // take))
    where = ", kept in registers" if block == depth else ""
    why = f"reduces down columns of memory: {take} of them side by side, {block} deep{where}"
    return Schedule(take, block, warps, why)


def _of_longest_loops(rows: Rows) -> Rows:
    """The same rows with no more than what their longest loops load and store."""

    def is_long(loop: LoopOp) -> bool:
        return loop is not rows.outer and loop.size.constant == rows.columns

    return replace(rows, found=[a for a in rows.found if any(map(is_long, a.loops))])


def _read_in_blocks(rows: Rows) -> tuple[int, int, int]:
    """Rows and elements at once, and warps, where columns are read block by block.

    What is read again comes from memory: wide pieces of it, and much on its way.
    """
    take = _side_by_side(rows)
    if rows.is_reread and not rows.scans:
        take, elements, a_lane = min(take, rows.limits.tile), FILLED, 32
    else:
        elements = _elements(rows, take)
        a_lane = _elements_a_lane(rows, elements // take)
    return take, elements, warps_for(min(elements, take * power_of_two(rows.columns)), a_lane)


def _side_by_side(rows: Rows) -> int:
    """How many rows a program takes: pieces of lines, unless multiprocessors, or many lanes, would be idle then."""
    device, take = rows.limits.device, rows.limits.tile
    if _is_aligned(rows):
        take = BESIDE_BYTES // (2 if rows.has_contiguous_columns else 1) // rows.widest
    take = min(take, rows.most, power_of_two(rows.count))
    if rows.count is None:
        return take
    fewest = device.multiprocessors * (LOOPED_WARPS // 2 if rows.searches else 1)
    while take > NARROWEST and (rows.count < take * fewest or _leaves_idle(rows.outer, take)):
        take //= 2
    return take


def _elements(rows: Rows, take: int) -> int:
    """How many elements of `take` rows a program reads at once.

    Where something runs along the columns as well, blocks are about as deep as they are wide. Few programs have more
    warps, to have as much of memory on its way; where there is much to do for each element more programs are better.
    """
    usual, device = rows.limits.elements, rows.limits.device
    elements = 2 * usual if _computes(rows) or rows.has_softmax else 4 * usual
    if rows.has_contiguous_columns:
        elements = max(elements, take * take)
    if rows.count is None or rows.scans or _computes(rows):
        return elements
    while elements < 8 * usual and rows.count * elements < take * FILLED * device.multiprocessors:
        elements *= 2
    return elements


def _elements_a_lane(rows: Rows, depth: int) -> int:
    """How many elements of blocks this deep a lane holds; more where none of them is beyond the columns."""
    if rows.scans:
        return SCANNED_BYTES // (1 if _is_aligned(rows) else 2) // max(4, rows.widest)
    if rows.searches:
        return 8
    is_even = _is_aligned(rows) and rows.columns is not None and rows.columns % depth == 0
    return 32 if is_even and not _computes(rows) else 16


def _is_aligned(rows: Rows) -> bool:
    """True if all that is read and written is aligned."""
    return all(a.is_aligned for a in rows.found)


def _computes(rows: Rows) -> bool:
    """True if there is much to do for each element: more programs help then, larger ones do not."""
    return rows.searches or rows.has_variance


def _leaves_idle(outer: ParallelOp, block: int) -> bool:
    """True if blocks of the rows, or of those of a part, hold over a quarter more: what is idle, or done twice."""
    each = outer.size.constant if outer.overlap is None else outer.overlap.value.data
    return each is not None and each >= block and not holds_little_more(each, block, 4)
