"""A graph as mlc runs it under a strategy: the groups of its plan, each as far as one loop nest can be."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from lowering.fx_to_tensor.imported import Imported, ResultOutput
from lowering.interpreter.run import find_function
from mlc_compiler.compare.cost import programs_us
from mlc_compiler.execution.executable import Executable, compile_imported
from mlc_compiler.machine import gpu
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.tensor.calls import FusionOp
from mlc_dialects.tensor.ops import MatmulOp
from passes.common.device import device_named
from passes.tensor.fusion.plan import value_bytes


@dataclass(frozen=True)
class Built:
    """The program of one strategy."""

    program: Executable
    kernels: int
    """Of our own; a group that no single loop nest computes is several, and products are calls of a library."""
    bytes: int
    """What these and the products move."""
    predicted_us: float
    """What these and the products are predicted to take on the GPU here."""


def built(module: ModuleOp, policy: str, device: str = "cuda") -> Built:
    """`module`, one function of unfused ops, compiled under `policy` for a GPU or a CPU, and left as it is.

    MlcError for a policy that does not exist, or what cannot be lowered.
    """
    options = CompilerOptions(policy=policy, canonicalize=False)
    work = kernels_of(module, options)
    moved = sum(value_bytes(v) for op in work for v in (*dict.fromkeys(op.operands), *op.results))
    outputs = tuple(ResultOutput(k) for k in range(len(find_function(module).function_type.outputs)))
    imported = Imported(module.clone(), outputs=outputs, device=torch.device(device))
    program = compile_imported(imported, options)
    if device == "cuda":
        program.pending.compile()
    predicted = programs_us(work, device_named(gpu()))
    return Built(program, sum(isinstance(op, FusionOp) for op in work), moved, predicted)


def kernels_of(module: ModuleOp, options: CompilerOptions) -> list[Operation]:
    """The kernels and the products that `module`, which is left as it is, becomes."""
    fused = module.clone()
    lower_to(fused, "fused", options)
    return [op for op in find_function(fused).body.block.ops if isinstance(op, FusionOp | MatmulOp)]
