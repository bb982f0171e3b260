"""Outcomes in a file: a line each, so that a run can be cut in pieces and gone on with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.conformance.check import Outcome, Task

Key = tuple[str, str, str, bool]


def read(path: Path | None) -> list[Outcome]:
    """The outcomes of the runs so far, the latest of each task; none where there is no file."""
    if path is None or not path.exists():
        return []
    outcomes = [Outcome(**json.loads(line)) for line in path.read_text().splitlines() if line.strip()]
    return list({key_of(o): o for o in outcomes}.values())


def append(path: Path | None, outcome: Outcome) -> None:
    """Adds one line."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps(outcome.record()) + "\n")


def key_of(item: Task | Outcome) -> Key:
    """What makes a task one of its own."""
    return item.op, item.dtype, item.device, item.backward


def left(tasks: Iterable[Task], done: Sequence[Outcome]) -> list[Task]:
    """The tasks that have no outcome."""
    known = {key_of(o) for o in done}
    return [t for t in tasks if key_of(t) not in known]
