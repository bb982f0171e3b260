"""Several models at once: each compiles in a process of its own, and while one is timed the others stand still.

With `warm` a second process of each model compiles it again and finds the caches of the first.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from benchmarks.models.records import Job, Measured, Result
from benchmarks.models.worker import GO, READY, Span, work


@dataclass
class Worker:
    """A process and its job."""

    job: Job
    process: BaseProcess
    connection: Connection
    cores: tuple[int, ...]
    """Its own; none where it may use all."""
    cold: Result | None = None
    """What the process before it found, that filled the caches."""
    ready: bool = False
    """It waits to be timed."""


ENDING = 20.0
"""Seconds that a process has to end after it has said all."""


class Crew:
    """Works off jobs with so many processes, until `end` on the clock `time.monotonic`."""

    def __init__(self, jobs: Sequence[Job], processes: int, end: float, *, warm: bool = False):
        self._waiting, self._end, self._warm = list(jobs), end, warm
        self._workers: list[Worker] = []
        self._pauses: list[Span] = []
        cores = sorted(os.sched_getaffinity(0))
        each = max(1, len(cores) // processes)
        shares = [tuple(cores[k * each : (k + 1) * each]) for k in range(processes)]
        self._free: list[tuple[int, ...]] = shares if processes > 1 else [()]
        if processes > 1:
            os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # processes of its own would not stand still

    def results(self) -> Iterator[Result]:
        """Each model's result as it ends; where the time does not suffice, of fewer models."""
        try:
            while (self._waiting or self._workers) and time.monotonic() < self._end:
                while self._free and self._waiting:
                    self._start(self._waiting.pop(0), self._free.pop(0))
                if (ready := next((w for w in self._workers if w.ready), None)) is not None:
                    self._let_measure(ready)
                for worker in self._heard():
                    message = _received(worker)
                    worker.ready = message == READY
                    if not worker.ready and (result := self._finish(worker, message)) is not None:
                        yield result
            yield from (w.cold for w in self._workers if w.cold is not None)
        finally:
            for worker in self._workers:
                worker.process.kill()
                worker.process.join()

    def unfinished(self) -> list[str]:
        """The models without a result."""
        return [*(w.job.model for w in self._workers if w.cold is None), *(j.model for j in self._waiting)]

    def _start(self, job: Job, cores: tuple[int, ...], cold: Result | None = None) -> None:
        spawned = get_context("spawn")
        here, there = spawned.Pipe()
        process = spawned.Process(target=work, args=(there, job, cores))
        process.start()
        there.close()
        self._workers.append(Worker(job, process, here, cores, cold))

    def _heard(self) -> list[Worker]:
        """The workers that have said something; waits for one unless some are ready to be timed."""
        patience = 0.0 if any(w.ready for w in self._workers) else max(0.0, self._end - time.monotonic())
        heard = wait([w.connection for w in self._workers if not w.ready], patience)
        return [w for w in self._workers if w.connection in heard]

    def _let_measure(self, worker: Worker) -> None:
        """Lets one worker run alone until it has something to say, or the time is up."""
        others = [w for w in self._workers if w is not worker]
        start = time.monotonic()
        _signal(others, signal.SIGSTOP)
        try:
            with suppress(OSError):  # it is gone: `_received` says so
                worker.connection.send(GO)
                worker.connection.poll(max(0.0, self._end - start))
        finally:
            _signal(others, signal.SIGCONT)
        worker.ready = False
        self._pauses.append((start, time.monotonic()))

    def _finish(self, worker: Worker, message: Any) -> Result | None:
        """The model's result; None where a process with warm caches follows."""
        self._workers.remove(worker)
        worker.process.join(ENDING)
        worker.process.kill()
        worker.process.join()
        result, seconds = _result(worker, message, self._pauses)
        if worker.cold is not None:
            for backend, span in seconds.items():
                worker.cold.backends[backend].warm_s = span
            result = worker.cold
        elif self._warm and seconds:
            self._start(replace(worker.job, warm=True), worker.cores, result)
            return None
        self._free.append(worker.cores)
        return result


def _result(worker: Worker, message: Any, pauses: Sequence[Span]) -> tuple[Result, dict[str, float]]:
    """What a process has found, and the seconds to the first result by backend."""
    if message is None:
        why = f"its process ended with exit code {worker.process.exitcode}"
        return Result(worker.job.model, {b: Measured(failure=why) for b in worker.job.backends}), {}
    found, spans = message
    seconds = {backend: running_seconds(span, pauses) for backend, span in spans.items()}
    if not worker.job.warm:
        for backend, taken in seconds.items():
            found[backend].first_s = taken
    return Result(worker.job.model, found), seconds


def _received(worker: Worker) -> Any:
    """What it says: that it is ready, what it has measured, or None where it is gone."""
    try:
        return worker.connection.recv()
    except (EOFError, OSError):
        return None


def _signal(workers: Sequence[Worker], which: signal.Signals) -> None:
    for worker in workers:
        if worker.process.pid is not None and worker.process.is_alive():
            os.kill(worker.process.pid, which)


def running_seconds(span: Span, pauses: Sequence[Span]) -> float:
    """How long a span of time is without the pauses, which do not overlap."""
    start, end = span
    return end - start - sum(max(0.0, min(end, b) - max(start, a)) for a, b in pauses)
