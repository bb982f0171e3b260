"""A sample of the regions of real programs on every backend: times, kernels, share of the copy, errors, and the worst.

    python -m benchmarks.corpus --regions regions.jsonl.gz [--seed 0] [--max-regions 300] [--min-bytes 8e6]
                                [--max-bytes 5e8] [--backends eager,inductor,mlc] [--budget SECONDS] [--processes N]
                                [--json FILE]
    python -m benchmarks.corpus --regions regions.jsonl.gz --show FILE

The regions come from `python -m benchmarks.capture`. Bytes are the least that a region moves: inputs read once, results
written once; the share of the copy is the time of a copy of as many, over the measured time. Every backend compiles the
same ops of PyTorch by `torch.compile`; regions that have no such form are counted, and others taken. Errors are those
against float64. Processes compile side by side, and one at a time uses the device. Without a GPU regions are compiled
and checked, and the times mean nothing.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch

from benchmarks import corpus_report, measuring
from benchmarks.backends import BACKENDS, DEFAULT, available, configure
from benchmarks.compiling import failure, fresh_caches
from benchmarks.json_files import file_to_write
from benchmarks.pool import alone, in_processes
from benchmarks.records import Measured, Result, Run, load
from benchmarks.region_cases import case_of
from benchmarks.regions import Region, shuffled
from benchmarks.regions import load as load_regions
from benchmarks.timing import copy_bandwidth, environment
from mlc_support.errors import MlcError

MOST_EXPANDED = 16
"""A region whose largest value has more times the elements that it moves is a product of matrices or a convolution,
which mlc computes itself: as single multiplications no other backend gives it to a library."""
SAVED = 20.0
"""Seconds between two writings of the results."""


@dataclass(frozen=True)
class Setup:
    """What a process that measures must know."""

    backends: tuple[str, ...]
    device: str
    copy: float
    """Bytes a second of a copy."""
    lock: str
    """The file that the process holds which uses the device."""


def sample(regions: Sequence[Region], seed: int, count: int, least: float, most: float) -> list[Region]:
    """So many regions that move between `least` and `most` bytes, the same for each seed.

    Those that PyTorch has no ops for are left out, and products written out as multiplications.
    """
    found: list[Region] = []
    left_out = Counter[str]()
    for region in shuffled(regions, seed, least, most):
        if len(found) == count:
            break
        try:
            case_of(region, "cpu")
        except MlcError as error:
            left_out[failure(error)] += 1
            continue
        if region.expansion() > MOST_EXPANDED:
            left_out["a product or a convolution, written out"] += 1
        else:
            found.append(region)
    for why, times in left_out.most_common():
        print(f"left out {times} regions: {why}")
    return found


def measure_region(region: Region, setup: Setup) -> Result:
    """Compiles a region for every backend, then checks and times it while no other process does."""
    counted = [b for b in setup.backends if b != "eager"] if setup.device == "cuda" else []
    try:
        with torch.no_grad():
            made = measuring.compiled(case_of(region, setup.device), setup.backends, setup.device)
            with alone(setup.lock):
                return measuring.measured(made, setup.copy, setup.device, counted)
    except Exception as error:
        return failed(region, setup, error)
    finally:
        if setup.device == "cuda":
            torch.cuda.synchronize()  # raises for ever once a kernel has gone wrong
            torch.cuda.empty_cache()  # other processes want the memory


def measure_or_end(region: Region, setup: Setup) -> Result:
    """The same in a process of its own, which ends where its device can be used no more: another one goes on."""
    try:
        return measure_region(region, setup)
    except Exception:
        os._exit(1)


def failed(region: Region, setup: Setup, error: Exception) -> Result:
    """A region of which nothing is known."""
    return Result(region.kind, region.name, region.bytes, {b: Measured(failure=failure(error)) for b in setup.backends})


def results(regions: Sequence[Region], setup: Setup, processes: int, end: float) -> Iterator[Result]:
    """Each region as it is done, until `end` on the clock `time.monotonic`."""
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    measure = partial(measure_or_end if processes else measure_region, setup=setup)
    options = {"initializer": _begin, "initargs": ()} if processes else {}
    for region, result in in_processes(measure, regions, processes, end, **options):
        yield result if isinstance(result, Result) else failed(region, setup, result)


def _begin() -> None:
    torch.set_num_threads(1)
    configure()


def fill(run: Run, found: Iterable[Result], wanted: int, path: Path | None) -> None:
    """Takes the results into the run, and writes it now and then."""
    start = saved = time.monotonic()
    for result in found:
        run.results.append(result)
        now = time.monotonic()
        if path is not None and now - saved > SAVED:
            run.save(path)
            saved = now
        if len(run.results) % 25 == 0:
            print(f"{len(run.results)} of {wanted} regions, {now - start:.0f} s", flush=True)
    if path is not None:
        run.save(path)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--regions", type=Path, required=True, help="what benchmarks.capture wrote")
    made.add_argument("--seed", type=int, default=0, help="other seeds are other samples")
    made.add_argument("--max-regions", type=int, default=300, help="how many at most")
    made.add_argument("--min-bytes", type=float, default=8e6, help="that a region moves at least")
    made.add_argument("--max-bytes", type=float, default=5e8, help="and at most")
    made.add_argument("--backends", default=",".join(DEFAULT), help=f"among {', '.join(BACKENDS)}")
    made.add_argument("--budget", type=float, default=540, help="seconds after which what is left is given up")
    made.add_argument("--processes", type=int, default=max(1, len(os.sched_getaffinity(0)) - 2), help="0 is this one")
    made.add_argument("--worst", type=int, default=30, help="how many of the slowest to print")
    made.add_argument("--json", type=file_to_write, help="where to write the results, as they come")
    made.add_argument("--show", type=Path, help="report on the results in this file, and measure nothing")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    start = time.monotonic()
    options = parser().parse_args(arguments)
    regions = load_regions(options.regions)
    if options.show is not None:
        print(corpus_report.summary(load(options.show).results, regions, options.worst))
        return 0
    backends = tuple(available(options.backends.split(",")))
    chosen = sample(regions, options.seed, options.max_regions, options.min_bytes, options.max_bytes)
    if not chosen:
        raise SystemExit(f"no region of {len(regions)} moves {options.min_bytes:.0f} to {options.max_bytes:.0f} bytes")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    fresh_caches()
    command = "python -m benchmarks.corpus " + shlex.join(sys.argv[1:] if arguments is None else arguments)
    depends = environment(device) | {"seed": str(options.seed), "processes": str(options.processes)}
    run = Run(command, depends, copy_bandwidth(device, 8192 if device == "cuda" else 256))
    print(", ".join(f"{k}: {v}" for k, v in depends.items()), flush=True)
    with tempfile.NamedTemporaryFile() as lock:
        setup = Setup(backends, device, run.copy, lock.name)
        found = results(chosen, setup, options.processes, start + options.budget)
        fill(run, found, len(chosen), options.json)
    print(corpus_report.summary(run.results, regions, options.worst))
    print(f"{len(run.results)} of {len(chosen)} regions in {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
