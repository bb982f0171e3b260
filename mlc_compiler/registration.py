"""`backend="mlc"` where the project is not installed: `import mlc_compiler` makes it known, and loads no PyTorch.

PyTorch finds backends among the entry points of installed distributions when it is first asked for one it does not
know. A checkout stands for a distribution there; if PyTorch has looked already, its table gets the entry.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, DistributionFinder, EntryPoint
from pathlib import Path
from typing import Any

NAME = "mlc"
BACKEND = EntryPoint(NAME, "mlc_compiler:compile_graph_module", "torch_dynamo_backends")


class Checkout(Distribution):
    """The packages beside this one, as a distribution."""

    def read_text(self, filename: str) -> str | None:
        texts = {
            "METADATA": f"Metadata-Version: 2.1\nName: {NAME}\n",
            "entry_points.txt": f"[{BACKEND.group}]\n{BACKEND.name} = {BACKEND.value}\n",
        }
        return texts.get(filename)

    def locate_file(self, path: Any) -> Path:
        return Path(__file__).resolve().parent.parent / path


class Finder(DistributionFinder):
    """Comes last: an installed project is found before it."""

    def find_spec(self, *_: Any) -> None:
        return None

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> Iterator[Distribution]:
        if context is None or context.name in (None, NAME):
            yield Checkout()


def register() -> None:
    """Makes the backend known; once is enough."""
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.append(Finder())
    registry = sys.modules.get("torch._dynamo.backends.registry")
    if registry is not None:
        registry._BACKENDS.setdefault(NAME, BACKEND)
