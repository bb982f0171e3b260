"""Searches in short lists as comparisons with every entry, which a kernel keeps in registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten
LONGEST = 1024
"""Entries of the longest list that is compared whole; PyTorch's kernels search longer ones by halves."""


def _is_short(tensor: Any, dim: int | None = None) -> bool:
    count = tensor.numel() if dim is None else tensor.shape[dim]
    return isinstance(count, int) and count <= LONGEST


def _isin(elements: Tensor, test_elements: Tensor, *, assume_unique: bool = False, invert: bool = False) -> Any:
    if not _is_short(test_elements):
        return NotImplemented
    found = (elements.unsqueeze(-1) == test_elements.reshape(-1)).any(-1)
    return found.logical_not() if invert else found


def _isin_scalar(elements: Tensor, test_element: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    return elements != test_element if invert else elements == test_element


def _position(boundaries: Tensor, values: Tensor, right: bool, out_int32: bool) -> Tensor:
    """How many boundaries come before each value: [..., m] and [..., k] give [..., k]; NaN comes last."""
    edges, value = boundaries.unsqueeze(-2), values.unsqueeze(-1)
    beyond = edges > value if right else edges >= value
    return beyond.logical_not().sum(-1, dtype=torch.int32 if out_int32 else torch.int64)


def _bucketize(self: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Any:
    if not _is_short(boundaries):
        return NotImplemented
    values = self if isinstance(self, Tensor) else torch.scalar_tensor(self, device=boundaries.device)
    return _position(boundaries, values.reshape(-1), right, out_int32).reshape(values.shape)


def _searchsorted(
    sorted_sequence: Tensor,
    self: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Any:
    if not _is_short(sorted_sequence, -1):
        return NotImplemented
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    values = self if isinstance(self, Tensor) else torch.scalar_tensor(self, device=sorted_sequence.device)
    from_right = right or side == "right"
    if sorted_sequence.dim() == 1:
        return _position(sorted_sequence, values.reshape(-1), from_right, out_int32).reshape(values.shape)
    return _position(sorted_sequence, values, from_right, out_int32)


TABLE: dict[Any, Callable[..., Any]] = {
    aten.isin.Tensor_Tensor: _isin,
    aten.isin.Tensor_Scalar: _isin_scalar,
    aten.bucketize.Tensor: _bucketize,
    aten.bucketize.Scalar: _bucketize,
    aten.searchsorted.Tensor: _searchsorted,
    aten.searchsorted.Scalar: _searchsorted,
}
"""Op to its formula."""
