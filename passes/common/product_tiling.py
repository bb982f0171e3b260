"""Generated products of matrices: which tilings are worth a prediction, and how long each takes.

A program holds a block of the result in registers and goes along the summed axis in steps of `depth`. Each step loads a
block of either factor through shared memory, where `stages` of them wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from math import gcd, log2

from mlc_support.powers import power_mean
from passes.common.device import WIDEST_BYTES, Device

WGMMA = (9, 0)
"""The compute capability from which on tensor cores take factors from shared memory."""
LEAST = 16
"""The shortest side of a block that tensor cores multiply."""
NARROWEST = 8
"""Columns that an instruction of one warp gives, of `LEAST` rows (PTX, mma)."""
ROWS, COLUMNS, DEPTHS = (16, 32, 64, 128), (16, 32, 64, 128, 256), (32, 64, 128)
WARPS, STAGES = (4, 8), (3, 4)
GROUP = 8
"""Most blocks of rows of a group."""
ACCUMULATORS, WITH_STORES = 128, 192
"""Most of a lane's registers that hold the result, and with those that its narrow stores need, or what is computed
beside it; others hold factors."""
OF_FLOAT32 = 64
"""Most that hold results of float32, whose functions are computed without an error that 16 bits would hide: with more,
`silu` behind a product spills (sm_80, sm_90)."""
BESIDE = 64
"""Most that hold the result where registers hold addresses of factors, and what is computed beside the result."""
WINDOW = 16
"""More that hold the places of a window's rows, where factors are in registers too: before wgmma (sm_90)."""
OTHERS = 64
"""Registers of a lane beside those of blocks, where residency is predicted: addresses, what is on its way."""
SLICES = (1, 2, 4, 8)
"""Of a block's columns: what follows the sum is computed and stored for one after the other."""


@dataclass(frozen=True)
class Fitted:
    """Constants of the model, fitted to 929 kernels measured on an H200, of which the faster ones weigh more.

    Drawn products and convolutions with what follows them, in 8 tilings each (`drawn_products_h200.json` and
    `described_products_h200.json` of `benchmarks/results`), convolutions of groups, and some with a batch norm. What
    the model chooses takes 1.024 to 1.052 times the time of the best in the mean of each of the four (1.25 at most),
    and 1.054 times that of groups measured afterwards (`grouped_convolutions_h200.json`).
    """

    wide_rows: int = 64
    """Blocks of fewer rows are multiplied by instructions of a warp, not of four together (PTX, mma and wgmma)."""
    few_rows_rate: float = 0.31
    """Of the rate of tensor cores, what those reach."""
    l2_share: float = 1.56
    """Of the bandwidth of L2, what factors arrive with that several multiprocessors read at once."""
    memory_share: float = 1.0
    """Of the bandwidth of device memory, what factors arrive with that are read once."""
    short_share: float = 0.77
    """Of that, what they arrive with where a step takes half a cache line of each row."""
    latency_share: float = 0.97
    """Of the latency of device memory, what a step waits for its factors where all stages are empty."""
    fill_share: float = 0.36
    """Of that, what the one program of a multiprocessor waits before its first step; others work meanwhile."""
    read_share: float = 0.39
    """Of that, what it waits for what is read behind the sum."""
    window_us: float = 4.8e-4
    """To find the place of a row of the window at each step, of those of a warp, microseconds."""
    ragged: float = 1.18
    """Times as long takes a step where the last one is not full, so that each masks what it loads."""
    issue_share: float = 0.45
    """Of the instructions that a multiprocessor can issue, those it does behind the sum, or to compute factors."""
    staged: float = 2.0
    """Instructions to bring an element of a factor that is computed to tensor cores. Fitted by hand to 54 products of
    packed weights on an H100, whose times are predicted within 20 % mostly."""
    lone: float = 7.0
    """Times as long takes an instruction that computes a factor, where a multiprocessor has one program. Of n programs,
    which fill each other's latency, 1/n^2 of that. By hand, as `staged`, on an H200 (`packed_h200.json`)."""
    work: float = 4.6
    """Instructions to convert and store an element of the result, beside those that compute it."""
    narrow_us: float = 2e-5
    """More than that to store an element by itself, microseconds, of those of a program."""
    setup_us: float = 1.5
    """Before the first load, microseconds."""
    rate_share: float = 1.0
    """Of the rate of tensor cores in products of the library, what is reached."""
    power: float = 2.7
    """Of the mean of what waits for each other: near the greatest."""


FITTED = Fitted()
DESCRIBED = Fitted(
    few_rows_rate=0.245, l2_share=1.9, short_share=0.5, latency_share=0.93, fill_share=0.16, read_share=0.2, ragged=1.4,
    issue_share=0.32, work=1.4, narrow_us=7.8e-5, setup_us=3.4, rate_share=1.3, power=2.8, memory_share=0.7,
)  # fmt: skip
"""Of kernels that load by tensor descriptors, in a persistent loop: making descriptors takes a while, and then factors
arrive while the block before is stored.

Fitted with the others to 168 kernels of 28 drawn products (`benchmarks/results/described_products_h200.json`) and of 12
convolutions with a batch norm. The error is some 17 %. `memory_share` is by 64 products of few rows
(`few_rows_h200.json`), of which the choice takes 1.014 times the time of the best with it, and 1.026 without.
"""


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
    descriptors: bool = False
    """True if factors are loaded by tensor descriptors, in a persistent loop over the blocks of the result."""

    def __str__(self) -> str:
        return f"{self.rows} x {self.columns} x {self.depth}"

    def shared_bytes(self, sizes: Sizes) -> int:
        """Of the blocks that wait; each further product of the same loop has a factor of its own, or two."""
        rows, columns = (blocks.bytes(self.stages) for blocks in sizes.waiting)
        stored = self._stored_bytes(sizes) if self.descriptors else 0
        return self.depth * (self.rows * rows + self.columns * columns) + stored

    def _stored_bytes(self, sizes: Sizes) -> int:
        """Of a slice that Triton lays out anew in shared memory to store it, while factors of the next block wait.

        That goes by the rows that warps multiply at once, and in two halves where rows of 16 bits are long (sm_90,
        Triton 3.6 and 3.9).
        """
        rows, width = min(self.rows, LEAST * self.warps), max(sizes.written, sizes.element_bytes)
        columns = self.columns // SLICES[1]
        return rows * columns * width // (2 if width == 2 and columns >= 32 * self.warps else 1)

    @property
    def fitted(self) -> Fitted:
        """The constants of the model of its time."""
        return DESCRIBED if self.descriptors else FITTED

    @property
    def repeated(self) -> int:
        """How many warps compute the same factors: of few rows and columns there are fewer instructions than warps."""
        instructions = (self.rows // LEAST) * (self.columns // NARROWEST)
        return max(1, self.warps // instructions) if self.rows < self.fitted.wide_rows else 1

    def blocks(self, sizes: Sizes) -> int:
        """Of the results."""
        return sizes.batch * -(-sizes.m // self.rows) * -(-sizes.n // self.columns)

    def programs(self, sizes: Sizes, device: Device) -> int:
        """Of the grid: those of a persistent loop are as many as run at once."""
        blocks = self.blocks(sizes)
        return min(blocks, device.multiprocessors * self.resident(sizes, device)) if self.descriptors else blocks

    def accumulators(self, products: int, device: Device) -> int:
        """Registers of a lane that hold the results."""
        return products * self.rows * self.columns // (self.warps * device.lanes)

    def fits(self, sizes: Sizes, device: Device) -> bool:
        """True if registers hold the results, and shared memory the factors.

        Stores of less than a vector each have an address and a mask: 128 of single elements spill (sm_90).
        """
        held, narrow = self.accumulators(sizes.products, device), self._narrow_stores(sizes, device)
        most = ACCUMULATORS if sizes.element_bytes == 2 else OF_FLOAT32
        most -= WINDOW if sizes.run and device.capability < WGMMA else 0
        most = min(most, BESIDE) if sizes.held and not self.descriptors else most
        roomy = held <= most and held + narrow <= WITH_STORES
        return roomy and self.shared_bytes(sizes) <= device.shared_per_block

    def slices(self, sizes: Sizes, device: Device) -> int:
        """Of the columns, for what follows the sum, so that a lane has registers for what is computed beside it.

        With descriptors at least two: factors of the next block leave little shared memory to lay results out anew.
        """
        held = self.accumulators(sizes.products, device)
        roomy = (n for n in SLICES if held + held * sizes.held // n <= WITH_STORES)
        return max(next(roomy, SLICES[-1]), SLICES[1] if self.descriptors else SLICES[0])

    def resident(self, sizes: Sizes, device: Device) -> int:
        """Programs that a multiprocessor runs at once."""
        held = self.accumulators(sizes.products, device) + self._narrow_stores(sizes, device)
        registers = min(device.registers_per_thread, held + OTHERS)
        return device.resident(self.warps, registers, self.shared_bytes(sizes))

    def _narrow_stores(self, sizes: Sizes, device: Device) -> int:
        """Those of a lane that store less than a vector, where it holds addresses of factors as well."""
        holds = sizes.is_narrow and not self.descriptors
        return self.accumulators(sizes.products, device) // sizes.stored if holds else 0


@dataclass(frozen=True)
class Blocks:
    """What waits in shared memory of the factors on one side, in bytes for each element of a block."""

    loaded: int
    """Of blocks that are multiplied as they are loaded: one for each stage."""
    parts: int = 0
    """Of blocks that factors are computed of: one for each stage but that at work, which has them in registers."""
    computed: int = 0
    """Of factors that are computed: those of the stage at work."""

    def bytes(self, stages: int) -> int:
        return stages * self.loaded + (stages - 1) * self.parts + self.computed


@dataclass(frozen=True)
class Sizes:
    """A matrix product of m x k by k x n, or several of these sizes, which may share the first factor."""

    m: int
    n: int
    k: int
    products: int = 1
    firsts: int = 1
    """Different first factors of the products."""
    batch: int = 1
    """Each of these has factors and results of its own."""
    row_step: int = 0
    """Rows of the results begin at multiples of so many elements."""
    element_bytes: int = 2
    """Of a factor: a float of 16 bits, or float32 as TF32."""
    run: int = 0
    """Where several axes are summed, elements of the innermost, which are neighbours in memory; 0 for one axis.

    Where depths divide it each step takes a part of it; else steps go from one part to the next.
    """
    read: int = 0
    """Bytes of memory that the factors are loaded from; 0 where it holds each that is multiplied."""
    computed: tuple[float, float] = (0.0, 0.0)
    """Instructions to compute an element of a factor of rows, and of one of columns; 0 where they are loaded."""
    beside: int = 0
    """Bytes that are read behind the sum for each element of the results."""
    written: int = 0
    """Bytes of the results for each of their elements; 0 for one result as wide as a factor."""
    work: float = 0.0
    """Instructions behind the sum for each element of the results."""
    described: bool = False
    """True if tensor descriptors can tell all factors: aligned matrices, loaded as they are multiplied."""
    held: int = 0
    """Floats that are computed behind the sum, but not of it, for each element of the results, before they meet it."""
    blocks: tuple[Blocks, Blocks] | None = None
    """Of the factors of rows, and of those of columns; None where each is loaded as it is multiplied."""

    @cached_property
    def waiting(self) -> tuple[Blocks, Blocks]:
        """What waits in shared memory of the factors of rows, and of those of columns."""
        loaded = Blocks(self.firsts * self.element_bytes), Blocks(self.products * self.element_bytes)
        return self.blocks or loaded

    @cached_property
    def stored(self) -> int:
        """Elements of a row of the result that a lane can store at once, wherever rows begin."""
        return gcd(WIDEST_BYTES // self.element_bytes, self.row_step)

    @cached_property
    def is_narrow(self) -> bool:
        """True if these are less than a vector."""
        return self.stored < WIDEST_BYTES // self.element_bytes

    @property
    def flops(self) -> int:
        return 2 * self.batch * self.products * self.m * self.n * self.k

    @property
    def factor_bytes(self) -> int:
        """Those of the factors, each read once."""
        each = self.element_bytes * self.k * (self.firsts * self.m + self.products * self.n)
        return self.read or self.batch * each

    @property
    def bytes(self) -> int:
        """Each factor read once, what is read behind the sum, and the results written."""
        return self.factor_bytes + self.batch * self.m * self.n * self.moved

    @property
    def moved(self) -> int:
        """Bytes read and written behind the sum for each element of the results."""
        return self.beside + (self.written or self.element_bytes)


def tilings(sizes: Sizes, device: Device) -> Iterator[ProductTiling]:
    """Those that fit, no larger than the product."""
    loads = (False, True) if sizes.described and "tma" in device.features else (False,)
    for (rows, columns, depth), warps, stages, descriptors in product([*_blocks(sizes)], WARPS, STAGES, loads):
        tiling = ProductTiling(rows, columns, depth, warps, stages, blocks_of_group(sizes.m, rows), descriptors)
        one_step = descriptors and depth >= sizes.k
        if not one_step and tiling.fits(sizes, device):
            yield tiling


def _blocks(sizes: Sizes) -> Iterator[tuple[int, int, int]]:
    """Rows, columns and depths of blocks that are not much larger than the product."""
    m, n = max(sizes.m, LEAST), max(sizes.n, LEAST)
    for rows, columns, depth in product(ROWS, COLUMNS, DEPTHS):
        in_run = sizes.run % depth == 0 or sizes.run % DEPTHS[0] > 0
        if rows < 2 * m and columns < 2 * n and depth < 2 * sizes.k and in_run:
            yield rows, columns, depth


@cache
def blocks_of_group(m: int, rows: int) -> int:
    """As many blocks of rows as a group may have; it divides the blocks there are."""
    blocks = -(-m // rows)
    return max(group for group in range(1, GROUP + 1) if blocks % group == 0)


def predicted_us(tiling: ProductTiling, sizes: Sizes, device: Device) -> float:
    """Microseconds: the sums and what is done behind them, each in waves of programs, and no less than memory takes."""
    programs, resident = tiling.blocks(sizes), tiling.resident(sizes, device)
    sums_us = device.waves_us(programs, resident, lambda busy: wave_us(tiling, sizes, device, busy))
    behind_us = device.waves_us(programs, resident, lambda busy: _behind_us(tiling, sizes, device, busy))
    factors_us = 1e6 * sizes.factor_bytes / (tiling.fitted.memory_share * device.bandwidth)
    results_us = 1e6 * sizes.batch * sizes.m * sizes.n * sizes.moved / device.bandwidth
    power = tiling.fitted.power
    both = power_mean((sums_us, factors_us), power) + power_mean((behind_us, results_us), power)
    return both + _latency_us(tiling, device) + tiling.fitted.setup_us + device.launch_us


def wave_us(tiling: ProductTiling, sizes: Sizes, device: Device, busy: int) -> float:
    """The sums of `busy` programs on each multiprocessor: a step waits for tensor cores, for L2, or for memory."""
    held, fitted = sizes.products * tiling.columns, tiling.fitted
    rate = fitted.rate_share * device.product_flops(sizes.element_bytes, tf32=True)
    rate *= fitted.few_rows_rate if tiling.rows < fitted.wide_rows else 1.0
    flops = 2 * busy * tiling.rows * held * tiling.depth
    fetched = sizes.element_bytes * busy * tiling.depth * (sizes.firsts * tiling.rows + held)
    bandwidth = fitted.l2_share * device.l2_bandwidth
    bandwidth *= _piece_share(tiling, sizes, device)
    latency = _latency_us(tiling, device)
    waits = (
        1e6 * flops * device.multiprocessors / rate,
        1e6 * fetched * device.multiprocessors / bandwidth,
        latency / (tiling.stages - 1),
    )
    places_us = fitted.window_us * busy * tiling.rows / tiling.warps if sizes.run else 0.0
    computed_us = _computed_us(tiling, sizes, device, busy) if any(sizes.computed) else 0.0
    steps = -(-sizes.k // tiling.depth) * (fitted.ragged if sizes.k % tiling.depth else 1.0)
    return steps * (power_mean(waits, fitted.power) + places_us + computed_us) + fitted.fill_share * latency / busy


def _computed_us(tiling: ProductTiling, sizes: Sizes, device: Device, busy: int) -> float:
    """Of a step, to compute the factors that are not loaded as they are multiplied."""
    fitted = tiling.fitted
    slower = max(1.0, fitted.lone / busy**2)
    work = sum(
        elements * (slower * instructions + fitted.staged)
        for elements, instructions in zip(
            (sizes.firsts * tiling.rows, sizes.products * tiling.columns), sizes.computed, strict=True
        )
        if instructions
    )
    return busy * tiling.depth * work * tiling.repeated / _issued(fitted, device)


def _piece_share(tiling: ProductTiling, sizes: Sizes, device: Device) -> float:
    """Of the bandwidth of L2, what is reached by pieces of less than a cache line, in whole sectors."""
    piece = sizes.element_bytes * min(tiling.depth, sizes.run or tiling.depth)
    sectors = min(-(-piece // device.sector_bytes) * device.sector_bytes, device.line_bytes)
    return min(1.0, piece / sectors) * tiling.fitted.short_share ** log2(device.line_bytes / sectors)


def _behind_us(tiling: ProductTiling, sizes: Sizes, device: Device, busy: int) -> float:
    """What `busy` programs on each multiprocessor do behind their sums: they read, compute and store."""
    fitted = tiling.fitted
    narrow_us = fitted.narrow_us / sizes.stored if sizes.is_narrow else 0.0
    elements = busy * tiling.rows * sizes.products * tiling.columns
    reads_us = fitted.read_share * _latency_us(tiling, device) / busy if sizes.beside else 0.0
    return elements * ((sizes.work + fitted.work) / _issued(fitted, device) + narrow_us) + reads_us


def _issued(fitted: Fitted, device: Device) -> float:
    """Instructions that a multiprocessor issues in a microsecond, for one lane each, beside the products."""
    return fitted.issue_share * device.float32_units * 1e3 * device.clock_ghz


def _latency_us(tiling: ProductTiling, device: Device) -> float:
    return tiling.fitted.latency_share * device.dram_latency_ns / 1000


@cache
def best_tiling(sizes: Sizes, device: Device) -> ProductTiling | None:
    """The tiling of the least predicted time; None where none fits, or the device has no tensor cores for it."""
    if device.tensor_rate(sizes.element_bytes, tf32=True) is None:
        return None
    return min(tilings(sizes, device), key=lambda t: predicted_us(t, sizes, device), default=None)
