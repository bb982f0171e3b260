"""Forms of kernels that other processes decide on."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch

from lowering.fx_to_tensor import import_callable
from mlc_compiler import decisions
from mlc_compiler.decisions import WorkersContext
from mlc_compiler.pipeline import lower_to


def norms(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Kernels with rows to cut, and with tiles to take; two of them are equal."""
    shifted = (x - x.mean(1, keepdim=True)).exp().sum(0)
    return torch.softmax(x, 1), torch.softmax(y, 1), shifted, (x.t().contiguous() + 1).cos(), y.sum()


def lowered(context: WorkersContext | None = None) -> str:
    """Their schedules and all else."""
    inputs = [torch.randn(512, 4096), torch.randn(512, 4096)]
    return str(lower_to(import_callable(norms, inputs).module, "triton", context=context))


@dataclass
class Workers:
    """Workers that answer at once, late, or never."""

    answers: Callable[[int], bool] = lambda call: True
    fails: bool = False
    calls: list[str] = field(default_factory=list[str])

    def __call__(self, function: Callable[..., Any], step: Any, text: str) -> Future[Any]:
        """A job."""
        self.calls.append(f"{step.name} {text}")
        future: Future[Any] = Future()
        if self.fails:
            future.set_exception(RuntimeError("the worker has gone"))
        elif self.answers(len(self.calls)):
            future.set_result(function(step, text))
        return future


@pytest.mark.parametrize(
    "workers", [Workers(), Workers(lambda call: call % 2 == 0), Workers(lambda call: False), Workers(fails=True)]
)
def test_whoever_decides_the_program_is_the_same(monkeypatch: pytest.MonkeyPatch, workers: Workers) -> None:
    expected = lowered()
    monkeypatch.setattr(decisions, "workers_exist", lambda: True)
    monkeypatch.setattr(decisions, "in_worker", workers)
    monkeypatch.setattr(decisions, "ALONE", 0.0)
    assert lowered(WorkersContext()) == expected
    names = {call.partition(" ")[0] for call in workers.calls}
    assert {"partition-rows", "schedule"} <= names and len(set(workers.calls)) == len(workers.calls), (
        "each is asked for once"
    )


@pytest.mark.parametrize(("alone", "reading"), [(1e6, 0.0), (0.01, 1e6)])
def test_what_is_soon_decided_is_decided_here(monkeypatch: pytest.MonkeyPatch, alone: float, reading: float) -> None:
    """Soon in all, or sooner than a worker reads a kernel."""
    monkeypatch.setattr(decisions, "workers_exist", lambda: True)
    monkeypatch.setattr(decisions, "in_worker", lambda *_: pytest.fail("asked for"))
    monkeypatch.setattr(decisions, "ALONE", alone)
    monkeypatch.setattr(decisions, "READING", reading)
    assert lowered(WorkersContext()) == lowered()


def test_without_workers_all_is_decided_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "workers_exist", lambda: False)
    monkeypatch.setattr(decisions, "in_worker", lambda *_: pytest.fail("asked for"))
    monkeypatch.setattr(decisions, "ALONE", 0.0)
    assert lowered(WorkersContext()) == lowered()
