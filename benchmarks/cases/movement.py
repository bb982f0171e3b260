"""Transposes, slices, concatenations, gathers and rotary embeddings."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, F16, F32, I64, Arg, cases
from benchmarks.cases.norms import layer_norm

SQUARE = (8192, 8192)


def channel_shuffle(x: torch.Tensor) -> torch.Tensor:
    n, c, h, w = x.shape
    return x.view(n, 8, c // 8, h, w).transpose(1, 2).reshape(n, c, h, w) * 2


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


def rotary(q: torch.Tensor, k: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return rotate(q, cos, sin), rotate(k, cos, sin)


def embedding(tokens: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    return F.embedding(tokens, table) * 2


def embedding_norm(tokens: torch.Tensor, table: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return layer_norm(F.embedding(tokens, table), w, b)


def permute_rows(x: torch.Tensor, order: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    """Tokens to their experts."""
    return x[order] * gate[:, None]


movement = cases("movement")
gather = cases("gather")
TABLE = Arg((32000, 1024), BF16)
TOKENS = Arg((128, 1024), I64, high=32000)

CASES = (
    movement("transpose f32", lambda x: x.t().contiguous(), SQUARE),
    movement("transposed add f32", lambda x, y: x.t() + y, SQUARE, SQUARE),
    movement("transpose + relu f16", lambda x: torch.relu(x.transpose(1, 2)).contiguous(), (64, 1024, 2048), dtype=F16, rows=(0,)),
    movement("heads to rows bf16", lambda x: x.transpose(1, 2).flatten(2).contiguous(), (32, 32, 2048, 128), dtype=BF16, rows=(0,)),
    movement("channels to the end bf16", lambda x: x.permute(0, 2, 3, 1).contiguous(), (64, 256, 56, 56), dtype=BF16, rows=(0,)),
    movement("concatenate 3 f32", lambda x, y, z: torch.cat([x, y, z], 1), (8192, 4096), (8192, 2048), (8192, 1024), rows=(0, 1, 2)),
    movement("pad and relu f32", lambda x: F.relu(F.pad(x, (3, 5, 2, 0))), SQUARE),
    movement("slice and scale f32", lambda x: x[:, ::2] * 2, SQUARE, rows=(0,)),
    movement("roll f32", lambda x: torch.roll(x, (5, -3), (0, 1)) + 1, SQUARE),
    movement("flip and add bf16", lambda x: x + x.flip(-1), (65536, 2048), dtype=BF16, rows=(0,)),
    movement("channel shuffle bf16", channel_shuffle, (64, 256, 56, 56), dtype=BF16, rows=(0,)),
    movement("repeat key heads bf16", lambda k: k[:, :, None].expand(-1, -1, 4, -1, -1).flatten(1, 2).contiguous(), (8, 8, 4096, 128), dtype=BF16, rows=(0,)),
    movement("rotary q and k bf16", rotary, (4, 32, 4096, 128), (4, 8, 4096, 128), (4096, 128), (4096, 128), dtype=BF16, rows=(0, 1)),
    movement("rotary q and k f32", rotary, (2, 32, 4096, 128), (2, 32, 4096, 128), (4096, 128), (4096, 128), dtype=F32, rows=(0, 1)),
    gather("embedding bf16", embedding, TOKENS, TABLE, rows=(0,)),
    gather("embedding + layer norm bf16", embedding_norm, TOKENS, TABLE, (1024,), (1024,), dtype=BF16, rows=(0,)),
    gather("permute rows bf16", permute_rows, (65536, 2048), Arg((65536,), I64, high=65536), (65536,), dtype=BF16),
    gather("take along columns f32", lambda x, i: torch.gather(x, 1, i), (8192, 2048), Arg((8192, 2048), I64, high=2048), rows=(0, 1)),
)  # fmt: skip
