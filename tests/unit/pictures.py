"""Small networks on pictures [N, 8, H, W], each with one thing between its convolutions that layouts must pass."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def convolution(channels: int, out: int, kernel: int = 3) -> nn.Conv2d:
    return nn.Conv2d(channels, out, kernel, padding=kernel // 2)


class Between(nn.Module):
    """Two convolutions; subclasses say what lies between them."""

    def __init__(self, out: int = 16) -> None:
        super().__init__()
        self.first, self.second = convolution(8, 16), convolution(out, 8)

    def between(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.between(self.first(x)))


class MaxPool(Between):
    def between(self, x: Tensor) -> Tensor:
        return F.max_pool2d(F.relu(x), 3, 2, 1)


class BigPool(Between):
    """Windows of 36 elements, which are reduced."""

    def between(self, x: Tensor) -> Tensor:
        return F.avg_pool2d(x, 6)


class SqueezeExcite(Between):
    def __init__(self) -> None:
        super().__init__()
        self.reduce, self.expand = nn.Conv2d(16, 4, 1), nn.Conv2d(4, 16, 1)

    def between(self, x: Tensor) -> Tensor:
        gate = self.expand(F.relu(self.reduce(F.adaptive_avg_pool2d(x, 1))))
        return x * gate.sigmoid()


class Gate(Between):
    """Squeeze and excite by products of matrices."""

    def __init__(self) -> None:
        super().__init__()
        self.reduce, self.expand = nn.Linear(16, 4), nn.Linear(4, 16)

    def between(self, x: Tensor) -> Tensor:
        return x * self.expand(F.relu(self.reduce(x.mean((2, 3))))).sigmoid()[:, :, None, None]


class SpatialGate(Between):
    """A map of one channel, computed from means and maxima over the channels."""

    def __init__(self) -> None:
        super().__init__()
        self.map = convolution(2, 1)

    def between(self, x: Tensor) -> Tensor:
        means = torch.cat([x.mean(1, keepdim=True), x.amax(1, keepdim=True)], 1)
        return x * self.map(means).sigmoid()


class BatchNorm(Between):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(16)

    def between(self, x: Tensor) -> Tensor:
        return F.relu(self.norm(x)) + x


class GroupNorm(Between):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(4, 16)

    def between(self, x: Tensor) -> Tensor:
        return F.silu(self.norm(x))


class Inception(Between):
    def __init__(self) -> None:
        super().__init__(32)
        self.one, self.three, self.pooled = nn.Conv2d(16, 8, 1), convolution(16, 16), nn.Conv2d(16, 8, 1)

    def between(self, x: Tensor) -> Tensor:
        return torch.cat([F.relu(self.one(x)), F.relu(self.three(x)), self.pooled(F.max_pool2d(x, 3, 1, 1))], 1)


class Dense(Between):
    def __init__(self) -> None:
        super().__init__(32)
        self.norm, self.grow, self.more = nn.BatchNorm2d(16), convolution(16, 8), convolution(24, 8)

    def between(self, x: Tensor) -> Tensor:
        two = torch.cat([x, self.grow(F.relu(self.norm(x)))], 1)
        return torch.cat([two, self.more(F.relu(two))], 1)


class Upsample(Between):
    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode = mode

    def between(self, x: Tensor) -> Tensor:
        return F.interpolate(F.relu(x), scale_factor=2, mode=self.mode)


class Block(Between):
    """Over channels last already: norm and products of matrices between permutations that cancel."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.wide, self.narrow = nn.LayerNorm(16), nn.Linear(16, 32), nn.Linear(32, 16)

    def between(self, x: Tensor) -> Tensor:
        y = self.narrow(F.gelu(self.wide(self.norm(x.permute(0, 2, 3, 1)))))
        return x + y.permute(0, 3, 1, 2)


class Shuffle(Between):
    """Channels change places: one permutation is the program's own."""

    def between(self, x: Tensor) -> Tensor:
        return F.channel_shuffle(x, 4)


class Classes(Between):
    """The best channel of each point."""

    def between(self, x: Tensor) -> Tensor:
        return F.relu(x)

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x).argmax(1)


class Patches(nn.Module):
    """Pieces of a picture as a sequence; they overlap."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces, self.norm = nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.LayerNorm(16)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.pieces(x).flatten(2).transpose(1, 2))
