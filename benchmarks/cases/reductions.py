"""Reductions to rows, columns, middle axes and numbers, and scans."""

from __future__ import annotations

import torch

from benchmarks.case import BF16, F16, cases, wide

SQUARE = (8192, 8192)
LONG = (65536, 4096)

reduction = cases("reduction")
scan = cases("scan")

CASES = (
    reduction("sum of all f32", lambda x: x.sum(), SQUARE),
    reduction("sum of rows f32", lambda x: x.sum(1), SQUARE, rows=(0,)),
    reduction("sum of long rows f32 64x4194304", lambda x: x.sum(1), (64, 4194304), rows=(0,)),
    reduction("sum of short rows f32 4194304x32", lambda x: x.sum(1), (4194304, 32), rows=(0,)),
    reduction("sum of columns f32", lambda x: x.sum(0), SQUARE),
    reduction("sum of columns bf16", lambda x: x.sum(0), LONG, dtype=BF16),
    reduction("sum of the middle axis f32", lambda x: x.sum(1), (256, 1024, 512), rows=(0,)),
    reduction("mean over height and width bf16", lambda x: x.mean((2, 3)), (128, 512, 28, 28), dtype=BF16, rows=(0,)),
    reduction("mean((x-t)^2) f32", lambda x, t: ((x - t) ** 2).mean(), SQUARE, SQUARE),
    reduction("amax and mean f32", lambda x: (x.abs().amax(), x.mean()), SQUARE),
    reduction("row max and sum f32", lambda x: (x.amax(1), x.sum(1)), (65536, 2048), rows=(0,)),
    reduction("variance of rows bf16", lambda x: wide(x).var(-1), LONG, dtype=BF16, rows=(0,)),
    reduction("variance of columns f32", lambda x: x.var(0), SQUARE),
    reduction("norm of all f16", lambda x: torch.linalg.vector_norm(wide(x)), LONG, dtype=F16),
    reduction("logsumexp bf16 16384x16384", lambda x: torch.logsumexp(wide(x), -1), (16384, 16384), dtype=BF16, rows=(0,)),
    reduction("x / x.sum() f32", lambda x: x / x.sum(), SQUARE),
    reduction("argmax of rows f32", lambda x: x.argmax(-1), (65536, 2048), rows=(0,)),
    reduction("count above 1 f16", lambda x: (x > 1).sum(-1), (32768, 8192), dtype=F16, rows=(0,)),
    reduction("bias gradient bf16", lambda dy: dy.sum((0, 1)), (64, 1024, 4096), dtype=BF16),
    scan("cumsum f32 65536x1024", lambda x: x.cumsum(-1), (65536, 1024), rows=(0,)),
    scan("cumsum bf16 16384x8192", lambda x: wide(x).cumsum(-1).to(x.dtype), (16384, 8192), dtype=BF16, rows=(0,)),
    scan("cumsum f32 64x1048576", lambda x: x.cumsum(-1), (64, 1048576), rows=(0,)),
    scan("cumsum of columns f32", lambda x: x.cumsum(0), SQUARE),
    scan("exclusive cumsum of a mask f32", lambda x: (x > 0).to(x.dtype).cumsum(-1) - 1, (32768, 2048), rows=(0,)),
)  # fmt: skip
