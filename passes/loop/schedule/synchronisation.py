"""What blocks of a launch do for each other: values that they wait for, and what the last-arriving block does alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mlc_dialects.loop.dialect import ExclusivePrefixOp, KernelOp, LastBlockOp, LoadOp, LoopOp, WaitOp
from mlc_dialects.triton.types import LANES
from mlc_support.index_maps import assumed
from mlc_support.powers import power_of_two
from mlc_support.walks import walk

LAST_ELEMENTS = 16
"""Elements of each buffer that a lane of the last-arriving block holds at once."""


@dataclass(frozen=True)
class Tail:
    """A loop of the last-arriving block: so many columns, of each of which it loads `bytes`."""

    columns: int
    bytes: int
    is_for_each_row: bool
    """True if it runs over what belongs to one row of the block, whose rows arrive together."""


@dataclass(frozen=True)
class Synchronisation:
    """What the programs of a kernel need of one another."""

    prefixes: tuple[int, ...]
    """For each scan of parts of rows, the values that a program waits for, on average."""
    flags: tuple[int, ...]
    """How many programs share a row, for each number of it that each of them tells the others."""
    tails: tuple[Tail, ...]

    @property
    def waits(self) -> bool:
        """True if programs wait for others."""
        return bool(self.prefixes or self.flags)

    @staticmethod
    def of(kernel: KernelOp) -> Synchronisation:
        """Of one round of the kernel's programs."""
        ops = list(walk(kernel))
        prefixes = [_before(op) for op in ops if isinstance(op, ExclusivePrefixOp)]
        flags = [_sharing(op) for op in ops if isinstance(op, WaitOp)]
        return Synchronisation(tuple(prefixes), tuple(flags), tuple(_tails(kernel)))


def last_columns(columns: int, rows: int, warps: int) -> int:
    """Columns that the last-arriving block holds at once, a power of two: as many as its lanes have room for."""
    return min(max(1, LAST_ELEMENTS * LANES * warps // rows), power_of_two(columns))


def _before(op: ExclusivePrefixOp) -> int:
    """Values of earlier parts that one program reads, on average."""
    return max(1, op.iterations // op.row_count // 2) * len(op.outputs)


def _sharing(op: WaitOp) -> int:
    """Programs whose values one reads."""
    loop = op.parent_op()
    assert isinstance(loop, LoopOp)
    return assumed(loop.size)


def _tails(kernel: KernelOp) -> Iterator[Tail]:
    for last in (op for op in walk(kernel) if isinstance(op, LastBlockOp)):
        for loop in (op for op in walk(last) if isinstance(op, LoopOp)):
            loads = sum(isinstance(op, LoadOp) for op in loop.body.block.ops)
            yield Tail(assumed(loop.size), 4 * loads, last.group.constant is None)
