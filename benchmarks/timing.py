"""Timing, the same for every benchmark and backend.

On a GPU each repetition runs alone: the L2 cache is flushed, then the GPU is held up for as long as the host needs to
queue the launches, so that what is measured is the GPU's time between two events and never the host's.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import triton
from torch.utils._pytree import tree_leaves

from mlc_compiler.tuning.measuring import Flush

CLOCK = 2e9
"""Cycles a second that holding up the GPU counts with; the true clock may be lower, and the wait longer."""
SHORTEST_WAIT, LONGEST_WAIT = 100e-6, 5e-3


@dataclass(frozen=True)
class Timing:
    """Medians over the repetitions."""

    seconds: float
    """What the device took."""
    host_seconds: float
    """What the call took to return, while the device was busy with something else."""


def measure(run: Callable[[], Any], device: str = "cuda", budget: float = 0.12) -> Timing:
    """Times `run`, about `budget` seconds of it and ten repetitions at least; it must have run once before."""
    return _on_gpu(run, budget) if device == "cuda" else _on_cpu(run, budget)


def _on_cpu(run: Callable[[], Any], budget: float) -> Timing:
    times: list[float] = []
    while not times or sum(times) < min(budget, 0.01):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    middle = statistics.median(times)
    return Timing(middle, middle)


def _on_gpu(run: Callable[[], Any], budget: float) -> Timing:
    flush = Flush()
    trial = [_repetition(run, flush, SHORTEST_WAIT) for _ in range(5)]
    device, host = _medians(trial)
    wait = min(LONGEST_WAIT, max(SHORTEST_WAIT, 2 * host))
    count = int(budget / (device + wait + Flush.BYTES / 3e12))
    return Timing(*_medians([_repetition(run, flush, wait) for _ in range(max(10, min(100, count)))]))


def _repetition(run: Callable[[], Any], flush: Flush, wait: float) -> tuple[Callable[[], float], float]:
    """One run: its device seconds, to be asked for later, and its host seconds."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    flush()
    torch.cuda._sleep(int(wait * CLOCK))
    start.record()
    before = time.perf_counter()
    run()
    host = time.perf_counter() - before
    end.record()

    def seconds() -> float:
        end.synchronize()
        return start.elapsed_time(end) * 1e-3

    return seconds, host


def _medians(repetitions: Sequence[tuple[Callable[[], float], float]]) -> tuple[float, float]:
    return statistics.median(d() for d, _ in repetitions), statistics.median(h for _, h in repetitions)


def wall_seconds(run: Callable[[], Any], device: str = "cuda", budget: float = 0.12) -> float:
    """From a call to its end, where nothing else runs and the cache is flushed: the median of 5 to 50 repetitions."""
    if device != "cuda":
        return _on_cpu(run, budget).seconds
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
