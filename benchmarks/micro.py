"""Memory-bound cases against eager, Inductor and the copy bandwidth, in one run on the GPU.

    python -m benchmarks.micro [--family elementwise,norm] [--only TEXT] [--json FILE] [--compare OLD.json]

Every time is the median of repetitions with the L2 cache flushed in between. "of copy" is the
time that a device-to-device copy of as many bytes takes, over the measured time; the bytes are the
least possible: each input read once, each output written once.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks.cases import CASES, Case
from benchmarks.timing import copy_bandwidth, environment, error, least_bytes, seconds_of
from lowering.fx_to_tensor import import_callable
from mlc_compiler.executable import compile_imported

BACKENDS = ("eager", "inductor", "mlc")


@dataclass(frozen=True)
class Result:
    """One case by backend: seconds, fraction of the copy bandwidth, error against float64, seconds to compile."""

    family: str
    name: str
    bytes: int
    kernels: int
    seconds: dict[str, float]
    of_copy: dict[str, float]
    error: dict[str, float]
    compile_seconds: dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", help="only these families, with commas between")
    parser.add_argument("--only", help="only cases whose name contains this")
    parser.add_argument("--json", type=Path, help="where to write the results")
    parser.add_argument("--compare", type=Path, help="earlier results, to show what moved")
    arguments = parser.parse_args()
    chosen = [c for c in CASES if selected(c, arguments.family, arguments.only)]
    copy = copy_bandwidth()
    print(", ".join(environment().values()))
    print(f"copy: {copy / 1e12:.2f} TB/s, read and written")
    print(f"{'of copy':34}" + "".join(f"{b:>10}" for b in BACKENDS) + f"{'kernels':>9}{'error':>10}")
    results: list[Result] = []
    for case in chosen:
        result = measure(case, copy)
        results.append(result)
        print(line(result), flush=True)
    print(summary(results))
    if arguments.compare is not None:
        print(comparison(results, json.loads(arguments.compare.read_text())))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(report(copy, results), indent=1) + "\n")


def selected(case: Case, families: str | None, text: str | None) -> bool:
    """True if the command line asks for `case`."""
    return (families is None or case.family in families.split(",")) and (text is None or text in case.name)


def measure(case: Case, copy: float) -> Result:
    """Checks and times one case on every backend."""
    inputs = case.make()
    run_mlc, mlc_seconds, kernels = compile_mlc(case, inputs)
    run_inductor, inductor_seconds = compile_inductor(case, inputs)
    run: dict[str, Callable[[], Any]] = {
        "eager": lambda: case.function(*inputs),
        "inductor": run_inductor,
        "mlc": run_mlc,
    }
    exact = case.function(*(x.double() if x.is_floating_point() else x for x in inputs))
    errors = {n: error(run[n](), exact) for n in BACKENDS}
    del exact
    moved = least_bytes(inputs, case.function(*inputs))
    seconds = {n: seconds_of(run[n]) for n in BACKENDS}
    of_copy = {n: moved / copy / s for n, s in seconds.items()}
    compile_seconds = {"inductor": inductor_seconds, "mlc": mlc_seconds}
    return Result(case.family, case.name, moved, kernels, seconds, of_copy, errors, compile_seconds)


def compile_mlc(case: Case, inputs: Sequence[torch.Tensor]) -> tuple[Callable[[], Any], float, int]:
    """The case compiled by mlc, the seconds to its first result, and its number of kernels."""
    start = time.perf_counter()
    imported = import_callable(case.function, list(inputs))
    executable = compile_imported(imported)
    executable(*inputs)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    return lambda: imported.rebuild(executable(*inputs)), seconds, len(executable.kernels)


def compile_inductor(case: Case, inputs: Sequence[torch.Tensor]) -> tuple[Callable[[], Any], float]:
    """The case compiled by Inductor, and the seconds to its first result."""
    torch._dynamo.reset()
    start = time.perf_counter()
    function = torch.compile(case.function)
    function(*inputs)
    torch.cuda.synchronize()
    return lambda: function(*inputs), time.perf_counter() - start


def line(result: Result) -> str:
    shares = "".join(f"{result.of_copy[b]:>10.3f}" for b in BACKENDS)
    return f"{result.name:34}{shares}{result.kernels:>9}{result.error['mlc']:>10.1e}"


def mean(values: Sequence[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def summary(results: Sequence[Result]) -> str:
    """Geometric means over all cases, and the cases where Inductor is ahead."""
    shares = "".join(f"{mean([r.of_copy[b] for r in results]):>10.3f}" for b in BACKENDS)
    ratios = [r.seconds["inductor"] / r.seconds["mlc"] for r in results]
    behind = [f"{r.name} {x:.2f}" for r, x in zip(results, ratios, strict=True) if x < 0.97]
    return (
        f"{'geometric mean':34}{shares}\n"
        f"{mean(ratios):.2f} times Inductor's speed; behind it: {', '.join(behind) or 'nowhere'}"
    )


def comparison(results: Sequence[Result], old: dict[str, Any]) -> str:
    """The cases whose share of the copy bandwidth moved by more than 3% since `old`."""
    before = {c["name"]: c["of_copy"]["mlc"] for c in old["cases"]}
    moved = [
        f"{r.name:34}{before[r.name]:>10.3f} -> {r.of_copy['mlc']:.3f}"
        for r in results
        if r.name in before and abs(r.of_copy["mlc"] / before[r.name] - 1) > 0.03
    ]
    return "moved:\n" + ("\n".join(moved) or "nothing")


def report(copy: float, results: Sequence[Result]) -> dict[str, Any]:
    """What the JSON file holds."""
    command = "python -m benchmarks.micro " + " ".join(sys.argv[1:])
    cases = [asdict(r) for r in results]
    return {"command": command, **environment(), "copy_bytes_per_second": copy, "cases": cases}


if __name__ == "__main__":
    main()
