"""PyTorch's compile workers, the processes in which Inductor compiles its kernels, for work of ours.

They begin when they are first asked for, and answer some seconds later. Whoever finds that they are not ready, or gets
no result from them, does the work in its own process: they save time, and nothing depends on them.
`TORCHINDUCTOR_COMPILE_THREADS` says how many they are; with 1 there are none.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from torch._inductor.async_compile import AsyncCompile, get_compile_threads

T = TypeVar("T")
PATIENCE = 1.0
"""Seconds between two looks whether the workers are still there."""
ENDED = "PyTorch's compile workers have ended"
SETTINGS = ("TRITON_", "MLC_")
"""How the environment variables begin that work of ours depends on: they may have changed since the workers began."""


def workers_ready() -> bool:
    """True once the workers answer; the first question starts them."""
    try:
        return bool(AsyncCompile.use_process_pool()) and not _ended()
    except (AttributeError, OSError, RuntimeError):  # another PyTorch, no room for processes, a pool that was closed
        return False


def workers_exist() -> bool:
    """True if they answer now, or will: what they are given waits for them."""
    return workers_ready() or (get_compile_threads() > 1 and AsyncCompile._ready_future is not None and not _ended())


def in_worker(function: Callable[..., T], *arguments: Any) -> Future[T]:
    """Calls a function of a module, with arguments that can be pickled, in a worker that exists.

    Where that fails it is the future that has the error.
    """
    settings = {name: value for name, value in os.environ.items() if name.startswith(SETTINGS)}
    try:
        return AsyncCompile.process_pool().submit(_call, settings, function, *arguments)
    except Exception as error:
        failed: Future[T] = Future()
        failed.set_exception(error)
        return failed


def result_of(future: Future[T]) -> T:
    """What a worker answers, or its error. RuntimeError where the workers end before they do."""
    while not future.done():
        wait([future], timeout=PATIENCE)
        if not future.done() and _ended():
            raise RuntimeError(ENDED)
    try:
        return future.result()
    except Exception as error:
        if _ended():  # a newer PyTorch sees it by itself
            raise RuntimeError(ENDED) from error
        raise


def _ended() -> bool:
    """True if PyTorch has closed the pool of workers, or the process has gone that hands them their work.

    A pipe to that process may stay open, and nobody answers.
    """
    pool = AsyncCompile.process_pool()
    process = getattr(pool, "process", None)
    return not getattr(pool, "running", True) or (process is not None and process.poll() is not None)


def _call(settings: dict[str, str], function: Callable[..., T], *arguments: Any) -> T:
    for name in [name for name in os.environ if name.startswith(SETTINGS) and name not in settings]:
        del os.environ[name]
    os.environ.update(settings)
    return function(*arguments)
