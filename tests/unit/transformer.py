"""A transformer of twelve layers in plain torch, for pages that must open fast."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

LAYERS, WIDTH, HEADS = 12, 64, 4


class Layer(nn.Module):
    """Attention and a feed-forward network, each behind a norm."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        each = self.qkv(self.norm1(x)).view(batch, length, 3, HEADS, WIDTH // HEADS)
        q, k, v = each.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / (WIDTH // HEADS) ** 0.5
        weights = torch.softmax(scores, -1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.down(functional.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    """Layers, and a norm at the end."""

    def __init__(self, layers: int = LAYERS) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Layer() for _ in range(layers)])
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class TwoLayers(Transformer):
    """The least that has more than one."""

    def __init__(self) -> None:
        super().__init__(2)
