"""`mlc_compiler.explain`: graphs, breaks, kernels and library calls of a model, by the user's lines."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import mlc
import mlc_compiler
from mlc_compiler import explain


def broken(x: torch.Tensor, w: torch.Tensor) -> Any:
    y = torch.softmax(x, -1) @ w
    print("between")
    return torch.sort(y).values * 3


def test_an_explanation_reads_well() -> None:
    found = explain(broken, torch.randn(8, 4), torch.randn(4, 2))
    shown = str(found)
    assert [graph.name for graph in found.graphs] == ["inference", "inference"]
    (stop,) = found.breaks
    assert stop.line == 'test_explanation.py:17  print("between")' and stop.why
    first, second = (found.graphs[0].calls[0], found.graphs[1].calls[0])
    assert (first.callee, first.why) == ("mlc_tensor.matmul", "a product of matrices is the library's")
    assert (second.callee, second.count) == ("aten.sort.default", 1)
    for line in (
        "inference: 1 launch(es) of 1 kernel(s), 1 call(s) of libraries",
        "      test_explanation.py:16  y = torch.softmax(x, -1) @ w",
        "  1 x aten.sort.default: no rule makes kernels of it",
        "1 graph break(s)",
    ):
        assert line in shown.splitlines()
    assert "def inference(arguments)" in found.graphs[0].source
    assert found.graphs[0].levels["fused"].count("mlc_tensor.fusion") == len(found.graphs[0].fusions) == 1


def test_gradients_are_explained_and_not_kept() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU())
    found = explain(model, torch.randn(3, 4))
    assert [graph.name for graph in found.graphs] == ["forward", "backward"]
    assert all(graph.kernels for graph in found.graphs)
    assert all(p.grad is None for p in model.parameters()) and not found.breaks


def test_a_kernel_of_several_launches() -> None:
    def twice(x: torch.Tensor) -> Any:
        return torch.sort(torch.sort(x + 1).values + 1).values

    (graph,) = explain(twice, torch.randn(8)).graphs
    (kernel,) = graph.kernels
    assert (kernel.launches, kernel.bytes) == (2, 2 * 64)


def test_options_are_those_of_torch_compile() -> None:
    x = torch.randn(8)
    whole = explain(lambda x: (x + 1) * 2, x)
    apart = explain(lambda x: (x + 1) * 2, x, options={"policy": "none"})
    assert [len(e.graphs[0].kernels) for e in (whole, apart)] == [1, 2]


def test_public_names() -> None:
    assert mlc.explain is mlc_compiler.explain and "explain" in dir(mlc_compiler)
    assert all(getattr(mlc_compiler, name) for name in mlc_compiler.__all__)
    with pytest.raises(AttributeError, match="has no attribute `explian`"):
        _ = mlc_compiler.explian
