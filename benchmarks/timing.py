"""What benchmarks measure beside the time of a call (`mlc_compiler.timing.clock`): wall time, memory, bandwidth."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
import triton
from torch.utils._pytree import tree_leaves

from mlc_compiler.timing.clock import Flush, measure, on_cpu


def wall_seconds(run: Callable[[], Any], device: str = "cuda", budget: float = 0.12) -> float:
    """From a call to its end, where nothing else runs and the cache is flushed: the median of 5 to 50 repetitions."""
    if device != "cuda":
        return on_cpu(run, budget).seconds
    flush, times = Flush(), list[float]()
    while len(times) < 5 or (sum(times) < budget and len(times) < 50):
        flush()
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def peak_bytes(run: Callable[[], Any]) -> int:
    """Memory of PyTorch on the GPU that one call takes beside what is there before it, its results included."""
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    run()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def copy_bandwidth(device: str = "cuda", size: int = 8192) -> float:
    """Bytes a second, read plus written, of a copy of a size x size float32 matrix."""
    source = torch.randn(size, size, device=device)
    target = torch.empty_like(source)
    target.copy_(source)
    return 2 * source.nbytes / measure(lambda: target.copy_(source), device).seconds


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors in a result."""
    return [t for t in tree_leaves(value) if isinstance(t, torch.Tensor)]


def least_bytes(inputs: Any, outputs: Any) -> int:
    """Bytes if each element of the inputs is read once, broadcast ones included, and each output written once."""
    return sum(_distinct(t) * t.element_size() for t in (*tensors(inputs), *tensors(outputs)))


def _distinct(tensor: torch.Tensor) -> int:
    """Elements that lie at addresses of their own."""
    count = 1
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        count *= size if stride else 1
    return count


def environment(device: str = "cuda") -> dict[str, str]:
    """What a measurement depends on."""
    versions = {"torch": torch.__version__, "triton": triton.__version__}
    if device != "cuda":
        return versions | {"device": "CPU"}
    flushed = f"reading {Flush.BYTES >> 20} MiB"
    return versions | {"device": torch.cuda.get_device_name(), "cache flushed by": flushed}
