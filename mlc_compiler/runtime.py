"""What generated host programs call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves


def with_layout(tensor: torch.Tensor, shape: Sequence[int], strides: Sequence[int]) -> torch.Tensor:
    """`tensor` if it has these strides (elements), else a copy that has; kernels address memory by them.

    Strides of dimensions with fewer than two elements do not matter; sparse tensors have none. Where a stride is 0
    all elements are one place, which the first of them fills.
    ValueError if the shape is another.
    """
    if tensor.layout != torch.strided:
        return tensor
    if tensor.stride() == strides and tensor.shape == shape:
        return tensor
    if tuple(tensor.shape) != tuple(shape):
        raise ValueError(f"expected a tensor of shape {tuple(shape)}, found {tuple(tensor.shape)}")
    pairs = zip(tensor.shape, tensor.stride(), strides, strict=True)
    if tensor.numel() == 0 or all(size == 1 or have == want for size, have, want in pairs):
        return tensor
    copy = torch.empty_strided(tuple(shape), tuple(strides), dtype=tensor.dtype, device=tensor.device)
    distinct = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in strides)
    copy[distinct].copy_(tensor[distinct])
    return copy


def parts(size: int, factor: int) -> int:
    """How many times `factor` goes into a size that is a multiple of it: kernels count on that.

    RuntimeError, as `torch._check` raises, if it is none.
    """
    count, rest = divmod(size, factor)
    if rest:
        raise RuntimeError(f"a size is {size}, and a check or a guard says that it is a multiple of {factor}")
    return count


class Counters:
    """What the kernels of one loaded program leave for their next launches; zeros at first.

    Launches on one stream follow each other and share it, those on different streams may run at once and do not.
    While a CUDA graph is recorded zeros are made anew, for every replay, since graphs may run on any stream.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str | None, torch.device, int], torch.Tensor] = {}

    def __call__(self, count: int, device: torch.device) -> torch.Tensor:
        """`count` or more zeros (int32) for the launches of the current stream of `device`, each of which leaves zeros.

        All kernels share them.
        """
        return self._of(None, count, torch.int32, device)

    def kept(self, kernel: str, count: int, device: torch.device) -> torch.Tensor:
        """`count` numbers (int64) for the launches of one kernel on the current stream: what the last one left."""
        return self._of(kernel, count, torch.int64, device)

    def _of(self, owner: str | None, count: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
        if device.type == "cuda" and torch.cuda.is_current_stream_capturing():
            return torch.zeros(count, dtype=dtype, device=device)
        stream = torch.cuda.current_stream(device).cuda_stream if device.type == "cuda" else 0
        known = self._known.get((owner, device, stream))
        if known is None or known.numel() < count:
            known = self._known[owner, device, stream] = torch.zeros(count, dtype=dtype, device=device)
        return known


def leaves(value: Any) -> list[Any]:
    """The tensors and numbers in what an op returned, in order; None counts as one."""
    return tree_leaves(value, is_leaf=lambda v: v is None)


def single(value: Any) -> Any:
    """The one result of an op, which may come in a list."""
    if isinstance(value, torch.Tensor):
        return value
    (only,) = leaves(value)
    return only
