"""What compiled programs need to run: loads model folders, and has no compiler in it.

model = mlc_runtime.load("model_folder")
y = model(x)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {"Model": "mlc_runtime.model", "load": "mlc_runtime.model"}


def __getattr__(name: str) -> Any:
    """Public names, each loaded with its module when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module `mlc_runtime` has no attribute `{name}`")
    return getattr(import_module(_HOMES[name]), name)
