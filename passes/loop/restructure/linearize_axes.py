"""linearize-axes: one flat axis of rows, and one of columns, in the place of several.

    for i, j in N, C: for k, l in H, W: ... x[i, j, k, l]
 -> for p in N * C: for r in H * W: ... x[p floordiv C, p mod C, r floordiv W, r mod W]

A launch grid has programs, and a block lanes, in one order: the passes for the GPU that follow cut rows and columns
into them. Only here do addresses begin to divide; where axes lie next to each other in memory they do not. Passes
before this one see the axes, and a target that maps them otherwise takes kernels from there.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlc_dialects.loop.dialect import KernelOp
from passes.loop.analysis.axis_change import is_as_lowered, linearize_axes


@dataclass(frozen=True)
class LinearizeAxesPass(ModulePass):
    """Makes one axis of the parallel axes of each kernel, and one of those of each loop inside."""

    name = "linearize-axes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and is_as_lowered(k)]:
            linearize_axes(kernel)
