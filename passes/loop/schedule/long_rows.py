"""Blocks of contiguous rows that are too long for registers: how many columns are read at once, by how many warps."""

from __future__ import annotations

from dataclasses import dataclass

from mlc_dialects.loop.memory import divisors
from mlc_dialects.triton.types import LANES
from mlc_support.powers import holds_little_more, power_of_two
from passes.common.device import WIDEST_BYTES
from passes.loop.analysis.coalescing import loaded_bytes, longest
from passes.loop.analysis.registers import is_crowded, uncrowded
from passes.loop.locality.cache_hints import stays_cached
from passes.loop.schedule.rows import LOOPED, LOOPED_WARPS, Rows

IDLE = 12
"""Columns of a row for each lane that its last block may leave idle; else blocks of half the size are better."""


def looped(rows: Rows) -> tuple[int, int]:
    """How many columns of a long row are read at once, and by how many warps."""
    return _meeting(rows) if rows.has_softmax else _apart(rows)


def _meeting(rows: Rows) -> tuple[int, int]:
    """Lanes that meet at each block: few of them, with much to do between.

    What is read again must stay in the cache until then: of longer rows there are fewer at a time. Blocks that
    lie across what memory gives at once ask for each element by itself, of which a lane has room for fewer; blocks
    of which the last would be idle for the most part are smaller as well.
    """
    usual, columns = LOOPED, rows.columns
    if rows.only_read:
        full = holds_little_more(columns or 0, usual, IDLE)
        return usual // (1 if rows.is_aligned and full else 2), LOOPED_WARPS // 2
    if rows.is_aligned and columns is not None and columns % (2 * usual) == 0:
        return 2 * usual, min(2 * LOOPED_WARPS, power_of_two(columns // usual))
    return usual, LOOPED_WARPS


@dataclass(frozen=True)
class Blocks:
    """Blocks of a row."""

    columns: int
    warps: int
    loaded: int
    """Bytes of registers for what is loaded of each column."""


def _apart(rows: Rows) -> tuple[int, int]:
    """Lanes that gather each for itself: more of them where another loop reads the row again and stores.

    Blocks are of whole planes, if the columns run over such: then each lane is inside, or past the end, in every block.
    """
    usual = _usual(rows)
    planes = [size for loop in longest(rows.loops) for size in divisors(loop) if size >= LANES * usual.warps]
    largest = max(planes, default=0)
    if planes:
        blocks = _of_planes(rows, usual, largest) if largest == power_of_two(largest) else usual
    elif rows.has_variance and not rows.only_read and rows.is_aligned:
        blocks = _widened(rows, usual)
    elif rows.is_reread and not rows.only_read:
        blocks = _again(rows, usual)
    else:
        blocks = usual
    return _uncrowded(rows, blocks, planes), blocks.warps


def _usual(rows: Rows) -> Blocks:
    """Blocks where neither planes nor what is read again ask for others."""
    warps = 2 * LOOPED_WARPS if rows.has_variance or not rows.only_read else LOOPED_WARPS
    return Blocks(LOOPED // _parts(rows), warps, loaded_bytes(rows.loops))


def _parts(rows: Rows) -> int:
    """How many blocks there are of as many columns as are read at once where lanes have little to hold.

    What is read once and is not aligned is loaded element by element: few of them a lane.
    """
    if not rows.only_read:
        return 1 if rows.is_reread or rows.is_aligned else 2
    if not rows.is_aligned:
        return 4
    return 2 if rows.has_variance else 1


def _widened(rows: Rows, usual: Blocks) -> Blocks:
    """Blocks of rows that have a variance and are read again: a lane makes one load of the widest.

    Registers hold what is loaded in the width that it is computed in, and of longer rows there are fewer at a time, by
    more lanes each.
    """
    is_long = (rows.columns or 0) > rows.longest
    warps = rows.device.warps_per_block if is_long else usual.warps
    return Blocks(LANES * warps * WIDEST_BYTES, warps, loaded_bytes(rows.loops, least=4))


def _of_planes(rows: Rows, usual: Blocks, plane: int) -> Blocks:
    """Blocks of whole planes.

    Many columns at once where the cache keeps what is read again, else few, so that programs have some on their way
    from memory.
    """
    warps = usual.warps // 2
    if rows.only_read:
        block = min(plane, LOOPED // 2)
    elif stays_cached(rows.loops, rows.device):
        block, warps = rows.longest, usual.warps
    else:
        block = LOOPED
    return Blocks(block, uncrowded(block, warps, rows.carried, usual.loaded, rows.device), usual.loaded)


def _again(rows: Rows, usual: Blocks) -> Blocks:
    """Blocks of rows that are read again: where lanes would be crowded there are more of them."""
    block = usual.columns // (2 if rows.has_variance else 1)
    warps = uncrowded(block, usual.warps, rows.carried, usual.loaded, rows.device)
    return Blocks(block, warps, usual.loaded)


def _uncrowded(rows: Rows, blocks: Blocks, planes: list[int]) -> int:
    """Columns of blocks for which lanes have registers, and that do not lie across the ends of planes.

    Fewer columns where registers run out, but no fewer than make loads of 16 bytes a lane.
    """
    block, lanes, device = blocks.columns, LANES * blocks.warps, rows.device
    wide = lanes * WIDEST_BYTES // _narrowest(rows) if rows.is_aligned else lanes
    across = [size for size in planes if size % block and block % size]
    while block > wide and (
        is_crowded(block // lanes, rows.carried, blocks.loaded, device) or any(size % block for size in across)
    ):
        block //= 2
    return max(block, min(wide, LOOPED))


def _narrowest(rows: Rows) -> int:
    """The bytes of the narrowest element that is read or written for each row and column."""
    return min((a.element_bytes for a in rows.found if len(a.loops) > 1), default=4)
