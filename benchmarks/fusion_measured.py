"""Fusion strategies by the clock: the kernels that each would make of the corpus, all written and run by mlc.

    python -m benchmarks.fusion_measured [--json FILE [--resume]] [--budget 230] [--limit N] [--show 10]
                                         [--strategies mlc,xla,tvm,inductor,real-inductor] [--processes N]
    python -m benchmarks.fusion_measured --json FILE --predict

The graphs are those of `fusion_corpus` and `fusion_blocks`, with so many rows that a value has `--elements` of them:
what is written and read back then comes from device memory. A strategy's groups are built as `fuse{policy=...}` builds
them: what is no single loop nest is split, and "whole" are the graphs where nothing had to be. Programs of the
same source are timed once. Products are calls of a library in all of them. Several processes lower and compile; one at
a time checks its results against those of mlc and measures, each repetition with a cold cache. `real-inductor` is
PyTorch's own compiler on the same graph. `--tiny` is a smoke test on the CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import torch
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from benchmarks.compiling import failure, fresh_caches
from benchmarks.fusion_blocks import BLOCKS, block
from benchmarks.fusion_corpus import CorpusGraph, seeded
from benchmarks.json_files import file_to_write, write_json
from benchmarks.pool import alone
from benchmarks.timing import environment
from lowering.export.aten import aten_source
from mlc_compiler.compare.cost import programs_us
from mlc_compiler.frontend.aten_graph import graph_module
from mlc_compiler.options import CompilerOptions
from mlc_compiler.timing.built import built as lowered
from mlc_compiler.timing.built import kernels_of
from mlc_compiler.timing.clock import measure
from mlc_compiler.timing.results import MOST_OFF, numbers, off
from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.ops import MatmulOp
from passes.common.device import device_named, name_of
from passes.tensor.fusion.plan import EMULATED, plan

OURS = "mlc"
REAL = "real-inductor"
STRATEGIES = (OURS, *EMULATED)
GENERATED = 300
ELEMENTS, TINY_ELEMENTS = 1 << 24, 1 << 11
SECONDS = 0.04
"""Repetitions of one program."""
EVEN, ALIKE = 0.02, 0.05
"""Times that differ by less are a draw; of such no order is predicted."""
WHOLE = 1.01
"""Of the planned bytes: a vector that is read once more is no matter."""


@dataclass
class Built:
    """One graph under one strategy; what is not known is None."""

    kernels: int | None = None
    bytes: int | None = None
    planned_bytes: int | None = None
    """What the strategy's own groups would move; `bytes` is more where they had to be split."""
    predicted_us: float | None = None
    """What its kernels and products are predicted to take, by the model of `mlc-compare`."""
    source: str | None = None
    """The file of its program: the same programs have the same."""
    seconds: float | None = None
    off: float | None = None
    """The share of elements that are not as mlc has them."""
    failure: str | None = None

    @property
    def whole(self) -> bool:
        """True if the groups are as the strategy planned them."""
        return self.bytes is None or self.planned_bytes is None or self.bytes <= WHOLE * self.planned_bytes


@dataclass
class Result:
    """One graph under every strategy."""

    graph: str
    product: bool
    strategies: dict[str, Built] = field(default_factory=dict[str, Built])

    def ratio(self, strategy: str) -> float | None:
        """Its time over that of mlc; None where one of the two has none, or computes something else."""
        other, own = self.strategies.get(strategy), self.strategies.get(OURS)
        if other is None or own is None or not other.seconds or not own.seconds or (other.off or 0) > MOST_OFF:
            return None
        return other.seconds / own.seconds


def ranked_as_predicted(result: Result) -> bool | None:
    """True if predicted times order the strategies as measured ones do; None where fewer than two were timed.

    Of two programs that differ by less than ALIKE no order is asked.
    """
    timed = [b for s, b in result.strategies.items() if s != REAL and b.seconds and (b.off or 0) <= MOST_OFF]
    if len(timed) < 2:
        return None
    return all(_in_order(a, b) for a, b in combinations(timed, 2))


def _in_order(a: Built, b: Built) -> bool:
    assert a.seconds and b.seconds and a.predicted_us and b.predicted_us
    if a.source == b.source or abs(a.seconds / b.seconds - 1) < ALIKE:
        return True
    return a.predicted_us != b.predicted_us and (a.predicted_us < b.predicted_us) == (a.seconds < b.seconds)


@dataclass(frozen=True)
class Setup:
    """What a process that measures must know."""

    strategies: tuple[str, ...]
    device: str
    elements: int
    deadline: float
    """The time after which nothing is begun."""
    lock: str
    """The file that the process holds which uses the device."""

    def over(self) -> bool:
        return time.time() > self.deadline


Runner = Callable[..., Sequence[torch.Tensor]]


def measure_graph(name: str, setup: Setup) -> Result | None:
    """Builds one graph under every strategy, then checks and times the programs; None where time is over."""
    graph = named(name, setup.elements)
    result = Result(name, any(isinstance(op, MatmulOp) for op in graph.block.ops))
    runners: dict[str, Runner] = {}
    for strategy in setup.strategies:
        if setup.over():
            return None
        built = result.strategies[strategy] = Built()
        try:
            runners[strategy] = build(graph, strategy, setup.device, built)
        except Exception as error:
            built.failure = failure(error)
    with alone(setup.lock):
        if setup.over():
            return None
        run_all(graph, runners, result, setup.device)
        if setup.device == "cuda":
            torch.cuda.empty_cache()  # other processes want the memory
    return result


def build(graph: CorpusGraph, strategy: str, device: str, note: Built) -> Runner:
    """The graph as one program, compiled; notes what it is."""
    function = _function(graph.module)
    if strategy == REAL:
        run = torch.compile(graph_module(aten_source(graph.module), device), dynamic=False)
        run(*example(function, device))
        return run
    made = lowered(graph.module, strategy, device)
    note.kernels, note.bytes = made.kernels, made.bytes
    note.predicted_us = made.predicted_us
    note.planned_bytes = plan(graph.block, strategy).total_bytes
    note.source = made.program.path.name
    return made.program


def run_all(graph: CorpusGraph, runners: dict[str, Runner], result: Result, device: str) -> None:
    """Results beside those of the first, and times; equal sources have equal times."""
    inputs = example(_function(graph.module), device)
    expected: Sequence[torch.Tensor] | None = None
    known: dict[str, float] = {}
    for strategy, run in runners.items():
        built = result.strategies[strategy]
        try:
            values = run(*inputs)
            expected = values if expected is None else expected
            built.off = max(map(off, values, expected), default=0.0)
            del values
            source = built.source or strategy
            if source not in known:
                known[source] = measure(lambda run=run: run(*inputs), device, SECONDS).seconds
            built.seconds = known[source]
        except Exception as error:
            built.failure = failure(error)


def example(function: func.FuncOp, device: str) -> list[torch.Tensor]:
    """Normal numbers for every argument, the same at every call."""
    shapes = [[size.constant or 1 for size in shape_of(a.type)] for a in function.body.block.args]
    return [numbers(shape, torch.float32, seed, device) for seed, shape in enumerate(shapes)]


def named(name: str, elements: int | None) -> CorpusGraph:
    """The graph of that name with so many elements a value."""
    return block(name, elements) if name in BLOCKS else seeded(int(name.removeprefix("seed-")), elements)


def _function(module: ModuleOp) -> func.FuncOp:
    (function,) = module.ops
    assert isinstance(function, func.FuncOp)
    return function


def results(names: Sequence[str], setup: Setup, processes: int) -> Iterator[Result]:
    """Each graph as it is done, in this process if `processes` is 0, until the time is over."""
    if not processes:
        yield from (r for name in names if not setup.over() and (r := measure_graph(name, setup)) is not None)
        return
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=torch.set_num_threads, initargs=(1,)) as pool:
        waiting = [pool.submit(measure_graph, name, setup) for name in names]
        for done in as_completed(waiting):
            try:
                result = done.result()
            except BrokenProcessPool:
                print("a process died: run again with --json FILE --resume for the rest", flush=True)
                return
            if result is not None:
                yield result


def summary(found: Sequence[Result], strategies: Sequence[str], show: int) -> Iterator[str]:
    """Every strategy beside mlc, for people."""
    for strategy in strategies:
        failures = [(r.graph, b.failure) for r in found if (b := r.strategies.get(strategy)) and b.failure]
        yield from (f"{strategy}: {graph}: {why}" for graph, why in failures[:show])
        wrong = [r for r in found if (b := r.strategies.get(strategy)) and (b.off or 0) > MOST_OFF]
        yield from (f"{strategy}: {r.graph}: {r.strategies[strategy].off:.1%} of elements differ" for r in wrong[:show])
    for strategy in strategies:
        timed = [(r, ratio) for r in found if (ratio := r.ratio(strategy)) is not None]
        if strategy == OURS or not timed:
            continue
        yield f"{strategy} takes {_mean(timed)} of the time of mlc in geometric mean, {_counts(timed)}"
        yield f"  without products: {_mean([t for t in timed if not t[0].product])}"
        whole = [t for t in timed if all(b.whole for b in (t[0].strategies[strategy], t[0].strategies[OURS]))]
        yield f"  where both are built whole: {_mean(whole)}"
        lost = sorted((t for t in timed if t[1] < 1 - EVEN), key=lambda t: t[1])
        yield from (f"    {ratio:.2f} {_described(r, strategy)}" for r, ratio in lost[:show])


Timed = tuple[Result, float]


def _mean(timed: Sequence[Timed]) -> str:
    return f"{geometric_mean(r for _, r in timed):.3f} ({len(timed)} graphs)" if timed else "no graph"


def _counts(timed: Sequence[Timed]) -> str:
    won, lost = (sum(s * (r - 1) > EVEN for _, r in timed) for s in (1, -1))
    return f"mlc is faster on {won}, slower on {lost}, as fast on {len(timed) - won - lost}"


def _described(result: Result, strategy: str) -> str:
    own, other = result.strategies[OURS], result.strategies[strategy]
    texts = [f"{1e6 * (b.seconds or 0):.0f} us, {b.kernels or '?'} kernels" for b in (other, own)]
    return f"{result.graph}: {texts[0]}; mlc {texts[1]}"


def save(path: Path, found: Sequence[Result], depends: dict[str, str], command: str) -> None:
    """Writes the file whole, or not at all."""
    write_json(path, {"command": command, "environment": depends, "results": [asdict(r) for r in found]})


def load(path: Path) -> list[Result]:
    """The results in a file."""
    data: list[dict[str, Any]] = json.loads(path.read_text())["results"]
    return [Result(r["graph"], r["product"], {s: Built(**b) for s, b in r["strategies"].items()}) for r in data]


def predict_again(path: Path) -> None:
    """Writes into a file of results what is predicted today, of the plans that are made today."""
    saved, results = json.loads(path.read_text()), load(path)
    device, elements = device_named(name_of(saved["environment"]["device"])), int(saved["environment"]["elements"])
    for result in results:
        module = named(result.graph, elements).module
        for strategy in result.strategies.keys() - {REAL}:
            kernels = kernels_of(module, CompilerOptions(policy=strategy, canonicalize=False))
            result.strategies[strategy].predicted_us = programs_us(kernels, device)
    save(path, results, saved["environment"], saved["command"])


def resumed(path: Path) -> list[Result]:
    """What need not be done again."""
    return [r for r in load(path) if not any(b.failure for b in r.strategies.values())] if path.exists() else []


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--strategies", default=",".join(STRATEGIES), help=f"mlc and others of {STRATEGIES}, or {REAL}")
    made.add_argument("--limit", type=int, default=len(BLOCKS) + GENERATED, help="how many graphs")
    made.add_argument("--elements", type=int, default=ELEMENTS, help="of one value")
    made.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 2), help="that compile")
    made.add_argument("--budget", type=float, default=230, help="seconds after which no further graph is begun")
    made.add_argument("--json", type=file_to_write, help="where to write the results, after each graph")
    made.add_argument("--resume", action="store_true", help="keep what the file of --json holds already")
    made.add_argument("--predict", action="store_true", help="only predict anew what the file of --json holds")
    made.add_argument("--show", type=int, default=10, help="lost graphs to print")
    made.add_argument("--tiny", action="store_true", help="small sizes on the CPU, for a smoke test")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    start = time.time()
    options = parser().parse_args(arguments)
    if options.predict:
        predict_again(options.json)
        return 0
    device = "cuda" if torch.cuda.is_available() and not options.tiny else "cpu"
    if device == "cpu" and not options.tiny:
        raise SystemExit("no CUDA device here; --tiny runs small sizes on the CPU")
    strategies = tuple(options.strategies.split(","))
    if OURS not in strategies or set(strategies) - {*STRATEGIES, REAL}:
        raise SystemExit(
            f"strategies are {OURS} and some of {', '.join((*EMULATED, REAL))}; found {options.strategies}"
        )
    elements = TINY_ELEMENTS if options.tiny else options.elements
    found = resumed(options.json) if options.resume and options.json is not None else []
    done = {r.graph for r in found}
    names = [*BLOCKS, *(f"seed-{k}" for k in range(GENERATED))][: options.limit]
    order = (OURS, *(s for s in strategies if s != OURS))
    setup = Setup(order, device, elements, start + options.budget, str(fresh_caches() / "lock"))
    command = "python -m benchmarks.fusion_measured " + shlex.join(sys.argv[1:] if arguments is None else arguments)
    depends = environment(device) | {"elements": str(elements)}
    print(", ".join(f"{k}: {v}" for k, v in depends.items()), flush=True)
    for result in results([n for n in names if n not in done], setup, options.processes):
        found.append(result)
        times = ", ".join(f"{s} {1e6 * (b.seconds or 0):.1f}" for s, b in result.strategies.items())
        print(f"{time.time() - start:4.0f} s {result.graph}: {times} us", flush=True)
        if options.json is not None:
            save(options.json, found, depends, command)
    print(f"{len(found)} of {len(names)} graphs in {time.time() - start:.0f} s")
    print("\n".join(summary(found, setup.strategies, options.show)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
