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
    return _norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p)


def _norm(x: Tensor, p: float) -> Tensor:
    """The p-norm of the last dimension."""
    difference = x.abs()
    if p == 0:
        return (difference != 0).to(x.dtype).sum(-1)
    if p == math.inf:
        return difference.amax(-1) if x.shape[-1] else difference.sum(-1)
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


def _pdist_forward(self: Tensor, p: float = 2) -> Any:
    """The distances of row i to row j for i < j, row after row: [n, m] gives [n * (n - 1) / 2]."""
    rows: Any = self.shape[0]
    if not isinstance(rows, int):
        return NotImplemented
    if rows < 2:
        return self.new_zeros(0)
    i, j = torch.triu_indices(rows, rows, 1, device=self.device).unbind()
    return _norm(self.index_select(0, i) - self.index_select(0, j), p)


def _pdist_backward(grad: Tensor, self: Tensor, p: float, pdist: Tensor) -> Any:
    rows: Any = self.shape[0]
    if not isinstance(rows, int):
        return NotImplemented
    if rows < 2:
        return torch.zeros_like(self)
    return _cdist_backward(_square(grad, rows), self, self, p, _square(pdist, rows))


def _square(pairs: Tensor, rows: int) -> Tensor:
    """What `_pdist_forward` orders by pairs as a symmetric matrix, with zeros on its diagonal."""
    i, j = torch.arange(rows, device=pairs.device).unsqueeze(-1), torch.arange(rows, device=pairs.device)
    low, high = torch.minimum(i, j), torch.maximum(i, j)
    place = low * (2 * rows - low - 1) // 2 + high - low - 1
    return torch.where(i == j, 0, pairs[torch.where(i == j, 0, place)])


TABLE: dict[Any, Callable[..., Tensor]] = {
    aten._cdist_forward.default: _cdist_forward,
    aten._cdist_backward.default: _cdist_backward,
    aten._pdist_forward.default: _pdist_forward,
    aten._pdist_backward.default: _pdist_backward,
}
"""Op to its formula."""
