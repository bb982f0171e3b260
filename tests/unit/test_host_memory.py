"""Memory of compiled programs: what dies is overwritten, what is kept for a backward pass is little, results stay."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import nn
from torch._functorch import config as functorch
from torch.nn import functional as F
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.loop.host import AllocOp, LaunchOp
from mlc_dialects.loop.host_memory import peak_bytes

LEVELS = ["cpu", "triton"]
BACKENDS = ["native", "interpret"]
ROWS, WIDTH = 64, 32
ACTIVATION = ROWS * 4 * WIDTH * 4
"""Bytes of the widest value in `Mlp`."""


class Mlp(nn.Module):
    """The block behind attention: its widest values are four times as wide as its input."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Classifier(nn.Module):
    """A loss over many classes, whose logits are half as wide as their logarithms."""

    def __init__(self, classes: int = 1024) -> None:
        super().__init__()
        self.head = nn.Linear(WIDTH, classes, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        labels = torch.arange(ROWS) * 7 % self.head.out_features
        return F.cross_entropy(self.head(x.tanh()).float(), labels)


def compiled(model: Callable[..., Any], modules: list[ModuleOp], cpu: str = "native") -> Callable[..., Any]:
    """`model` by mlc; its imported graphs are added to `modules`."""

    def observe(module: ModuleOp, _: Executable) -> None:
        modules.append(module)

    torch._dynamo.reset()
    options = CompilerOptions(verify=True, cpu=cpu)
    return torch.compile(model, backend=partial(compile_graph_module, observe=observe, options=options), dynamic=False)


def lowered(module: ModuleOp, level: str) -> func.FuncOp:
    """The host program of an imported graph."""
    module = module.clone()
    lower_to(module, level)
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    return function


@pytest.mark.parametrize("level", LEVELS)
def test_an_activation_is_computed_where_its_argument_lies(level: str) -> None:
    modules: list[ModuleOp] = []
    model, x = Mlp().eval(), torch.randn(ROWS, WIDTH)
    with torch.no_grad():
        torch.testing.assert_close(compiled(model, modules)(x), model(x))
    peak = peak_bytes(lowered(modules[0], level))
    assert ACTIVATION <= peak <= ACTIVATION + x.nbytes, "one value of that width, and one of the input's"


@pytest.mark.sampled(5)
@pytest.mark.parametrize("cpu", BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])
def test_training_steps_are_eager_s(dtype: torch.dtype, cpu: str) -> None:
    model = nn.Sequential(Mlp(), Mlp(), Classifier()).to(dtype)
    x = torch.randn(ROWS, WIDTH, dtype=dtype, requires_grad=True)
    run = compiled(model, [], cpu)
    close = {} if dtype is torch.float32 else {"rtol": 0.05, "atol": 2e-2}
    found: list[list[torch.Tensor]] = []
    for step in (run, run, model):
        tensors = [x, *model.parameters()]
        loss = step(x)
        found.append([loss.detach(), *torch.autograd.grad(loss, tensors)])
    for again, first, eager in zip(*found, strict=True):
        assert torch.equal(again, first), "no step leaves anything to the next"
        torch.testing.assert_close(first, eager, **close)


def test_results_and_inputs_are_not_overwritten() -> None:
    def function(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x @ w
        z = F.gelu(y)
        return y, z, z * 2, x.view(-1), (x * 3)[1:]

    x, w = torch.randn(16, 16), torch.randn(16, 16)
    before = x.clone(), w.clone()
    for found, wanted in zip(compiled(function, [])(x, w), function(x, w), strict=True):
        torch.testing.assert_close(found, wanted)
    assert torch.equal(x, before[0]) and torch.equal(w, before[1])


def test_what_a_backward_pass_alone_sees_is_overwritten() -> None:
    modules: list[ModuleOp] = []
    model, x = Classifier().to(torch.bfloat16), torch.randn(ROWS, WIDTH, dtype=torch.bfloat16)
    compiled(model, modules)(x).backward()
    logits = ROWS * model.head.out_features * 2
    backward = lowered(modules[1], "triton")
    assert peak_bytes(backward) < 2 * logits, "the gradient of the logits lies where the logits were"


def test_what_the_caller_sees_too_is_not_overwritten() -> None:
    """The forward pass returns what its backward pass needs."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x.exp()
        return y, (y * y).sum()

    x = torch.randn(ROWS, WIDTH, requires_grad=True)
    y, loss = compiled(function, [])(x)
    kept = y.detach().clone()
    loss.backward()
    assert torch.equal(y, kept)
    torch.testing.assert_close(x.grad, 2 * (2 * x.detach()).exp())


@functorch.patch(donated_buffer=False)
def test_a_backward_pass_runs_twice_where_nothing_is_donated() -> None:
    model, x = nn.Sequential(Mlp(), Classifier()), torch.randn(ROWS, WIDTH, requires_grad=True)
    loss = compiled(model, [])(x)
    first, second = (torch.autograd.grad(loss, x, retain_graph=True) for _ in range(2))
    torch.testing.assert_close(first, second, rtol=0, atol=0)


def test_a_forward_pass_keeps_logits_not_their_logarithms() -> None:
    modules: list[ModuleOp] = []
    model, x = Classifier().to(torch.bfloat16), torch.randn(ROWS, WIDTH, dtype=torch.bfloat16)
    compiled(model, modules)(x).backward()
    (forward,) = (op for op in modules[0].ops if isinstance(op, func.FuncOp))
    kept = [str(t) for t in forward.function_type.outputs]
    assert f"tensor<{ROWS}x1024xbf16>" in kept and f"tensor<{ROWS}x1024xf32>" not in kept


@pytest.mark.parametrize("level", LEVELS)
def test_peak_counts_what_is_alive(level: str) -> None:
    def function(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return (x @ w).t().flip(0) @ w

    modules: list[ModuleOp] = []
    x = torch.randn(64, 64)
    with torch.no_grad():
        compiled(function, modules)(x, x)
    host = lowered(modules[0], level)
    assert any(isinstance(op, LaunchOp | AllocOp) for op in host.body.block.ops)
    assert peak_bytes(host) == 2 * x.nbytes, "a flipped matrix lies nowhere where it is read"
