"""Ops that `run_decompositions` has left whole are taken apart by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.export import Dim, export

from lowering.fx_to_tensor import import_callable
from lowering.fx_to_tensor.decompositions.leftovers import take_apart
from lowering.fx_to_tensor.decompositions.table import decompositions


class Called(torch.nn.Module):
    """A function as the module that export wants."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


def normed(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    found, mean, rstd = torch.native_layer_norm(x, [x.shape[-1]], w, None, 1e-5)
    return F.silu(found) + mean, rstd


@pytest.mark.parametrize("dynamic", [False, True])
def test_calls_become_what_they_call(dynamic: bool) -> None:
    """One result of several unread, others read twice; sizes that have names keep them."""
    inputs = torch.randn(6, 40), torch.randn(40)
    shapes = ({0: Dim("rows")}, None) if dynamic else None
    program = export(Called(normed), inputs, dynamic_shapes=(shapes,) if shapes else None)
    lines = {n.meta["stack_trace"] for n in program.graph.nodes if n.op == "call_function" and "stack_trace" in n.meta}
    table = decompositions()
    take_apart(program.graph, table)
    program.graph.lint()
    called = [n for n in program.graph.nodes if n.op == "call_function"]
    assert not [n for n in called if n.target in table]
    assert {n.meta["stack_trace"] for n in called} <= lines
    program.graph_module.recompile()
    for found, wanted in zip(program.graph_module(*inputs), normed(*inputs), strict=True):
        torch.testing.assert_close(found, wanted)


@pytest.mark.gpu
def test_rms_norm_on_cuda() -> None:
    """It has a kernel there, beside the ops that it is composed of elsewhere."""
    inputs = torch.randn(8, 64, device="cuda"), torch.randn(64, device="cuda")
    imported = import_callable(lambda x, w: F.rms_norm(x, (64,), w), inputs)
    assert "extern" not in str(imported.module)
