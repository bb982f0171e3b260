"""Ops of an exported program that its own decomposition has left whole.

`ExportedProgram.run_decompositions` goes by the dispatcher: an op that PyTorch composes of others on most devices, and
has a kernel for on this one (rms_norm on CUDA), stays, whatever the table says. Such ops are traced by themselves here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch.fx import Graph, GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_flatten, tree_unflatten


def take_apart(graph: Graph, table: Mapping[Any, Callable[..., Any]]) -> None:
    """Replaces every call that `table` decomposes by what its decomposition calls."""
    for node in [n for n in graph.nodes if n.op == "call_function" and n.target in table]:
        body = _traced(node, table)
        if all(n.op != "get_attr" for n in body.graph.nodes):
            _replace(node, body)


def _traced(node: Node, table: Mapping[Any, Callable[..., Any]]) -> GraphModule:
    """The call as a graph of simpler ones; its inputs are the nodes among the arguments."""
    flat, spec = tree_flatten((node.args, node.kwargs))

    def call(*values: Any) -> Any:
        given = iter(values)
        args, kwargs = tree_unflatten([next(given) if isinstance(x, Node) else x for x in flat], spec)
        assert callable(node.target)
        return node.target(*args, **kwargs)

    return make_fx(call, dict(table), tracing_mode="symbolic")(*(x.meta["val"] for x in flat if isinstance(x, Node)))


def _replace(node: Node, body: GraphModule) -> None:
    """Puts the nodes of `body` in the place of `node`, with the user's line that it has."""
    inputs = [n for n in body.graph.nodes if n.op == "placeholder"]
    given = [x for x in tree_flatten((node.args, node.kwargs))[0] if isinstance(x, Node)]
    copies: dict[Node, Node] = dict(zip(inputs, given, strict=True))
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
