"""Memory of programs for CPUs."""

from __future__ import annotations

import ctypes
import mmap

import torch
from torch._C import _dynamo  # pyright: ignore[reportAttributeAccessIssue]

from mlc_support.cpu import CPU

_HUGE_PAGES: int | None = getattr(mmap, "MADV_HUGEPAGE", None)
"""The advice, where the system knows it."""
_advise = ctypes.CDLL(None).madvise if _HUGE_PAGES is not None else None
if _advise is not None:
    _advise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def allocate(shape: tuple[int, ...], strides: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """A new tensor on the CPU with these strides (elements), filled with anything.

    The first write to a page of fresh memory enters the kernel. Large tensors get fresh memory on every call, and with
    small pages that takes longer than most kernels need to fill them.
    """
    made: torch.Tensor = _dynamo.guards._empty_strided_cpu(shape, strides, dtype)
    if _advise is not None and (size := made.nbytes) >= CPU.paged_bytes:
        begin = -(-made.data_ptr() // mmap.PAGESIZE) * mmap.PAGESIZE
        end = (made.data_ptr() + size) // mmap.PAGESIZE * mmap.PAGESIZE
        _advise(begin, end - begin, _HUGE_PAGES)  # a system that refuses leaves small pages
    return made
