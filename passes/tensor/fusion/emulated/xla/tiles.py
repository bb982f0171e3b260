"""The time that XLA's model gives a Triton fusion: the best of all tilings of its result.

A program computes a tile of the result. What a reduction reads it computes for whole rows, again in every
program of those rows. Sizes are padded to powers of two, and small tiles run on few lanes. Follows
gpu_indexing_performance_model.cc.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import inf, prod

from xdsl.ir import Attribute

from passes.tensor.fusion.decision import type_bytes
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from passes.tensor.fusion.emulated.xla.instruction import Instruction
from passes.tensor.fusion.emulated.xla.ops import FLOPS, TILE, padded, type_sizes
from passes.tensor.fusion.emulated.xla.speed import BYTES_A_US, combined, compute_us, one_read_us, written_bytes
from passes.tensor.fusion.emulated.xla.work import TILED, WHOLE

Flops = tuple[tuple[int, tuple[float, float, float]], ...]
Loads = tuple[tuple[tuple[Attribute, int], int], ...]
"""What `Work` has under these names."""
TRANSACTION = 64
"""Bytes that memory gives at a time."""
LANES = ((256, 32), (1024, 64), (TILE, 128))
"""Elements of the largest tile up to which a program has so many lanes."""


def triton_us(graph: XlaGraph, instruction: Instruction, more: Instruction | None) -> float:
    """Microseconds of the instruction, with the ops of `more` inside; infinite if no tile fits the registers."""
    work = graph.work(instruction)
    if more is not None:
        found = work.with_producer(more.root, graph.work(more), instruction.ops) if len(more.roots) == 1 else None
        work = found or work.trial().take(more.ops, instruction.ops, graph.reads_of)
    counts = work.elements, work.columns, work.reductions
    written = written_bytes(instruction) / BYTES_A_US
    return _best_us(counts, tuple(work.flops.items()), tuple(work.loads.items()), written)


@lru_cache(maxsize=4096)
def _best_us(counts: tuple[int, int, int], flops: Flops, loads: Loads, written: float) -> float:
    """The time with the best tiles: kernels that are alike, and what is tried of one, are many."""
    model = _Model.of(counts, flops, loads, written)
    return min((model.us(height, width) for height, width in model.tiles()), default=inf)


@dataclass(frozen=True)
class _Read:
    """Values in memory that are alike."""

    count: int
    size: int
    elements: int
    kinds: tuple[bool, ...]
    """Whether it is needed for whole rows: False, True or both."""
    full: bool
    """It has an element for each of the result's."""
    along: bool
    """It has one for each row."""


@dataclass(frozen=True)
class _Model:
    """The work of a fusion, by elements and rows of the largest value in it."""

    rows: int
    columns: int
    reductions: int
    wide: tuple[tuple[float, tuple[float, float, float]], ...]
    """Operations on each element of values that go along rows: for the tile, for whole rows, and where the two are one;
    by the share of the rows that these values have, all others being repetitions of theirs."""
    row_flops: float
    reads: tuple[_Read, ...]
    written: float
    """Microseconds."""

    @staticmethod
    def of(counts: tuple[int, int, int], flops: Flops, loads: Loads, written: float) -> _Model:
        """Of the elements, the columns and the reductions of a `Work`, and what else it has."""
        size, columns, reductions = counts
        rows = size // columns
        wide = tuple((elements / size, each) for elements, each in flops if elements > rows)
        row_flops = sum(each[2] for elements, each in flops if elements <= rows)
        reads: list[_Read] = []
        for (type_, kinds), count in loads:
            if count:
                shape = type_sizes(type_)
                elements = prod(shape)
                along = elements <= rows and shape[-1:] != (columns,)
                asked = tuple(way for kind, way in ((TILED, False), (WHOLE, True)) if kinds & kind)
                full = elements == rows * columns
                reads.append(_Read(count, type_bytes(type_), elements, asked, full, along))
        return _Model(rows, columns, reductions, wide, row_flops, tuple(reads), written)

    def tiles(self) -> Iterator[tuple[int, int]]:
        """Heights and widths that fit, of enough elements for a warp."""
        for width in (self.columns, *(1 << i for i in range(5, 16) if 1 << i < self.columns)):
            longest = padded(self.columns if self.reductions else width)
            yield from ((1 << i, width) for i in range(self.rows.bit_length()) if longest << i <= TILE)

    def us(self, height: int, width: int) -> float:
        """The time with tiles of that size."""
        across = -(-self.columns // width)
        blocks = -(-self.rows // height) * across
        row = padded(self.columns)
        largest = height * (row if self.reductions else padded(width))
        each = self.row_flops + self.reductions * FLOPS["add"] * (row - 1)
        for share, (tiled, whole, once) in self.wide:
            elements = once * row if across == 1 else tiled * padded(width) + whole * row
            each += elements * max(share, 1 / height)
        flops = each * height * blocks
        memory = self.written + sum(
            read.count * _read_us(read, height, self.columns if whole else width, blocks)
            for read in self.reads
            for whole in (read.kinds if across > 1 else (False,))
        )
        return combined(memory, compute_us(flops, blocks, next(n for size, n in LANES if largest <= size)))


def _read_us(read: _Read, height: int, width: int, blocks: int) -> float:
    """The time of one. Columns and rows alone are read by every program that needs them."""
    run = height if read.along else width
    wanted = blocks * (height * width if read.full else run) * read.size // read.elements
    bytes_run = run * read.size // read.elements
    useful = bytes_run / (-(-bytes_run // TRANSACTION) * TRANSACTION)
    return one_read_us(read.size, max(read.size, wanted), blocks, useful)
