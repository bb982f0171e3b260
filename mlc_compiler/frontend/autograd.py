"""Dynamo's graphs through AOTAutograd: forward, backward and inference take the same way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._guards import TracingContext
from torch.fx import GraphModule, Node

from lowering.fx_to_tensor import Imported, import_graph
from lowering.fx_to_tensor.decompositions.table import decompositions
from lowering.fx_to_tensor.source_names import input_name
from mlc_compiler.execution.freezing import Parameters, Watched, parameters_of, unwritten, with_constants
from mlc_compiler.frontend.cuda_graphs import CudaGraphs, Runner
from mlc_compiler.frontend.gradients_in_place import Chunk, lay_gradients
from mlc_compiler.frontend.guards import guard_arguments
from mlc_compiler.frontend.library_attention import Simplify
from mlc_compiler.frontend.partition import partition
from mlc_compiler.frontend.random_graph import gather_seeds
from mlc_compiler.frontend.recomputed_scores import Pays
from mlc_compiler.frontend.saved import donate_saved, free_saved, lay_saved
from mlc_compiler.stopwatch import Stopwatch
from mlc_support.collector import collector_paused

CompileImported = Callable[[Imported, bool], Runner]
"""It compiles a graph; True says that a CUDA graph is made of its launches."""
GUARDED_GRAPHS = ("forward", "inference")
GUARDED_INPUTS = ("PlainAOTInput", "ParamAOTInput", "BufferAOTInput")
"""What AOTAutograd calls the inputs of Dynamo's graph."""


def compile_with(
    gm: GraphModule,
    example_inputs: Sequence[Any],
    compile_one: CompileImported,
    *,
    freeze: bool = False,
    cuda_graphs: bool = False,
    watch: Stopwatch | None = None,
    simplify: Simplify | None = None,
    scores_pay: Pays | None = None,
    chunk: Chunk | None = None,
) -> Callable[..., Any]:
    """`gm` as a function, each graph AOTAutograd makes of it compiled by `compile_one`.

    The function is differentiable where eager is. What `compile_one` gives takes the list of
    inputs of its graph (constants left out), which it may empty, and returns the flat outputs.
    With `freeze` parameters and buffers are constants; MlcError where gradients are wanted.
    With `cuda_graphs` launches are recorded and replayed, where they can be. `watch` is told what takes time.
    `simplify` finds attention that a call of the library computes, with gradients; `scores_pay` says of which other
    attention the backward computes scores again, instead of reading them from memory. `chunk` says which gradients of
    weights are computed in the memory of a layer's result, and how many of their rows at once.
    """
    watch = watch or Stopwatch()
    graphs = CudaGraphs() if cuda_graphs else None
    names = [input_name(n) for n in gm.graph.nodes if n.op == "placeholder"]
    parameters = parameters_of(gm, example_inputs) if freeze else Parameters()

    def compiler(name: str) -> Callable[[GraphModule, Sequence[Any]], Callable[..., Any]]:
        @collector_paused()
        def compile_graph(graph: GraphModule, given: Sequence[Any]) -> Callable[..., Any]:
            with watch.during("import"):  # but for what `compile_one` counts itself
                return _boxed(graph, name, names, compile_one, parameters, graphs, given)

        return compile_graph

    backend = aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        decompositions=decompositions(_wants_gradients(gm, example_inputs)),
        partition_fn=partial(partition, simplify=simplify, scores_pay=scores_pay, chunk=chunk),
        keep_inference_input_mutations=True,
    )
    return backend(gm, example_inputs)


def _wants_gradients(gm: GraphModule, inputs: Sequence[Any]) -> bool:
    """True if AOTAutograd may derive a backward graph."""
    tensors = [t for t in (*inputs, *gm.parameters()) if isinstance(t, torch.Tensor)]
    return torch.is_grad_enabled() and any(t.requires_grad for t in tensors)


def _boxed(
    graph: GraphModule,
    name: str,
    names: Sequence[str],
    compile_one: CompileImported,
    parameters: Parameters,
    graphs: CudaGraphs | None,
    given: Sequence[Any],
) -> Callable[..., Any]:
    """The compiled graph as AOTAutograd calls it: with one list, which it may empty; `given` is like its inputs."""
    gather_seeds(graph.graph)
    lay_gradients(graph.graph)
    placeholders = [n for n in graph.graph.nodes if n.op == "placeholder"]
    imported = import_graph(graph, name, [_user_name(n, names) for n in placeholders])
    if name in GUARDED_GRAPHS and TracingContext.try_get() is not None:
        guard_arguments(imported, [k for k, n in enumerate(placeholders) if _is_guarded(n)])
    if name == "forward":
        free_saved(imported)
    elif name == "backward":
        lay_saved(imported, placeholders, given)
        donate_saved(imported, placeholders)
    frozen = unwritten(imported, parameters.among(placeholders, name))
    run = _compiled(graph, name, with_constants(imported, frozen), compile_one, graphs, [*frozen])
    watched = Watched.of(frozen, [_user_name(n, names) for n in placeholders])

    def call(inputs: list[Any]) -> Sequence[Any]:
        others = watched.others(inputs)
        inputs.clear()  # the caller's references end here, so that memory can be reused
        return run(others)

    boxed = call if frozen else run
    boxed._boxed_call = True  # pyright: ignore[reportFunctionMemberAccess]
    return boxed


def _compiled(
    graph: GraphModule,
    name: str,
    imported: Imported,
    compile_one: CompileImported,
    graphs: CudaGraphs | None,
    frozen: Sequence[int],
) -> Runner:
    """The graph as compiled, its launches recorded if there are `graphs` and they take it."""
    if graphs is None:
        return compile_one(imported, False)
    recorded = graphs.takes(graph, name)
    run = compile_one(imported, recorded)
    if not recorded:
        return graphs.beside(name, run)
    count = sum(n.op == "placeholder" for n in graph.graph.nodes)
    given = [k for k in range(count) if k not in frozen]
    return graphs.recorded(graph, name, run, given, imported.constants)


def _is_guarded(node: Node) -> bool:
    """True for an input of AOTAutograd's graph that is one of Dynamo's, which are guarded.

    Bases of views, parts of subclasses and tangents are others: what Dynamo knows does not say how they lie in memory.
    """
    return type(node.meta.get("desc")).__name__ in GUARDED_INPUTS


def _user_name(node: Node, names: Sequence[str]) -> str:
    """The name of the Dynamo input that AOTAutograd's input `node` is, where it says so."""
    description: Any = node.meta.get("desc")
    position = getattr(description, "idx", None)
    if type(description).__name__ == "PlainAOTInput" and isinstance(position, int) and position < len(names):
        return names[position]
    target = getattr(description, "target", None)
    return target if isinstance(target, str) else input_name(node)
