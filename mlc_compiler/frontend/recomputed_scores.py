"""Scores of attention in joint graphs: computed once more in the backward, so that memory never holds them.

    forward     s = q @ k.T;  p = softmax(f(s));  o = p @ v
    backward    dv = p.T @ do;  dp = do @ v.T;  ds = p * (dp - sum(dp * p)) * f'(s);  dq = ds @ k;  dk = ds.T @ q

The partitioner would keep s and p. Kernels that compute them again keep them in registers (`fuse-products`): then the
forward keeps the maximum and the sum of each row alone, and the sum of a row of dp * p is that of do * o, which needs
no scores (Dao and others, "FlashAttention", 2022). What stands between the products may be anything pointwise. A sum
of ds over the batch, as for a bias that all of it have in common, is a kernel that computes them once more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Graph, Node
from torch.utils.checkpoint import CheckpointPolicy

from mlc_compiler.frontend.pointwise import CASTS, TURNED, VIEWS, aten
from mlc_compiler.frontend.scores import PRODUCTS, REDUCTIONS, Scores, behind_tangents, scores_of, size_of, turned
from mlc_support.walks import meets
from passes.common.online_tiling import OnlineSizes

Pays = Callable[[OnlineSizes, torch.device], bool]
"""True if attention of these sizes pays with the scores computed twice. Gradients of `added` scores are added up."""


def recompute_scores(graph: Graph, pays: Pays) -> None:
    """Marks scores that the backward shall compute again: all that reads them are products and numbers of a row."""
    backward = behind_tangents(graph)
    for node in [n for n in graph.nodes if n.target in PRODUCTS and n not in backward]:
        found = scores_of(node)
        sizes = None if found is None else _sizes(found, backward)
        if found is None or sizes is None or not pays(sizes, node.meta["val"].device):
            continue
        reductions = [n for n in found.readers if n in backward and n.target in REDUCTIONS]
        # A sum that the gradients of scores need is to be known before any of them is.
        inner = [n for n in reductions if _is_needed(n, found)]
        sums = [_without_scores(n) for n in inner]
        if None in sums or not all(_along(n) or _over_batch(n, found) for n in reductions):
            continue
        for total, new in zip(inner, sums, strict=True):
            assert new is not None
            _sum_again(graph, total, *new)
        _mark(found, backward)


def _mark(found: Scores, backward: set[Node]) -> None:
    """Says what the forward keeps: what becomes of the scores, not them, and no operand that repeats another tensor."""
    for member in (*found.nodes, *found.readers):
        if member not in backward:
            again = member in found.nodes
            member.meta["recompute"] = CheckpointPolicy.MUST_RECOMPUTE if again else CheckpointPolicy.MUST_SAVE
            for view in (v for n in member.all_input_nodes if member.target in PRODUCTS for v in _repeated(n)):
                view.meta["recompute"] = CheckpointPolicy.MUST_RECOMPUTE


def _repeated(operand: Node) -> list[Node]:
    """The views that lead to `operand` from what it repeats, as keys that heads share; none where it repeats nothing.

    Kernels read the keys themselves. The repeated ones would be written for the backward alone.
    """
    chain = [operand]
    while chain[-1].target in (*VIEWS, *TURNED):
        chain.append(chain[-1].all_input_nodes[0])
    sizes = [size_of(node) for node in chain]
    return chain[:-1] if None not in sizes and sizes[-1] < sizes[0] else []  # pyright: ignore


def _sizes(found: Scores, backward: set[Node]) -> OnlineSizes | None:
    """The sizes of the products; None where forward and backward do not both sum the scores."""
    products = [n for n in found.readers if n.target in PRODUCTS]
    forward = [n for n in products if n not in backward]
    if not forward or len(forward) == len(products):
        return None
    first: Any = found.first
    scores, depth = first.meta["val"], first.args[0].meta["val"].shape[-1]
    *batch, rows, columns = forward[0].meta["val"].shape
    if forward[0].args[0] not in found.nodes:
        rows, columns = columns, rows  # weights on the right
    sizes = (*batch, rows, depth, columns)
    if not all(isinstance(s, int) and s > 0 for s in sizes):
        return None
    many = batch[0] if batch else 1
    sums = [n for n in found.readers if n in backward and _over_batch(n, found)]
    added = max((scores.numel() // (size_of(n) or 1) for n in sums), default=1)
    keys = scores.numel() // (many * rows)
    return OnlineSizes(many, rows, keys, (depth,), columns, scores.element_size(), added=added)


def _is_needed(reduction: Node, scores: Scores) -> bool:
    """True if something as large as the scores is computed from the result of `reduction`."""
    return meets(reduction, lambda node: node in scores.nodes or node.users)


def _along(total: Node) -> int | None:
    """The axis of a sum of gradients of scores, along their rows or columns: -1 or -2. None for another sum."""
    axes = _axes(total)
    return axes[0] if axes in ([-1], [-2]) else None


def _over_batch(total: Node, scores: Scores) -> bool:
    """True for a sum over one axis before rows and keys, as the gradient of a bias that a batch has in common."""
    source: Any = total.args[0]
    first, shape = scores.first.meta["val"].shape, source.meta["val"].shape
    long = [d for d in _axes(total) if shape[d] != 1]
    return len(long) == 1 and long[0] < -2 and sorted(shape[-2:]) == sorted(first[-2:])


def _axes(total: Node) -> list[int]:
    """The axes that are summed, counted from the end; none where that is not said."""
    if total.target is not aten.sum.dim_IntList:
        return []
    source, dims = total.args[:2]
    rank = source.meta["val"].dim()  # pyright: ignore
    return [d - rank if d >= 0 else d for d in dims or ()]  # pyright: ignore


def _without_scores(total: Node) -> tuple[Node, Node, int] | None:
    """do, o, and the axis to sum along, where `total` sums dp * p along the keys; None where it does not.

    o = p @ v and dp = do @ v.T, or o = v @ p and dp = v.T @ do.
    """
    source: Any = total.args[0]
    along, keeps = _along(total), len(total.args) > 2 and total.args[2]
    if along is None or not keeps:
        return None
    factors, right = Counter(_factors(source, size_of(source))), 2 + along
    for gradient in [f for f in factors if isinstance(f, Node) and f.target in PRODUCTS]:
        values = turned(gradient.args[right])
        for product in () if values is None else values.users:
            same = product.target is gradient.target and product.args[right] is values
            weights = Counter(_factors(product.args[1 - right], size_of(source)))
            if same and weights == factors - Counter([gradient]):
                return gradient.args[1 - right], product, along  # pyright: ignore[reportReturnType]
    return None


def _factors(value: Any, size: int | None) -> Iterator[Any]:
    """The factors of a product of elements, without casts and views of as many as `size`; numbers are factors too."""
    while isinstance(value, Node) and size_of(value) == size and _is_in_order(value):
        value = value.args[0]
    if isinstance(value, Node) and value.target in (aten.mul.Tensor, aten.mul.Scalar):
        yield from _factors(value.args[0], size)
        yield from _factors(value.args[1], size)
    else:
        yield value


def _is_in_order(node: Node) -> bool:
    """True for casts to floats, which only round, and for views that leave elements in row-major order."""
    if node.target in CASTS:
        return node.meta["val"].is_floating_point()
    if node.target is aten.permute.default:
        shape, order = node.meta["val"].shape, [*node.args[1]]  # pyright: ignore
        long = [d for d, size in zip(order, shape, strict=True) if size != 1]
        return long == sorted(long)
    return node.target in VIEWS and size_of(node) == size_of(node.args[0])  # pyright: ignore


def _sum_again(graph: Graph, total: Node, gradient: Node, result: Node, along: int) -> None:
    """Replaces `total` by the sum of gradient * result along an axis, in its type and shape."""
    value = total.meta["val"]
    with graph.inserting_before(total), value.fake_mode:
        wide = [_call(graph, aten._to_copy.default, (n,), {"dtype": value.dtype}) for n in (gradient, result)]
        products = _call(graph, aten.mul.Tensor, tuple(wide))
        summed = _call(graph, aten.sum.dim_IntList, (products, [along], True))
        new = _call(graph, aten.view.default, (summed, list(value.shape)))
    total.replace_all_uses_with(new)
    graph.erase_node(total)


def _call(graph: Graph, target: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Node:
    """A call with what it gives as its `val`."""
    node = graph.call_function(target, args, kwargs or {})
    values = [a.meta["val"] if isinstance(a, Node) else a for a in args]
    node.meta["val"] = target(*values, **(kwargs or {}))
    return node
