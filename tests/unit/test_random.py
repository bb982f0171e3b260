"""Random numbers: the same bits in reference and kernels, the right distributions, masks made again in the backward."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from statistics import NormalDist
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


def kolmogorov(sample: torch.Tensor, distribution: Callable[[float], float]) -> float:
    """The largest distance between the sample's distribution and the given one, times sqrt(n)."""
    ordered = sorted(sample.double().flatten().tolist())
    n = len(ordered)
    expected = [distribution(v) for v in ordered]
    gaps = (max((i + 1) / n - e, e - i / n) for i, e in enumerate(expected))
    return max(gaps) * math.sqrt(n)


NORMAL = NormalDist()
CONTINUOUS: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], Callable[[float], float]]] = {
    "rand": (torch.rand_like, lambda v: v),
    "randn": (torch.randn_like, NORMAL.cdf),
    "uniform": (lambda x: torch.empty_like(x).uniform_(-1, 3), lambda v: (v + 1) / 4),
    "normal": (lambda x: torch.normal(x * 0 + 2, 3.0), lambda v: NORMAL.cdf((v - 2) / 3)),
    "exponential": (lambda x: torch.empty_like(x).exponential_(2), lambda v: 1 - math.exp(-2 * v)),
    "cauchy": (lambda x: torch.empty_like(x).cauchy_(1, 2), lambda v: math.atan((v - 1) / 2) / math.pi + 0.5),
    "log_normal": (lambda x: torch.empty_like(x).log_normal_(0, 1), lambda v: NORMAL.cdf(math.log(v))),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_distributions(name: str, device: str) -> None:
    """By Kolmogorov and Smirnov: a distance above 1.95 has probability 0.001; the seed is fixed."""
    function, distribution = CONTINUOUS[name]
    modules: list[ModuleOp] = []
    torch.manual_seed(5)
    sample = compiled(function, modules)(torch.zeros(64, 100, device=device))
    assert kolmogorov(sample.cpu(), distribution) < 1.95
    assert set(externs(modules[0])) <= {"mlc.seeds.default", "aten.copy_.default"}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64], ids=str)
def test_uniform_numbers_stay_below_one(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    sample = compiled(torch.rand_like)(torch.zeros(300, 100, dtype=dtype))
    assert sample.dtype == dtype and bool((sample >= 0).all()) and bool((sample < 1).all())
    assert abs(sample.double().mean().item() - 0.5) < 0.01


@pytest.mark.parametrize("device", DEVICES)
def test_discrete_ones(device: str) -> None:
    x = torch.zeros(100, 100, device=device)
    torch.manual_seed(1)
    coins = compiled(lambda x: torch.bernoulli(x + 0.25))(x)
    assert set(coins.unique().tolist()) == {0.0, 1.0} and abs(coins.mean().item() - 0.25) < 0.02
    dice = compiled(lambda x: torch.randint_like(x, 1, 7, dtype=torch.int64))(x)
    counts = torch.bincount(dice.flatten().cpu(), minlength=7)[1:]
    assert dice.min() == 1 and dice.max() == 6 and bool(((counts - 10000 / 6).abs() < 150).all())
    wide = compiled(lambda x: torch.randint(-(2**40), 2**40, x.shape, device=x.device))(x)
    assert wide.max() > 2**39 and wide.min() < -(2**39)
    tries = compiled(lambda x: torch.empty_like(x).geometric_(0.5))(x)
    assert tries.min() == 1 and abs(tries.mean().item() - 2) < 0.1


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
