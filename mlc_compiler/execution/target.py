"""What a program is compiled for: Triton, for GPUs and its interpreter, or machine code of this CPU."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import torch
from xdsl.dialects.builtin import ModuleOp

from lowering.triton_to_source.kernels import module_source
from mlc_compiler.execution.loading import LoadedSource
from mlc_compiler.options import CPU, CompilerOptions
from mlc_support.errors import MlcError

CHOICE = "MLC_CPU"
"""The environment variable that says what runs kernels on the CPU, where options do not."""


@dataclass(frozen=True)
class CompileTarget:
    """Where the pipeline ends, and what becomes of the module then."""

    level: str
    """The stage that makes what is printed."""
    source: Callable[[ModuleOp], str]
    """The text of a file of Python."""
    loading: str
    """What loading is called: compiling is a part of it where no call does that."""
    load: Callable[..., Any]
    """The loaded program: of what was generated, the path of its file, objects it names, and whether it is recorded."""


TRITON = CompileTarget("triton", module_source, "loading", LoadedSource.of)


def target_for(device: torch.device, options: CompilerOptions) -> CompileTarget:
    """What compiles for tensors of a device. MlcError where machine code is asked for and llvmlite is missing."""
    if device.type != "cpu":
        return TRITON
    installed = find_spec("llvmlite") is not None
    choice = options.cpu or os.environ.get(CHOICE) or ("native" if installed else "interpret")
    if choice not in CPU:
        raise MlcError(f"{CHOICE}={choice}", hint=f"it is one of {', '.join(CPU)}")
    if choice == "interpret":
        return TRITON
    if not installed:
        raise MlcError('cpu="native" compiles by llvmlite, which is not installed', hint="pip install llvmlite")
    found: CompileTarget = import_module("mlc_compiler.cpu.loading").TARGET  # LLVM takes time to load
    return found
