"""What the registers of a program have room for: warps, accumulators, loads, addresses."""

from __future__ import annotations

from collections.abc import Sequence

from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.dialect import KernelOp, LoopOp, ReduceOp
from mlc_dialects.triton.types import LANES
from mlc_support.powers import power_of_two
from mlc_support.walks import walk
from passes.common.device import MOST_WARPS, Device
from passes.loop.analysis.coalescing import dividends, span

INT32_LIMIT = 2**31 - 2**24
"""Offsets below this fit 32-bit arithmetic, with room for the lanes past the end that are masked."""


def working_warps(device: Device) -> int:
    """Warps that a multiprocessor is to keep at work: half of those that it can hold."""
    return device.warps_per_multiprocessor // 2


def lane_bytes(device: Device) -> int:
    """The registers of each lane in bytes, where `working_warps` share them: what accumulators may take of them."""
    return device.register_bytes // (device.lanes * working_warps(device))


def resident_columns(device: Device) -> int:
    """The longest contiguous row that one program keeps in registers: of 4 bytes a column, a quarter of all.

    Longer rows are read block by block, and again where they are needed again.
    """
    return device.registers_per_multiprocessor // 4


def is_crowded(a_lane: int, carried: int, loaded: int, device: Device) -> bool:
    """True if so many columns a lane take more of its registers than accumulators, or what is loaded, should.

    Loads may bring half of `lane_bytes`: with more, fewer programs share a multiprocessor.
    """
    most = lane_bytes(device)
    return a_lane * carried > most or 2 * a_lane * loaded > most


def uncrowded(block: int, warps: int, carried: int, loaded: int, device: Device) -> int:
    """As many warps, from `warps` on, as hold a block: then few long rows are at work at a time."""
    while warps < device.warps_per_block and is_crowded(block // (LANES * warps), carried, loaded, device):
        warps *= 2
    return warps


def carried_bytes(loops: Sequence[LoopOp]) -> int:
    """Bytes of accumulator for each column that the greediest of `loops` carries along."""
    total = 1
    for loop in loops:
        if isinstance(loop, ReduceOp):
            extra = {"argmax": 4, "argmin": 4, "welford": 4}
            held = [extra.get(kind, 0) + byte_size(v.type) for kind, v, _ in loop.parts if kind != "softmax"]
            total = max(total, sum(held))
    return total


def index_bits(kernel: KernelOp) -> int:
    """64 if any address or iteration count may leave 32-bit integers, as unknown sizes may; else 32."""
    spans = [span(a.type) for a in kernel.buffers]
    counts = [op.size for op in walk(kernel) if isinstance(op, LoopOp)]
    fits = [s.constant is not None and s.constant < INT32_LIMIT for s in (*spans, *counts, *dividends(kernel))]
    return 32 if all(fits) else 64


def warps_for(elements: int, per_lane: int) -> int:
    """A power of two of warps, 1 to MOST_WARPS, at which each lane holds about `per_lane` elements."""
    return max(1, min(MOST_WARPS, power_of_two(elements // (LANES * per_lane))))
