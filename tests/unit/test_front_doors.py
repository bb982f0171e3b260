"""Every function of the examples through each of the three importers, forward and backward, against eager."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_leaves

from examples.functions import EXAMPLES, Example
from lowering.fx_to_tensor import Imported, import_callable, import_exported
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.frontend.backend import compile_graph_module

QUICK = ("relu(x*2 + bias)", "layer norm", "gelu(x @ W + b)")
"""Examples that go through every door in `make test`; all do in `make check`."""
pytestmark = pytest.mark.usefixtures("machine_code")
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
Function = Callable[..., Any]


class AsModule(torch.nn.Module):
    """A function where a module is asked for."""

    def __init__(self, function: Function):
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


def run(imported: Imported, inputs: list[torch.Tensor]) -> Any:
    """What the imported graph computes, compiled."""
    return imported.rebuild(compile_imported(imported)(*inputs))


def with_gradients(function: Function) -> Function:
    """`function` and the gradients of the sum of its squares."""

    def both(*inputs: torch.Tensor) -> list[torch.Tensor]:
        leaves = [x.detach().requires_grad_() for x in inputs]
        results = tree_leaves(function(*leaves))
        loss = sum((r * r).sum() for r in results)
        return [*(r.detach() for r in results), *torch.autograd.grad(loss, leaves)]

    return both


def joint_graph(function: Function, inputs: list[torch.Tensor]) -> torch.fx.GraphModule:
    """One graph of `function` and its gradients; torch.export does not trace through autograd by itself."""
    return make_fx(with_gradients(function))(*inputs)


def through_symbolic_trace(function: Function, inputs: list[torch.Tensor], backward: bool) -> Any:
    graph = torch.fx.symbolic_trace(function)
    return run(import_callable(joint_graph(graph, inputs) if backward else graph, inputs), inputs)


def through_export(function: Function, inputs: list[torch.Tensor], backward: bool) -> Any:
    program = torch.export.export(AsModule(function), tuple(inputs))
    if backward:
        return run(import_callable(joint_graph(program.module(), inputs), inputs), inputs)
    return run(import_exported(program), inputs)


def through_compile(function: Function, inputs: list[torch.Tensor], backward: bool) -> Any:
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=compile_graph_module, fullgraph=True)
    return (with_gradients(compiled) if backward else compiled)(*inputs)


DOORS = {"symbolic_trace": through_symbolic_trace, "export": through_export, "compile": through_compile}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "example",
    [pytest.param(e, id=e.name, marks=() if e.name in QUICK else pytest.mark.slow) for e in EXAMPLES],
)
def test_each_function_through_each_door(example: Example, door: str, backward: bool, device: str) -> None:
    inputs = example.inputs(device)
    found = tree_leaves(DOORS[door](example.function, inputs, backward))
    expected = tree_leaves((with_gradients(example.function) if backward else example.function)(*inputs))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        scale = max(1.0, float(theirs.abs().max()))
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=2e-5 * scale)


def test_importing_says_nothing() -> None:
    """PyTorch's warnings about itself are none of the user's."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        import_callable(lambda x: x + 1, (torch.randn(3),))
