"""Forward regions, as fusion finds them in vision and language models: several ops, one or a few kernels."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, BOOL, F16, F32, I64, Arg, cases, shrunk, wide
from benchmarks.cases.norms import layer_norm, rms_norm


def batch_norm_relu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, mean: torch.Tensor, var: torch.Tensor) -> Any:
    """Training: the result, the statistics for backward, and the moved running statistics."""
    y, m, rstd, new_mean, new_var = torch.ops.aten._native_batch_norm_legit_functional(
        x, w, b, mean, var, True, 0.1, 1e-5
    )
    return torch.relu(y), m, rstd, new_mean, new_var


def batch_norm_add_relu(x: torch.Tensor, r: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The end of a residual block."""
    return torch.relu(F.batch_norm(x, None, None, w, b, training=True) + r)


def dropout_residual_norm(
    x: torch.Tensor, keep: torch.Tensor, r: torch.Tensor, w: torch.Tensor, b: torch.Tensor
) -> Any:
    """What follows the attention of an encoder layer; the mask is an input."""
    h = torch.where(keep, x * (1 / 0.9), 0) + r
    return h, layer_norm(h, w, b)


def masked_softmax_dropout(scores: torch.Tensor, mask: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    p = torch.softmax(torch.where(mask[:, None, None], scores * 0.125, -10000.0), -1)
    return torch.where(keep, p * (1 / 0.9), 0)


def squeeze_excite(x: torch.Tensor, s: torch.Tensor, r: torch.Tensor) -> torch.Tensor:
    """x [N, C, H, W] scaled by a gate s [N, C], and the residual."""
    return torch.relu(x * torch.sigmoid(s)[:, :, None, None] + r)


def squeeze(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """An activation, and what its gate is computed from."""
    y = F.silu(x)
    return y, y.mean((2, 3))


def windows(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Norm, cyclic shift and partition of [N, H, W, C] into windows of 8 x 8."""
    n, h, wide_, c = x.shape
    y = torch.roll(layer_norm(x, w, b), (-4, -4), (1, 2))
    return y.view(n, h // 8, 8, wide_ // 8, 8, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 64, c)


def unwindow(y: torch.Tensor, r: torch.Tensor) -> torch.Tensor:
    """Windows, one after another in `y`, back into their image, and the residual."""
    n, h, wide_, c = r.shape
    x = y.view(n, h // 8, wide_ // 8, 8, 8, c).permute(0, 1, 3, 2, 4, 5).reshape(r.shape)
    return torch.roll(x, (4, 4), (1, 2)) + r


def merge_patches(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    corners = [x[:, i::2, j::2] for j in (0, 1) for i in (0, 1)]
    return layer_norm(torch.cat(corners, -1), w.flatten(), b.flatten())


def concat_norm_relu(*values: torch.Tensor) -> torch.Tensor:
    """A densely connected layer: inputs, then the mean, variance, scale and shift of their channels."""
    *inputs, mean, var, w, b = values
    return F.relu(F.batch_norm(torch.cat(inputs, 1), mean, var, w, b))


def embedding_position_norm(
    tokens: torch.Tensor, table: torch.Tensor, position: torch.Tensor, w: torch.Tensor, b: torch.Tensor
) -> torch.Tensor:
    return layer_norm(F.embedding(tokens, table) + position, w, b)


def qkv_heads(x: torch.Tensor, bias: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """[N, S, 3, heads, D] to q, k and v of [N, heads, S, D]."""
    parts = (x + bias).permute(2, 0, 3, 1, 4)
    return tuple(p.contiguous() for p in parts.unbind(0))


def geglu(x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    value, gate = (x + b).chunk(2, -1)
    return value * F.gelu(gate)


def modulate(x: torch.Tensor, shift: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """The norm of a diffusion transformer: shift and scale of each image."""
    return F.layer_norm(x, (x.shape[-1],)) * (1 + scale[:, None]) + shift[:, None]


def quantize_rows(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """RMS norm, then 8-bit integers with a scale a row."""
    y = wide(rms_norm(x, w))
    scale = y.abs().amax(-1, keepdim=True).clamp_min(1e-6) / 127
    return torch.round(y / scale).to(torch.int8), scale


def dense(dtype: torch.dtype, *channels: int) -> tuple[Arg, ...]:
    """Images of 28 x 28 with these channels; then mean, variance, scale and shift of all their channels."""
    images = [Arg((64, c, 28, 28), dtype) for c in channels]
    total, small = (sum(channels),), (sum(map(shrunk, channels)),)
    one = Arg(total, dtype, small=small)
    return *images, one, Arg(total, dtype, small=small, positive=True), one, one


def normed(dtype: torch.dtype, *shape: int) -> tuple[Arg, ...]:
    """Images, then scale, shift, running mean and running variance of their channels."""
    channels = Arg((shape[1],), F32)
    return Arg(shape, dtype), channels, channels, channels, Arg((shape[1],), F32, positive=True)


region = cases("regions")
TOKENS = Arg((64, 512), I64, high=30522)
SCORES = (16, 16, 1024, 1024)

CASES = (
    region("batch norm + relu forward bf16 64x64x112x112", batch_norm_relu, *normed(BF16, 64, 64, 112, 112)),
    region("batch norm + relu forward f32 64x256x56x56", batch_norm_relu, *normed(F32, 64, 256, 56, 56)),
    region("batch norm + relu forward f16 256x2048x7x7", batch_norm_relu, *normed(F16, 256, 2048, 7, 7)),
    region("batch norm + add + relu bf16 256x512x28x28", batch_norm_add_relu, (256, 512, 28, 28), (256, 512, 28, 28), (512,), (512,), dtype=BF16),
    region("dropout + residual + layer norm bf16 32768x1024", dropout_residual_norm, Arg((32768, 1024), BF16), Arg((32768, 1024), BOOL), Arg((32768, 1024), BF16), Arg((1024,), BF16), Arg((1024,), BF16), rows=(0, 1, 2)),
    region("masked softmax + dropout f16", masked_softmax_dropout, Arg(SCORES, F16), Arg((16, 1024), BOOL), Arg(SCORES, BOOL), rows=(0, 1, 2)),
    region("squeeze-excite + residual bf16 64x256x56x56", squeeze_excite, (64, 256, 56, 56), (64, 256), (64, 256, 56, 56), dtype=BF16, rows=(0, 1, 2)),
    region("silu + squeeze f16 128x288x28x28", squeeze, (128, 288, 28, 28), dtype=F16, rows=(0,)),
    region("window partition bf16 64x64x64x128", windows, (64, 64, 64, 128), (128,), (128,), dtype=BF16),
    region("window reverse + residual bf16 64x64x64x128", unwindow, (64, 64, 64, 128), (64, 64, 64, 128), dtype=BF16, rows=(0, 1)),
    region("patch merging f16 64x64x64x192", merge_patches, (64, 64, 64, 192), (4, 192), (4, 192), dtype=F16, rows=(0,)),
    region("concatenate 2 + norm + relu bf16", concat_norm_relu, *dense(BF16, 256, 32), rows=(0, 1)),
    region("concatenate 4 + norm + relu f32", concat_norm_relu, *dense(F32, 128, 32, 32, 32), rows=(0, 1, 2, 3)),
    region("concatenate 8 columns bf16", lambda *x: torch.relu(torch.cat(x, -1)), *((32768, c) for c in (64, 128, 256, 512, 64, 128, 256, 512)), dtype=BF16, rows=tuple(range(8))),
    region("embedding + position + norm bf16", embedding_position_norm, TOKENS, Arg((30522, 768), BF16), Arg((512, 768), BF16), Arg((768,), BF16), Arg((768,), BF16), rows=(0,)),
    region("bias + qkv to heads bf16 16x2048x3072", qkv_heads, (16, 2048, 3, 16, 64), (3, 16, 64), dtype=BF16, rows=(0,)),
    region("geglu f16 8192x10240", geglu, (8192, 10240), (10240,), dtype=F16, rows=(0,)),
    region("group norm + silu f16 16x320x64x64", lambda x: F.silu(F.group_norm(x, x.shape[1] // 16)), (16, 320, 64, 64), dtype=F16, rows=(0,)),
    region("modulated layer norm bf16 64x1024x1152", modulate, (64, 1024, 1152), (64, 1152), (64, 1152), dtype=BF16, rows=(0, 1, 2)),
    region("rms norm + 8-bit rows bf16 16384x8192", quantize_rows, (16384, 8192), (8192,), dtype=BF16, rows=(0,)),
)  # fmt: skip
