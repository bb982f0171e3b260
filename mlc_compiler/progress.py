"""How far the passes of a program are: one line on the terminal."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlc_compiler.pipeline import Run
from mlc_support.progress import Progress


@contextmanager
def shown(what: str, total: int, run: Run) -> Generator[Run]:
    """`run`, which shows how many of `total` passes have run, and the name of the one that runs."""
    progress = Progress(what, total)

    def step(pass_: ModulePass, context: Context, module: ModuleOp) -> None:
        progress.step(pass_.name)
        run(pass_, context, module)

    try:
        yield step
    finally:
        progress.end()
