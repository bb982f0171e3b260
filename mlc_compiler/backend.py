"""The `torch.compile` backend, which the entry point `torch_dynamo_backends` names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch.fx import GraphModule

from mlc_compiler.autograd import compile_with
from mlc_compiler.executable import compile_imported
from mlc_compiler.options import CompilerOptions


def compile_graph_module(
    gm: GraphModule, example_inputs: Sequence[Any], *, options: CompilerOptions | dict[str, Any] | None = None
) -> Callable[..., Any]:
    """Dynamo's graph as a function that runs mlc's kernels; differentiable where eager is.

    `options` are those of `torch.compile(..., options=...)`: fields of `CompilerOptions`.
    """
    chosen = options if isinstance(options, CompilerOptions) else CompilerOptions.of(options)
    return compile_with(gm, example_inputs, lambda imported: compile_imported(imported, chosen))
