"""Loops that load what a loop before them stored: the numbers of float64, on tiles that hold a part of a row."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from passes.loop.schedule.partition import PartitionRowsPass
from passes.loop.schedule.schedule import SchedulePass
from tests.unit.test_end_to_end import DEVICES
from tests.unit.test_split_scan import compiled_once


def residual_norm(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    s = x + y * 0.5
    return s, F.layer_norm(s, s.shape[-1:])


def centred(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """One more reduction, and a result that is transposed."""
    s = torch.where(x > 0, x, y)
    d = s - s.amax(-1, keepdim=True)
    return s, (d / d.square().sum(-1, keepdim=True)).transpose(-1, -2).contiguous()


def batch_gradient(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Of channels last: two kernels."""
    s = x + y
    return s, s - s.mean((0, 1), keepdim=True)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("function", [residual_norm, centred])
@pytest.mark.parametrize(("rows", "warps"), [(1, 1), (4, 4)])
def test_rows_in_steps(
    function: Callable[..., tuple[Tensor, Tensor]],
    dtype: torch.dtype,
    rows: int,
    warps: int,
    device: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def schedule(device: str) -> SchedulePass:
        return SchedulePass(device=device, rows=rows, columns=64, warps=warps)

    monkeypatch.setattr("mlc_compiler.pipeline.SchedulePass", schedule)
    torch.manual_seed(0)
    x, y = ((3 * torch.randn(3, 5, 300, device=device) + 1).to(dtype) for _ in range(2))
    compiled, seen = compiled_once(function)
    close = {torch.float32: 2e-5, torch.bfloat16: 2e-2}[dtype]
    true = function(x, y)[0].double(), function(x.double(), y.double())[1]
    torch.testing.assert_close(compiled(x, y), true, rtol=close, atol=close, check_dtype=False)
    assert "tl.debug_barrier()" in seen[-1].source


@pytest.mark.parametrize("device", DEVICES)
def test_two_kernels(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlc_compiler.pipeline.PartitionRowsPass", lambda **_: PartitionRowsPass(fission="behind"))
    x, y = torch.randn(2, 4, 33, 40, device=device)
    compiled, seen = compiled_once(batch_gradient)
    torch.testing.assert_close(compiled(x, y), batch_gradient(x.double(), y.double()), check_dtype=False)
    first, second = seen[-1].source.split("@triton.jit")[1:]
    assert "y_ptr" in first.splitlines()[1] and "y_ptr" not in second.splitlines()[1]


@pytest.mark.parametrize("device", DEVICES)
def test_not_finite(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "mlc_compiler.pipeline.SchedulePass", lambda device: SchedulePass(device=device, rows=1, columns=32, warps=1)
    )
    x, y = torch.randn(2, 6, 100, device=device)
    x[0, 3], x[1, 50], y[2, 99], x[3], y[3] = float("nan"), float("inf"), float("-inf"), -0.0, 0.0
    compiled, _ = compiled_once(residual_norm)
    torch.testing.assert_close(compiled(x, y), residual_norm(x, y), equal_nan=True)
