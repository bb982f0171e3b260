"""Sizes that no power of two divides, few rows, many axes, and inputs that are strided, transposed or broadcast."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, F16, F32, I64, Arg, cases, wide
from benchmarks.cases.losses import cross_entropy, entropy_args
from benchmarks.cases.movement import embedding, rotary
from benchmarks.cases.norms import (
    batch_norm,
    group_norm_silu,
    layer_norm,
    layer_norm_backward,
    rms_norm,
    rms_norm_backward,
    rms_norm_residual,
    softmax,
)


def both_sums(x: torch.Tensor, y: torch.Tensor) -> Any:
    product = x * y
    return product.sum(0), product.sum(1)


def bias_gelu(x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.gelu(x + b)


awkward = cases("awkward")
SEVEN = Arg((8, 6, 16, 10, 32, 12, 64), small=(2, 3, 4, 3, 2, 3, 16))
LONG, WIDE, WIDER = (50000, 1000), (16000, 4097), (4096, 50257)

CASES = (
    awkward("softmax f32 50000x1000", softmax, LONG, rows=(0,)),
    awkward("softmax bf16 50000x1000", softmax, LONG, dtype=BF16, rows=(0,)),
    awkward("layer norm bf16 16000x4097", layer_norm, WIDE, (4097,), (4097,), dtype=BF16, rows=(0,)),
    awkward("rms norm f16 50001x1000", rms_norm, (50001, 1000), (1000,), dtype=F16, rows=(0,)),
    awkward("layer norm backward bf16 10000x1000", layer_norm_backward, (10000, 1000), (10000, 1000), (1000,), dtype=BF16),
    awkward("log_softmax bf16 4096x50257", lambda x: F.log_softmax(x, -1), WIDER, dtype=BF16, rows=(0,)),
    awkward("cross entropy bf16 4096x50257", cross_entropy, *entropy_args(4096, 50257)),
    awkward("x*y + 1 f32 16000x4097", lambda x, y: x * y + 1, WIDE, WIDE, rows=(0, 1)),
    awkward("sum of columns f32 4097x10007", lambda x: x.sum(0), (4097, 10007)),
    awkward("sum of 3 rows f32", lambda x: x.sum(1), (3, 20000003), rows=(0,)),
    awkward("softmax of 3 rows f32", softmax, (3, 20000003), rows=(0,)),
    awkward("cumsum f32 20000x1000", lambda x: x.cumsum(-1), (20000, 1000), rows=(0,)),
    awkward("concatenate 1000 and 4097 columns bf16", lambda x, y: torch.cat([x, y], 1) * 2, (20000, 1000), (20000, 4097), dtype=BF16, rows=(0, 1)),
    awkward("permute 7 axes f32", lambda x: x.permute(0, 2, 4, 6, 1, 3, 5).contiguous() + 1, SEVEN, rows=(0,)),
    awkward("sum of 3 of 7 axes f32", lambda x: x.sum((1, 3, 5)), SEVEN, rows=(0,)),
    awkward("softmax of every other column f32", softmax, Arg((32768, 4096), F32, view=lambda x: x[:, ::2]), rows=(0,)),
    awkward("layer norm of a transposed input bf16", layer_norm, Arg((4096, 32768), BF16, view=torch.t), (4096,), (4096,), dtype=BF16, rows=(0,)),
    awkward("broadcast rows and columns f32", lambda x, y: x * y + x, Arg((8192, 1), view=lambda x: x.expand(-1, x.shape[0])), Arg((1, 8192), view=lambda y: y.expand(y.shape[1], -1)), rows=(0, 1)),
    awkward("softmax f16 16000x4097", softmax, WIDE, dtype=F16, rows=(0,)),
    awkward("layer norm bf16 4096x50257", layer_norm, WIDER, (50257,), (50257,), dtype=BF16, rows=(0,)),
    awkward("rms norm + residual bf16 2048x50257", rms_norm_residual, (2048, 50257), (2048, 50257), (50257,), dtype=BF16, rows=(0, 1)),
    awkward("layer norm backward bf16 16000x4097", layer_norm_backward, WIDE, WIDE, (4097,), dtype=BF16),
    awkward("layer norm backward bf16 2048x50257", layer_norm_backward, (2048, 50257), (2048, 50257), (50257,), dtype=BF16),
    awkward("rms norm backward f32 20000x1000", rms_norm_backward, (20000, 1000), (20000, 1000), (1000,)),
    awkward("batch norm training + relu f32 33x100x57x57", batch_norm, (33, 100, 57, 57)),
    awkward("group norm + silu f16 31x96x55x55", group_norm_silu, (31, 96, 55, 55), dtype=F16, rows=(0,)),
    awkward("argmax bf16 4096x50257", lambda x: x.argmax(-1), WIDER, dtype=BF16, rows=(0,)),
    awkward("row max and sum f32 50000x1000", lambda x: (x.amax(1), x.sum(1)), LONG, rows=(0,)),
    awkward("variance of rows f16 16000x4097", lambda x: wide(x).var(-1), WIDE, dtype=F16, rows=(0,)),
    awkward("sums of rows and of columns f32 16000x4097", both_sums, WIDE, WIDE),
    awkward("bias gradient bf16 50000x1000", lambda dy: dy.sum(0), LONG, dtype=BF16),
    awkward("variance of columns f32 50000x1000", lambda x: x.var(0), LONG),
    awkward("variance of columns bf16 1300x50257", lambda x: wide(x).var(0), (1300, 50257), dtype=BF16),
    awkward("softmax of the middle axis f32 333x1000x257", lambda x: torch.softmax(x, 1), (333, 1000, 257), rows=(0,)),
    awkward("mean over height and width bf16 64x333x57x57", lambda x: x.mean((2, 3)), (64, 333, 57, 57), dtype=BF16, rows=(0,)),
    awkward("cumsum bf16 16000x4097", lambda x: wide(x).cumsum(-1).to(x.dtype), WIDE, dtype=BF16, rows=(0,)),
    awkward("cumsum of 3 rows f32", lambda x: x.cumsum(-1), (3, 20000003), rows=(0,)),
    awkward("bias + gelu f16 60001x1001", bias_gelu, (60001, 1001), (1001,), dtype=F16, rows=(0,)),
    awkward("bias of images f32 3x4097x60x60", lambda x, b: F.relu(x + b[:, None, None]), (3, 4097, 60, 60), (4097,), rows=(0,)),
    awkward("transpose f32 4097x10007", lambda x: x.t().contiguous(), (4097, 10007)),
    awkward("transposed add bf16 50257x1000", lambda x, y: x.t() + y, (50257, 1000), (1000, 50257), dtype=BF16),
    awkward("embedding bf16 of 1001 columns", embedding, Arg((130001,), I64, high=50257), Arg((50257, 1001), BF16), rows=(0,)),
    awkward("rotary q and k of 80 columns bf16", rotary, (3, 33, 4097, 80), (3, 11, 4097, 80), (4097, 80), (4097, 80), dtype=BF16, rows=(0, 1)),
    awkward("rms norm of a slice bf16", rms_norm, Arg((32768, 4003), BF16, view=lambda x: x[:, 1:-2]), (4000,), dtype=BF16, rows=(0,)),
    awkward("sum of columns of every third column f32", lambda x: x.sum(0), Arg((16384, 6000), view=lambda x: x[:, ::3])),
    awkward("softmax of the last of 7 axes f32", softmax, SEVEN, rows=(0,)),
)  # fmt: skip
