"""Attention written by hand, as models spell it: what stands between the two products differs, no library call fits."""

from __future__ import annotations

import torch

from benchmarks.case import BF16, BOOL, F16, F32, Arg, Case, cases

Tensor = torch.Tensor
CAP = 30.0
WINDOW = 512


def scaled(q: Tensor, k: Tensor) -> Tensor:
    """The scores, divided by the root of the size of a head."""
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5


def distance(q: Tensor, k: Tensor) -> Tensor:
    """How far behind its row each key is; negative for those that come later."""
    return torch.arange(q.shape[-2], device=q.device)[:, None] - torch.arange(k.shape[-2], device=q.device)


def plain(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k).softmax(-1) @ v


def causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k).masked_fill(distance(q, k) < 0, -torch.inf).softmax(-1) @ v


def capped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Gemma 2."""
    scores = CAP * torch.tanh(scaled(q, k) / CAP)
    return scores.masked_fill(distance(q, k) < 0, -torch.inf).softmax(-1) @ v


def windowed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Mistral."""
    behind = distance(q, k)
    return scaled(q, k).masked_fill((behind < 0) | (behind >= WINDOW), -torch.inf).softmax(-1) @ v


def sloped(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """ALiBi: a bias that grows with the distance, at a slope for each head."""
    behind = distance(q, k)
    scores = scaled(q, k) - slopes[:, None, None] * behind
    return scores.masked_fill(behind < 0, -torch.inf).softmax(-1).to(v.dtype) @ v


def biased(q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
    """T5 and Swin: a learned number for each pair of positions."""
    return (scaled(q, k) + bias).softmax(-1) @ v


def grouped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Llama: several heads of queries share one of keys and values."""
    groups = q.shape[1] // k.shape[1]
    return causal(q, *(x.repeat_interleave(groups, 1) for x in (k, v)))


def padded(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor) -> Tensor:
    """BERT: sequences of one batch end at places of their own."""
    return scaled(q, k).masked_fill(hidden, -torch.inf).softmax(-1) @ v


def in_float32(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Scores widened before their softmax."""
    return scaled(q, k).float().softmax(-1).to(v.dtype) @ v


def _cases() -> list[Case]:
    case = cases("attention")
    long, middle, image = (4, 32, 4096, 128), (8, 16, 2048, 64), (64, 12, 197, 64)
    return [
        case("plain 4x32x4096x128 bf16", plain, long, long, long, dtype=BF16),
        case("causal 4x32x4096x128 bf16", causal, long, long, long, dtype=BF16),
        case("causal, capped 4x32x4096x128 bf16", capped, long, long, long, dtype=BF16),
        case("causal, 512 keys 4x32x4096x128 bf16", windowed, long, long, long, dtype=BF16),
        case("causal 8x16x2048x64 bf16", causal, middle, middle, middle, dtype=BF16),
        case("causal, sloped 8x16x2048x64 bf16", sloped, middle, middle, middle, Arg((16,), F32), dtype=BF16),
        case("biased 16x8x1024x64 f16", biased, *[(16, 8, 1024, 64)] * 3, (1, 8, 1024, 1024), dtype=F16),
        case("causal, 32 heads share 8 4x2048x128 bf16", grouped, (4, 32, 2048, 128), *[(4, 8, 2048, 128)] * 2, dtype=BF16),
        case("padded 16x12x512x64 bf16", padded, *[(16, 12, 512, 64)] * 3, Arg((16, 1, 1, 512), BOOL), dtype=BF16),
        case("image 64x12x197x64 bf16", plain, image, image, image, dtype=BF16),
        case("image 32x16x577x64 f16", plain, *[(32, 16, 577, 64)] * 3, dtype=F16),
        case("text of 77 words 8x10x4096x64 f16", plain, (8, 10, 4096, 64), *[(8, 10, 77, 64)] * 2, dtype=F16),
        case("in float32 8x16x1024x96 bf16", in_float32, *[(8, 16, 1024, 96)] * 3, dtype=BF16),
    ]  # fmt: skip


CASES = _cases()
