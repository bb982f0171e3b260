"""reload-stored: what a loop over a row stores, later loops load, and do not compute again of more.

    %s = reduce add over r: v = x[p, r] + y[p, r]; sum[p, r] = v; yield v
    for r: out[p, r] = (x[p, r] + y[p, r]) - %s
 -> %s = reduce add over r: v = x[p, r] + y[p, r]; sum[p, r] = v; yield v
    barrier
    for r: out[p, r] = sum[p, r] - %s

So where the loops run in steps: of a row that registers hold nothing is loaded twice. What was just stored is in L2 at
the worst. The barrier lets each lane of a program see what the others have stored.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.loop.dialect import BarrierOp, KernelOp, LoadOp
from passes.loop.reduction.load_stored import load_again


@dataclass(frozen=True)
class ReloadStoredPass(ModulePass):
    """Makes the loops of scheduled kernels that run in steps load what a loop before them stores, where it is less."""

    name = "reload-stored"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and kernel.warps is not None:
                for loop in load_again(kernel, lambda loop: not loop.is_one_block, conditional=True)[:1]:
                    Rewriter.insert_op(BarrierOp(), InsertPoint.before(loop))
                    _drop_hints(kernel)


def _drop_hints(kernel: KernelOp) -> None:
    """Drops cache hints of loads whose buffer no other loop loads now: they are not loaded again."""
    loads = [[op for op in loop.body.block.ops if isinstance(op, LoadOp)] for loop in kernel.rows.loops]
    loops = Counter(buffer for ops in loads for buffer in {op.buffer for op in ops})
    for op in chain.from_iterable(loads):
        if loops[op.buffer] == 1:
            op.evict = None
