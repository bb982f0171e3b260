"""Elementwise and broadcast cases."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, BOOL, F16, Arg, cases

SQUARE = (8192, 8192)
LONG = (65536, 4096)
WIDE = (16384, 16384)


def gelu_by_hand(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1 + torch.erf(x * 0.7071067811865476))


def swiglu_backward(dy: torch.Tensor, x: torch.Tensor, g: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    s = torch.sigmoid(g)
    return dy * g * s, dy * x * s * (1 + g * (1 - s))


def gelu_backward(dy: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten.gelu_backward(dy, x)


def attention_bias(s: torch.Tensor, bias: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return torch.where(mask[:, None, None, :], s * 0.125 + bias, -10000.0)


pointwise = cases("pointwise")
broadcast = cases("broadcast")

CASES = (
    pointwise("relu(x*2 + 1) f32", lambda x: torch.relu(x * 2 + 1), SQUARE),
    pointwise("relu(x*2 + bias) f32", lambda x, b: torch.relu(x * 2 + b), SQUARE, (8192,)),
    pointwise("gelu by hand f32", gelu_by_hand, SQUARE),
    pointwise("silu(x*1.5) - x/4 f32", lambda x: F.silu(x * 1.5) - x / 4, SQUARE),
    pointwise("(x + y) * 0.5 f32", lambda x, y: (x + y) * 0.5, SQUARE, SQUARE),
    pointwise("sin and cos f32", lambda x: (torch.sin(x), torch.cos(x)), SQUARE),
    pointwise("tanh(a*x + y) * x f32", lambda x, y: torch.tanh(0.7 * x + y) * x, SQUARE, SQUARE),
    pointwise("relu(x*2 + 1) * x bf16", lambda x: torch.relu(x * 2 + 1) * x, LONG, dtype=BF16),
    pointwise("bias + erf-gelu bf16", lambda x, b: F.gelu(x + b), WIDE, (16384,), dtype=BF16),
    pointwise("bias + tanh-gelu bf16", lambda x, b: F.gelu(x + b, approximate="tanh"), WIDE, (16384,), dtype=BF16),
    pointwise("swiglu bf16", lambda x, g: F.silu(g) * x, (16384, 11008), (16384, 11008), dtype=BF16),
    pointwise("swiglu backward bf16", swiglu_backward, (8192, 11008), (8192, 11008), (8192, 11008), dtype=BF16),
    pointwise("gelu backward bf16", gelu_backward, WIDE, WIDE, dtype=BF16),
    pointwise("mish f16", F.mish, LONG, dtype=F16),
    pointwise("log1p(x*x) ** 0.5 f32", lambda x: torch.log1p(x * x).sqrt(), SQUARE),
    pointwise("masked scale f16", lambda x, m: torch.where(m, x * 1.25, 0), Arg(LONG, F16), Arg(LONG, BOOL)),
    broadcast("column scale f32", lambda x, c: x * c, SQUARE, (8192, 1)),
    broadcast("channel scale and shift bf16", lambda x, s, b: torch.relu(x * s[:, None, None] + b[:, None, None]), (64, 256, 56, 56), (256,), (256,), dtype=BF16),
    broadcast("outer difference bf16", lambda x, y: (x[:, None] - y).abs(), (16384,), (16384,), dtype=BF16),
    broadcast("attention bias and mask bf16", attention_bias, Arg((8, 16, 1024, 1024), BF16), Arg((16, 1024, 1024), BF16), Arg((8, 1024), BOOL)),
)  # fmt: skip
