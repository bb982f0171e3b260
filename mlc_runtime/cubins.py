"""Kernels that are machine code of a GPU, loaded and launched by PyTorch alone."""

from __future__ import annotations

import math
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from mlc_runtime.dependent_launch import launch_dependent
from mlc_runtime.descriptors import ALIGNMENT, aligned_buffers, descriptor_memory
from mlc_runtime.host import current_device
from mlc_runtime.manifest import KernelEntry
from mlc_support.errors import MlcError


@dataclass(frozen=True)
class Cubin:
    """One compiled kernel in a file."""

    path: Path
    name: str
    """Of the function in it."""
    warps: int
    shared: int
    """Bytes of shared memory of a block."""
    scratch: int = 0
    """Bytes of memory for each program, in which it makes tensor descriptors."""

    @staticmethod
    def of_data(folder: Path, data: Any) -> Cubin:
        """As the manifest has it. KeyError, TypeError or ValueError for anything else."""
        warps, shared, scratch = (int(data[name]) for name in ("warps", "shared", "scratch"))
        return Cubin(folder / str(data["file"]), str(data["name"]), warps, shared, scratch)

    def load(self, launcher: Any, device: int) -> LoadedFunction:
        """The function on a device. RuntimeError where its file has gone, or the device cannot hold it."""
        # The module, in some versions; the function; registers, spills.
        *module, handle, _, _ = launcher._load_kernel(str(self.path), self.name, self.shared, device)
        function = LoadedFunction(handle)
        unload = getattr(launcher, "_unload_kernel", None)
        if module and unload is not None:
            weakref.finalize(function, _unload, unload, module[0], os.getpid()).atexit = False
        return function


@dataclass(frozen=True, eq=False)
class LoadedFunction:
    """A function on a device, whose machine code is unloaded with it by the versions of PyTorch that can."""

    handle: int
    """The driver's."""


def _unload(unload: Callable[[int], None], module: int, owner: int) -> None:
    if os.getpid() == owner:  # what is loaded belongs to the process, and not to its forks
        unload(module)


class CubinKernel:
    """A kernel as host programs launch it: `kernel[grid](buffers..., sizes..., num_warps=4)`."""

    def __init__(self, kernel: KernelEntry, aligned: Cubin, unaligned: Cubin, launcher: Any = None):
        """`aligned` counts on pointers that are multiples of 16, `unaligned` does not."""
        self._pointers, self._described = len(kernel.dtypes), kernel.described
        self._types = "O" * self._pointers + "l" * kernel.sizes + "OO"  # two pointers to scratch memory come last
        self._kinds = (unaligned, aligned)
        self._launcher = static_launcher() if launcher is None else launcher
        start = launch_dependent if kernel.options.get("launch_pdl") else self._launcher._launch_kernel
        self._start: Callable[..., None] = start
        self._functions: dict[tuple[int, bool], LoadedFunction] = {}

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., None]:
        return partial(self._launch, (*grid, 1, 1)[:3])

    def _launch(self, grid: tuple[int, ...], *arguments: Any, **options: Any) -> None:
        if math.prod(grid) == 0:
            return
        tensors = aligned_buffers(arguments[: self._pointers], self._described)
        places = [t.data_ptr() for t in tensors]
        device, aligned = current_device(), not any(p % ALIGNMENT for p in places)
        kind = self._kinds[aligned]
        function = self._functions.get((device, aligned))
        if function is None:
            function = self._functions[device, aligned] = kind.load(self._launcher, device)
        memory = descriptor_memory(kind.scratch * math.prod(grid)) if kind.scratch else None
        given = (*places, *arguments[self._pointers :], 0 if memory is None else memory.data_ptr(), 0)
        stream = torch._C._cuda_getCurrentRawStream(device)
        self._start(function.handle, *grid, kind.warps, kind.shared, self._types, given, stream)


def static_launcher() -> Any:
    """PyTorch's launcher of machine code. MlcError where this PyTorch has none."""
    found = getattr(torch._C, "_StaticCudaLauncher", None)
    if found is None:
        raise MlcError("this PyTorch cannot launch machine code of a GPU", hint="install a build with CUDA")
    return found


def check_gpu(capability: Sequence[int]) -> None:
    """MlcError unless the current GPU is one of this compute capability."""
    wanted = f"the model is compiled for sm_{''.join(map(str, capability))}"
    if not torch.cuda.is_available():
        raise MlcError(f"{wanted}, and this PyTorch finds no GPU", hint="compile it with --device cpu for this machine")
    if (have := torch.cuda.get_device_capability()) != tuple(capability):
        hint = "compile it for this GPU: mlc-compile --device NAME"
        raise MlcError(f"{wanted}, and this GPU is sm_{''.join(map(str, have))}", hint=hint)


def cubin_kernels(kernels: Sequence[KernelEntry], folder: Path, data: Mapping[str, Any]) -> dict[str, CubinKernel]:
    """The kernels by name. KeyError, TypeError or ValueError for other data than the manifest has."""
    return {
        k.name: CubinKernel(k, *(Cubin.of_data(folder, data[k.name][kind]) for kind in ("aligned", "unaligned")))
        for k in kernels
    }
