"""What a run of `benchmarks.fusion_models` found, as it is kept and read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.json_files import write_json


@dataclass
class Answer:
    """What one compiler made of the graphs of a model."""

    version: str = ""
    compared: int = 0
    """Ops that it was given."""
    placed: int = 0
    """Those of them that its kernels name: it has simplified the others away."""
    kernels: int = 0
    seconds: float = 0.0
    cuts: dict[str, int] = field(default_factory=dict[str, int])
    """The op that it was not given and why, to how many there are."""
    refused: list[str] = field(default_factory=list[str])
    """Of each graph that it has no answer for, why."""


@dataclass
class Result:
    """One model."""

    model: str
    variant: str
    graphs: int = 0
    ops: int = 0
    seconds: float = 0.0
    """To trace and simplify it."""
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    failure: str | None = None
    """Why it could not be traced to the end."""

    def share(self, peer: str) -> float:
        """The part of its ops that were compared; none of a model that could not be traced."""
        return self.answers[peer].compared / self.ops if self.ops and peer in self.answers else 0.0


def save(path: Path, results: Sequence[Result], versions: Mapping[str, str]) -> None:
    """Writes a run."""
    write_json(path, {"versions": dict(versions), "results": [asdict(r) for r in results]})


def load(path: Path) -> list[Result]:
    """The results of a run that was written."""
    found: list[dict[str, Any]] = json.loads(path.read_text())["results"]
    return [Result(**{**r, "answers": {p: Answer(**a) for p, a in r["answers"].items()}}) for r in found]
