"""Triton's compiler for many kernels at once: in PyTorch's compile workers, or in threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

import torch

from mlc_compiler.kernels.aot import machine_code
from mlc_compiler.kernels.kernel_files import load_kernels
from mlc_compiler.kernels.kernel_requests import entry_request
from mlc_compiler.kernels.launcher import Launcher, cubin_of
from mlc_compiler.logs import log_of
from mlc_compiler.workers import in_worker, result_of, workers_ready
from mlc_runtime.cubins import Cubin
from mlc_runtime.manifest import KernelEntry
from mlc_support.progress import Progress

log = log_of("kernels")
T = TypeVar("T")
FEW = 8
"""Kernels that threads of this process compile in the time that workers take to begin."""
_kept = lru_cache(maxsize=1)(load_kernels)
"""The kernels of the last file: a worker compiles many of one."""


@dataclass(frozen=True)
class Compilation:
    """A kernel without sizes among its arguments, to be compiled as a launch of aligned pointers asks for."""

    entry: KernelEntry
    path: Path
    """Of its text."""
    function: Any
    """The `@triton.jit` function there."""

    @property
    def dtypes(self) -> tuple[torch.dtype, ...]:
        """Of its pointers."""
        return tuple(getattr(torch, name) for name in self.entry.dtypes)

    def run(self, device: int) -> Any:
        """The compiled kernel, or the exception that a launch would raise as well."""
        try:
            with torch.cuda.device(device):
                return self.function.warmup(*self.dtypes, grid=(1,), **self.entry.options)
        except Exception as error:
            return error


def compile_together(compilations: Sequence[Compilation]) -> list[Any]:
    """Compiles for the current CUDA device; gives Triton's kernels and exceptions, in order.

    Workers that are ready compile into Triton's cache, where this process finds what they made.
    """
    if not compilations:
        return []
    device, wanted = torch.cuda.current_device(), capability()
    if len(compilations) > FEW and workers_ready():
        futures = [in_worker(machine_code_of, c.entry, c.path, wanted) for c in compilations]
        _watched((_compiled(partial(result_of, future)) for future in futures), len(futures))
    with ThreadPoolExecutor(min(32, len(compilations))) as pool:
        return _watched(pool.map(lambda c: c.run(device), compilations), len(compilations))


def _watched(results: Iterable[T], count: int) -> list[T]:
    """All results; a terminal shows how many there are."""
    progress, found = Progress("compiling kernels", count), list[T]()
    progress.step("by Triton")
    for result in results:
        found.append(result)
        progress.step("by Triton")
    progress.end()
    return found


class Pending:
    """The kernels of a graph without sizes: they are compiled before it first runs on a GPU, not as each launches."""

    def __init__(self, path: Path, kernels: Sequence[KernelEntry], launchers: Mapping[str, Launcher]):
        """`path` is the file of the program. Machine code is for the `launchers`, by the names of kernels."""
        self._path, self._launchers = path, launchers
        self._kernels = [k for k in kernels if not k.sizes]
        self._for_workers, self._started = False, dict[int, list[Future[Cubin | None]]]()

    def start(self, costs: Mapping[str, int]) -> None:
        """Begins now, for the current CUDA device, with a program of many kernels that no process has run before.

        Workers do it meanwhile; where they are not ready, they are asked again when the graph runs. Nothing begins
        without a GPU. Kernels of the highest `costs` come first: the longest must not begin last.
        """
        self._kernels.sort(key=lambda kernel: -costs[kernel.name])
        self._for_workers = len(self._kernels) > FEW
        if self._for_workers and torch.cuda.is_available() and workers_ready():
            self._submit(capability())

    def compile(self) -> None:
        """Compiles for the current CUDA device, without running anything. What fails is left to the launch."""
        device, wanted = torch.cuda.current_device(), capability()
        if self._for_workers and wanted not in self._started and workers_ready():
            self._submit(wanted)
        if wanted in self._started:
            self._give([partial(result_of, future) for future in self._started[wanted]], device)
        elif self._kernels:
            with ThreadPoolExecutor(min(32, len(self._kernels))) as pool:
                futures = [pool.submit(machine_code_of, k, self._path, wanted) for k in self._kernels]
                self._give([future.result for future in futures], device)

    def _submit(self, wanted: int) -> None:
        self._started[wanted] = [in_worker(machine_code_of, k, self._path, wanted) for k in self._kernels]

    def _give(self, answers: Sequence[Callable[[], Cubin | None]], device: int) -> None:
        """Waits for machine code, and gives it to the launchers."""
        cubins = _watched(map(_compiled, answers), len(answers))
        for kernel, cubin in zip(self._kernels, cubins, strict=True):
            if cubin is not None:
                try:
                    self._launchers[kernel.name].take(cubin, device)
                except RuntimeError as error:
                    log.info("kernel %s is left to its launch: %s", kernel.name, error)


def machine_code_of(kernel: KernelEntry, path: Path, wanted: int) -> Cubin | None:
    """The file with a kernel's machine code, in Triton's cache; None if only Triton can launch it.

    `wanted` is a compute capability, 90 for sm_90. CompileError where Triton refuses the kernel.
    """
    names = _kept(path)[kernel.name].arg_names
    return cubin_of(machine_code(entry_request(kernel, names, path, wanted)))


def capability() -> int:
    """That of the current CUDA device, 90 for sm_90."""
    major, minor = torch.cuda.get_device_capability()
    return 10 * major + minor


def _compiled(answer: Callable[[], Cubin | None]) -> Cubin | None:
    try:
        return answer()
    except Exception as error:  # the launch finds out, and says so
        log.info("a kernel is left to its launch: %s", error)
        return None
