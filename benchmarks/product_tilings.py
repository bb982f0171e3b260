"""Times tilings of generated products of matrices, alone and in attention, which models of their time are fitted to.

    python -m benchmarks.product_tilings --json FILE [--cases PATTERN] [--processes N]
    python -m benchmarks.product_tilings --show FILE

The models are in `passes/common/product_tiling.py` and `online_tiling.py`. Each tiling is forced on the kernel of a
case of `benchmarks.cases.contractions` or `attention`; the pattern is for its name, or for one of these words. All are
compiled first, in processes of their own; then one process after the other measures its own, with a flushed cache.
`--show` prints, for each case, what was measured and predicted, and how much longer the tiling takes that the model
chooses.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import torch

from benchmarks.case import Case
from benchmarks.cases import ATTENTION, CONTRACTIONS
from benchmarks.compiling import failure
from benchmarks.json_files import file_to_write, write_json
from benchmarks.timing import environment
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.timing.clock import measure
from passes.common import online_tiling, product_tiling
from passes.common.online_tiling import OnlineSizes, OnlineTiling
from passes.common.product_tiling import ProductTiling, Sizes, blocks_of_group
from passes.loop.schedule import tile_online, tile_products

WIDE = (
    (128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 256, 32, 8, 4), (128, 128, 64, 4, 4), (128, 128, 64, 8, 4),
    (128, 128, 64, 8, 3), (128, 128, 32, 4, 4), (64, 256, 64, 4, 4), (64, 128, 64, 4, 4), (256, 128, 64, 8, 3),
    (128, 256, 64, 16, 3), (64, 64, 64, 4, 4), (128, 64, 64, 4, 4),
)  # fmt: skip
"""Rows, columns, depth, warps and stages for products of many rows."""
NARROW = (
    (64, 32, 64, 4, 4), (64, 64, 64, 4, 4), (64, 32, 128, 4, 4), (32, 32, 128, 4, 4), (64, 16, 128, 4, 4),
    (16, 32, 128, 4, 4), (16, 64, 128, 4, 4), (16, 32, 64, 4, 6), (16, 64, 64, 8, 4), (64, 64, 128, 4, 3),
    (16, 128, 64, 4, 4), (32, 64, 64, 4, 4),
)  # fmt: skip
"""The same for few rows."""
ONLINE = tuple((rows, depth, rows // 16, stages) for rows in (64, 128) for depth in (32, 64, 128) for stages in (2, 3))
"""Rows, keys, warps and stages for attention."""
FEW = 64
"""Rows of the first input up to which they are few."""


@dataclass(frozen=True)
class Job:
    """A tiling of the product in a case."""

    case: str
    tiling: tuple[int, ...]


def jobs(pattern: str) -> list[Job]:
    """Every tiling of every case that the pattern names."""
    every = (*CONTRACTIONS, *ATTENTION)
    chosen = [c for c in every if fnmatchcase(c.family, pattern) or fnmatchcase(c.name, pattern)]
    return [Job(c.name, t) for c in chosen for t in tilings_of(c)]


def tilings_of(case: Case) -> Sequence[tuple[int, ...]]:
    """Those that its product is timed with."""
    if case.family == "attention":
        return ONLINE
    return NARROW if case.args[0].shape[-2] <= FEW else WIDE


def prepared(job: Job, seen: dict[str, Any]) -> tuple[Any, list[torch.Tensor]]:
    """The function of a case, compiled with the tiling, and its inputs; it has run once."""
    case = next(c for c in (*CONTRACTIONS, *ATTENTION) if c.name == job.case)

    def forced(sizes: Sizes, device: Any) -> ProductTiling:
        tiling = ProductTiling(*job.tiling, blocks_of_group(sizes.m, job.tiling[0]))
        seen.update(sizes=astuple(sizes), predicted_us=product_tiling.predicted_us(tiling, sizes, device))
        return tiling

    def forced_online(sizes: OnlineSizes, device: Any) -> OnlineTiling:
        tiling = OnlineTiling(*job.tiling)
        seen.update(sizes=astuple(sizes), predicted_us=online_tiling.predicted_us(tiling, sizes, device))
        return tiling

    tile_products.best_tiling, tile_online.best_online_tiling = forced, forced_online
    os.environ["MLC_CACHE_DIR"] = tempfile.mkdtemp()  # nothing of another tiling
    torch._dynamo.reset()
    inputs = case.make()
    function = case.function if isinstance(case.function, FunctionType) else lambda *args: case.function(*args)
    backend = partial(compile_graph_module, options={"products": "generated"})
    compiled = torch.compile(function, backend=backend, dynamic=False)
    compiled(*inputs)
    return compiled, inputs


def work(given: Sequence[Job], ready: Any, turn: Any, results: Any) -> None:
    """Compiles the tilings, waits until all others have, and measures."""
    made: list[tuple[dict[str, Any], Any, list[torch.Tensor]]] = []
    for job in given:
        found: dict[str, Any] = {"case": job.case, "tiling": job.tiling}
        try:
            made.append((found, *prepared(job, found)))
        except Exception as error:
            results.put(found | {"failure": failure(error)})
    ready.wait()
    for found, compiled, inputs in made:
        with turn:
            results.put(found | {"us": 1e6 * measure(lambda: compiled(*inputs), budget=0.04).seconds})  # noqa: B023


def measured(todo: Sequence[Job], processes: int) -> list[dict[str, Any]]:
    """Every job's record, in their order."""
    context = multiprocessing.get_context("spawn")
    ready, turn, results = context.Barrier(processes), context.Lock(), context.Queue()
    workers = [
        context.Process(target=work, args=(todo[k::processes], ready, turn, results), daemon=True)
        for k in range(processes)
    ]
    for worker in workers:
        worker.start()
    found = [results.get() for _ in todo]
    return sorted(found, key=lambda r: todo.index(Job(r["case"], tuple(r["tiling"]))))


def show(results: Sequence[dict[str, Any]]) -> None:
    """A line a tiling, and for each case how much longer the tiling of the least predicted time takes."""
    for case in dict.fromkeys(r["case"] for r in results):
        timed = sorted((r for r in results if r["case"] == case and "us" in r), key=lambda r: r["us"])
        if not timed:
            continue
        chosen = min(timed, key=lambda r: r["predicted_us"])
        print(f"{case}: the choice takes {chosen['us'] / timed[0]['us']:.3f} of the best")
        for r in timed:
            print(f"  {' x '.join(map(str, r['tiling'])):26} {r['us']:8.1f} us, predicted {r['predicted_us']:8.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=file_to_write, help="where to write the results")
    parser.add_argument("--cases", default="*", help="only cases that the shell pattern matches")
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="that compile")
    parser.add_argument("--show", type=Path, help="report on this file, and measure nothing")
    options = parser.parse_args()
    if options.show is not None:
        show(json.loads(options.show.read_text())["results"])
        return
    if not torch.cuda.is_available():
        raise SystemExit("no CUDA device here; --show FILE reports on earlier results")
    todo = jobs(options.cases)
    command = "python -m benchmarks.product_tilings " + shlex.join(sys.argv[1:])
    found = measured(todo, min(options.processes, len(todo)))
    show(found)
    if options.json is not None:
        run = {"command": command, "environment": environment("cuda"), "results": found}
        write_json(options.json, run)


if __name__ == "__main__":
    main()
