"""Weights of 8 bits, which products read as they are: for few rows no wider copy of them is in memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from lowering.fx_to_tensor import import_callable
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from tests.unit.generated_kernels import ARCHITECTURES, DEVICES, ahead_of_time, compiled

CASES: dict[str, tuple[Callable[[Tensor, Tensor, Tensor], Tensor], bool]] = {
    "scaled weights": (lambda x, w, s: x @ (w.to(x.dtype) * s), False),
    "scaled result": (lambda x, w, s: (x @ w.to(x.dtype)) * s, False),
    "linear, scaled result": (lambda x, w, s: F.linear(x, w.to(x.dtype)) * s, True),
    "linear, scaled weights": (lambda x, w, s: F.linear(x, w.to(x.dtype) * s[:, None]), True),
}
"""A function of x [m, k], weights [k, n] of 8 bits and scales [n]; True if weights are [n, k]."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rows", [1, 2, 5, 16])
@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_few_rows_are_one_kernel(name: str, where: tuple[str, str | None], rows: int) -> None:
    device, cpu = where
    function, turned = CASES[name]
    torch.manual_seed(0)
    x = torch.randn(rows, 1024, device=device).bfloat16()
    w = torch.randint(-128, 128, (96, 1024) if turned else (1024, 96), dtype=torch.int8, device=device)
    s = torch.rand(96, device=device).bfloat16()
    sources: list[str] = []
    found = compiled(function, sources, cpu=cpu)(x, w, s)
    assert (sources[0].count("@triton.jit"), sources[0].count("tl.dot(")) == (1, int(rows > 1))
    exact = function(x.double(), w, s.double())
    error, allowed = ((y.double() - exact).abs().max().item() for y in (found, function(x, w, s)))
    assert error <= 1.05 * allowed + 1e-3


@pytest.mark.parametrize("columns", [4096, 14336])
@pytest.mark.parametrize("device, capability", ARCHITECTURES)
@pytest.mark.parametrize("name", CASES)
def test_tensor_cores_compute_it_and_nothing_is_spilled(name: str, device: str, capability: int, columns: int) -> None:
    function, turned = CASES[name]
    weights = (columns, 4096) if turned else (4096, columns)
    shapes = [((4, 4096), torch.bfloat16), (weights, torch.int8), ((columns,), torch.bfloat16)]
    source, (used,) = ahead_of_time(function, shapes, device, capability)
    assert source.count("tl.dot(") == 1 and used.tensor_core_instructions
    assert (used.spill_bytes, used.stack_bytes) == (0, 0)


def test_many_rows_and_wide_weights_stay_with_the_library() -> None:
    """The library is as quick for large weights of 16 bits, and for many rows weights are widened once."""
    with FakeTensorMode():
        halves = [torch.empty(4096, 4096, dtype=torch.bfloat16) for _ in range(2)]
        bytes_ = torch.empty(4096, 4096, dtype=torch.int8)
    for function, given in (
        (lambda x, w: x @ w, halves),
        (lambda x, w: x @ w.to(x.dtype), [halves[0], bytes_]),
    ):
        text = str(lower_to(import_callable(function, given).module, "fused", CompilerOptions(device="h200")))
        assert text.count("mlc_tensor.matmul") == 1
