"""Kernels for reductions, scans and scatters of booleans, and for what masks, steps, triangles and pairs select."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils._pytree import tree_leaves

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.frontend.backend import compile_graph_module
from tests.unit.import_check import externs

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
Function = Callable[..., Any]


def agree(function: Function, *calls: list[torch.Tensor]) -> None:
    """`function` is kernels alone, and gives what eager gives on the CPU (CUDA has not all), whatever the numbers."""
    graph = import_callable(function, calls[0])
    assert not externs(graph.module), str(graph.module)
    executable = compile_imported(graph)
    for inputs in calls:
        wanted = tree_leaves(function(*(x.cpu() for x in inputs)))
        for ours, theirs in zip(executable(*inputs), wanted, strict=True):
            torch.testing.assert_close(ours.cpu(), theirs, equal_nan=True)


def booleans(*shape: int, share: float = 0.4, device: str = "cpu") -> torch.Tensor:
    return (torch.rand(shape, generator=torch.Generator().manual_seed(sum(shape))) < share).to(device)


def reduced(kind: str) -> Function:
    """Scatter-reductions with and without what was there before."""
    return lambda x, i, y: [x.scatter_reduce(1, i, y, kind, include_self=s) for s in (True, False)]


BOOLEANS: dict[str, Function] = {
    "bounds": lambda x, i, y: (x.clamp_min(y), x.clamp_max(y)),
    "extremes": lambda x, i, y: (x.max(1), x.min(1), (x | True).max(0), (x & False).min(0)),
    "scans": lambda x, i, y: (x.cummax(1), x.cummin(0), (x & False).cummax(1)),
    "products": lambda x, i, y: (x.prod(1, dtype=torch.bool), (x | True).prod(dtype=torch.bool), x.prod(0)),
    "index_add": lambda x, i, y: (x.index_add(1, i[0], y), x.index_add(1, i[0], y, alpha=False)),
    "scatter_add": lambda x, i, y: (x.scatter_add(1, i, y), x.scatter_add(1, i[:, :1], y)),
    "scatter": lambda x, i, y: [x.scatter(1, i, y, reduce=kind) for kind in ("add", "multiply")],
    "scatter of one": lambda x, i, y: x.scatter(1, i, True, reduce="add"),
    "put": lambda x, i, y: (x.put(i, y, accumulate=True), x.index_put((i[:, 0],), y, accumulate=True)),
    "one element": lambda x, i, y: x[0, 0].scatter_add(0, i[1, 0], y[0, 0]),
    **{kind: reduced(kind) for kind in ("sum", "prod", "amax", "amin")},
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", BOOLEANS)
def test_booleans(name: str, device: str) -> None:
    """Sums of them are true where one is, products where all are: whatever the order, so that any is deterministic."""
    x = booleans(5, 7, device=device)
    index = torch.tensor([[3, 0, 3, 6, 1, 0, 3], [0, 0, 0, 0, 0, 0, 0]], device=device).repeat(3, 1)[:5]
    agree(BOOLEANS[name], *([x, index, booleans(5, 7, share=share, device=device)] for share in (0.4, 0.0, 1.0)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.uint8], ids=str)
def test_means_of_integers_are_rounded_down(dtype: torch.dtype) -> None:
    x = torch.tensor([[-7, 5, 0, 100]]).to(dtype)
    index, source = torch.tensor([[0, 0, 1, 3, 3, 3]]), torch.tensor([[2, -2, 8, -1, 3, 120]]).to(dtype)

    def means(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> Any:
        kept = [x.scatter_reduce(1, index, source, "mean", include_self=s) for s in (True, False)]
        return (*kept, x.index_reduce(1, index[0], source, "mean"))

    agree(means, [x, index, source])


STEPS: dict[str, tuple[Any, ...]] = {
    "every other": (0, None, None, 2),
    "from the end": (1, -6, None, 3),
    "up to": (1, 1, 8, 4),
    "one": (1, 2, 3, 5),
    "none": (1, 5, 5, 2),
    "beyond": (-1, 1, 100, 2),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", STEPS)
def test_scatters_that_skip(name: str, device: str) -> None:
    dim, start, end, step = STEPS[name]
    x = torch.arange(63.0, device=device).view(7, 9)
    size = list(x.shape)
    size[dim] = len(range(size[dim])[slice(start, end, step)])
    agree(lambda x, y: torch.slice_scatter(x, y, dim, start, end, step), [x, torch.randn(size, device=device)])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(4, 6), (6,), (1,)])
def test_masked_scatter(shape: tuple[int, ...], device: str) -> None:
    """A mask that is broadcast, and one of its own for each element; more in `source` than is taken."""
    x, source = torch.randn(4, 6, device=device), torch.randn(5, 7, device=device)
    masks = [booleans(*shape, share=share, device=device) for share in (0.5, 0.0, 1.0)]
    for of in (lambda x: x, lambda x: x[0]):
        agree(lambda x, m, s, of=of: of(x).masked_scatter(m, s), *([x, mask, source] for mask in masks))


def test_gradients_of_masked_scatter() -> None:
    mask = booleans(4, 6)

    def gradients(x: torch.Tensor, source: torch.Tensor, run: Function) -> tuple[torch.Tensor, ...]:
        return torch.autograd.grad((run(x, source) ** 3).sum(), (x, source))

    def function(x: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        return x.masked_scatter(mask, source)

    torch._dynamo.reset()
    x, source = torch.randn(4, 6, requires_grad=True), torch.randn(5, 7, requires_grad=True)
    run = torch.compile(function, backend=compile_graph_module, fullgraph=True)
    for ours, theirs in zip(gradients(x, source, run), gradients(x, source, function), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_too_little_to_scatter_is_an_error() -> None:
    mask = torch.tensor([True, True, True, False])
    executable = compile_imported(import_callable(torch.masked_scatter, [torch.ones(4), mask, torch.ones(3)]))
    with pytest.raises(IndexError, match="index out of range"):
        executable(torch.ones(4), ~mask | mask, torch.ones(3))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("offset", [-6, -2, 0, 1, 3, 9])
def test_triangles(offset: int) -> None:
    def function(x: torch.Tensor) -> Any:
        lower = torch.tril_indices(5, 7, offset, device=x.device)
        return lower, torch.triu_indices(7, 4, offset, device=x.device, dtype=torch.int32), x

    agree(function, [torch.ones(2)])


@pytest.mark.parametrize("right", [False, True])
def test_searches_in_an_order(right: bool) -> None:
    x, values = torch.randn(3, 8), torch.randn(3, 5)
    values[0, :3] = x[0, :3]
    agree(lambda x, v, s: torch.searchsorted(x, v, right=right, sorter=s), [x, values, x.argsort(-1)])


@pytest.mark.sampled(5)
@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 2.0, 3.0, float("inf")])
@pytest.mark.parametrize("rows", [1, 5])
def test_distances_of_pairs(rows: int, p: float) -> None:
    def gradient(x: torch.Tensor, run: Function) -> tuple[torch.Tensor, ...]:
        distances = run(x)
        return distances, torch.autograd.grad((distances**2).sum(), x)[0]

    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.pdist(x, p)

    torch._dynamo.reset()
    x = torch.randn(rows, 3, generator=torch.Generator().manual_seed(rows)).round(decimals=1)
    x[-1] = x[0]  # a distance of 0
    x.requires_grad_()
    run = torch.compile(function, backend=compile_graph_module, fullgraph=True)
    for ours, theirs in zip(gradient(x, run), gradient(x, function), strict=True):
        largest = max(1.0, float(theirs.detach().abs().amax())) if theirs.numel() else 1.0  # of which gradients cancel
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5 * largest)
