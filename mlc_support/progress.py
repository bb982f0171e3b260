"""How far a long activity is: one line on the terminal, gone when it ends."""

from __future__ import annotations

import sys
import time
from typing import TextIO

WIDTH = 24
NAME = 40
PATIENCE = 2.0
"""Seconds that pass before anything is shown."""


class Progress:
    """Of `total` steps. Nothing is shown on a stream that is no terminal, nor of what is done soon."""

    def __init__(self, what: str, total: int, stream: TextIO | None = None, patience: float = PATIENCE) -> None:
        """`stream` is stderr unless it is given."""
        self._what, self._total = what, total
        self._stream = sys.stderr if stream is None else stream
        self._wanted = total > 1 and self._stream.isatty()
        self._from = time.monotonic() + patience
        self._done, self._shown = 0, False

    def step(self, name: str) -> None:
        """The next step begins, which is called `name`."""
        if self._wanted and time.monotonic() >= self._from:
            done = min(self._done, self._total)
            bar = ("#" * (WIDTH * done // self._total)).ljust(WIDTH)
            self._write(f"\r{self._what} [{bar}] {done}/{self._total} {name[:NAME]:{NAME}}")
            self._shown = True
        self._done += 1

    def end(self) -> None:
        """All is done, or has failed."""
        if self._shown:
            self._write("\r" + " " * (len(self._what) + WIDTH + NAME + 16) + "\r")
            self._shown = False

    def _write(self, text: str) -> None:
        print(text, end="", file=self._stream, flush=True)
