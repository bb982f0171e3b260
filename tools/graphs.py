"""The graph that a command line names: a PyTorch function, a file of `mlc_tensor`, or a region of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from lowering.stablehlo_to_tensor import import_stablehlo
from mlc_support.errors import MlcError
from mlc_support.parsing import parse_module
from mlc_support.verification import verify_module
from passes.tensor.bind_sizes import bind_sizes
from tools.corpus import REGIONS, regions
from tools.load_ir import load_ir
from tools.mlc_translate import import_target
from tools.universe import context

CORPUS = f"{REGIONS}:"


def load_graph(target: str, args: str = "", shapes: str = "") -> ModuleOp:
    """The module of `FILE.py:NAME` called with `args`, of `FILE.mlir`, or of the region NAME in `FILE.jsonl.gz:NAME`.

    Named sizes become those of `shapes`. Regions are what `benchmarks.capture` writes.
    MlcError says what is wrong with the target, the inputs or the sizes.
    """
    if target.endswith(".mlir"):
        module = load_ir(Path(target))
    elif CORPUS in target:
        path, _, name = target.rpartition(":")
        module = _region(Path(path), name)
    elif ".py:" in target:
        module = import_target(target, args).module
    else:
        raise MlcError(
            f"{target!r} is no graph", None, "give FILE.py:FUNCTION with --args, FILE.mlir, or FILE.jsonl.gz:REGION"
        )
    bind(module, parse_shapes(shapes))
    return module


def bind(module: ModuleOp, sizes: Mapping[str, int]) -> None:
    """Puts numbers for named sizes. MlcError for a name that the inputs do not have."""
    if sizes:
        bind_sizes(module, sizes)
        verify_module(module)


def parse_shapes(text: str) -> dict[str, int]:
    """`N=512,M=64`"""
    sizes: dict[str, int] = {}
    for entry in text.split(",") if text else []:
        name, _, number = (part.strip() for part in entry.partition("="))
        if not name.isidentifier() or not number.isdigit():
            raise MlcError(f"--shapes {entry!r} is not NAME=NUMBER", None, "for example N=512,M=64")
        sizes[name] = int(number)
    return sizes


def parsed(text: str | bytes, name: str, stablehlo: bool = False) -> ModuleOp:
    """The module that a text of `mlc_tensor` says, or of StableHLO; `name` stands in errors."""
    module = import_stablehlo(text, name) if stablehlo else parse_module(context(), text, name)
    verify_module(module)
    return module


def _region(path: Path, name: str) -> ModuleOp:
    for entry in regions(path):
        if entry["name"] == name:
            return parsed(entry["text"], name)
    raise MlcError(
        f"{path} has no region {name!r}", None, "benchmarks.corpus prints the names of those that it measures"
    )
