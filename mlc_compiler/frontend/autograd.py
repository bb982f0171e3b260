"""Dynamo's graphs through AOTAutograd: forward, backward and inference take the same way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch.fx import GraphModule, Node

from lowering.fx_to_tensor import Imported, import_graph
from lowering.fx_to_tensor.decompositions.table import decompositions
from lowering.fx_to_tensor.source_names import input_name
from mlc_compiler.execution.freezing import Parameters, Watched, parameters_of, unwritten, with_constants
from mlc_compiler.frontend.random_graph import gather_seeds, partition

Runner = Callable[..., list[Any]]
CompileImported = Callable[[Imported], Runner]


def compile_with(
    gm: GraphModule, example_inputs: Sequence[Any], compile_one: CompileImported, freeze: bool = False
) -> Callable[..., Any]:
    """`gm` as a function, each graph AOTAutograd makes of it compiled by `compile_one`.

    The function is differentiable where eager is. What `compile_one` gives takes the inputs
    of its graph (constants left out) and returns the flat list of outputs. With `freeze`
    parameters and buffers are constants; MlcError where gradients are wanted.
    """
    names = [input_name(n) for n in gm.graph.nodes if n.op == "placeholder"]
    parameters = parameters_of(gm, example_inputs) if freeze else Parameters()

    def compiler(name: str) -> Callable[[GraphModule, Sequence[Any]], Callable[..., Any]]:
        def compile_graph(graph: GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
            return _boxed(graph, name, names, compile_one, parameters)

        return compile_graph

    backend = aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        decompositions=decompositions(),
        partition_fn=partition,
        keep_inference_input_mutations=True,
    )
    return backend(gm, example_inputs)


def _boxed(
    graph: GraphModule, name: str, names: Sequence[str], compile_one: CompileImported, parameters: Parameters
) -> Callable[..., Any]:
    """The compiled graph as AOTAutograd calls it: with one list, which it may empty."""
    gather_seeds(graph.graph)
    placeholders = [n for n in graph.graph.nodes if n.op == "placeholder"]
    imported = import_graph(graph, name, [_user_name(n, names) for n in placeholders])
    frozen = unwritten(imported, parameters.among(placeholders, name))
    run = compile_one(with_constants(imported, frozen))
    watched = Watched.of(frozen, [_user_name(n, names) for n in placeholders])

    def call(inputs: list[Any]) -> list[Any]:
        arguments = watched.others(inputs)
        inputs.clear()  # the caller's references end here, so that memory can be reused
        with torch.no_grad():
            return list(run(*arguments))

    call._boxed_call = True  # pyright: ignore[reportFunctionMemberAccess]
    return call


def _user_name(node: Node, names: Sequence[str]) -> str:
    """The name of the Dynamo input that AOTAutograd's input `node` is, where it says so."""
    description: Any = node.meta.get("desc")
    position = getattr(description, "idx", None)
    if type(description).__name__ == "PlainAOTInput" and isinstance(position, int) and position < len(names):
        return names[position]
    target = getattr(description, "target", None)
    return target if isinstance(target, str) else input_name(node)
