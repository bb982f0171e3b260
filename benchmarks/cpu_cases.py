"""What `benchmarks.cpu` runs: functions of 256 kB to 64 MB of input, and small models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.case import BF16, I64, Arg, Case, cases

SIZES = {"256 kB": (64, 1024), "4 MB": (1024, 1024), "64 MB": (4096, 4096)}
"""Rows and columns of float32, by the bytes that they take."""
LAST = torch.channels_last


def _last(x: Tensor) -> Tensor:
    return x.to(memory_format=LAST)


def _normed(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:], w, b)


def _softmax_backward(g: Tensor, y: Tensor) -> Tensor:
    return y * (g - (g * y).sum(-1, keepdim=True))


def _of_size(name: str, rows: int, columns: int) -> list[Case]:
    """Twenty functions of a matrix."""
    x, w = Arg((rows, columns)), Arg((columns,))
    half, narrow = Arg((rows, columns), BF16), Arg((columns,), BF16)
    place = Arg((rows,), I64, high=columns)
    case, row, loss, total, move = (cases(f) for f in ("pointwise", "rows", "losses", "reductions", "movement"))
    return [
        case(f"relu chain, {name}", lambda x, y: torch.relu(x * y + 1) * 0.5, x, x),
        case(f"gelu, {name}", F.gelu, x),
        case(f"tanh and sine, {name}", lambda x: torch.tanh(x) + torch.sin(x), x),
        case(f"silu times gate, bf16, {name}", lambda x, y: F.silu(x) * y, half, half),
        case(f"bias, gelu and residual, {name}", lambda x, w, y: F.gelu(x + w, approximate="tanh") + y, x, w, x),
        row(f"softmax, {name}", lambda x: torch.softmax(x, -1), x),
        row(f"softmax, bf16, {name}", lambda x: torch.softmax(x, -1), half),
        row(f"softmax backward, {name}", _softmax_backward, x, x),
        row(f"layer norm, {name}", _normed, x, w, w),
        row(f"add and layer norm, {name}", lambda x, y, w, b: _normed(x + y, w, b), x, x, w, w),
        row(f"RMS norm, bf16, {name}", lambda x, w: F.rms_norm(x, x.shape[-1:], w), half, narrow),
        row(f"norm of columns, {name}", lambda x: (x - x.mean(0)) / (x.var(0) + 1e-5).sqrt(), x),
        loss(f"cross entropy, {name}", F.cross_entropy, x, place),
        loss(f"mean squared error, {name}", F.mse_loss, x, x),
        total(f"sums of rows, {name}", lambda x: x.sum(-1), x),
        total(f"sums of columns, {name}", lambda x: x.sum(0), x),
        total(f"norm of all, {name}", lambda x: (x * x).sum().sqrt(), x),
        total(f"argmax, {name}", lambda x: x.argmax(-1), x),
        move(f"transpose and add, {name}", lambda x: x.t().contiguous() + 1, x),
        move(f"running sums, {name}", lambda x: x.cumsum(-1), x),
    ]


FUNCTIONS = [case for name, size in SIZES.items() for case in _of_size(name, *size)]


def _dropout(share: float) -> nn.Module:
    return nn.Dropout(share) if share else nn.Identity()


class Attention(nn.Module):
    """Several heads, spelled out or by PyTorch's own op."""

    def __init__(self, width: int, heads: int, spelled: bool, causal: bool, dropout: float = 0.0):
        super().__init__()
        self.heads, self.spelled, self.causal, self.dropout = heads, spelled, causal, dropout
        self.qkv, self.out, self.drop = nn.Linear(width, 3 * width), nn.Linear(width, width), _dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if self.spelled:
            y = self.drop(torch.softmax(q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5, -1)) @ v
        else:
            dropout = self.dropout if self.training else 0.0
            y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=self.causal)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """A layer of a transformer."""

    def __init__(
        self,
        width: int,
        heads: int,
        spelled: bool = False,
        causal: bool = False,
        activation: Any = F.gelu,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.first, self.second, self.activation = nn.LayerNorm(width), nn.LayerNorm(width), activation
        self.attention, self.drop = Attention(width, heads, spelled, causal, dropout), _dropout(dropout)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.drop(self.attention(self.first(x)))
        return x + self.drop(self.down(self.activation(self.up(self.second(x)))))


class Language(nn.Module):
    """Words, two layers and words again."""

    def __init__(self, words: int, width: int):
        super().__init__()
        self.embedding, self.norm = nn.Embedding(words, width), nn.LayerNorm(width)
        self.layers = nn.Sequential(*(Block(width, 4, causal=True) for _ in range(2)))
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, words: Tensor) -> Tensor:
        return self.head(self.norm(self.layers(self.embedding(words))))


class Gated(nn.Module):
    """Two products of one input, then `silu(a) * b`."""

    def __init__(self, width: int):
        super().__init__()
        self.norm = nn.RMSNorm(width)
        self.a, self.b, self.down = (nn.Linear(*sizes) for sizes in ((width, 512), (width, 512), (512, width)))

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        return x + self.down(F.silu(self.a(y)) * self.b(y))


class Residual(nn.Module):
    """Two convolutions around which the input goes."""

    def __init__(self, width: int, groups: int = 1):
        super().__init__()
        self.convolutions = nn.ModuleList(nn.Conv2d(width, width, 3, 1, 1, 1, groups, bias=False) for _ in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm2d(width) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.norms[0](self.convolutions[0](x)))
        return torch.relu(x + self.norms[1](self.convolutions[1](y)))


class Mixer(nn.Module):
    """Products along tokens and along channels in turn."""

    def __init__(self, tokens: int, width: int):
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.along = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.across = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.along(self.first(x).transpose(1, 2)).transpose(1, 2)
        return x + self.across(self.second(x))


@dataclass(frozen=True)
class Model:
    """A model with random weights, and its input."""

    name: str
    make: Callable[[], nn.Module]
    input: Arg


def _classifier(width: int, *layers: nn.Module) -> nn.Module:
    """A network for pictures."""
    head = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10))
    return nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), *layers, *head)


def _perceptron(*widths: int) -> nn.Module:
    layers = (layer for a, b in pairwise(widths) for layer in (nn.Linear(a, b), nn.ReLU()))
    return nn.Sequential(*layers, nn.Linear(widths[-1], 10))


def _normed_perceptron() -> nn.Module:
    return nn.Sequential(nn.Linear(256, 512), nn.LayerNorm(512), nn.GELU(), nn.Linear(512, 10))


def _residual() -> nn.Module:
    return _classifier(32, nn.BatchNorm2d(32), nn.ReLU(), Residual(32), Residual(32))


def _depthwise() -> nn.Module:
    return _classifier(32, nn.Hardswish(), Residual(32, 32), nn.Conv2d(32, 32, 1), nn.SiLU())


def _pooled() -> nn.Module:
    pool, more = nn.MaxPool2d(3, 2, 1), nn.Upsample(scale_factor=2)
    return _classifier(16, nn.GroupNorm(4, 16), nn.SiLU(), pool, more, nn.Conv2d(16, 16, 3, 1, 1), nn.GELU())


def _blocks(spelled: bool) -> nn.Module:
    return nn.Sequential(Block(128, 4, spelled), Block(128, 4, spelled))


PICTURES, SENTENCES = (16, 3, 64, 64), (8, 128, 128)
MODELS = [
    Model("perceptron", lambda: _perceptron(784, 512, 512), Arg((256, 784))),
    Model("deep perceptron", lambda: _perceptron(*[256] * 10), Arg((128, 256))),
    Model("normed perceptron", _normed_perceptron, Arg((512, 256))),
    Model("transformer", lambda: _blocks(False), Arg(SENTENCES)),
    Model("transformer, attention spelled out", lambda: _blocks(True), Arg(SENTENCES)),
    Model("language model", lambda: Language(1000, 128), Arg((8, 128), I64, high=1000)),
    Model("gated layers", lambda: nn.Sequential(*(Gated(256) for _ in range(4))), Arg((8, 64, 256))),
    Model("residual network", _residual, Arg(PICTURES)),
    Model("residual network, channels-last", lambda: _residual().to(memory_format=LAST), Arg(PICTURES, view=_last)),
    Model("depthwise network", _depthwise, Arg(PICTURES)),
    Model("pooled network", _pooled, Arg(PICTURES)),
    Model("mixer", lambda: nn.Sequential(Mixer(64, 128), Mixer(64, 128)), Arg((16, 64, 128))),
]
"""Each is run forward, and forward and backward."""
