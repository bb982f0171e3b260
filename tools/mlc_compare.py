"""`mlc-compare`: the kernels that fusion strategies make of one graph, side by side, with their reasons.

    mlc-compare model.py:softmax --args 512x1024xf32
    mlc-compare graph.mlir --peers xla,tvm --pair exp,sum --html softmax.html
    mlc-compare --model gpt.py:build --train
    mlc-compare --corpus graphs/ --sort bytes --csv graphs.csv

No GPU is needed. A real compiler that is not installed is told of, and left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.compare.comparison import Comparison, Graph, Turned, compare_all
from mlc_compiler.compare.corpus_page import as_corpus_page
from mlc_compiler.compare.measure import measured, measured_all
from mlc_compiler.compare.overview import ORDERS, Line, as_csv, as_data, as_overview, line_of, ordered
from mlc_compiler.compare.page import as_page
from mlc_compiler.compare.report import as_json
from mlc_compiler.compare.sizes import check_sizes, input_sizes
from mlc_compiler.compare.text import as_text
from mlc_compiler.peers.peer import PEERS
from mlc_compiler.pipeline import lower_to
from mlc_support.errors import MlcError
from passes.common.device import DEVICES
from passes.tensor.fusion.plan import STRATEGIES
from tools.corpus import STABLEHLO, Entry, entries
from tools.driver import Arguments, check_output, run_tool, write_output
from tools.graphs import bind, load_graph, parse_shapes, parsed
from tools.models import load_model
from tools.waiting import Watch

NONE = "none"
OF_ONE_GRAPH = ("args", "pair", "measure")
"""Options that say nothing of a corpus."""
BATCH = 64
"""So many graphs of a corpus are compared at once."""


def _parser() -> Arguments:
    parser = Arguments(prog="mlc-compare", description="Compare the fusion of compilers on one graph.")
    parser.add_argument(
        "target",
        nargs="?",
        help="FILE.py:NAME of a function or nn.Module, FILE.mlir, FILE.stablehlo.mlir, or FILE.jsonl.gz:REGION",
    )
    parser.add_argument(
        "--model",
        metavar="FILE.py:NAME",
        help="a whole model: a function that returns (module, inputs), or nn.Module",
    )
    parser.add_argument("--train", action="store_true", help="of a model: forward and backward, in training mode")
    parser.add_argument(
        "--corpus",
        metavar="DIR|FILE",
        help="many graphs: a folder of FILE.mlir and FILE.stablehlo.mlir, or FILE.jsonl.gz",
    )
    parser.add_argument("--sort", default="differ", choices=(*ORDERS, "name"), help="of several graphs: by what")
    parser.add_argument("--args", default="", help="types of a function's inputs: 512x1024xf32,Nx1024xbf16,f32")
    parser.add_argument("--shapes", default="", help="numbers for named sizes: N=512,M=64")
    parser.add_argument("--policies", default=",".join(STRATEGIES), help=f"of {', '.join(STRATEGIES)} (default: all)")
    parser.add_argument(
        "--policy", action="append", default=[], metavar="FILE.py:NAME", help="a policy of your own beside the others"
    )
    parser.add_argument(
        "--peers",
        default=None,
        help=f"real compilers, of {', '.join(PEERS)}, or {NONE} (default: all; a corpus: {NONE})",
    )
    parser.add_argument(
        "--peer",
        action="append",
        default=[],
        metavar="PEER=VENV",
        help="a real compiler of another virtual environment beside the others: another version of it",
    )
    parser.add_argument("--device", default="h200", choices=tuple(DEVICES), help="what times are predicted for")
    parser.add_argument(
        "--knob",
        action="append",
        default=[],
        metavar="STRATEGY.OPTION=VALUE",
        help="what if: a row with this option of a policy, or of a real compiler (real-tvm.max-depth=8)",
    )
    parser.add_argument("--pair", default=None, metavar="A,B", help="tell only of these two ops")
    parser.add_argument("--json", default=None, metavar="FILE", help="write the comparison as JSON (- is stdout)")
    parser.add_argument("--csv", default=None, metavar="FILE", help="write a line for each graph and strategy")
    parser.add_argument("--html", default=None, metavar="FILE", help="write one self-contained page")
    parser.add_argument("--measure", action="store_true", help="time each strategy: needs a CUDA device")
    parser.add_argument("--traceback", action="store_true", help="show the Python traceback of an error")
    return parser


@dataclass(frozen=True)
class Settings:
    """Who is compared, on which device."""

    policies: tuple[str, ...]
    peers: tuple[str, ...]
    device: str
    knobs: Turned

    def compare(self, graphs: Sequence[Graph], page: str | None = None) -> list[Comparison]:
        """Each graph under every strategy. The terminal and the page show the answers of compilers as they come."""
        watch = Watch(len(self.peers), page)
        try:
            return compare_all(graphs, self.policies, self.peers, self.device, self.knobs, watch.heard)
        finally:
            watch.end()


def _run(options: Any) -> None:
    for path in (options.json, options.csv, options.html):
        check_output(path)
    if sum(bool(given) for given in (options.target, options.model, options.corpus)) != 1:
        raise MlcError("what is to be compared?", None, "one of a graph, --model FILE.py:NAME, or --corpus DIR|FILE")
    if options.train and not options.model:
        raise MlcError("--train is for --model", None, "give --model FILE.py:NAME")
    if options.corpus and (many := [f"--{name}" for name in OF_ONE_GRAPH if getattr(options, name)]):
        raise MlcError(f"{many[0]} is for one graph, and a corpus has many", None, "--csv or --json has all numbers")
    asked = options.peers or (NONE if options.corpus else ",".join(PEERS))
    peers = (*(() if asked == NONE else _names(asked)), *options.peer)
    policies = tuple(dict.fromkeys((*_names(options.policies), *options.policy)))
    settings = Settings(policies, peers, options.device, parse_knobs(options.knob))
    if options.corpus:
        _corpus(options, settings)
    elif options.model:
        _model(options, settings)
    else:
        _graph(options, settings)


def _graph(options: Any, settings: Settings) -> None:
    """One graph: the whole report of it."""
    name = Path(options.target.rpartition(":")[2]).name.removesuffix(STABLEHLO).removesuffix(".mlir")
    module = _simplified(load_graph(options.target, options.args, options.shapes))
    (comparison,) = settings.compare([Graph(name, module)], options.html)
    comparison = measured(comparison) if options.measure else comparison
    if options.json != "-":
        sys.stdout.write(as_text(comparison, _pair(options.pair)))
    _write(options, [line_of(comparison)], as_json(comparison), as_page(comparison) if options.html else "")


def _model(options: Any, settings: Settings) -> None:
    """A whole module: the report of each graph, and all of them in one table."""
    graphs = [replace(g, module=_simplified(g.module)) for g in load_model(options.model, options.args, options.train)]
    comparisons = settings.compare(graphs, options.html)
    comparisons = measured_all(comparisons) if options.measure else comparisons
    lines = [line_of(comparison) for comparison in comparisons]
    if options.json != "-":
        for comparison in comparisons:
            sys.stdout.write(as_text(comparison, _pair(options.pair)) + "\n")
        sys.stdout.write(as_overview(lines, options.sort))
    data = {**as_data(lines), "comparisons": [as_json(c) for c in comparisons]}
    _write(options, lines, data, as_page(*comparisons) if options.html else "")


def _corpus(options: Any, settings: Settings) -> None:
    """Many graphs: one table. Graphs are taken some at a time, so that a large corpus fits into memory."""
    sizes, lines = parse_shapes(options.shapes), list[Line]()
    for batch in _batches(entries(Path(options.corpus)), BATCH):
        graphs: list[Graph] = []
        for entry in batch:
            try:
                graphs.append(_read(entry, sizes))
            except MlcError as error:
                lines.append(Line(entry.name, entry.times, 0, 0, 0, {}, {"mlc": error.message}))
        lines += map(line_of, settings.compare(graphs))
    if options.json != "-":
        sys.stdout.write(as_overview(lines, options.sort))
    lines = ordered(lines, options.sort)
    _write(options, lines, as_data(lines), as_corpus_page(Path(options.corpus).name, lines))


def _read(entry: Entry, sizes: Mapping[str, int]) -> Graph:
    """A graph of a corpus, ready to be compared; sizes that it does not name are no mistake here."""
    module = parsed(entry.text, entry.name, entry.stablehlo)
    named = input_sizes(module)
    bind(module, {name: number for name, number in sizes.items() if name in named})
    check_sizes(module)
    return Graph(entry.name, _simplified(module), entry.times)


def _batches(items: Iterable[Entry], size: int) -> Iterator[list[Entry]]:
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


def _simplified(module: ModuleOp) -> ModuleOp:
    lowered = lower_to(module, "simplified")
    assert isinstance(lowered, ModuleOp)
    return lowered


def _write(options: Any, lines: Sequence[Line], data: Any, page: str) -> None:
    """The files that were asked for."""
    if options.json is not None:
        write_output(options.json, json.dumps(data, indent=1) + "\n")
    if options.csv is not None:
        write_output(options.csv, as_csv(lines))
    if options.html is not None:
        write_output(options.html, page)


def _names(text: str) -> tuple[str, ...]:
    """`a,b`; nothing for an empty text."""
    return () if not text else tuple(dict.fromkeys(part.strip() for part in text.split(",")))


def parse_knobs(texts: Sequence[str]) -> dict[str, dict[str, str]]:
    """`tvm.max-depth=8` as {"tvm": {"max-depth": "8"}}. MlcError shows the form of one."""
    knobs: dict[str, dict[str, str]] = {}
    for text in texts:
        place, equals, value = text.partition("=")
        strategy, dot, option = place.partition(".")
        if not (equals and dot and option and value):
            raise MlcError(f"--knob {text!r} is not STRATEGY.OPTION=VALUE", None, "for example tvm.max-depth=8")
        knobs.setdefault(strategy, {})[option] = value
    return knobs


def _pair(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    first, comma, second = (part.strip() for part in text.partition(","))
    if not (first and comma and second):
        raise MlcError(f"--pair {text!r} does not name two ops", None, "for example exp,sum")
    return first, second


def main(argv: Sequence[str] | None = None) -> int:
    """Runs `mlc-compare` on a command line: the exit code, 0 or 1."""
    return run_tool(_parser(), argv, _run)


if __name__ == "__main__":
    sys.exit(main())
