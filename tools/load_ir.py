"""A module from a file of IR."""

from __future__ import annotations

from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from mlc_support.errors import MlcError
from mlc_support.parsing import parse_module
from mlc_support.verification import verify_module
from tools.universe import context


def load_ir(path: Path) -> ModuleOp:
    """The module in `path`, valid. MlcError says what is wrong with the file or the module."""
    if not path.is_file():
        raise MlcError(f"no such file: {path}")
    module = parse_module(context(), path.read_bytes(), str(path))
    verify_module(module)
    return module
