"""One case on every backend: compiled and run once, then checked, timed, and its kernels counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from benchmarks.accuracy import errors
from benchmarks.backends import BACKENDS, launches
from benchmarks.case import Case
from benchmarks.compiling import failure
from benchmarks.records import Measured, Result
from benchmarks.timing import least_bytes, measure


@dataclass(frozen=True)
class Compiled:
    """A case with its inputs, as a call on each backend that it does not fail on."""

    case: Case
    inputs: list[torch.Tensor]
    runs: Mapping[str, Callable[[], Any]]
    found: dict[str, Measured]
    """What is known of every backend: the seconds to the first result, or the failure."""


def compiled(case: Case, backends: Iterable[str], device: str) -> Compiled:
    """Compiles a case for every backend, and runs it once."""
    inputs = case.make(device)
    functions = {b: BACKENDS[b](case.function) for b in backends}
    runs: dict[str, Callable[[], Any]] = {}
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


def measured(made: Compiled, copy: float, device: str, counted: Collection[str]) -> Result:
    """Errors and times of a case, and the launches on the backends `counted`; `copy` is bytes a second."""
    case, found = made.case, made.found
    values = {b: run() for b, run in made.runs.items()}
    moved = least_bytes(made.inputs, next(iter(values.values()), ()))
    try:
        for b, off in errors(case, made.inputs, values).items():
            found[b].error = off
    except torch.OutOfMemoryError as error:
        print(f"{case.name}: no error against float64: {failure(error)}")
    values.clear()
    for b, run in made.runs.items():
        timing = measure(run, device)
        found[b].seconds, found[b].host_seconds = timing.seconds, timing.host_seconds
        found[b].of_copy = moved / copy / timing.seconds
        found[b].launches = launches(run) if b in counted else None
    return Result(case.family, case.name, moved, found)
