"""What a run of `benchmarks.cpu` finds, and its file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.json_files import write_json


@dataclass
class Measured:
    """One case on one backend, on so many threads."""

    seconds: float | None = None
    first_s: float | None = None
    """Until the first result: compiling."""
    error: float | None = None
    failure: str | None = None


@dataclass(frozen=True)
class Result:
    """One case on every backend."""

    kind: str
    """functions, inference or training."""
    name: str
    threads: int
    backends: dict[str, Measured]


@dataclass
class Run:
    """The results of a run, and what they depend on."""

    command: str
    environment: dict[str, str]
    results: list[Result] = field(default_factory=list[Result])

    def save(self, path: Path) -> None:
        write_json(path, asdict(self))

    @staticmethod
    def load(path: Path) -> Run:
        """A run that was saved."""
        told = json.loads(path.read_text())
        results = [
            Result(r["kind"], r["name"], r["threads"], {b: Measured(**m) for b, m in r["backends"].items()})
            for r in told["results"]
        ]
        return Run(told["command"], told["environment"], results)


def ratio(result: Result, other: str, what: str) -> float | None:
    """A figure of the other over that of mlc, if both are known and not 0."""
    ours, theirs = (getattr(result.backends[b], what, None) if b in result.backends else None for b in ("mlc", other))
    return theirs / ours if ours and theirs else None
