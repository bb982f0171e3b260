"""share-sums: sums over all rows, beside results of each row, are taken by parts of the rows, which threads share.

    for i < 4096: { y[i, j] = f(i, j) for each j; accumulate g(i, j) into s[j] for each j }
 -> for i < 4096 shares 64: { ...; accumulate g(i, j) into s[i floordiv 64, j] for each j }
    wherever s[j] was read: sum over k < 64 of s[k, j]

There are as many parts on every machine, so that a sum does not depend on the number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.common.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.loop.dialect import AccumulateOp, AtomicOp, KernelOp
from mlc_support.cpu import CPU
from mlc_support.index_expr import variable
from mlc_support.index_maps import assumed, linearize
from mlc_support.walks import walk
from passes.loop.analysis.sums_over_rows import accumulated, give_parts
from passes.loop.cpu.map_lanes import follows_rows

ROWS_A_PART = 16
"""The fewest rows that are added up in one part: a part is written, and read again by who adds up the parts."""


@dataclass(frozen=True)
class ShareSumsPass(ModulePass):
    """Gives each of some runs of rows a part of what a kernel accumulates."""

    name = "share-sums"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            count = _count(kernel)
            if count > 1:
                give_parts(op, kernel, accumulated(kernel), count)
                _accumulate_by_share(kernel, count)


def _count(kernel: KernelOp) -> int:
    """How many parts the rows are cut into; 1 where one thread has them all."""
    scatters = any(isinstance(op, AtomicOp) for op in walk(kernel))
    if not accumulated(kernel) or scatters or follows_rows(kernel):
        return 1
    rows, columns = assumed(kernel.rows.size), max((assumed(loop.size) for loop in kernel.rows.loops), default=1)
    return max(1, min(CPU.cores, rows // ROWS_A_PART, rows * columns // CPU.points_a_part))


def _accumulate_by_share(kernel: KernelOp, count: int) -> None:
    """Accumulates in the part that the row belongs to."""
    rows = kernel.rows
    rows.shares = IntegerAttr(count, i64)
    for op in [op for op in walk(rows) if isinstance(op, AccumulateOp)]:
        first = len(op.indices)
        axes = tuple(variable(operand_name(first + k), size) for k, size in enumerate(rows.sizes))
        share = linearize(axes, rows.sizes) * count // rows.size
        index = index_attribute([share, *index_exprs(op.index)])
        new = AccumulateOp(op.kind.data, op.value, op.buffer, [*op.indices, *rows.indices], index)
        new.location = op.location
        Rewriter.replace_op(op, new, [])
