"""Generated source as functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lowering.host.source import host_name
from mlc_compiler.execution.program import Program, place_of, placed
from mlc_compiler.kernels.compilation import Pending
from mlc_compiler.kernels.kernel_files import load_module
from mlc_compiler.kernels.launcher import Launcher
from mlc_compiler.runtime import Counters
from mlc_compiler.triton_interpreter.launch import portable
from mlc_dialects.triton.dialect import KernelOp


@dataclass(frozen=True)
class LoadedSource:
    """The generated text of a module, with two kinds of launches."""

    direct: dict[str, Any]
    """What its names mean; compiled kernels are launched directly."""
    through_triton: dict[str, Any]
    """The same, but for launches, which all go through Triton."""
    kernels: Mapping[str, Any]
    """The `@triton.jit` functions."""
    pending: Pending

    @staticmethod
    def of(lowered: ModuleOp, path: Path, objects: Sequence[Any], recorded: bool = False) -> LoadedSource:
        """The text of `lowered`, which the file at `path` holds; `objects` are those that it names.

        Calls of what is `recorded` in CUDA graphs keep no counters for each other.
        """
        module, functions = load_module(path)
        common = vars(module) | {"objects": objects, "counters": Counters(kept=not recorded)}
        plain = {name: portable(function) for name, function in functions.items()}
        kernels = {op.sym_name.data: op for op in lowered.ops if isinstance(op, KernelOp)}
        launchers = {
            name: Launcher(plain[name], len(op.pointers), len(op.size_arguments), op.launch_options)
            for name, op in kernels.items()
        }
        return LoadedSource(common | launchers, common | plain, functions, Pending(lowered, functions))

    def hosts(self, function: func.FuncOp) -> tuple[Program, Program]:
        """The host program that is printed for `function`: with direct launches, and with those of Triton."""
        name = host_name(function)
        code = self.direct[name].__code__
        return FunctionType(code, self.direct, name), FunctionType(code, self.through_triton, name)

    def program(self, function: func.FuncOp) -> Program:
        """The host program of `function`, on the device of its arguments."""
        return placed(*self.hosts(function), place_of(function, ()), self.pending.compile)
