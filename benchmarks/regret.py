"""How much faster the best of many schedules is than the one that the compiler takes, on kernels that nobody chose.

    python -m benchmarks.regret [--seed S] [--cases 'softmax*|scan*'] [--regions FILE]
                                [--kernels 300] [--candidates 12]
                                [--json FILE] [--dump FILE.jsonl[.gz]] [--picture STEM]
                                [--budget SECONDS] [--processes N] [--dry] [--tiny]
    python -m benchmarks.regret --show FILE [--picture STEM]

Functions are drawn by seed (`benchmarks.drawn`), so that no schedule was made with them in mind; those of which PyTorch
computes a part are left out, and others drawn instead. Every schedule of every kernel is timed with a flushed cache,
and the whole function beside a copy of its least bytes. `--dump` writes a line for each schedule: the kernel's IR, what
was predicted and what was measured. `--dry` stops before the measuring, and needs no GPU.
With `--regions` the kernels are those of real programs: of the regions in a file of `benchmarks.capture`, some by seed.
`benchmarks.drawn_families.named("regret-17-204")` draws that function again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import count
from pathlib import Path
from typing import IO, Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from benchmarks import regret_report, timing
from benchmarks.accuracy import errors
from benchmarks.case import Case
from benchmarks.cases import CASES
from benchmarks.compiling import failure
from benchmarks.drawn import TINY, TRAFFIC, described
from benchmarks.json_files import file_to_write
from benchmarks.regions import load as load_regions
from benchmarks.regions import shuffled
from benchmarks.regret_kernels import Prepared, Source, Written, prepared
from benchmarks.regret_records import Drawing, Kernel, RegretRun, Tried, load
from mlc_compiler.kernels.kernel_files import load_module
from mlc_compiler.machine import gpu
from mlc_compiler.timing import clock
from mlc_compiler.tuning.measuring import Trial, measure
from mlc_dialects.loop.dialect import KernelOp

Measure = Callable[[Sequence[Sequence[Sequence[KernelOp]]]], list[list[Trial]]]
WHOLE_BUDGET = 0.03
"""Seconds that a whole function is timed for."""
SAVED = 20.0
"""Seconds between two writings of the results."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.show is not None:
        return conclude(load(options.show), options.picture)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and not options.dry:
        raise SystemExit("no CUDA device here; --dry draws and lowers, and measures nothing")
    command = "python -m benchmarks.regret " + shlex.join(sys.argv[1:] if arguments is None else arguments)
    run = RegretRun(command, timing.environment(device) | {"processes that compile": str(options.processes)})
    source = Source(TINY if options.tiny else TRAFFIC, options.regions)
    cases = prepared(named_cases(options), options.candidates, source, options.processes)
    try:
        fill(run, cases, source, options, None if options.dry else partial(measure, device=gpu()))
    finally:
        cases.close()
        if options.json is not None:
            run.save(options.json)
    return conclude(run, options.picture)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--seed", type=int, default=0, help="what the functions are drawn by")
    made.add_argument("--cases", metavar="PATTERN|...", help="cases of the tables by name, in place of drawn functions")
    made.add_argument(
        "--regions", type=Path, metavar="FILE", help="regions of real programs in place of drawn functions"
    )
    made.add_argument("--kernels", type=int, default=300, help="functions to measure; most are a kernel each")
    made.add_argument("--candidates", type=int, default=12, help="the most schedules of a kernel")
    made.add_argument("--json", type=file_to_write, help="where to write the results, as they come")
    made.add_argument("--dump", type=file_to_write, help="where to write a line a schedule; .gz compresses it")
    made.add_argument("--picture", type=file_to_write, help="where to draw predictions and regret: STEM.png")
    made.add_argument("--budget", type=float, default=540, help="seconds after which no further function is begun")
    made.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 2), help="that compile")
    made.add_argument("--show", type=Path, help="report on the results in this file, and measure nothing")
    made.add_argument("--dry", action="store_true", help="draw and lower only")
    made.add_argument("--tiny", action="store_true", help="small sizes, for a smoke test")
    return made


def named_cases(options: argparse.Namespace) -> Iterator[str]:
    """The names of what is asked for: regions, cases of `benchmarks.micro` that match, or drawn functions."""
    patterns = None if options.cases is None else options.cases.split("|")
    if options.regions is not None:
        drawn = shuffled(load_regions(options.regions), options.seed, *(TINY if options.tiny else TRAFFIC))
        return (r.name for r in drawn if patterns is None or any(fnmatchcase(r.name, p) for p in patterns))
    if patterns is not None:
        return (case.name for case in CASES if any(map(case.matches, patterns)))
    return (f"regret-{options.seed}-{index}" for index in count())


def fill(
    run: RegretRun, cases: Iterable[Prepared], source: Source, options: argparse.Namespace, timed: Measure | None
) -> None:
    """Measures case after case into `run` until there are enough, or the time is over."""
    start, saved = time.monotonic(), 0.0
    with opened(options.dump) as dump:
        for case in cases:
            if case.failure is not None:
                run.redrawn[case.name] = case.failure
            else:
                run.results.append(result(case, source, timed))
                write(dump, case, run.results[-1])
                progress(run.results[-1], len(run.results), options.kernels)
            passed = time.monotonic() - start
            if options.json is not None and passed - saved > SAVED:
                run.save(options.json)
                saved = passed
            if len(run.results) >= options.kernels:
                break
            if passed > options.budget:
                print(f"{options.budget:.0f} s were over after {len(run.results)} functions")
                break


def result(made: Prepared, source: Source, timed: Measure | None) -> Drawing:
    """One case: each schedule of each kernel, and the whole function. Without `timed` nothing is measured."""
    case = source.case(made.name)
    groups = list(made.kernels.values())
    if timed is None:
        trials: list[list[Trial | None]] = [[None] * len(group) for group in groups]
    else:
        trials = [list(group) for group in timed([[[w.kernel] for w in group] for group in groups])]
    kernels = tuple(
        Kernel(name, tuple(tried(w, t) for w, t in zip(group, found, strict=True)))
        for (name, group), found in zip(made.kernels.items(), trials, strict=True)
    )
    drawing = Drawing(case.name, case.family, described(case.function, case.args), least_bytes(case), kernels)
    if timed is None or not torch.cuda.is_available():
        return drawing
    return whole(drawing, source.case(made.name, "cuda"), made)


def tried(written: Written, trial: Trial | None) -> Tried:
    """One schedule as it is kept."""
    if trial is None:
        return Tried(written.why, written.predicted_us)
    seconds = trial.seconds if math.isfinite(trial.seconds) else None
    return Tried(written.why, written.predicted_us, seconds, trial.spills, trial.registers)


def least_bytes(case: Case) -> int:
    """The least that a call moves, found without the memory for it."""
    with FakeTensorMode():
        inputs = case.make("cpu")
        return timing.least_bytes(inputs, case.function(*inputs))


def whole(drawing: Drawing, case: Case, made: Prepared) -> Drawing:
    """With the times of the compiled function and of a copy, and its error beside eager's, on the GPU."""
    assert made.path is not None
    try:
        module, _ = load_module(made.path)
        inputs = case.make()
        own = module.case([*inputs])
        seconds = clock.measure(lambda: module.case([*inputs]), budget=WHOLE_BUDGET).seconds
        found = errors(case, inputs, {"mlc": own, **by_eager(case, inputs)})
        copied = copy_seconds(drawing.bytes)
    except Exception as error:
        return replace(drawing, failure=failure(error))
    finally:
        torch.cuda.empty_cache()
    return replace(drawing, seconds=seconds, copy_seconds=copied, error=found["mlc"], eager_error=found.get("eager"))


def by_eager(case: Case, inputs: Sequence[torch.Tensor]) -> dict[str, Any]:
    """Eager's result, unless it has none: some of its kernels take fewer layouts than mlc's."""
    try:
        return {"eager": case.function(*inputs)}
    except RuntimeError:
        return {}


def copy_seconds(moved: int) -> float:
    """Of a copy on the device that reads and writes this many bytes together."""
    source = torch.empty(max(1, moved // 2), dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    target.copy_(source)
    return clock.measure(lambda: target.copy_(source), budget=WHOLE_BUDGET).seconds


def opened(path: Path | None) -> Any:
    """A text file to write to, compressed by its name; None if there is no path."""
    if path is None:
        return nullcontext()
    return gzip.open(path, "wt") if path.suffix == ".gz" else path.open("w")


def write(dump: IO[str] | None, made: Prepared, drawing: Drawing) -> None:
    """A line for each schedule of a case."""
    if dump is None:
        return
    dump.writelines(json.dumps(line) + "\n" for line in lines(made, drawing))
    dump.flush()


def lines(made: Prepared, drawing: Drawing) -> Iterator[dict[str, Any]]:
    """What is known of each schedule, and the scheduled kernel as text; with the first the kernel before that."""
    for kernel in drawing.kernels:
        for place, (written, found) in enumerate(zip(made.kernels[kernel.name], kernel.tried, strict=True)):
            first = {"open": made.open[kernel.name]} if place == 0 else {}
            yield first | {
                "case": drawing.name,
                "family": drawing.family,
                "kernel": kernel.name,
                "candidate": place,
                "schedule": found.why,
                "predicted_us": found.predicted_us,
                "seconds": found.seconds,
                "spills": found.spills,
                "registers": found.registers,
                "text": written.text,
            }


def progress(drawing: Drawing, done: int, wanted: int) -> None:
    """A line now and then."""
    if done % 25 == 0 or done == wanted:
        print(f"{done} of {wanted}: {drawing.name}", flush=True)


def conclude(run: RegretRun, picture: Path | None) -> int:
    """The report and the picture."""
    print(regret_report.text(run))
    if picture is not None:
        regret_report.draw(run, picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
