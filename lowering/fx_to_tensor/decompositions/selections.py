"""Elements that a mask or a slice selects, written by choices: each place computes what is put there."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch.fx.experimental.symbolic_shapes import statically_known_true

aten = torch.ops.aten


def _slice_scatter(
    self: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """With a step, a choice between `self` and `src`, read at the place that the slice gives each index."""
    size: Any = self.shape[dim]
    numbers: list[Any] = [size, start, end]
    if step == 1 or not all(isinstance(n, int | None) for n in numbers):
        return NotImplemented
    taken = range(size)[slice(start, end, step)]
    if not taken:
        return self.clone()
    index = torch.arange(size, device=self.device) - taken.start
    hit = (index >= 0) & (index < len(taken) * step) & (index % step == 0)
    shape = [size if d == dim % self.dim() else 1 for d in range(self.dim())]
    spread = src.index_select(dim, torch.where(hit, index // step, 0))
    return torch.where(hit.view(shape), spread.to(self.dtype), self)


def _places(mask: Tensor) -> Tensor:
    """How many elements of `mask` before each one are true, in the order of rows."""
    flat = mask.reshape(-1)
    return (flat.cumsum(0) - flat.to(torch.int64)).view(mask.shape)


def _masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Any:
    """The elements that `mask` selects replaced by the first ones of `source`, in order."""
    if not statically_known_true(source.numel() > 0):
        return NotImplemented  # there may be nothing to read for what is not selected
    x, chosen = torch.broadcast_tensors(self, mask)
    return torch.where(chosen, source.reshape(-1)[torch.where(chosen, _places(chosen), 0)], x)


def _masked_scatter_backward(grad_output: Tensor, mask: Tensor, sizes: list[Any]) -> Tensor:
    """The gradient of `source`: what `mask` selects, then zeros. What it does not select goes behind the end."""
    grad, chosen = torch.broadcast_tensors(grad_output, mask)
    count = prod(sizes)
    place = torch.where(chosen, _places(chosen), count).reshape(-1)
    return grad.new_zeros(count + 1).scatter(0, place, grad.reshape(-1))[:count].view(sizes)


TABLE: dict[Any, Callable[..., Any]] = {
    aten.slice_scatter.default: _slice_scatter,
    aten.masked_scatter.default: _masked_scatter,
    aten.masked_scatter_backward.default: _masked_scatter_backward,
}
"""Op to its formula."""
