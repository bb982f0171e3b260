"""The `torch.compile` backend, which the entry point `torch_dynamo_backends` names."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from torch._dynamo.utils import counters
from torch.fx import GraphModule
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from lowering.fx_to_tensor.imported import Imported
from mlc_compiler.execution.executable import Executable, compile_imported
from mlc_compiler.execution.program import Program
from mlc_compiler.frontend.autograd import compile_with
from mlc_compiler.frontend.cuda_graphs import reset
from mlc_compiler.frontend.explain import explanation
from mlc_compiler.frontend.saved import report_strides
from mlc_compiler.options import CompilerOptions
from mlc_compiler.view.folder import add_to_report
from mlc_compiler.view.recording import Recording

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
        compile_ = partial(compile_imported, imported, chosen, recorded)
        executable = compile_() if chosen.report is None else _reported(compile_, imported, chosen.report)
        report_strides(executable.free_strides)
        if observe is not None and module is not None:
            observe(module, executable)
        return executable.run

    return compile_with(gm, example_inputs, compile_one, freeze=chosen.freeze, cuda_graphs=chosen.cuda_graphs)


def _reported(compile_: Callable[..., Executable], imported: Imported, folder: str) -> Executable:
    """The executable that `compile_` makes, which leaves a record of how in the report in `folder`."""
    (function,) = (op for op in imported.module.ops if isinstance(op, FuncOp))
    recording = Recording(function.sym_name.data, linecache.getlines)
    executable = compile_(run=recording.run)
    recording.finish()
    recording.loaded(executable.source)
    add_to_report(Path(folder), recording, counters["graph_break"].most_common())
    return executable


compile_graph_module.reset = reset  # pyright: ignore[reportFunctionMemberAccess]  # torch.compiler.reset() calls it
