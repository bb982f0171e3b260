"""Blocks: what a program holds at once of each loop, how lanes take it, and how it lies in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import gcd, prod

from mlc_dialects.triton.types import LANES
from mlc_support.powers import power_of_two, power_of_two_up_to
from passes.common.device import BANK_BYTES, BANKS, TAG_LOOKUPS, Device
from passes.loop.schedule.tiling import Tiling
from passes.loop.schedule.traffic import FAR, Traffic
from passes.loop.schedule.workload import Body, Workload

L2_SECTORS = 2
"""Sectors that one request to L2 moves, where fewer are asked for as well."""
MOST_ROWS = 4
"""Rows for each of which a lane loads what they have in common: more loads than that take longer than shared memory."""

Steps = tuple[tuple[int, int], ...]
"""Extent and step of each axis that rows or columns run over, the innermost first."""


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
    within_lines: bool = False
    """True if the rows of a block lie within a line of memory."""

    @cached_property
    def times(self) -> float:
        """Blocks of columns for each round."""
        return self.steps * self.often

    @cached_property
    def meets_each_step(self) -> bool:
        """True if lanes combine what they have at every step; of several rows each lane keeps a maximum of its own."""
        return self.body.is_ordered or ("softmax" in self.body.reductions and self.rows == 1)

    @property
    def carried(self) -> float:
        """Words that reductions carry along from step to step."""
        return 0 if self.meets_each_step else self.each * self.body.carried / 4

    @cached_property
    def filled(self) -> float:
        """The share of the block's columns that there are: the others are masked."""
        return min(1.0, self.body.columns / max(1, self.steps * self.columns))

    @cached_property
    def moved(self) -> dict[Traffic, Moved]:
        """What each access of the body moves of the block."""
        block = self.rows, self.columns, self.within_lines
        return {t: _moved(t.row_axes, t.column_axes, *block) for t in self.body.traffic}

    @cached_property
    def tile(self) -> list[Traffic]:
        """What differs from row to row and from column to column: one access of each shape."""
        return [t for t in self.body.shapes if t.moves_rows and t.moves_columns]

    @cached_property
    def runs_along_rows(self) -> bool:
        """True if lanes take some of the tile along the rows."""
        return any(self.moved[t].along_rows for t in self.tile)

    @cached_property
    def turns(self) -> int:
        """How many accesses lanes turn, of all that the body has."""
        return turns_of(self, self.body.traffic)

    def touched(self, t: Traffic) -> int:
        """Elements of a block that lanes ask for: of what is the same for all rows, or all columns, one."""
        return (self.rows if t.moves_rows else 1) * (self.columns if t.moves_columns else 1)

    def holds(self, t: Traffic) -> bool:
        """True for loads of which each lane holds an element of its own for each of the block's."""
        return t.is_load and (self.columns == 1 or self.touched(t) > self.rows)


def shares_of(work: Workload, choice: Tiling) -> Iterator[Share]:
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
            work.overlap is not None,
        )


@dataclass(frozen=True)
class Moved:
    """What an access moves of a block, however many lanes take it."""

    places: int
    """Elements that lie at places of their own: of `x[p floordiv 4]` a fourth of those that lanes ask for."""
    along_rows: bool
    """True if neighbouring lanes take neighbouring rows.

    As Triton lays it out: along the axis of which it knows more elements to be contiguous, of equals the columns. It
    knows nothing of the rows where data says the place of each column.
    """
    known: int
    """Neighbours along that axis that Triton knows to be contiguous."""
    extents: Steps
    """Extent and step of what the block covers of each axis, that of neighbouring lanes first."""


@lru_cache(maxsize=1 << 14)
def _moved(row_axes: Steps, column_axes: Steps, rows: int, columns: int, within_lines: bool) -> Moved:
    """What an access along axes of some extents and steps moves of a block."""
    places = prod(extent for _, extent in (*_covered(row_axes, rows), *_covered(column_axes, columns)))
    in_line = within_lines and row_axes and row_axes[0][1] == 1 and row_axes[0][0] >= rows
    rows_run = rows if in_line else _known_run(row_axes, rows)
    columns_run = _known_run(column_axes, columns)
    is_data = any(step == FAR for _, step in column_axes)
    along_rows = rows > 1 and not is_data and rows_run > columns_run
    rows_first = along_rows or columns == 1
    of_rows, of_columns = _extents(row_axes, rows), _extents(column_axes, columns)
    return Moved(
        places=min(places, _touched(row_axes, rows) * _touched(column_axes, columns)),
        along_rows=along_rows,
        known=rows_run if rows_first else columns_run,
        extents=(*of_rows, *of_columns) if rows_first else (*of_columns, *of_rows),
    )


def _touched(axes: Steps, count: int) -> int:
    """How many of `count` neighbours lanes ask for: of what is the same for all of them, one."""
    return count if any(step for _, step in axes) else 1


def is_along_rows(share: Share, t: Traffic) -> bool:
    """True if neighbouring lanes take neighbouring rows of what an access of the share's body moves."""
    return share.moved[t].along_rows


def _known_run(axes: Steps, count: int) -> int:
    """How many of `count` neighbours Triton knows to be contiguous: a power of two that divides a broken run."""
    run = 1
    for extent, step in axes:
        if step != run:
            return min(count, gcd(run, 1 << 30))
        run *= extent
    return count if run > 1 else 1


def laid_by(share: Share, t: Traffic, device: Device) -> int:
    """Neighbouring elements that a lane has of what an access moves, as Triton lays it out: of the widest load."""
    touched = share.touched(t)
    if not t.is_aligned or touched <= 1:
        return 1
    widest = min(device.widest_bytes // t.bytes, int(touched / (LANES * share.warps)))
    return max(1, min(power_of_two_up_to(widest), share.moved[t].known))


def vector_of(share: Share, t: Traffic, device: Device) -> int:
    """Elements that one instruction of a lane moves."""
    return min(laid_by(share, t, device), t.masked_alike)


@dataclass(frozen=True)
class Spread:
    """How the columns of a block are laid over lanes, as Triton's blocked layouts do: the contiguous axis first."""

    lanes: int
    """Lanes of a warp that hold columns of one row."""
    warps: int
    """Warps that hold columns of one row."""
    rows: float
    """Rows of which a lane holds columns."""


def spread_of(share: Share, device: Device) -> Spread:
    """The layout of the block of a loop that reduces its columns."""
    along_rows = share.runs_along_rows
    taken = (t for t in share.tile if share.moved[t].along_rows == along_rows)
    vector = max((laid_by(share, t, device) for t in taken), default=1)
    first, second = (share.rows, share.columns) if along_rows else (share.columns, share.rows)
    lanes = min(LANES, max(1, first // vector))
    warps = min(share.warps, max(1, first // (vector * lanes)))
    other_lanes = min(LANES // lanes, second)
    other_warps = min(share.warps // warps, max(1, second // other_lanes))
    if not along_rows:
        return Spread(lanes, warps, max(1.0, share.rows / (other_lanes * other_warps)))
    return Spread(other_lanes, other_warps, max(1.0, share.rows / (lanes * warps)))


def turns_of(share: Share, moved: Iterable[Traffic]) -> int:
    """How many loads and stores take a block along its columns, where others take it along its rows; or the reverse.

    It is the fewer of them: lanes turn what these move, and compute with the layout of the others.
    """
    if share.rows == 1 or share.columns == 1:
        return 0
    along_rows = [share.moved[t].along_rows for t in moved if t.moves_rows and t.moves_columns]
    return min(along_rows.count(True), along_rows.count(False))


def wants_each_row(share: Share, t: Traffic, device: Device) -> bool:
    """True for a load of what the rows have in common, that Triton would lay out otherwise than the tile it is read by.

    Of fewer elements than lanes each lane has its own at once, and a vector for each lane lies as a row of the tile.
    """
    lanes = LANES * share.warps
    if not t.is_load or t.moves_rows or not t.moves_columns or share.columns < lanes or share.runs_along_rows:
        return False
    spread = spread_of(share, device)
    return spread.lanes * spread.warps < lanes and spread.rows <= MOST_ROWS


def lies_otherwise(share: Share, t: Traffic) -> bool:
    """True for a load of what the rows have in common, of an element for each lane, in a tile that lanes take along
    the rows.

    One element for each lane is how Triton lays out the vector, and what it may make of the tile: lanes along the
    columns, each with all rows of one.
    """
    is_vector = t.is_load and t.moves_columns and not t.moves_rows
    return is_vector and share.columns >= LANES * share.warps and share.runs_along_rows


@dataclass(frozen=True)
class Pieces:
    """The memory of a block: `count` pieces of so many sectors, and so many bytes with the gaps that sectors hide."""

    count: int
    sectors: int
    bytes: int


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


def pieces_of(t: Traffic, share: Share, device: Device) -> Pieces:
    """How the elements of a block lie in memory."""
    columns = min(share.columns, share.body.columns)
    axes = (*_covered(t.column_axes, columns), *_covered(t.row_axes, share.rows))
    return _laid_out(axes, t.bytes, t.is_aligned, device.sector_bytes)


@lru_cache(maxsize=1 << 12)
def _laid_out(axes: Steps, size: int, is_aligned: bool, sector: int) -> Pieces:
    """How elements of `size` bytes lie in memory, of axes of some steps and extents."""
    count, span = 1, size
    for step, extent in sorted(axes):
        if count == 1 and step * size < span + sector:
            span += (extent - 1) * step * size
        else:
            count *= extent
    sectors = -(-span // sector) + (0 if is_aligned or span < sector else 1)
    return Pieces(count, max(sectors, L2_SECTORS) if count > 1 else sectors, span)


def _covered(axes: Steps, count: int) -> Iterator[tuple[int, int]]:
    """Step and extent of what `count` neighbours cover of each axis, where the access moves along it."""
    for extent, step in axes:
        if step and count > 1:
            yield step, min(extent, count)
        count = -(-count // max(1, extent))


@dataclass(frozen=True)
class Request:
    """What one load or store instruction of a warp touches."""

    cycles: float
    """Of the load/store unit: in each, every bank gives one word, and the tags of some lines are looked up."""
    sectors: int


def request_of(t: Traffic, share: Share, vector: int, stretch: int, device: Device) -> Request:
    """The request of a warp of whose lanes each moves `vector` elements, `stretch` elements from the lane before."""
    return _request(share.moved[t].extents, t.bytes, vector, stretch, device.line_bytes, device.sector_bytes)


def _extents(axes: Steps, count: int) -> Iterator[tuple[int, int]]:
    """Extent and step of what `count` neighbours cover of each axis, and of what they have in common."""
    for extent, step in axes:
        if count > 1:
            yield max(1, min(extent, count)), step
        count = -(-count // max(1, extent))
    if count > 1:
        yield count, 0


@lru_cache(maxsize=1 << 14)
def _request(
    axes: Steps, size: int, vector: int, stretch: int, line: int, sector: int
) -> Request:
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
