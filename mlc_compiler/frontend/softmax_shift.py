"""What a program subtracts from all scores of a softmax, as their maximum: its gradient is 0.

    forward     m, at = max(c);  p = softmax(c - m)
    backward    dc = p * (dp - sum(dp * p));  dm = -sum(dc);  dc + scatter(0, at, dm)
 -> backward    dc,  as sum(dc) = sum(dp * p) - sum(p) * sum(dp * p) = 0

Eager adds what rounding left of the sum to the gradient of the maximum. To know it takes one more pass over the scores.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import Graph, Node

from mlc_compiler.frontend.pointwise import CASTS, aten

ZEROS = (aten.new_zeros.default, aten.zeros.default, aten.zeros_like.default)
FULL = (aten.full.default, aten.new_full.default, aten.full_like.default)
SCALED = (aten.neg.default, aten.mul.Tensor, aten.mul.Scalar, aten.div.Tensor, aten.div.Scalar)


def drop_shifts(graph: Graph) -> None:
    """Drops gradients that go through the maximum that a softmax has subtracted."""
    for scatter in graph.find_nodes(op="call_function", target=aten.scatter.src):
        zeros, dim, index, total = scatter.args
        most = index.args[0] if index.target is operator.getitem else None
        if most is None or most.target is not aten.max.dim or not _is_zero(zeros):
            continue
        rank = zeros.meta["val"].dim()
        if rank and _sums_softmax_gradient(total, dim % rank):
            _drop(graph, scatter, zeros)
            _without_places(graph, most)


def _is_zero(node: Any) -> bool:
    """True for zeros, however a version of PyTorch makes them."""
    return node.target in ZEROS or (node.target in FULL and node.args[-1] == 0)


def _drop(graph: Graph, scatter: Node, zeros: Node) -> None:
    """Replaces a scatter that changes nothing by the zeros; what adds it, by what it is added to."""
    scatter.replace_all_uses_with(zeros)
    graph.erase_node(scatter)
    for user in [*zeros.users]:
        others = [n for n in user.all_input_nodes if n is not zeros]
        if user.target is aten.add.Tensor and not user.kwargs and len(others) == 1 and _alike(user, others[0]):
            user.replace_all_uses_with(others[0])
            graph.erase_node(user)
    if not zeros.users:
        graph.erase_node(zeros)


def _alike(one: Node, other: Node) -> bool:
    first, second = one.meta["val"], other.meta["val"]
    return first.dtype == second.dtype and first.shape == second.shape


def _without_places(graph: Graph, most: Node) -> None:
    """A maximum whose places nobody reads any more is a reduction."""
    for item in [*most.users]:
        if not item.users:
            graph.erase_node(item)
    (source, dim, *keeps), items = most.args, [*most.users]
    if any(item.args[1] != 0 for item in items):
        return
    with graph.inserting_before(most):
        new = graph.call_function(aten.amax.default, (source, [dim], *keeps))
    for item in items:
        new.meta = dict(item.meta)
        item.replace_all_uses_with(new)
        graph.erase_node(item)
    graph.erase_node(most)


def _sums_softmax_gradient(total: Any, dim: int) -> bool:
    """True for a sum along `dim` of the gradient of a softmax along it, perhaps times a number."""
    if not _is_sum(total, dim):
        return False
    gradient = _plain(total.args[0])
    while gradient is not None and gradient.target in SCALED and sum(isinstance(n, Node) for n in gradient.args) == 1:
        gradient = _plain(gradient.args[0])
    if gradient is None or gradient.target is not aten.sub.Tensor or gradient.kwargs:
        return False
    left, right = map(_plain, gradient.args)
    if left is None or right is None or {left.target, right.target} != {aten.mul.Tensor}:
        return False
    sums = [n for n in map(_plain, right.args) if n is not None and _is_sum(n, dim) and _plain(n.args[0]) is left]
    weights = [n for n in map(_plain, right.args) if n not in sums and n in map(_plain, left.args)]
    return bool(sums) and any(n is not None and _is_softmax(n, dim) for n in weights)


def _is_softmax(node: Node, dim: int) -> bool:
    """True for exponentials divided by their sum."""
    if node.target is not aten.div.Tensor:
        return False
    exponential, total = map(_plain, node.args)
    exp = exponential is not None and exponential.target is aten.exp.default
    return exp and _is_sum(total, dim) and _plain(total.args[0]) is exponential  # pyright: ignore


def _is_sum(node: Any, dim: int) -> bool:
    """True for a sum along one dimension, which is kept."""
    if not isinstance(node, Node) or node.target is not aten.sum.dim_IntList or len(node.args) < 3:
        return False
    source, dims, keeps = node.args[:3]
    rank = source.meta["val"].dim()  # pyright: ignore
    return bool(keeps) and [d % rank for d in dims] == [dim]  # pyright: ignore


def _plain(value: Any) -> Node | None:
    """A node without casts between floats, which only round; None for a number."""
    while isinstance(value, Node) and value.target in CASTS and _is_float(value) and _is_float(value.args[0]):
        value = value.args[0]
    return value if isinstance(value, Node) else None


def _is_float(node: Any) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.is_floating_point()
