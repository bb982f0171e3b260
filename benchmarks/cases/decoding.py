"""Decoding: products of a matrix and one vector or few, with what surrounds them in language models; one query.

The least bytes are those of the weights, or of the keys and values.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, F16, Arg, Case, cases, weights, wide
from benchmarks.cases.attention import ONE_QUERY
from benchmarks.cases.norms import layer_norm, rms_norm


def gated(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
    return F.linear(F.silu(F.linear(x, a)) * F.linear(x, b), down)


def gated_products(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
    """Its three products, the second added to the first by the library."""
    return F.linear(torch.addmm(F.linear(x, a), x, b.mT), down)


def gated_block(x: torch.Tensor, w: torch.Tensor, a: torch.Tensor, b: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
    """Norm, gated unit and residual."""
    return x + gated(rms_norm(x, w), a, b, down)


def gelu_block(
    x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, up: torch.Tensor, c: torch.Tensor, down: torch.Tensor
) -> torch.Tensor:
    """Norm, two linear layers with a GELU between them, and residual."""
    return x + F.linear(F.gelu(F.linear(layer_norm(x, w, b), up, c)), down, w)


def projections(
    x: torch.Tensor, w: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """Queries, keys and values of one normalised row; fewer heads of keys and values."""
    y = rms_norm(x, w)
    return F.linear(y, q), F.linear(y, k), F.linear(y, v)


def added(x: torch.Tensor, w: torch.Tensor, r: torch.Tensor) -> torch.Tensor:
    return r + F.linear(x, w)


def words(x: torch.Tensor, w: torch.Tensor, head: torch.Tensor) -> torch.Tensor:
    """The probabilities of the next word."""
    return torch.softmax(wide(F.linear(rms_norm(x, w), head)), -1)


def gated_unit(name: str, tokens: int, d: int, h: int, dtype: torch.dtype = BF16, family: str = "decoding") -> Case:
    """From `d` to `h` features and back."""
    layers = weights(h, d, dtype), weights(h, d, dtype), weights(d, h, dtype)
    return cases(family)(name, gated, Arg((tokens, d), dtype), *layers, beside={"products": gated_products})


def _cases() -> list[Case]:
    case = cases("decoding")
    found: list[Case] = []
    for model, d, h, kv, dtype in (
        ("1B", 2048, 8192, 512, BF16), ("7B", 4096, 11008, 4096, F16), ("8B", 4096, 14336, 1024, BF16)
    ):  # fmt: skip
        x = (1, d)
        sizes = f"{model} {'bf16' if dtype == BF16 else 'f16'}"
        found += [
            gated_unit(f"gated unit, {sizes}", 1, d, h, dtype),
            case(f"gated block, {sizes}", gated_block, x, (d,), (h, d), (h, d), (d, h), dtype=dtype),
            case(f"queries, keys, values, {sizes}", projections, x, (d,), (d, d), (kv, d), (kv, d), dtype=dtype),
            case(f"output and residual, {sizes}", added, x, (d, d), x, dtype=dtype),
        ]
    for model, d, h, tokens in (("8B", 4096, 14336, 2), ("8B", 4096, 14336, 4), ("8B", 4096, 14336, 8),
                                ("70B", 8192, 28672, 1), ("70B", 8192, 28672, 16)):  # fmt: skip
        found.append(gated_unit(f"gated unit, {model} bf16, tokens: {tokens}", tokens, d, h))
    return [
        *found,
        *ONE_QUERY,
        case(
            "linear, gelu, linear 768 bf16",
            gelu_block,
            (1, 768),
            (768,),
            (768,),
            (3072, 768),
            (3072,),
            (768, 3072),
            dtype=BF16,
        ),
        case(
            "linear, gelu, linear 1024 f32",
            gelu_block,
            (1, 1024),
            (1024,),
            (1024,),
            (4096, 1024),
            (4096,),
            (1024, 4096),
        ),
        case("words 32000 x 4096 bf16", words, (1, 4096), (4096,), (32000, 4096), dtype=BF16),
        case("words 128256 x 2048 bf16", words, (1, 2048), (2048,), (128256, 2048), dtype=BF16),
        case("row times matrix 4096 x 11008 bf16", torch.matmul, (1, 4096), (4096, 11008), dtype=BF16),
        case("matrix times column 11008 x 4096 f32", torch.matmul, (11008, 4096), (4096, 1)),
        case("rows times matrices, 64 heads bf16", torch.matmul, (64, 1, 2048), (64, 2048, 128), dtype=BF16),
        case(
            "rows times transposed matrices, 64 heads bf16",
            lambda q, k: q @ k.mT,
            (64, 1, 128),
            (64, 2048, 128),
            dtype=BF16,
        ),
    ]


CASES = _cases()
