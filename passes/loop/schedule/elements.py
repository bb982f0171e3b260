"""Schedules of loops without reductions: flat blocks of elements, or tiles where memory runs along two axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from mlc_dialects.loop.dialect import IndirectIndexOp, LoadOp, LoopOp, ParallelOp
from mlc_dialects.triton.types import LANES
from mlc_support.powers import power_of_two, power_of_two_up_to
from passes.common.device import LINE_BYTES, WIDEST_BYTES, Device
from passes.loop.analysis.coalescing import Access, widest_element
from passes.loop.analysis.registers import warps_for

DIVISIBLE = 16
"""The most by which Triton knows a number to be divisible."""
TILE_BYTES, TILE_WARPS = 32 << 10, 8
"""What a tile loads whose lines begin anywhere, and the warps that do."""
SOUGHT = 64
"""How many elements a lane looks up at once: their places come first, then what is there."""
ASKED_BYTES = 64
"""What a lane of a pointwise kernel asks of memory at once: enough to hide how long that takes."""


@dataclass(frozen=True)
class Schedule:
    """The mapping of one kernel: block sizes of rows and columns, warps and the reason."""

    rows: int
    columns: int | None
    warps: int
    why: str


def pointwise(outer: ParallelOp, found: Sequence[Access], elements: int) -> Schedule:
    """Flat blocks of about `elements`.

    Where elements are looked up a lane has SOUGHT of them, whose places it waits for at once. Of what it reads
    backwards each element is a load, less than the four bytes for which a lane has a register: it asks for twice as
    many.
    """
    sought = any(isinstance(a.op, LoadOp) and _is_sought(a, found, outer) for a in found if a.is_indirect)
    a_lane = _asked_at_once(found)
    block = min(2 * elements if sought else elements * a_lane // 8, power_of_two(outer.size.constant))
    backwards = any(a.element_bytes < 4 and not a.is_indirect and a.step(outer) == -1 for a in found)
    warps = warps_for(block, SOUGHT if sought else 2 * a_lane if backwards else a_lane)
    return Schedule(block, None, warps, f"{block} elements a program")


def _asked_at_once(found: Sequence[Access]) -> int:
    """Elements that a lane asks for at once: one or two of the widest loads of each buffer, ASKED_BYTES."""
    a_load = WIDEST_BYTES // min(4, max((a.element_bytes for a in found), default=4))
    asked = sum(a.element_bytes for a in found if isinstance(a.op, LoadOp))
    looks_up = any(a.is_indirect for a in found)
    return 2 * a_load if looks_up or 2 * a_load * asked <= ASKED_BYTES else a_load


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


def _is_sought(access: Access, found: Sequence[Access], outer: ParallelOp) -> bool:
    """True if what is looked up for neighbouring elements lies in places that are data of their own."""
    reads = {a.op: a for a in found if isinstance(a.op, LoadOp)}
    asked: list[SSAValue] = [v.owner.value for v in access.op.indices if isinstance(v.owner, IndirectIndexOp)]
    while asked:
        owner = asked.pop().owner
        if isinstance(owner, LoadOp) and reads[owner].step(outer) != 0:
            return True
        asked.extend(owner.operands if isinstance(owner, Operation) and not isinstance(owner, LoadOp) else ())
    return False
