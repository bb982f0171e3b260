"""What today's model of time makes of schedules that were measured before; no GPU is needed.

    python -m benchmarks.regret_again RESULTS.json [MORE ...] [--dump FILE.jsonl[.gz]] [--processes N]

Draws the functions of `benchmarks.regret --json` again, finds the schedules that were timed by their warps and blocks,
and predicts each. The report is that of `benchmarks.regret`, with the recorded times: the default is what the compiler
would take today of those recorded. What it would take besides has no time; how many kernels that concerns is printed.
`--dump` writes what `benchmarks.fit_model` reads.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import regret_report
from benchmarks.compiling import failure
from benchmarks.drawn_families import named
from benchmarks.pool import pool
from benchmarks.records import imported
from benchmarks.regret import opened
from benchmarks.regret_kernels import Written, until_tuning
from benchmarks.regret_records import Drawing, Kernel, RegretRun, Tried, load
from mlc_dialects.loop.dialect import KernelOp
from passes.common.device import DEFAULT_DEVICE, Device, device_named
from passes.common.launches import kernels_by_name
from passes.loop.schedule.contiguous_rows import usual_tiling
from passes.loop.schedule.mapping import apply, as_built
from passes.loop.schedule.model import predict
from passes.loop.schedule.overlapping_tail import allow_overlapping_tail
from passes.loop.schedule.schedule import AS_ASKED, SchedulePass
from passes.loop.schedule.tiling import Tiling, tilings
from passes.loop.schedule.workload import workload

FORM = re.compile(r"warps (\d+) .*; blocks (.*)")
"""What tells the schedules of a kernel from one another, in the text that is kept of each."""


@dataclass(frozen=True)
class Again:
    """A drawing whose schedules are predicted again, those that were found, and their kernels as text."""

    drawing: Drawing
    texts: dict[str, tuple[str, ...]]
    unseen: int = 0
    """Kernels of which the compiler would take what was not timed."""


@dataclass(frozen=True)
class Found:
    """A schedule that was timed, and its kernel as text."""

    tiling: Tiling
    tried: Tried
    text: str


def main(arguments: Sequence[str] | None = None) -> int:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("results", type=Path, nargs="+", help="files of `python -m benchmarks.regret --json`")
    made.add_argument("--dump", type=Path, help="where to write a line a schedule; compressed if it ends in .gz")
    made.add_argument("--processes", type=int, default=0, help="that draw and lower; none but this one by default")
    options = made.parse_args(arguments)
    with opened(options.dump) as dump:
        for path in options.results:
            run = load(path)
            found = list(predicted(run.results, options.processes))
            if dump is not None:
                dump.writelines(json.dumps(line) + "\n" for again in found for line in lines(again))
            print(f"{path}:\n{report(run, found)}")
    return 0


def predicted(drawings: Sequence[Drawing], processes: int) -> Iterator[Again]:
    """Each drawing again, by this many processes, or by this one if there are none."""
    if processes < 1:
        yield from map(predict_again, drawings)
        return
    with pool(processes) as running:
        yield from running.map(predict_again, drawings)


def report(run: RegretRun, found: Sequence[Again]) -> str:
    """The report on what was measured, as if it had been chosen today."""
    kernels, kept = (sum(len(d.kernels) for d in group) for group in (run.results, [again.drawing for again in found]))
    unseen = sum(again.unseen for again in found)
    counts = f"{kept} of {kernels} kernels have two of the recorded schedules and more; today's choice is none of them"
    again = replace(run, results=[again.drawing for again in found])
    return f"{counts} for {unseen}\n{regret_report.text(again)}"


def predict_again(drawing: Drawing) -> Again:
    """The schedules of one drawing that there are today, today's choice of them first."""
    kernels, texts, unseen = list[Kernel](), dict[str, tuple[str, ...]](), 0
    try:
        open_ = kernels_by_name(until_tuning(imported(named(drawing.name)).module.clone()))
    except Exception as error:
        return Again(replace(drawing, kernels=(), failure=failure(error)), {})
    for kernel in drawing.kernels:
        if kernel.name in open_ and open_[kernel.name].warps is None:
            found, chosen = timed(open_[kernel.name], kernel.tried, device_named(DEFAULT_DEVICE))
            if len(found) > 1:
                found.sort(key=lambda f: (f.tiling != chosen, f.tried.predicted_us))
                unseen += found[0].tiling != chosen
                kernels.append(Kernel(kernel.name, tuple(f.tried for f in found)))
                texts[kernel.name] = tuple(f.text for f in found)
    return Again(replace(drawing, kernels=tuple(kernels), seconds=None), texts, unseen)


def timed(kernel: KernelOp, tried: Sequence[Tried], device: Device) -> tuple[list[Found], Tiling]:
    """The schedules of an open kernel that were `tried`, predicted anew, and what the compiler takes."""
    allow_overlapping_tail(kernel)
    work, usual = workload(kernel), usual_tiling(kernel, device)
    built = [] if usual is None else [as_built(kernel, usual, device)]
    forms: dict[object, list[tuple[Tiling, str]]] = {}
    for tiling in dict.fromkeys([*built, *tilings(kernel, work)]):
        copy = kernel.clone()
        apply(copy, tiling, AS_ASKED, device)
        text = str(copy)
        forms.setdefault(form(Written(text).why), []).append((tiling, text))
    found: list[Found] = []
    for t in tried:
        if fitting := forms.get(form(t.why)):  # the usual tiling first, whose stages may be others
            tiling, text = fitting[-1 if AS_ASKED in t.why else 0]
            found.append(Found(tiling, replace(t, predicted_us=predict(work, tiling, device).us), text))
    return found, SchedulePass().chosen(kernel)[0]


def form(why: str) -> object:
    """Warps and blocks of a schedule."""
    parts = FORM.search(why)
    return why if parts is None else parts.groups()


def lines(again: Again) -> Iterator[dict[str, object]]:
    """What `benchmarks.fit_model` reads of each schedule."""
    for kernel in again.drawing.kernels:
        for t, text in zip(kernel.tried, again.texts[kernel.name], strict=True):
            own = {"seconds": t.seconds, "spills": t.spills, "registers": t.registers, "text": text}
            yield {"case": again.drawing.name, "family": again.drawing.family, "kernel": kernel.name, **own}


if __name__ == "__main__":
    sys.exit(main())
