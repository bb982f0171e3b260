"""Whole models with random weights by backend, in one run.

    python -m benchmarks.models [--train] [--mode reduce-overhead] [--cases 'BERT*'] [--backends eager,inductor,mlc]
                                [--warm] [--budget SECONDS] [--processes N] [--json FILE] [--picture STEM]
    python -m benchmarks.models --profile --cases 'RegNetY*'

Inference is in bfloat16; training is forward and backward of float32 parameters under autocast to bfloat16, with half
of the batch and without dropout. Each model has a process of its own, that compiles it for every backend into empty
caches. With several processes each has cores of its own, and while one is timed all others stand still; the seconds to
the first result leave out when a process stood still, and `--processes 1` gives those of a machine that does nothing
else, with as many threads as a compiler likes. `--warm` adds those of a second process, which finds the caches filled.
Calls are timed in rounds in which every backend has a turn, so that a noisy host hits all alike. Errors are those
against the same weights in float32.
`--tiny` takes small sizes, for a smoke test; on the CPU nothing is timed. `--profile` shows where the device's time
goes in the models that are chosen.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks.backends import BACKENDS, DEFAULT, available
from benchmarks.json_files import file_to_write
from benchmarks.models.crew import Crew
from benchmarks.models.picture import draw
from benchmarks.models.profile import profiled
from benchmarks.models.records import Job, Run
from benchmarks.models.report import heading, line, summary
from benchmarks.timing import environment
from benchmarks.zoo import TIMED
from benchmarks.zoo.libraries import versions
from benchmarks.zoo.model import Model

MODES = ("default", "reduce-overhead")
GIGABYTES = {False: 5, True: 12}
"""Device memory that a process may need, in training the more."""


def main(arguments: Sequence[str] | None = None) -> int:
    start = time.monotonic()
    options = parser().parse_args(arguments)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and (options.profile or not options.tiny):
        raise SystemExit("no CUDA device here; --tiny runs every model at small sizes on the CPU, and times nothing")
    backends = tuple(available(options.backends.split(",")))
    chosen = select(options.cases)
    with tempfile.TemporaryDirectory(prefix="benchmark_models_") as folder:
        jobs = [
            Job(m.name, backends, options.train, options.mode, device, options.tiny, str(Path(folder) / str(k)))
            for k, m in enumerate(chosen)
        ]
        if options.profile:
            print("\n\n".join(f"{job.model}\n{profiled(job)}" for job in jobs))
            return 0
        processes = min(options.processes or processes_for(device, options.train), len(jobs))
        command = "python -m benchmarks.models " + shlex.join(sys.argv[1:] if arguments is None else arguments)
        depends = environment(device) | versions() | {"processes": str(processes)}
        run = Run(command, depends)
        print(", ".join(f"{k}: {v}" for k, v in depends.items()))
        print(heading(backends), flush=True)
        crew = Crew(jobs, processes, start + options.budget, warm=options.warm)
        for result in crew.results():
            run.results.append(result)
            print(line(result, backends), flush=True)
            if options.json is not None:
                run.save(options.json)
        print(f"\n{summary(run.results, crew.unfinished())}\nin {time.monotonic() - start:.0f} s")
        if options.picture is not None:
            draw(run, options.picture)
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--cases", default="*", help="only models whose names these shell patterns, parted by |, match")
    made.add_argument("--backends", default=",".join(DEFAULT), help=f"among {', '.join(BACKENDS)}")
    made.add_argument("--train", action="store_true", help="forward and backward, not inference")
    made.add_argument("--mode", default=MODES[0], choices=MODES, help="that of torch.compile")
    made.add_argument("--budget", type=float, default=540, help="seconds after which what is left is given up")
    made.add_argument("--processes", type=int, default=0, help="that compile; 0 is as many as the machine has room for")
    made.add_argument("--warm", action="store_true", help="measure the first result with filled caches as well")
    made.add_argument("--json", type=file_to_write, help="where to write the results, after each model")
    made.add_argument("--picture", type=file_to_write, help="where to draw the speed of each model: STEM.png")
    made.add_argument("--profile", action="store_true", help="the kernels of each backend side by side instead")
    made.add_argument("--tiny", action="store_true", help="small sizes, for a smoke test")
    return made


def select(patterns: str) -> list[Model]:
    """The models that the command line asks for; SystemExit if there are none."""
    found = [m for m in TIMED if any(m.matches(p) for p in patterns.split("|"))]
    if not found:
        raise SystemExit(f"no model matches {patterns!r}; there are {'; '.join(m.name for m in TIMED)}")
    return found


def processes_for(device: str, train: bool) -> int:
    """One a core but for two, as far as the memory of the device goes."""
    cores = max(1, len(os.sched_getaffinity(0)) - 2)
    if device == "cpu":
        return cores
    return max(1, min(cores, torch.cuda.get_device_properties().total_memory // (GIGABYTES[train] << 30)))


if __name__ == "__main__":
    sys.exit(main())
