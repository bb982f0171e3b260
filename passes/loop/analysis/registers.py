"""What the registers of a program have room for: warps, accumulators, loads, addresses."""

from __future__ import annotations

from collections.abc import Sequence

from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.dialect import KernelOp, LoopOp, ReduceOp
from mlc_dialects.triton.types import LANES
from mlc_support.powers import power_of_two
from passes.loop.analysis.coalescing import dividends, span

MOST_WARPS = 32
REGISTER_BYTES = 256
"""What the accumulators of a looped reduction may take of each lane's registers."""
LOADED_BYTES = 128
"""What of memory a block's loads may bring each lane; with more, fewer programs share a multiprocessor."""
INT32_LIMIT = 2**31 - 2**24
"""Offsets below this fit 32-bit arithmetic, with room for the lanes past the end that are masked."""


def is_crowded(a_lane: int, carried: int, loaded: int) -> bool:
    """True if so many columns a lane take more of its registers than accumulators, or what is loaded, should."""
    return a_lane * carried > REGISTER_BYTES or a_lane * loaded > LOADED_BYTES


def uncrowded(block: int, warps: int, carried: int, loaded: int) -> int:
    """As many warps, from `warps` on, as hold a block: then few long rows are at work at a time."""
    while warps < MOST_WARPS and is_crowded(block // (LANES * warps), carried, loaded):
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
    counts = [op.size for op in kernel.walk() if isinstance(op, LoopOp)]
    fits = [s.constant is not None and s.constant < INT32_LIMIT for s in (*spans, *counts, *dividends(kernel))]
    return 32 if all(fits) else 64


def warps_for(elements: int, per_lane: int) -> int:
    """A power of two of warps, 1 to 32, at which each lane holds about `per_lane` elements."""
    return max(1, min(32, power_of_two(elements // (LANES * per_lane))))
