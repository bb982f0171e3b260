"""Progress on a terminal: a line that appears where something takes long, and goes when it ends."""

from __future__ import annotations

import io
import sys

import pytest
import torch

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import compile_imported
from mlc_support import progress
from mlc_support.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_that_goes_when_all_is_done() -> None:
    terminal = Terminal()
    shown = Progress("tuning", 4, terminal, patience=0)
    for name in "abcd":
        shown.step(name)
    lines = terminal.getvalue().split("\r")
    assert [line.split() for line in lines[1:]] == [
        ["tuning", "[", "]", "0/4", "a"],
        ["tuning", "[######", "]", "1/4", "b"],
        ["tuning", "[############", "]", "2/4", "c"],
        ["tuning", "[##################", "]", "3/4", "d"],
    ]
    shown.end()
    blank, end = terminal.getvalue().split("\r")[-2:]
    assert blank.isspace() and len(blank) >= max(map(len, lines)) and end == ""


@pytest.mark.parametrize(
    ("stream", "total", "patience"),
    [(io.StringIO(), 4, 0.0), (Terminal(), 1, 0.0), (Terminal(), 4, 60.0)],
    ids=["no-terminal", "one-step", "soon-done"],
)
def test_nothing_is_shown(stream: io.StringIO, total: int, patience: float) -> None:
    shown = Progress("tuning", total, stream, patience)
    shown.step("a")
    shown.step("b")
    shown.end()
    assert stream.getvalue() == ""


def test_passes_are_shown_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setenv("MLC_CACHE_PROGRAMS", "0")
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress.Progress.__init__, "__defaults__", (None, 0.0))
    compile_imported(import_callable(lambda x: x + 1, [torch.randn(3)]))
    shown = terminal.getvalue().split("\r")
    assert "canonicalize" in shown[1] and any(" fuse " in line for line in shown)
    assert shown[-1] == "" and shown[-2].isspace()
