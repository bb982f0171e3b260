"""Random numbers: the same bits in reference and kernels, masks made again in the backward."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from xdsl.dialects.builtin import ModuleOp, TensorType, i1

from lowering.fx_to_tensor.decompositions import random_ops
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_dialects.common.philox import random_bits
from mlc_dialects.common.types import element_type
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.random import RandomOp

assert random_ops.TABLE  # registers the ops

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def compiled(function: Callable[..., Any], modules: list[ModuleOp] | None = None, **options: Any) -> Callable[..., Any]:
    seen = [] if modules is None else modules
    backend = partial(compile_graph_module, observe=lambda module, _: seen.append(module))
    return torch.compile(function, backend=backend, fullgraph=True, **options)


def externs(module: ModuleOp) -> list[str]:
    return [op.callee.data for op in module.walk() if isinstance(op, ExternOp)]


def test_philox_is_the_published_function() -> None:
    """Known answers of the Random123 library: keys and counters of zeros, and of ones in their low halves."""
    words = [int(random_bits(0, np.zeros(1, np.int64), w).view(np.uint32)[0]) for w in range(4)]
    assert words == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("word", range(4))
def test_kernels_make_the_bits_of_the_reference(word: int, device: str) -> None:
    """At places and with seeds beyond 32 bits too."""
    seeds = torch.tensor([7, -1, 0x123456789ABCDEF], device=device)
    run = compiled(lambda s: torch.ops.mlc.random_bits(s, 2, [33, 45], word).T ^ 0)
    wanted = torch.ops.mlc.random_bits(seeds.cpu(), 2, [33, 45], word).T
    assert torch.equal(run(seeds).cpu(), wanted)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64], ids=str)
def test_uniform_numbers_stay_below_one(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    sample = compiled(torch.rand_like)(torch.zeros(300, 100, dtype=dtype))
    assert sample.dtype == dtype and bool((sample >= 0).all()) and bool((sample < 1).all())
    assert abs(sample.double().mean().item() - 0.5) < 0.01


def test_complex_numbers_are_drawn_by_pytorch() -> None:
    sample = compiled(lambda x: x.clone().uniform_(2.0, 3.0))(torch.zeros(30, 10, dtype=torch.complex64))
    parts = torch.view_as_real(sample)
    assert bool((parts >= 2).all()) and bool((parts <= 3).all()) and parts.unique().numel() > 500


@pytest.mark.parametrize("device", DEVICES)
def test_manual_seed_decides(device: str) -> None:
    x = torch.ones(50, 40, device=device)
    run = compiled(lambda x: (torch.rand_like(x), torch.rand_like(x)))
    torch.manual_seed(3)
    first, second = run(x)
    third, _ = run(x)
    torch.manual_seed(3)
    again, _ = run(x)
    assert torch.equal(first, again)
    assert not torch.equal(first, second) and not torch.equal(first, third)


def two_dropouts(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    hidden = F.dropout(torch.relu(x @ w), 0.3)
    return F.layer_norm(F.dropout(hidden, 0.5) + x, x.shape[-1:])


@pytest.mark.parametrize("device", DEVICES)
def test_backward_makes_the_masks_again(device: str) -> None:
    """One draw of seeds a graph; the forward keeps no mask, and both passes have the same."""
    modules: list[ModuleOp] = []
    x = torch.randn(64, 32, device=device, requires_grad=True)
    w = torch.randn(32, 32, device=device, requires_grad=True)
    compiled(two_dropouts, modules)(x, w).sum().backward()
    forward, backward = modules
    assert externs(forward) == ["mlc.seeds.default"] and not externs(backward)
    assert sum(isinstance(op, RandomOp) for op in backward.walk()) == 2
    kept = [v.type for v in forward.body.block.last_op.body.block.last_op.operands]  # pyright: ignore
    booleans = [t for t in kept if isinstance(t, TensorType) and element_type(t) == i1]
    assert len(booleans) <= 1, "relu's own mask may be kept, those of the dropouts may not"


@pytest.mark.parametrize("device", DEVICES)
def test_gradient_of_dropout_is_its_mask(device: str) -> None:
    x = torch.rand(64, 100, device=device, requires_grad=True)
    y = compiled(lambda x: F.dropout(x + 1, 0.4))(x)
    (gradient,) = torch.autograd.grad(y, x, torch.ones_like(y))
    assert torch.equal(gradient != 0, y != 0)
    torch.testing.assert_close(gradient, (y != 0) / 0.6)
    assert abs((y == 0).float().mean().item() - 0.4) < 0.03


def test_layout_of_what_it_is_like() -> None:
    x = torch.zeros(6, 5).T
    assert compiled(torch.rand_like)(x).stride() == torch.rand_like(x).stride()
    assert compiled(lambda x: F.dropout(x, 0.5))(x).stride() == F.dropout(x, 0.5).stride()


def test_edges_of_dropout() -> None:
    x = torch.randn(5, 6)
    assert torch.equal(compiled(lambda x: F.dropout(x, 0.0))(x), x)
    assert torch.equal(compiled(lambda x: F.dropout(x, 1.0))(x), torch.zeros_like(x))
    assert torch.equal(compiled(lambda x: F.dropout(x, 0.5, training=False))(x), x)
