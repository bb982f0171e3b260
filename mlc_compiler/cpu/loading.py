"""Programs for CPUs, loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from lowering.loop_to_llvm.module import symbol
from lowering.loop_to_llvm.source import KERNELS, module_source
from mlc_compiler.cpu.machine_code import MachineCode
from mlc_compiler.execution.program import placed
from mlc_compiler.execution.target import CompileTarget
from mlc_compiler.kernels.compilation import Pending
from mlc_compiler.kernels.kernel_files import load_module
from mlc_runtime.manifest import HostEntry, Manifest
from mlc_runtime.native import NativeKernel
from mlc_runtime.program import Program, place_of

__all__ = ["TARGET", "NativeSource"]


@dataclass(frozen=True)
class NativeSource:
    """The generated text of a module for CPUs, and its compiled kernels."""

    names: dict[str, Any]
    """What the names of the host programs mean."""
    kernels: tuple[str, ...]
    pending: Pending

    @staticmethod
    def of(manifest: Manifest, path: Path, objects: Sequence[Any], recorded: bool) -> NativeSource:
        """The program of `manifest`, whose text the file at `path` holds; `objects` are those that it names.

        CPUs record nothing.
        """
        module, _ = load_module(path)
        code = MachineCode(getattr(module, KERNELS))
        kernels = {kernel.name: NativeKernel(kernel, code, symbol(kernel.name)) for kernel in manifest.kernels}
        return NativeSource(vars(module) | {"objects": objects} | kernels, tuple(kernels), Pending((), {}))

    def hosts(self, host: HostEntry) -> tuple[Program, Program]:
        """A host program, twice: CPUs have no other kind of launch."""
        program = FunctionType(self.names[host.name].__code__, self.names, host.name)
        return program, program

    def program(self, host: HostEntry) -> Program:
        """A host program."""
        return placed(*self.hosts(host), place_of(host, ()), self.pending.compile)


TARGET = CompileTarget("cpu", module_source, "LLVM", NativeSource.of)
