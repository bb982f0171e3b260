"""Jobs in processes: each result as it is there, whatever becomes of the others."""

from __future__ import annotations

import fcntl
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import Any, TypeVar

import torch

J = TypeVar("J")
R = TypeVar("R")
TRIES = 2
"""How often a job may be under way when a process dies: which job it died of is not known."""


@contextmanager
def pool(processes: int, **options: Any) -> Generator[ProcessPoolExecutor, None, None]:
    """Spawned processes that end with the block, whatever they are at; each computes with one thread of PyTorch."""
    before = set(active_children())
    options = {"initializer": torch.set_num_threads, "initargs": (1,), **options}
    made = ProcessPoolExecutor(processes, get_context("spawn"), **options)
    try:
        yield made
    finally:
        for child in set(active_children()) - before:
            child.terminate()
        made.shutdown(cancel_futures=True)


def in_processes(
    do: Callable[[J], R], jobs: Sequence[J], processes: int, end: float, **options: Any
) -> Iterator[tuple[J, R | BrokenProcessPool]]:
    """Each job with what `do` gives, as it ends, until `end` on the clock `time.monotonic`; then all is stopped.

    With no processes this one does them. A process that dies takes none but its own job along. `options` are those of
    `ProcessPoolExecutor`.
    """
    if not processes:
        yield from ((job, do(job)) for job in jobs if time.monotonic() < end)
        return
    left, tries = list(jobs), Counter[int]()
    while left and time.monotonic() < end:
        with pool(processes, **options) as running:
            broken = None
            futures = {running.submit(do, job): job for job in left}
            try:
                for done in as_completed(futures, max(0.0, end - time.monotonic())):
                    try:
                        result = done.result()
                    except BrokenProcessPool as error:
                        broken = error
                        break
                    left.remove(futures[done])
                    yield futures[done], result
            except TimeoutError:
                return
            if not left:
                running.shutdown()  # they end by themselves, and leave nothing behind
        for job in left[:processes] if broken else ():  # they are taken in order
            tries[id(job)] += 1
            if tries[id(job)] == TRIES:
                left.remove(job)
                yield job, broken or BrokenProcessPool()


@contextmanager
def alone(lock: str) -> Generator[None]:
    """Until the end of the block no other process holds the file `lock`."""
    with open(lock, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
