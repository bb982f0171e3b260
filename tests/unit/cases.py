"""Functions of the fusion literature and odd ones, with inputs: what end-to-end and compile tests share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

from tests.unit.cases_indexed import GATHERS, INTEGERS, SCATTERS, integers

Inputs = Callable[[], Sequence[torch.Tensor]]
"""Makes inputs, the same at every call."""


@dataclass(frozen=True)
class Case:
    """A function, its inputs, and the most kernels it may take (None: not pinned)."""

    name: str
    function: Callable[..., Any]
    inputs: Inputs
    kernels: int | None = None
    compiles: bool = True
    """False for what is only a matter of the host."""
    exact: bool = False
    """Integers and moved numbers: no rounding at all."""


def gelu_by_hand(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1 + torch.erf(x * 0.7071067811865476))


def gelu_tanh(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def rms_norm(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w


def cross_entropy(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    logp = x - torch.logsumexp(x, -1, keepdim=True)
    return -(logp * target).sum(-1).mean()


def batch_norm(x: torch.Tensor) -> torch.Tensor:
    mean = x.mean((0, 2, 3), keepdim=True)
    return (x - mean) / (x.var((0, 2, 3), keepdim=True) + 1e-5).sqrt()


def rope(x: torch.Tensor, c: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    return x * c + torch.cat([-x[..., 8:], x[..., :8]], -1) * s


def kl_divergence(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return F.kl_div(torch.log_softmax(x, -1), torch.log_softmax(y, -1), reduction="batchmean", log_target=True)


def heads(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """x @ W + b as queries, keys and values of 3 heads, each row-major."""
    parts = (x @ w + b).reshape(2, 5, 3, 3, 4).permute(2, 0, 3, 1, 4)
    return tuple(part.contiguous() for part in parts.unbind(0))


def attention_of_heads(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    q, k, v = (part.reshape(2, 5, 3, 4).transpose(1, 2).reshape(6, 5, 4) for part in (x @ w + b).chunk(3, -1))
    return torch.softmax(q @ k.transpose(1, 2) * 0.5, -1) @ v


def windows(x: torch.Tensor) -> torch.Tensor:
    """Rows normalised, rolled, and cut into windows."""
    n, h, w, c = x.shape
    y = torch.roll(F.layer_norm(x, (c,)), (-2, -2), (1, 2))
    return y.view(n, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)


def randn(*shapes: Sequence[int], dtype: torch.dtype = torch.float32) -> Inputs:
    """Inputs of these shapes; the same at every call."""

    def make() -> Sequence[torch.Tensor]:
        generator = torch.Generator().manual_seed(0)
        return [torch.randn(list(s), generator=generator).to(dtype) for s in shapes]

    return make


def _typed(
    name: str, function: Callable[..., Any], shapes: Sequence[Sequence[int]], kernels: int | None = None
) -> list[Case]:
    """One case a float type."""
    types = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f64": torch.float64}
    return [Case(f"{name}-{n}", function, randn(*shapes, dtype=t), kernels) for n, t in types.items()]


def _sized(name: str, function: Callable[..., Any], kernels: int | None = None) -> list[Case]:
    """One case a shape: one row, one column, primes, a row that is read in a loop."""
    shapes = {"row": (1, 77), "column": (77, 1), "prime": (17, 1031), "long": (2, 16411)}
    return [Case(f"{name}-{n}", function, randn(s), None if n == "long" else kernels) for n, s in shapes.items()]


LITERATURE = [
    *_typed("relu", lambda x, b: torch.relu(x * 2 + b), ((33, 65), (65,)), 1),
    *_typed("softmax", lambda x: torch.softmax(x, -1), ((33, 65),), 1),
    *_typed("layer_norm", lambda x, w, b: F.layer_norm(x, (65,), w, b), ((33, 65), (65,), (65,)), 1),
    *_typed("rms_norm", rms_norm, ((33, 65), (65,)), 1),
    *_typed("gelu_by_hand", gelu_by_hand, ((33, 65),), 1),
    *_typed("gelu_tanh", gelu_tanh, ((33, 65),), 1),
    *_sized("softmax", lambda x: torch.softmax(x, -1), 1),
    *_sized("log_softmax", lambda x: torch.log_softmax(x, -1), 1),
    *_sized("column_sum", lambda x: (x * x).sum(0)),
    *_sized("layer_norm", lambda x: F.layer_norm(x, x.shape[-1:]), 1),
    *_sized("argmax", lambda x: (x.argmax(-1), x.argmin(0), x.max(-1).values)),
    Case("normalized", lambda x: x / x.sum(), randn((33, 65)), 3),
    Case("mse", lambda x, t: ((x - t) ** 2).mean(), randn((33, 65), (33, 65)), 2),
    Case("sin_cos", lambda x: (torch.sin(x), torch.cos(x)), randn((33, 65)), 1),
    Case("linear_gelu", lambda x, w, b: F.gelu(x @ w + b), randn((32, 48), (48, 16), (16,)), 1),
    Case("swiglu", lambda x, v, w: F.silu(x @ v) * (x @ w), randn((32, 48), (48, 16), (48, 16)), 1),
    Case("linear_relu_sum", lambda x, w: (torch.relu(x @ w + 1) * 0.5).sum(), randn((32, 48), (48, 16)), 2),
    Case("cross_entropy", cross_entropy, randn((13, 37), (13, 37))),
    Case("group_norm", lambda x: F.group_norm(x, 4), randn((2, 8, 5, 7))),
    Case("batch_norm", batch_norm, randn((4, 8, 5, 7))),
    Case("attention", lambda q, k, v: torch.softmax(q @ k.transpose(-1, -2) * 0.1, -1) @ v, randn(*[(2, 3, 8, 4)] * 3)),
    Case("rope", rope, randn((2, 3, 7, 16), (7, 16), (7, 16)), 1),
    Case("heads", heads, randn((2, 5, 8), (8, 36), (36,)), 1),
    Case("attention_of_heads", attention_of_heads, randn((2, 5, 8), (8, 36), (36,)), 2),
    Case("windows", windows, randn((2, 8, 8, 12)), 1),
    Case("kl_divergence", kl_divergence, randn((520, 9), (520, 9)), 2),
    Case("deep", lambda x: functools.reduce(lambda a, _: torch.sin(a) + a, range(6), x), randn((17, 31)), 1),
    Case("variance", lambda x: (x.var(0), x.std(), x.mean(1)), randn((33, 65))),
    Case("softmax_of_permuted", lambda x: torch.softmax(x.permute(2, 0, 1), 1), randn((4, 5, 6))),
    Case("outer_sums", lambda x: (x.sum((0, 2)), x.mean(1), x.amax((1, 2))), randn((4, 5, 6))),
]

_special = torch.tensor([1.0, float("nan"), 3.0, -0.0, 0.0, float("inf"), -float("inf"), 1e-40] * 4)

ODD = [
    Case("moved", lambda x: torch.cat([F.pad(x, (1, 2)).permute(1, 0)[1:], x.t()[:2] * 3], 0).relu(), randn((5, 8))),
    Case("flip_roll", lambda x: torch.flip(x, [0, 1]) + torch.roll(x, 2, 0), randn((7, 5)), exact=True),
    Case("stack", lambda x, y: torch.stack([x, y, x], 1).amax(1), randn((4, 5), (4, 5)), exact=True),
    Case("triangles", lambda x: torch.tril(x) + torch.triu(x, 1), randn((9, 11)), exact=True),
    Case("bool", lambda x, y: ((x > y) & (x < 1)) | (y != y), randn((5, 8), (5, 8)), exact=True),
    Case("not", lambda x: ~(x > 0), randn((5, 8)), exact=True),
    Case("any_all", lambda x: ((x > 0).any(0), (x > -9).all(), (x > 0).sum()), randn((5, 8)), exact=True),
    Case(
        "int64",
        lambda x: (x // 3, x % -3, x * x - 7, x.sum(), x.amax(0), ~x),
        (lambda: [torch.arange(-20, 20).reshape(8, 5)]),
        exact=True,
    ),
    Case(
        "int8",
        lambda x: torch.clamp(x, -5, 5) + x * 3,
        (lambda: [torch.arange(-128, 128, dtype=torch.int8)]),
        exact=True,
    ),
    Case(
        "uint8",
        lambda x: (torch.clamp(x, 3, 200) + x * 3, x // 3, x.float(), x.amax()),
        (lambda: [torch.arange(256).to(torch.uint8)]),
        exact=True,
    ),
    Case(
        "long_int", lambda x: (x.sum(), x.max(), x.min(), x.argmax()), (lambda: [torch.arange(-9000, 9001)]), exact=True
    ),
    Case(
        "special",
        lambda x: (x.max(), x.argmax(), x.amin(0), torch.clamp(x, 0, 1), torch.maximum(x, -x), torch.relu(x), -x),
        (lambda: [_special]),
        exact=True,
    ),
    Case(
        "f64_constants",
        lambda x: (torch.clamp(x, min=0.1), torch.where(x > 0.1, x, 0.3) * 0.7, x / 3),
        randn((50,), dtype=torch.float64),
    ),
    Case("no_rows", lambda x: (torch.relu(x) + 1, x.sum(), x.sum(0), x.sum(1), x.t()), randn((0, 5)), exact=True),
    Case("no_columns", lambda x: (torch.softmax(x, -1), x.sum(), x.sum(0), x.sum(1)), randn((5, 0)), exact=True),
    Case("empty_joined", lambda x, y: torch.cat([x, y], 1) * 2, randn((5, 0), (5, 3)), exact=True),
    Case("empty_product", lambda x, y: (x @ y).relu() + 1, randn((5, 0), (0, 3)), exact=True),
    Case("rank_0", lambda x: (torch.relu(x) + 1, x.sum(), x.reshape(1) * 2), randn(()), exact=True),
    Case("transposed", lambda x: (x * 2, x.sum(0)), (lambda: [randn((8, 6))()[0].t()])),
    Case("strided", lambda x: (x * 2, x.sum(0)), (lambda: [randn((8, 6))()[0][::2, 1::2]])),
    Case("expanded", lambda x: (x * 2, x.sum(0)), (lambda: [randn((1, 6))()[0].expand(5, 6)])),
    Case(
        "channels_last",
        lambda x: (x * 2, x - x.mean((2, 3), keepdim=True)),
        (lambda: [randn((2, 3, 4, 5))()[0].to(memory_format=torch.channels_last)]),
    ),
    Case("inputs_back", lambda x, y: (x, x + y, x, x.t()), randn((4, 4), (4, 4)), exact=True),
    Case("nothing_computed", lambda x: (x,), randn((4,)), compiles=False, exact=True),
    Case("results_twice", lambda x: (x + 1, x + 1, (x + 1).t()), randn((4, 3)), exact=True),
    Case("viewed_and_used", lambda x, w: (torch.relu(x).t() @ w, torch.relu(x) + 1), randn((6, 7), (6, 5))),
    Case("expanded_result", lambda x: ((x + 1).expand(5, 6), (x + 1).expand(5, 6).t()), randn((1, 6)), exact=True),
    Case(
        "constants",
        lambda x: (torch.ones(3), torch.tensor([1.0, 2.0, float("nan")]), torch.arange(7) + x),
        (lambda: [torch.tensor(3)]),
        exact=True,
    ),
    Case("call_between", lambda x: (x + 1).cumsum(0) * (x + 1), randn((4, 8))),
    Case("sort", lambda x: x.sort(-1).values * 2, randn((4, 8)), exact=True),
]

INDEXED = [
    *(Case(f"gather_{n}", f, inputs, count) for n, (f, inputs, count) in GATHERS.items()),
    *(Case(f"scatter_{n}", f, inputs, count) for n, (f, inputs, count) in SCATTERS.items()),
    *(Case(f"scatter_{n}-i16", f, integers(torch.int16), exact=True) for n, f in INTEGERS.items()),
    *(Case(f"scatter_{n}-i64", f, integers(torch.int64), exact=True) for n, f in INTEGERS.items()),
]

CASES = [*LITERATURE, *ODD, *INDEXED]
