"""Compiled optimizer steps beyond those of `test_horizontal_fusion`, and runs that must give the same bits twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module
from tests.unit.test_horizontal_fusion import launches

SHAPES = [(300, 50), (50,), (50, 40), (40,), (9, 3, 7)]


class Lion(torch.optim.Optimizer):
    """Signs of an average of gradients (Chen et al., 2023), on lists of tensors."""

    def __init__(self, parameters: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.99), decay: float = 0.1):
        super().__init__(parameters, {"lr": lr, "betas": betas, "decay": decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:
        for group in self.param_groups:
            parameters: list[Tensor] = [p for p in group["params"] if p.grad is not None]
            gradients = [p.grad for p in parameters]
            averages = [self.state[p].setdefault("average", torch.zeros_like(p)) for p in parameters]
            first, second = group["betas"]
            update = torch._foreach_lerp(gradients, averages, first)
            torch._foreach_mul_(parameters, 1 - group["lr"] * group["decay"])
            torch._foreach_add_(parameters, torch._foreach_sign(update), alpha=-group["lr"])
            torch._foreach_lerp_(averages, gradients, 1 - second)


def clipped(optimizer: torch.optim.Optimizer, parameters: list[Tensor]) -> None:
    """Gradients of a norm of 1 at most, all together, then a step."""
    nn.utils.clip_grad_norm_(parameters, 1.0, foreach=True)
    optimizer.step()


OPTIMIZERS: dict[str, tuple[Callable[[Any], torch.optim.Optimizer], Callable[..., None], int]] = {
    "lion": (Lion, lambda optimizer, parameters: optimizer.step(), 2),
    "adafactor": (partial(torch.optim.Adafactor, foreach=True), lambda optimizer, parameters: optimizer.step(), 30),
    "adamw, clipped": (partial(torch.optim.AdamW, foreach=True), clipped, 6),
    "sgd, clipped": (partial(torch.optim.SGD, lr=0.1, momentum=0.9, foreach=True), clipped, 6),
}
"""What makes one, what a step is, and the most launches of a step: Adafactor has reductions of each parameter."""


@pytest.fixture(autouse=True)
def nothing_compiled() -> Iterator[None]:
    torch.compiler.reset()
    yield


def stepped(name: str, backend: Any) -> list[Tensor]:
    """Parameters after three steps, of which the first, which makes the states, is eager's."""
    make, step, _ = OPTIMIZERS[name]
    drawn = torch.Generator().manual_seed(0)
    parameters = [nn.Parameter(torch.randn(shape, generator=drawn)) for shape in SHAPES]
    optimizer, run = make(parameters), step
    for k in range(3):
        for p in parameters:
            p.grad = torch.randn(p.shape, generator=drawn)
        run(optimizer, parameters)
        if k == 0 and backend is not None:
            run = torch.compile(step, backend=backend)
    return [p.detach() for p in parameters]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_as_eager_in_few_launches(name: str) -> None:
    """However many parameters there are."""
    seen: list[Executable] = []
    backend = partial(compile_graph_module, observe=lambda _, executable: seen.append(executable))
    with torch._dynamo.config.patch(capture_scalar_outputs=True):  # Adafactor counts its steps in Python
        found = stepped(name, backend)
    for got, want in zip(found, stepped(name, None), strict=True):
        torch.testing.assert_close(got, want, rtol=2e-6, atol=2e-6)
    assert seen and sum(map(launches, seen)) <= OPTIMIZERS[name][2], seen[-1].source


def trained() -> list[Tensor]:
    """The losses and the weights of a few steps with dropout, and with rows of an embedding that many read."""
    torch.manual_seed(3)
    torch.compiler.reset()
    model = nn.Sequential(nn.Embedding(7, 16), nn.Linear(16, 32), nn.GELU(), nn.Dropout(0.2), nn.Linear(32, 7))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    words = torch.randint(7, (64, 20), generator=torch.Generator().manual_seed(0))
    run, losses = torch.compile(model, backend=compile_graph_module), []
    for _ in range(4):
        optimizer.zero_grad()
        loss = F.cross_entropy(run(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return [*losses, *(p.detach() for p in model.parameters())]


@pytest.mark.usefixtures("machine_code")
def test_deterministic_algorithms_give_the_same_bits_twice() -> None:
    torch.use_deterministic_algorithms(True)
    try:
        first, second = trained(), trained()
    finally:
        torch.use_deterministic_algorithms(False)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert first[3] < first[0]
