"""Attention that a program spells out is PyTorch's own kernel in training too, with its gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.unit.generated_kernels import DEVICES, compiled
from tests.unit.test_online_gradients import dropped_out, returned, with_gradients
from tests.unit.test_online_products import FUSED, Results, inputs, plain, scores

CALLED = ("plain", "einsum", "causal", "added mask", "repeated heads")
"""What PyTorch has a kernel for, forward and backward."""
KERNELS = ("flash_attention", "efficient_attention", "cudnn_attention")


def calls(sources: list[str]) -> list[int]:
    """Of PyTorch's attention, in the forward and the backward."""
    return [sum(source.count(name) for name in KERNELS) for source in sources]


def trained(function: Callable[..., Any], given: list[Tensor], cpu: str | None = "interpret") -> tuple[Any, list[int]]:
    """The result and the gradients, and how often PyTorch's attention is called for them."""
    sources: list[str] = []
    found = with_gradients(compiled(function, sources, cpu=cpu, products="quicker"), given)
    return found, calls(sources)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", CALLED)
@pytest.mark.parametrize("where", DEVICES)
def test_numbers(where: tuple[str, str | None], name: str, dtype: torch.dtype) -> None:
    device, cpu = where
    given = inputs(device, dtype, 40 if name == "causal" else 24, 40)
    found, count = trained(FUSED[name], given, cpu)
    assert count == [1, 1]
    eager, exact = with_gradients(FUSED[name], given), with_gradients(FUSED[name], [x.double() for x in given])
    for three in zip(found, eager, exact, strict=True):
        Results(*three).check()


def shared(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The values are the keys: each has a gradient of its own, and both are added."""
    return plain(q, k, k) + v.sum() * 0


def two_layers(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return plain(plain(q, k, v), k, v.sin())


def strided(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Heads next to each other in memory, as one projection gives them."""
    q, k, v = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, v))
    return plain(q, k, v).transpose(1, 2).reshape(q.shape[0], q.shape[2], -1)


@pytest.mark.parametrize("function, count", [(shared, 1), (two_layers, 2), (strided, 1)])
def test_graphs_around_it(function: Callable[..., Tensor], count: int) -> None:
    given = inputs("cpu", torch.bfloat16, 40, 40)
    found, counted = trained(function, given)
    assert counted == [count, count]
    eager, exact = with_gradients(function, given), with_gradients(function, [x.double() for x in given])
    for three in zip(found, eager, exact, strict=True):
        Results(*three).check()


@pytest.mark.parametrize("wanted", [(0,), (1,), (2,), (0, 2)])
def test_some_gradients_alone(wanted: tuple[int, ...]) -> None:
    """The others are not computed into anything."""
    given, sources = inputs("cpu", torch.bfloat16, 24, 40), list[str]()
    for k in wanted:
        given[k].requires_grad_()
    found = compiled(plain, sources, cpu="interpret", products="quicker")(*given)
    eager = plain(*given)
    leaves = [given[k] for k in wanted]
    for ours, theirs in zip(
        torch.autograd.grad(found.float().cos().sum(), leaves),
        torch.autograd.grad(eager.float().cos().sum(), leaves),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs, rtol=2e-2, atol=2e-2)
    assert calls(sources) == [1, 1]


def bias_learns(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The gradient of the bias is a sum of the gradients of scores, which PyTorch's kernels do not give."""
    return torch.softmax(scores(q, k) + q[..., :1], -1) @ v


def beside_its_logarithm(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Gradients of scores come from the sum of exponentials, too."""
    s = scores(q, k)
    return torch.softmax(s, -1) @ v + torch.logsumexp(s, -1, keepdim=True)


OTHERS = [bias_learns, beside_its_logarithm, dropped_out, returned, FUSED["capped"], FUSED["no softmax"]]


@pytest.mark.parametrize("function", OTHERS)
def test_other_attention_stays(function: Callable[..., Tensor]) -> None:
    given = inputs("cpu", torch.bfloat16, 24, 40)
    found, count = trained(function, given)
    assert count == [0, 0]
    if function is not dropped_out:
        for ours, eager in zip(found, with_gradients(function, given), strict=True):
            torch.testing.assert_close(ours, eager, rtol=3e-2, atol=3e-2)


def test_machine_code() -> None:
    """A CPU without Triton's interpreter calls it as well."""
    found, count = trained(plain, inputs("cpu", torch.bfloat16, 24, 40), cpu="native")
    assert count == [1, 1] and all(x.isfinite().all() for x in found)


def rows_before_heads(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The softmax is of [batch, rows, heads, keys], and its weights are put in the order of the product."""
    return torch.softmax(scores(q, k).transpose(1, 2).contiguous(), -1).transpose(1, 2) @ v


def test_weights_in_another_order() -> None:
    given = inputs("cpu", torch.bfloat16, 24, 40)
    found, _ = trained(rows_before_heads, given)
    for ours, eager in zip(found, with_gradients(rows_before_heads, given), strict=True):
        torch.testing.assert_close(ours, eager, rtol=3e-2, atol=3e-2)
