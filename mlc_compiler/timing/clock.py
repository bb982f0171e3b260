"""How long a call takes.

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

from mlc_compiler.machine import gpu
from passes.common.device import device_named

CLOCK = 2e9
"""Cycles a second that holding up the GPU counts with; the true clock may be lower, and the wait longer."""
SHORTEST_WAIT, LONGEST_WAIT = 100e-6, 5e-3


class Flush:
    """Makes the L2 cache hold nothing that is of use, and nothing that is yet to be written to memory.

    It reads several times what the cache holds. To write as much instead would leave some 40 MB for whatever runs next
    to write back: 8 us of an H200's.
    """

    BYTES = 256 * 2**20

    def __init__(self) -> None:
        self._read = torch.zeros(self.BYTES // 4, dtype=torch.float32, device="cuda")
        self._sum = torch.zeros((), dtype=torch.float32, device="cuda")

    def __call__(self) -> None:
        for _ in range(2):  # long enough for the host to have asked for what comes next before this ends
            torch.sum(self._read, 0, out=self._sum)


@dataclass(frozen=True)
class Timing:
    """Medians over the repetitions."""

    seconds: float
    """What the device took."""
    host_seconds: float
    """What the call took to return, while the device was busy with something else."""


def measure(run: Callable[[], Any], device: str = "cuda", budget: float = 0.12) -> Timing:
    """Times `run`, about `budget` seconds of it and ten repetitions at least; it must have run once before.

    On a CPU it is wall time, and the caches are as the last call left them.
    """
    return _on_gpu(run, budget) if device == "cuda" else on_cpu(run, budget)


def on_cpu(run: Callable[[], Any], budget: float) -> Timing:
    """Wall time, of a hundredth of a second at most."""
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
    count = int(budget / (device + wait + Flush.BYTES / device_named(gpu()).bandwidth))
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
