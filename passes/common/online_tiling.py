"""Products that follow each other in one kernel: which tilings are worth a prediction, and how long each takes.

A program holds a block of rows: the running maximum and sum of each, and what is summed for it. It goes along the keys
in steps of `depth`. Each step loads a block of either factor through shared memory, multiplies the first by the rows,
weighs the scores, and multiplies the weights by the second. Each warp has all scores of its rows, so that their maximum
and sum need no shared memory. Where scores of a batch are added up, a program holds a block of the sums, and a step is
one of the batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import ceil, inf

from mlc_support.index_expr import IndexExpr, integer
from mlc_support.powers import power_mean, power_of_two
from passes.common.device import Device
from passes.common.product_tiling import LEAST, ProductTiling, Sizes, wave_us

WIDEST = 256
"""The longest axis of a factor that a block holds whole; what is longer is gone along in steps of `STEP`."""
STEP = 64
ROWS, DEPTHS, STAGES = (16, 32, 64, 128), (16, 32, 64, 128, 256), (2, 3)
PARTS = (2, 4, 8, 16, 32, 64)
"""Of the keys, each of whole steps of any depth."""
NUMBERS_OF_ROW, RESULT_BYTES = 2, 4
"""What a part has of each row beside its sums: the maximum and the sum of exponentials; bytes of each, float32."""
ROWS_OF_WARP, LEAST_WARPS = 16, 4
"""Rows of a block of the first product that one warp has, and the warps that multiply together (PTX, wgmma)."""
WORDS_OF_SCORE, WORDS_OF_ANOTHER, WORDS_OF_WEIGHT, OTHERS = 5 / 3, 3, 1 / 2, 36
"""Registers of a lane for each of its scores, as itself and rounded, for each of another product, for each rounded
weight of another sum, and for no block."""
WORDS_OF_FACTORS = 16
"""More of them where tensor cores take both factors from registers: before sm_90."""
WORDS_OF_FLOAT32 = 10
"""More of them where no tensor core multiplies: a lane holds what it multiplies. With fewer, kernels spill (sm_90)."""
FLOAT32_SHARE = 0.55
"""Of the rate of float32, what blocks of it reach that no tensor core multiplies. Estimated."""
OVERLAP = 4.0
"""The power of the mean of what programs take and what memory takes: the longer hides the shorter. Estimated."""
SCORE = 6
"""Instructions for each score: maximum, exponent, exponential, sum, and a conversion."""
STEP_INSTRUCTIONS = 130
"""Those of a warp for each step, beside scores and sums. All are counted in sm_90 code, as registers are."""


@dataclass(frozen=True)
class Fitted:
    """Constants of the model, fitted to 96 measured kernels: 4 kinds of attention in 24 tilings each, on an H200.

    What the model chooses takes 1.03 times the time of the best there, 1.09 times at most; of 13 other kernels, in
    benchmarks/results/online_tilings_h200.json, 1.18 times at most.
    `python -m benchmarks.product_tilings --cases '*attention*'` measures such kernels.
    """

    share: float = 1.08
    """Of the rate of tensor cores, what a block's products take alone: the power mean adds what they wait for."""
    wait_us: float = 0.396
    """What a step waits for its factors where two stages hold them."""
    start_us: float = 4.26
    """Of a program, before its first step and behind its last."""
    power: float = 1.65
    """Of the mean of what all programs of a multiprocessor need, and what one needs and waits for."""


FITTED = Fitted()


@dataclass(frozen=True)
class OnlineSizes:
    """For each of `batch`: scores of rows x keys, which are sums of products, and weigh rows of `columns`."""

    batch: int
    rows: int
    keys: int
    depths: tuple[int, ...]
    """How many products are added to a score: of each product of the same rows and keys, as gradients have several."""
    columns: int
    """0 where nothing is weighed."""
    element_bytes: int = 2
    """Of the factors."""
    pointwise: int = 4
    """What is done to a score before it is weighed, in instructions."""
    sums: int = 1
    """How many rows of columns weights are multiplied by: gradients of keys and values are summed together."""
    shared: int = 0
    """How many of these are factors of scores too, the other way round: they are loaded once (`transposed-loads`)."""
    tf32: bool = False
    """Tensor cores multiply factors of float32, as TF32."""
    added: int = 1
    """How many of a larger batch are added up, score by score, by programs that each have a block of rows and keys."""

    @property
    def depth(self) -> int:
        """Of all products that give scores."""
        return sum(self.depths)

    @property
    def width(self) -> int:
        """What blocks hold of the axes of these products."""
        return sum(map(width_of, self.depths))

    @property
    def is_whole(self) -> bool:
        """True if blocks hold these axes whole."""
        return max(self.depths) <= WIDEST

    @property
    def held(self) -> int:
        """What a block holds of the columns of one sum."""
        return _side(self.columns) if self.columns else 0

    @property
    def summed(self) -> int:
        """What blocks hold of the columns of all sums."""
        return self.held * self.sums

    @property
    def loaded(self) -> int:
        """What is loaded for each key."""
        return self.width + self.held * (self.sums - self.shared)


@dataclass(frozen=True)
class OnlineTiling:
    """What a program holds, and by how many warps."""

    rows: int
    depth: int
    """Of the keys."""
    warps: int
    stages: int

    def __str__(self) -> str:
        return f"{self.rows} rows x {self.depth} keys"

    def programs(self, sizes: OnlineSizes) -> int:
        """How many there are: each has all keys of its rows, or a block of them where scores are added up."""
        rows = sizes.batch * -(-sizes.rows // self.rows)
        return rows * -(-sizes.keys // self.depth) if sizes.added > 1 else rows

    def steps(self, sizes: OnlineSizes) -> int:
        """Blocks of scores that a program computes, one after the other."""
        return sizes.added if sizes.added > 1 else -(-sizes.keys // self.depth)

    def registers(self, sizes: OnlineSizes, device: Device) -> int:
        """Of a lane: sums, scores, and others."""
        scores = WORDS_OF_SCORE + (len(sizes.depths) - 1) * WORDS_OF_ANOTHER + (sizes.sums - 1) * WORDS_OF_WEIGHT
        scores += sizes.added > 1
        scores += WORDS_OF_FLOAT32 if device.tensor_rate(sizes.element_bytes, sizes.tf32) is None else 0
        words = self.rows * sizes.summed + self.rows * self.depth * scores
        factors = WORDS_OF_FACTORS if device.capability < (9, 0) else 0
        return ceil(words / (self.warps * device.lanes)) + OTHERS + factors

    def shared_bytes(self, sizes: OnlineSizes) -> int:
        """Of the factors that wait, and of the rows, which wait too where a block does not hold them whole."""
        waiting = self.stages * self.depth * sizes.loaded
        rows = self.rows * sizes.width * (1 if sizes.is_whole and sizes.added == 1 else self.stages)
        return sizes.element_bytes * (waiting + rows)

    def fits(self, sizes: OnlineSizes, device: Device) -> bool:
        """True if registers and shared memory have room."""
        roomy = self.registers(sizes, device) <= device.registers_per_thread
        return roomy and self.shared_bytes(sizes) <= device.shared_per_block

    def resident(self, sizes: OnlineSizes, device: Device) -> int:
        """Programs that a multiprocessor runs at once."""
        return device.resident(self.warps, self.registers(sizes, device), self.shared_bytes(sizes))


def width_of(depth: int) -> int:
    """What a block holds of the axis of a product that gives scores."""
    return _side(depth) if depth <= WIDEST else STEP


def _side(size: int) -> int:
    """The side of a block that holds `size`."""
    return max(LEAST, power_of_two(size))


def online_tilings(sizes: OnlineSizes, device: Device) -> Iterator[OnlineTiling]:
    """Those that fit, no larger than the scores."""
    for rows, depth, stages in product(ROWS, DEPTHS, STAGES):
        warps = max(LEAST_WARPS, rows // ROWS_OF_WARP)
        tiling = OnlineTiling(rows, depth, warps, stages)
        large = rows > _side(sizes.rows) or depth > _side(sizes.keys)
        if not large and rows * depth >= 32 * warps * 4 and tiling.fits(sizes, device):
            yield tiling


def predicted_us(tiling: OnlineTiling, sizes: OnlineSizes, device: Device) -> float:
    """Microseconds: programs run in waves, the last of them perhaps not full, and memory gives each key once."""
    resident = tiling.resident(sizes, device)
    us = device.waves_us(tiling.programs(sizes), resident, lambda busy: _wave_us(tiling, sizes, device, busy))
    keys = sizes.batch * sizes.added * sizes.keys * sizes.loaded * sizes.element_bytes
    return power_mean((us, device.traffic_us(keys, keys)), OVERLAP) + device.launch_us


def _wave_us(tiling: OnlineTiling, sizes: OnlineSizes, device: Device, busy: int) -> float:
    """A wave of `busy` programs on each multiprocessor.

    A program's products wait for its exponentials and they for the products; those of other programs hardly overlap
    with them, but for what a program waits for. Where blocks do not hold the axes of the first products whole, each
    step is a bare product of blocks, and what is done to its scores.
    """
    if not sizes.is_whole and device.tensor_rate(sizes.element_bytes, sizes.tf32) is not None:
        block = ProductTiling(tiling.rows, tiling.depth, STEP, tiling.warps, tiling.stages)
        bare = wave_us(
            block, Sizes(sizes.rows, sizes.keys, sizes.depth, element_bytes=sizes.element_bytes), device, busy
        )
        work = _products_us(tiling, replace(sizes, depths=(0,)), device) + _weights_us(tiling, sizes, device)
        return FITTED.start_us + tiling.steps(sizes) * (bare + busy * work)
    work = _products_us(tiling, sizes, device) + _weights_us(tiling, sizes, device)
    fetched = _fetched_bytes(tiling, sizes) * busy * device.multiprocessors * 1e6 / device.l2_bandwidth
    alone = work + FITTED.wait_us / (tiling.stages - 1)
    step = max(power_mean((busy * work, alone), FITTED.power), fetched)
    return FITTED.start_us + tiling.steps(sizes) * step


def _products_us(tiling: OnlineTiling, sizes: OnlineSizes, device: Device) -> float:
    """The products of one step of a program."""
    flops = 2 * max(tiling.rows, ROWS_OF_WARP * LEAST_WARPS) * tiling.depth * (sizes.depth + sizes.summed)
    rate = device.tensor_rate(sizes.element_bytes, sizes.tf32)
    reached = device.flops * FLOAT32_SHARE if rate is None else rate * FITTED.share
    return flops * device.multiprocessors * 1e6 / reached


def _weights_us(tiling: OnlineTiling, sizes: OnlineSizes, device: Device) -> float:
    """What a step does to its scores, and to the sums so far, which become relative to another maximum."""
    scores = tiling.rows * tiling.depth * (SCORE + sizes.pointwise)
    instructions = scores + tiling.rows * sizes.summed + tiling.warps * device.lanes * STEP_INSTRUCTIONS
    return instructions / (device.float32_units * device.clock_ghz * 1e3)


def _fetched_bytes(tiling: OnlineTiling, sizes: OnlineSizes) -> int:
    """Of L2, in a step: a block of either factor, and of rows that a program does not hold all the time."""
    again = 0 if sizes.is_whole and sizes.added == 1 else tiling.rows * sizes.depth
    return sizes.element_bytes * (tiling.depth * sizes.loaded + again)


@dataclass(frozen=True)
class KeyParts:
    """The keys of each row in `count` parts, for programs of their own, of `length` but for the last ones."""

    count: int
    length: IndexExpr
    us: float
    """Predicted, with what adds up the parts."""


def key_parts(sizes: OnlineSizes, keys: IndexExpr, device: Device) -> KeyParts | None:
    """The parts of so many `keys` that take the least predicted time; None where one part does (Dao et al. 2023)."""
    if sizes.added > 1:
        return None
    whole = online_us(sizes, device)
    found = [_key_parts(sizes, keys, count, device) for count in PARTS if count * DEPTHS[-1] <= sizes.keys]
    best = min(found, key=lambda parts: parts.us, default=None)
    return best if best is not None and best.us < whole else None


def _key_parts(sizes: OnlineSizes, keys: IndexExpr, count: int, device: Device) -> KeyParts:
    step = count * DEPTHS[-1]
    length = (keys + (step - 1)) // step * DEPTHS[-1]
    cut = replace(sizes, batch=sizes.batch * count, keys=-(-sizes.keys // step) * DEPTHS[-1])
    partial = cut.batch * cut.rows * (sizes.columns * sizes.sums + NUMBERS_OF_ROW) * RESULT_BYTES
    return KeyParts(count, length, online_us(cut, device) + device.launch_us + device.traffic_us(partial, partial))


def least_us(sizes: OnlineSizes, device: Device) -> float:
    """Predicted microseconds, in one part or several; infinite where the device has no tiling."""
    parts = key_parts(sizes, integer(sizes.keys), device)
    return online_us(sizes, device) if parts is None else parts.us


def online_us(sizes: OnlineSizes, device: Device) -> float:
    """Predicted microseconds of the best tiling; infinite where the device has none."""
    tiling = best_online_tiling(sizes, device)
    return inf if tiling is None else predicted_us(tiling, sizes, device)


@cache
def best_online_tiling(sizes: OnlineSizes, device: Device) -> OnlineTiling | None:
    """The tiling of the least predicted time; None where none fits, or the device has no tensor cores for it."""
    if device.tensor_rate() is None:
        return None
    return min(online_tilings(sizes, device), key=lambda t: predicted_us(t, sizes, device), default=None)
