"""share-rows: reductions of few long rows are cut into parts, for which threads have a kernel of their own.

    for i < 1: y = sum over j < 1048576 of x[j]
 -> for (i, k) < (1, 64): partial[i, k] = sum over j < 16384 of x[16384 k + j]
    for i < 1: y = sum over k < 64 of partial[i, k]

There are as many parts on every machine, so that a sum does not depend on the number of threads. Sums over all rows
beside results of each row are cut by share-sums.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlc_dialects.loop.dialect import KernelOp, ReduceOp
from mlc_support.cpu import CPU
from passes.common.launches import launches_by_name
from passes.loop.analysis.axis_change import linearize_axes
from passes.loop.analysis.legality import split_refusal
from passes.loop.analysis.partial_results import Parts
from passes.loop.cpu.map_lanes import follows_rows
from passes.loop.reduction.split_reduction import split
from passes.loop.restructure.memory_order import MemoryOrderPass


@dataclass(frozen=True)
class ShareRowsPass(ModulePass):
    """Splits reductions of rows that are too few for threads, and long."""

    name = "share-rows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = launches_by_name(op)
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            parts = _parts_of(kernel)
            if parts is not None:
                linearize_axes(kernel)
                split(kernel, parts, launches[kernel.sym_name.data])
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            kernel.rows.overlap = None  # blocks are a matter of GPUs
        MemoryOrderPass().apply(ctx, op)


def _parts_of(kernel: KernelOp) -> Parts | None:
    """The parts that a kernel's rows are cut into; None where they stay whole."""
    loops = [loop for loop in kernel.rows.loops if isinstance(loop, ReduceOp)]
    columns = max((loop.size.constant or 0 for loop in loops), default=0)
    rows = kernel.rows.size.constant
    if not rows or split_refusal(kernel) is not None:
        return None
    lanes = follows_rows(kernel)
    shared = -(-rows // CPU.lanes) if lanes else rows  # by so many threads
    shortest = CPU.points_a_part // CPU.lanes if lanes else CPU.points_a_part
    count = min(-(-CPU.cores // shared), columns // shortest)
    if shared >= CPU.cores // 4 or count < 2:
        return None
    even = next((n for n in range(count, count // 2, -1) if columns % n == 0), count)
    return Parts(kernel.rows.size, columns, even, -(-columns // even), lanes)
