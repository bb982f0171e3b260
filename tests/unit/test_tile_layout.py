"""Tiles of several warps whose rows have vectors in common, and few columns as straight code: results against eager."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from lowering.fx_to_tensor import import_callable
from mlc_compiler import pipeline
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.loop.dialect import KernelOp
from passes.loop.restructure.persistent_rows import PersistentRowsPass
from passes.loop.schedule.schedule import SchedulePass
from tests.unit.cases import Case
from tests.unit.test_end_to_end import DEVICES, check, compiled

NAN, POSITIVE = float("nan"), float("inf")


@dataclass(frozen=True)
class TallTilesPass(SchedulePass):
    """64 rows of 64 columns for two warps: lanes have neighbours along the rows."""

    name = "tall-tiles"

    def _ask(self, kernel: KernelOp) -> None:
        kernel.decide(rows=64, columns=64, warps=2)


@dataclass(frozen=True)
class WideTilesPass(SchedulePass):
    """Eight rows of 256 columns for eight warps: each has a row, of which a lane has eight neighbours."""

    name = "wide-tiles"

    def _ask(self, kernel: KernelOp) -> None:
        kernel.decide(rows=8, columns=256, warps=8)


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(torch.bfloat16)


def special(*shape: int) -> torch.Tensor:
    """With NaN, an infinity and -0.0 in rows of their own."""
    x = drawn(*shape)
    x.view(shape[0], -1)[0, 3], x.view(shape[0], -1)[1, 6], x.view(shape[0], -1)[2, 0] = NAN, POSITIVE, -0.0
    return x


def norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(x + b, x.shape[-1:], w, b)


def scaled(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The vectors are read by a loop that reduces, and by one that stores."""
    y = torch.where(w > 0, x * w, b)
    return y.float().sum(-1), y


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("columns", [256, 160, 250])
@pytest.mark.parametrize("function", [norm, scaled])
def test_vectors_that_rows_share(
    function: Callable[..., Any], columns: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole blocks of columns, masked ones, and rows that are not aligned; the last block of rows is masked."""
    monkeypatch.setattr(pipeline, "SchedulePass", WideTilesPass)
    inputs = [x.to(device) for x in (special(43, columns), drawn(columns, seed=1), drawn(columns, seed=2))]
    case = Case(function.__name__, function, lambda: inputs)
    check(case, compiled(case, inputs, CompilerOptions(verify=True))[1], inputs)


def test_they_are_loaded_for_each_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "SchedulePass", WideTilesPass)
    found = import_callable(norm, [special(43, 256), drawn(256), drawn(256)])
    text = str(lower_to(found.module, "triton", CompilerOptions(device="h200")))
    assert "tensor<1x256xbf16>" not in text and "tensor<8x256xbf16>" in text


def norm_of_channels(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    """Channels first: what is reduced is not contiguous; a number for each channel, and one for each place."""
    y = x + b[:, None, None]
    return y * torch.rsqrt(y.float().square().mean(1, keepdim=True) + 1e-5) * w[:, None, None] * gate


@dataclass(frozen=True)
class EightWarpsPass(SchedulePass):
    """Eight warps a program."""

    name = "eight-warps"

    def _ask(self, kernel: KernelOp) -> None:
        kernel.decide(warps=8)


def sums_over_rows(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """As the gradient of a norm has them, beside what is stored for each row."""
    y = norm(x, w, b)
    return y, (x * y).float().sum(0)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("rows", "columns"), [(640, 256), (643, 248), (640, 100)])
def test_warps_that_share_columns_add_them_up_by_column(
    rows: int, columns: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """16 rows at once: each of eight warps has two rows of 256 columns, and four of those of 100 elements."""
    monkeypatch.setattr(pipeline, "SchedulePass", EightWarpsPass)
    monkeypatch.setattr(pipeline, "PersistentRowsPass", partial(PersistentRowsPass, programs=8, block=16))
    inputs = [x.to(device) for x in (special(rows, columns), drawn(columns, seed=1), drawn(columns, seed=2))]
    case = Case("sums over rows", sums_over_rows, lambda: inputs)
    executable, found = compiled(case, inputs, CompilerOptions(verify=True))
    assert "lib.by_column(" in executable.source
    check(case, found, inputs)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("channels", [64, 60, 130])
def test_vectors_of_tiles_contiguous_across_rows(channels: int, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole blocks of columns, masked ones, several; the last block of rows is masked."""
    monkeypatch.setattr(pipeline, "SchedulePass", TallTilesPass)
    x = special(3, channels, 7, 11)
    inputs = [x.to(device), *(drawn(channels, seed=k).to(device) for k in (1, 2)), drawn(7, 11, seed=3).to(device)]
    case = Case("norm of channels", norm_of_channels, lambda: inputs)
    check(case, compiled(case, inputs, CompilerOptions(verify=True))[1], inputs)


def beside(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """The vector of channels stands in the first places: it is read where the rows say so."""
    return torch.cat([w[:, None].expand(x.shape[0], -1, 40), x], 2).float().square().sum(1)


def behind(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return (F.pad(w[:, None].expand(x.shape[0], -1, x.shape[2] - 10), (10, 0)) + x).float().square().sum(1)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", [beside, behind])
@pytest.mark.parametrize("channels", [64, 60])
def test_vectors_that_some_rows_read(
    function: Callable[..., Any], channels: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "SchedulePass", TallTilesPass)
    inputs = [special(3, channels, 80).to(device), drawn(channels, seed=1).to(device)]
    case = Case(function.__name__, function, lambda: inputs)
    check(case, compiled(case, inputs, CompilerOptions(verify=True))[1], inputs)


def test_they_are_loaded_as_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "SchedulePass", TallTilesPass)
    inputs = [special(3, 60, 7, 11), drawn(60), drawn(60), drawn(7, 11)]
    found = import_callable(norm_of_channels, inputs)
    source = str(lower_to(found.module, "triton", CompilerOptions(device="h200")))
    assert source.count("as_vector") == 2  # the gate is contiguous as the tile is


def experts(x: torch.Tensor, index: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """The sum of the rows that each token has of several experts, weighted."""
    return (x[index] * weight.unsqueeze(-1)).sum(1)


def branches(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x.float().sum(1), x.amax(1), x.softmax(1), (x > 0).any(1), x.float().prod(1)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("x", [special(6, 3, 40), special(6, 8, 5), special(3, 1, 7), special(4, 9, 33)])
def test_few_columns(x: torch.Tensor, device: str) -> None:
    inputs = [x.to(device)]
    case = Case("branches", branches, lambda: inputs)
    check(case, compiled(case, inputs, CompilerOptions(verify=True))[1], inputs)


@pytest.mark.parametrize("device", DEVICES)
def test_few_rows_that_data_names(device: str) -> None:
    index = torch.randint(0, 24, (12, 2), generator=torch.Generator().manual_seed(3))
    inputs: Sequence[torch.Tensor] = [x.to(device) for x in (special(24, 48), index, drawn(12, 2, seed=4))]
    case = Case("experts", experts, lambda: list(inputs))
    check(case, compiled(case, list(inputs), CompilerOptions(verify=True))[1], list(inputs))
    text = str(lower_to(import_callable(experts, [x.cpu() for x in inputs]).module, "triton", CompilerOptions()))
    assert "mlc_triton.reduce" not in text


def both_orders(x: torch.Tensor, bias: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A sum, and the same with channels last."""
    y = x + bias.view(-1, 1, 1)
    return y, y.permute(0, 2, 3, 1).contiguous()


@pytest.mark.parametrize("device", DEVICES)
def test_results_in_two_orders(device: str) -> None:
    inputs = [x.to(device) for x in (special(4, 24, 9, 7), drawn(24, seed=5))]
    case = Case("both_orders", both_orders, lambda: inputs)
    check(case, compiled(case, inputs, CompilerOptions(verify=True))[1], inputs)
