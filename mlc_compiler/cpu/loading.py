"""Programs for CPUs, loaded."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import torch
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lowering.host.source import host_name
from lowering.loop_to_llvm.module import symbol
from lowering.loop_to_llvm.source import KERNELS, module_source
from mlc_compiler.cpu.machine_code import MachineCode
from mlc_compiler.execution.program import Program, place_of, placed
from mlc_compiler.execution.target import CompileTarget
from mlc_compiler.kernels.compilation import Pending
from mlc_compiler.kernels.kernel_files import load_module
from mlc_dialects.loop.dialect import KernelOp
from mlc_dialects.loop.indirect import IndirectIndexOp

__all__ = ["TARGET", "NativeKernel", "NativeSource"]


class NativeKernel:
    """A kernel as host programs call it: with its buffers, then its sizes."""

    def __init__(self, kernel: KernelOp, code: MachineCode):
        self._code = code  # lives as long as this
        self._buffers = len(kernel.buffers)
        self._address = code.address(symbol(kernel))
        self._checks = any(isinstance(op, IndirectIndexOp) for op in kernel.walk())
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
    def of(lowered: ModuleOp, path: Path, objects: Sequence[Any], recorded: bool) -> NativeSource:
        """The text of `lowered`, which the file at `path` holds; `objects` are those that it names.

        CPUs record nothing.
        """
        module, _ = load_module(path)
        code = MachineCode(getattr(module, KERNELS))
        kernels = {op.sym_name.data: NativeKernel(op, code) for op in lowered.ops if isinstance(op, KernelOp)}
        return NativeSource(vars(module) | {"objects": objects} | kernels, tuple(kernels), Pending(lowered, {}))

    def hosts(self, function: func.FuncOp) -> tuple[Program, Program]:
        """The host program that is printed for `function`, twice: CPUs have no other kind of launch."""
        name = host_name(function)
        host = FunctionType(self.names[name].__code__, self.names, name)
        return host, host

    def program(self, function: func.FuncOp) -> Program:
        """The host program of `function`."""
        return placed(*self.hosts(function), place_of(function, ()), self.pending.compile)


TARGET = CompileTarget("cpu", module_source, "LLVM", NativeSource.of)
