"""Products that follow each other in one kernel: which tilings are worth a prediction, and how long each takes.

A program holds a block of rows: the running maximum and sum of each, and what is summed for it. It goes along the keys
in steps of `depth`. Each step loads a block of either factor through shared memory, multiplies the first by the rows,
weighs the scores, and multiplies the weights by the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from mlc_support.powers import power_of_two
from passes.common.device import Device
from passes.common.product_tiling import FITTED, LEAST, OTHERS

WIDEST = 256
"""The longest axis of a factor that a block holds whole; what is longer is gone along in steps of `STEP`."""
STEP = 64
ROWS, DEPTHS, WARPS, STAGES = (16, 32, 64, 128), (16, 32, 64, 128, 256), (4, 8), (2, 3, 4)
WIDE_ROWS = 64
"""Blocks of fewer rows take tensor cores as long: four warps multiply so many at once (PTX, wgmma)."""
POINTWISE = 8
"""float32 operations for each score, beside the exponential."""


@dataclass(frozen=True)
class OnlineSizes:
    """For each of `batch`: scores of rows x keys, which are sums of `depth` products, and weigh rows of `columns`."""

    batch: int
    rows: int
    keys: int
    depth: int
    columns: int
    """0 where nothing is weighed."""
    element_bytes: int = 2
    """Of the factors."""

    @property
    def width(self) -> int:
        """What a block holds of the axis of the first product."""
        return _side(self.depth) if self.depth <= WIDEST else STEP

    @property
    def is_whole(self) -> bool:
        """True if a block holds the whole axis of the first product."""
        return self.width >= self.depth

    @property
    def held(self) -> int:
        """What a block holds of the columns."""
        return _side(self.columns) if self.columns else 0


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

    def registers(self, sizes: OnlineSizes, device: Device) -> int:
        """Of a lane: sums, scores, what is made of them in the type of the factors, and others."""
        elements = self.rows * sizes.held + self.rows * self.depth * (4 + sizes.element_bytes) // 4
        return elements // (self.warps * device.lanes) + OTHERS

    def shared_bytes(self, sizes: OnlineSizes) -> int:
        """Of the factors that wait, and of the rows, which wait too where a block does not hold them whole."""
        waiting = self.stages * self.depth * (sizes.width + sizes.held)
        rows = self.rows * sizes.width * (1 if sizes.is_whole else self.stages)
        return sizes.element_bytes * (waiting + rows)

    def fits(self, sizes: OnlineSizes, device: Device) -> bool:
        """True if registers and shared memory have room."""
        roomy = self.registers(sizes, device) <= device.registers_per_thread
        return roomy and self.shared_bytes(sizes) <= device.shared_per_block

    def resident(self, sizes: OnlineSizes, device: Device) -> int:
        """Programs that a multiprocessor runs at once."""
        return device.resident(self.warps, self.registers(sizes, device), self.shared_bytes(sizes))


def _side(size: int) -> int:
    """The side of a block that holds `size`."""
    return max(LEAST, power_of_two(size))


def online_tilings(sizes: OnlineSizes, device: Device) -> Iterator[OnlineTiling]:
    """Those that fit, no larger than the scores."""
    for rows, depth, warps, stages in product(ROWS, DEPTHS, WARPS, STAGES):
        tiling = OnlineTiling(rows, depth, warps, stages)
        large = rows > _side(sizes.rows) or depth > _side(sizes.keys)
        if not large and rows * depth >= 32 * warps * 4 and tiling.fits(sizes, device):
            yield tiling


def predicted_us(tiling: OnlineTiling, sizes: OnlineSizes, device: Device) -> float:
    """Microseconds: programs run in waves, the last of them perhaps not full."""
    programs = sizes.batch * -(-sizes.rows // tiling.rows)
    resident = tiling.resident(sizes, device)
    us = device.waves_us(programs, resident, lambda busy: _wave_us(tiling, sizes, device, busy))
    return us + device.launch_us


def _wave_us(tiling: OnlineTiling, sizes: OnlineSizes, device: Device, busy: int) -> float:
    """A wave of `busy` programs on each multiprocessor.

    A program's products wait for its exponentials and they for the products: only another program's are computed at the
    same time.
    """
    scores = tiling.rows * tiling.depth
    width = sizes.depth + sizes.held
    flops = 2 * max(tiling.rows, WIDE_ROWS) * tiling.depth * width
    each = device.multiprocessors * 1e6
    products = each * flops / device.product_flops(sizes.element_bytes)
    rescaled = 2 * tiling.rows * sizes.held
    weights = each * (scores / device.special_rate + (POINTWISE * scores + rescaled) / device.flops)
    again = 0 if sizes.is_whole else tiling.rows * sizes.depth
    fetched = each * busy * sizes.element_bytes * (tiling.depth * width + again) / device.l2_bandwidth
    latency = device.dram_latency_ns / 1000 / (tiling.stages - 1)
    step = max(busy * products, busy * weights, products + weights, fetched, latency)
    return -(-sizes.keys // tiling.depth) * (step + FITTED.step_us)


@cache
def best_online_tiling(sizes: OnlineSizes, device: Device) -> OnlineTiling | None:
    """The tiling of the least predicted time; None where none fits, or the device has no tensor cores for it."""
    if "bf16" not in device.tensor_flops:
        return None
    return min(online_tilings(sizes, device), key=lambda t: predicted_us(t, sizes, device), default=None)
