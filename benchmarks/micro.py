"""Memory-bound cases and regions by backend, against the copy bandwidth, in one run.

    python -m benchmarks.micro [--family micro,regions] [--cases 'softmax*'] [--backends eager,inductor,mlc,xla]
                               [--json FILE [--resume]] [--compare OLD.json] [--picture STEM] [--part K/N]
    python -m benchmarks.micro --join PART.json ... --json FILE [--compare OLD.json] [--picture STEM]

Every time is the median of repetitions with the L2 cache flushed in between, and the mean of two turns, one early and
one late: a GPU that others have heated is slower. "of copy" is the time that a device-to-device copy of as many bytes
takes, over the measured time; the bytes are the least possible: each input read once, each output written once. First
`--processes` processes compile everything cold, each with a core of its own (the compile seconds are theirs, under the
same load for every backend; `--processes 1` gives undisturbed ones), then one process measures. `--tiny` shrinks every
case, for a smoke test on the CPU. Several GPUs share the cases by `--part`, a process each, and `--join` puts together
what they wrote.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks import measuring, report, roofline
from benchmarks.backends import BACKENDS, BESIDE, DEFAULT, applicable, available, configure
from benchmarks.case import Case
from benchmarks.cases import AWKWARD, CASES, CHAINS, LAYOUTS, MICRO, REGIONS, RESAMPLED
from benchmarks.compiling import compile_all, fresh_caches
from benchmarks.json_files import file_to_write
from benchmarks.records import Result, Run, joined, load
from benchmarks.timing import copy_bandwidth, environment

SETS = {
    "micro": MICRO,
    "regions": REGIONS,
    "awkward": AWKWARD,
    "layouts": LAYOUTS,
    "resampled": RESAMPLED,
    "chains": CHAINS,
}
"""Sets of several families, or of one whose name they have. They are measured where no other family is asked for."""


def main(arguments: Sequence[str] | None = None) -> int:
    start = time.monotonic()
    options = parser().parse_args(arguments)
    earlier = earlier_run(options.compare) if options.compare is not None else None
    if options.join:
        return join(options, earlier)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and not options.tiny:
        raise SystemExit("no CUDA device here; --tiny runs every case at small sizes on the CPU")
    backends = available(options.backends.split(","), (*BACKENDS, *BESIDE))
    counted = [] if options.no_launches or device == "cpu" else [b for b in backends if b != "eager"]
    chosen = select(options.family, options.cases)[options.part]
    command = "python -m benchmarks.micro " + shlex.join(sys.argv[1:] if arguments is None else arguments)
    depends = environment(device) | {"processes that compile": str(options.processes)}
    run = Run(command, depends, copy_bandwidth(device, 256 if options.tiny else 8192))
    if options.resume and options.json is not None and options.json.exists():
        run.results = resumed(earlier_run(options.json), run, options.json)
    done = {r.name for r in run.results}
    todo = [c.tiny() if options.tiny else c for c in chosen if c.name not in done]
    print(", ".join(f"{k}: {v}" for k, v in run.environment.items()))
    print(f"copy: {run.copy / 1e12:.2f} TB/s, read and written", flush=True)
    seconds = precompile(todo, backends, options.processes, device, options.tiny)
    print(f"compiled in {time.monotonic() - start:.0f} s with {options.processes} processes", flush=True)
    print(report.heading(backends))
    for case in todo:
        if time.monotonic() - start > options.budget:
            print(f"{options.budget:.0f} s are over: run again with --json FILE --resume for the rest")
            break
        compiled = {b: seconds.get((case.name, b)) for b in applicable(case, backends)}
        result = measure_case(case, compiled, run.copy, device, counted, options.calls)
        run.results.append(result)
        print(report.line(result, backends), flush=True)
        if options.json is not None:
            run.save(options.json)
    conclude(run, earlier, options.picture)
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--family", help=", ".join([*SETS, "or names of families, with commas between"]))
    made.add_argument("--cases", default="*", help="only cases whose name the shell pattern matches")
    made.add_argument("--part", type=part, default=slice(None), help="K/N: the Kth of every N cases, from 1")
    order = "in the order in which they compile: max-autotune fills caches that inductor would find"
    made.add_argument("--backends", default=",".join(DEFAULT), help=f"among {', '.join((*BACKENDS, *BESIDE))}, {order}")
    made.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 2), help="that compile")
    made.add_argument("--budget", type=float, default=540, help="seconds after which no further case is begun")
    made.add_argument("--json", type=file_to_write, help="where to write the results, after each case")
    made.add_argument("--resume", action="store_true", help="keep what the file of --json holds already")
    made.add_argument("--compare", type=Path, help="earlier results, to show what moved")
    made.add_argument("--picture", type=file_to_write, help="where to draw the roofline: STEM.png and STEM.html")
    made.add_argument("--join", type=Path, nargs="+", metavar="PART", help="join these files, and measure nothing")
    made.add_argument("--no-launches", action="store_true", help="do not count them, which takes a profiler a case")
    made.add_argument("--calls", action="store_true", help="also time whole calls, and measure their peak memory")
    made.add_argument("--tiny", action="store_true", help="small sizes, for a smoke test")
    return made


def part(text: str) -> slice:
    """Of which cases `K/N` speaks: the Kth of every N."""
    which, _, of = text.partition("/")
    if not (which.isdecimal() and of.isdecimal() and 1 <= int(which) <= int(of)):
        raise argparse.ArgumentTypeError(f"{text!r} is no K/N with K from 1 to N, as 2/4 is")
    return slice(int(which) - 1, None, int(of))


def join(options: argparse.Namespace, earlier: Run | None) -> int:
    """One run of the parts that were measured side by side, its cases in their order."""
    places = {c.name: k for k, c in enumerate(CASES)}
    run = joined([earlier_run(p) for p in options.join])
    run.results.sort(key=lambda r: places.get(r.name, len(places)))
    if options.json is not None:
        run.save(options.json)
    conclude(run, earlier, options.picture)
    return 0


def select(families: str | None, pattern: str) -> list[Case]:
    """The cases that the command line asks for; SystemExit if there are none."""
    wanted = set(families.split(",")) if families is not None else set(SETS)
    names = {*SETS, *(c.family for c in CASES)}
    if unknown := sorted(wanted - names):
        raise SystemExit(f"no family {', '.join(unknown)}; families are {', '.join(sorted(names))}")
    inside = {c.name for name in wanted & set(SETS) for c in SETS[name]}
    found = [c for c in CASES if (c.family in wanted or c.name in inside) and c.matches(pattern)]
    if not found:
        raise SystemExit(f"no case matches {pattern!r}; families are {', '.join(sorted(names))}")
    return found


def earlier_run(path: Path) -> Run:
    """The run in a file; SystemExit names the file if there is none in it."""
    try:
        return load(path)
    except OSError as error:
        raise SystemExit(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise SystemExit(f"{path} does not hold the results of a run") from None


def resumed(earlier: Run, run: Run, path: Path) -> list[Result]:
    """The results to go on from; SystemExit if they are of another machine, or of other versions."""
    for what in ("device", "torch", "triton"):
        found, here = earlier.environment.get(what), run.environment[what]
        if found != here:
            raise SystemExit(
                f"--resume: {path} was measured with {what} {found}, and this is {here}: take another file"
            )
    return earlier.results


def precompile(
    cases: Sequence[Case], backends: Sequence[str], processes: int, device: str, tiny: bool
) -> dict[tuple[str, str], float | str]:
    """Compiles the cases into fresh caches, a backend after the other; gives each one's seconds, or its error."""
    fresh_caches()
    configure()
    compilers = [b for b in backends if b != "eager"]
    jobs = [(c.name, b) for b in compilers for c in cases if b in applicable(c, compilers)]
    return dict(compile_all(jobs, processes, device, tiny)) if processes else {}


def measure_case(
    case: Case,
    compiled: dict[str, float | str | None],
    copy: float,
    device: str,
    counted: Sequence[str],
    calls: bool = False,
) -> Result:
    """Checks and times one case on every backend, and counts the launches of some; with `calls`, whole calls as well.

    `compiled` has for each backend the seconds it took to compile, or its error; where nothing was compiled before, its
    first call here is what is timed.
    """
    made = measuring.compiled(case, compiled, device)
    for b, took in compiled.items():
        if took is not None:
            made.found[b].compile_seconds = took if isinstance(took, float) else None
    return measuring.measured(made, copy, device, counted, calls)


def conclude(run: Run, earlier: Run | None, picture: Path | None) -> None:
    """The summary, the comparison and the picture."""
    print(report.summary(run.results))
    if earlier is not None:
        print(report.comparison(run.results, earlier.results))
    if picture is not None:
        roofline.draw(run, picture)


if __name__ == "__main__":
    sys.exit(main())
