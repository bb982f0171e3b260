"""Scores of attention in joint graphs: a product, and all that is as large as it, forward and backward."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import Graph, Node

from mlc_compiler.frontend.pointwise import TURNED, aten, is_pointwise

PRODUCTS = (aten.bmm.default, aten.mm.default)
REDUCTIONS = (aten.amax.default, aten.sum.dim_IntList, aten.logsumexp.default, aten.mean.dim)


@dataclass
class Scores:
    """The nodes that are as large as the scores, products among them, and what reads them otherwise."""

    first: Node
    nodes: dict[Node, None] = field(default_factory=dict[Node, None])
    readers: dict[Node, None] = field(default_factory=dict[Node, None])


def behind_tangents(graph: Graph) -> set[Node]:
    """The nodes of the backward."""
    found: set[Node] = set()
    for node in graph.nodes:
        given = node.op == "placeholder" and str(node.target).startswith("tangents")
        if given or any(n in found for n in node.all_input_nodes):
            found.add(node)
    return found


def scores_of(product: Node) -> Scores | None:
    """All that is as large as `product` and reads it, or is read by what does; None where others read these too."""
    found, size = Scores(product), size_of(product)
    work = [product]
    if size is None:
        return None
    while work:
        node = work.pop()
        if node in found.nodes:
            continue
        found.nodes[node] = None
        if node is not product and node.target not in PRODUCTS:
            if not is_pointwise(node):
                return None
            work += [n for n in node.all_input_nodes if n.op == "call_function" and size_of(n) == size]
        for user in node.users:
            if user.target in (*PRODUCTS, *REDUCTIONS) and size_of(user) != size:
                found.readers[user] = None
            elif user.op == "call_function" and size_of(user) == size:
                work.append(user)
            else:
                return None
    return found


def size_of(node: Node) -> int | None:
    """The number of elements of a node; None for what is no tensor of a known size."""
    value = node.meta.get("val")
    number = value.numel() if isinstance(value, torch.Tensor) else None
    return number if isinstance(number, int) else None


def turned(value: Any) -> Node | None:
    """x, where `value` is x with its last two dimensions swapped."""
    if not isinstance(value, Node) or value.target not in TURNED:
        return None
    source: Any = value.args[0]
    rank = source.meta["val"].dim()
    swapped = [*range(rank - 2), rank - 1, rank - 2]
    if value.target is aten.permute.default:
        return source if [d % rank for d in value.args[1]] == swapped else None  # pyright: ignore
    dims = {d % rank for d in value.args[1:]} if value.target is aten.transpose.int else {0, 1}  # pyright: ignore
    return source if dims == {rank - 2, rank - 1} else None
