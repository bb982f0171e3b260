"""Python files of a user, by their path: `FILE.py:NAME` on a command line."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from mlc_support.errors import MlcError

SEPARATOR = ".py:"
"""Between the file and the name in it."""


def load_python(path: Path) -> ModuleType:
    """The module that a file holds, run afresh; it may import its neighbours. MlcError where there is no such file.

    Whatever the file raises passes through.
    """
    if not path.is_file():
        raise MlcError(f"no such file: {path}")
    spec = importlib.util.spec_from_file_location(f"loaded_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module
