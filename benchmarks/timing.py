"""Timing on the GPU, the same for every benchmark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import triton
from torch.utils._pytree import tree_leaves
from triton.testing import do_bench


def copy_bandwidth(size: int = 8192) -> float:
    """Bytes a second, read plus written, of a copy of a size x size float32 matrix."""
    source = torch.randn(size, size, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.numel() * source.element_size() / seconds_of(lambda: target.copy_(source))


def seconds_of(run: Callable[[], Any]) -> float:
    """The median time of `run`, the L2 cache flushed before each repetition."""
    return do_bench(run, warmup=30, rep=150, return_mode="median") * 1e-3


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors in a result."""
    return [t for t in tree_leaves(value) if isinstance(t, torch.Tensor)]


def least_bytes(inputs: Any, outputs: Any) -> int:
    """Bytes if each input is read once and each output written once."""
    return sum(t.numel() * t.element_size() for t in (*tensors(inputs), *tensors(outputs)))


def error(value: Any, exact: Any) -> float:
    """The greatest, over the tensors of a result, of the norm of the error over the norm of the exact value."""
    pairs = zip(tensors(value), tensors(exact), strict=True)
    norms = ((v.double() - e).norm() / e.double().norm().clamp_min(1e-300) for v, e in pairs)
    return max(map(float, norms), default=0.0)


def environment() -> dict[str, str]:
    """What a measurement depends on."""
    return {"torch": torch.__version__, "triton": triton.__version__, "device": torch.cuda.get_device_name()}
