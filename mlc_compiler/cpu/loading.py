"""Programs for CPUs, loaded."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import torch

from lowering.loop_to_llvm.module import symbol
from lowering.loop_to_llvm.source import KERNELS, module_source
from mlc_compiler.cpu.machine_code import MachineCode
from mlc_compiler.execution.program import Kinds, Named, Program, place_of, placed
from mlc_compiler.execution.target import CompileTarget
from mlc_compiler.kernels.compilation import Pending
from mlc_compiler.kernels.kernel_files import load_module
from mlc_compiler.kernels.manifest import HostEntry, KernelEntry, Manifest

__all__ = ["TARGET", "NativeKernel", "NativeSource"]


class NativeKernel:
    """A kernel as host programs call it: with its buffers, then its sizes."""

    def __init__(self, kernel: KernelEntry, code: MachineCode):
        self._code = code  # lives as long as this
        self._buffers = len(kernel.dtypes)
        self._address = code.address(symbol(kernel.name))
        self._checks = kernel.checks
        self._function: Any = None

    def __call__(self, *arguments: Any) -> None:
        """Runs on the threads of PyTorch. IndexError where data leave a dimension that they index."""
        count, failed = self._buffers, ctypes.c_int64(0)
        tensors, sizes = arguments[:count], arguments[count:]
        if self._function is None:
            kinds = [ctypes.c_void_p] * count + [ctypes.c_int64] * len(sizes) + [ctypes.c_void_p, ctypes.c_int64]
            self._function = ctypes.CFUNCTYPE(None, *kinds)(self._address)
        places = [t.data_ptr() for t in tensors]
        self._function(*places, *sizes, ctypes.addressof(failed), torch.get_num_threads())
        if self._checks and failed.value:
            raise IndexError("index out of range in a compiled kernel")


@dataclass(frozen=True)
class NativeSource:
    """The generated text of a module for CPUs, and its compiled kernels."""

    direct: dict[str, Any]
    """What the names of the host programs mean."""
    named: dict[str, Any]
    """The same, but for kernels, which a profile calls by the user's lines."""
    kernels: tuple[str, ...]
    pending: Pending

    @staticmethod
    def of(manifest: Manifest, path: Path, objects: Sequence[Any], recorded: bool) -> NativeSource:
        """The program of `manifest`, whose text the file at `path` holds; `objects` are those that it names.

        CPUs record nothing.
        """
        module, _ = load_module(path)
        code = MachineCode(getattr(module, KERNELS))
        kernels = {kernel.name: NativeKernel(kernel, code) for kernel in manifest.kernels}
        common, named = vars(module) | {"objects": objects}, Named.of(kernels, manifest.kernels)
        return NativeSource(common | kernels, common | named, tuple(kernels), Pending((), {}))

    def hosts(self, host: HostEntry) -> Kinds:
        """A host program. CPUs have no launches of Triton."""
        code, scopes = self.direct[host.name].__code__, (self.direct, self.direct, self.named)
        return Kinds(*(FunctionType(code, scope, host.name) for scope in scopes))

    def program(self, host: HostEntry) -> Program:
        """A host program."""
        return placed(self.hosts(host), place_of(host, ()), self.pending.compile)


TARGET = CompileTarget("cpu", module_source, "LLVM", NativeSource.of)
