"""Schedules of kernels on the GPU: compiled side by side, then timed one after another."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue

from lowering.triton_to_source.kernels import module_source
from mlc_compiler.kernel_passes import to_triton
from mlc_compiler.kernels.cache import keep_source
from mlc_compiler.kernels.compilation import Compilation, compile_together
from mlc_compiler.kernels.kernel_files import load_kernels
from mlc_compiler.kernels.manifest import kernel_entry
from mlc_compiler.timing.clock import Flush
from mlc_dialects.common.buffers import buffer_shape, buffer_strides
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.loop import dialect as mlc_loop
from mlc_dialects.triton.dialect import KernelOp
from mlc_support.progress import Progress
from mlc_support.walks import walk
from passes.loop.analysis.axes import looked_up

DEVICE = "cuda"
ROUNDS = 2
"""How often each schedule is timed: what disturbs the GPU for a while disturbs all repetitions of one, but not both."""
REPETITIONS, FIRST = 12, 3
HOPELESS = 1.3
"""A schedule whose FIRST repetitions take this much longer than the best so far is not timed on."""

NO_INDEX = 2
"""Integers that are no indices are timed as 0 and 1: the values of booleans, and lengths or counts of anything."""

Usage = tuple[int, int]
"""Registers that a thread of a kernel spills, and those that it has."""


@dataclass(frozen=True)
class Trial:
    """What one schedule took: infinitely long if it could not run."""

    seconds: float
    spills: int = 0
    """Registers that a thread spills."""
    registers: int = 0
    """Those that it has."""


@dataclass(frozen=True)
class Launch:
    """A kernel ready to be compiled and started, and its grid."""

    kernel: Compilation
    grid: tuple[int, ...]

    def __call__(self, buffers: Sequence[torch.Tensor]) -> None:
        self.kernel.function[self.grid](*buffers, **self.kernel.entry.options)


Program = Sequence[mlc_loop.KernelOp]
"""The kernels that a schedule makes of one, in the order of their launches; most often one."""


def measure(asked: Sequence[Sequence[Program]], device: str) -> list[list[Trial]]:
    """The time of each schedule of each kernel; all sizes are numbers. Buffers are real, also while torch traces."""
    with _disable_current_modes():
        return _measured(asked, device)


def _measured(asked: Sequence[Sequence[Program]], device: str) -> list[list[Trial]]:
    launches = [[[launch_of(kernel, device) for kernel in program] for program in group] for group in asked]
    progress = Progress("tuning", len(asked) + 1, patience=0)
    progress.step("compiling the schedules")
    flat = [launch for group in launches for program in group for launch in program]
    usages = dict(zip(map(id, flat), map(_usage, compile_together([launch.kernel for launch in flat])), strict=True))
    trials: list[list[Trial]] = []
    for group, own in zip(asked, launches, strict=True):
        progress.step(group[0][-1].sym_name.data)
        programs = [
            [(kernel, launch, usages[id(launch)]) for kernel, launch in zip(program, starts, strict=True)]
            for program, starts in zip(group, own, strict=True)
        ]
        found, memory = [Trial(float("inf"))] * len(group), Memory()
        for _ in range(ROUNDS):
            for place, program in enumerate(programs):
                best = min(trial.seconds for trial in found)
                trial = _sum([_trial(kernel, launch, usage, memory, best) for kernel, launch, usage in program])
                found[place] = min(found[place], trial, key=lambda t: t.seconds)
        trials.append(found)
    progress.end()
    return trials


def _sum(trials: Sequence[Trial]) -> Trial:
    """Several kernels one after another."""
    return Trial(sum(t.seconds for t in trials), max(t.spills for t in trials), max(t.registers for t in trials))


class Memory:
    """What the schedules of one kernel are timed on: a flush, and the same buffers for all with the same types."""

    def __init__(self) -> None:
        self._buffers: dict[tuple[tuple[Attribute, int], ...], list[torch.Tensor]] = {}
        self._flush: Flush | None = None

    def of(self, kernel: mlc_loop.KernelOp, dtypes: Sequence[torch.dtype]) -> tuple[list[torch.Tensor], Flush]:
        """The buffers of a kernel, and the flush. OutOfMemoryError where the device has no room."""
        limits = limits_of(kernel)
        kinds = tuple((value.type, limits.get(value, NO_INDEX)) for value in kernel.buffers)
        if kinds not in self._buffers:
            self._buffers[kinds] = [_buffer(*kind, dtype) for kind, dtype in zip(kinds, dtypes, strict=True)]
        self._flush = self._flush or Flush()
        return self._buffers[kinds], self._flush


def limits_of(kernel: mlc_loop.KernelOp) -> dict[SSAValue, int]:
    """The buffers of integers that become indices, and the least size of what they index; sizes are numbers."""
    limits: dict[SSAValue, int] = {}
    for op in walk(kernel):
        if isinstance(op, mlc_loop.IndirectIndexOp):
            size = op.size.evaluate({})
            for load in looked_up([op.result]):
                if isinstance(load, mlc_loop.LoadOp):
                    limits[load.buffer] = min(size, limits.get(load.buffer, size))
    return limits


def _trial(kernel: mlc_loop.KernelOp, launch: Launch, usage: Usage | None, memory: Memory, best: float) -> Trial:
    """One kernel; infinitely long if it cannot run, or has no room."""
    if usage is None:
        return Trial(float("inf"))
    try:
        buffers, flush = memory.of(kernel, launch.kernel.dtypes)
    except torch.OutOfMemoryError:
        return Trial(float("inf"))
    return Trial(_seconds(launch, buffers, flush, best), *usage)


def launch_of(kernel: mlc_loop.KernelOp, device: str) -> Launch:
    """A scheduled kernel as the pipeline would write it in Triton, loaded."""
    module = ModuleOp([kernel.clone()])
    for step in to_triton(device):
        step.apply(Context(), module)
    (lowered,) = (op for op in module.ops if isinstance(op, KernelOp))
    source = module_source(module)
    path = keep_source(source)
    function = load_kernels(path, source)[lowered.sym_name.data]
    grid = tuple(size.evaluate({}) for size in index_exprs(lowered.grid))
    return Launch(Compilation(kernel_entry(lowered), path, function), grid)


def _usage(kernel: Any) -> Usage | None:
    """What a compiled kernel spills and has of registers; None if it cannot run, for want of shared memory say."""
    if isinstance(kernel, Exception):
        return None
    try:
        kernel._init_handles()  # loads it, which is when the driver tells
    except Exception:
        return None
    return int(kernel.n_spills), int(kernel.n_regs)


def _buffer(type_: Any, limit: int, dtype: torch.dtype) -> torch.Tensor:
    """Random floats, or random integers in [0, limit); elements may share memory (stride 0).

    PyTorch's own stream of random numbers stays where it is.
    """
    shape, strides = (tuple(s.evaluate({}) for s in f(type_)) for f in (buffer_shape, buffer_strides))
    span = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True)) if all(shape) else 0
    memory = torch.empty(span, dtype=dtype, device=DEVICE)
    generator = torch.Generator(DEVICE)
    if dtype.is_floating_point:
        memory.normal_(generator=generator)
    else:
        most = 1 if dtype == torch.bool else torch.iinfo(dtype).max
        memory.random_(0, min(max(1, limit), most + 1), generator=generator)
    return memory.as_strided(shape, strides)


def _seconds(launch: Launch, buffers: Sequence[torch.Tensor], flush: Flush, best: float) -> float:
    """The median of the repetitions, or of the first few where there is no hope."""
    launch(buffers)
    times = _repeated(launch, buffers, flush, FIRST)
    if min(times) <= HOPELESS * best:
        times += _repeated(launch, buffers, flush, REPETITIONS - FIRST)
    return statistics.median(times)


def _repeated(launch: Launch, buffers: Sequence[torch.Tensor], flush: Flush, count: int) -> list[float]:
    """Seconds of each of `count` launches with a flushed cache.

    The host asks for all of them before it waits, and is soon ahead of the GPU: else, on a busy host, the time from one
    event to the other would be that until the host goes on.
    """
    pairs = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(count)]
    flush()
    for start, end in pairs:
        flush()
        start.record()
        launch(buffers)
        end.record()
    torch.cuda.synchronize()
    return [start.elapsed_time(end) * 1e-3 for start, end in pairs]
