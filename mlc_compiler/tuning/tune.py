"""tune: times a few schedules of each kernel on the GPU and keeps the fastest; remembered for the next process.

Kernels run on buffers of their true sizes with random contents, the L2 cache flushed before each repetition. A schedule
that spills registers is never picked where another does not. Without a GPU, and for kernels of unknown size, the pass
leaves all to `schedule`: compilation without a device gives one answer.
"""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import torch
import triton
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from mlc_compiler.kernels.cache import cache_folder, keep, read
from mlc_compiler.tuning.candidates import candidates, form_candidates
from mlc_compiler.tuning.measuring import Program, Trial, measure
from passes.common.device import DevicePass
from passes.common.launches import anonymous, kernels_by_name
from passes.loop.schedule.forms import FormPass

Schedules = Sequence[Program]
"""What different schedules make of one kernel, the untuned one first."""
Measure = Callable[[Sequence[Schedules]], list[list[Trial]]]
"""A trial of each schedule of each kernel."""


@dataclass(frozen=True)
class _TimingPass(DevicePass):
    """A pass that takes the fastest of `candidates`; with one candidate, or without a GPU, it does nothing."""

    candidates: int = 1
    measure: Measure | None = field(default=None, compare=False)
    """What times schedules; None for the GPU, where there is one."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run = self.measure or (partial(measure, device=self.device) if torch.cuda.is_available() else None)
        if self.candidates > 1 and run is not None:
            self._tune(op, run)

    @abstractmethod
    def _tune(self, op: ModuleOp, run: Measure) -> None:
        """Gives the kernels of `op` the schedules that `run` finds fastest."""


@dataclass(frozen=True)
class TunePass(_TimingPass):
    """Schedules each kernel by the fastest of `candidates` schedules."""

    name = "tune"

    def _tune(self, op: ModuleOp, run: Measure) -> None:
        found, kernels = candidates(op, self.candidates, self.device), kernels_by_name(op)
        asked = {name: [[c.kernel] for c in group] for name, group in found.items()}
        for name, place in zip(asked, fastest(list(asked.values()), run), strict=True):
            kernel, (chosen,) = kernels[name], asked[name][place]
            chosen.detach()
            chosen.location = kernel.location
            Rewriter.replace_op(kernel, chosen, [])


@dataclass(frozen=True)
class TuneFormsPass(_TimingPass):
    """Gives each kernel the schedule of the fastest of `candidates` forms: of those that `forms` chooses from."""

    name = "tune-forms"
    forms: FormPass = field(kw_only=True)

    def _tune(self, op: ModuleOp, run: Measure) -> None:
        found, kernels = form_candidates(op, self.candidates, self.forms), kernels_by_name(op)
        asked = {name: [program for _, program in group] for name, group in found.items()}
        for name, place in zip(asked, fastest(list(asked.values()), run), strict=True):
            kernels[name].decide(**found[name][place][0].values)


def fastest(asked: Sequence[Schedules], run: Measure) -> list[int]:
    """For each kernel the place of the schedule to use: remembered, or the fastest that does not spill."""
    keys = [key(schedules) if len(schedules) > 1 else None for schedules in asked]
    choices = {k: schedules for k, schedules in zip(keys, asked, strict=True) if k is not None}
    places = {k: place for k, schedules in choices.items() if (place := _recalled(k, len(schedules))) is not None}
    unknown = {k: schedules for k, schedules in choices.items() if k not in places}
    if unknown:
        for (k, schedules), trials in zip(unknown.items(), run(list(unknown.values())), strict=True):
            places[k] = min(range(len(trials)), key=lambda p: (trials[p].spills > 0, trials[p].seconds))
            _remember(k, places[k], schedules[0][-1].sym_name.data, trials)
    return [0 if k is None else places[k] for k in keys]


def _remember(digest: str, place: int, kernel: str, trials: Sequence[Trial]) -> None:
    """Writes down the place of the fastest; nothing if none could run, for want of memory say."""
    if all(t.seconds == float("inf") for t in trials):
        return
    shown = [{"seconds": t.seconds, "spills": t.spills} for t in trials]
    keep(_file(digest), json.dumps({"fastest": place, "kernel": kernel, "trials": shown}))


def _recalled(digest: str, count: int) -> int | None:
    """The place of the fastest of `count` schedules; None where nothing is known, or the file is damaged."""
    try:
        place = json.loads(read(_file(digest)) or "null")["fastest"]
    except (ValueError, TypeError, KeyError):
        return None
    return place if isinstance(place, int) and 0 <= place < count else None


def _file(digest: str) -> Path:
    return cache_folder() / f"tuned_{digest}.json"


def key(schedules: Schedules) -> str:
    """A digest of the schedules' structure, the device and the versions: what the answer depends on."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
    parts = (
        device,
        torch.__version__,
        triton.__version__,
        *(anonymous(kernel) for program in schedules for kernel in program),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
