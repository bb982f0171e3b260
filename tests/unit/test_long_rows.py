"""Reductions over rows that registers do not hold: joined, looped and split, against eager; special values included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from mlc_compiler.frontend.backend import compile_graph_module
from tests.unit.test_end_to_end import DEVICES

NEGATIVE, POSITIVE, NAN = -float("inf"), float("inf"), float("nan")


def special_rows(rows: int, columns: int) -> torch.Tensor:
    """Rows that begin with -inf, are all -inf, hold a NaN, end in +inf, or are ordinary and far from 0."""
    x = torch.randn(rows, columns, generator=torch.Generator().manual_seed(rows)) * 3 + 100
    x[0, : columns - 1000] = NEGATIVE
    x[1 % rows] = NEGATIVE if rows > 1 else x[0]
    if rows > 4:
        x[2, 7], x[3, columns - 1] = NAN, POSITIVE
    return x


def far_rows() -> torch.Tensor:
    """Rows whose maxima lie at many distances from 0, up to the largest numbers, with neighbours in bfloat16."""
    far = torch.tensor([0, 1, 1e3, 1e6, 2.0**24, 2.0**29, 2.0**30, 1e20, 3e38, -1, -1e6, -(2.0**30), -3e38])
    x = far[:, None] + torch.randn(len(far), 20000, generator=torch.Generator().manual_seed(1)) * 4
    x[:, 11] = far * 0.99
    return x.to(torch.bfloat16)


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1)


def log_softmax(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.log_softmax(x, -1), torch.logsumexp(x, -1)


def logsumexp(x: torch.Tensor) -> torch.Tensor:
    return torch.logsumexp(x.float(), -1)


def moments(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.mean(-1), x.var(-1)  # var_mean of eager has NaN for the mean of a row with -inf


def layer_norm(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def column_moments(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.var_mean(x, 0)


def softmax_of_columns(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, 0)


def share(x: torch.Tensor) -> torch.Tensor:
    return x / x.sum()


def batch_norm(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(torch.nn.functional.batch_norm(x, None, None, training=True))


def special_planes() -> torch.Tensor:
    """Channels of planes of 784 elements, with a NaN in the first, infinities in the next two, and large numbers."""
    x = torch.randn(64, 6, 28, 28, generator=torch.Generator().manual_seed(2)) - 5
    x[3, 0, 27, 27], x[63, 1, 0, 0], x[0, 2, 5, 5] = NAN, POSITIVE, NEGATIVE
    x[:, 3] *= 1e30
    return x


def channels(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    by_channel = x.transpose(0, 1).flatten(1)
    least = x.amin((0, 2, 3))
    return x.sum((0, 2, 3)), x.amax((0, 2, 3)), least, by_channel.argmax(1), (x > 0).any(3).any(2).any(0)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "function, x",
    [
        pytest.param(f, special_rows(rows, columns), id=f"{f.__name__}-{rows}x{columns}")
        for f in (softmax, log_softmax, moments, layer_norm)
        for rows, columns in ((300, 16411), (5, 20000), (1, 100003))
    ]
    + [
        pytest.param(softmax, special_rows(3, 16411).to(torch.bfloat16), id="softmax-bf16"),
        pytest.param(softmax, far_rows(), id="softmax-far-from-0"),
        pytest.param(logsumexp, far_rows(), id="logsumexp-far-from-0"),
        pytest.param(column_moments, torch.randn(300, 80) * 2 + 50, id="columns-300x80"),
        pytest.param(column_moments, torch.randn(30011, 8) * 2 + 50, id="columns-30011x8"),
        pytest.param(softmax_of_columns, special_rows(40, 1600).t().contiguous(), id="softmax-columns"),
        pytest.param(softmax_of_columns, special_rows(40, 1600).half().t().contiguous(), id="softmax-columns-f16"),
        pytest.param(layer_norm, special_rows(200, 1500).t().contiguous().t(), id="layer_norm-transposed"),
        pytest.param(softmax, special_rows(70, 1601).half().t().contiguous().t(), id="softmax-transposed-f16"),
        pytest.param(share, torch.rand(1009, 1013), id="share"),
        pytest.param(batch_norm, torch.randn(8, 16, 56, 56) * 2 + 3, id="batch_norm"),
        pytest.param(batch_norm, torch.randn(40, 3, 28, 28) * 2 + 3, id="batch_norm-28x28"),
        pytest.param(channels, special_planes(), id="channels"),
        pytest.param(batch_norm, torch.randn(3, 2, 112, 112) * 2 + 3, id="batch_norm-112x112"),
    ],
)
def test_long_rows(function: Callable[..., Any], x: torch.Tensor, device: str) -> None:
    torch._dynamo.reset()
    x = x.to(device)
    got = torch.compile(function, backend=compile_graph_module, fullgraph=True)(x)
    torch.testing.assert_close(got, function(x), equal_nan=True)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("columns", [8200, 12288, 16384, 40000])
def test_means_far_from_zero(columns: int, device: str) -> None:
    """Means of 10,000 and a million standard deviations, a first column that lies far from all others, large numbers.

    The bound of passes/loop/reduction/shifted_variance.py for the latter: a number near the mean of 32 columns is not
    near it.
    """
    x = torch.randn(4, columns, generator=torch.Generator().manual_seed(columns), dtype=torch.float64)
    x[0] += 1e4
    x[1] = (x[1] + 1e6).round()
    x[2, 0] = 1e5
    x[3] = x[3] * 1e16 + 5e19  # whose squares are not finite
    x = x.float().to(device)
    torch._dynamo.reset()
    found = torch.compile(layer_norm, backend=compile_graph_module, fullgraph=True)(x)
    exact = layer_norm(x.double())
    eager = (layer_norm(x) - exact).norm(dim=1) / exact.norm(dim=1)
    off = (found - exact).norm(dim=1) / exact.norm(dim=1)
    eager = eager.nan_to_num(1e-4)  # whose squares were not finite either
    assert (off <= 4 * eager + (1 + columns / 32) * 2**-24).all(), f"{off.tolist()}, eager {eager.tolist()}"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(16, 1, 112, 112), (8, 3, 160, 160)])
def test_means_near_zero(shape: tuple[int, ...], device: str) -> None:
    """What numbers about 0 sum up to is not spoiled by a number near their mean that is not as near."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(shape[1])).to(device)
    mean = torch.zeros(shape[1], device=device)

    def trained(x: torch.Tensor, mean: torch.Tensor) -> tuple[torch.Tensor, ...]:
        variance = torch.ones_like(mean)
        return torch.ops.aten._native_batch_norm_legit_functional(x, None, None, mean, variance, True, 1.0, 1e-5)

    torch._dynamo.reset()
    found = torch.compile(trained, backend=compile_graph_module, fullgraph=True)(x, mean)[3]
    exact = x.double().mean((0, 2, 3))
    assert (found - exact).abs().max() <= 2e-9
