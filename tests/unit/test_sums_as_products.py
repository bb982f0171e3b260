"""Contractions that programs spell as sums over products: by the library, with the numbers of float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import mlc_compiler
from lowering.fx_to_tensor import import_callable
from mlc_compiler.pipeline import lower_to

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def compiled(function: Callable[..., Any], sources: list[str], dynamic: bool = False) -> Callable[..., Any]:
    torch._dynamo.reset()

    def backend(gm: Any, examples: Any) -> Any:
        return mlc_compiler.compile_graph_module(
            gm, examples, options={"cpu": "native"}, observe=lambda _, e: sources.append(e.source)
        )

    return torch.compile(function, backend=backend, dynamic=dynamic)


def products(sources: list[str]) -> int:
    return sum(source.count("torch.mm(") + source.count("torch.bmm(") for source in sources)


def scores(x: Tensor, y: Tensor) -> Tensor:
    """Of positions within a chunk, by head, as scans over states have them."""
    return (x[:, :, None] * y[:, None]).sum(-1)


def states(x: Tensor, y: Tensor) -> Tensor:
    return (x[..., None] * y[:, :, :, None]).sum(1)


def decayed(x: Tensor, y: Tensor) -> Tensor:
    return torch.relu((x * x.exp())[:, :, None] * y[:, None]).sum(-1) + (x.exp()[:, :, None] * y[:, None]).sum(-1)


def heads_and_terms(x: Tensor, y: Tensor) -> Tensor:
    return (x[:, :, None] * y[:, None]).sum((-2, -1))


FUNCTIONS = [scores, states, decayed, heads_and_terms]
SHAPES = {"cpu": [(2, 48, 3, 40), (1, 33, 1, 100)], "cuda": [(2, 500, 6, 64), (1, 1001, 1, 100)]}
"""Batch, positions, heads, and what is of each: on a GPU with terms for a launch."""


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_they_are_products(function: Callable[..., Tensor], which: int, dtype: torch.dtype, device: str) -> None:
    torch.manual_seed(0)
    x, y = (torch.randn(SHAPES[device][which], dtype=dtype, device=device) for _ in range(2))
    sources: list[str] = []
    found = compiled(function, sources)(x, y)
    assert products(sources) == 1
    exact, magnitude = function(x.double(), y.double()), function(x.abs(), y.abs()).max().item()
    assert found.dtype == dtype and found.shape == exact.shape
    torch.testing.assert_close(found.double(), exact, rtol=0, atol=2 * torch.finfo(dtype).eps * magnitude)


@pytest.mark.parametrize("device", DEVICES)
def test_their_gradients_are(device: str) -> None:
    torch.manual_seed(0)
    x, y = (torch.randn(SHAPES[device][0], device=device, requires_grad=True) for _ in range(2))
    sources: list[str] = []
    weight = torch.randn_like(scores(x, y))
    gradients = torch.autograd.grad((compiled(scores, sources)(x, y) * weight).sum(), [x, y])
    assert products(sources) == 3, "one forward, two backward"
    exact = torch.autograd.grad((scores(x.double(), y.double()) * weight).sum(), [x, y])
    for found, wanted in zip(gradients, exact, strict=True):
        torch.testing.assert_close(found, wanted.float(), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("device", DEVICES)
def test_nan_and_infinities_stay(device: str) -> None:
    x, y = (torch.randn(SHAPES[device][1], device=device) for _ in range(2))
    x[0, 1, 0, 2], x[0, 3, 0, 4], y[0, 5, 0, 6] = float("nan"), float("inf"), 0.0
    y[0, 7, 0, 4] = 0.0
    sources: list[str] = []
    found = compiled(scores, sources)(x, y)
    assert products(sources) == 1
    torch.testing.assert_close(found, scores(x, y), rtol=1e-4, atol=1e-4, equal_nan=True)


def test_sizes_known_at_run_time() -> None:
    sources: list[str] = []
    run = compiled(scores, sources, dynamic=True)
    for length in (50, 70, 3, 0):
        x, y = torch.randn(2, length, 3, 40), torch.randn(2, length, 3, 40)
        torch.testing.assert_close(run(x, y), scores(x, y), rtol=1e-4, atol=1e-4)
    assert products(sources[:1]) == 1


@pytest.mark.parametrize(("settings", "level"), [("cuda", "loop"), ("mkldnn", "cpu")])
def test_what_the_library_would_round_stays_a_sum(settings: str, level: str) -> None:
    """For a GPU by its settings, for this CPU by those of oneDNN."""
    inputs = [torch.empty(SHAPES["cuda"][0]) for _ in range(2)]
    matmul = getattr(torch.backends, settings).matmul
    before = matmul.fp32_precision
    try:
        for precision, wanted in (("ieee", 1), ("tf32", 0)):
            matmul.fp32_precision = precision
            lowered = str(lower_to(import_callable(scores, inputs).module, level))
            assert lowered.count("aten.bmm") == wanted
    finally:
        matmul.fp32_precision = before
