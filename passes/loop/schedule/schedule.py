"""schedule: maps the loops of each kernel to programs and blocks, and says why.

Decides, for every `mlc_loop.kernel`, how many rows a program takes, how many columns it holds at
once (all of them: the row stays in registers; fewer: it loops), the number of warps, and
whether addresses need 64 bits. A kernel that has a schedule already keeps it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from mlc_dialects.loop.dialect import KernelOp, ParallelOp, ReduceOp, SerialOp
from mlc_dialects.loop.schedule import TILING
from mlc_support.errors import MlcError
from mlc_support.locations import location_of
from passes.common.device import DevicePass
from passes.common.launches import anonymous
from passes.loop.analysis.coalescing import (
    Access,
    accesses,
    are_contiguous,
    has_scan,
    is_coalesced_along_rows,
    is_known,
    longest,
    scans,
)
from passes.loop.schedule.contiguous_rows import contiguous_rows, walked_rows
from passes.loop.schedule.demand import demand
from passes.loop.schedule.elements import Schedule, pointwise, tiles
from passes.loop.schedule.mapping import apply, tiling_of
from passes.loop.schedule.model import FITTED, predict, prediction
from passes.loop.schedule.overlapping_tail import allow_overlapping_tail, last_blocks_of
from passes.loop.schedule.rows import Limits, Rows
from passes.loop.schedule.strided_rows import strided_rows
from passes.loop.schedule.tiling import Structure, Tiling, tilings
from passes.loop.schedule.workload import workload

LEAST_ROOM = 0.45
"""The share of a thread's registers that a tiling of the model must leave: registers are counted roughly."""


@dataclass(frozen=True)
class SchedulePass(DevicePass):
    """Gives every kernel a mapping to programs and blocks.

    `elements` is how many elements a pointwise program takes, `persistent` the longest row that is kept in registers
    (one whose variance is summed up as it comes: `looped`), `looped` how many columns a longer row is read in at once,
    `tile` the side of a tile where memory runs along two axes; all powers of two. `stages` is the most steps of a loop
    whose loads are on their way at once; more where columns run over planes, of which a step has short pieces.
    The kernel's own schedule decides instead, as far as it goes. So does the model of time
    (passes/loop/schedule/model.py), if what it would take is predicted to be clearly quicker: by `margin` percent of
    small kernels, and by a percent for each microsecond, up to `most_margin`, of larger ones, whose time depends on
    memory in ways that it does not know. If registers would no longer hold whole rows `most_margin` is asked, if they
    then would, `margin`.
    With `predict` the reason says what the model expects, what bounds the kernel, and which tiling it would take.
    """

    name = "schedule"
    elements: int = 1024
    persistent: int = 16384
    looped: int = 8192
    tile: int = 64
    stages: int = 3
    stages_of_planes: int = 5
    margin: int = 5
    most_margin: int = 30
    predict: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chosen: dict[str, tuple[Tiling, str]] = {}
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and kernel.warps is None:
                form = anonymous(kernel)
                if form not in chosen:
                    chosen[form] = self._chosen(kernel)
                apply(kernel, *chosen[form], self.target)

    def _chosen(self, kernel: KernelOp) -> tuple[Tiling, str]:
        """The tiling of a kernel, and why."""
        asked = Tiling.asked(kernel) or self._asked_in_part(kernel)
        if asked is not None:
            return asked, "as asked for"
        choice, why = self._by_rules(kernel)
        choice, why = self._better(kernel, choice) or (choice, why)
        return choice, why + self._predicted(kernel, choice)

    def _by_rules(self, kernel: KernelOp) -> tuple[Tiling, str]:
        """The tiling that the rules take, and why."""
        found, outer = list(accesses(kernel)), kernel.rows
        allow_overlapping_tail(kernel)  # before it is asked how many rows meet as one
        schedule = self._of_loops(outer, found)
        stages = self.stages if are_contiguous(longest(outer.loops)) else self.stages_of_planes
        choice = Tiling(schedule.rows, schedule.columns or 1, schedule.warps, stages)
        return choice, "; ".join([schedule.why, *(f"the last of {op.count} adds up" for op in last_blocks_of(outer))])

    def _of_loops(self, outer: ParallelOp, found: Sequence[Access]) -> Schedule:
        """The blocks that the rules for loops of this kind take."""
        walks = [op for op in outer.loops if isinstance(op, SerialOp)]
        if walks:
            return walked_rows(outer, walks[0], found)
        if not outer.loops:
            return pointwise(outer, self.elements)
        if not any(isinstance(op, ReduceOp) or has_scan(op) for op in outer.loops):
            return tiles(outer, outer.loops[0], found, self.tile)
        rows = Rows(outer, outer.loops, found, self._limits)
        return strided_rows(rows) if rows.is_strided else contiguous_rows(rows)

    @property
    def _limits(self) -> Limits:
        return Limits(self.elements, self.persistent, self.looped, self.tile, self.target)

    def _asked_in_part(self, kernel: KernelOp) -> Tiling | None:
        """The quickest tiling, as predicted, of those that suit what is decided of it; None if nothing is."""
        if all(kernel.decided(name) is None for name in TILING):
            return None
        work = workload(kernel)
        suiting = [t for t in tilings(kernel, work) if t.suits(kernel)]
        if not suiting:
            raise MlcError(
                f"schedule: no tiling of {kernel.sym_name.data} is as its schedule asks",
                location=location_of(kernel),
                hint="give rows, columns and warps: then they are taken as they are",
            )
        best = min(suiting, key=lambda t: predict(work, t, self.target).us)
        stages = kernel.decided("stages")
        return replace(best, stages=stages) if isinstance(stages, int) else best

    def _better(self, kernel: KernelOp, choice: Tiling) -> tuple[Tiling, str] | None:
        """The tiling of the least predicted time and why, if the model of time expects clearly more of it.

        Of those that leave ptxas some room, so that it does not spill.
        """
        at = Structure(kernel)
        if not is_known(kernel) or _is_misjudged(at):
            return None
        work = workload(kernel)
        asked = [(demand(work, tiling, self.target), tiling) for tiling in tilings(kernel, work)]
        ranked = [(prediction(d, work, t, self.target, FITTED), t) for d, t in asked if d.room > LEAST_ROOM]
        if not ranked:
            return None
        best, tiling = min(ranked, key=lambda pair: pair[0].us)
        own = predict(work, self._as_built(kernel, choice) if at.columns else choice, self.target)
        held, holds = choice.columns >= at.longest_row, tiling.columns >= at.longest_row
        if own.us <= best.us * (1 + self._percent(own.us, held, holds) / 100):
            return None
        blocks = f"{tiling.rows} rows and {tiling.columns} columns at once"
        return tiling, f"{blocks}: {best.us:.1f} us predicted, bound by {best.bound}, instead of {own.us:.1f}"

    def _as_built(self, kernel: KernelOp, choice: Tiling) -> Tiling:
        """A tiling with the stages that loops would have: as many as they ask for, if shared memory has room."""
        built = kernel.clone()
        apply(built, choice, "", self.target)
        return replace(choice, stages=tiling_of(built).stages)

    def _percent(self, us: float, held: bool, holds: bool) -> float:
        """By how much the model's tiling must be quicker than the rules', which takes `us` microseconds.

        `held` and `holds` tell whether registers hold whole rows under that of the rules, and under that of the model.
        """
        return max(self.margin, min(us, self.most_margin) if held == holds else self.most_margin * held)

    def _predicted(self, kernel: KernelOp, choice: Tiling) -> str:
        """What the model of time says of the choice, and of the tiling that it would take; empty unless asked for."""
        if not self.predict:
            return ""
        work = workload(kernel)
        own = predict(work, choice, self.target)
        text = f"; {own.us:.1f} us predicted, bound by {own.bound}"
        ranked = [(predict(work, tiling, self.target).us, tiling) for tiling in tilings(kernel, work)]
        if not ranked:
            return text
        us, best = min(ranked, key=lambda pair: pair[0])
        return f"{text}; {us:.1f} us with {best.rows} rows, {best.columns} columns, {best.warps} warps"


def _is_misjudged(at: Structure) -> bool:
    """True for what the model of time was seen to be wrong about.

    Programs that await each other, rows that are looked up, which may be near or far, and scans of strided columns.
    """
    found = list(accesses(at.kernel))
    looks_up = bool(at.columns) and any(a.is_indirect for a in found)
    return at.is_ordered or looks_up or (scans(at.kernel) and is_coalesced_along_rows(at.outer, found))
