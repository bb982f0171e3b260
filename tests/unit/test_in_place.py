"""Functions that change their arguments: the arguments and results are eager's, and optimizers move what they must."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch.utils._pytree import tree_leaves
from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.execution.executable import Executable
from mlc_compiler.execution.report import Cost, cost_of
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.options import CompilerOptions

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def swap(x: torch.Tensor, y: torch.Tensor) -> None:
    before = x.clone()
    x.copy_(y)
    y.copy_(before)


def turned_swap(x: torch.Tensor, y: torch.Tensor) -> None:
    before = x.t().clone()
    x.copy_(y * 2)
    y.copy_(before)


def momentum(x: torch.Tensor, y: torch.Tensor) -> None:
    y.mul_(0.9).add_(x)
    x.sub_(y, alpha=0.1)


def old_and_new(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    before = x * 2
    x.add_(y)
    return before, x * 3


def sums_of_both(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    before = x.sum()
    x.mul_(y)
    return before + x.sum()


def into_a_slice(x: torch.Tensor, y: torch.Tensor) -> None:
    x[1:] = y[1:] * x[:-1]


FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "add": (lambda x, y: x.add_(y), 1),
    "returned": (lambda x, y: (x.add_(y), y + 1), 1),
    "overwritten": (lambda x, y: x.copy_(y * 2), 1),
    "to itself": (lambda x, y: (x.copy_(x.clone()), y.add_(x)), 1),
    "twice": (lambda x, y: x.add_(y).mul_(x), 1),
    "momentum": (momentum, 1),
    "flipped": (lambda x, y: x.add_(x.flip(0)), 2),
    "turned": (lambda x, y: x.copy_(x.t() + y), 2),
    "shifted": (lambda x, y: x.copy_(torch.roll(x, 1, 0) * y), 2),
    "row by row": (lambda x, y: x.copy_(x[0] + y), 2),
    "swap": (swap, 2),
    "swap and turn": (turned_swap, 3),
    "old and new": (old_and_new, 2),
    "sums of both": (sums_of_both, 4),
    "less its mean": (lambda x, y: x.sub_(x.mean()), 3),
    "less the other's means": (lambda x, y: x.sub_(y.mean(-1, keepdim=True)), 1),
    "row statistic": (lambda x, y: x.diagonal().mul_(0.9).add_(y.sum(-1)), 2),
    "over its rows": (lambda x, y: x.div_(x.sum(-1, keepdim=True)), 2),
    "gathered": (lambda x, y: x.copy_(x[torch.tensor([3, 1, 2, 0] * 12)] + y), 3),
    "into a slice": (into_a_slice, 2),
}
"""With the most launches that each may take."""
CLOSE: dict[torch.dtype, dict[str, float]] = {torch.float32: {}, torch.bfloat16: {"rtol": 0.03, "atol": 1e-2}}
"""A kernel rounds sums of bfloat16 less often than eager."""
LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "rows": lambda x: x,
    "columns": lambda x: x.t().contiguous().t(),
    "strided": lambda x: torch.cat([x, x], 1)[:, : x.shape[1]],
}


def compiled(function: Callable[..., Any], costs: list[Cost]) -> Callable[..., Any]:
    """`function` by mlc; the cost of each of its graphs is added to `costs`."""

    def observe(module: ModuleOp, executable: Executable) -> None:
        costs.append(cost_of(module))

    torch._dynamo.reset()
    return torch.compile(
        function,
        backend=partial(compile_graph_module, observe=observe, options=CompilerOptions(verify=True)),
        dynamic=False,
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_become_what_eager_makes_of_them(name: str, dtype: torch.dtype, layout: str, device: str) -> None:
    (function, most), arrange = FUNCTIONS[name], LAYOUTS[layout]
    generator = torch.Generator().manual_seed(1)
    values = [(torch.rand(48, 48, generator=generator) + 0.5).to(device, dtype) for _ in range(2)]
    own, theirs = ([arrange(v.clone()) for v in values] for _ in range(2))
    costs: list[Cost] = []
    run = compiled(function, costs)
    for _ in range(2):
        found, wanted = run(*own), function(*theirs)
        for f, w in zip(tree_leaves((found, own)), tree_leaves((wanted, theirs)), strict=True):
            torch.testing.assert_close(f, w, **CLOSE[dtype])
            theirs_of = {id(a): b for a, b in zip(own, theirs, strict=True)}
            assert theirs_of.get(id(f), w) is w, "a result that is an argument is that argument"
    if layout == "rows":
        assert sum(c.launches for c in costs) <= most


@pytest.mark.sampled(2)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "options", [{"foreach": True}, {"foreach": False}, {"foreach": True, "amsgrad": True}], ids=str
)
def test_an_optimizer_moves_each_number_once(options: dict[str, bool], device: str) -> None:
    """AdamW reads parameters, gradients and moments and writes all but the gradients: 7 numbers for each parameter."""
    shapes = [(300, 70), (64,), (9, 8, 7)]

    def optimizer() -> tuple[list[torch.Tensor], torch.optim.AdamW]:
        generator = torch.Generator().manual_seed(2)
        parameters = [torch.randn(shape, generator=generator).to(device) for shape in shapes]
        for p in parameters:
            p.grad = torch.randn(p.shape, generator=generator).to(device)
        return parameters, torch.optim.AdamW(parameters, lr=1e-2, capturable=device == "cuda", **options)

    (own, ours), (theirs, eager) = optimizer(), optimizer()
    costs: list[Cost] = []
    step = compiled(lambda: ours.step(), costs)
    for _ in range(3):
        step()
        eager.step()
    for p, q in zip(own, theirs, strict=True):
        torch.testing.assert_close(p, q)
    elements = sum(p.numel() for p in own)
    numbers = 9 if "amsgrad" in options else 7
    assert costs[-1].launches <= 2 and costs[-1].bytes <= 4 * numbers * elements * 1.01 + 1000
