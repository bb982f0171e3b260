"""Products of matrices with what surrounds them in models, and bare ones: what the library takes alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, F16, F32, Arg, Case, Shape, cases, weights
from benchmarks.cases.decoding import added, gated_unit
from benchmarks.cases.norms import rms_norm

Tensor = torch.Tensor
TEXT = {BF16: "bf16", F16: "f16", F32: "f32"}
BARE = (
    *((size, size, size) for size in (1024, 2048, 8192)),
    (131072, 256, 256),
    (65536, 1024, 64),
    (64, 1024, 65536),
    (256, 65536, 256),
)
"""Square, tall, thin, wide and deep, beside those that have an epilogue."""
BATCHED = ((512, 128, 128, 128), (64, 1024, 128, 1024), (8, 2048, 2048, 2048))
LAYERS = (
    ("8B, queries, keys, values", 4096, 6144),
    ("8B, gate and up", 4096, 28672),
    ("8B, down", 14336, 4096),
    ("70B, output", 8192, 8192),
)
"""Of Llama 3: inputs and outputs."""
TOKENS = (1, 16, 256, 16384)


def linear_gelu(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.gelu(F.linear(x, w, b))


def linear_tanh_gelu(x: Tensor, w: Tensor) -> Tensor:
    return F.gelu(F.linear(x, w), approximate="tanh")


def linear_relu(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return torch.relu(F.linear(x, w, b))


def linear_relu_squared(x: Tensor, w: Tensor) -> Tensor:
    return torch.relu(F.linear(x, w)).square()


def linear_softmax(x: Tensor, w: Tensor) -> Tensor:
    """A router of experts."""
    return torch.softmax(F.linear(x, w), -1)


def linear_dropout_residual(x: Tensor, w: Tensor, b: Tensor, r: Tensor) -> Tensor:
    return r + F.dropout(F.linear(x, w, b), 0.1)


def linear_residual_norm(x: Tensor, w: Tensor, r: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
    h = r + F.linear(x, w)
    return h, rms_norm(h, scale)


def norm_linear(x: Tensor, w: Tensor, scale: Tensor) -> Tensor:
    return F.linear(rms_norm(x, scale), w)


def gates(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return F.silu(F.linear(x, a)) * F.linear(x, b)


def activated(x: Tensor, w: Tensor) -> Tensor:
    """What comes before the product."""
    return F.silu(x) @ w


def scaled(x: Tensor, w: Tensor, scale: Tensor) -> Tensor:
    """Weights of 8 bits with a scale for each output."""
    return F.linear(x, w.to(x.dtype)) * scale


def scores_by_sum(x: Tensor, y: Tensor) -> Tensor:
    """Of all pairs of positions in a chunk, by head, as scans over states spell them without a product."""
    return (x[:, :, None] * y[:, None]).sum(-1)


def scores_alone(x: Tensor, y: Tensor) -> Tensor:
    return torch.einsum("clhn,cshn->clsh", x, y)


def linear_alone(x: Tensor, w: Tensor, *more: Tensor) -> Tensor:
    return F.linear(x, w)


def gates_alone(x: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return F.linear(x, a), F.linear(x, b)


def product_alone(x: Tensor, w: Tensor) -> Tensor:
    return x @ w


def layer(
    title: str, function: Callable[..., Any], m: int, k: int, n: int, *more: Shape | Arg,
    dtype: torch.dtype = BF16, repeatable: bool = True,
) -> Case:  # fmt: skip
    """A function of rows [m, k], weights [n, k] and more."""
    name = f"{title} {m} x {k} x {n} {TEXT[dtype]}"
    beside = {"products": gates_alone if function is gates else linear_alone}
    make = cases("contractions")
    return make(name, function, (m, k), weights(n, k, dtype), *more, dtype=dtype, beside=beside, repeatable=repeatable)


def bare(m: int, k: int, n: int, dtype: torch.dtype = BF16) -> Case:
    return cases("contractions")(f"bare {m} x {k} x {n} {TEXT[dtype]}", torch.matmul, (m, k), (k, n), dtype=dtype)


def products() -> list[Case]:
    """Bare ones, batches, and the linear layers of models."""
    case = cases("contractions")
    found = [*(bare(*sizes) for sizes in BARE), bare(4096, 4096, 4096, F16), bare(4096, 4096, 4096, F32)]
    for b, m, k, n in BATCHED:
        found.append(case(f"bare {b} of {m} x {k} x {n} bf16", torch.matmul, (b, m, k), (b, k, n), dtype=BF16))
    for number, (title, k, n) in enumerate(LAYERS):
        found += [layer(title, F.linear, m, k, n) for m in TOKENS[number % 2 :: 2]]
    return found


def epilogues() -> list[Case]:
    """Linear layers and what stands before and behind them."""
    found: list[Case] = []
    for m, k, n in ((8192, 4096, 16384), (4096, 4096, 4096), (2048, 768, 3072), (512, 4096, 14336), (64, 4096, 4096)):
        found += [
            bare(m, k, n),
            layer("linear, gelu", linear_gelu, m, k, n, (n,)),
            layer("linear and residual", added, m, k, n, (m, n)),
        ]
    case, alone = cases("contractions"), {"products": product_alone}
    return [
        *found,
        layer("linear, relu", linear_relu, 4096, 1000, 2048, (2048,), dtype=F16),
        layer("linear, gelu by tanh", linear_tanh_gelu, 4096, 3584, 14336),
        layer("linear, relu squared", linear_relu_squared, 8192, 1024, 4096),
        layer("linear, softmax", linear_softmax, 16384, 4096, 128),
        layer("linear, dropout, residual", linear_dropout_residual, 8192, 4096, 1024, (1024,), (8192, 1024), repeatable=False),
        layer("linear, residual, norm", linear_residual_norm, 8192, 4096, 4096, (8192, 4096), (4096,)),
        layer("norm, linear", norm_linear, 8192, 4096, 6144, (4096,)),
        layer("gates", gates, 4096, 4096, 11008, weights(11008, 4096)),
        layer("gates", gates, 16, 4096, 14336, weights(14336, 4096)),
        gated_unit("gated unit 16 x 4096 x 14336 bf16", 16, 4096, 14336, family="contractions"),
        gated_unit("gated unit 4096 x 4096 x 14336 bf16", 4096, 4096, 14336, family="contractions"),
        case("silu, product 4096 x 4096 x 4096 bf16", activated, (4096, 4096), (4096, 4096), dtype=BF16, beside=alone),
        case(
            "scores by a sum 8 x 256 x 16 x 128 f32", scores_by_sum, (8, 256, 16, 128), (8, 256, 16, 128), dtype=F32,
            beside={"products": scores_alone},
        ),
        case(
            "weights of 8 bits 512 x 4096 x 4096", scaled,
            Arg((512, 4096), BF16), Arg((4096, 4096), torch.int8, high=100), Arg((4096,), BF16),
        ),
    ]  # fmt: skip


def gradients() -> tuple[Case, ...]:
    """Layers in training, with gradients of their rows, weights and vectors."""
    return (
        layer("linear, gelu", linear_gelu, 8192, 4096, 16384, (16384,)).backward(0, 1, 2),
        layer("linear, gelu", linear_gelu, 2048, 768, 3072, (3072,)).backward(0, 1, 2),
        layer("linear and residual", added, 4096, 4096, 4096, (4096, 4096)).backward(0, 1, 2),
        layer("norm, linear", norm_linear, 8192, 4096, 6144, (4096,)).backward(0, 1, 2),
        layer("gates", gates, 4096, 4096, 11008, weights(11008, 4096)).backward(0, 1, 2),
    )


CASES = (*products(), *epilogues())
BACKWARD = gradients()
