"""Kernels as host programs launch them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lowering.host.call_text import tuple_text
from mlc_support.index_expr import IndexExpr


@dataclass(frozen=True)
class Launched:
    """A kernel by name: what a launch gives it beside the buffers."""

    name: str
    sizes: tuple[str, ...]
    """The named sizes that it takes."""
    grid: tuple[IndexExpr, ...] | None = None
    """The programs along each axis of a launch; None for a function, which has none."""
    options: Mapping[str, int] = field(default_factory=dict[str, int])
    """Keyword arguments."""

    def text(self, arguments: Sequence[str]) -> str:
        """The statement in Python."""
        given = ", ".join([*arguments, *(f"{name}={value}" for name, value in self.options.items())])
        grid = "" if self.grid is None else f"[{tuple_text(self.grid)}]"
        return f"{self.name}{grid}({given})"
