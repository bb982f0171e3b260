"""Schedules of one kernel on the GPU: compiled side by side, then timed one after another."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import torch
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from lowering.loop_to_triton import LoopToTritonPass
from lowering.triton_source import module_source
from mlc_compiler.cache import write_source
from mlc_compiler.kernel_files import load_kernels
from mlc_dialects import mlc_loop
from mlc_dialects.buffers import buffer_element, buffer_shape, buffer_strides
from mlc_dialects.index_syntax import index_exprs
from mlc_dialects.mlc_triton import KernelOp
from mlc_dialects.types import BY_TYPE
from passes.cse import CsePass
from passes.dce import DcePass

FLUSH_BYTES = 256 * 2**20
REPETITIONS = 12
HOPELESS = 1.3
"""A schedule whose first repetitions take this much longer than the best so far is not timed on."""


@dataclass(frozen=True)
class Trial:
    """What one schedule took: infinitely long if it could not run."""

    seconds: float
    spills: int = 0
    """Registers that a thread spills."""


@dataclass(frozen=True)
class Launch:
    """A kernel ready to be compiled or started: its function, grid and options."""

    function: Any
    grid: tuple[int, ...]
    options: dict[str, Any]

    def compile(self, dtypes: Sequence[torch.dtype]) -> Any:
        """The compiled kernel for pointers to `dtypes`, aligned to 16 bytes. Runs in any thread."""
        return self.function.warmup(*dtypes, grid=self.grid, **self.options)

    def __call__(self, buffers: Sequence[torch.Tensor]) -> None:
        self.function[self.grid](*buffers, **self.options)


def measure(schedules: Sequence[mlc_loop.KernelOp]) -> list[Trial]:
    """The time of each schedule; they are of one kernel, whose sizes are numbers."""
    launches = [launch_of(kernel) for kernel in schedules]
    types = [a.type for a in schedules[0].buffers]
    dtypes = [getattr(torch, BY_TYPE[buffer_element(t)].torch_name) for t in types]
    with ThreadPoolExecutor() as pool:
        compiled = list(pool.map(lambda launch: _compiled(launch, dtypes), launches))
    try:
        buffers = [_buffer(t, d) for t, d in zip(types, dtypes, strict=True)]
        flush = torch.empty(FLUSH_BYTES // 4, dtype=torch.int32, device="cuda")
    except torch.OutOfMemoryError:
        return [Trial(float("inf"))] * len(schedules)
    best, trials = float("inf"), list[Trial]()
    for launch, spills in zip(launches, compiled, strict=True):
        seconds = float("inf") if spills is None else _seconds(launch, buffers, flush, best)
        best = min(best, seconds)
        trials.append(Trial(seconds, spills or 0))
    return trials


def launch_of(kernel: mlc_loop.KernelOp) -> Launch:
    """A scheduled kernel as Triton source, loaded."""
    module = ModuleOp([kernel.clone()])
    for step in (LoopToTritonPass(), CsePass(), DcePass()):
        step.apply(Context(), module)
    (lowered,) = (op for op in module.ops if isinstance(op, KernelOp))
    function = load_kernels(write_source(module_source(module)))[lowered.sym_name.data]
    grid = tuple(size.evaluate({}) for size in index_exprs(lowered.grid))
    warps, stages = lowered.warps.value.data, lowered.stages.value.data
    return Launch(function, grid, {"num_warps": warps, "num_stages": stages, "enable_fp_fusion": False})


def _compiled(launch: Launch, dtypes: Sequence[torch.dtype]) -> int | None:
    """How many registers the kernel spills; None if it does not compile, for want of shared memory say."""
    try:
        kernel = launch.compile(dtypes)
        kernel._init_handles()
    except Exception:
        return None
    return int(kernel.n_spills)


def _buffer(type_: Any, dtype: torch.dtype) -> torch.Tensor:
    """Random floats, or zeros, which are an index into anything."""
    shape, strides = (tuple(s.evaluate({}) for s in f(type_)) for f in (buffer_shape, buffer_strides))
    buffer = torch.empty_strided(shape, strides, dtype=dtype, device="cuda")
    return buffer.normal_() if dtype.is_floating_point else buffer.zero_()


def _seconds(launch: Launch, buffers: Sequence[torch.Tensor], flush: torch.Tensor, best: float) -> float:
    """The median of the repetitions, or of the first few where there is no hope."""
    times: list[float] = []
    launch(buffers)
    for repetition in range(REPETITIONS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        flush.zero_()
        start.record()
        launch(buffers)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e-3)
        if repetition == 2 and min(times) > HOPELESS * best:
            break
    return statistics.median(times)
