"""What a forward graph saves for its backward graph: any layout, which the backward graph is compiled for."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module

pytestmark = pytest.mark.usefixtures("machine_code")
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
SHAPE = (2, 8, 6, 5)


class Block(nn.Module):
    """Convolutions of both kinds of groups, a norm, a shortcut."""

    def __init__(self, groups: int = 1):
        super().__init__()
        self.first = nn.Conv2d(8, 8, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.second = nn.Conv2d(8, 8, 3, padding=1, groups=groups)

    def forward(self, x: Tensor) -> Tensor:
        return F.silu(self.second(torch.relu(self.norm(self.first(x)))) + x)


class Shown(Block):
    """The caller sees what is saved, and a call of PyTorch reads it backwards."""

    def forward(self, x: Tensor) -> Any:
        y = torch.sigmoid(self.first(x))
        return y, F.adaptive_avg_pool2d(self.second(y.sin()), 3)


def last(x: Tensor) -> Tensor:
    return x.to(memory_format=torch.channels_last)


def laid(x: Tensor) -> list[int]:
    """The strides that matter."""
    return [stride for stride, size in zip(x.stride(), x.shape, strict=True) if size > 1]


def pictures(forward: Executable) -> set[tuple[int, ...]]:
    """The strides of the pictures that a forward graph saves."""
    return {s for s in forward.free_strides if s is not None and len(s) == 4 and s[0] == 240}


def programs(model: Callable[..., Any], dynamic: bool = False) -> tuple[Callable[..., Any], list[Executable]]:
    seen: list[Executable] = []
    backend = partial(compile_graph_module, observe=lambda _, executable: seen.append(executable))
    torch._dynamo.reset()
    return torch.compile(model, backend=backend, dynamic=dynamic), seen


def gradients(model: nn.Module, run: Callable[..., Any], x: Tensor) -> list[Tensor]:
    """The results, and the gradients of the input and of all parameters."""
    model.zero_grad()
    x = x.detach().requires_grad_()
    results = run(x)
    results = results if isinstance(results, tuple) else (results,)
    sum((y * y).mean() for y in results).backward()  # pyright: ignore[reportAttributeAccessIssue]
    found = [y.detach() for y in results] + [g for p in (x, *model.parameters()) if (g := p.grad) is not None]
    model.zero_grad()
    return found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("layout", [lambda x: x, last], ids=["first", "last"])
@pytest.mark.parametrize("make", [Block, partial(Block, 8), partial(Block, 4), Shown], ids=["1", "8", "4", "shown"])
def test_gradients_are_eager_s(make: Callable[[], nn.Module], layout: Callable[..., Tensor], device: str) -> None:
    """Numbers, shapes and strides: the layouts between are the compiler's own affair."""
    torch.manual_seed(0)
    model = make().to(device)
    eager, exact = deepcopy(model), deepcopy(model).double()
    run, seen = programs(model)
    for seed in range(2):
        x = layout(torch.randn(SHAPE, generator=torch.Generator().manual_seed(seed))).to(device)
        runs = (gradients(model, run, x), gradients(eager, eager, x), gradients(exact, exact, x.double()))
        for ours, theirs, right in zip(*runs, strict=True):
            assert ours.shape == theirs.shape
            assert laid(ours) == laid(theirs)
            error, allowed = ((y.double() - right).abs().max().item() for y in (ours, theirs))
            assert error <= 4 * allowed + (1e-5 if device == "cpu" else 2e-3)  # TF32, which channels-last allows
    assert len(seen) == 2


def test_pictures_are_saved_as_kernels_compute_them() -> None:
    """Channels last between convolutions, in both graphs: no copy stands between them and what calls take."""
    run, seen = programs(model := Block())
    gradients(model, run, torch.randn(SHAPE))
    forward, backward = seen
    assert pictures(forward) == {(240, 1, 40, 8)}
    assert "(240, 1, 40, 8)" in backward.source


def test_sizes_known_at_run_time_keep_eager_s_layout() -> None:
    model = Block()
    run, seen = programs(model, dynamic=True)
    for count in (2, 3):
        x = torch.randn(count, *SHAPE[1:])
        for ours, theirs in zip(gradients(model, run, x), gradients(model, model, x), strict=True):
            torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-4)
    forward, *_ = seen
    assert not pictures(forward)


@pytest.mark.parametrize("shape", [(5,), (5, 2)], ids=str)
def test_a_graph_with_effects_keeps_eager_s_layout(shape: tuple[int, ...]) -> None:
    """Its results begin with tokens: `linalg.solve` checks in the graph that the matrix can be solved."""
    a, x = torch.randn(5, 5, requires_grad=True), torch.randn(shape, requires_grad=True)
    weight = torch.randn(shape)
    torch._dynamo.reset()
    found = torch.compile(torch.linalg.solve, backend=compile_graph_module)(a, x)
    torch.testing.assert_close(found, torch.linalg.solve(a, x))
    wanted = torch.autograd.grad((torch.linalg.solve(a, x) * weight).sum(), (a, x))
    torch.testing.assert_close(torch.autograd.grad((found * weight).sum(), (a, x)), wanted)


def test_parts_of_one_product_are_saved_where_they_lie() -> None:
    """Queries, keys and values of one projection: slices with gaps between rows, and eager's strides."""
    projection = nn.Linear(16, 48)

    def attention(x: Tensor) -> Tensor:
        parts = projection(x).reshape(2, 8, 3, 2, 8).permute(2, 0, 3, 1, 4)
        return F.scaled_dot_product_attention(*parts.unbind(0))

    kept: list[Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        programs(attention)[0](torch.randn(2, 8, 16))
    parts = [t for t in kept if t.shape == (2, 2, 8, 8) and t.stride() == (384, 8, 48, 1)]
    assert [t.storage_offset() for t in parts] == [0, 16, 32]
    assert len({t.untyped_storage().data_ptr() for t in parts}) == 1
