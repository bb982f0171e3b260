"""Products of matrices that are padded to whole vectors: the numbers and the strides of eager."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import mlc_compiler

ROWS, COLUMNS, WIDTH = 1024, 2049, 1024
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
pytestmark = pytest.mark.usefixtures("machine_code")


class Words(nn.Module):
    """Scores of words, with what follows them."""

    def __init__(self, inner: int, outer: int, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.linear, self.function = nn.Linear(inner, outer), function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(self.linear(x))


def loss(x: Tensor) -> Tensor:
    return F.cross_entropy(x, torch.arange(x.shape[0], device=x.device) % x.shape[1])


MODELS: dict[str, tuple[int, int, Callable[[Tensor], Tensor]]] = {
    "columns": (WIDTH, COLUMNS, F.relu),
    "returned": (WIDTH, COLUMNS, lambda x: x),
    "sums": (COLUMNS, WIDTH, F.relu),
    "loss": (WIDTH, COLUMNS, loss),
}


def run(name: str, device: str, freeze: bool, grad: bool) -> str:
    """Compares with eager and float64; gives what runs."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    inner, outer, function = MODELS[name]
    model = Words(inner, outer, function).to(device, torch.bfloat16)
    x = torch.randn(ROWS, inner, device=device).to(torch.bfloat16)
    x[3, 5], x[4, 6] = torch.nan, torch.inf
    sources: list[str] = []

    def backend(gm: Any, examples: Any) -> Any:
        options: dict[str, Any] = {"freeze": freeze, "device": "h200", "products": "library"}
        return mlc_compiler.compile_graph_module(
            gm, examples, options=options, observe=lambda _, e: sources.append(e.source)
        )

    results: list[list[Tensor]] = []
    for f, m, given in (
        (torch.compile(model, backend=backend, dynamic=False), model, x),
        (other := deepcopy(model), other, x),
        (exact := deepcopy(model).double(), exact, x.double()),
    ):
        with torch.set_grad_enabled(grad):
            y = f(given)
        results.append([y])
        if grad:
            (y if y.dim() == 0 else torch.where(y.isfinite(), y, 0).square().mean()).backward()
            results[-1] += [p.grad for p in m.parameters() if p.grad is not None]
    assert len(results[0]) == (3 if grad else 1)
    for found, eager, wanted in zip(*results, strict=True):
        assert found.shape == eager.shape and found.stride() == eager.stride()
        assert torch.equal(found.isnan(), eager.isnan()) and torch.equal(found.isinf(), eager.isinf())
        error, allowed = ((v.double() - wanted).nan_to_num(0, 0, 0).abs().max().item() for v in (found, eager))
        assert error <= 1.5 * allowed + 1e-5
    return "\n".join(sources)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("freeze", [False, True], ids=["plain", "frozen"])
@pytest.mark.parametrize("name", MODELS)
def test_forward(name: str, freeze: bool, device: str) -> None:
    assert "2056" in run(name, device, freeze, grad=False)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", MODELS)
def test_training(name: str, device: str) -> None:
    """Both gradients are products with the same rows."""
    assert "2056" in run(name, device, False, grad=True)


@pytest.mark.slow
def test_training_by_kernels_of_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_CPU", "interpret")
    assert "@triton.jit" in (source := run("columns", "cpu", False, grad=True)) and "2056" in source
