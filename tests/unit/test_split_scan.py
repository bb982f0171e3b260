"""Scans over parts of rows: the numbers of eager."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import Tensor

from mlc_compiler.backend import compile_graph_module
from mlc_compiler.executable import Executable
from tests.unit.test_end_to_end import DEVICES


def cumsum(x: Tensor) -> Tensor:
    return torch.cumsum(x, -1)


def exclusive(x: Tensor) -> Tensor:
    mask = (x > 1).to(torch.float32)
    return torch.cumsum(mask, -1) - mask


def product(x: Tensor) -> Tensor:
    return torch.cumprod(1 + x / 1000, -1)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", [cumsum, exclusive, product])
@pytest.mark.parametrize("shape", [(3, 40000), (1, 65536)])
def test_long_scans(function: Callable[[Tensor], Tensor], shape: tuple[int, int], device: str) -> None:
    """In two kernels, as close to float64 as sums of float32 in any order."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    x = torch.randn(shape, device=device)
    seen: list[Executable] = []
    backend = partial(compile_graph_module, observe=lambda _, executable: seen.append(executable))
    got = torch.compile(function, backend=backend, fullgraph=True)(x)
    torch.testing.assert_close(got, function(x.double()), rtol=1e-4, atol=1e-3, check_dtype=False)
    assert seen[-1].source.count("@triton.jit") == 2


@pytest.mark.parametrize("device", DEVICES)
def test_nan_and_integers(device: str) -> None:
    """NaN from its place on, in all parts after it and in no other row; integers wrap."""
    torch._dynamo.reset()
    x = torch.ones(3, 40000, device=device)
    x[0, 9000], x[1, 20000] = float("nan"), float("inf")
    compiled = torch.compile(cumsum, backend=compile_graph_module, fullgraph=True)
    torch.testing.assert_close(compiled(x), cumsum(x), equal_nan=True, rtol=0, atol=0)
    n = torch.randint(-(2**62), 2**62, (2, 40000), device=device)
    torch.testing.assert_close(compiled(n), cumsum(n), rtol=0, atol=0)
