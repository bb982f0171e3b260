"""What a call costs the host: microseconds until a compiled function returns, while the GPU has next to nothing to do.

    python -m benchmarks.host [--cases 'pointwise*'] [--backends eager,inductor,mlc] [--budget SECONDS] [--json FILE]
    python -m benchmarks.host --profile [--cases 'pointwise, 1 input']

Batches of calls are timed from an idle GPU on, without waiting for it, each so short that the queue of launches does
not fill; the median of the batches counts. Without a GPU the kernels of mlc are left out, since they would be
interpreted: what is timed is all but the launches. `--profile` takes one call of mlc to pieces.
"""

from __future__ import annotations

import argparse
import gc
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from benchmarks.backends import BACKENDS, DEFAULT, available, configure
from benchmarks.compiling import failure, fresh_caches
from benchmarks.host_profile import compile_mlc, profiled
from benchmarks.json_files import file_to_write, write_json
from benchmarks.timing import environment

NAME = 32
QUEUE = 400
"""Launches of a batch; the queue of a stream takes about a thousand before the host has to wait."""
BATCHES = 10
"""The least number of batches."""
WARM = 10
"""Calls before the first batch."""


@dataclass(frozen=True)
class Case:
    """A function of tensors that take no time to compute with."""

    name: str
    make: Callable[[str], tuple[Callable[..., torch.Tensor], list[torch.Tensor]]]
    """The function and its inputs on a device."""
    launches: int
    """Of a call in eager, about."""
    gradients: bool = False
    """A call is one of the function and of its backward, for all parameters."""


def _pointwise(count: int) -> Case:
    def function(*inputs: torch.Tensor) -> torch.Tensor:
        total = inputs[0] * 2 + 1
        for x in inputs[1:]:
            total = total * x
        return torch.relu(total)

    def make(device: str) -> tuple[Callable[..., torch.Tensor], list[torch.Tensor]]:
        return function, [torch.randn(64, 64, device=device) for _ in range(count)]

    return Case(f"pointwise, {count} input{'s' if count > 1 else ''}", make, count + 2)


def _norm(device: str) -> tuple[Callable[..., torch.Tensor], list[torch.Tensor]]:
    return lambda x: functional.layer_norm(x, (256,)), [torch.randn(16, 256, device=device)]


def _mlp(device: str) -> tuple[Callable[..., torch.Tensor], list[torch.Tensor]]:
    layers = [layer for _ in range(10) for layer in (nn.Linear(64, 64), nn.ReLU())]
    return nn.Sequential(*layers).to(device), [torch.randn(16, 64, device=device)]


CASES = (
    _pointwise(1),
    _pointwise(2),
    _pointwise(8),
    Case("row norm", _norm, 1),
    Case("MLP of 10 layers, forward", _mlp, 20),
    Case("MLP of 10 layers, with backward", _mlp, 70, gradients=True),
)


@dataclass
class Measured:
    """One case on one backend."""

    host_us: float | None = None
    failure: str | None = None


@dataclass
class Run:
    """The results of a run, and what they depend on."""

    command: str
    environment: dict[str, str]
    results: dict[str, dict[str, Measured]] = field(default_factory=dict[str, dict[str, Measured]])

    def save(self, path: Path) -> None:
        """Writes the file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, asdict(self))


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    chosen = [c for c in CASES if fnmatchcase(c.name, options.cases)]
    if not chosen:
        raise SystemExit(f"no case matches {options.cases!r}; there are {'; '.join(c.name for c in CASES)}")
    fresh_caches()
    configure()
    if device == "cpu":
        torch.set_num_threads(1)
    if options.profile:
        torch.manual_seed(0)
        case = chosen[0]
        function, inputs = case.make(device)
        print(f"one call of: {case.name}, host us")
        time_of = partial(host_seconds, launches=case.launches, budget=options.budget)
        print(profiled(function, inputs, device, time_of, partial(call_of, case, function, inputs=inputs)))
        return 0
    backends = available(options.backends.split(","))
    command = "python -m benchmarks.host " + shlex.join(sys.argv[1:] if arguments is None else arguments)
    run = Run(command, environment(device) | {"python": sys.version.split()[0]})
    if device == "cpu":
        run.environment["kernels of mlc"] = "not launched"
    print(", ".join(f"{k}: {v}" for k, v in run.environment.items()))
    print(heading(backends), flush=True)
    for case in chosen:
        found = {b: measure_case(case, b, device, options.budget) for b in backends}
        run.results[case.name] = found
        print(line(case.name, found), flush=True)
        if options.json is not None:
            run.save(options.json)
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--cases", default="*", help="only cases whose name the shell pattern matches")
    made.add_argument("--backends", default=",".join(DEFAULT), help=f"among {', '.join(BACKENDS)}")
    made.add_argument("--budget", type=float, default=1.0, help="seconds of each case on each backend")
    made.add_argument("--json", type=file_to_write, help="where to write the results, after each case")
    made.add_argument("--profile", action="store_true", help="take a call of the first case to pieces instead")
    return made


def heading(backends: Sequence[str]) -> str:
    """The titles of `line`'s columns."""
    ratios = [f"{b} / {o}" for b in backends if b != "eager" for o in ("eager", "inductor") if o in backends and o != b]
    return f"{'host us a call':{NAME}}" + "".join(f"{t[:20]:>22}" for t in (*backends, *ratios))


def line(name: str, found: dict[str, Measured]) -> str:
    """One case: microseconds, then ratios of them."""
    texts = [f"{m.host_us:.1f}" if m.host_us is not None else "failed" for m in found.values()]
    for b, own in found.items():
        for other in ("eager", "inductor"):
            if b != "eager" and other in found and other != b:
                known = own.host_us is not None and found[other].host_us
                texts.append(f"{own.host_us / found[other].host_us:.2f}" if known else "-")  # pyright: ignore
    failures = [f"\n  {b}: {m.failure}" for b, m in found.items() if m.failure is not None]
    return f"{name:{NAME}}" + "".join(f"{t:>22}" for t in texts) + "".join(failures)


def measure_case(case: Case, backend: str, device: str, budget: float) -> Measured:
    """One case on one backend, just compiled."""
    try:
        torch.manual_seed(0)
        function, inputs = case.make(device)
        with_no_kernels = device == "cpu" and backend == "mlc"
        compiled = compile_mlc(function, device)[0] if with_no_kernels else BACKENDS[backend](function)
        seconds = host_seconds(call_of(case, function, compiled, inputs=inputs), case.launches, budget)
        return Measured(host_us=1e6 * seconds)
    except Exception as error:
        return Measured(failure=failure(error))


def call_of(
    case: Case, function: Callable[..., Any], compiled: Callable[..., Any], *, inputs: Sequence[torch.Tensor]
) -> Callable[[], Any]:
    """A call of the case, which leaves nothing behind."""
    parameters = list(function.parameters()) if isinstance(function, nn.Module) else []
    if case.gradients:
        return lambda: torch.autograd.grad(compiled(*inputs).sum(), parameters)

    def forward() -> Any:
        with torch.no_grad():
            return compiled(*inputs)

    return forward if parameters else lambda: compiled(*inputs)


def host_seconds(run: Callable[[], Any], launches: int, budget: float) -> float:
    """Seconds of a call that starts so many kernels: the median over batches, each on an idle GPU."""
    for _ in range(WARM):
        run()
    calls = max(1, QUEUE // max(launches, 1))
    times: list[float] = []
    end = time.perf_counter() + budget
    with _no_collections():
        while len(times) < BATCHES or time.perf_counter() < end:
            _wait()
            start = time.perf_counter()
            for _ in range(calls):
                run()
            times.append((time.perf_counter() - start) / calls)
    _wait()
    return statistics.median(times)


def _wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


@contextmanager
def _no_collections() -> Generator[None, None, None]:
    """Python's collector would run in some batches and not in others."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


if __name__ == "__main__":
    sys.exit(main())
