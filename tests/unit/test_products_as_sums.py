"""Products of a matrix and a vector as kernels: the numbers of float64, and as many kernels as there should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import mlc_compiler

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
TYPES = [torch.float32, torch.bfloat16, torch.float16, torch.float64]
BOUND = {torch.float32: 1e-6, torch.bfloat16: 4e-3, torch.float16: 5e-4, torch.float64: 1e-14}
"""Of the greatest result: half a unit in the last place of what is rounded once, and the sum's own error."""


def compiled(function: Callable[..., Any], sources: list[str], **options: Any) -> Callable[..., Any]:
    torch._dynamo.reset()

    def backend(gm: Any, examples: Any) -> Any:
        return mlc_compiler.compile_graph_module(
            gm, examples, options=options, observe=lambda _, e: sources.append(e.source)
        )

    return torch.compile(function, backend=backend)


def near(found: Tensor, exact: Tensor) -> None:
    bound = BOUND[found.dtype] * exact.abs().max().item()
    torch.testing.assert_close(found.double(), exact, rtol=0, atol=bound)


def row(x: Tensor, w: Tensor) -> Tensor:
    return x @ w


def row_of_transposed(x: Tensor, w: Tensor) -> Tensor:
    return x @ w.t().contiguous().t()


def column(x: Tensor, w: Tensor) -> Tensor:
    return w.t() @ x.t()


def vector(x: Tensor, w: Tensor) -> Tensor:
    return torch.mv(w.t(), x[0])


def every_other(x: Tensor, w: Tensor) -> Tensor:
    return x[:, ::2] @ w[::2]


def biased(x: Tensor, w: Tensor) -> Tensor:
    return torch.relu(F.linear(x, w.t(), w[0]))


def batches(x: Tensor, w: Tensor) -> Tensor:
    return torch.stack([x, -x, x * 2]) @ torch.stack([w, w, -w])


def inner(x: Tensor, w: Tensor) -> Tensor:
    return x @ w[:, :1]


FUNCTIONS = [row, row_of_transposed, column, vector, every_other, biased, batches, inner]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_numbers(function: Callable[..., Tensor], device: str, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    x, w = (torch.randn(size, device=device).to(dtype) for size in ((1, 520), (520, 300)))
    sources: list[str] = []
    found = compiled(function, sources, device="h200", products="library")(x, w)
    assert "ops.aten" not in sources[0]
    eager = function(x, w)
    assert (found.shape, found.dtype, found.stride()) == (eager.shape, eager.dtype, eager.stride())
    near(found, function(x.double(), w.double()))


def test_infinities_and_nan() -> None:
    x, w = torch.ones(1, 40), torch.ones(40, 5)
    x[0, 3], w[3, 0], w[7, 1], w[8, 2], w[9, 2] = torch.inf, 0.0, torch.nan, torch.inf, -torch.inf
    found = compiled(row, [])(x, w)
    torch.testing.assert_close(found, row(x, w), equal_nan=True)
    assert found.isnan().tolist() == [[True, True, True, False, False]]


def test_nothing_is_summed() -> None:
    found = compiled(row, [])(torch.ones(1, 0), torch.ones(0, 5))
    assert found.tolist() == [[0.0] * 5]


class FeedForward(nn.Module):
    """A gated unit behind a norm."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(width)
        self.a, self.b = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        return x + self.down(F.silu(self.a(y)) * self.b(y))


@pytest.mark.parametrize("device", DEVICES)
def test_one_token_through_a_gated_unit_takes_three_kernels(device: str) -> None:
    torch.manual_seed(0)
    model, sources = FeedForward(512, 1376).to(device), list[str]()
    x = torch.randn(1, 512, device=device)
    with torch.no_grad():
        found = compiled(model, sources, device="h200")(x)
        near(found, model.double()(x.double()))
    (source,) = sources
    assert "ops.aten" not in source
    assert source.count("@triton.jit") in (0, 3)  # machine code has other words


def test_gradients_of_one_row() -> None:
    torch.manual_seed(0)
    model = FeedForward(64, 160)
    x = torch.randn(1, 64)

    def step(run: Callable[[Tensor], Tensor]) -> list[Tensor]:
        model.zero_grad()
        run(x).square().sum().backward()
        return [p.grad.clone() for p in model.parameters() if p.grad is not None]

    for found, wanted in zip(step(compiled(model, [])), step(model), strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


def test_triton_on_the_interpreter() -> None:
    torch.manual_seed(0)
    x, w = torch.randn(1, 130).bfloat16(), torch.randn(130, 70).bfloat16()
    near(compiled(biased, [], cpu="interpret")(x, w), biased(x.double(), w.double()))
