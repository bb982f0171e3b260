"""Ops of an exported program that its own decomposition has left whole.

`ExportedProgram.run_decompositions` goes by the dispatcher: an op that PyTorch composes of others on most devices, and
has a kernel for on this one (rms_norm on CUDA), stays, whatever the table says. Such ops are traced by themselves here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch.fx import Graph, GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.node import map_arg


def take_apart(graph: Graph, table: Mapping[Any, Callable[..., Any]]) -> None:
    """Replaces every call that `table` decomposes by what its decomposition calls."""
    for node in [n for n in graph.nodes if n.op == "call_function" and n.target in table]:
        body = _traced(node, table)
        if all(n.op != "get_attr" for n in body.graph.nodes):
            _replace(node, body)


def _traced(node: Node, table: Mapping[Any, Callable[..., Any]]) -> GraphModule:
    """The call as a graph of simpler ones; its inputs are those of the node."""

    def call(*values: Any) -> Any:
        given = dict(zip(node.all_input_nodes, values, strict=True))
        args: Any = map_arg(node.args, given.__getitem__)
        kwargs: Any = map_arg(node.kwargs, given.__getitem__)
        assert callable(node.target)
        return node.target(*args, **kwargs)

    inputs = (n.meta["val"] for n in node.all_input_nodes)
    return make_fx(call, dict(table), tracing_mode="symbolic")(*inputs)


def _replace(node: Node, body: GraphModule) -> None:
    """Puts the nodes of `body` in the place of `node`, with the user's line that it has."""
    inputs = [n for n in body.graph.nodes if n.op == "placeholder"]
    copies: dict[Node, Node] = dict(zip(inputs, node.all_input_nodes, strict=True))
    with node.graph.inserting_before(node):
        results: Any = node.graph.graph_copy(body.graph, copies)
    for copy in (copies[n] for n in body.graph.nodes if n in copies and n not in inputs):
        copy.meta["stack_trace"] = node.meta.get("stack_trace")
    if isinstance(results, Node):
        node.replace_all_uses_with(results)
    else:
        for item in list(node.users):
            item.replace_all_uses_with(results[item.args[1]])
            node.graph.erase_node(item)
    node.graph.erase_node(node)
