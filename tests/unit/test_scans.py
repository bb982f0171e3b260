"""Scans: the reference, whole kernels on short and long rows, and gradients, against eager."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._pytree import tree_leaves
from xdsl.dialects.builtin import f32, i32

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_dialects.semantics.numerics import scan, value_of
from tests.unit.import_check import check, externs

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
NAN, INF = float("nan"), float("inf")
SCANS: dict[str, Callable[[torch.Tensor, int], Any]] = {
    "cumsum": torch.cumsum,
    "cumprod": torch.cumprod,
    "cummax": torch.cummax,
    "cummin": torch.cummin,
    "logcumsumexp": torch.logcumsumexp,
}
SHAPES = {
    "short": (5, 77),
    "columns": (300, 70),
    "one": (4, 1),
    "exact": (3, 64),
    "odd": (3, 1537),
    "blocks": (2, 16384 + 8192 + 5),
}


def run(function: Callable[..., Any], *inputs: torch.Tensor) -> list[torch.Tensor]:
    imported = import_callable(function, inputs)
    assert not externs(imported.module)
    return tree_leaves(imported.rebuild(list(compile_imported(imported)(*inputs))))


def compare(function: Callable[..., Any], *inputs: torch.Tensor, tolerance: float = 2e-5) -> None:
    for ours, theirs in zip(run(function, *inputs), tree_leaves(function(*inputs)), strict=True):
        torch.testing.assert_close(ours, theirs, equal_nan=True, rtol=tolerance, atol=tolerance)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", SCANS)
def test_scans_of_both_axes(name: str, shape: str, device: str) -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(SHAPES[shape], generator=generator).to(device)
    x = 1 + (x - 0.5) / 50 if name == "cumprod" else x.mul(8).floor() if name.startswith("cumm") else x
    compare(lambda x: SCANS[name](x, 1), x, tolerance=2e-4)
    if shape != "blocks":
        compare(lambda x: SCANS[name](x, 0), x, tolerance=2e-4)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", SCANS)
def test_special_values(name: str, device: str) -> None:
    """NaN, infinities, equal values; where each stands counts."""
    rows = [[1, 1, 0, 2, 2, 1], [NAN, 1, NAN, 0, 5, 5], [-INF, -INF, 0, 1, INF, 2], [0, 3, -1, NAN, 2, 2]]
    x = torch.tensor(rows, device=device)
    compare(lambda x: SCANS[name](x, 1), x)
    compare(lambda x: SCANS[name](x, 0), x)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool], ids=str)
def test_integers_wrap_and_widen(dtype: torch.dtype) -> None:
    x = torch.tensor([[100, 100, 50, 3], [2**31 - 1, 1, 7, 9]]).to(dtype)
    check(lambda x: (torch.cumsum(x, 1), torch.cumprod(x, 0)), x)
    if dtype != torch.bool:
        check(lambda x: (torch.cumsum(x, 1, dtype=x.dtype), torch.cummax(x, 1), torch.cummin(x, 0)), x)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_halves_accumulate_in_float32(dtype: torch.dtype) -> None:
    x = torch.full((2, 3000), 0.1, dtype=dtype)
    (found,) = run(lambda x: torch.cumsum(x, 1), x)
    torch.testing.assert_close(found, torch.cumsum(x.float(), 1).to(dtype))


@pytest.mark.parametrize("device", DEVICES)
def test_neighbours_fuse(device: str) -> None:
    """What a scan reads and what reads it, a reduction beside it, in one kernel."""
    x = torch.randn(6, 333, device=device)
    compare(lambda x: torch.cumsum(x.exp(), 1) / torch.arange(1, 334, device=x.device), x)
    compare(lambda x: torch.softmax(torch.cumsum(x, 1), 1), x)
    compare(lambda x: torch.nn.functional.pad(torch.cumsum(x, 1), [1, 0]).flip(1), x)
    compare(lambda x: torch.cumsum(torch.cumsum(x, 1), 0), x, tolerance=1e-3)
    long = torch.randn(2, 20000, device=device)
    compare(lambda x: torch.softmax(torch.cumsum(x, 1), 1), long, tolerance=1e-3)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["cumsum", "logcumsumexp"])
def test_gradients(name: str, device: str) -> None:
    x = torch.randn(5, 40, device=device, requires_grad=True)
    seed = torch.randn(5, 40, device=device)
    compiled = torch.compile(lambda x: SCANS[name](x, 1), backend=compile_graph_module, fullgraph=True)
    (found,) = torch.autograd.grad(compiled(x), x, seed)
    (wanted,) = torch.autograd.grad(SCANS[name](x, 1), x, seed)
    torch.testing.assert_close(found, wanted)


def test_numbers_and_nothing() -> None:
    check(lambda x: (torch.cumsum(x, 0), torch.cummax(x, 0)), torch.tensor(3.0))
    check(lambda x: torch.cumsum(x, 1), torch.zeros(3, 0))


def test_the_reference_takes_the_last_of_equals() -> None:
    value = value_of(np.array([[2.0, 2.0, NAN, 3.0, NAN, 1.0]]), f32)
    assert scan("argmax", value, 1).array.tolist() == [[0, 1, 2, 2, 4, 4]]
    assert np.isnan(scan("max", value, 1).array[0, 2:]).all()
    wrapped = scan("add", value_of(np.array([2**31 - 1, 1]), i32), 0)
    assert wrapped.array.tolist() == [2**31 - 1, -(2**31)]
