"""Generated source files as Python modules."""

import hashlib
import importlib.util
import linecache
import threading
import weakref
from pathlib import Path
from types import ModuleType
from typing import Any

from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction

GENERATED = "generated_module"
"""What the module of a file calls itself."""
_modules: weakref.WeakValueDictionary[str, ModuleType] = weakref.WeakValueDictionary()
_loading = threading.Lock()


def load_kernels(path: str | Path, text: str | None = None) -> dict[str, Any]:
    """The `@triton.jit` functions that a source file defines, by name."""
    return load_module(path, text)[1]


def load_module(path: str | Path, text: str | None = None) -> tuple[ModuleType, dict[str, Any]]:
    """A source file as a module, and the `@triton.jit` functions it defines, by name.

    `text` is what the file holds, of one that may have gone or could not be written. A file is a module of its own,
    named by path and content. It is loaded once for all that use it, and lives as long as one of its functions; so
    long Triton and `inspect` find its text in memory. Raises FileNotFoundError, and what the file raises.
    """
    path = Path(path).resolve()
    text = path.read_text(encoding="utf-8") if text is None else text
    digest = hashlib.sha256(f"{path}\0{text}".encode()).hexdigest()[:16]
    name = f"mlc_generated_{path.stem}_{digest}"
    with _loading:  # other threads see a module when it is whole
        module = _modules.get(name)
        if module is None:
            module = _modules[name] = _run(name, path, text)
    kinds = (JITFunction, InterpretedFunction)
    found = {k: v for k, v in vars(module).items() if isinstance(v, kinds) and v.fn.__module__ == name}
    return module, found


def _run(name: str, path: Path, text: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise FileNotFoundError(f"{path} is no Python source file")
    module = importlib.util.module_from_spec(spec)
    lines = (len(text), None, text.splitlines(keepends=True), str(path))
    linecache.cache[str(path)] = lines
    exec(compile(text, str(path), "exec"), vars(module))
    vars(module)[GENERATED] = module  # functions hold their globals, and so the module
    weakref.finalize(module, _forget, str(path), lines).atexit = False
    return module


def _forget(path: str, lines: Any) -> None:
    """Removes the lines of a file, if nobody has loaded another content of it."""
    if linecache.cache.get(path) is lines:
        del linecache.cache[path]
