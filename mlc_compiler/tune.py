"""tune: times a few schedules of each kernel on the GPU and keeps the fastest; remembered for the next process.

Kernels run on buffers of their true sizes with random contents, the L2 cache flushed before each repetition. A schedule
that spills registers is never picked where another does not. Without a GPU, and for kernels of unknown size, the pass
leaves all to `schedule`: compilation without a device gives one answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import torch
import triton
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_compiler.cache import cache_folder, write_whole
from mlc_compiler.candidates import anonymous, choices
from mlc_compiler.measuring import Trial, measure
from mlc_dialects.mlc_loop import KernelOp
from passes.launches import kernels_by_name

Schedules = Sequence[KernelOp]
"""Copies of one kernel with different schedules, the untuned one first."""
Measure = Callable[[Sequence[Schedules]], list[list[Trial]]]
"""A trial of each schedule of each kernel."""


@dataclass(frozen=True)
class TunePass(ModulePass):
    """Schedules each kernel by the fastest of `candidates` schedules; with one candidate it does nothing.

    They are timed as they will run: changed by the passes `behind` the schedule pass, and lowered by those `to_triton`.
    """

    name = "tune"
    candidates: int = 1
    measure: Measure | None = field(default=None, compare=False)
    """What times schedules; None for the GPU, where there is one."""
    behind: tuple[ModulePass, ...] = ()
    to_triton: tuple[ModulePass, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run = self.measure or (partial(measure, self.to_triton) if torch.cuda.is_available() else None)
        if self.candidates < 2 or run is None:
            return
        asked, kernels = choices(op, self.candidates, self.behind), kernels_by_name(op)
        for name, chosen in zip(asked, fastest(list(asked.values()), run), strict=True):
            kernel = kernels[name]
            chosen.detach()
            chosen.location = kernel.location
            Rewriter.replace_op(kernel, chosen, [])


def fastest(asked: Sequence[Schedules], run: Measure) -> list[KernelOp]:
    """For each kernel the schedule to use: one remembered from an earlier run, or the fastest that does not spill."""
    paths = {key(schedules): schedules for schedules in asked if len(schedules) > 1}
    unknown = {k: schedules for k, schedules in paths.items() if not _file(k).exists()}
    if unknown:
        for (k, schedules), trials in zip(unknown.items(), run(list(unknown.values())), strict=True):
            _remember(_file(k), schedules, trials)
    return [schedules[_recalled(schedules)] for schedules in asked]


def _remember(path: Path, schedules: Schedules, trials: Sequence[Trial]) -> None:
    """Writes down the place of the fastest; nothing if none could run, for want of memory say."""
    ranked = sorted(range(len(trials)), key=lambda k: (trials[k].spills > 0, trials[k].seconds))
    if any(t.seconds < float("inf") for t in trials):
        shown = [{"seconds": t.seconds, "spills": t.spills} for t in trials]
        write_whole(path, json.dumps({"fastest": ranked[0], "kernel": schedules[0].sym_name.data, "trials": shown}))


def _recalled(schedules: Schedules) -> int:
    """The place of the fastest; the first where nothing is known."""
    path = _file(key(schedules))
    return int(json.loads(path.read_text())["fastest"]) if len(schedules) > 1 and path.exists() else 0


def _file(digest: str) -> Path:
    return cache_folder() / f"tuned_{digest}.json"


def key(schedules: Schedules) -> str:
    """A digest of the schedules' structure, the device and the versions: what the answer depends on."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
    parts = (device, torch.__version__, triton.__version__, *map(anonymous, schedules))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
