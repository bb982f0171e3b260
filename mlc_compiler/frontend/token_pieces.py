"""What joint graphs compute of the tokens of a layer, for a piece of the tokens: element by element, or by row."""

from __future__ import annotations

from math import prod
from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Graph, Node
from torch.fx.node import map_arg
from torch.utils.checkpoint import CheckpointPolicy

from mlc_compiler.frontend.pointwise import CASTS, VIEWS, aten
from mlc_compiler.frontend.scores import REDUCTIONS, size_of


class Tokens:
    """The nodes that are as large as the `result` [tokens, classes] of a layer, with classes along their last axis."""

    def __init__(self, graph: Graph, result: Node, backward: set[Node]):
        self._graph, self._result, self._backward = graph, result, backward
        self.count, self.classes = result.meta["val"].shape
        self._members: dict[Node, bool] = {result: True}
        self._pieces: dict[tuple[Node, int], Node] = {}
        self._bounds: list[tuple[int, int]] = []

    def computes(self, node: Node) -> bool:
        """True if `node` is computed from the result element by element, each where it is."""
        if node not in self._members:
            elementwise = _is_elementwise(node) or self._keeps_rows(node)
            inputs = node.all_input_nodes if elementwise and self._is_large(node) else []
            self._members[node] = any([self.computes(n) for n in inputs if self._is_large(n)])
        return self._members[node]

    def cut(self, pieces: list[Node], bounds: list[tuple[int, int]]) -> None:
        """Says which nodes are the pieces of the result, and of which tokens: from the first to behind the last."""
        self._bounds = bounds
        self._pieces = {(self._result, k): piece for k, piece in enumerate(pieces)}

    def split_reductions(self) -> None:
        """Reduces rows of pieces in place of those of all tokens."""
        for node in [n for n in self._graph.nodes if n.target in REDUCTIONS or n.target is aten.gather.default]:
            source: Any = node.args[0]
            if not self.computes(source) or not _is_of_rows(node):
                continue
            with self._graph.inserting_before(node):
                found = [self._reduced(node, k) for k in range(len(self._bounds))]
                while (after := _only_function(node)) is not None:  # a kernel keeps the logarithm of a sum
                    found = [self.call(after.target, n, *after.args[1:], **after.kwargs) for n in found]
                    node = after
                new = self.call(aten.reshape.default, self.call(aten.cat.default, found), [*node.meta["val"].shape])
            new.meta = {**node.meta, "val": new.meta["val"]}
            node.replace_all_uses_with(new)
            self._graph.erase_node(node)

    def _reduced(self, node: Node, piece: int) -> Node:
        source, _, *more = node.args
        others = [self._operand(v, source, piece) if isinstance(v, Node) else v for v in more]  # pyright: ignore
        return self.call(node.target, self.piece(source, piece), [1] if others == more else 1, *others)  # pyright: ignore

    def piece(self, node: Node, piece: int) -> Node:
        """A large node for a piece of the tokens, [tokens, classes]."""
        if (node, piece) not in self._pieces:
            self._pieces[node, piece] = self._piece_of(node, piece)
        return self._pieces[node, piece]

    def _piece_of(self, node: Node, piece: int) -> Node:
        if self._keeps_rows(node):
            return self.piece(node.all_input_nodes[0], piece)
        if not _is_elementwise(node):
            with self._graph.inserting_after(node):
                return self._cut(node, piece)
        with self._graph.inserting_before(node):
            operands = {n: self._operand(n, node, piece) for n in node.all_input_nodes}
            new = self.call(node.target, *map_arg(node.args, operands.__getitem__), **node.kwargs)
        new.meta = {**node.meta, "val": new.meta["val"]}
        if node not in self._backward:
            new.meta["recompute"] = CheckpointPolicy.MUST_RECOMPUTE
        return new

    def _operand(self, node: Node, reader: Node, piece: int) -> Node:
        """What a piece of `reader` reads of `node`, which may be the same for all tokens."""
        if self._is_large(node):
            return self.piece(node, piece)
        value, tokens = node.meta["val"], reader.meta["val"].shape[:-1]
        if not isinstance(value, torch.Tensor) or prod(value.shape[:-1]) == 1:
            return node if node.meta["val"].dim() <= 2 else self.call(aten.reshape.default, node, [1, value.shape[-1]])
        if _is_elementwise(node) and node not in self._backward and value.is_floating_point() and value.shape[-1] == 1:
            node.meta["recompute"] = CheckpointPolicy.MUST_SAVE  # else each element would compute its token's again
        same = value.shape[:-1] == tokens
        return self._cut(node if same else self.call(aten.expand.default, node, [*tokens, value.shape[-1]]), piece)

    def _cut(self, node: Node, piece: int) -> Node:
        """The rows of a node that has one for each token."""
        value = node.meta["val"]
        flat = node if value.dim() == 2 else self.call(aten.reshape.default, node, [self.count, value.shape[-1]])
        first, last = self._bounds[piece]
        return flat if last - first == self.count else self.call(aten.slice.Tensor, flat, 0, first, last)

    def _is_large(self, node: Node) -> bool:
        return size_of(node) == size_of(self._result) and node.meta["val"].shape[-1] == self.classes

    def _keeps_rows(self, node: Node) -> bool:
        """True for a view that leaves each row of classes as it is, and all of them in order."""
        return node.target in VIEWS and self._is_large(node) and self._is_large(node.all_input_nodes[0])

    def call(self, target: Any, *args: Any, **kwargs: Any) -> Node:
        """A call with what it gives as its `val`, at the user's line of the layer."""
        node = self._graph.call_function(target, args, kwargs)
        unknown = ("val", "tensor_meta", "recompute")
        node.meta = {k: v for k, v in self._result.meta.items() if k not in unknown}
        with self._result.meta["val"].fake_mode:
            node.meta["val"] = target(*map_arg(args, lambda n: n.meta["val"]), **kwargs)
        return node


def _is_elementwise(node: Node) -> bool:
    """True for what is computed element by element; views are not."""
    pointwise = isinstance(node.target, OpOverload) and torch.Tag.pointwise in node.target.tags
    return pointwise or (node.target in CASTS and node.target is not aten.detach.default)


def _only_function(node: Node) -> Node | None:
    """What alone reads a node, where it is computed of that alone, element by element."""
    user = next(iter(node.users)) if len(node.users) == 1 else None
    alone = user is not None and _is_elementwise(user) and user.all_input_nodes == [user.args[0]] == [node]
    return user if alone and node not in user.args[1:] else None  # pyright: ignore[reportOptionalMemberAccess]


def _is_of_rows(node: Node) -> bool:
    """True for a reduction along the last axis, which is kept, and for what is looked up along it."""
    source, dims, *more = node.args
    last = source.meta["val"].dim() - 1  # pyright: ignore
    if node.target is aten.gather.default:
        same = more[0].meta["val"].shape[:-1] == source.meta["val"].shape[:-1]  # pyright: ignore
        return same and dims in (-1, last)
    return isinstance(dims, list | tuple) and [d % (last + 1) for d in dims] == [last] and more == [True]  # pyright: ignore
