"""What is measured of a model, and its file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.json_files import write_json


@dataclass(frozen=True)
class Job:
    """One model, and how it is to be run."""

    model: str
    backends: tuple[str, ...]
    train: bool
    mode: str
    device: str
    tiny: bool
    caches: str
    """The folder that the compilers keep what they make in."""
    warm: bool = False
    """It has been compiled before: the seconds to the first result are wanted once more, and nothing else."""


@dataclass
class Measured:
    """One model on one backend; what is not known is None."""

    wall_ms: float | None = None
    """Of a call among many that follow each other: the device works while the host prepares the next one."""
    device_ms: float | None = None
    """What its kernels, copies and fills take on the device, added up."""
    host_ms: float | None = None
    """Until a call returns, on an idle device."""
    first_s: float | None = None
    """To the first result, with empty caches on disk: compilation, and one call."""
    peak_bytes: int | None = None
    """Of device memory over what the weights and inputs take."""
    launches: int | None = None
    """Kernels, copies and fills of a call."""
    error: float | None = None
    """Norm of the difference from the model in float32, over the norm of what that gives."""
    failure: str | None = None
    warm_s: float | None = None
    """To the first result in a second process, which finds the caches of the first."""


@dataclass
class Result:
    """One model on every backend."""

    name: str
    backends: dict[str, Measured]


@dataclass
class Run:
    """The results of a run, and what they depend on."""

    command: str
    environment: dict[str, str]
    results: list[Result] = field(default_factory=list[Result])

    def save(self, path: Path) -> None:
        """Writes the file whole, or not at all."""
        write_json(path, asdict(self))


def load(path: Path) -> Run:
    """The run in a file."""
    data: dict[str, Any] = json.loads(path.read_text())
    results = [Result(r["name"], {b: Measured(**m) for b, m in r["backends"].items()}) for r in data["results"]]
    return Run(data["command"], data["environment"], results)
