"""Programs for CPUs, loaded."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import torch

from lowering.loop_to_llvm.module import symbol
from lowering.loop_to_llvm.source import KERNELS, module_source
from mlc_compiler.cpu.machine_code import MachineCode
from mlc_compiler.execution.program import Program, place_of, placed
from mlc_compiler.execution.target import CompileTarget
from mlc_compiler.kernels.compilation import Pending
from mlc_compiler.kernels.kernel_files import GENERATED, load_module
from mlc_compiler.kernels.manifest import HostEntry, KernelEntry
from mlc_compiler.kernels.programs import Generated

os.register_at_fork(after_in_child=partial(torch.set_num_threads, 1))
"""OpenMP's threads stay with the parent, and a child that counts on them waits forever, in a kernel or in eager."""

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

    names: dict[str, Any]
    """What the names of the host programs mean."""
    kernels: tuple[str, ...]
    pending: Pending

    @staticmethod
    def of(program: Generated, path: Path, objects: Sequence[Any], recorded: bool) -> NativeSource:
        """A program, whose text is called `path` in tracebacks; `objects` are those that it names.

        CPUs record nothing.
        """
        module, _ = load_module(path, program.source)
        code = MachineCode(getattr(module, KERNELS))
        kernels = {kernel.name: NativeKernel(kernel, code) for kernel in program.manifest.kernels}
        names = {name: value for name, value in vars(module).items() if name not in (KERNELS, GENERATED)}
        return NativeSource(names | {"objects": objects} | kernels, tuple(kernels), Pending((), {}))

    def hosts(self, host: HostEntry) -> tuple[Program, Program]:
        """A host program, twice: CPUs have no other kind of launch."""
        program = FunctionType(self.names[host.name].__code__, self.names, host.name)
        return program, program

    def program(self, host: HostEntry) -> Program:
        """A host program."""
        return placed(*self.hosts(host), place_of(host, ()), self.pending.compile)


TARGET = CompileTarget("cpu", module_source, "LLVM", NativeSource.of)
