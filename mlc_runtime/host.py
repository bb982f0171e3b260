"""What generated host programs call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import torch
from torch._C import _dynamo  # pyright: ignore[reportAttributeAccessIssue]
from torch.utils._pytree import tree_leaves

from mlc_runtime import memory

Allocate = Callable[[tuple[int, ...], tuple[int, ...], torch.dtype], torch.Tensor]
"""A new tensor, filled with anything: shape, strides in elements, element type."""

_fast: Any = _dynamo.guards
"""PyTorch's ways around its dispatcher, which Inductor's programs take."""
reinterpret = _fast._reinterpret_tensor
"""(tensor, shape, strides, offset): a view that begins `offset` elements behind the tensor's own start."""


def with_layout(tensor: torch.Tensor, shape: Sequence[int], strides: Sequence[int]) -> torch.Tensor:
    """`tensor` if it has these strides (elements), else a copy that has; kernels address memory by them.

    Strides of dimensions with fewer than two elements do not matter; sparse tensors have none. Where a stride is 0
    all elements are one place, which the first of them fills.
    ValueError if the shape is another.
    """
    if tensor.layout is not torch.strided or (tensor.stride() == strides and tensor.shape == shape):
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


def expect(
    tensor: torch.Tensor, shape: Sequence[int], strides: Sequence[int], dtype: torch.dtype, device: torch.device
) -> torch.Tensor:
    """`with_layout` of an argument that kernels read, which nobody has checked before.

    ValueError if the shape, the element type or the device is another.
    """
    known = tensor.dtype is dtype and tensor.device == device
    if known and tensor.stride() == strides and tensor.shape == shape:
        return tensor
    if not known:
        raise ValueError(f"expected a tensor of {dtype} on {device}, found {tensor.dtype} on {tensor.device}")
    return with_layout(tensor, shape, strides)


@cache
def allocator(device: torch.device) -> Allocate:
    """What makes the buffers of a program on `device`, which is the current one of several GPUs."""
    known: dict[str, Allocate] = {"cuda": _fast._empty_strided_cuda, "cpu": memory.allocate}
    return known.get(device.type) or partial(_allocate, device)


def _allocate(
    device: torch.device, shape: tuple[int, ...], strides: tuple[int, ...], dtype: torch.dtype
) -> torch.Tensor:
    return torch.empty_strided(shape, strides, dtype=dtype, device=device)


def named_device(name: str) -> torch.device:
    """The device called `name`, of several GPUs the current one."""
    device = _parsed(name)
    return torch.device("cuda", index_of(device)) if device.type == "cuda" else device


_parsed = cache(torch.device)


def index_of(device: Any) -> int:
    """The index of a GPU, of that which is current where the device says none."""
    return current_device() if device.index is None else device.index


def current_device() -> int:
    """The index of the current GPU."""
    return torch._C._cuda_getDevice()


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
    While a CUDA graph is recorded zeros are made anew, for every replay, since graphs may run on any stream. A program
    that PyTorch records has none that are kept, for it runs once before that, in the memory of the recording.
    """

    def __init__(self, kept: bool = True) -> None:
        self._kept = kept
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
        if not self._kept:
            return torch.zeros(count, dtype=dtype, device=device)
        stream = 0
        if device.type == "cuda":
            if torch._C._cuda_isCurrentStreamCapturing():
                return torch.zeros(count, dtype=dtype, device=device)
            stream = torch._C._cuda_getCurrentRawStream(index_of(device))
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
