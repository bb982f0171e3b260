"""prove-indices: an index that provably lies inside its dimension is not checked.

    %i = arith.minsi %j, 49 : i64                       %i = arith.minsi %j, 49 : i64
    %g = mlc_loop.indirect_index %i below 50 : i64  ->  %g = mlc_loop.indirect_index %i below 50 unchecked : i64

A check on a GPU is a branch to an assertion: what stands behind it is not loaded ahead of it. Interval analysis says
between what numbers an index that is computed lies; of one that is loaded it says nothing.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from mlc_dialects.loop.dialect import IndirectIndexOp, KernelOp
from mlc_support.walks import walk
from passes.loop.analysis.value_ranges import Range, expression_range, value_ranges


class ProveIndicesPass(ModulePass):
    """Marks indices that interval analysis bounds: they are not checked."""

    name = "prove-indices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in walk(op):
            if isinstance(kernel, KernelOp):
                _prove(kernel)


def _prove(kernel: KernelOp) -> None:
    looked_up = [op for op in walk(kernel) if isinstance(op, IndirectIndexOp)]
    ranges = value_ranges(kernel) if looked_up else {}
    for op in looked_up:
        inside = Range(0, expression_range(op.size, {}).low - 1)
        if op.value in ranges and ranges[op.value].is_within(inside):
            op.unchecked = UnitAttr()
