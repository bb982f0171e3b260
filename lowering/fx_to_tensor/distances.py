"""Distances of all pairs of rows, as reductions over differences that never reach memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def _cdist_forward(x1: Tensor, x2: Tensor, p: float, compute_mode: int | None) -> Tensor:
    """[..., n, m] of the p-norms of x1[..., i, :] - x2[..., j, :]"""
    difference = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).abs()
    if p == 0:
        return (difference != 0).to(x1.dtype).sum(-1)
    if p == math.inf:
        return difference.amax(-1) if x1.shape[-1] else difference.sum(-1)
    if p == 1:
        return difference.sum(-1)
    if p == 2:
        return (difference * difference).sum(-1).sqrt()
    return (difference**p).sum(-1) ** (1 / p)


def _cdist_backward(grad: Tensor, x1: Tensor, x2: Tensor, p: float, cdist: Tensor) -> Tensor:
    """The gradient of x1; 0 where two rows are equal, as eager has it."""
    difference = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    if p == 0:
        return torch.zeros_like(x1)
    scale, distance = grad.unsqueeze(-1), cdist.unsqueeze(-1)
    sign = torch.sign(difference)
    if p == math.inf:
        return (sign * (difference.abs() == distance) * scale).sum(-2)
    if p == 1:
        return (sign * scale).sum(-2)
    if p == 2:
        return torch.where(distance == 0, 0, difference * scale / distance).sum(-2)
    slope = sign * difference.abs() ** (p - 1) * scale / distance ** (p - 1)
    return torch.where((distance == 0) | ((difference == 0) & (p < 1)), 0, slope).sum(-2)


TABLE: dict[Any, Callable[..., Tensor]] = {
    aten._cdist_forward.default: _cdist_forward,
    aten._cdist_backward.default: _cdist_backward,
}
"""Op to its formula."""
