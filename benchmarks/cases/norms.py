"""Softmax, norms, and their gradients."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, F16, Arg, cases, wide

LONG = (65536, 4096)


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1)


def softmax_backward(dy: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten._softmax_backward_data(dy, y, -1, y.dtype)


def causal_softmax(scores: torch.Tensor) -> torch.Tensor:
    size = scores.shape[-1]
    places = torch.arange(size, device=scores.device)
    hidden = places[:, None] < places
    return torch.softmax(torch.where(hidden, float("-inf"), scores * 0.125), -1)


def rms_norm(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    f = wide(x)
    return (f * torch.rsqrt(f.square().mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * w


def rms_norm_residual(x: torch.Tensor, r: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h = x + r
    return h, rms_norm(h, w)


def layer_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(x, (x.shape[-1],), w, b)


def layer_norm_residual(x: torch.Tensor, r: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> Any:
    h = x + r
    return h, layer_norm(h, w, b)


def group_norm_silu(x: torch.Tensor) -> torch.Tensor:
    """Groups of 16 channels."""
    return F.silu(F.group_norm(x, x.shape[1] // 16))


def batch_norm(x: torch.Tensor) -> torch.Tensor:
    return F.relu(F.batch_norm(x, None, None, training=True))


def batch_norm_inference(
    x: torch.Tensor, mean: torch.Tensor, var: torch.Tensor, w: torch.Tensor, b: torch.Tensor
) -> torch.Tensor:
    return F.relu(F.batch_norm(x, mean, var, w, b))


def layer_norm_backward(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> Any:
    """The gradients of x, w and b; the statistics are computed anew."""
    f = wide(x)
    mean = f.mean(-1, keepdim=True)
    rstd = torch.rsqrt(f.var(-1, keepdim=True, unbiased=False) + 1e-5)
    return torch.ops.aten.native_layer_norm_backward(dy, x, [x.shape[-1]], mean, rstd, w, w, [True, True, True])


def rms_norm_backward(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of x and w, y = x * rstd * w."""
    f, g = wide(x), wide(dy)
    rstd = torch.rsqrt(f.square().mean(-1, keepdim=True) + 1e-6)
    n, gw = f * rstd, g * w
    dx = rstd * (gw - n * (gw * n).mean(-1, keepdim=True))
    return dx.to(x.dtype), (g * n).sum(0).to(w.dtype)


row = cases("softmax")
norm = cases("norm")

CASES = (
    row("softmax bf16 65536x4096", softmax, LONG, dtype=BF16, rows=(0,)),
    row("softmax bf16 8192x32768", softmax, (8192, 32768), dtype=BF16, rows=(0,)),
    row("softmax bf16 2048x131072", softmax, (2048, 131072), dtype=BF16, rows=(0,)),
    row("softmax f32 512x262144", softmax, (512, 262144), rows=(0,)),
    row("softmax f32 65536x1024", softmax, (65536, 1024), rows=(0,)),
    row("softmax f16 262144x512", softmax, (262144, 512), dtype=F16, rows=(0,)),
    row("softmax bf16 2097152x64", softmax, (2097152, 64), dtype=BF16, rows=(0,)),
    row("softmax of columns f16 4096x65536", lambda x: torch.softmax(x, 0), (4096, 65536), dtype=F16),
    row("softmax of the middle axis f32", lambda x: torch.softmax(x, 1), (256, 1024, 512), rows=(0,)),
    row("log_softmax f32 16384x8192", lambda x: F.log_softmax(x, -1), (16384, 8192), rows=(0,)),
    row("causal softmax bf16 64x2048x2048", causal_softmax, (64, 2048, 2048), dtype=BF16, rows=(0,)),
    row("softmax backward bf16 65536x4096", softmax_backward, LONG, LONG, dtype=BF16, rows=(0, 1)),
    norm("layer norm bf16 65536x4096", layer_norm, LONG, (4096,), (4096,), dtype=BF16, rows=(0,)),
    norm("layer norm f32 131072x768", layer_norm, (131072, 768), (768,), (768,), rows=(0,)),
    norm("layer norm f32 1048576x64", layer_norm, (1048576, 64), (64,), (64,), rows=(0,)),
    norm("layer norm f16 8192x16384", layer_norm, (8192, 16384), (16384,), (16384,), dtype=F16, rows=(0,)),
    norm("layer norm + residual f16", layer_norm_residual, (32768, 4096), (32768, 4096), (4096,), (4096,), dtype=F16, rows=(0, 1)),
    norm("rms norm bf16 65536x4096", rms_norm, LONG, (4096,), dtype=BF16, rows=(0,)),
    norm("rms norm f32 8192x16384", rms_norm, (8192, 16384), (16384,), rows=(0,)),
    norm("rms norm + residual bf16", rms_norm_residual, (32768, 4096), (32768, 4096), (4096,), dtype=BF16, rows=(0, 1)),
    norm("normalize bf16 262144x1024", lambda x: F.normalize(x, dim=-1), (262144, 1024), dtype=BF16, rows=(0,)),
    norm("group norm + silu bf16", group_norm_silu, (32, 512, 64, 64), dtype=BF16, rows=(0,)),
    norm("instance norm f32", lambda x: F.instance_norm(x), (32, 128, 128, 128), rows=(0,)),
    norm("batch norm inference + relu bf16", batch_norm_inference, (64, 256, 56, 56), (256,), Arg((256,), BF16, positive=True), (256,), (256,), dtype=BF16, rows=(0,)),
    norm("batch norm training + relu bf16", batch_norm, (64, 256, 56, 56), dtype=BF16),
    norm("layer norm backward bf16 16384x4096", layer_norm_backward, (16384, 4096), (16384, 4096), (4096,), dtype=BF16),
    norm("rms norm backward bf16 16384x4096", rms_norm_backward, (16384, 4096), (16384, 4096), (4096,), dtype=BF16),
)  # fmt: skip
