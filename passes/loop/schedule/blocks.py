"""Blocks: what a program holds at once of each loop, how lanes take it, and how it lies in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from mlc_dialects.triton.types import LANES
from mlc_support.powers import power_of_two
from passes.common.device import Device
from passes.loop.schedule.tiling import Tiling
from passes.loop.schedule.workload import FAR, Body, Traffic, Workload

L2_SECTORS = 2
"""Sectors that one request to L2 moves, where fewer are asked for as well."""


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

    @property
    def meets_each_step(self) -> bool:
        """True if lanes combine what they have at every step; of several rows each lane keeps a maximum of its own."""
        return self.body.is_ordered or ("softmax" in self.body.reductions and self.rows == 1)

    @property
    def carried(self) -> float:
        """Words that reductions carry along from step to step."""
        return 0 if self.meets_each_step else self.each * self.body.carried / 4

    def touched(self, t: Traffic) -> int:
        """Elements of a block that lie at places of their own."""
        return (self.rows if t.row_step != 0 else 1) * (self.columns if t.column_step != 0 else 1)

    def holds(self, t: Traffic) -> bool:
        """True for loads of which each lane holds an element of its own for each of the block's."""
        return t.is_load and (self.columns == 1 or self.touched(t) > self.rows)


def shares_of(work: Workload, choice: Tiling) -> Iterator[Share]:
    """What a program holds at once of each body under a tiling."""
    rows = choice.rows * work.rows_at_once
    for body in work.bodies:
        columns = 1 if body.loop is None else min(choice.columns, power_of_two(body.columns))
        steps = 1 if work.is_tile or body.loop is None else -(-body.columns // columns)
        yield Share(body, rows, columns, steps, max(1.0, rows * columns / (LANES * choice.warps)), choice.warps)


def laid_by(share: Share, t: Traffic, device: Device) -> int:
    """Neighbouring elements that a lane has of what an access moves, as Triton lays it out: of the widest load."""
    if not t.is_aligned or share.touched(t) <= 1:
        return 1
    run, whole = pieces_of(t, share, device).neighbours, _whole_run(share, t)
    widest = min(device.widest_bytes // t.bytes, run, int(share.touched(t) / (LANES * share.warps)))
    return max(1, widest if whole is None else gcd(whole, device.widest_bytes // t.bytes, power_of_two(widest)))


def _whole_run(share: Share, t: Traffic) -> int | None:
    """Elements side by side along the axis that lanes take, before the access goes on elsewhere; None if it does not.

    Vectors divide it: else one of them would go beyond its end.
    """
    along_rows = share.rows > 1 and bool(t.row_axes) and t.row_axes[0][1] == 1
    run = 1
    for extent, step in t.row_axes if along_rows else t.column_axes:
        if step != run:
            return run
        run *= extent
    return None


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


def spread_of(share: Share) -> Spread:
    """The layout of the block of a loop that reduces its columns."""
    moved = [t for t in share.body.traffic if t.row_step != 0 and t.column_step != 0]
    size = max((t.bytes for t in moved), default=4)
    along_columns = not any(t.row_step == 1 for t in moved) or share.rows == 1
    first, second = (share.columns, share.rows) if along_columns else (share.rows, share.columns)
    vector = max(1, min(16 // size, first, int(share.each)))
    lanes = min(LANES, max(1, first // vector))
    warps = min(share.warps, max(1, first // (vector * lanes)))
    other_lanes = min(LANES // lanes, second)
    other_warps = min(share.warps // warps, max(1, second // other_lanes))
    if along_columns:
        return Spread(lanes, warps, max(1.0, share.rows / (other_lanes * other_warps)))
    return Spread(other_lanes, other_warps, max(1.0, share.rows / (lanes * warps)))


@dataclass(frozen=True)
class Pieces:
    """The memory of a block: `count` pieces of so many sectors, in which `run` elements lie side by side."""

    count: int
    sectors: int
    run: int
    neighbours: int
    """Elements that lie side by side in the order in which lanes take them: along one axis of the block."""
    apart: int
    """Elements from these to the next."""


def pieces_of(t: Traffic, share: Share, device: Device) -> Pieces:
    """How the elements of a block lie in memory."""
    columns = min(share.columns, share.body.columns)
    along, across = tuple(_covered(t.column_axes, columns)), tuple(_covered(t.row_axes, share.rows))
    if across and across[0][0] == 1:
        along, across = across, along
    return _laid_out((*along, *across), t.bytes, t.is_aligned, device.sector_bytes)


@lru_cache(maxsize=1 << 12)
def _laid_out(axes: tuple[tuple[int, int], ...], size: int, is_aligned: bool, sector: int) -> Pieces:
    """How elements of `size` bytes lie in memory, of axes of some steps and extents, in the order of lanes."""
    run, count, span = 1, 1, size
    for step, extent in sorted(axes):
        if step == run and count == 1:
            run *= extent
        if count == 1 and step * size < span + sector:
            span += (extent - 1) * step * size
        else:
            count *= extent
    sectors = -(-span // sector) + (0 if is_aligned or span < sector else 1)
    neighbours = 1
    for step, extent in axes:
        if step != neighbours:
            break
        neighbours *= extent
    apart = min((step for step, _ in axes), default=FAR) if run == 1 else axes[0][0]
    return Pieces(count, max(sectors, L2_SECTORS) if count > 1 else sectors, run, neighbours, apart)


def _covered(axes: tuple[tuple[int, int], ...], count: int) -> Iterator[tuple[int, int]]:
    """Step and extent of what `count` neighbours cover of each axis, where the access moves along it."""
    for extent, step in axes:
        if step and count > 1:
            yield step, min(extent, count)
        count = -(-count // extent)


def lines_touched(size: int, vector: int, laid: int, pieces: Pieces, device: Device) -> float:
    """Cache lines that one instruction of a warp touches, of `vector` elements of each lane, lanes `laid` apart."""
    line = device.line_bytes
    if pieces.neighbours == 1:
        return max(1.0, LANES * min(line, pieces.apart * size) / line)
    together = min(float(LANES), max(1.0, pieces.neighbours / laid))
    return LANES / together * max(1.0, together * min(line, laid * size) / line)
