"""What `benchmarks.regret` finds, and its file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.json_files import write_json

INFINITE = float("inf")


@dataclass(frozen=True)
class Tried:
    """One schedule of a kernel; seconds are None where it was not measured, or could not run."""

    why: str
    """The launch, the blocks and the reason."""
    predicted_us: float | None = None
    seconds: float | None = None
    spills: int = 0
    registers: int = 0


@dataclass(frozen=True)
class Kernel:
    """The schedules of one kernel, the one that the compiler takes first."""

    name: str
    tried: tuple[Tried, ...]

    @property
    def best(self) -> Tried:
        """The fastest."""
        return min(self.tried, key=lambda t: INFINITE if t.seconds is None else t.seconds)

    @property
    def regret(self) -> float | None:
        """How many times as long as the best the first takes; infinity if it cannot run, None if nothing can."""
        if self.best.seconds is None:
            return None
        return INFINITE if self.tried[0].seconds is None else self.tried[0].seconds / self.best.seconds


@dataclass(frozen=True)
class Drawing:
    """One drawn function."""

    name: str
    family: str
    text: str
    """What it computes, and of what."""
    bytes: int
    """The least that must be moved."""
    kernels: tuple[Kernel, ...]
    seconds: float | None = None
    """Of the whole function as it is compiled."""
    copy_seconds: float | None = None
    """Of a copy that moves as many bytes."""
    error: float | None = None
    """Norm of the error over the norm of the float64 result."""
    eager_error: float | None = None
    failure: str | None = None
    """Why the whole function has no time."""


@dataclass
class RegretRun:
    """The results of a run, and what they depend on."""

    command: str
    environment: dict[str, str]
    results: list[Drawing] = field(default_factory=list)
    redrawn: dict[str, str] = field(default_factory=dict)
    """Names of what was drawn in vain, and why."""

    def save(self, path: Path) -> None:
        """Writes the file whole, or not at all."""
        write_json(path, asdict(self))


def load(path: Path) -> RegretRun:
    """The run in a file."""
    data: dict[str, Any] = json.loads(path.read_text())
    results = [_drawing(r) for r in data.pop("results")]
    return RegretRun(**data, results=results)


def _drawing(data: dict[str, Any]) -> Drawing:
    kernels = data.pop("kernels")
    return Drawing(**data, kernels=tuple(Kernel(k["name"], tuple(Tried(**t) for t in k["tried"])) for k in kernels))
