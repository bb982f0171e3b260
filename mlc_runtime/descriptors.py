"""What launches of kernels with tensor descriptors need: aligned buffers, and memory to make descriptors in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

ALIGNMENT = 16
"""Bytes that a described buffer begins at a multiple of (CUDA driver API, cuTensorMapEncodeTiled). Triton asks the same
of pointers, and of integers, before a kernel counts on it."""
MEMORY_ALIGNMENT = 512
"""Bytes that new tensors begin at multiples of, on a GPU."""


def aligned_buffers(arguments: Sequence[Any], described: Sequence[int]) -> Sequence[Any]:
    """The arguments of a launch, those at the positions `described` as aligned copies where they are not aligned.

    Kernels only read them. A copy has the elements where they are in the tensor, gaps included.
    """
    found = list(arguments)
    for position in described:
        tensor = found[position]
        if tensor.data_ptr() % ALIGNMENT:
            span = 1 + sum((size - 1) * step for size, step in zip(tensor.size(), tensor.stride(), strict=True))
            found[position] = tensor.as_strided((span,), (1,)).clone()
    return found


def descriptor_memory(size: int) -> torch.Tensor:
    """So many bytes of the current device, at a multiple of `MEMORY_ALIGNMENT`.

    They may go when the launch is begun: what gets them next runs behind it on the stream.
    """
    return torch.empty(size, dtype=torch.uint8, device="cuda")
