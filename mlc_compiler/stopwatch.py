"""Where the seconds of a compilation go."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

SHORT = 0.01
"""The share of all seconds below which activities are one line together."""


class Stopwatch:
    """Adds up wall time by activity. Of one activity inside another, only the inner one counts the time.

    When the outermost ends, `report` is given the table of all, and the watch begins anew.
    """

    def __init__(self, report: Callable[[str], object] | None = None) -> None:
        self._report = report
        self._seconds: dict[str, float] = {}
        self._running: list[str] = []
        self._since = 0.0

    def add(self, activity: str, seconds: float) -> None:
        """Time that was measured elsewhere."""
        self._seconds[activity] = self._seconds.get(activity, 0.0) + seconds

    @contextmanager
    def during(self, activity: str) -> Generator[None]:
        """Counts the time inside for `activity`, whatever is raised there."""
        self._turn()
        self._seconds.setdefault(activity, 0.0)
        self._running.append(activity)
        try:
            yield
        finally:
            self._turn()
            self._running.pop()
            if not self._running:
                seconds, self._seconds = self._seconds, {}
                if self._report is not None:
                    self._report(table(seconds))

    def _turn(self) -> None:
        """Gives the time since the last turn to what has been running."""
        now = time.perf_counter()
        if self._running:
            self.add(self._running[-1], now - self._since)
        self._since = now

    def apply(self, step: ModulePass, context: Context, module: ModuleOp) -> None:
        """Runs a pass, by its name."""
        with self.during(step.name):
            step.apply(context, module)


def table(seconds: dict[str, float]) -> str:
    """A line for each activity, in order, with seconds and the share of all; those of little share are one line."""
    total = sum(seconds.values())
    long = {name: spent for name, spent in seconds.items() if spent >= SHORT * total}
    short = [spent for name, spent in seconds.items() if name not in long]
    rows = [*long.items(), *([(f"{len(short)} others", sum(short))] if short else ()), ("in all", total)]
    width = max(len(name) for name, _ in rows)
    shares = (100 * spent / total if total else 0.0 for _, spent in rows)
    lines = (f"  {name:{width}}{spent:9.3f} s{share:5.0f} %" for (name, spent), share in zip(rows, shares, strict=True))
    return "\n".join(("seconds of compilation:", *lines, ""))
