"""What passes choose for kernels, decided in PyTorch's compile workers and here at the same time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, TypeVar, cast

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.dialects.math import Math

from mlc_compiler.workers import in_worker, workers_exist
from mlc_dialects.loop.dialect import KernelOp, MlcLoop
from mlc_support.collector import collector_paused
from mlc_support.parsing import parse_module
from passes.common.deciding import Decides, DecidingContext
from passes.common.launches import anonymous

T = TypeVar("T")
ALONE = 0.5
"""Seconds that this process decides by itself: workers take longer to begin, and most graphs need no more."""
READING = 0.05
"""Seconds that a worker takes to read a kernel. What is decided sooner is decided here."""


class WorkersContext(DecidingContext):
    """This process decides on the first kernels. If that takes long, in all and for each, the others go to the workers.

    Meanwhile it goes on from the last kernel, until all are decided.
    """

    def decide(self, step: Decides[T], kernels: Sequence[KernelOp]) -> Sequence[T]:
        """As `DecidingContext` does. What no worker answers is decided here."""
        found: dict[int, T] = {}
        rest, begin = deque(range(len(kernels))), time.monotonic()
        while rest and time.monotonic() - begin < max(ALONE, READING * len(found)):
            k = rest.popleft()
            found[k] = step.chosen(kernels[k])
        shared = len(rest) > 1 and workers_exist()
        asked = {k: in_worker(chosen, replace(cast(Any, step)), anonymous(kernels[k])) for k in rest if shared}
        for k in reversed(rest):
            told = _answer(asked[k]) if shared else None
            found[k] = step.chosen(kernels[k]) if told is None else told
        return [found[k] for k in range(len(kernels))]


@collector_paused()
def chosen(step: Decides[T], text: str) -> T:
    """What a pass chooses for a kernel, which is given as text."""
    context = Context()
    for dialect in (Builtin, Func, Arith, Math, MlcLoop):
        context.load_dialect(dialect)
    (kernel,) = parse_module(context, text).ops
    assert isinstance(kernel, KernelOp)
    return step.chosen(kernel)


def _answer(future: Future[T]) -> T | None:
    """None while there is none, and where a worker failed: this process will tell why."""
    try:
        return future.result() if future.done() else None
    except Exception:
        return None
