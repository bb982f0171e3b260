"""Backward regions: gradients of rows beside sums over columns, channels and images."""

from __future__ import annotations

from typing import Any

import torch

from benchmarks.case import BF16, BOOL, F16, F32, Arg, Shape, cases, wide
from benchmarks.cases.norms import layer_norm_backward, rms_norm_backward


def batch_norm_backward(
    dy: torch.Tensor, y: torch.Tensor, x: torch.Tensor, w: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor
) -> Any:
    """The gradients of images, scale and shift, through the relu that gave `y`."""
    g = torch.where(y > 0, dy, 0)
    return torch.ops.aten.native_batch_norm_backward(g, x, w, None, None, mean, rstd, True, 1e-5, [True, True, True])


def dropout_norm_backward(
    dy: torch.Tensor, dh: torch.Tensor, h: torch.Tensor, keep: torch.Tensor, w: torch.Tensor
) -> Any:
    """Layer norm, its residual and the dropout before it: gradients of h, x, w and b."""
    dn, dw, db = layer_norm_backward(dy, h, w)
    total = dn + dh
    return total, torch.where(keep, total * (1 / 0.9), 0), dw, db


def rms_norm_residual_backward(dy: torch.Tensor, dh: torch.Tensor, h: torch.Tensor, w: torch.Tensor) -> Any:
    dx, dw = rms_norm_backward(dy, h, w)
    return dx + dh, dw


def gelu_bias_backward(dy: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradient before a gelu, and of the bias added before it."""
    dx = torch.ops.aten.gelu_backward(dy, x)
    return dx, dx.sum(0)


def masked_softmax_backward(dy: torch.Tensor, p: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    f, g = wide(p), wide(dy)
    ds = f * (g - (f * g).sum(-1, keepdim=True))
    return (torch.where(mask[:, None, None], ds, 0) * 0.125).to(dy.dtype)


def squeeze_excite_backward(dy: torch.Tensor, x: torch.Tensor, s: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of images [N, C, H, W] and of the gate's logits [N, C]."""
    gate = torch.sigmoid(s)
    ds = (wide(dy) * wide(x)).sum((2, 3))
    return dy * gate[:, :, None, None], (ds * gate * (1 - gate)).to(s.dtype)


def rotary_backward(dy: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    half = dy.shape[-1] // 2
    g = dy * sin
    return dy * cos + torch.cat([g[..., half:], -g[..., :half]], -1)


def layer_scale_backward(dy: torch.Tensor, x: torch.Tensor, gamma: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return dy * gamma, (wide(dy) * wide(x)).sum((0, 1)).to(gamma.dtype)


def clip(g: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradients scaled to a norm of at most one."""
    norm = torch.linalg.vector_norm(wide(g))
    return (g * (1 / (norm + 1e-6)).clamp_max(1.0)).to(g.dtype), norm


def group_norm_backward(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> Any:
    """Of groups of 16 channels."""
    n, c, h, width = x.shape
    groups = c // 16
    f = wide(x).reshape(n, groups, -1)
    mean = f.mean(-1)
    rstd = torch.rsqrt(f.var(-1, unbiased=False) + 1e-5)
    args = (dy, x, mean.to(x.dtype), rstd.to(x.dtype), w, n, c, h * width, groups)
    return torch.ops.aten.native_group_norm_backward(*args, [True, True, True])


def imaged(dtype: torch.dtype, *shape: int) -> tuple[Arg, ...]:
    """dy, y and x of these images, then scale, mean and reciprocal deviation of the channels."""
    one, channels = Arg(shape, dtype), Arg((shape[1],), F32)
    return one, one, one, channels, channels, Arg((shape[1],), F32, positive=True)


def rows_of(count: int, dtype: torch.dtype, *shape: int) -> tuple[Arg, ...]:
    """`count` inputs of one shape, then a vector of its last axis."""
    return (*[Arg(shape, dtype)] * count, Arg(shape[-1:], dtype))


region = cases("regions")
SCORES: Shape = (16, 16, 1024, 1024)

CASES = (
    region("batch norm + relu backward bf16 64x256x56x56", batch_norm_backward, *imaged(BF16, 64, 256, 56, 56)),
    region("batch norm + relu backward f16 128x512x28x28", batch_norm_backward, *imaged(F16, 128, 512, 28, 28)),
    region("batch norm + relu backward f32 256x2048x7x7", batch_norm_backward, *imaged(F32, 256, 2048, 7, 7)),
    region("layer norm backward bf16 1024x4096", layer_norm_backward, *rows_of(2, BF16, 1024, 4096)),
    region("layer norm backward bf16 65536x1024", layer_norm_backward, *rows_of(2, BF16, 65536, 1024)),
    region("layer norm backward f32 32768x768", layer_norm_backward, *rows_of(2, F32, 32768, 768)),
    region("layer norm backward f16 4096x8192", layer_norm_backward, *rows_of(2, F16, 4096, 8192)),
    region("rms norm backward bf16 2048x4096", rms_norm_backward, *rows_of(2, BF16, 2048, 4096)),
    region("rms norm backward f32 65536x2048", rms_norm_backward, *rows_of(2, F32, 65536, 2048)),
    region("rms norm + residual backward bf16 16384x5120", rms_norm_residual_backward, *rows_of(3, BF16, 16384, 5120)),
    region("dropout + residual + norm backward bf16 32768x1024", dropout_norm_backward, *[Arg((32768, 1024), BF16)] * 3, Arg((32768, 1024), BOOL), Arg((1024,), BF16)),
    region("group norm backward bf16 32x256x64x64", group_norm_backward, (32, 256, 64, 64), (32, 256, 64, 64), (256,), dtype=BF16),
    region("bias gradient bf16 16384x12288", lambda dy: dy.sum(0), (16384, 12288), dtype=BF16),
    region("bias gradient of images f16 64x256x56x56", lambda dy: dy.sum((0, 2, 3)), (64, 256, 56, 56), dtype=F16),
    region("gelu + bias gradient bf16 8192x16384", gelu_bias_backward, (8192, 16384), (8192, 16384), dtype=BF16),
    region("masked softmax backward bf16", masked_softmax_backward, Arg(SCORES, BF16), Arg(SCORES, BF16), Arg((16, 1024), BOOL), rows=(0, 1, 2)),
    region("squeeze-excite backward bf16 64x256x56x56", squeeze_excite_backward, (64, 256, 56, 56), (64, 256, 56, 56), (64, 256), dtype=BF16, rows=(0, 1, 2)),
    region("rotary backward bf16 8x32x2048x128", rotary_backward, (8, 32, 2048, 128), (2048, 128), (2048, 128), dtype=BF16, rows=(0,)),
    region("layer scale backward bf16 64x1024x1024", layer_scale_backward, *rows_of(2, BF16, 64, 1024, 1024)),
    region("clip gradients bf16 16384x4096", clip, (16384, 4096), dtype=BF16),
)  # fmt: skip
