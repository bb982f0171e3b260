"""Two denoisers written out small: a transformer with modulated norms, and a U-shaped net of convolutions."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional

from benchmarks.case import Arg
from benchmarks.zoo.model import Model

PATCH = 2


def embedded(steps: torch.Tensor, width: int, like: torch.Tensor) -> torch.Tensor:
    """Sines and cosines of time steps [n], as [n, width]."""
    rates = torch.exp(torch.arange(width // 2, device=steps.device) * (-math.log(10000) / (width // 2)))
    angles = steps[:, None].float() * rates
    return torch.cat((angles.cos(), angles.sin()), dim=-1).to(like.dtype)


class ModulatedBlock(nn.Module):
    """Attention and an MLP, whose norms are scaled, shifted and gated by what the time step says."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.modulation = nn.Linear(width, 6 * width)
        self.norm = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor, condition: torch.Tensor) -> torch.Tensor:
        shift, scale, gate, shift2, scale2, gate2 = self.modulation(functional.silu(condition))[:, None].chunk(
            6, dim=-1
        )
        q, k, v = self.qkv(self.norm(x) * (1 + scale) + shift).unflatten(-1, (3, self.heads, -1)).unbind(2)
        heads = functional.scaled_dot_product_attention(*(t.transpose(1, 2) for t in (q, k, v)))
        x = x + gate * self.out(heads.transpose(1, 2).flatten(2))
        return x + gate2 * self.mlp(self.norm(x) * (1 + scale2) + shift2)


class DiffusionTransformer(nn.Module):
    """The noise [n, 4, side, side] in latents of that shape at time steps [n]."""

    def __init__(self, side: int, width: int, heads: int, layers: int):
        super().__init__()
        self.width = width
        self.patches = nn.Conv2d(4, width, PATCH, stride=PATCH)
        self.places = nn.Parameter(torch.randn((side // PATCH) ** 2, width) * 0.02)
        self.time = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.blocks = nn.ModuleList(ModulatedBlock(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6)
        self.out = nn.Linear(width, 4 * PATCH * PATCH)

    def forward(self, latents: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        x = self.patches(latents)
        side = x.shape[-1]
        x = x.flatten(2).transpose(1, 2) + self.places
        condition = self.time(embedded(steps, self.width, x))
        for block in self.blocks:
            x = block(x, condition)
        x = self.out(self.norm(x)).unflatten(1, (side, side)).unflatten(-1, (PATCH, PATCH, 4))
        return torch.einsum("nhwpqc->nchpwq", x).flatten(4).flatten(2, 3)


class ResidualBlock(nn.Module):
    """Two convolutions behind group norms, the time step added between them."""

    def __init__(self, source: int, target: int, width: int):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(8, source), nn.Conv2d(source, target, 3, padding=1)
        self.time = nn.Linear(width, target)
        self.norm2, self.conv2 = nn.GroupNorm(8, target), nn.Conv2d(target, target, 3, padding=1)
        self.skip = nn.Conv2d(source, target, 1) if source != target else nn.Identity()

    def forward(self, x: torch.Tensor, condition: torch.Tensor) -> torch.Tensor:
        h = self.conv1(functional.silu(self.norm1(x))) + self.time(functional.silu(condition))[:, :, None, None]
        return self.skip(x) + self.conv2(functional.silu(self.norm2(h)))


class SpatialAttention(nn.Module):
    """Attention between all pixels."""

    def __init__(self, channels: int):
        super().__init__()
        self.norm, self.qkv = nn.GroupNorm(8, channels), nn.Conv2d(channels, 3 * channels, 1)
        self.out = nn.Conv2d(channels, channels, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.qkv(self.norm(x)).flatten(2).transpose(1, 2)[:, None].chunk(3, dim=-1)
        heads = functional.scaled_dot_product_attention(q, k, v)
        return x + self.out(heads[:, 0].transpose(1, 2).unflatten(2, x.shape[2:]))


class UNet(nn.Module):
    """The noise [n, 4, side, side] in latents of that shape at time steps [n]; attention on the lowest level."""

    def __init__(self, channels: int, levels: int):
        super().__init__()
        widths = [channels * 2**k for k in range(levels)]
        self.channels, time = channels, 4 * channels
        self.time = nn.Sequential(nn.Linear(channels, time), nn.SiLU(), nn.Linear(time, time))
        self.first = nn.Conv2d(4, channels, 3, padding=1)
        self.down = nn.ModuleList(ResidualBlock(widths[max(0, k - 1)], w, time) for k, w in enumerate(widths))
        self.smaller = nn.ModuleList(nn.Conv2d(w, w, 3, stride=2, padding=1) for w in widths[:-1])
        self.middle, self.attention = ResidualBlock(widths[-1], widths[-1], time), SpatialAttention(widths[-1])
        pairs = list(zip(widths, [*widths[1:], widths[-1]], strict=True))[::-1]
        self.up = nn.ModuleList(ResidualBlock(w + below, w, time) for w, below in pairs)
        self.norm, self.last = nn.GroupNorm(8, channels), nn.Conv2d(channels, 4, 3, padding=1)

    def forward(self, latents: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        x = self.first(latents)
        condition = self.time(embedded(steps, self.channels, x))
        kept: list[torch.Tensor] = []
        for k, block in enumerate(self.down):
            kept.append(block(x, condition))
            x = self.smaller[k](kept[-1]) if k < len(self.smaller) else kept[-1]
        x = self.attention(self.middle(x, condition))
        for block in self.up:
            skip = kept.pop()
            if x.shape[-1] != skip.shape[-1]:
                x = functional.interpolate(x, scale_factor=2.0, mode="nearest")
            x = block(torch.cat((x, skip), dim=1), condition)
        return self.last(functional.silu(self.norm(x)))


def _latents(batch: int, side: int) -> tuple[Arg, ...]:
    return Arg((batch, 4, side, side)), Arg((batch,), torch.int64)


def _transformer(tiny: bool) -> nn.Module:
    return DiffusionTransformer(8, 32, 2, 1) if tiny else DiffusionTransformer(32, 768, 12, 4)


def _unet(tiny: bool) -> nn.Module:
    return UNet(8, 2) if tiny else UNet(128, 3)


MODELS = (
    Model("diffusion transformer B/2, 4 layers", "zoo", _transformer, _latents(64, 32), _latents(2, 8)),
    Model("diffusion U-Net, 3 levels", "zoo", _unet, _latents(16, 64), _latents(2, 8)),
    Model("diffusion U-Net, 3 levels, channels-last", "zoo", _unet, _latents(16, 64), _latents(2, 8), True),
)
