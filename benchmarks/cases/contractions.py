"""Products of matrices with what surrounds them in models, and bare ones: what the library takes alone."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, F16, Arg, Case, cases
from benchmarks.cases.decoding import added, gated


def linear_gelu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.gelu(F.linear(x, w, b))


def linear_relu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.relu(F.linear(x, w, b))


def gates(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.silu(F.linear(x, a)) * F.linear(x, b)


def activated(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """What comes before the product."""
    return F.silu(x) @ w


def scaled(x: torch.Tensor, w: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Weights of 8 bits with a scale for each output."""
    return F.linear(x, w.to(x.dtype)) * scale


def _cases() -> list[Case]:
    case = cases("contractions")
    found: list[Case] = []
    for m, k, n in ((8192, 4096, 16384), (4096, 4096, 4096), (2048, 768, 3072), (512, 4096, 14336), (64, 4096, 4096)):
        sizes = f"{m} x {k} x {n} bf16"
        found += [
            case(f"bare {sizes}", torch.matmul, (m, k), (k, n), dtype=BF16),
            case(f"linear, gelu {sizes}", linear_gelu, (m, k), (n, k), (n,), dtype=BF16),
            case(f"linear and residual {sizes}", added, (m, k), (n, k), (m, n), dtype=BF16),
        ]
    return [
        *found,
        case("linear, relu 4096 x 1000 x 2048 f16", linear_relu, (4096, 1000), (2048, 1000), (2048,), dtype=F16),
        case("gates 4096 x 4096 x 11008 bf16", gates, (4096, 4096), (11008, 4096), (11008, 4096), dtype=BF16),
        case("gates 16 x 4096 x 14336 bf16", gates, (16, 4096), (14336, 4096), (14336, 4096), dtype=BF16),
        case("gated unit 16 x 4096 x 14336 bf16", gated, (16, 4096), *[(14336, 4096)] * 2, (4096, 14336), dtype=BF16),
        case("silu, product 4096 x 4096 x 4096 bf16", activated, (4096, 4096), (4096, 4096), dtype=BF16),
        case(
            "weights of 8 bits 512 x 4096 x 4096", scaled,
            Arg((512, 4096), BF16), Arg((4096, 4096), torch.int8, high=100), Arg((4096,), BF16),
        ),
    ]  # fmt: skip


CASES = _cases()
