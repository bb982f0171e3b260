"""What a kernel's reductions of its rows need of each other."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from mlc_dialects.loop.dialect import LoopOp, ParallelOp, ReduceOp
from mlc_support.walks import walk


def taken(op: Operation) -> Iterator[SSAValue]:
    """What `op`, and the ops inside it, take from outside of it."""
    return (v for inner in walk(op) for v in inner.operands if not op.is_ancestor(v.owner))


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
