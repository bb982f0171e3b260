"""One case on every backend: compiled and run once, then checked, timed, and its kernels counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean
from typing import Any

import torch

from benchmarks.accuracy import errors
from benchmarks.backends import OTHER_RESULTS, applicable, launches, on_backend
from benchmarks.case import Case
from benchmarks.compiling import failure
from benchmarks.records import Measured, Result, product_operations
from benchmarks.timing import least_bytes, peak_bytes, wall_seconds
from mlc_compiler.timing.clock import Timing, measure

BUDGET = 0.06
"""Seconds of a turn."""


@dataclass(frozen=True)
class Compiled:
    """A case with its inputs, as a call on each backend that it does not fail on."""

    case: Case
    inputs: list[torch.Tensor]
    runs: Mapping[str, partial[Any]]
    found: dict[str, Measured]
    """What is known of every backend: the seconds to the first result, or the failure."""


def compiled(case: Case, backends: Iterable[str], device: str) -> Compiled:
    """Compiles a case for every backend that has something to run for it, and runs it once."""
    if device == "cuda":
        torch.cuda.empty_cache()  # what PyTorch keeps, XLA cannot have
    inputs = case.make(device)
    functions = {b: on_backend(case, b) for b in applicable(case, backends)}
    runs: dict[str, partial[Any]] = {}
    found = {b: Measured() for b in functions}
    for b, function in functions.items():
        start = time.perf_counter()
        try:
            function(*inputs)
            if device == "cuda":
                torch.cuda.synchronize()
        except Exception as error:
            found[b].failure = failure(error)
            continue
        found[b].compile_seconds = time.perf_counter() - start
        runs[b] = partial(function, *inputs)
    return Compiled(case, inputs, runs, found)


def measured(made: Compiled, copy: float, device: str, counted: Collection[str], calls: bool = False) -> Result:
    """Errors and times of a case, and the launches on the backends `counted`; `copy` is bytes a second.

    With `calls` it has the wall time of whole calls, and their peak memory, as well.
    """
    case, found = made.case, made.found
    values = {b: value for b, run in made.runs.items() if (value := _tried(found[b], run)) is not None}
    moved = least_bytes(made.inputs, next(iter(values.values()), ()))
    comparable = {b: value for b, value in values.items() if case.repeatable and b not in OTHER_RESULTS}
    try:
        for b, off in errors(case, made.inputs, comparable).items():
            found[b].error = off
    except RuntimeError as error:
        print(f"{case.name}: no error against float64: {failure(error)}")
    timed = list(values)
    values.clear()
    comparable.clear()
    timings: dict[str, list[Timing]] = {b: [] for b in timed}
    for b in (*timed, *reversed(timed)):  # once early, once late: a GPU that others have heated is slower
        timing = _tried(found[b], partial(measure, made.runs[b], device, BUDGET))
        timings[b] += [] if timing is None else [timing]
    for b in timed:
        if timings[b]:
            _note(found[b], timings[b], moved / copy)
        found[b].launches = _tried(found[b], partial(launches, made.runs[b])) if b in counted else None
        if calls:
            _tried(found[b], partial(_measure_calls, found[b], made.runs[b], device))
    return Result(case.family, case.name, moved, found, product_operations(case, device))


def _tried(found: Measured, do: Callable[[], Any]) -> Any:
    """What it gives; None, and a failure, where it ran before and memory does not hold what else is there by now."""
    try:
        return do()
    except Exception as error:
        found.failure = failure(error)
        return None


def _note(found: Measured, timings: Sequence[Timing], copy_seconds: float) -> None:
    """The mean time of a call over its turns; `copy_seconds` is how long a copy of as many bytes takes."""
    found.seconds, found.host_seconds = mean(t.seconds for t in timings), mean(t.host_seconds for t in timings)
    found.of_copy = copy_seconds / found.seconds


def _measure_calls(found: Measured, run: partial[Any], device: str) -> None:
    found.wall_seconds = wall_seconds(run, device)
    found.peak_bytes = _peak(run) if device == "cuda" else None


def _peak(run: partial[Any]) -> int | None:
    """XLA allocates by itself, and says what it needs."""
    planned = getattr(run.func, "peak_bytes", None)
    return peak_bytes(run) if planned is None else planned()
