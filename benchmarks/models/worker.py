"""The process that one model has for itself: it compiles while others do, and is timed while they stand still."""

from __future__ import annotations

import fcntl
import gc
import os
import statistics
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch.profiler import ProfilerActivity, profile

from benchmarks.backends import BACKENDS, configure
from benchmarks.compiling import CACHES, failure
from benchmarks.models.records import Job, Measured
from benchmarks.models.subject import Call, Subject, distance

T = TypeVar("T")
READY, GO = "ready", "go"
ROUND_S = 0.06
"""Seconds of calls of one backend in one round."""
ROUNDS, LEAST_CALLS, MOST_CALLS, WARM = 7, 3, 200, 3
RECORDING = 3
"""Calls after the first until a CUDA graph is replayed."""


def work(connection: Connection, job: Job, cores: tuple[int, ...]) -> None:
    """Compiles, asks to be timed, and sends what was measured: by backend, with the seconds when it compiled."""
    if cores:
        os.sched_setaffinity(0, cores)
        torch.set_num_threads(len(cores))
    for name in CACHES:
        os.environ[name] = str(Path(job.caches) / name.lower())
    try:
        found, spans = _measure(job, lambda: _turn(connection))
    except Exception as error:
        found, spans = {b: Measured(failure=failure(error)) for b in job.backends}, {}
    connection.send((found, spans))


def _turn(connection: Connection) -> None:
    connection.send(READY)
    connection.recv()


Span = tuple[float, float]
"""From when to when on the clock that all processes share."""


def _measure(job: Job, turn: Callable[[], None]) -> tuple[dict[str, Measured], dict[str, Span]]:
    _warm_up(job)
    found = {b: Measured() for b in job.backends}
    subject = Subject(job)
    calls, spans = _compile(job, subject, found)
    if job.device == "cpu" or job.warm:
        return found, spans
    torch.cuda.empty_cache()
    turn()
    counts = _each(calls, found, lambda _, call: _calls_a_round(call))
    _time({b: calls[b] for b in counts}, counts, found)
    _each({b: calls[b] for b in counts}, found, lambda backend, call: _look(call, found[backend]))
    return found, spans


def _each(calls: Mapping[str, Call], found: Mapping[str, Measured], do: Callable[[str, Call], T]) -> dict[str, T]:
    """What `do` gives for every backend that it does not fail on."""
    given: dict[str, T] = {}
    for backend, call in calls.items():
        try:
            given[backend] = do(backend, call)
        except Exception as error:
            found[backend].failure = failure(error)
    return given


def _warm_up(job: Job) -> None:
    """What a process pays once is no model's: the device, the first use of each compiler."""
    configure()
    for backend in job.backends:
        x = torch.ones(33, device=job.device)
        BACKENDS[backend](lambda x: x + 3)(x)


def _compile(job: Job, subject: Subject, found: Mapping[str, Measured]) -> tuple[dict[str, Call], dict[str, Span]]:
    """First results and their errors; what fails is left out."""
    calls: dict[str, Call] = {}
    spans: dict[str, Span] = {}
    exact = None if job.warm else _exact(job, subject)
    for backend in job.backends:
        try:
            call = subject.call(backend)
            start = time.monotonic()
            values = call()
            _wait(job.device)
            spans[backend] = start, time.monotonic()
            for _ in range(RECORDING if job.mode == "reduce-overhead" else 0):
                torch.compiler.cudagraph_mark_step_begin()
                values = call()
            if exact is not None:
                found[backend].error = distance(values, exact)
            calls[backend] = call
        except Exception as error:
            found[backend].failure = failure(error)
        values = None
    return calls, spans


def _exact(job: Job, subject: Subject) -> list[torch.Tensor] | None:
    """The result in float32, of one process at a time: it takes most memory. None where that is not enough."""
    with open(Path(job.caches).parent / "float32.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # gone with the process, however it ends
        try:
            return [t.detach() for t in subject.exact()]
        except torch.OutOfMemoryError:
            print(f"{job.model}: no memory for float32, so no errors", flush=True)
            return None
        finally:
            _wait(job.device)
            if job.device == "cuda":
                torch.cuda.empty_cache()


def _wait(device: str = "cuda") -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def _calls_a_round(call: Call) -> int:
    _seconds(call, WARM)
    return max(LEAST_CALLS, min(MOST_CALLS, int(ROUND_S / _seconds(call, LEAST_CALLS))))


def _time(calls: Mapping[str, Call], counts: Mapping[str, int], found: Mapping[str, Measured]) -> None:
    """Wall and host milliseconds: the medians over rounds in which every backend has a turn of so many calls."""
    wall: dict[str, list[float]] = {b: [] for b in calls}
    host: dict[str, list[float]] = {b: [] for b in calls}
    order = list(calls)
    with _no_collections():
        for _ in range(ROUNDS):
            for backend in order:
                wall[backend].append(_seconds(calls[backend], counts[backend]))
                host[backend] += [_host_seconds(calls[backend]) for _ in range(2)]
            order.append(order.pop(0))
    for backend in calls:
        found[backend].wall_ms = 1e3 * statistics.median(wall[backend])
        found[backend].host_ms = 1e3 * statistics.median(host[backend])


def _seconds(call: Call, count: int) -> float:
    """Of each of so many calls that follow each other."""
    _wait()
    start = time.perf_counter()
    for _ in range(count):
        torch.compiler.cudagraph_mark_step_begin()
        call()
    _wait()
    return (time.perf_counter() - start) / count


def _host_seconds(call: Call) -> float:
    _wait()
    torch.compiler.cudagraph_mark_step_begin()
    start = time.perf_counter()
    values = call()
    taken = time.perf_counter() - start
    _wait()
    del values
    return taken


def _look(call: Call, found: Measured) -> None:
    """Peak memory, and what the device did in one call."""
    gc.collect()  # what earlier calls left in cycles would be freed in this one, and hide what it takes
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    torch.compiler.cudagraph_mark_step_begin()
    call()
    _wait()
    found.peak_bytes = torch.cuda.max_memory_allocated() - before
    events = device_events(call)
    found.launches, found.device_ms = len(events), sum(e.time_range.elapsed_us() for e in events) * 1e-3


def device_events(call: Call) -> list[Any]:
    """What the device did in one call: kernels, copies and fills."""
    torch.compiler.cudagraph_mark_step_begin()
    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        call()
        _wait()
    on_device = torch.autograd.DeviceType.CUDA  # pyright: ignore[reportPrivateImportUsage]
    return [
        e for e in trace.events() or () if e.device_type == on_device and not getattr(e, "is_user_annotation", False)
    ]


@contextmanager
def _no_collections() -> Generator[None, None, None]:
    """Python's collector would run in some rounds and not in others."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
