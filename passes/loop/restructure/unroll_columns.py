"""unroll-columns: a loop over few columns becomes straight code, so that a kernel has rows alone.

    for p: m = add over r in 0 to 2 of x[r, p]
           out[p] = m
 -> for p: out[p] = x[0, p] + x[1, p]

Lanes take rows, and each has all columns of its own: nothing is combined across lanes, no lane is without a column.
It pays where no column lies beside the next in memory: sums over experts, branches, or the leading dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.common.reduction_kinds import COMBINE, combined
from mlc_dialects.loop.dialect import AccumulateOp, AtomicOp, KernelOp, LoopOp, ReduceOp, ScanOp, YieldOp
from mlc_support.index_expr import integer
from passes.loop.analysis.axis_change import is_as_lowered, linearize_axes
from passes.loop.analysis.coalescing import accesses, coalesced_bytes
from passes.loop.analysis.kernel_rewriter import LoopCopy, with_loops

MOST_OPS = 512
"""Code that is longer takes longer to compile than it saves."""


@dataclass(frozen=True)
class UnrollColumnsPass(ModulePass):
    """Unrolls the loops of kernels that have no more columns than `most`, none of which is contiguous with the next.

    Values are combined from the first column to the last.
    """

    name = "unroll-columns"
    rounds_otherwise: ClassVar[bool] = True
    most: int = 8
    """Columns."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and is_as_lowered(k) and k.schedule is None]:
            if self._is_short(kernel):
                flat = kernel.clone()
                linearize_axes(flat)
                if coalesced_bytes(flat.rows, list(accesses(flat)))[1] == 0:
                    Rewriter.replace_op(kernel, with_loops(flat, _straight), [])

    def _is_short(self, kernel: KernelOp) -> bool:
        """True if all loops can be unrolled, and the code stays short."""
        loops = kernel.rows.loops
        copied = sum(len(loop.body.block.ops) * (loop.size.constant or MOST_OPS) for loop in loops)
        return bool(loops) and copied <= MOST_OPS and all(self._can_unroll(loop) for loop in loops)

    def _can_unroll(self, loop: LoopOp) -> bool:
        count = loop.size.constant
        if count is None or not 0 < count <= self.most:
            return False
        if any(isinstance(op, AccumulateOp | AtomicOp | ScanOp) for op in loop.body.block.ops):
            return False
        if not isinstance(loop, ReduceOp):
            return True
        plain = all(kind.data in COMBINE for kind in loop.kinds)
        return plain and loop.dot is None and loop.end.condition is None


def _straight(copy: LoopCopy, loop: LoopOp, block: Block) -> Sequence[SSAValue]:
    """Adds the ops of each column to the block, and what combines the values that they yield."""
    columns: list[list[SSAValue]] = []
    for column in range(loop.size.constant or 0):
        copy.bind(loop.index, integer(column), {})
        for op in loop.body.block.ops:
            if not isinstance(op, YieldOp):
                copy.op(op, block)
        if isinstance(loop, ReduceOp):
            columns.append([copy.values[value] for value in loop.yielded])
    kinds = [kind.data for kind in loop.kinds] if isinstance(loop, ReduceOp) else []
    return [_reduced(kind, values, block) for kind, values in zip(kinds, zip(*columns, strict=True), strict=True)]


def _reduced(kind: str, values: Sequence[SSAValue], block: Block) -> SSAValue:
    """The reduction of `values`, from the first to the last."""

    def both(a: SSAValue, b: SSAValue) -> SSAValue:
        op = combined(kind, a, b)
        block.add_op(op)
        return op.results[0]

    return reduce(both, values)
