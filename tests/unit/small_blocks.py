"""A schedule of the smallest blocks, which give loops, masks and many programs to kernels of few elements."""

from __future__ import annotations

from dataclasses import dataclass

from mlc_dialects.loop.dialect import KernelOp
from passes.loop.schedule.schedule import SchedulePass
from passes.loop.schedule.tiling import Structure


@dataclass(frozen=True)
class SmallBlocksPass(SchedulePass):
    """Two rows of four columns at once, eight elements of a pointwise kernel, or fewer where more are not legal."""

    name = "small-blocks"

    def _ask(self, kernel: KernelOp) -> None:
        at = Structure(kernel)
        columns = at.longest_row if at.serial is not None else 4
        kernel.decide(rows=min(at.most_rows, 2 if at.columns else 8), columns=columns, warps=1)
