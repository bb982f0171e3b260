"""Golden kernels: the generated source of every benchmark case and example, and what each kernel uses of an H200.

    python -m tests.golden_kernels              # rewrites tests/golden/*.mlir and *.py: `git diff` shows what changed
    python -m tests.golden_kernels --keep-graphs  # lowers the graphs of those .mlir files again, in seconds
    python -m tests.golden_kernels --resources  # and tests/golden/resources.json, for the kernels whose text changed

A `.mlir` file holds the imported graphs of one family, a `.py` file what they become. Comments with the user's lines
are left out, so that only the compiler's own changes show. Kernels are compiled for sm_90, which needs no GPU.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import torch
import triton
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func

from benchmarks.cases import PINNED
from benchmarks.records import imported
from examples.functions import EXAMPLES
from examples.gpt import Block
from lowering.fx_to_tensor import import_callable
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.kernels.aot import Request, Resources, compile_many
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.kernel_requests import kernel_requests
from mlc_compiler.pipeline import lower_to
from mlc_dialects.tensor.dialect import MlcTensor
from mlc_support.parsing import parse_module

FOLDER = Path(__file__).parent / "golden"
TABLE = FOLDER / "resources.json"
PLACE = re.compile(r"  # [\w<>.-]+:\d+.*$", re.MULTILINE)
SHOWN = (
    "registers", "spill_bytes", "shared_bytes", "loads", "vector_loads", "stores", "vector_stores", "warps",
    "instructions",
)  # fmt: skip
"""The resources that the table holds."""
TORCH = ".".join(torch.__version__.split(".")[:2])
"""Graphs of another version may be taken apart otherwise."""
Row = list[int | str]
"""A line of the table: a digest, then the resources."""
Families = dict[str, dict[str, str]]
"""Texts by family and by the name of a case."""


def graphs() -> Iterator[tuple[str, str, Callable[[], ModuleOp]]]:
    """Family, name and importer of each graph."""
    for case in PINNED:
        yield case.family, case.name, lambda c=case: imported(c).module
    for example in EXAMPLES:
        inputs = [torch.empty(shape) for shape in example.shapes]
        yield "examples", example.name, lambda e=example, i=inputs: import_callable(e.function, i, name="case").module
    yield "examples", "transformer block", lambda: import_callable(Block(), [torch.empty(2, 32, 64)]).module


def snapshot() -> Families:
    """The imported graphs as text."""
    found: Families = {}
    for family, name, read in graphs():
        found.setdefault(family, {})[name] = str(read()) + "\n"
    return found


def committed() -> Families:
    """The graphs of the `.mlir` files."""
    return {path.stem: load(path, "//") for path in sorted(FOLDER.glob("*.mlir"))}


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


def source(module: ModuleOp) -> str:
    """The generated text without the lines that every file begins with, and without the user's lines."""
    text = PLACE.sub("", module_source(module))
    return text[text.index("\n\n\ndef ") :].strip() + "\n"


def sources(found: Mapping[str, str]) -> dict[str, str]:
    """The generated text of each graph of a family."""
    return {name: source(lowered(graph)) for name, graph in found.items()}


def save(path: Path, texts: Mapping[str, str], mark: str) -> None:
    """Writes texts one after another, each after a line with its name; first the torch that imported them."""
    parts = (f"{mark} case: {name}\n{text}" for name, text in texts.items())
    path.write_text("\n\n".join((f"{mark} torch {TORCH}", *parts)))


def load(path: Path, mark: str) -> dict[str, str]:
    """The texts of a file by name."""
    parts = re.split(rf"^{mark} case: (.*)\n", path.read_text(), flags=re.MULTILINE)[1:]
    return {name: text.rstrip() + "\n" for name, text in zip(parts[::2], parts[1::2], strict=True)}


def requests(families: Families) -> dict[str, tuple[str, Request]]:
    """For each kernel, by "family: case: kernel", a digest of its text and launch, and what to compile."""
    found: dict[str, tuple[str, Request]] = {}
    for family, texts in families.items():
        for name, graph in texts.items():
            module = lowered(graph)
            path = write_source(module_source(module))
            for request in kernel_requests(module, path):
                found[f"{family}: {name}: {request.kernel}"] = digest(request), request
    return found


def digest(request: Request) -> str:
    """Of all that decides the compiled kernel."""
    text = PLACE.sub("", Path(request.source).read_text())
    body = text.partition(f"\ndef {request.kernel}(")[2].partition("\n@triton.jit")[0]
    options = (body, sorted(request.signature.items()), request.num_warps)
    options += () if request.maxnreg is None else (request.maxnreg,)
    return hashlib.sha256(repr(options).encode()).hexdigest()[:12]


def table(wanted: Mapping[str, tuple[str, Request]], known: Mapping[str, Row]) -> dict[str, Row]:
    """The digest and the resources of each kernel; what `known` tells by its digest is not compiled again."""
    rows = {str(row[0]): row for row in known.values()}
    new = {key: request for key, request in wanted.values() if key not in rows}
    print(f"{len(wanted)} kernels, {len(new)} to compile", flush=True)
    keys = list(new)
    for start in range(0, len(keys), 16):
        part = keys[start : start + 16]
        for key, used in zip(part, compile_many([new[k] for k in part]), strict=True):
            rows[key] = [key, *numbers(used)]
        print(f"{start + len(part)} of {len(keys)}", flush=True)
    return {name: rows[key] for name, (key, _) in wanted.items()}


def numbers(used: Resources) -> list[int]:
    """The columns of the table."""
    every = asdict(used)
    return [every[name] for name in SHOWN]


def read_table() -> tuple[str, dict[str, Row]]:
    """The Triton that the table is of, and its rows."""
    if not TABLE.exists():
        return triton.__version__, {}
    data = json.loads(TABLE.read_text())
    return data["triton"], data["kernels"]


def write_table(rows: Mapping[str, Row]) -> None:
    """One line a kernel."""
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(rows.items()))
    columns = json.dumps(["digest", *SHOWN])
    text = f'{{"triton": "{triton.__version__}", "columns": {columns},\n "kernels": {{\n{lines}\n }}}}\n'
    TABLE.write_text(text)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--resources", action="store_true", help="compile the kernels, which takes a second each")
    parser.add_argument("--keep-graphs", action="store_true", help="lower the graphs that are there")
    options = parser.parse_args(arguments)
    families = committed() if options.keep_graphs else snapshot()
    kernels = {family: sources(texts) for family, texts in families.items()}
    for old in (*FOLDER.glob("*.mlir"), *FOLDER.glob("*.py")):
        old.unlink()
    for family, texts in families.items():
        save(FOLDER / f"{family}.mlir", texts, "//")
        save(FOLDER / f"{family}.py", kernels[family], "#")
    if options.resources:
        version, known = read_table()
        write_table(table(requests(families), known if version == triton.__version__ else {}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
