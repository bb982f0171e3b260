"""Norms that stay whole until import, where no gradient is wanted, compute what their decompositions do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.fx.experimental.proxy_tensor import make_fx

from lowering.fx_to_tensor import import_graph
from lowering.fx_to_tensor.decompositions.table import WITHOUT_GRADIENTS, decompositions
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_support.verification import verify_module
from tests.unit.import_check import externs
from tests.unit.torch_oracle import Oracle

aten = torch.ops.aten
Function = Callable[[Tensor], Any]


def channels(dtype: torch.dtype, count: int) -> Tensor:
    """A number for each channel, none near 0, as variances are."""
    return (torch.rand(count) + 0.3).to(dtype)


def batch_norm(shape: tuple[int, ...], own: torch.dtype, affine: bool = True) -> Function:
    """With parameters and statistics of the type `own`."""
    weight, bias = (channels(own, shape[1]) if affine else None for _ in range(2))
    mean, variance = channels(own, shape[1]), channels(own, shape[1])
    return lambda x: aten._native_batch_norm_legit_no_training(x, weight, bias, mean, variance, 0.1, 1e-3)


def layer_norm(shape: tuple[int, ...], dtype: torch.dtype, axes: int, weighted: bool, biased: bool) -> Function:
    own = shape[len(shape) - axes :]
    weight, bias = ((torch.randn(own).to(dtype) if given else None) for given in (weighted, biased))
    return lambda x: aten.native_layer_norm(x, own, weight, bias, 1e-5)


F32, BF16, F16, F64 = torch.float32, torch.bfloat16, torch.float16, torch.float64
CASES: dict[str, tuple[tuple[int, ...], torch.dtype, Function]] = {
    "pictures": ((2, 5, 4, 3), F32, batch_norm((2, 5, 4, 3), F32)),
    "halves": ((2, 5, 4, 3), BF16, batch_norm((2, 5, 4, 3), BF16)),
    "halves by float32": ((2, 5, 6), BF16, batch_norm((2, 5, 6), F32)),
    "rows": ((7, 5), F32, batch_norm((7, 5), F32, affine=False)),
    "float64": ((2, 3, 2, 2, 2), F64, batch_norm((2, 3, 2, 2, 2), F64)),
    "empty": ((0, 3, 2), F32, batch_norm((0, 3, 2), F32)),
    "layer": ((3, 4, 16), F32, layer_norm((3, 4, 16), F32, 1, True, True)),
    "layer of halves": ((3, 33), F16, layer_norm((3, 33), F16, 1, True, True)),
    "two axes": ((3, 4, 5), BF16, layer_norm((3, 4, 5), BF16, 2, True, True)),
    "no bias": ((3, 20), F32, layer_norm((3, 20), F32, 1, True, False)),
    "no weight": ((3, 20), F32, layer_norm((3, 20), F32, 1, False, True)),
    "all of it": ((4, 5), F64, layer_norm((4, 5), F64, 2, False, False)),
}


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_whole_equals_decomposed(name: str, special: bool) -> None:
    """All results, to the bit, the statistics as well; and the norm of eager, whose sums of infinities are its own."""
    torch.manual_seed(0)
    shape, dtype, function = CASES[name]
    x = (torch.randn(shape) * 3 + 1).to(dtype)
    if special:
        x.view(-1)[:2] = torch.tensor([float("inf"), -0.0]).to(dtype)[: x.numel()]
    whole, decomposed = (imported_and_run(function, x, gradients) for gradients in (False, True))
    # Of halves and statistics of float32 the decomposition rounds statistics without elements that eager does not.
    torch.testing.assert_close(whole, decomposed, rtol=0, atol=0, equal_nan=True, check_dtype=False)
    if not special:
        torch.testing.assert_close(whole[0], function(x)[0])


def imported_and_run(function: Function, x: Tensor, gradients: bool) -> list[Any]:
    """The results of `function`, imported as a graph of which gradients are wanted, or not."""
    graph = make_fx(function, decompositions(gradients))(x)
    names = [getattr(node.target, "__name__", "").split(".")[0] for node in graph.graph.nodes]
    assert any(name in WITHOUT_GRADIENTS for name in names) is not gradients
    imported = import_graph(graph, "main", ["x"])
    verify_module(imported.module)
    assert not externs(imported.module)
    return Oracle(imported)(x)


@pytest.mark.parametrize("trains", [False, True])
def test_norms_of_an_evaluated_model(trains: bool) -> None:
    """Frozen statistics, with gradients and without."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.LayerNorm(8 * 36))
    statistics = model[1]
    statistics.running_mean.normal_()
    statistics.running_var.uniform_(0.5, 2)
    model.eval()
    x = torch.randn(2, 3, 8, 8)
    compiled = torch.compile(model, backend=compile_graph_module)
    if not trains:
        with torch.no_grad():
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-5, atol=1e-5)
        return
    wanted = torch.autograd.grad(model(x).square().sum(), list(model.parameters()))
    found = torch.autograd.grad(compiled(x).square().sum(), list(model.parameters()))
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)
