"""Generated source as functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from mlc_compiler.execution.program import Kinds, Named, placed
from mlc_compiler.kernels.compilation import Pending
from mlc_compiler.kernels.kernel_files import load_module
from mlc_compiler.kernels.launcher import Launcher
from mlc_compiler.kernels.programs import Generated
from mlc_compiler.triton_interpreter.launch import portable
from mlc_runtime.host import Counters
from mlc_runtime.manifest import HostEntry
from mlc_runtime.program import Program, place_of


@dataclass(frozen=True)
class LoadedSource:
    """The generated text of a module, with each kind of launches."""

    direct: dict[str, Any]
    """What its names mean; compiled kernels are launched directly."""
    through_triton: dict[str, Any]
    """The same, but for launches, which all go through Triton."""
    named: dict[str, Any]
    """The same, but for launches, which a profile calls by the user's lines."""
    kernels: Mapping[str, Any]
    """The `@triton.jit` functions."""
    pending: Pending

    @staticmethod
    def of(program: Generated, path: Path, objects: Sequence[Any], recorded: bool = False) -> LoadedSource:
        """A program, whose text is called `path` in tracebacks; `objects` are those that it names.

        Calls of what is `recorded` in CUDA graphs keep no counters for each other.
        """
        module, functions = load_module(path, program.source)
        common = vars(module) | {"objects": objects, "counters": Counters(kept=not recorded)}
        described = {kernel.name: kernel.described for kernel in program.manifest.kernels}
        plain = {name: portable(function, described.get(name, ())) for name, function in functions.items()}
        launchers = {
            kernel.name: Launcher(plain[kernel.name], len(kernel.dtypes), kernel.sizes, dict(kernel.options))
            for kernel in program.manifest.kernels
        }
        entries = program.manifest.kernels
        named, pending = Named.of(launchers, entries), Pending(path, entries, launchers)
        return LoadedSource(common | launchers, common | plain, common | named, functions, pending)

    def hosts(self, host: HostEntry) -> Kinds:
        """A host program."""
        code, scopes = self.direct[host.name].__code__, (self.direct, self.through_triton, self.named)
        return Kinds(*(FunctionType(code, scope, host.name) for scope in scopes))

    def program(self, host: HostEntry) -> Program:
        """A host program on the device of its arguments."""
        return placed(self.hosts(host), place_of(host, ()), self.pending.compile)
