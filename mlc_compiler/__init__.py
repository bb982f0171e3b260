"""The compiler as its user meets it: the pipeline, the `torch.compile` backend and the executables.

`torch.compile(model, backend="mlc")` finds `compile_graph_module`: by the entry point of the installed project, and in
a plain checkout after `import mlc_compiler`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from mlc_compiler.registration import register
from mlc_support.collector import collector_paused
from mlc_support.shadowing import check_packages

check_packages()
register()

_HOMES = {
    "compile_graph_module": "mlc_compiler.frontend.backend",
    "compile_imported": "mlc_compiler.execution.executable",
    "CompilerOptions": "mlc_compiler.options",
    "Executable": "mlc_compiler.execution.executable",
    "explain": "mlc_compiler.frontend.explanation",
    "Explanation": "mlc_compiler.frontend.explanation",
    "from_jax": "mlc_compiler.frontend.jax_functions",
    "lower_to": "mlc_compiler.pipeline",
}
__all__ = [*_HOMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """Public names, each loaded with its module when it is first asked for: torch takes a second."""
    if name not in _HOMES:
        raise AttributeError(f"module `mlc_compiler` has no attribute `{name}`")
    with collector_paused():  # modules stay: the collector would walk all of PyTorch's to find nothing
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(_HOMES)
