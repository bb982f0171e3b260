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
from mlc_compiler.execution.program import Kinds, Named, placed
from mlc_compiler.execution.target import CompileTarget
from mlc_compiler.kernels.compilation import Pending
from mlc_compiler.kernels.kernel_files import GENERATED, load_module
from mlc_compiler.kernels.programs import Generated
from mlc_runtime.manifest import HostEntry
from mlc_runtime.native import NativeKernel
from mlc_runtime.program import Program, place_of

__all__ = ["TARGET", "NativeSource"]


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
    def of(program: Generated, path: Path, objects: Sequence[Any], recorded: bool) -> NativeSource:
        """A program, whose text is called `path` in tracebacks; `objects` are those that it names.

        CPUs record nothing.
        """
        module, _ = load_module(path, program.source)
        code = MachineCode(getattr(module, KERNELS))
        entries = program.manifest.kernels
        kernels = {kernel.name: NativeKernel(kernel, code, symbol(kernel.name)) for kernel in entries}
        names = {name: value for name, value in vars(module).items() if name not in (KERNELS, GENERATED)}
        common = names | {"objects": objects}
        named, pending = Named.of(kernels, entries), Pending(path, (), {})
        return NativeSource(common | kernels, common | named, tuple(kernels), pending)

    def hosts(self, host: HostEntry) -> Kinds:
        """A host program. CPUs have no launches of Triton."""
        code, scopes = self.direct[host.name].__code__, (self.direct, self.direct, self.named)
        return Kinds(*(FunctionType(code, scope, host.name) for scope in scopes))

    def program(self, host: HostEntry) -> Program:
        """A host program."""
        return placed(self.hosts(host), place_of(host, ()), self.pending.compile)


TARGET = CompileTarget("cpu", module_source, "LLVM", NativeSource.of)
