"""Padding by what is there, and diagonals put in place, out of slices, joins and comparisons of indices.

Borders are slices that are flipped or expanded, and joined.

Their gradients send each border back to where it came from. Dimensions are padded one after the
other, which gives corners their value: the pads of all dimensions commute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

aten = torch.ops.aten
Border = Callable[[Tensor, int, int, bool], Tensor]
"""(x, dim, count, at the end) to the border of `count` elements on that side of x."""


def _reflected(x: Tensor, dim: int, count: int, end: bool) -> Tensor:
    """The `count` elements beside the edge, nearest first; the edge itself is not repeated."""
    start = x.shape[dim] - 1 - count if end else 1
    return x.narrow(dim, start, count).flip(dim)


def _repeated(x: Tensor, dim: int, count: int, end: bool) -> Tensor:
    shape = list(x.shape)
    shape[dim] = count
    return x.narrow(dim, x.shape[dim] - 1 if end else 0, 1).expand(shape)


def _sides(padding: Sequence[int], rank: int) -> list[tuple[int, int, int]]:
    """(dimension, elements before, elements after), from the last dimension on."""
    return [(rank - 1 - k, padding[2 * k], padding[2 * k + 1]) for k in range(len(padding) // 2)]


def _cut(x: Tensor, dim: int, low: int, high: int) -> Tensor:
    """x without the elements that negative pads take away."""
    before, after = max(-low, 0), max(-high, 0)
    return x.narrow(dim, before, x.shape[dim] - before - after) if before or after else x


def _pad(border: Border, self: Tensor, padding: Sequence[int]) -> Tensor:
    owned = False  # the result is a tensor of its own, not a part of another
    for dim, low, high in _sides(padding, self.dim()):
        parts = [border(self, dim, low, False)] if low > 0 else []
        parts.append(_cut(self, dim, low, high))
        parts += [border(self, dim, high, True)] if high > 0 else []
        self = torch.cat(parts, dim) if len(parts) > 1 else parts[0]
        owned = len(parts) > 1 or (owned and low >= 0 and high >= 0)
    return self if owned else self.clone(memory_format=torch.contiguous_format)


def _placed(x: Tensor, dim: int, start: int, size: int) -> Tensor:
    """x at `start` of a dimension of `size`, 0 elsewhere; what would lie outside is left out."""
    pads = [0] * (2 * (x.dim() - dim))
    pads[-2:] = [start, size - start - x.shape[dim]]
    return F.pad(x, pads)


def _pad_backward(reflects: bool, grad_output: Tensor, self: Tensor, padding: Sequence[int]) -> Tensor:
    grad = grad_output
    for dim, low, high in reversed(_sides(padding, self.dim())):
        size, before, after = self.shape[dim], max(low, 0), max(high, 0)
        total = _placed(grad.narrow(dim, before, grad.shape[dim] - before - after), dim, max(-low, 0), size)
        for count, end in ((before, False), (after, True)):
            if count:
                part = grad.narrow(dim, grad.shape[dim] - count if end else 0, count)
                part = part.flip(dim) if reflects else part.sum(dim, keepdim=True)
                width = part.shape[dim]
                near = 1 if reflects else 0
                total = total + _placed(part, dim, size - near - width if end else near, size)
        grad = total
    return grad


def _diagonal_scatter(self: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """self with src on a diagonal: element k of src stands in row k, or in column k below the main one."""
    if not self.is_contiguous():
        return NotImplemented  # eager keeps its strides, gaps included
    moved = self.movedim((dim1, dim2), (-2, -1))
    rows, columns = moved.shape[-2:]
    place = torch.arange(columns, device=self.device) - torch.arange(rows, device=self.device).unsqueeze(-1)
    axis, size = (-1, rows) if offset >= 0 else (-2, columns)
    spread = F.pad(src, [0, size - src.shape[-1]]).unsqueeze(axis)
    return torch.where(place == offset, spread, moved).movedim((-2, -1), (dim1, dim2)).contiguous()


def _table() -> dict[Any, Callable[..., Any]]:
    table: dict[Any, Callable[..., Any]] = {aten.diagonal_scatter.default: _diagonal_scatter}
    for n in (1, 2, 3):
        for name, border in (("reflection", _reflected), ("replication", _repeated)):
            table[getattr(aten, f"{name}_pad{n}d").default] = partial(_pad, border)
            backward = partial(_pad_backward, name == "reflection")
            table[getattr(aten, f"{name}_pad{n}d_backward").default] = backward
    return table


TABLE = _table()
"""Op to what it is made of."""
