"""Functions and small models on the CPU, beside eager and Inductor's C++ backend, in one run.

    python -m benchmarks.cpu [--cases '*4 MB*|transformer*'] [--threads 1,2] [--backends eager,inductor,mlc]
                             [--json FILE]

Every compiler begins with empty caches. Calls are timed in rounds in which every backend has a turn, so that a noisy
machine hits all alike; the median of the rounds counts. Models are float32, once forward without gradients and once
forward and backward. Errors are distances to the result in float64, over its norm.
"""

from __future__ import annotations

import argparse
import copy
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from benchmarks.backends import DEFAULT, _compiled, available
from benchmarks.compiling import failure, fresh_caches
from benchmarks.cpu_cases import FUNCTIONS, MODELS, Model
from benchmarks.cpu_records import Measured, Result, Run, ratio
from benchmarks.json_files import file_to_write
from benchmarks.timing import environment
from mlc_compiler.frontend.backend import compile_graph_module

BACKENDS: Mapping[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    "eager": lambda function: function,
    "inductor": _compiled,
    "mlc": partial(_compiled, backend=partial(compile_graph_module, options={"cpu": "native"})),
}
ROUNDS, ROUND_S, LEAST_CALLS = 7, 0.03, 2
NAME = 46


@dataclass(frozen=True)
class Subject:
    """What is measured: makes a call for a backend, and gives the result in float64."""

    kind: str
    name: str
    call: Callable[[str], Callable[[], Any]]
    exact: Callable[[], Any]


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    backends = available(options.backends.split(","))
    patterns = options.cases.split("|")
    chosen = [s for s in subjects() if any(fnmatchcase(s.name, p) for p in patterns)]
    if not chosen:
        raise SystemExit(f"no case matches {options.cases!r}")
    command = "python -m benchmarks.cpu " + shlex.join(sys.argv[1:] if arguments is None else arguments)
    run = Run(command, environment("cpu") | {"cores": str(torch.get_num_threads())})
    print(", ".join(f"{k}: {v}" for k, v in run.environment.items()))
    for threads in map(int, options.threads.split(",")):
        fresh_caches()
        torch.set_num_threads(threads)
        print(f"\n{threads} thread{'s' if threads > 1 else ''}, us".ljust(NAME + 13), *(f"{b:>12}" for b in backends))
        for subject in chosen:
            run.results.append(Result(subject.kind, subject.name, threads, measured(subject, backends)))
            print(line(run.results[-1]), flush=True)
            if options.json is not None:
                run.save(options.json)
    print("\n" + summary(run.results))
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument(
        "--cases", default="*", help="only cases whose name one of these shell patterns, parted by |, matches"
    )
    made.add_argument("--threads", default="1,2", help="numbers of threads, each measured on its own")
    made.add_argument("--backends", default=",".join(DEFAULT), help=f"among {', '.join(BACKENDS)}")
    made.add_argument("--json", type=file_to_write, help="where to write the results, after each case")
    return made


def subjects() -> list[Subject]:
    """All that can be measured."""
    found = [
        Subject("functions", case.name, partial(_function_call, case), partial(_exact_function, case))
        for case in FUNCTIONS
    ]
    for kind in ("inference", "training"):
        found += [
            Subject(kind, f"{m.name}, {kind}", partial(_model_call, m, kind), partial(_exact_model, m, kind))
            for m in MODELS
        ]
    return found


def _function_call(case: Any, backend: str) -> Callable[[], Any]:
    return partial(BACKENDS[backend](case.function), *case.make("cpu"))


def _exact_function(case: Any) -> Any:
    return case.function(*(x.double() if x.is_floating_point() else x for x in case.make("cpu")))


def _made(model: Model) -> tuple[torch.nn.Module, Tensor]:
    torch.manual_seed(0)
    return model.make(), model.input.make("cpu", torch.Generator().manual_seed(1))


def _model_call(model: Model, kind: str, backend: str) -> Callable[[], Any]:
    module, x = _made(model)
    return _run_of(module, BACKENDS[backend](module), x, kind)


def _exact_model(model: Model, kind: str) -> Any:
    module, x = _made(model)
    module = copy.deepcopy(module).double()
    return _run_of(module, module, x.double() if x.is_floating_point() else x, kind)()


def _run_of(module: torch.nn.Module, function: Callable[..., Tensor], x: Tensor, kind: str) -> Callable[[], Any]:
    """A forward pass, or a forward and a backward pass that gives the gradients."""
    if kind == "inference":
        module.eval()

        def infer() -> Tensor:
            with torch.no_grad():
                return function(x)

        return infer

    def train() -> list[Tensor]:
        module.zero_grad()
        y = function(x)
        (y * y).mean().backward()
        return [y.detach(), *(p.grad for p in module.parameters() if p.grad is not None)]

    return train


def measured(subject: Subject, backends: Sequence[str]) -> dict[str, Measured]:
    """The case on every backend."""
    found = {b: Measured() for b in backends}
    calls: dict[str, Callable[[], Any]] = {}
    exact = subject.exact()
    for b in backends:
        start = time.perf_counter()
        try:
            calls[b] = subject.call(b)
            values = calls[b]()
            found[b].first_s = time.perf_counter() - start
            found[b].error = distance(values, exact)
        except Exception as error:
            found[b].failure = failure(error)
            calls.pop(b, None)
    del exact
    counts = {b: max(LEAST_CALLS, int(ROUND_S / _seconds(call, LEAST_CALLS))) for b, call in calls.items()}
    times: dict[str, list[float]] = {b: [] for b in calls}
    order = list(calls)
    for _ in range(ROUNDS):
        for b in order:
            times[b].append(_seconds(calls[b], counts[b]))
        order.append(order.pop(0))
    for b, taken in times.items():
        found[b].seconds = statistics.median(taken)
    return found


def _seconds(call: Callable[[], Any], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def distance(values: Any, exact: Any) -> float:
    """The norm of the error over that of the result, of all tensors together."""
    pairs = [*zip(tree_leaves(values), tree_leaves(exact), strict=True)]
    off = sum(float((a.double() - b.double()).square().sum()) for a, b in pairs)
    whole = sum(float(b.double().square().sum()) for _, b in pairs)
    return (off / whole) ** 0.5 if whole else off**0.5


def line(result: Result) -> str:
    """The microseconds of a case, and how much faster mlc is than the others."""
    cells = [f"{1e6 * m.seconds:12.0f}" if m.seconds else f"{'failed':>12}" for m in result.backends.values()]
    ours = result.backends.get("mlc")
    ratios = [
        f"{m.seconds / ours.seconds:6.2f} of {b}"
        for b, m in result.backends.items()
        if b != "mlc" and ours is not None and ours.seconds and m.seconds
    ]
    failures = [f"\n  {b}: {m.failure}" for b, m in result.backends.items() if m.failure]
    return " ".join([f"{result.kind:12}{result.name:{NAME}}", *cells, *ratios]) + "".join(failures)


def summary(results: Sequence[Result]) -> str:
    """Geometric means of how much faster mlc is, by kind and threads; the worst cases; compile seconds; errors."""
    lines: list[str] = []
    groups = dict.fromkeys((r.kind, r.threads) for r in results)
    for kind, threads in groups:
        of_kind = [r for r in results if (r.kind, r.threads) == (kind, threads)]
        for other in [b for b in of_kind[0].backends if b != "mlc"]:
            ratios = {r.name: q for r in of_kind if (q := ratio(r, other, "seconds")) is not None}
            if not ratios:
                continue
            worst = min(ratios, key=ratios.__getitem__)
            mean = statistics.geometric_mean(ratios.values())
            text = f"{kind}, {threads} thread{'s' * (threads > 1)}: {mean:.2f} times as fast as {other}"
            firsts = [q for r in of_kind if (q := ratio(r, other, "first_s")) is not None]
            if other != "eager":
                text += f", {1 / statistics.geometric_mean(firsts):.2f} of its seconds to the first result"
            errors = [q for r in of_kind if (q := ratio(r, other, "error")) is not None]
            if errors:
                text += f", {1 / statistics.geometric_mean(errors):.2f} of its error"
            lines.append(f"{text}; least {ratios[worst]:.2f}: {worst}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
