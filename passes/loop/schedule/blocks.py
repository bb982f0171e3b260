"""Blocks: what a program holds at once of each loop, how lanes take it, and how it lies in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import sqrt

from mlc_dialects.triton.types import LANES
from mlc_support.powers import power_of_two, power_of_two_up_to
from passes.common.device import BANK_BYTES, BANKS, TAG_LOOKUPS, Device
from passes.loop.schedule.moved import Block, Steps
from passes.loop.schedule.tiling import Tiling
from passes.loop.schedule.traffic import Traffic
from passes.loop.schedule.workload import Body, Workload

WIDEST_SUM = 8
"""Bytes of the widest number that a persistent loop adds up."""
L2_SECTORS = 2
"""Sectors that one request to L2 moves, where fewer are asked for as well."""
MOST_ROWS = 4
"""Rows for each of which a lane loads what they have in common: more loads than that take longer than shared memory."""


@dataclass(frozen=True)
class Share:
    """What a program holds at once of one body."""

    body: Body
    rows: int
    columns: int
    steps: int
    """Blocks of columns, one after another."""
    each: float
    """Elements of a block for each lane."""
    warps: int
    often: float
    """How often the body runs for each round of a persistent loop: less than once, where it stands behind it."""
    block: Block
    """What it moves, however many lanes take it."""
    device: Device

    @property
    def times(self) -> float:
        """Blocks of columns for each round."""
        return self.steps * self.often

    @property
    def meets_each_step(self) -> bool:
        """True if lanes combine what they have at every step; of several rows each lane keeps a maximum of its own."""
        return self.body.is_ordered or ("softmax" in self.body.reductions and self.rows == 1)

    @property
    def carried(self) -> float:
        """Words that reductions carry along from step to step."""
        return 0 if self.meets_each_step else self.each * self.body.carried / 4

    @property
    def filled(self) -> float:
        """The share of the block's columns that there are: the others are masked."""
        return min(1.0, self.body.columns / max(1, self.steps * self.columns))

    @cached_property
    def spread(self) -> Spread:
        """The layout of the block of a loop that reduces its columns."""
        along_rows = self.block.runs_along_rows
        vector = max((laid_by(self, t) for t in self.block.leading), default=1)
        first, second = (self.rows, self.columns) if along_rows else (self.columns, self.rows)
        lanes = min(LANES, max(1, first // vector))
        warps = min(self.warps, max(1, first // (vector * lanes)))
        other_lanes = min(LANES // lanes, second)
        other_warps = min(self.warps // warps, max(1, second // other_lanes))
        if not along_rows:
            return Spread(lanes, warps, max(1.0, self.rows / (other_lanes * other_warps)))
        return Spread(other_lanes, other_warps, max(1.0, self.rows / (lanes * warps)))


@dataclass(frozen=True)
class Spread:
    """How the columns of a block are laid over lanes, as Triton's blocked layouts do: the contiguous axis first."""

    lanes: int
    """Lanes of a warp that hold columns of one row."""
    warps: int
    """Warps that hold columns of one row."""
    rows: float
    """Rows of which a lane holds columns."""


def shares_of(work: Workload, choice: Tiling, device: Device) -> Iterator[Share]:
    """What a program holds at once of each body under a tiling."""
    rows = choice.rows * work.rows_at_once
    for body in work.bodies:
        columns = 1 if body.loop is None else min(choice.columns, power_of_two(body.columns))
        steps = 1 if work.is_tile or body.loop is None else -(-body.columns // columns)
        yield Share(
            body,
            rows,
            columns,
            steps,
            max(1.0, rows * columns / (LANES * choice.warps)),
            choice.warps,
            body.rounds / work.rounds,
            body.block(rows, columns, work.overlap is not None),
            device,
        )


def is_along_rows(share: Share, t: Traffic) -> bool:
    """True if neighbouring lanes take neighbouring rows of what an access moves, or there are no columns."""
    return share.columns == 1 or share.block.moved[t].along_rows


def laid_by(share: Share, t: Traffic) -> int:
    """Neighbouring elements that a lane has of what an access moves, as Triton lays it out: of the widest load."""
    moved = share.block.moved[t]
    if not t.is_aligned or moved.touched <= 1:
        return 1
    widest = min(share.device.widest_bytes // t.bytes, int(moved.touched / (LANES * share.warps)))
    return max(1, min(power_of_two_up_to(widest), moved.known))


def vector_of(share: Share, t: Traffic) -> int:
    """Elements that one instruction of a lane moves."""
    return min(laid_by(share, t), t.alike)


def summed_by_column(share: Share) -> int:
    """Sums of a block that a persistent loop has taken, and that go to lanes of one warp for each column.

    0 where a warp has all rows of its columns, or where a multiprocessor has no room for a block of 64 bits.
    """
    sums = share.rows * share.columns
    meets = share.body.accumulators and share.rows > 1 and share.spread.warps < share.warps
    return sums if meets and WIDEST_SUM * sums <= share.device.shared_per_block else 0


def wants_each_row(share: Share, t: Traffic) -> bool:
    """True for a load of what the rows have in common, that Triton would lay out otherwise than the tile it is read by.

    Of fewer elements than lanes each lane has its own at once, and a vector for each lane lies as a row of the tile.
    """
    return _fills_lanes(share, t) and _shares_lanes(share) and share.spread.rows <= MOST_ROWS


def lies_otherwise(share: Share, t: Traffic) -> bool:
    """True for a load of what the rows have in common, an element for each lane, that is read by a tile in which lanes
    have many rows, or follow them.

    One element for each lane is how Triton lays out the vector, and what it may make of the tile: lanes along the
    columns, each with all rows of one.
    """
    many = _shares_lanes(share) and share.spread.rows > MOST_ROWS
    return _fills_lanes(share, t) and (share.block.runs_along_rows or many)


def _fills_lanes(share: Share, t: Traffic) -> bool:
    """True for a load of what the rows have in common, with an element for each lane at least."""
    return t.is_load and t.moves_columns and not t.moves_rows and share.columns >= LANES * share.warps


def _shares_lanes(share: Share) -> bool:
    """True if the columns of a tile lie along its rows' lanes, and those of one row are not all lanes."""
    spread = share.spread
    return not share.block.runs_along_rows and spread.lanes * spread.warps < LANES * share.warps


@dataclass(frozen=True)
class Pieces:
    """The memory of a block: `count` contiguous pieces of so many sectors."""

    count: int
    sectors: int
    length: int
    """Bytes of a piece, with the gaps that sectors hide; of a sector, at the least."""
    weight: float
    """The root of a sector over that."""


def in_sectors(t: Traffic, device: Device) -> float:
    """Bytes of whole sectors for each byte that all programs together ask for: more than 1 where gaps are between."""
    return _in_sectors((*t.row_axes, *t.column_axes), t.bytes, t.is_aligned, device.sector_bytes)


@lru_cache(maxsize=1 << 12)
def _in_sectors(axes: Steps, size: int, is_aligned: bool, sector: int) -> float:
    """The same of elements of `size` bytes along axes of some extents and steps."""
    run, gap = 1, 0
    for step, extent in sorted((step, extent) for extent, step in axes if step):
        if step > run:
            gap = step
            break
        run = max(run, step * (extent - 1) + run)
    if not gap:
        return 1.0
    asked = run * size
    whole = -(-asked // sector) * sector
    touched = whole if is_aligned or run == 1 else asked + sector - size
    return min(touched, gap * size) / asked


def pieces_of(t: Traffic, share: Share) -> Pieces:
    """How the elements of a block lie in memory."""
    return _laid_out(share.block.moved[t].memory, t.bytes, t.is_aligned, share.device.sector_bytes)


@lru_cache(maxsize=1 << 12)
def _laid_out(axes: Steps, size: int, is_aligned: bool, sector: int) -> Pieces:
    """How elements of `size` bytes lie in memory, of axes of some steps and extents."""
    count, span = 1, size
    for step, extent in sorted(axes):
        if count == 1 and step * size < span + sector:
            span += (extent - 1) * step * size
        else:
            count *= extent
    sectors, length = -(-span // sector) + (0 if is_aligned or span < sector else 1), max(sector, span)
    return Pieces(count, max(sectors, L2_SECTORS) if count > 1 else sectors, length, sqrt(sector / length))


@dataclass(frozen=True)
class Request:
    """What one load or store instruction of a warp touches."""

    cycles: float
    """Of the load/store unit: in each, every bank gives one word, and the tags of some lines are looked up."""
    sectors: int


def request_of(t: Traffic, share: Share, vector: int, stretch: int) -> Request:
    """The request of a warp of whose lanes each moves `vector` elements, `stretch` elements from the lane before."""
    device = share.device
    return _request(share.block.moved[t].extents, t.bytes, vector, stretch, device.line_bytes, device.sector_bytes)


@lru_cache(maxsize=1 << 14)
def _request(axes: Steps, size: int, vector: int, stretch: int, line: int, sector: int) -> Request:
    """The request of lanes that take elements of `size` bytes along axes of some extents and steps."""
    words: set[int] = set()
    for lane in range(LANES):
        rest, place = lane * stretch, 0
        for extent, step in axes:
            rest, index = divmod(rest, extent)
            place += index * step
        first, last = place * size // BANK_BYTES, ((place + vector) * size - 1) // BANK_BYTES
        words |= set(range(first, last + 1))
    banks = Counter(word % BANKS for word in words)
    lines = {word * BANK_BYTES // line for word in words}
    return Request(
        max(max(banks.values()), len(lines) / TAG_LOOKUPS), len({word * BANK_BYTES // sector for word in words})
    )
