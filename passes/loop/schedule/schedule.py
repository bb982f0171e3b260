"""schedule: maps the loops of each kernel to programs and blocks, and says why.

Decides, for every `mlc_loop.kernel`, how many rows a program takes, how many columns it holds at
once (all of them: the row stays in registers; fewer: it loops), and the number of warps, by the
model of time (model.py). What follows from these is worked out in mapping.py. A kernel that has a
schedule already keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from mlc_dialects.loop.dialect import KernelOp
from mlc_dialects.loop.schedule import TILING
from mlc_support.errors import MlcError
from mlc_support.locations import location_of
from passes.common.deciding import decisions
from passes.common.device import DevicePass
from passes.loop.analysis.coalescing import is_known
from passes.loop.analysis.legality import last_blocks_of
from passes.loop.schedule.contiguous_rows import usual_tiling
from passes.loop.schedule.mapping import apply, as_built
from passes.loop.schedule.model import Prediction, predict
from passes.loop.schedule.overlapping_tail import allow_overlapping_tail
from passes.loop.schedule.tiling import Structure, Tiling, tilings
from passes.loop.schedule.workload import Workload, workload

AS_ASKED = "as asked for"
Ranked = list[tuple[Prediction, Tiling]]
"""Tilings of a kernel with what the model predicts of them, the least time first."""


@dataclass(frozen=True)
class SchedulePass(DevicePass):
    """Gives every kernel a mapping to programs and blocks: of all tilings, that of the least predicted time.

    The usual tiling of contiguous rows is one of them, and the one if sizes are not known.
    """

    name = "schedule"
    rows: int | None = None
    """Rows of a block, of every kernel whose own schedule leaves them open."""
    columns: int | None = None
    """Columns of a block, likewise."""
    warps: int | None = None
    """Warps of a program, likewise."""
    stages: int | None = None
    """Steps of a loop whose loads are in flight, likewise."""
    predict: bool = False
    """Let the reason say what the model predicts, what bounds the kernel, and which tiling comes next."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [kernel for kernel in op.ops if isinstance(kernel, KernelOp) and kernel.warps is None]
        for kernel in kernels:
            self._ask(kernel)
        for kernel, tiling in decisions(ctx, self, kernels, {}):
            apply(kernel, *tiling, self.target)

    def _ask(self, kernel: KernelOp) -> None:
        """Asks for what the options say, where the kernel's schedule says nothing."""
        own = {"rows": self.rows, "columns": self.columns, "warps": self.warps, "stages": self.stages}
        kernel.decide(**{name: n for name, n in own.items() if n is not None and kernel.decided(name) is None})

    def chosen(self, kernel: KernelOp) -> tuple[Tiling, str]:
        """The tiling of a kernel that has no schedule yet, and why; what is asked for is noted on it."""
        self._ask(kernel)
        asked = Tiling.asked(kernel)
        if asked is not None:
            return asked, AS_ASKED
        allow_overlapping_tail(kernel)  # before it is asked how many rows meet as one
        work = workload(kernel)
        ranked = self._ranked(kernel, work)
        best, tiling = ranked[0]
        if any(kernel.decided(name) is not None for name in TILING):
            return tiling, AS_ASKED
        usual = usual_tiling(kernel, self.target)
        if usual is not None:
            usual = as_built(kernel, usual, self.target)
            own = predict(work, usual, self.target)
            if not is_known(kernel) or own.us <= best.us:
                ranked.insert(0, (own, usual))
        return ranked[0][1], "; ".join(self._reasons(kernel, ranked))

    def _ranked(self, kernel: KernelOp, work: Workload) -> Ranked:
        """The tilings that suit what is decided of a kernel."""
        stages = kernel.decided("stages")
        suiting = [t for t in tilings(kernel, work) if t.suits(kernel)]
        if not suiting:
            raise MlcError(
                f"schedule: no tiling of {kernel.sym_name.data} is as its schedule asks",
                location=location_of(kernel),
                hint="give rows, columns and warps: then they are taken as they are",
            )
        if isinstance(stages, int):
            suiting = [replace(t, stages=stages) for t in suiting]
        return sorted(((predict(work, t, self.target), t) for t in suiting), key=lambda pair: pair[0].us)

    def _reasons(self, kernel: KernelOp, ranked: Ranked) -> Iterator[str]:
        """What a program holds at once, and what the model of time says of that."""
        taken, tiling = ranked[0]
        yield Structure(kernel).described(tiling)
        yield from (f"the last of {op.count} adds up" for op in last_blocks_of(kernel.rows))
        if self.predict:
            yield f"{taken.us:.1f} us predicted, bound by {taken.bound}"
            yield from (_other(p, t) for p, t in [pair for pair in ranked if pair[1] != tiling][:1])


def _other(prediction: Prediction, tiling: Tiling) -> str:
    """What the model predicts of a tiling that is not taken."""
    return f"{prediction.us:.1f} us with {tiling.rows} rows, {tiling.columns} columns, {tiling.warps} warps"
