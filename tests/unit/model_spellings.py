"""Layers as well-known models spell them, small: what one reads in their source, with weights as plain tensors.

Each takes hidden states [batch, length, WIDTH] and says by `EXPECTED` which composites it is made of.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

BATCH, LENGTH, HEADS, GROUPS, SIZE = 2, 6, 4, 2, 8
WIDTH = HEADS * SIZE
WINDOW = 3


def _heads(x: Tensor, count: int) -> Tensor:
    return x.view(BATCH, LENGTH, count, SIZE).transpose(1, 2)


def _joined(x: Tensor) -> Tensor:
    return x.transpose(1, 2).contiguous().reshape(BATCH, LENGTH, -1)


class RootMeanSquare(nn.Module):
    """Llama's, Mistral's and T5's norm: computed wide, the weight multiplied in the narrow type."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(WIDTH) + 0.5)

    def forward(self, hidden: Tensor) -> Tensor:
        narrow = hidden.dtype
        hidden = hidden.to(torch.float32)
        variance = hidden.pow(2).mean(-1, keepdim=True)
        return self.weight * (hidden * torch.rsqrt(variance + 1e-6)).to(narrow)


class ShiftedRootMeanSquare(nn.Module):
    """Gemma's: the weight counts from one, and is multiplied in the wide type."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(WIDTH) * 0.1)

    def forward(self, hidden: Tensor) -> Tensor:
        wide = hidden.float()
        normed = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return (normed * (1.0 + self.weight.float())).type_as(hidden)


def rotate_half(x: Tensor) -> Tensor:
    """(-x2, x1), for x = (x1, x2)."""
    first, second = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-second, first), dim=-1)


def angles(like: Tensor) -> tuple[Tensor, Tensor]:
    """Cosines and sines of position times frequency, each frequency twice."""
    frequencies = 1.0 / (10000.0 ** (torch.arange(0, SIZE, 2, device=like.device).float() / SIZE))
    positions = torch.arange(LENGTH, device=like.device)[None, :]
    half = (frequencies[None, :, None] @ positions[:, None, :].float()).transpose(1, 2)
    both = torch.cat((half, half), dim=-1)
    return both.cos().to(like.dtype), both.sin().to(like.dtype)


class GroupedAttention(nn.Module):
    """Llama's, Mistral's and Gemma 2's: rotated queries and keys, keys of a group repeated, softmax in float32."""

    def __init__(self, softcap: float | None = None, window: int | None = None) -> None:
        super().__init__()
        self.q_proj = nn.Linear(WIDTH, WIDTH, bias=False)
        self.k_proj, self.v_proj = (nn.Linear(WIDTH, GROUPS * SIZE, bias=False) for _ in range(2))
        self.o_proj = nn.Linear(WIDTH, WIDTH, bias=False)
        self.softcap, self.window = softcap, window

    def mask(self, like: Tensor) -> Tensor:
        """What is added to scores: the least number where a key is after its query, or too long before it."""
        least = torch.finfo(like.dtype).min
        mask = torch.full((LENGTH, LENGTH), least, dtype=like.dtype, device=like.device)
        positions = torch.arange(LENGTH, device=like.device)
        hidden = positions > positions.reshape(-1, 1)
        if self.window is not None:
            hidden = hidden | (positions <= positions.reshape(-1, 1) - self.window)
        return (mask * hidden)[None, None]

    def forward(self, hidden: Tensor) -> Tensor:
        query, key = _heads(self.q_proj(hidden), HEADS), _heads(self.k_proj(hidden), GROUPS)
        value = _heads(self.v_proj(hidden), GROUPS)
        cos, sin = (t.unsqueeze(1) for t in angles(hidden))
        query, key = (t * cos + rotate_half(t) * sin for t in (query, key))
        shape = (BATCH, GROUPS, HEADS // GROUPS, LENGTH, SIZE)
        key, value = (t[:, :, None].expand(shape).reshape(BATCH, HEADS, LENGTH, SIZE) for t in (key, value))
        scores = torch.matmul(query, key.transpose(2, 3)) * SIZE**-0.5
        if self.softcap is not None:
            scores = torch.tanh(scores / self.softcap) * self.softcap
        scores = scores + self.mask(scores)
        weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype)
        return self.o_proj(_joined(torch.matmul(weights, value)))


class Gated(nn.Module):
    """down(f(gate(x)) * up(x))"""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.gate, self.up = (nn.Linear(WIDTH, 2 * WIDTH, bias=False) for _ in range(2))
        self.down, self.function = nn.Linear(2 * WIDTH, WIDTH, bias=False), function

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.function(self.gate(x)) * self.up(x))


def gelu_new(x: Tensor) -> Tensor:
    """GPT-2's and T5's."""
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class Decoder(nn.Module):
    """A layer of norm, attention, norm and what follows, with residuals."""

    def __init__(self, norm: Callable[[], nn.Module], attention: nn.Module, rest: nn.Module) -> None:
        super().__init__()
        self.before, self.attention, self.between, self.rest = norm(), attention, norm(), rest

    def forward(self, hidden: Tensor) -> Tensor:
        hidden = hidden + self.attention(self.before(hidden))
        return hidden + self.rest(self.between(hidden))


class Gpt2Attention(nn.Module):
    """One product for all three, scores divided by a tensor, a triangle of the buffer chosen by `where`."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(WIDTH, 3 * WIDTH) * 0.1), nn.Parameter(torch.randn(3 * WIDTH))
        self.register_buffer("triangle", torch.tril(torch.ones(32, 32, dtype=torch.bool)).view(1, 1, 32, 32))
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, hidden: Tensor) -> Tensor:
        flat = torch.addmm(self.bias, hidden.view(-1, WIDTH), self.weight).view(BATCH, LENGTH, -1)
        query, key, value = (_heads(t, HEADS) for t in flat.split(WIDTH, dim=2))
        scores = torch.matmul(query, key.transpose(-1, -2))
        scores = scores / torch.full([], value.size(-1) ** 0.5, dtype=scores.dtype, device=scores.device)
        least = torch.full([], torch.finfo(scores.dtype).min, dtype=scores.dtype, device=scores.device)
        scores = torch.where(self.triangle[:, :, :LENGTH, :LENGTH], scores, least)
        weights = F.softmax(scores, dim=-1).type(value.dtype)
        return self.out(_joined(torch.matmul(F.dropout(weights, 0.1, training=False), value)))


class Feed(nn.Module):
    """Two linear layers with an activation between."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.up, self.down, self.function = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH), function

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.function(self.up(x)))


class PlainAttention(nn.Module):
    """BERT's, with a float mask a key, and ViT's, without one and its softmax in float32."""

    def __init__(self, masked: bool) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.masked = masked
        self.register_buffer("padding", torch.zeros(BATCH, 1, 1, LENGTH))

    def forward(self, hidden: Tensor) -> Tensor:
        query, key, value = (_heads(f(hidden), HEADS) for f in (self.query, self.key, self.value))
        scores = torch.matmul(query, key.transpose(-1, -2))
        if self.masked:
            weights = nn.functional.softmax(scores / math.sqrt(SIZE) + self.padding.to(scores.dtype), dim=-1)
        else:
            weights = nn.functional.softmax(scores * SIZE**-0.5, dim=-1, dtype=torch.float32).to(query.dtype)
        context = torch.matmul(weights, value).permute(0, 2, 1, 3).contiguous()
        return self.out(context.view(BATCH, LENGTH, WIDTH))


class BertLayer(nn.Module):
    """Norms behind the residuals."""

    def __init__(self) -> None:
        super().__init__()
        self.attention, self.feed = PlainAttention(masked=True), Feed(F.gelu)
        self.first, self.second = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, hidden: Tensor) -> Tensor:
        hidden = self.first(self.attention(hidden) + hidden)
        return self.second(self.feed(hidden) + hidden)


class T5Attention(nn.Module):
    """No scale, and a bias that depends on the distance."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.biases = nn.Embedding(2 * LENGTH, HEADS)

    def forward(self, hidden: Tensor) -> Tensor:
        query, key, value = (_heads(f(hidden), HEADS) for f in (self.q, self.k, self.v))
        scores = torch.matmul(query, key.transpose(3, 2))
        positions = torch.arange(LENGTH, device=hidden.device)
        distance = positions[None, :] - positions[:, None] + LENGTH
        scores = scores + self.biases(distance).permute([2, 0, 1]).unsqueeze(0)
        weights = F.softmax(scores.float(), dim=-1).type_as(scores)
        return self.o(_joined(torch.matmul(weights, value)))


def layer_norm() -> nn.Module:
    return nn.LayerNorm(WIDTH)


_ATTENTION, _LAYER = {"scaled_dot_product_attention": 1}, {"layer_norm": 2, "gelu": 1}
_LLAMA = {"rms_norm": 2, "rotary_embedding": 2, "silu": 1}
EXPECTED: dict[str, tuple[Callable[[], nn.Module], dict[str, Any]]] = {
    "llama": (lambda: Decoder(RootMeanSquare, GroupedAttention(), Gated(F.silu)), _LLAMA | _ATTENTION),
    "mistral": (lambda: Decoder(RootMeanSquare, GroupedAttention(window=WINDOW), Gated(F.silu)), _LLAMA | _ATTENTION),
    "gemma2": (
        lambda: Decoder(
            ShiftedRootMeanSquare, GroupedAttention(softcap=50.0), Gated(lambda x: F.gelu(x, approximate="tanh"))
        ),
        {"rms_norm": 2, "rotary_embedding": 2, "gelu": 1} | _ATTENTION,
    ),
    "gpt2": (lambda: Decoder(layer_norm, Gpt2Attention(), Feed(gelu_new)), _LAYER | _ATTENTION),
    "bert": (BertLayer, _LAYER | _ATTENTION),
    "t5": (lambda: Decoder(RootMeanSquare, T5Attention(), Gated(gelu_new)), {"rms_norm": 2, "gelu": 1} | _ATTENTION),
    "vit": (lambda: Decoder(layer_norm, PlainAttention(masked=False), Feed(F.gelu)), _LAYER | _ATTENTION),
}
"""A layer of each model, and how often each composite is in it."""
