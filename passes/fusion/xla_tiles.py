"""The time that XLA's model gives a Triton fusion: the best of all tilings of its result.

A program computes a tile of the result. What a reduction reads it computes for whole rows, again in every
program of those rows. Sizes are padded to powers of two, and small tiles run on few lanes. Follows
gpu_indexing_performance_model.cc.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import inf, prod

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor_ops import ReduceOp
from passes.fusion.decision import value_bytes
from passes.fusion.xla_graph import OTHER_FLOPS, Instruction, XlaGraph, flops_of, sizes
from passes.fusion.xla_speed import BYTES_A_US, combined, compute_us, one_read_us, written_bytes

TRANSACTION = 64
"""Bytes that memory gives at a time."""
TILE = int(0.4 * 65536)
"""Elements of a tile that registers hold."""
LANES = ((256, 32), (1024, 64), (TILE, 128))
"""Elements of the largest tile up to which a program has so many lanes."""


def triton_us(graph: XlaGraph, instruction: Instruction, more: Instruction | None) -> float:
    """Microseconds of the instruction, with the ops of `more` inside; infinite if no tile fits the registers."""
    work = _Work.of(graph, instruction, instruction.ops | (more.ops if more else {}))
    written = written_bytes(instruction) / BYTES_A_US
    return min((work.us(height, width, written) for height, width in work.tiles()), default=inf)


def fits_a_tile(shape: Iterable[int]) -> bool:
    """True if one program can hold all of a value: rows are reduced whole, and here columns too."""
    return prod(_padded(size) for size in shape) <= TILE


@dataclass
class _Work:
    """What a program computes and reads for its tile, and for whole rows (True)."""

    rows: int
    columns: int
    reductions: int = 0
    flops: dict[bool, float] = field(default_factory=lambda: {False: 0.0, True: 0.0})
    """For each element."""
    once: float = 0.0
    """For each element where a tile is a whole row."""
    row_flops: float = 0.0
    """For each row."""
    reads: dict[SSAValue, set[bool]] = field(default_factory=dict[SSAValue, set[bool]])
    extents: dict[SSAValue, tuple[int, int, bool]] = field(default_factory=dict[SSAValue, tuple[int, int, bool]])
    """Bytes and elements of what is read, and whether it has a column for each."""

    @staticmethod
    def of(graph: XlaGraph, instruction: Instruction, ops: dict[Operation, None]) -> _Work:
        """What computing `ops` for the results of the instruction takes."""
        shapes = [sizes(v) for op in ops for v in (*op.results, *op.operands)]
        columns = max((shape[-1] for shape in shapes if shape), default=1)
        work = _Work(max((prod(shape) for shape in shapes), default=1) // columns, columns)
        todo = [(op, False) for op in instruction.roots]
        seen: set[tuple[Operation, bool]] = set()
        while todo:
            op, whole = todo.pop()
            if (op, whole) not in seen:
                seen.add((op, whole))
                work.add(op, whole, (op, not whole) in seen)
                inner = whole or isinstance(op, ReduceOp)
                for value in graph.reads_of(op):
                    if isinstance(value.owner, Operation) and value.owner in ops:
                        todo.append((value.owner, inner))
                    else:
                        work.reads.setdefault(value, set()).add(inner)
                        work.extents[value] = value_bytes(value), prod(sizes(value)), sizes(value)[-1:] == (columns,)
        return work

    def add(self, op: Operation, whole: bool, again: bool) -> None:
        """Counts one op, perhaps the second time."""
        elements = prod(sizes(op.results[0]))
        if isinstance(op, ReduceOp):
            self.reductions += not again
        elif elements <= self.rows:
            self.row_flops += 0 if again else flops_of(op) / elements
        else:
            self.flops[whole] += flops_of(op) / elements
            self.once += 0 if again else flops_of(op) / elements

    def tiles(self) -> Iterator[tuple[int, int]]:
        """Heights and widths that fit, of enough elements for a warp."""
        for width in (self.columns, *(1 << i for i in range(5, 16) if 1 << i < self.columns)):
            longest = _padded(self.columns if self.reductions else width)
            yield from ((1 << i, width) for i in range(min(6, self.rows.bit_length())) if longest << i <= TILE)

    def us(self, height: int, width: int, written: float) -> float:
        """The time with tiles of that size."""
        across = -(-self.columns // width)
        blocks = -(-self.rows // height) * across
        row = _padded(self.columns)
        largest = height * (row if self.reductions else _padded(width))
        narrow = self.flops[False] * _padded(width) + self.flops[True] * row
        each = (self.once * row if across == 1 else narrow) + self.row_flops
        flops = (each + self.reductions * OTHER_FLOPS * (row - 1)) * height * blocks
        memory = written + sum(
            self._read_us(v, height, self.columns if whole else width, blocks)
            for v, kinds in self.reads.items()
            for whole in (kinds if across > 1 else {False})
        )
        return combined(memory, compute_us(flops, blocks, next(n for size, n in LANES if largest <= size)))

    def _read_us(self, value: SSAValue, height: int, width: int, blocks: int) -> float:
        """Columns and rows alone are read by every program that needs them."""
        size, elements, wide = self.extents[value]
        full, along = elements == self.rows * self.columns, elements <= self.rows and not wide
        run = height if along else width
        wanted = blocks * (height * width if full else run) * size // elements
        bytes_run = run * size // elements
        useful = bytes_run / (-(-bytes_run // TRANSACTION) * TRANSACTION)
        return one_read_us(size, max(size, wanted), blocks, useful)


def _padded(size: int) -> int:
    return 1 << (size - 1).bit_length()
