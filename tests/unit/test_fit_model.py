"""benchmarks.fit_model finds constants again that made-up times were computed by."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from benchmarks import fit_model
from benchmarks.fit_model import Kernel, Timed, fit, loss, report
from passes.common.device import device_named
from passes.loop.schedule.demand import demand
from passes.loop.schedule.mapping import apply
from passes.loop.schedule.model import FITTED, Fitted, predict
from passes.loop.schedule.tiling import Tiling, tilings
from passes.loop.schedule.workload import workload
from tests.unit.test_tilings import fake, kernel_of

H200 = device_named("h200")
TRUE = replace(FITTED, latency=2 * FITTED.latency, memory=FITTED.memory / 1.5)


def measured(truth: Fitted, rows: int) -> Kernel:
    """A softmax with the times that `truth` predicts."""
    kernel = kernel_of(lambda x: torch.softmax(x, -1), fake(rows, 4096))
    work = workload(kernel)
    timed = [Timed(t, demand(work, t, H200), predict(work, t, H200, truth).us) for t in tilings(kernel, work)]
    return Kernel(f"softmax of {rows}", work, tuple(timed))


def test_a_fit_comes_close_to_the_truth() -> None:
    kernels = [measured(TRUE, 1 << k) for k in (6, 10, 14)]
    found = fit(kernels, H200, 3)
    assert loss(found, kernels, H200, FITTED) < 0.5 * loss(FITTED, kernels, H200, FITTED)
    assert "3 kernels, choice 1.0" in report(kernels, found, H200)


def test_nothing_is_better_than_the_truth() -> None:
    kernels = [measured(FITTED, 1024)]
    assert loss(FITTED, kernels, H200, FITTED) < loss(TRUE, kernels, H200, FITTED)


def test_dumps_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[str] = []
    for place, warps in enumerate((2, 4, 8)):
        kernel = kernel_of(torch.sigmoid, fake(4096, 4096))
        apply(kernel, Tiling(1024, 1, warps), "as a test", H200)
        line = {"case": "a", "kernel": "k", "candidate": place, "seconds": 1e-5 * warps, "spills": 0, "registers": 32}
        lines.append(json.dumps(line | {"text": str(kernel)}))
    dump = tmp_path / "dump.jsonl"
    dump.write_text("\n".join(lines) + "\n")
    assert fit_model.main([str(dump), "--rounds", "1", "--hold", "0"]) == 0
    shown = capsys.readouterr().out
    assert "latency: float" in shown and "1 kernels" in shown and "[1024, 1, 2 warps, 1 stages] 20.0 us" in shown
