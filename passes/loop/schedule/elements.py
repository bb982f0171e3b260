"""Schedules of loops without reductions: flat blocks of elements, or tiles where memory runs along two axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc_dialects.loop.dialect import LoadOp, LoopOp, ParallelOp
from mlc_dialects.triton.types import LANES
from mlc_support.powers import power_of_two, power_of_two_up_to
from passes.common.device import LINE_BYTES, Device
from passes.loop.analysis.coalescing import Access, widest_element
from passes.loop.analysis.registers import warps_for

DIVISIBLE = 16
"""The most by which Triton knows a number to be divisible."""
TILE_BYTES, TILE_WARPS = 32 << 10, 8
"""What a tile loads whose lines begin anywhere, and the warps that do."""
A_LANE = 8
"""Elements of a lane of a pointwise kernel: of 16 bits the widest load, of 32 bits two of these."""


@dataclass(frozen=True)
class Schedule:
    """The mapping of one kernel: block sizes of rows and columns, warps and the reason."""

    rows: int
    columns: int | None
    warps: int
    why: str


def pointwise(outer: ParallelOp, elements: int) -> Schedule:
    """Flat blocks of `elements`, a few for each lane."""
    block = min(elements, power_of_two(outer.size.constant))
    return Schedule(block, None, warps_for(block, A_LANE), f"{block} elements a program")


def tiles(outer: ParallelOp, inner: LoopOp, found: Sequence[Access], tile: int) -> Schedule:
    """Tiles of about `tile` x `tile`: where one axis is shorter the other side makes up for it.

    Where lines begin anywhere tiles are of TILE_BYTES of what is loaded. In those that are larger than others a line of
    memory is read along the columns, and more is written at once along the rows: parts of sectors are read first.
    """
    most = [power_of_two(loop.size.constant) for loop in (outer, inner)]
    elements, a_lane = tile * tile, 16
    if not all(a.is_aligned for a in found):
        loaded = sum(a.element_bytes for a in found if isinstance(a.op, LoadOp) and len(a.loops) > 1)
        elements = max(elements, power_of_two_up_to(TILE_BYTES // max(1, loaded)))
        a_lane = elements // (TILE_WARPS * LANES)
    if elements > tile * tile:
        most[1] = min(most[1], LINE_BYTES // widest_element(found))
    rows, columns = (min(tile, size) for size in most)
    rows = min(most[0], elements // columns)
    columns = min(most[1], elements // rows)
    why = f"tiles of {rows} x {columns}: memory runs along both axes"
    return Schedule(rows, columns, warps_for(rows * columns, a_lane), why)


def is_peeled(outer: ParallelOp, device: Device) -> bool:
    """True if the mask of the last program would keep what all of many programs load and store from being wide.

    Triton takes one instruction for several elements where it knows that all of them are masked alike.
    """
    size, blocks = outer.size.constant, outer.blocks.constant
    if size is None or blocks is None or any(op.regions for op in outer.body.block.ops):
        return False
    return size % DIVISIBLE != 0 and blocks > device.multiprocessors
