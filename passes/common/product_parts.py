"""Generated products of matrices whose sums several programs share (split-K): into how many parts they are cut.

Of few rows and columns there are fewer blocks than the device runs programs, and each goes along the whole of a long
sum. With the sum in parts there are more programs. They write sums of parts to memory, and one more kernel adds these
up and does what follows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from passes.common.device import Device
from passes.common.product_tiling import LEAST, Sizes, best_tiling, predicted_us

COUNTS = (2, 3, 4, 6, 8, 12, 16)
"""Parts that are tried."""
BUSY = 2
"""Blocks for each multiprocessor that keep it busy."""
ADDS_US = 3.0
"""What the kernel that adds up the parts takes besides its traffic, microseconds. Choices by this take 1.027 times the
time of the best in the mean, of 64 drawn products of few rows in 1, 2, 4 or 8 parts (H200)."""
PARTIAL_BYTES = 4
"""Of the sum of a part, a float32."""


@dataclass(frozen=True)
class ProductParts:
    """How many parts the summed axis of a product is cut into; one, if each program has all of it."""

    count: int
    us: float
    """Predicted microseconds, with the kernel that adds up several parts and does what follows the sum."""


@cache
def product_parts(sizes: Sizes, device: Device) -> ProductParts | None:
    """The parts that take the least predicted time; None where the device has no tensor cores for the product.

    Parts are equally long, and of whole groups of packed weights. There is one part where blocks enough keep the device
    busy, and of sums over windows.
    """
    tiling = best_tiling(sizes, device)
    if tiling is None:
        return None
    whole = ProductParts(1, predicted_us(tiling, sizes, device))
    over_windows = sizes.run and not any(sizes.computed)
    if over_windows or tiling.blocks(sizes) >= BUSY * device.multiprocessors:
        return whole
    unit = sizes.run or LEAST
    found = (_in_parts(sizes, count, device) for count in COUNTS if sizes.k % (count * unit) == 0)
    return min([whole, *(parts for parts in found if parts is not None)], key=lambda parts: parts.us)


def _in_parts(sizes: Sizes, count: int, device: Device) -> ProductParts | None:
    """So many parts; None where they are shorter than a step."""
    width = sizes.products * PARTIAL_BYTES
    cut = replace(
        sizes, k=sizes.k // count, batch=sizes.batch * count, row_step=sizes.n, read=sizes.factor_bytes, beside=0,
        written=width, work=0.0, held=0, described=False,
    )  # fmt: skip
    tiling = best_tiling(cut, device)
    if tiling is None:
        return None
    elements = sizes.batch * sizes.m * sizes.n
    partial, behind = count * elements * width, elements * sizes.moved
    adds_us = ADDS_US + device.traffic_us(partial, partial) + 1e6 * behind / device.bandwidth
    return ProductParts(count, predicted_us(tiling, cut, device) + adds_us)
