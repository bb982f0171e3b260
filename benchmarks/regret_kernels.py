"""From the name of a drawn case to the schedules of its kernels as text, in as many processes as there are cores.

A worker draws, lowers and, where there is a GPU, compiles, so that Triton's cache on disk holds what the process that
measures asks for.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, takewhile
from pathlib import Path

import torch
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.dialects.math import Math

from benchmarks.case import Case
from benchmarks.cases import CASES
from benchmarks.compiling import failure
from benchmarks.drawn_families import named
from benchmarks.pool import pool
from benchmarks.records import imported
from benchmarks.region_cases import case_of as region_case
from benchmarks.regions import Region
from benchmarks.regions import load as load_regions
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.kernels.compilation import compile_together
from mlc_compiler.machine import gpu, this_machine
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import PIPELINE, lower_to
from mlc_compiler.tuning.candidates import candidates
from mlc_compiler.tuning.measuring import launch_of
from mlc_dialects.loop.dialect import KernelOp, MlcLoop
from mlc_dialects.loop.host import CallOp
from mlc_support.parsing import parse_module
from passes.common.launches import kernels_by_name
from passes.loop.schedule.schedule import SchedulePass

AHEAD = 4
"""Cases a process that are asked for before they are measured."""
LONGEST = 90.0
"""Seconds after which a case is given up."""
BLOCK = re.compile(r"%(\w+) = .* block (\d+)")
HEADER = re.compile(r"\) (.*) \{$")


@dataclass(frozen=True)
class Written:
    """A candidate as text."""

    text: str
    predicted_us: float | None = None

    @property
    def kernel(self) -> KernelOp:
        """The scheduled kernel, read from the text; the places of the user's lines are gone."""
        context = Context()
        for dialect in (Builtin, Func, Arith, Math, MlcLoop):
            context.load_dialect(dialect)
        (kernel,) = parse_module(context, self.text).ops
        assert isinstance(kernel, KernelOp)
        kernel.detach()
        return kernel

    @property
    def why(self) -> str:
        """The launch, the blocks and the reason."""
        first, *lines = self.text.splitlines()
        header = HEADER.search(first)
        blocks = dict.fromkeys(f"{axis} {size}" for line in lines for axis, size in BLOCK.findall(line))
        return f"{header[1] if header else ''}; blocks {', '.join(blocks)}"


@dataclass(frozen=True)
class Prepared:
    """What a worker gives back: the schedules of each kernel, and the file of the whole program."""

    name: str
    kernels: dict[str, tuple[Written, ...]]
    open: dict[str, str] = field(default_factory=dict[str, str])
    """The kernels before they are scheduled, as text."""
    path: Path | None = None
    failure: str | None = None
    """Why there is nothing to measure."""


def until_tuning(module: ModuleOp) -> ModuleOp:
    """Takes imported tensors to kernels whose schedules are open, in place."""
    lower_to(module, "fused")
    (stage,) = (s for s in PIPELINE if s.level == "loop")
    for step in takewhile(lambda p: not isinstance(p, SchedulePass), stage.passes(CompilerOptions(), this_machine())):
        step.apply(Context(), module)
    return module


@dataclass(frozen=True)
class Source:
    """What the names of cases mean: regions of a file, or cases of the tables and drawn ones."""

    traffic: tuple[int, int]
    """The bytes that a drawn case moves, at least and at most."""
    regions: Path | None = None
    """What `benchmarks.capture` wrote."""

    def case(self, name: str, device: str = "cpu") -> Case:
        """The region or the case of the tables of that name, or the one that is drawn for it, on `device`."""
        if self.regions is not None:
            return region_case(_regions(self.regions)[name], device)
        return next((case for case in CASES if case.name == name), None) or named(name, self.traffic)


@cache
def _regions(path: Path) -> dict[str, Region]:
    return {region.name: region for region in load_regions(path)}


def prepare(name: str, most: int, source: Source) -> Prepared:
    """Draws and lowers one case; with a GPU it compiles what will be measured."""
    try:
        found = imported(source.case(name, "cuda" if torch.cuda.is_available() else "cpu"))
        module = until_tuning(found.module.clone())
        if any(isinstance(op, CallOp) for op in module.walk()):
            return Prepared(name, {}, failure="PyTorch computes a part of it")
        asked = candidates(module, most, gpu())
        unscheduled = {name: str(kernel) for name, kernel in kernels_by_name(module).items() if name in asked}
        kernels = {k: tuple(Written(str(c.kernel), c.predicted_us) for c in c_s) for k, c_s in asked.items()}
        if not kernels:
            return Prepared(name, {}, failure="it has no kernel")
        executable = compile_imported(found)
        if torch.cuda.is_available():
            executable.pending.compile()
            compile_together([launch_of(w.kernel, gpu()).kernel for group in kernels.values() for w in group])
        return Prepared(name, kernels, unscheduled, executable.path)
    except Exception as error:
        return Prepared(name, {}, failure=failure(error))


def prepared(names: Iterator[str], most: int, source: Source, processes: int) -> Generator[Prepared, None, None]:
    """Each case in the order of the names, made by this many processes, or by this one if there are none."""
    if processes < 1:
        yield from (prepare(name, most, source) for name in names)
        return
    with pool(processes) as running:
        waiting: deque[tuple[str, Future[Prepared]]] = deque()
        while True:
            for name in islice(names, AHEAD * processes - len(waiting)):
                waiting.append((name, running.submit(prepare, name, most, source)))
            if not waiting:
                return
            name, future = waiting.popleft()
            try:
                yield future.result(LONGEST)
            except TimeoutError:
                yield Prepared(name, {}, failure=f"not compiled within {LONGEST:.0f} s")
