"""A deep network for pages that must read well with many ops."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

LAYERS = 34


def tower(x: Tensor, weight: Tensor, bias: Tensor, matrix: Tensor) -> Tensor:
    """About 500 ops: normalise, multiply, gate and add, again and again."""
    for layer in range(LAYERS):
        h = functional.layer_norm(x, x.shape[-1:], weight, bias)
        if layer % 3 == 0:
            h = h @ matrix
        x = x + torch.sigmoid(h) * h
    return x
