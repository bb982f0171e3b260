"""Triton's compiler in several threads: most of its time is spent outside of Python's lock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import torch

from mlc_compiler.progress import Progress
from mlc_runtime.manifest import KernelEntry


@dataclass(frozen=True)
class Compilation:
    """A kernel without sizes among its arguments, and how it is launched."""

    function: Any
    """The `@triton.jit` function."""
    dtypes: tuple[torch.dtype, ...]
    """Of its pointers, which are aligned to 16 bytes."""
    options: dict[str, Any]
    """What a launch says beside the arguments."""

    @staticmethod
    def of(kernel: KernelEntry, function: Any) -> Compilation:
        """A kernel of a generated program, as its host program launches it."""
        return Compilation(function, tuple(getattr(torch, name) for name in kernel.dtypes), dict(kernel.options))

    def run(self, device: int) -> Any:
        """The compiled kernel, or the exception that a launch would raise as well."""
        try:
            with torch.cuda.device(device):
                return self.function.warmup(*self.dtypes, grid=(1,), **self.options)
        except Exception as error:
            return error


def compile_together(compilations: Sequence[Compilation]) -> list[Any]:
    """Compiles for the current CUDA device, one thread a kernel; gives kernels and exceptions, in order."""
    if not compilations:
        return []
    device = torch.cuda.current_device()
    with ThreadPoolExecutor(min(32, len(compilations))) as pool:
        return _watched(pool.map(lambda c: c.run(device), compilations), len(compilations))


def _watched(results: Iterator[Any], count: int) -> list[Any]:
    """All results; a terminal shows how many there are."""
    progress, found = Progress("compiling kernels", count), list[Any]()
    progress.step("by Triton")
    for result in results:
        found.append(result)
        progress.step("by Triton")
    progress.end()
    return found


class Pending:
    """The kernels of a graph, to be compiled together when it first runs on a GPU, not one by one as it launches."""

    def __init__(self, kernels: Sequence[KernelEntry], functions: Mapping[str, Any]):
        self._kernels = [Compilation.of(k, functions[k.name]) for k in kernels if not k.sizes]

    def compile(self) -> None:
        """Compiles them for the current CUDA device, without running anything; one alone is left to its launch."""
        if len(self._kernels) > 1:
            compile_together(self._kernels)
