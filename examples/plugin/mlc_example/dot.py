"""A target: `mlc-opt graph.mlir -t dot | dot -Tsvg` draws the ops of each function and what they read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.target import Target


@dataclass(frozen=True)
class DotTarget(Target):
    """`-t dot`: a module as a graph for Graphviz."""

    name = "dot"
    level = "tensor"
    """What `mlc-translate --to dot` lowers to first."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        for function in module.ops:
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                output.write(f'digraph "{function.sym_name.data}" {{\n')
                numbers = {op: number for number, op in enumerate(function.body.block.ops)}
                for op, number in numbers.items():
                    output.write(f'  {number} [label="{op.name}"]\n')
                    readers = (numbers[v.owner] for v in op.operands if isinstance(v.owner, Operation))
                    output.writelines(f"  {reader} -> {number}\n" for reader in readers)
                output.write("}\n")
