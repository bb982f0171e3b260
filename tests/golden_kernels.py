"""Golden kernels: the source of some thirty cases, and of every case a digest with the resources of its kernels.

    make golden                              # imports every graph, lowers it, compiles what changed for sm_90
    make golden GOLDEN=--keep-graphs         # lowers the graphs of tests/golden/graphs again, in seconds
    python -m tests.golden_kernels 'scan: cumsum f32 65536x1024'  # prints the source of a case

`tests/golden/graphs/*.mlir` hold the imported graphs, so that the tests need no torch of a certain version.
`tests/golden/*.py` hold the source that is read whole, `tests/golden/digest.json` one line for each case. No GPU is
needed. What changed since the last time, and what of its resources, is printed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func

from lowering.triton_to_source.kernels import module_source
from mlc_compiler.pipeline import lower_to
from mlc_dialects.tensor.dialect import MlcTensor
from mlc_support.parsing import parse_module
from tests.golden_cases import WHOLE, graphs
from tests.golden_digest import Table, changes, refreshed

FOLDER = Path(__file__).parent / "golden"
DIGEST = FOLDER / "digest.json"
PLACE = re.compile(r"  # [\w<>.-]+:\d+.*$", re.MULTILINE)
LINE_OF_GRAPH = re.compile(r"<text>:\d+")
TORCH = ".".join(torch.__version__.split(".")[:2])
"""Graphs of another version may be taken apart otherwise."""
Families = dict[str, dict[str, str]]
"""Texts of graphs by family and by the name of a case."""


def snapshot() -> Families:
    """The graphs as they are imported now."""
    found: Families = {}
    for family, name, read in graphs():
        found.setdefault(family, {})[name] = str(read()) + "\n"
    return found


def committed() -> Families:
    """The graphs of the `.mlir` files."""
    return {path.stem: load(path, "//") for path in sorted((FOLDER / "graphs").glob("*.mlir"))}


def read(text: str) -> ModuleOp:
    """A graph of a `.mlir` file."""
    context = Context()
    for dialect in (Builtin, Func, MlcTensor):
        context.load_dialect(dialect)
    return parse_module(context, text)


def lowered(graph: str) -> ModuleOp:
    """A graph as Triton kernels and its host program."""
    module = lower_to(read(graph), "triton")
    assert isinstance(module, ModuleOp)
    return module


def lowered_cases(families: Families) -> dict[str, ModuleOp]:
    """All graphs, by "family: name"."""
    return {f"{family}: {name}": lowered(graph) for family, texts in families.items() for name, graph in texts.items()}


def source(module: ModuleOp) -> str:
    """The generated text without the imports at its top, the lines of the user and those of the graph."""
    text = LINE_OF_GRAPH.sub("<text>", PLACE.sub("", module_source(module)))
    return text[text.index("\n\n\ndef ") :].strip() + "\n"


def save(path: Path, texts: Mapping[str, str], mark: str) -> None:
    """Writes texts one after another, each after a line with its name; first the torch that imported them."""
    parts = (f"{mark} case: {name}\n{text}" for name, text in texts.items())
    path.write_text("\n\n".join((f"{mark} torch {TORCH}", *parts)))


def load(path: Path, mark: str) -> dict[str, str]:
    """The texts of a file by name."""
    parts = re.split(rf"^{mark} case: (.*)\n", path.read_text(), flags=re.MULTILINE)[1:]
    return {name: text.rstrip() + "\n" for name, text in zip(parts[::2], parts[1::2], strict=True)}


def write(families: Families, keep_graphs: bool) -> None:
    """All files; the digest last, since only it takes a compiler of Triton's."""
    modules = lowered_cases(families)
    if not keep_graphs:
        for old in (FOLDER / "graphs").glob("*.mlir"):
            old.unlink()
        for family, texts in families.items():
            save(FOLDER / "graphs" / f"{family}.mlir", texts, "//")
    for old in FOLDER.glob("*.py"):
        old.unlink()
    for name, cases in WHOLE.items():
        save(FOLDER / f"{name}.py", {case: source(modules[case]) for case in cases}, "#")
    old_table = Table.read(DIGEST)
    table = refreshed({case: (module, source(module)) for case, module in modules.items()}, old_table)
    table.write(DIGEST)
    print("\n".join(changes(old_table, table)) or "no case changed")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep-graphs", action="store_true", help="lower the graphs that are there")
    parser.add_argument("case", nargs="?", help="print the source of this case and write nothing")
    options = parser.parse_args(arguments)
    if options.case:
        family, _, name = options.case.partition(": ")
        print(source(lowered(committed()[family][name])), end="")
        return 0
    write(committed() if options.keep_graphs else snapshot(), options.keep_graphs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
