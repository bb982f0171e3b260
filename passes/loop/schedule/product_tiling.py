"""Tilings of matrix products: which are worth a prediction, and how long each takes.

A program holds a block of the result in registers and goes along the summed axis in steps of `depth`. Each step loads a
block of either factor through shared memory, where `stages` of them wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from passes.common.device import Device

BYTES = 2
"""Of an element of a factor."""
ROWS, COLUMNS, DEPTHS = (16, 32, 64, 128), (16, 32, 64, 128, 256), (32, 64, 128)
WARPS, STAGES = (4, 8), (3, 4)
GROUP = 8
"""Most blocks of rows of a group."""
ACCUMULATORS = 128
"""Most of a lane's registers that hold the result; addresses and factors need the others."""
WARP_GROUP_ROWS = 64
"""Rows that four warps multiply at once on Hopper (PTX, wgmma); fewer take as long."""


@dataclass(frozen=True)
class ProductTiling:
    """What a program of a matrix product holds, and by how many warps."""

    rows: int
    columns: int
    depth: int
    warps: int
    stages: int
    group: int = 1
    """Blocks of rows that consecutive programs take with one block of columns."""

    def __str__(self) -> str:
        return f"{self.rows} x {self.columns} x {self.depth}"

    def shared_bytes(self, products: int) -> int:
        """Of the blocks that wait; each further product of the same loop has a factor of its own."""
        return BYTES * self.stages * self.depth * (self.rows + products * self.columns)

    def fits(self, device: Device, products: int) -> bool:
        """True if registers hold the results, and shared memory the factors."""
        accumulators = products * self.rows * self.columns // (self.warps * device.lanes)
        return accumulators <= ACCUMULATORS and self.shared_bytes(products) <= device.shared_per_block


@dataclass(frozen=True)
class Sizes:
    """A matrix product of m x k by k x n, or several that share the first factor."""

    m: int
    n: int
    k: int
    products: int = 1


def tilings(sizes: Sizes, device: Device) -> Iterator[ProductTiling]:
    """Those that fit, no larger than the product."""
    for rows, columns, depth, warps, stages in product(ROWS, COLUMNS, DEPTHS, WARPS, STAGES):
        tiling = ProductTiling(rows, columns, depth, warps, stages, blocks_of_group(sizes.m, rows))
        small = rows >= 2 * sizes.m or columns >= 2 * sizes.n or depth >= 2 * sizes.k
        if not small and tiling.fits(device, sizes.products):
            yield tiling


def blocks_of_group(m: int, rows: int) -> int:
    """As many blocks of rows as a group may have; it divides the blocks there are."""
    blocks = -(-m // rows)
    return max(group for group in range(1, GROUP + 1) if blocks % group == 0)


def predicted_us(tiling: ProductTiling, sizes: Sizes, device: Device) -> float:
    """Microseconds: programs run in waves, each bound by tensor cores or by what it fetches from L2."""
    programs = -(-sizes.m // tiling.rows) * -(-sizes.n // tiling.columns)
    resident = max(1, min(device.shared_per_multiprocessor // (tiling.shared_bytes(sizes.products) + 1024), 4))
    waves = -(-programs // (device.multiprocessors * resident))
    busy = min(resident, -(-programs // device.multiprocessors))
    rate = device.tensor_flops["bf16"] * device.product_share / device.multiprocessors
    rate *= min(1.0, tiling.rows / WARP_GROUP_ROWS) * min(1.0, tiling.columns / WARP_GROUP_ROWS)
    depth = -(-sizes.k // tiling.depth) * tiling.depth
    flops = 2 * busy * sizes.products * tiling.rows * tiling.columns * depth
    fetched = busy * BYTES * depth * (tiling.rows + sizes.products * tiling.columns)
    wave = max(flops / rate, fetched * device.multiprocessors / device.l2_bandwidth)
    latency = device.dram_latency_ns * 1e-9 * (1 + sizes.k / tiling.depth / (tiling.stages * resident) / 8)
    least = BYTES * (sizes.m * sizes.k + sizes.products * sizes.n * (sizes.k + sizes.m)) / device.bandwidth
    return 1e6 * max(waves * wave + latency, least) + device.launch_us


def best_tiling(sizes: Sizes, device: Device) -> ProductTiling | None:
    """The tiling of the least predicted time; None where none fits."""
    return min(tilings(sizes, device), key=lambda t: predicted_us(t, sizes, device), default=None)
