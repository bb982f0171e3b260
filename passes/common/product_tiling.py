"""Generated products of matrices: which tilings are worth a prediction, and how long each takes.

A program holds a block of the result in registers and goes along the summed axis in steps of `depth`. Each step loads a
block of either factor through shared memory, where `stages` of them wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import gcd

from mlc_support.powers import power_mean
from passes.common.device import WIDEST_BYTES, Device

LEAST = 16
"""The shortest side of a block that tensor cores multiply."""
ROWS, COLUMNS, DEPTHS = (16, 32, 64, 128), (16, 32, 64, 128, 256), (32, 64, 128)
WARPS, STAGES = (4, 8), (3, 4)
GROUP = 8
"""Most blocks of rows of a group."""
ACCUMULATORS, WITH_STORES = 128, 192
"""Most of a lane's registers that hold the result, and with those that its narrow stores need; others hold factors."""
OF_FLOAT32 = 64
"""Most that hold results of float32, whose functions are computed without an error that 16 bits would hide: with more,
`silu` behind a product spills (sm_80, sm_90)."""
OTHERS = 64
"""Registers of a lane beside those of blocks, where residency is predicted: addresses, what is on its way."""


@dataclass(frozen=True)
class Fitted:
    """Constants of the model, fitted to 78 measured kernels: 7 products of 16 to 8192 rows, in 6 to 13 tilings each.

    On an H200, `benchmarks/results/product_tilings_h200.json`. What the model chooses takes 1.007 times the time of the
    best there, 1.035 times at most; 85 % of the predictions are within 1.25 times.
    """

    wide_rows: int = 64
    """Blocks of fewer rows take tensor cores as long: four warps multiply so many at once (PTX, wgmma)."""
    l2_share: float = 1.45
    """Of the bandwidth of L2, what factors arrive with that several multiprocessors read at once."""
    latency_share: float = 1.2
    """Of the latency of device memory, what a step waits for its factors where all stages are empty."""
    step_us: float = 0.05
    """To synchronise the warps of a program at each step."""
    element_us: float = 3e-6
    """What is done to an element of the result behind the sum."""
    narrow_us: float = 1.2e-4
    """To store an element by itself, of those of a program. Of 16384 x 50257 elements, which take 0.8 ms more."""
    power: float = 4.0
    """Of the mean of what a step waits for: near the greatest."""


FITTED = Fitted()


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

    def shared_bytes(self, sizes: Sizes) -> int:
        """Of the blocks that wait; each further product of the same loop has a factor of its own."""
        return sizes.element_bytes * self.stages * self.depth * (self.rows + sizes.products * self.columns)

    def accumulators(self, products: int, device: Device) -> int:
        """Registers of a lane that hold the results."""
        return products * self.rows * self.columns // (self.warps * device.lanes)

    def fits(self, sizes: Sizes, device: Device) -> bool:
        """True if registers hold the results, and shared memory the factors.

        Stores of less than a vector each have an address and a mask: 128 of single elements spill (sm_90).
        """
        held, narrow = self.accumulators(sizes.products, device), self._narrow_stores(sizes, device)
        most = ACCUMULATORS if sizes.element_bytes == 2 else OF_FLOAT32
        roomy = held <= most and held + narrow <= WITH_STORES
        return roomy and self.shared_bytes(sizes) <= device.shared_per_block

    def resident(self, sizes: Sizes, device: Device) -> int:
        """Programs that a multiprocessor runs at once."""
        held = self.accumulators(sizes.products, device) + self._narrow_stores(sizes, device)
        registers = min(device.registers_per_thread, held + OTHERS)
        return device.resident(self.warps, registers, self.shared_bytes(sizes))

    def _narrow_stores(self, sizes: Sizes, device: Device) -> int:
        """Those of a lane that store less than a vector."""
        return self.accumulators(sizes.products, device) // sizes.stored if sizes.is_narrow else 0


@dataclass(frozen=True)
class Sizes:
    """A matrix product of m x k by k x n, or several that share the first factor."""

    m: int
    n: int
    k: int
    products: int = 1
    row_step: int = 0
    """Rows of the results begin at multiples of so many elements."""
    element_bytes: int = 2
    """Of a factor: a float of 16 bits, or float32 as TF32."""

    @property
    def stored(self) -> int:
        """Elements of a row of the result that a lane can store at once, wherever rows begin."""
        return gcd(WIDEST_BYTES // self.element_bytes, self.row_step)

    @property
    def is_narrow(self) -> bool:
        """True if these are less than a vector."""
        return self.stored < WIDEST_BYTES // self.element_bytes

    @property
    def flops(self) -> int:
        return 2 * self.products * self.m * self.n * self.k

    @property
    def bytes(self) -> int:
        """Each factor read once, and one result written."""
        return self.element_bytes * (self.m * self.k + self.products * self.n * self.k + self.m * self.n)


def tilings(sizes: Sizes, device: Device) -> Iterator[ProductTiling]:
    """Those that fit, no larger than the product."""
    for rows, columns, depth, warps, stages in product(ROWS, COLUMNS, DEPTHS, WARPS, STAGES):
        tiling = ProductTiling(rows, columns, depth, warps, stages, blocks_of_group(sizes.m, rows))
        m, n = max(sizes.m, LEAST), max(sizes.n, LEAST)
        small = rows >= 2 * m or columns >= 2 * n or depth >= 2 * sizes.k
        if not small and tiling.fits(sizes, device):
            yield tiling


def blocks_of_group(m: int, rows: int) -> int:
    """As many blocks of rows as a group may have; it divides the blocks there are."""
    blocks = -(-m // rows)
    return max(group for group in range(1, GROUP + 1) if blocks % group == 0)


def predicted_us(tiling: ProductTiling, sizes: Sizes, device: Device) -> float:
    """Microseconds: programs run in waves, the last of them perhaps not full; device memory is the least."""
    programs = -(-sizes.m // tiling.rows) * -(-sizes.n // tiling.columns)
    resident = tiling.resident(sizes, device)
    us = device.waves_us(programs, resident, lambda busy: wave_us(tiling, sizes, device, busy)) + _latency_us(device)
    return power_mean((us, 1e6 * sizes.bytes / device.bandwidth), 2 * FITTED.power) + device.launch_us


def wave_us(tiling: ProductTiling, sizes: Sizes, device: Device, busy: int) -> float:
    """A wave of `busy` programs on each multiprocessor: each step waits for tensor cores, for L2, or for memory."""
    held = sizes.products * tiling.columns
    flops = 2 * busy * max(tiling.rows, FITTED.wide_rows) * held * tiling.depth
    fetched = sizes.element_bytes * busy * tiling.depth * (tiling.rows + held)
    waits = (
        1e6 * flops * device.multiprocessors / device.product_flops(sizes.element_bytes, tf32=True),
        1e6 * fetched * device.multiprocessors / (FITTED.l2_share * device.l2_bandwidth),
        _latency_us(device) / (tiling.stages - 1),
    )
    steps = -(-sizes.k // tiling.depth)
    stores_us = FITTED.narrow_us / sizes.stored if sizes.is_narrow else 0.0
    each_us = FITTED.element_us + stores_us
    return steps * (power_mean(waits, FITTED.power) + FITTED.step_us) + each_us * busy * tiling.rows * held


def _latency_us(device: Device) -> float:
    return FITTED.latency_share * device.dram_latency_ns / 1000


@cache
def best_tiling(sizes: Sizes, device: Device) -> ProductTiling | None:
    """The tiling of the least predicted time; None where none fits, or the device has no tensor cores for it."""
    if device.tensor_rate(sizes.element_bytes, tf32=True) is None:
        return None
    return min(tilings(sizes, device), key=lambda t: predicted_us(t, sizes, device), default=None)
