"""tune: times a few schedules of each kernel on the GPU and keeps the fastest; remembered for the next process.

Kernels run on buffers of their true sizes with random contents, the L2 cache flushed before each repetition. A schedule
that spills registers is never picked where another does not. Without a GPU, and for kernels of unknown size, the pass
leaves all to `schedule`: compilation without a device gives one answer.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
import triton
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_compiler.cache import cache_folder, write_whole
from mlc_compiler.candidates import anonymous, choices, is_static
from mlc_compiler.measuring import Trial, measure
from mlc_dialects.mlc_loop import KernelOp

Measure = Callable[[Sequence[KernelOp]], list[Trial]]
"""Trials of several schedules of one kernel, in their order."""


@dataclass(frozen=True)
class TunePass(ModulePass):
    """Schedules each kernel by the fastest of `candidates` schedules; with one candidate it does nothing."""

    name = "tune"
    candidates: int = 1
    measure: Measure | None = field(default=None, compare=False)
    """What times schedules; None for the GPU, where there is one."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run = self.measure or (measure if torch.cuda.is_available() else None)
        if self.candidates < 2 or run is None:
            return
        kernels = [k for k in op.ops if isinstance(k, KernelOp) and k.warps is None and is_static(k)]
        for position, kernel in enumerate(kernels):
            _progress(position, len(kernels), kernel.sym_name.data)
            chosen = fastest(choices(kernel, self.candidates), run)
            chosen.detach()
            chosen.location = kernel.location
            op.body.block.insert_op_before(chosen, kernel)
            Rewriter.erase_op(kernel)
        _progress(len(kernels), len(kernels), "")


def fastest(schedules: Sequence[KernelOp], run: Measure) -> KernelOp:
    """The schedule to use: the one remembered from an earlier run, or the fastest that does not spill."""
    if len(schedules) == 1:
        return schedules[0]
    path = cache_folder() / f"tuned_{key(schedules)}.json"
    if path.exists():
        return schedules[json.loads(path.read_text())["fastest"]]
    trials = run(schedules)
    ranked = sorted(range(len(trials)), key=lambda k: (trials[k].spills > 0, trials[k].seconds))
    if trials[ranked[0]].seconds == float("inf"):
        return schedules[0]  # nothing ran, for want of memory say: no reason to remember
    shown = [{"seconds": t.seconds, "spills": t.spills} for t in trials]
    write_whole(path, json.dumps({"fastest": ranked[0], "kernel": schedules[0].sym_name.data, "trials": shown}))
    return schedules[ranked[0]]


def key(schedules: Sequence[KernelOp]) -> str:
    """A digest of the schedules' structure, the device and the versions: what the answer depends on."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
    parts = (device, torch.__version__, triton.__version__, *map(anonymous, schedules))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def _progress(done: int, total: int, name: str) -> None:
    """A bar on the terminal, if that is what stderr is; gone when all is done."""
    if total < 2 or not sys.stderr.isatty():
        return
    bar = ("#" * (24 * done // total)).ljust(24)
    text = f"\rtuning [{bar}] {done}/{total} {name[:40]:40}" if done < total else "\r" + " " * 90 + "\r"
    print(text, end="", file=sys.stderr, flush=True)
