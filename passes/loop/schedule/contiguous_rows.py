"""The usual tiling of rows whose columns are contiguous: whole rows in registers, or a loop over long ones.

`schedule` takes it where sizes are not known, and predicts it beside the other tilings where they are. Of 1,194 kernels
drawn by seven seeds the least predicted time took 1.057 times the best in geometric mean. Where this tiling stayed
unless another was predicted to gain 30 %, it was 1.068.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlc_dialects.loop.dialect import KernelOp, LoopOp
from mlc_support.powers import power_of_two
from passes.common.device import SECTOR_BYTES, Device
from passes.loop.analysis.coalescing import (
    Access,
    accesses,
    are_contiguous,
    has_scan,
    is_coalesced_along_rows,
    longest,
    longest_register_row,
)
from passes.loop.analysis.registers import warps_for
from passes.loop.schedule.long_rows import looped
from passes.loop.schedule.rows import ELEMENTS, LOOPED, LOOPED_WARPS, READ_BYTES, Rows
from passes.loop.schedule.tiling import Structure, Tiling

LOOKED_UP = 2
"""How many times as many rows a lane holds where rows are looked up: it waits for all their places at once."""
STAGES, STAGES_OF_PLANES = 3, 5
"""Steps of a loop whose loads are in flight; more where columns run over planes, of which a step has short pieces."""


def usual_tiling(kernel: KernelOp, device: Device) -> Tiling | None:
    """The tiling that contiguous rows have by default; None for other kernels: short or strided rows, tiles, scans.

    `stages` is the most that its loops may have.
    """
    at, found = Structure(kernel), list(accesses(kernel))
    if _is_other(at) or is_coalesced_along_rows(at.outer, found) or _has_columns_far_apart(at, found):
        return None
    rows = Rows(at.outer, at.outer.loops, found, device)
    stages = STAGES if are_contiguous(longest(rows.loops)) else STAGES_OF_PLANES
    if rows.columns is not None and rows.columns <= _longest_held(rows):
        return _whole(rows, rows.columns, stages)
    block, warps = looped(rows)
    if rows.is_contiguous:
        block = min(block, longest_register_row(rows.loops, device))
    return Tiling(1, block, min(warps, warps_for(block, 1)), stages)


def _is_other(at: Structure) -> bool:
    """True for tiles, scans, serial loops, and kernels without columns."""
    is_other = not at.columns or at.is_tile or at.serial is not None or at.is_ordered
    return is_other or any(map(has_scan, at.columns))


def _has_columns_far_apart(at: Structure, found: Sequence[Access]) -> bool:
    """True if neighbouring columns share no sector."""
    return any(_is_far_apart(a, loop) for loop in at.columns for a in found if loop in a.loops)


def _longest_held(rows: Rows) -> int:
    """The longest row that is kept in registers: if it is in one piece, they have room for what is read again.

    A variance that is summed up as it comes is quicker from the cache, which the row is read from again. Where
    nothing is, there is nothing to keep: of an unaligned row a lane asks for each element by itself.
    """
    if not (rows.only_read or rows.is_reread or rows.is_aligned):
        return LOOPED // 2
    if not rows.is_contiguous:
        return rows.longest
    return min(LOOPED if rows.has_variance else rows.longest, longest_register_row(rows.loops, rows.device))


def _whole(rows: Rows, columns: int, stages: int) -> Tiling | None:
    """Whole rows in registers, one for each program, or several that are looked up; None for other short rows."""
    looked_up = LOOKED_UP if any(_looks_rows_up(a, rows) for a in rows.found) else 1
    block = power_of_two(columns)
    take = _rows_at_once(rows, block, looked_up)
    if take > 1 and looked_up == 1:
        return None
    return Tiling(take, block, _warps_of_rows(rows, take, block, min(take, looked_up)), stages)


def _rows_at_once(rows: Rows, block: int, looked_up: int) -> int:
    """How many whole rows of `block` columns a program takes.

    What only reads takes few registers: as many bytes at once, whatever the type.
    """
    elements = looked_up * ELEMENTS * (_in_a_register(rows) if rows.only_read else 1)
    return max(1, min(power_of_two(rows.count), rows.most, elements // block))


def _warps_of_rows(rows: Rows, take: int, block: int, rows_a_lane: int) -> int:
    """Warps of a program that holds `take` rows of `block` columns, of `rows_a_lane` of which a lane has some.

    A lane has 32 elements of each; as many as 32 registers hold, where rows are only read, as long as can be, or cut
    off by a mask that no wide load takes. For one row that is only read there are more lanes, but fewer where they wait
    twice, with their elements in registers.
    """
    is_cut = block != rows.columns and not rows.is_aligned
    is_narrow = rows.only_read or block >= rows.longest or is_cut
    warps = warps_for(take * block, 32 * rows_a_lane * (_in_a_register(rows) if is_narrow else 1))
    if not rows.only_read or not rows.is_aligned or take > 1 or rows.searches:
        return warps
    most = rows.device.warps_per_block if len(rows.loops) == 1 else LOOPED_WARPS
    return max(warps, min(most, warps_for(block, READ_BYTES // rows.widest)))


def _in_a_register(rows: Rows) -> int:
    """How many elements a register has room for."""
    return 4 // min(4, rows.widest)


def _is_far_apart(access: Access, columns: LoopOp) -> bool:
    """True if no two neighbouring columns share a sector of memory."""
    return abs(access.step(columns) or 0) * access.element_bytes >= SECTOR_BYTES


def _looks_rows_up(access: Access, rows: Rows) -> bool:
    """True if the access reads a row whose place is data."""
    return access.is_indirect and any(loop is not rows.outer for loop in access.loops)
