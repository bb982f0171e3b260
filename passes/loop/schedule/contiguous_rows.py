"""Schedules of rows whose columns lie side by side in memory: neighbouring lanes take neighbouring columns."""

from __future__ import annotations

from collections.abc import Sequence

from mlc_dialects.loop.dialect import LoadOp, ParallelOp, ReduceOp, SerialOp
from mlc_support.powers import power_of_two
from passes.loop.analysis.coalescing import (
    Access,
    are_aligned,
    are_contiguous,
    longest,
    longest_register_row,
    widest_element,
)
from passes.loop.analysis.registers import warps_for
from passes.loop.schedule.elements import Schedule
from passes.loop.schedule.long_rows import looped
from passes.loop.schedule.rows import LOOPED_WARPS, PIECE_BYTES, READ_BYTES, Rows

LOOKED_UP = 2
"""How many times as many rows a lane holds where rows are looked up: it waits for all their places at once."""


def walked_rows(outer: ParallelOp, serial: SerialOp, found: Sequence[Access]) -> Schedule:
    """Programs that walk the rows hold whole rows, and as wide accumulators, in registers.

    Of a row that begins anywhere a lane asks for each element by itself: for PIECE_BYTES, of up to LOOPED_WARPS.
    """
    columns = [op for op in outer.walk() if isinstance(op, ParallelOp | ReduceOp) and op is not outer]
    width = max(power_of_two(loop.size.constant) for loop in columns)
    rows = serial.block_size
    why = f"{outer.size} programs walk the rows, {rows} at once; sums over the rows stay in registers"
    loads = [a for a in found if isinstance(a.op, LoadOp)]
    warps = warps_for(rows * width, 32)
    if not are_aligned(columns, found):
        piece = warps_for(rows * width, PIECE_BYTES // widest_element(loads))
        warps = max(warps, min(LOOPED_WARPS, piece))
    return Schedule(1, width, warps, why)


def contiguous_rows(rows: Rows) -> Schedule:
    """Whole rows in registers, if these have room for them; else a loop over blocks of a row."""
    if rows.columns is not None and rows.is_shared and not rows.scans:
        return _part(rows, rows.columns)
    longest_held = _longest_held(rows)
    if rows.columns is not None and rows.columns <= longest_held:
        return _whole(rows, rows.columns)
    length = "of unknown length" if rows.columns is None else f"of {rows.columns}, more than {longest_held}"
    block, warps = looped(rows)
    if rows.is_contiguous:
        block = min(block, longest_register_row(rows.loops, rows.limits.device))
    return Schedule(1, block, min(warps, warps_for(block, 1)), f"a row {length}: looped by {block}")


def _part(rows: Rows, columns: int) -> Schedule:
    """Programs that await each other are small: a multiprocessor works on some of many while others wait.

    Registers hold a part, if it is a piece of memory and not long; else it is read again, from the cache.
    """
    held = are_contiguous(longest(rows.loops)) and columns <= rows.limits.looped
    block = power_of_two(columns) if held else rows.limits.looped // 2
    why = f"a part of {columns}, {'kept in registers' if held else f'looped by {block}'}"
    return Schedule(1, block, warps_for(block, 64 if held else 32), f"{why}; awaits those of the other programs")


def _longest_held(rows: Rows) -> int:
    """The longest row that is kept in registers: if it is in one piece, they have room for what is read again.

    A variance that is summed up as it comes is quicker from the cache, which the row is read from again. Where
    nothing is, there is nothing to keep: of a row that begins anywhere a lane asks for each element by itself.
    """
    limits = rows.limits
    if not (rows.only_read or rows.is_reread or rows.is_aligned):
        return limits.looped // (8 if rows.scans else 2)
    if not rows.is_contiguous:
        return limits.persistent
    most = limits.looped if rows.has_variance else limits.persistent
    return min(most, longest_register_row(rows.loops, limits.device))


def _whole(rows: Rows, columns: int) -> Schedule:
    """Whole rows, one or several, in registers."""
    looked_up = LOOKED_UP if any(_looks_rows_up(a, rows.outer) for a in rows.found) else 1
    block = power_of_two(columns)
    take = _rows_at_once(rows, block, looked_up)
    warps = _warps_of_rows(rows, take, block, min(take, looked_up))
    return Schedule(take, block, warps, f"{take} row(s) of {columns} kept in registers")


def _rows_at_once(rows: Rows, block: int, looked_up: int) -> int:
    """How many whole rows of `block` columns a program takes.

    What only reads takes few registers: as many bytes at once, whatever the type.
    """
    elements = looked_up * rows.limits.elements * (_in_a_register(rows) if rows.only_read else 1)
    return max(1, min(power_of_two(rows.count), rows.most, elements // block))


def _warps_of_rows(rows: Rows, take: int, block: int, rows_a_lane: int) -> int:
    """Warps of a program that holds `take` rows of `block` columns, of `rows_a_lane` of which a lane has some.

    A lane has 32 elements of each; as many as 32 registers hold, where rows are only read, as long as can be, or cut
    off by a mask that no wide load takes. For one row that is only read there are more lanes, but fewer where they wait
    twice, with their elements in registers.
    """
    is_cut = block != rows.columns and not rows.is_aligned
    is_narrow = rows.only_read or block >= rows.limits.persistent or is_cut
    warps = warps_for(take * block, 32 * rows_a_lane * (_in_a_register(rows) if is_narrow else 1))
    if not rows.only_read or not rows.is_aligned or take > 1 or rows.searches:
        return warps
    most = rows.limits.device.warps_per_block if len(rows.loops) == 1 else LOOPED_WARPS
    return max(warps, min(most, warps_for(block, READ_BYTES // rows.widest)))


def _in_a_register(rows: Rows) -> int:
    """How many elements a register has room for."""
    return 4 // min(4, rows.widest)


def _looks_rows_up(access: Access, outer: ParallelOp) -> bool:
    """True if the access reads a row whose place is data."""
    return access.is_indirect and any(loop is not outer for loop in access.loops)
