"""Times tilings of generated products of matrices, alone and in attention, which models of their time are fitted to.

    python -m benchmarks.product_tilings --json FILE [--cases PATTERN] [--processes N]
    python -m benchmarks.product_tilings --json FILE --drawn SEED --count N [--of groups|batches|rows] [--processes N]
    python -m benchmarks.product_tilings --show FILE

The models are in `passes/common/product_tiling.py` and `online_tiling.py`. Each tiling is forced on the kernel of a
case of `benchmarks.cases.contractions` or `attention`; the pattern is for its name, or for one of these words. With
`--drawn` cases are drawn by the seed (`benchmarks.cases.drawn_products`; `--of groups` are convolutions of groups,
`--of batches` batches of products, and `--of rows` products of few rows, whose sums are also cut into parts), each in
tilings from the best predicted to the worst, with the library, and with the library for the bare product. All are
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
from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, dataclass
from fnmatch import fnmatchcase
from functools import partial
from itertools import count, zip_longest
from pathlib import Path
from types import FunctionType
from typing import Any

import torch

from benchmarks.case import Case
from benchmarks.cases import ATTENTION, CONTRACTIONS
from benchmarks.cases.drawn_products import drawn_batches, drawn_groups, drawn_products, drawn_rows
from benchmarks.compiling import failure
from benchmarks.json_files import file_to_write, write_json
from benchmarks.timing import environment
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.timing.clock import measure
from passes.common import online_tiling, product_tiling
from passes.common.online_tiling import OnlineSizes, OnlineTiling
from passes.common.product_parts import ProductParts
from passes.common.product_tiling import LEAST, ProductTiling, Sizes, blocks_of_group, tilings
from passes.loop.reduction import split_k
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
TURNS = (0, 1, 2, 4, 7, 12, 20, 33)
"""Places in the order of predicted times of the tilings that drawn cases are timed with."""
PARTS = {1: (0, 1, 3, 8, 20), 2: (0, 3), 4: (0, 3), 8: (0, 3)}
"""Into how many parts the sums of few rows are cut, and the places of the tilings of these."""
LIBRARY, ALONE = "library", "alone"
"""Drawn cases are also timed with products by the library, and as the bare product."""
DRAWS = {"products": drawn_products, "groups": drawn_groups, "batches": drawn_batches, "rows": drawn_rows}
"""What cases can be drawn."""
_LINES = count(1)
"""Where codes of functions that are to be apart pretend to begin."""
Tiling = tuple[int, ...] | int | str
"""Fields of a tiling, its place in the order of predicted times, or what else is timed."""


@dataclass(frozen=True)
class Job:
    """A tiling of the product in a case."""

    case: str
    tiling: Tiling
    drawn: tuple[int, int] | None = None
    """The seed that the case is drawn by, and how many are."""
    kind: str = "products"
    """One of `DRAWS`."""
    parts: int = 1
    """Into which sums are cut."""

    def function(self) -> Case:
        """The case of that name."""
        every = (*CONTRACTIONS, *ATTENTION) if self.drawn is None else DRAWS[self.kind](*self.drawn)
        return next(c for c in every if c.name == self.case)


def jobs(pattern: str) -> list[Job]:
    """Every tiling of every case that the pattern names."""
    every = (*CONTRACTIONS, *ATTENTION)
    chosen = [c for c in every if fnmatchcase(c.family, pattern) or fnmatchcase(c.name, pattern)]
    return [Job(c.name, t) for c in chosen for t in tilings_of(c)]


def drawn_jobs(seed: int, cases: int, kind: str = "products") -> list[Job]:
    """Tilings of drawn cases, and the library's times."""
    parts = PARTS if kind == "rows" else {1: TURNS}
    each = [*((n, turn) for n, turns in parts.items() for turn in turns), (1, LIBRARY), (1, ALONE)]
    return [Job(c.name, t, (seed, cases), kind, n) for c in DRAWS[kind](seed, cases) for n, t in each]


def tilings_of(case: Case) -> Sequence[tuple[int, ...]]:
    """Those that its product is timed with."""
    if case.family == "attention":
        return ONLINE
    return NARROW if case.args[0].shape[-2] <= FEW else WIDE


def prepared(job: Job, seen: dict[str, Any]) -> Callable[[], Any]:
    """The function of a case with its inputs, compiled with the tiling; it has run once."""

    def forced(sizes: Sizes, device: Any) -> ProductTiling:
        if isinstance(job.tiling, tuple):
            rows, columns, depth, warps, stages = job.tiling
            tiling = ProductTiling(rows, columns, depth, warps, stages, blocks_of_group(sizes.m, rows))
        else:
            tiling = _placed(int(job.tiling), sizes, device)
        us = product_tiling.predicted_us(tiling, sizes, device)
        seen.update(tiling=astuple(tiling), sizes=asdict(sizes), predicted_us=us)
        return tiling

    def forced_parts(sizes: Sizes, device: Any) -> ProductParts:
        if job.parts > 1:
            seen["whole"] = asdict(sizes)
        return ProductParts(job.parts if sizes.k % (job.parts * LEAST) == 0 else 1, 0.0)

    def forced_online(sizes: OnlineSizes, device: Any) -> OnlineTiling:
        assert isinstance(job.tiling, tuple)
        tiling = OnlineTiling(*job.tiling)
        seen.update(sizes=asdict(sizes), predicted_us=online_tiling.predicted_us(tiling, sizes, device))
        return tiling

    case = job.function()
    inputs = case.make()
    if job.tiling == ALONE:
        function = partial(case.beside["products"], *inputs)
    else:
        products = "library" if job.tiling == LIBRARY else "generated"
        if products == "generated":
            tile_products.best_tiling, tile_online.best_online_tiling = forced, forced_online
            split_k.product_parts = forced_parts
        os.environ["MLC_CACHE_DIR"] = tempfile.mkdtemp()  # nothing of another tiling
        backend = partial(compile_graph_module, options={"products": products})
        function = partial(torch.compile(_apart(case.function), backend=backend, dynamic=False), *inputs)
    function()
    return function


def _apart(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with code of its own: of one code Dynamo compiles a few forms, and then no more."""

    def call(*values: torch.Tensor) -> Any:
        return function(*values)

    code = call.__code__.replace(co_firstlineno=next(_LINES))
    return FunctionType(code, call.__globals__, call.__name__, None, call.__closure__)


def _placed(turn: int, sizes: Sizes, device: Any) -> ProductTiling:
    """The tiling at this place in the order of predicted times, those with tensor descriptors and others in turns.

    Of few the last.
    """
    ordered = sorted(tilings(sizes, device), key=lambda t: product_tiling.predicted_us(t, sizes, device))
    kinds = [[t for t in ordered if t.descriptors == loads] for loads in (True, False)]
    turns = [t for both in zip_longest(*kinds) for t in both if t is not None]
    return turns[min(turn, len(turns) - 1)]


def work(given: Sequence[tuple[int, Job]], ready: Any, turn: Any, results: Any) -> None:
    """Compiles the tilings, waits until all others have, and measures."""
    made: list[tuple[dict[str, Any], Callable[[], Any]]] = []
    for place, job in given:
        found: dict[str, Any] = {"place": place, "case": job.case, "tiling": job.tiling, "parts": job.parts}
        try:
            made.append((found, prepared(job, found)))
        except Exception as error:
            results.put(found | {"failure": failure(error)})
    ready.wait()
    for found, function in made:
        with turn:
            results.put(found | {"us": 1e6 * measure(function, budget=0.03).seconds})


def measured(todo: Sequence[Job], processes: int) -> list[dict[str, Any]]:
    """Every job's record, in their order."""
    context = multiprocessing.get_context("spawn")
    ready, turn, results = context.Barrier(processes), context.Lock(), context.Queue()
    workers = [
        context.Process(target=work, args=(list(enumerate(todo))[k::processes], ready, turn, results), daemon=True)
        for k in range(processes)
    ]
    for worker in workers:
        worker.start()
    found = [results.get() for _ in todo]
    return [{k: v for k, v in r.items() if k != "place"} for r in sorted(found, key=lambda r: r["place"])]


def show(results: Sequence[dict[str, Any]]) -> None:
    """A line a tiling, and for each case how much longer the tiling of the least predicted time takes."""
    for case in dict.fromkeys(r["case"] for r in results):
        timed = sorted((r for r in results if r["case"] == case and "us" in r), key=lambda r: r["us"])
        ours = [r for r in timed if "predicted_us" in r]
        if not ours:
            continue
        chosen = min(ours, key=lambda r: r["predicted_us"])
        print(f"{case}: the choice takes {chosen['us'] / ours[0]['us']:.3f} of the best")
        for r in timed:
            tiling = r["tiling"] if isinstance(r["tiling"], str) else " x ".join(map(str, r["tiling"]))
            tiling += f", {r['parts']} parts" if r.get("parts", 1) > 1 else ""
            predicted = f", predicted {r['predicted_us']:8.1f}" if "predicted_us" in r else ""
            print(f"  {tiling:26} {r['us']:8.1f} us{predicted}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=file_to_write, help="where to write the results")
    parser.add_argument("--drawn", type=int, metavar="SEED", help="draw cases by this seed")
    parser.add_argument("--of", choices=DRAWS, default="products", help="what is drawn")
    parser.add_argument("--count", type=int, default=60, help="how many cases are drawn")
    parser.add_argument("--cases", default="*", help="only cases that the shell pattern matches")
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="that compile")
    parser.add_argument("--show", type=Path, help="report on this file, and measure nothing")
    options = parser.parse_args()
    if options.show is not None:
        show(json.loads(options.show.read_text())["results"])
        return
    if not torch.cuda.is_available():
        raise SystemExit("no CUDA device here; --show FILE reports on earlier results")
    todo = jobs(options.cases) if options.drawn is None else drawn_jobs(options.drawn, options.count, options.of)
    command = "python -m benchmarks.product_tilings " + shlex.join(sys.argv[1:])
    found = measured(todo, min(options.processes, len(todo)))
    show(found)
    if options.json is not None:
        run = {"command": command, "environment": environment("cuda"), "results": found}
        write_json(options.json, run)


if __name__ == "__main__":
    main()
