"""What passes choose for kernels, decided in PyTorch's compile workers and here at the same time."""

from __future__ import annotations

from collections.abc import Mapping
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
from mlc_support.parsing import parse_module
from passes.common.deciding import Decides, DecidingContext

T = TypeVar("T")


class WorkersContext(DecidingContext):
    """Kernels go to the workers, in order; this process takes them from the last on, until all are decided."""

    def decide(self, step: Decides[T], kernels: Mapping[str, KernelOp]) -> Mapping[str, T]:
        """As `DecidingContext` does. What no worker answers is decided here."""
        if len(kernels) < 2 or not workers_exist():
            return super().decide(step, kernels)
        asked = {text: in_worker(chosen, replace(cast(Any, step)), text) for text in kernels}
        found: dict[str, T] = {}
        for text, kernel in reversed([*kernels.items()]):
            told = _answer(asked[text])
            found[text] = step.chosen(kernel) if told is None else told
        return found


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
