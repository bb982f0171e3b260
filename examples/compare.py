"""Seven small functions that every compiler fuses in its own way: try `mlc-compare` on them.

mlc-compare examples/compare.py:softmax --args 512x1024xf32
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def chain(x: Tensor) -> Tensor:
    return torch.relu(x * 2 + 1)


def softmax(x: Tensor) -> Tensor:
    return torch.softmax(x, -1)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return functional.layer_norm(x, x.shape[-1:], weight, bias)


def gelu_linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return functional.gelu(x @ weight + bias)


def div_sum(x: Tensor) -> Tensor:
    return x / x.sum()


def sin_cos(x: Tensor) -> tuple[Tensor, Tensor]:
    return torch.sin(x), torch.cos(x)


def mse(x: Tensor, target: Tensor) -> Tensor:
    return ((x - target) ** 2).mean()
