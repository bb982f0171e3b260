"""Tasks in processes of their own: a crash or a hang costs one task."""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

import torch
from torch._dynamo import guards

from tests.conformance.check import FAILED, Outcome, Task, check

STARTUP = 120
"""Seconds that a fresh process may take to import torch and the compiler."""
LIFETIME = 100
"""Tasks after which a process is replaced, since compilers keep memory."""


def run_tasks(tasks: Sequence[Task], jobs: int, limit: float, budget: float = float("inf")) -> Iterator[Outcome]:
    """The outcomes, as they come. A task that takes more than `limit` seconds has failed.

    After `budget` seconds no task is started any more.
    """
    started = time.monotonic()
    waiting = deque(tasks)
    spawned = any(t.device.startswith("cuda") for t in tasks)
    context = multiprocessing.get_context("spawn" if spawned else "forkserver")
    if not spawned:
        context.set_forkserver_preload(["tests.conformance.check"])
    workers = [_Worker(context, limit) for _ in range(min(jobs, len(tasks)))]
    try:
        while waiting or any(w.task for w in workers):
            if time.monotonic() - started > budget:
                waiting.clear()
            for worker in workers:
                if worker.task is None and waiting:
                    worker.start(waiting.popleft())
            wait([w.connection for w in workers if w.task], timeout=1.0)
            for worker in workers:
                outcome = worker.poll()
                if outcome is not None:
                    yield outcome
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    """A process that runs one task at a time, and its replacement when it dies."""

    def __init__(self, context: Any, limit: float):
        self._context = context
        self._limit = limit
        self.task: Task | None = None
        self._spawn()

    def _spawn(self) -> None:
        self.connection, theirs = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._done = 0

    def start(self, task: Task) -> None:
        if self._done >= LIFETIME:
            self.stop()
            self._spawn()
        self.task, self._since = task, time.monotonic()
        self.connection.send(task)

    def poll(self) -> Outcome | None:
        """The outcome of the task if it has one now."""
        if self.task is None:
            return None
        seconds = time.monotonic() - self._since
        outcome: Outcome | None = None
        try:
            if self.connection.poll():
                outcome = self.connection.recv()
        except (EOFError, OSError):
            self._process.join()
            outcome = self._failure(f"the process died with code {self._process.exitcode}")
        if outcome is None and seconds > self._limit + (STARTUP if self._done == 0 else 0):
            outcome = self._failure(f"not done after {self._limit:g} s")
        if outcome is not None:
            outcome.seconds = seconds
            self._done += 1
            self.task = None
        return outcome

    def _failure(self, detail: str) -> Outcome:
        assert self.task is not None
        self.stop()
        outcome = Outcome(self.task.op, self.task.dtype, self.task.backward, FAILED, detail, device=self.task.device)
        self._spawn()
        return outcome

    def stop(self) -> None:
        self._process.kill()
        self._process.join()
        self.connection.close()


def _serve(connection: Connection) -> None:
    torch.set_num_threads(1)
    guards.profile_guard_manager = lambda *_: 0.0  # flushes the cache to time a guard: 0.05 s a call
    while True:
        task: Task = connection.recv()
        try:
            outcome = check(task)
        except Exception as error:
            detail = f"{type(error).__name__}: {error}"[:300]
            outcome = Outcome(task.op, task.dtype, task.backward, FAILED, detail, device=task.device)
        connection.send(outcome)
