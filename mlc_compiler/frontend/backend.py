"""The `torch.compile` backend, which the entry point `torch_dynamo_backends` names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from torch.fx import GraphModule
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor.imported import Imported
from mlc_compiler.execution.executable import Executable, compile_imported
from mlc_compiler.execution.program import Program
from mlc_compiler.frontend.autograd import compile_with
from mlc_compiler.frontend.cuda_graphs import reset
from mlc_compiler.frontend.explain import explanation
from mlc_compiler.frontend.saved import report_strides
from mlc_compiler.options import CompilerOptions

Observer = Callable[[ModuleOp, Executable], None]


def compile_graph_module(
    gm: GraphModule,
    example_inputs: Sequence[Any],
    *,
    mode: str | None = None,
    options: CompilerOptions | dict[str, Any] | None = None,
    observe: Observer | None = None,
) -> Callable[..., Any]:
    """Dynamo's graph as a function that runs mlc's kernels; differentiable where eager is.

    `mode` and `options` are those of `torch.compile`; options are fields of `CompilerOptions`. `observe` is called for
    every graph (forward and backward are two) with its imported module and its executable.
    """
    chosen = options if isinstance(options, CompilerOptions) else CompilerOptions.of(options)
    chosen = chosen if mode is None else replace(chosen, mode=mode)

    def compile_one(imported: Imported, recorded: bool) -> Program:
        if chosen.explain:
            sys.stderr.write(explanation(imported.module))
        module = imported.module.clone() if observe is not None else None
        executable = compile_imported(imported, chosen, recorded)
        report_strides(executable.free_strides)
        if observe is not None and module is not None:
            observe(module, executable)
        return executable.run

    return compile_with(gm, example_inputs, compile_one, freeze=chosen.freeze, cuda_graphs=chosen.cuda_graphs)


compile_graph_module.reset = reset  # pyright: ignore[reportFunctionMemberAccess]  # torch.compiler.reset() calls it
