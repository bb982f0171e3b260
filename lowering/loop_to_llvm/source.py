"""A program for CPUs as one file of Python: its host functions, and the LLVM IR of its kernels as a string."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lowering.host.header import HEADER
from lowering.host.launched import Launched
from lowering.host.names import python_name
from lowering.host.source import host_function
from lowering.loop_to_llvm.module import llvm_module, size_names
from mlc_dialects.loop.dialect import KernelOp

KERNELS = "KERNELS"
"""The name of the string."""


def module_source(module: ModuleOp) -> str:
    """The Python text of `module`, whose kernels are as lowered."""
    kernels = {python_name(op, op.sym_name.data): op for op in module.ops if isinstance(op, KernelOp)}
    launched = {name: Launched(name, tuple(size_names(op))) for name, op in kernels.items()}
    hosts = [host_function(op, launched) for op in module.ops if isinstance(op, func.FuncOp)]
    text = str(llvm_module(module)).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return "\n\n".join([HEADER, *hosts, f'{KERNELS} = """\n{text}"""\n'])
