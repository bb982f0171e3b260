"""Compiling before measuring: many cases at once, each cold, in processes that fill the caches on disk."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

import torch

from benchmarks.backends import applicable, configure, on_backend
from benchmarks.case import Case, cases
from benchmarks.cases import CASES

CACHES = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "MLC_CACHE_DIR", "JAX_COMPILATION_CACHE_DIR")
Job = tuple[str, str]
"""A case and a backend."""


def fresh_caches() -> Path:
    """An empty folder, in which every compiler of this process and its children keeps what it makes until it ends."""
    folder = Path(tempfile.mkdtemp(prefix="benchmark_caches_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in CACHES:
        os.environ[name] = str(folder / name.lower())
    return folder


def compile_all(jobs: Sequence[Job], processes: int, device: str, tiny: bool) -> Iterator[tuple[Job, float | str]]:
    """Each job as it ends: the seconds to its first result, or what went wrong.

    With one process a compiler may use threads as it likes; with more, each process is given one core.
    """
    if processes > 1:
        os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    backends = sorted({b for _, b in jobs})
    with ProcessPoolExecutor(
        processes, get_context("spawn"), initializer=_warm_up, initargs=(backends, device)
    ) as pool:
        waiting = {pool.submit(first_result, *job, device, tiny): job for job in jobs}
        for done in as_completed(waiting):
            try:
                yield waiting[done], done.result()
            except BrokenProcessPool as error:
                yield waiting[done], failure(error)


def _warm_up(backends: Sequence[str], device: str) -> None:
    """What a process pays once is no case's: imports, the device, the first use of each compiler."""
    torch.set_num_threads(1)
    configure()
    small = cases("first")("add 3", lambda x: x + 3, (33,))
    for name in applicable(small, backends):
        on_backend(small, name)(*small.make(device))


def first_result(name: str, backend: str, device: str, tiny: bool) -> float | str:
    """Compiles one case cold and runs it once; gives the seconds that took, or the error."""
    case = named(name, tiny)
    try:
        inputs = case.make(device)
        start = time.perf_counter()
        on_backend(case, backend)(*inputs)
        if device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - start
    except Exception as error:
        return failure(error)
    finally:
        if device == "cuda":
            torch.cuda.empty_cache()


def named(name: str, tiny: bool) -> Case:
    """The case of that name."""
    case = next(c for c in CASES if c.name == name)
    return case.tiny() if tiny else case


def failure(error: Exception) -> str:
    """One line for a report."""
    text = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {text}"[:200]
