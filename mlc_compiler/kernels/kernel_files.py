"""Generated source files as Python modules."""

import hashlib
import importlib.util
import linecache
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction


def load_kernels(path: str | Path) -> dict[str, Any]:
    """The `@triton.jit` functions that a source file defines, by name."""
    return load_module(path)[1]


def load_module(path: str | Path) -> tuple[ModuleType, dict[str, Any]]:
    """A source file as a module, and the `@triton.jit` functions it defines, by name.

    The file runs as a module of its own, named by path and content, and stays in `sys.modules`: Triton and `inspect`
    look sources up there. They find the text in memory also when the file is gone. Raises FileNotFoundError, and what
    the file raises.
    """
    path = Path(path).resolve()
    text = path.read_text(encoding="utf-8")
    digest = hashlib.sha256(f"{path}\0{text}".encode()).hexdigest()[:16]
    name = f"mlc_generated_{path.stem}_{digest}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise FileNotFoundError(f"{path} is no Python source file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))
        try:
            exec(compile(text, str(path), "exec"), vars(module))
        except BaseException:
            del sys.modules[name]
            raise
    module = sys.modules[name]
    kinds = (JITFunction, InterpretedFunction)
    found = {k: v for k, v in vars(module).items() if isinstance(v, kinds) and v.fn.__module__ == name}
    return module, found
