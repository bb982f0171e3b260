"""`mlc-compare`: the kernels that fusion strategies make of one graph, side by side, with their reasons.

    mlc-compare model.py:softmax --args 512x1024xf32
    mlc-compare graph.mlir --peers xla,tvm --pair exp,sum --html softmax.html

No GPU is needed. A real compiler that is not installed is told of, and left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.compare.comparison import compare
from mlc_compiler.compare.measure import measured
from mlc_compiler.compare.page import as_page
from mlc_compiler.compare.report import as_json
from mlc_compiler.compare.text import as_text
from mlc_compiler.peers.peer import PEERS
from mlc_compiler.pipeline import lower_to
from mlc_support.errors import MlcError
from passes.common.device import DEVICES
from passes.tensor.fusion.plan import STRATEGIES
from tools.driver import Arguments, check_output, run_tool, write_output
from tools.graphs import load_graph

NONE = "none"


def _parser() -> Arguments:
    parser = Arguments(prog="mlc-compare", description="Compare the fusion of compilers on one graph.")
    parser.add_argument("target", help="FILE.py:NAME of a function or nn.Module, FILE.mlir, or FILE.jsonl.gz:REGION")
    parser.add_argument("--args", default="", help="types of a function's inputs: 512x1024xf32,Nx1024xbf16,f32")
    parser.add_argument("--shapes", default="", help="numbers for named sizes: N=512,M=64")
    parser.add_argument("--policies", default=",".join(STRATEGIES), help=f"of {', '.join(STRATEGIES)} (default: all)")
    parser.add_argument(
        "--peers", default=",".join(PEERS), help=f"real compilers, of {', '.join(PEERS)}, or {NONE} (default: all)"
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
    parser.add_argument("--html", default=None, metavar="FILE", help="write one self-contained page")
    parser.add_argument("--measure", action="store_true", help="time what can run here: needs a CUDA device")
    parser.add_argument("--traceback", action="store_true", help="show the Python traceback of an error")
    return parser


def _run(options: Any) -> None:
    for path in (options.json, options.html):
        check_output(path)
    module = lower_to(load_graph(options.target, options.args, options.shapes), "simplified")
    assert isinstance(module, ModuleOp)
    comparison = compare(
        Path(options.target).stem if options.target.endswith(".mlir") else options.target.rpartition(":")[2],
        module,
        _names(options.policies),
        () if options.peers == NONE else _names(options.peers),
        options.device,
        parse_knobs(options.knob),
    )
    if options.measure:
        comparison = measured(comparison)
    if options.json != "-":
        sys.stdout.write(as_text(comparison, _pair(options.pair)))
    if options.json is not None:
        write_output(options.json, json.dumps(as_json(comparison), indent=1) + "\n")
    if options.html is not None:
        write_output(options.html, as_page(comparison))


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
