"""Tensor subclasses: AOTAutograd takes wrappers apart before the compiler sees them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.testing._internal.two_tensor import TwoTensor

from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module


def compiled(function: Any, seen: list[Executable]) -> Any:
    torch._dynamo.reset()

    def backend(graph: Any, inputs: Any) -> Any:
        return compile_graph_module(graph, inputs, observe=lambda _, executable: seen.append(executable))

    return torch.compile(function, backend=backend, fullgraph=True)


@pytest.mark.parametrize("gradients", [False, True])
def test_both_halves_of_a_wrapper(gradients: bool) -> None:
    """TwoTensor computes everything on two tensors, in one graph here."""
    generator = torch.Generator().manual_seed(0)
    a, b = (torch.randn(5, 7, generator=generator) for _ in range(2))
    seen: list[Executable] = []

    def function(x: torch.Tensor) -> torch.Tensor:
        return (x.sin() * x + 1).sum(-1)

    x = TwoTensor(a.clone(), b.clone()).requires_grad_(gradients)
    found = compiled(function, seen)(x)
    assert isinstance(found, TwoTensor)
    torch.testing.assert_close(found.a, function(a))
    torch.testing.assert_close(found.b, function(b))
    if gradients:
        found.sum().backward()
        torch.testing.assert_close(x.grad.a, a.cos() * a + a.sin())
        torch.testing.assert_close(x.grad.b, b.cos() * b + b.sin())
    assert len(seen) == 1 + gradients


def test_a_wrapper_beside_a_plain_tensor() -> None:
    a, b, c = torch.arange(3.0), torch.arange(3.0, 6.0), torch.full((3,), 2.0)
    found = compiled(lambda x, y: x * y + y, [])(TwoTensor(a, b), c)
    assert torch.equal(found.a, a * c + c)
    assert torch.equal(found.b, b * c + c)


class Metres(torch.Tensor):
    """A subclass that wraps nothing and changes nothing but its name."""


def test_a_plain_subclass_is_kept() -> None:
    x = torch.arange(4.0).as_subclass(Metres)
    found = compiled(lambda x: x * 2 + 1, [])(x)
    assert type(found) is Metres
    assert torch.equal(found.as_subclass(torch.Tensor), torch.arange(4.0) * 2 + 1)
