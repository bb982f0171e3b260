"""What a kernel's reductions of its rows need of each other, and how they read memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from mlc_dialects.loop.dialect import KernelOp, LoopOp, ParallelOp, ReduceOp
from mlc_dialects.loop.memory import divisors
from passes.loop.analysis.coalescing import Access, accesses, is_coalesced_along_rows, reread_bytes


def taken(op: Operation) -> Iterator[SSAValue]:
    """What `op`, and the ops inside it, take from outside of it."""
    return (v for inner in op.walk() for v in inner.operands if not op.is_ancestor(v.owner))


class Depths:
    """How many reductions, one after the other, each op of a kernel's row loop needs; a reduction counts itself.

    Those that are cut count, over all `columns`. Others are small, and done by all programs of a row.
    """

    def __init__(self, outer: ParallelOp, columns: int):
        self._columns = columns
        self._depth: dict[Operation, int] = {}
        for op in outer.body.block.ops:
            owners = [v.owner for v in taken(op)]
            known = [self._depth[o] for o in owners if isinstance(o, Operation) and o in self._depth]
            self._depth[op] = max(known, default=0) + (isinstance(op, ReduceOp) and self.is_cut(op))

    def is_cut(self, op: object) -> bool:
        """True for the loops over all columns."""
        return isinstance(op, LoopOp) and op.size.constant == self._columns

    def of(self, op: Operation) -> int:
        return self._depth[op]


@dataclass(frozen=True)
class ReducedRows:
    """What decides whether the rows of a kernel are cut, and into how many parts."""

    kernel: KernelOp
    count: int
    columns: int
    accesses: Sequence[Access]
    strided: bool
    """True if neighbouring lanes take neighbouring rows: a row's own columns are strided in memory."""
    planes: set[int]
    """The spatial extents that the rows run over."""
    again: int
    """Bytes of each column that a later loop loads again."""

    @classmethod
    def of(cls, kernel: KernelOp) -> ReducedRows:
        """The rows of a kernel that `split_refusal` lets pass."""
        outer, loops, found = kernel.rows, kernel.rows.loops, list(accesses(kernel))
        rows, columns = outer.size.constant, loops[0].size.constant
        assert rows is not None and columns is not None
        planes = {size for loop in loops for size in divisors(loop)}
        return cls(kernel, rows, columns, found, is_coalesced_along_rows(outer, found), planes, reread_bytes(loops))

    @property
    def loops(self) -> list[LoopOp]:
        return self.kernel.rows.loops

    @property
    def reads_planes_again(self) -> bool:
        return bool(self.planes and self.again)

    @property
    def is_needed_after_reduction(self) -> bool:
        """True if another reduction of the row, or a store for each column, needs a reduction's result."""
        depths = Depths(self.kernel.rows, self.columns)
        return any(depths.of(op) > (0 if isinstance(op, ParallelOp) else 1) for op in self.loops)
