"""What `mlc-compare` shows while real compilers are asked, which takes them up to half a minute."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from mlc_compiler.compare.comparison import Comparison
from mlc_compiler.compare.page import as_page
from mlc_support.progress import Progress
from passes.tensor.fusion.plan import human_bytes
from tools.driver import write_output


class Watch:
    """The answers as they come: a line each on a terminal, and on the page, which asks for itself again."""

    def __init__(self, peers: int, page: str | None = None):
        self._progress = Progress("asking", peers, patience=0)
        self._page = page
        self._waiting: tuple[str, ...] = ()
        self._since = time.monotonic()

    def heard(self, comparisons: Sequence[Comparison]) -> None:
        """What is known so far."""
        self._tell(comparisons)
        self._waiting, self._since = comparisons[0].waiting, time.monotonic()
        if not self._waiting:
            return
        self._progress.step(self._waiting[0])
        if self._page is not None:
            write_output(self._page, as_page(*comparisons, most_shown=0))

    def end(self) -> None:
        """All have answered, or one has failed."""
        self._progress.end()

    def _tell(self, comparisons: Sequence[Comparison]) -> None:
        """One line of who has answered last, in all graphs."""
        if not self._waiting or not sys.stderr.isatty():
            return
        label = self._waiting[0]
        rows = [row for comparison in comparisons for row in comparison.rows if row.real and row.name == label]
        failures = [c.failures[label] for c in comparisons if label in c.failures]
        self._progress.end()
        kernels, moved = sum(row.plan.kernels for row in rows), sum(row.plan.total_bytes for row in rows)
        said = f"{kernels} kernels, {human_bytes(moved)}" if rows else failures[0] if failures else "no answer"
        print(f"{label}: {said} ({time.monotonic() - self._since:.1f} s)", file=sys.stderr)
