"""The last layer of a language model in joint graphs: its weight's gradient lies where the logits did.

    forward     l = x @ w.T;  loss = f(l)
    backward    d = f'(l);  dx = d @ w;  dw = d.T @ x

The logits l, their gradients d and dw are larger than all else, and each would have memory of its own. d overwrites l
element by element (`reuse-buffers`); `mlc_runtime.gradients` computes dw over d, a chunk of classes after another. So
logits are [classes, tokens] in memory. Rows of dw are as long as x is wide; where there are more tokens than that,
others form a second piece, whose memory is free behind it. f is anything that leaves d the only gradient of l, and
computed element by element; no product is computed twice, and none rounds otherwise.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Graph, Node
from torch.utils.checkpoint import CheckpointPolicy

from mlc_compiler.frontend.pointwise import TURNED, VIEWS, aten
from mlc_compiler.frontend.scores import PRODUCTS, behind_tangents, turned
from mlc_compiler.frontend.token_pieces import Tokens
from mlc_runtime import gradients

mlc = torch.ops.mlc
MULTIPLIED = (*PRODUCTS, aten.addmm.default, aten.baddbmm.default)
Chunk = Callable[[int, int, int, int, torch.device], int | None]
"""Classes to compute gradients of at once, by tokens, width, classes, bytes of an element; None where it is all."""


@dataclass(frozen=True)
class Layer:
    """A linear layer: its result, operands and gradients."""

    result: Node
    x: Node
    w: Node
    d: Node
    dx: Node
    dw: Node

    @property
    def sizes(self) -> tuple[Any, Any, Any]:
        """Tokens, width, classes."""
        tokens, width = self.x.meta["val"].shape
        return tokens, width, self.w.meta["val"].shape[0]


def place_gradients(graph: Graph, chunk: Chunk) -> None:
    """Computes gradients of weights in the memory of the layer's result, by chunks where `chunk` says so."""
    backward = behind_tangents(graph)
    for node in graph.find_nodes(op="call_function", target=aten.mm.default):
        layer = None if node in backward or _is_settled(node) else _layer_of(node, backward)
        if layer is None or not all(isinstance(size, int) for size in layer.sizes):
            continue
        value, tokens = node.meta["val"], Tokens(graph, node, backward)
        classes = chunk(*layer.sizes, value.element_size(), value.device)
        if classes is not None and tokens.computes(layer.d) and not _is_inner(layer, tokens, graph):
            _place(graph, layer, tokens, classes)


def lay_gradients(graph: Graph) -> None:
    """Gives d the layout of the logits, [classes, tokens] in memory, in which nothing is copied.

    In any graph: compiled autograd traces a backward graph again, with the layouts of eager's ops.
    """
    for call in graph.find_nodes(op="call_function", target=mlc.linear_gradients.default):
        pieces: Any = call.args[0]
        for node in (n for n in pieces if n.op == "call_function"):
            value = node.meta["val"]
            node.meta["val"] = value.new_empty(value.shape[::-1]).t()


def _layer_of(node: Node, backward: set[Node]) -> Layer | None:
    """The layer with the result `node`, where its gradients are read by two products and nobody else."""
    x, weights = node.args
    w = turned(weights)
    if not isinstance(x, Node) or w is None:
        return None
    for dw in (n for n in x.users if n in backward and n.target is aten.mm.default and n.args[1] is x):
        d = turned(dw.args[0])
        readers = [] if d is None else [*_readers(d)]
        dx = next((n for n in readers if n is not dw and n.args[0] is d and _is_same(n.args[1], w)), None)
        if d is None or dx is None or {*readers} != {dx, dw}:
            continue
        kinds = {n.meta["val"].dtype for n in (node, x, w, d, dx, dw)}
        if d.meta["val"].shape == node.meta["val"].shape and len(kinds) == 1:
            return Layer(node, x, w, d, dx, dw)
    return None


def _readers(node: Node) -> Iterator[Node]:
    """What reads a node, or it transposed."""
    for user in node.users:
        if user.target in TURNED:
            yield from _readers(user)
        else:
            yield user


def _is_same(value: Any, w: Node) -> bool:
    """True for `w`, or it transposed twice."""
    once = turned(value)
    return value is w or (once is not None and turned(once) is w)


def _is_settled(node: Node) -> bool:
    """True if the program returns the node or a view of it, or a checkpoint says whether to keep it."""
    views = (n for n in node.users if n.target in (*VIEWS, *TURNED))
    return "recompute" in node.meta or any(n.op == "output" for n in node.users) or any(map(_is_settled, views))


def _is_inner(layer: Layer, tokens: Tokens, graph: Graph) -> bool:
    """True if a product reads what is computed of the result, as that of a next layer does; but for the two of d."""
    products = [n for n in graph.nodes if n.target in MULTIPLIED and n not in (layer.dx, layer.dw)]
    return any(tokens.computes(_viewed(operand)) for product in products for operand in product.all_input_nodes)


def _viewed(node: Node) -> Node:
    """What a node is a view of."""
    while node.target in (*VIEWS, *TURNED):
        node = node.all_input_nodes[0]
    return node


def _place(graph: Graph, layer: Layer, tokens: Tokens, chunk: int) -> None:
    """Replaces the products of a layer."""
    count, width, classes = layer.sizes
    several = count > width
    bounds = [(0, width), (width, count)] if several else [(0, count)]
    room = 0 if several else gradients.room_for(classes, count, width, chunk)
    with graph.inserting_before(layer.result):
        kept = [_product(layer, tokens, part, room, several) for part in bounds]
        pieces = [tokens.call(aten.permute.default, n, [1, 0]) for n in kept]
        whole = tokens.call(aten.cat.default, pieces) if several else pieces[0]
    for node in kept:
        node.meta["recompute"] = CheckpointPolicy.MUST_SAVE
    for node in (*pieces, whole):
        node.meta["recompute"] = CheckpointPolicy.MUST_RECOMPUTE
    tokens.cut(pieces, bounds)
    if several:
        tokens.split_reductions()
    parts = [tokens.piece(layer.d, k) for k in range(len(bounds))]
    with graph.inserting_before(min(layer.dx, layer.dw)):
        both = tokens.call(mlc.linear_gradients.default, parts, layer.x, layer.w, chunk)
        dx, dw = (tokens.call(operator.getitem, both, k) for k in (0, 1))
    for old, new in ((layer.dx, dx), (layer.dw, dw), (layer.result, whole)):
        old.replace_all_uses_with(new)
        graph.erase_node(old)
    graph.eliminate_dead_code()


def _product(layer: Layer, tokens: Tokens, part: tuple[int, int], room: int, several: bool) -> Node:
    """The result of the layer for some tokens, [classes, tokens]."""
    x = tokens.call(aten.slice.Tensor, layer.x, 0, *part) if several else layer.x
    return tokens.call(mlc.product_behind.default, layer.w, tokens.call(aten.permute.default, x, [1, 0]), room)
