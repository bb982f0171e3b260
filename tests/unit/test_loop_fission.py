"""Kernels that are split into a pointwise one and one of their reductions: the numbers of float64, and the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils._pytree import tree_leaves
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin

from mlc_dialects.loop.dialect import KernelOp, MlcLoop
from mlc_support.parsing import parse_module
from passes.common.device import device_named
from passes.loop.schedule.partition import PartitionRowsPass, partitions
from tests.unit.test_end_to_end import DEVICES
from tests.unit.test_split_scan import compiled_once


def batch_norm(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    y, mean, rstd = torch.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5)
    return F.relu(y), mean, rstd


def group_norm(x: Tensor) -> Tensor:
    return F.silu(F.group_norm(x, 2).contiguous())


def softmax(x: Tensor) -> Tensor:
    return torch.softmax(x, 1)


def clipped(x: Tensor) -> Tensor:
    """A condition of the whole row decides in each column."""
    norm = x.square().sum((2, 3), keepdim=True)
    return torch.where(norm > 500, x / norm.sqrt(), x)


def by_place(x: Tensor) -> Tensor:
    """The place of the greatest, and what is loaded for each row, in each column."""
    return x - x.flatten(2).argmax(2)[:, :, None, None] * x[:, :, :1, :1]


@pytest.fixture(autouse=True)
def all_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlc_compiler.pipeline.PartitionRowsPass", lambda **_: PartitionRowsPass(fission="behind"))


FUNCTIONS = [batch_norm, group_norm, softmax, clipped, by_place]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_numbers(function: Callable[..., Any], dtype: torch.dtype, last: bool, device: str) -> None:
    torch.manual_seed(0)
    x = (3 * torch.randn(2, 12, 17, 19, device=device) + 1).to(dtype)
    x = x.contiguous(memory_format=torch.channels_last) if last else x
    compiled, seen = compiled_once(function)
    close = {torch.float32: 2e-5, torch.bfloat16: 2e-2}[dtype]
    wanted = function(x.double()) if function is not by_place else function(x)
    torch.testing.assert_close(compiled(x), wanted, rtol=close, atol=close, check_dtype=False)
    assert seen[-1].source.count("@triton.jit") == 2


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_is_not_finite(function: Callable[..., Any], device: str) -> None:
    """As with eager on the CPU, and in its rows alone."""
    x = torch.randn(2, 6, 17, 19).contiguous(memory_format=torch.channels_last)
    x[0, 0, 0, 0], x[1, 3, 4, 5], x[0, 5, 2, 2], x[1, 1] = float("nan"), float("inf"), float("-inf"), -0.0
    compiled, _ = compiled_once(function)
    for found, true in zip(tree_leaves(compiled(x.to(device))), tree_leaves(function(x)), strict=True):
        torch.testing.assert_close(found.cpu(), true, equal_nan=True, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("device", DEVICES)
def test_what_a_row_looks_up(device: str) -> None:
    """The place of the greatest of a row is where another is read: such rows stay whole."""

    def at_greatest(x: Tensor, y: Tensor) -> Tensor:
        return x - y[x.flatten(2).argmax(2)][:, :, :, None]

    x, y = torch.randn(2, 6, 17, 19, device=device), torch.randn(17 * 19, 17, device=device)
    compiled, _ = compiled_once(at_greatest)
    torch.testing.assert_close(compiled(x, y), at_greatest(x, y))


@pytest.mark.parametrize("device", DEVICES)
def test_in_place(device: str) -> None:
    """The second kernel overwrites what the first has read."""

    def scaled(x: Tensor) -> Tensor:
        return x.mul_(1 / (1 + x.square().sum((0, 2, 3), keepdim=True)))

    torch.manual_seed(0)
    x = torch.randn(2, 6, 17, 19, device=device).contiguous(memory_format=torch.channels_last)
    wanted = scaled(x.double())
    compiled, _ = compiled_once(scaled)
    given = x.clone(memory_format=torch.preserve_format)
    torch.testing.assert_close(compiled(given), wanted, rtol=1e-5, atol=1e-6, check_dtype=False)
    torch.testing.assert_close(given, wanted, rtol=1e-5, atol=1e-6, check_dtype=False)


def turned(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """A sum of two layouts, and what its columns come to."""
    z = (x.permute(0, 2, 1) + y).reshape(-1, y.shape[2])
    return z, z.sum(0)


def joined(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Parts beside each other, and two sums of their columns."""
    z = torch.cat([x.permute(0, 2, 1), y * 2], 2).reshape(-1, 2 * y.shape[2])
    return z, z.sum(0), z.abs().amax(0)


def of_its_columns(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """What is stored depends on a value of each column, which is loaded by both kernels."""
    z = (x.permute(0, 2, 1) * y[0, 0].exp() + y).reshape(-1, y.shape[2])
    return z, z.square().sum(0)


def centred(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """What is stored is computed again behind its sum, and is loaded there, rounded as it is."""
    z = (x.permute(0, 2, 1) * y).reshape(-1, y.shape[2])
    return z, z - z.mean(0)


AHEAD = [turned, joined, of_its_columns, centred]


@pytest.fixture
def stores_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlc_compiler.pipeline.PartitionRowsPass", lambda **_: PartitionRowsPass(fission="ahead"))


@pytest.mark.usefixtures("stores_ahead")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("function", AHEAD)
def test_stores_ahead_of_their_sums(function: Callable[..., Any], dtype: torch.dtype, device: str) -> None:
    """The sums are of what is stored, rounded as it is; what is not finite stays in its column."""
    torch.manual_seed(0)
    x, y = (torch.randn(3, *shape, device=device).to(dtype) for shape in ((20, 37), (37, 20)))
    compiled, seen = compiled_once(function)
    for _ in range(2):
        torch.testing.assert_close(compiled(x, y), function(x, y), rtol=1e-2, atol=1e-2, equal_nan=True)
        x[0, 3, 4], x[1, 7, 0], x[2, 9, 1] = float("nan"), float("inf"), -0.0
    assert seen[-1].source.count("@triton.jit") == 2 and "_elements[" in seen[-1].source


TWO_SUMS = """
mlc_loop.kernel @two_sums(%x: memref<64x96xf32>, %y: memref<64x96xf32>, %out: memref<64x96xf32>) {
  mlc_loop.parallel %p = 0 to 64 {
    %zero = arith.constant 0 : i32
    %i = mlc_loop.index [%p - 1] : i32
    %c = arith.cmpi sge, %i, %zero : i32
    %s = mlc_loop.reduce add %r = 0 to 96 -> f32 {
      %v = mlc_loop.load %x[%p - 1, %r] if %c : memref<64x96xf32>
      mlc_loop.store %v, %y[%p, %r] : memref<64x96xf32>
      mlc_loop.yield %v : f32
    }
    %n = arith.constant 96.0 : f32
    %m = arith.divf %s, %n : f32
    %q = mlc_loop.reduce add %r = 0 to 96 -> f32 {
      %v = mlc_loop.load %x[%p - 1, %r] if %c : memref<64x96xf32>
      %d = arith.subf %v, %m : f32
      %e = arith.mulf %d, %d : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.parallel %r = 0 to 96 {
      mlc_loop.store %q, %out[%p, %r] : memref<64x96xf32>
    }
  }
}
"""


def test_reductions_behind_what_is_stored_stay_apart_or_are_joined() -> None:
    context = Context()
    for dialect in (Builtin, Arith, MlcLoop):
        context.load_dialect(dialect)
    kernel = parse_module(context, TWO_SUMS).body.block.first_op
    assert isinstance(kernel, KernelOp)
    forms = [(form.values.get("online"), form.word("fission")) for form in partitions(kernel, device_named("h200"))]
    assert sorted(forms, key=str) == [(False, "ahead"), (False, None), (True, "ahead"), (True, None)]
