"""The graph that a command line names: a PyTorch function in a file, or a file of `mlc_tensor`."""

from __future__ import annotations

from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp

from mlc_support.errors import MlcError
from mlc_support.parsing import parse_module
from mlc_support.verification import verify_module
from passes.tensor.bind_sizes import bind_sizes
from tools.mlc_translate import import_target
from tools.universe import dialect_factories


def load_graph(target: str, args: str = "", shapes: str = "") -> ModuleOp:
    """The module of `FILE.py:NAME` called with `args`, or of `FILE.mlir`; named sizes become those of `shapes`.

    MlcError says what is wrong with the target, the inputs or the sizes.
    """
    sizes = parse_shapes(shapes)
    if target.endswith(".mlir"):
        module = _read(Path(target))
    elif ".py:" in target:
        module = import_target(target, args).module
    else:
        raise MlcError(f"{target!r} is no graph", None, "give FILE.py:FUNCTION with --args, or FILE.mlir")
    if sizes:
        bind_sizes(module, sizes)
        verify_module(module)
    return module


def parse_shapes(text: str) -> dict[str, int]:
    """`N=512,M=64`"""
    sizes: dict[str, int] = {}
    for entry in text.split(",") if text else []:
        name, _, number = (part.strip() for part in entry.partition("="))
        if not name.isidentifier() or not number.isdigit():
            raise MlcError(f"--shapes {entry!r} is not NAME=NUMBER", None, "for example N=512,M=64")
        sizes[name] = int(number)
    return sizes


def _read(path: Path) -> ModuleOp:
    if not path.is_file():
        raise MlcError(f"no such file: {path}")
    context = Context()
    for name, factory in (dialect_factories() | get_all_dialects()).items():
        context.register_dialect(name, factory)
    module = parse_module(context, path.read_bytes(), str(path))
    verify_module(module)
    return module
