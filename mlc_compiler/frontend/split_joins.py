"""Joined tensors in joint graphs: what is computed of them is computed of each part, where nobody needs them whole.

    forward     c = cat(s, t);  m = amax(c);  e = exp(c - m);  p = e / sum(e);  w = p[.., :-1]
    backward    dp = slice_backward(dw);  dc = p * (dp - sum(dp * p));  ds = dc[.., :-1];  dt = dc[.., -1:]
 -> forward     m = maximum(amax(s), amax(t));  l = sum(exp(s - m)) + sum(exp(t - m));  w = exp(s - m) / l
    backward    inner = sum(dw * w) + sum(0 * p of t);  ds = w * (dw - inner);  dt = p of t * (0 - inner)

Attention sinks are such a t beside scores s. Only scores that are joined to nothing may stay in registers
(`recomputed_scores`). `split-cat` does the same to graphs that need no gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Graph, Node
from torch.fx.experimental.symbolic_shapes import has_free_symbols
from torch.fx.node import map_arg

from mlc_compiler.frontend.pointwise import BITS, TURNED, VIEWS, aten, is_pointwise
from mlc_compiler.frontend.scores import PRODUCTS
from mlc_support.walks import meets

COMBINED = {
    aten.amax.default: aten.maximum.default,
    aten.amin.default: aten.minimum.default,
    aten.sum.dim_IntList: aten.add.Tensor,
}
"""What combines the results of a reduction of two parts."""
HALVES = (torch.float16, torch.bfloat16)
SOURCES = (aten.cat.default, aten.slice_backward.default)
"""What joins parts, or zeros to the gradient of one."""
MOVED = (
    aten.view.default,
    aten._unsafe_view.default,
    aten.reshape.default,
    aten.unsqueeze.default,
    aten.squeeze.dim,
    aten.squeeze.dims,
)
"""Views whose shape says where each element went."""
SHOWN = (*VIEWS, *TURNED, aten.slice.Tensor, aten.select.int)
"""Views of a slice."""


def split_joins(graph: Graph) -> None:
    """Splits what is computed of tensors that are joined to results of products."""
    known: dict[tuple[int, ...], _Borders] = {}
    for cat in graph.find_nodes(op="call_function", target=aten.cat.default):
        lengths = _lengths(cat) if cat.users and any(map(_from_product, cat.all_input_nodes)) else None
        if lengths is not None:
            if lengths not in known:
                known[lengths] = _Borders(graph, lengths)
            _split(graph, cat, known[lengths])


def _from_product(node: Node) -> bool:
    """True for the result of a product, and for what is computed from one element by element."""
    return meets(node, lambda n: n.target in PRODUCTS or (n.all_input_nodes if is_pointwise(n) else ()))


def _split(graph: Graph, cat: Node, borders: _Borders) -> None:
    """Splits what reads `cat`, or is read with it, unless something needs it whole."""
    members = _members(cat, borders)
    if members is None:
        return
    parts = _Parts(graph, borders, members)
    readers = sorted({*members, *(user for node in members for user in node.users)})
    for node in readers:
        parts.take(node)
    for node in reversed(readers):
        graph.erase_node(node)
    parts.erase_unread()


def _lengths(cat: Node) -> tuple[int, ...] | None:
    """How long each part is; None where one is empty, or lengths are not known."""
    axis, values = _axis_of(cat), [_value(n) for n in cat.args[0]]  # pyright: ignore
    if axis is None or any(v is None or v.dim() < -axis for v in values):
        return None
    found = tuple(v.shape[axis] for v in values if v is not None)
    return found if len(found) > 1 and all(found) else None


def _axis_of(node: Node) -> int | None:
    """The dimension of a result that a cat, or the gradient of a slice, is along; counted from the last, as -1."""
    dim: Any = _argument(node, 1, 0) if node.target is aten.cat.default else _argument(node, 2, 0)
    value = _value(node)
    return None if value is None else dim % value.dim() - value.dim()


def _argument(node: Node, place: int, otherwise: Any) -> Any:
    return node.args[place] if len(node.args) > place else otherwise


def _value(node: Any) -> torch.Tensor | None:
    """The tensor that a node gives, if its sizes are known."""
    value = node.meta.get("val") if isinstance(node, Node) else None
    known = isinstance(value, torch.Tensor) and not has_free_symbols(value)
    return value if known else None


class _Borders:
    """Where parts of some lengths begin and end, and which nodes give tensors that consist of such parts."""

    def __init__(self, graph: Graph, lengths: tuple[int, ...]):
        self.lengths = lengths
        self.total = sum(lengths)
        self._ends = [*accumulate(lengths)]
        self.joined: dict[Node, int] = {}
        """All nodes that give joined tensors, each with the dimension of the parts."""
        for node in graph.nodes:
            axis = self._of_source(node)
            if axis is None and node.op == "call_function":
                axis = self._of_members(node)
            if axis is not None:
                self.joined[node] = axis

    def place(self, size: int, start: Any, end: Any, step: Any) -> int | None:
        """The part that a slice is of, all of it; None for another slice."""
        if size != self.total or step != 1 or any(isinstance(bound, Node) for bound in (start, end)):
            return None
        low, high, _ = slice(start, end).indices(size)
        found = [k for k, length in enumerate(self.lengths) if self._ends[k] == high and high - low == length]
        return found[0] if found else None

    def cuts(self, node: Node, axis: int) -> bool:
        """True for what cuts parts off a joined tensor: a slice that is one, or all of them.

        A slice that is returned is none: it lies in memory as the whole does.
        """
        if node.target is not aten.split_with_sizes.default:
            return self.part_of_slice(node, axis) is not None and not _is_returned(node)
        value, sizes = _value(node.args[0]), node.args[1]
        along = value is not None and _argument(node, 2, 0) % value.dim() - value.dim() == axis
        return along and tuple(sizes) == self.lengths and not any(map(_is_returned, node.users))  # pyright: ignore

    def part_of_slice(self, node: Node, axis: int) -> int | None:
        """The part that a node cuts off a joined tensor; None for other nodes."""
        value = _value(node.args[0]) if node.target is aten.slice.Tensor else None
        if value is None or _argument(node, 1, 0) % value.dim() - value.dim() != axis:
            return None
        return self.place(value.shape[axis], *(_argument(node, k, d) for k, d in ((2, None), (3, None), (4, 1))))

    def part_of_gradient(self, node: Node) -> int | None:
        """The part that has the gradient of a slice; the others are 0."""
        _, sizes, dim, *bounds = node.args
        return self.place(sizes[dim], *bounds)  # pyright: ignore

    def _of_source(self, node: Node) -> int | None:
        """The dimension along which a node joins parts of these lengths."""
        if node.target is aten.cat.default:
            return _axis_of(node) if _lengths(node) == self.lengths else None
        if node.target is aten.slice_backward.default and self.part_of_gradient(node) is not None:
            return _axis_of(node)
        return None

    def _of_members(self, node: Node) -> int | None:
        """The dimension of the parts in what is computed element by element of tensors that consist of some."""
        axes = {self.joined[n] for n in node.all_input_nodes if n in self.joined}
        value = _value(node)
        if len(axes) != 1 or value is None or not _is_elementwise(node):
            return None
        (axis,) = axes
        if node.target in MOVED:
            before = _value(node.args[0])
            assert before is not None
            axis = self._moved(prod([*before.shape][before.dim() + axis + 1 :]), value.shape)
        return axis if axis is not None and value.shape[axis] == self.total else None

    def _moved(self, behind: int, shape: Sequence[int]) -> int | None:
        """The dimension of the parts in a view of this shape: as many elements lie behind it as before."""
        rank = len(shape)
        dims = [d for d in range(rank) if shape[d] == self.total and prod(shape[d + 1 :]) == behind]
        return dims[0] - rank if dims else None


def _is_elementwise(node: Node) -> bool:
    """True if parts of the result are those of the operands. What draws or writes is none of it."""
    target = node.target
    if not isinstance(target, OpOverload) or target in (*TURNED, BITS) or target._schema.is_mutable:
        return False
    return is_pointwise(node) and torch.Tag.nondeterministic_seeded not in target.tags


def _is_returned(node: Node) -> bool:
    """True if a node, or a view of it, is a result of the graph."""
    return meets(node, lambda n: n.op == "output" or (u for u in n.users if u.op == "output" or u.target in SHOWN))


def _members(cat: Node, borders: _Borders) -> dict[Node, int] | None:
    """The joined tensors that are read with `cat`, or with what is computed of it; None where one is needed whole."""
    joined = borders.joined
    found: dict[Node, int] = {}
    work = [cat]
    while work:
        node = work.pop()
        if node in found:
            continue
        found[node] = axis = joined[node]
        further = [n for n in node.users if n in joined and n.target not in SOURCES]
        others = [n for n in node.users if n not in further]
        if not all(_is_reduced(n, axis) or borders.cuts(n, axis) for n in others):
            return None
        work += further
        if node.target not in SOURCES:
            work += [n for n in node.all_input_nodes if n in joined]
    return found


def _is_reduced(node: Node, axis: int) -> bool:
    """True for a reduction along the dimension of the parts, and perhaps others."""
    value = _value(node.args[0]) if node.target in COMBINED else None
    dims = _argument(node, 1, ())
    return value is not None and (not dims or axis in [d % value.dim() - value.dim() for d in dims])


class _Parts:
    """The parts of joined tensors."""

    def __init__(self, graph: Graph, borders: _Borders, members: dict[Node, int]):
        self._graph, self._borders, self._members = graph, borders, members
        self._known: dict[Node, list[Node]] = {}
        self._inserted: list[Node] = []
        self._zeros: set[Node] = set()

    def erase_unread(self) -> None:
        """Erases what was computed of parts that nobody reads."""
        for node in reversed(self._inserted):
            if not node.users:
                self._graph.erase_node(node)

    def take(self, node: Node) -> None:
        """Computes, before `node`, what it does of each part."""
        axis = self._members.get(node)
        with self._graph.inserting_before(node):
            if axis is not None:
                self._known[node] = self._of_member(node, axis)
            elif node.target in COMBINED:
                node.replace_all_uses_with(self._reduced(node))
            else:
                self._cut(node, node.all_input_nodes[0])

    def _cut(self, node: Node, source: Node) -> None:
        """Lets those that read a slice read the part."""
        if node.target is aten.split_with_sizes.default:
            for item in [*node.users]:
                item.replace_all_uses_with(self._known[source][item.args[1]])  # pyright: ignore
                self._graph.erase_node(item)
        else:
            place = self._borders.part_of_slice(node, self._members[source])
            assert place is not None
            node.replace_all_uses_with(self._known[source][place])

    def _of_member(self, node: Node, axis: int) -> list[Node]:
        """The parts of a joined tensor."""
        places = range(len(self._borders.lengths))
        if node.target is aten.cat.default:
            given: Any = node.args[0]
            wanted = node.meta["val"].dtype
            return [self._cast(node, n, wanted) for n in given]
        if node.target is aten.slice_backward.default:
            place = self._borders.part_of_gradient(node)
            return [node.args[0] if k == place else self._zero(node, axis, k) for k in places]  # pyright: ignore
        if node.target in (*MOVED, aten.expand.default):
            source: Any = node.args[0]
            return [self._viewed(node, self._known[source][k], self._shape(node, axis, k)) for k in places]
        return [self._computed(node, axis, k) for k in places]

    def _computed(self, node: Node, axis: int, place: int) -> Node:
        """A part of what is computed element by element."""
        args, kwargs = map_arg((node.args, node.kwargs), lambda n: self._operand(node, n, axis, place))
        if node.target is aten.add.Tensor and not kwargs:  # as gradients that come from several slices
            others = [n for n in args if n not in self._zeros]
            if len(others) < 2 and all(_form(n) == _form(args[0]) for n in args):
                return (others or args)[0]  # pyright: ignore[reportReturnType]
        return self._call(node, node.target, args, kwargs)

    def _operand(self, user: Node, node: Node, axis: int, place: int) -> Node:
        """The part of an operand; itself where it is the same for all."""
        if node in self._known:
            return self._known[node][place]
        value = _value(node)
        if value is None or value.dim() < -axis or value.shape[axis] == 1:
            return node
        shape = self._shape(node, axis, place)
        if node.target is aten.full.default:
            return self._call(user, aten.full.default, (shape, *node.args[1:]), node.kwargs)
        source: Any = node.args[0] if node.target is aten.expand.default else node
        if source.meta["val"].dim() < -axis or source.meta["val"].shape[axis] == 1:
            return self._call(user, aten.expand.default, (source, shape))
        start = sum(self._borders.lengths[:place])
        return self._call(user, aten.slice.Tensor, (node, axis, start, start + shape[axis]))

    def _viewed(self, node: Node, part: Node, shape: list[int]) -> Node:
        """A part in another shape; copied first where it lies so that no view shows it."""
        if node.target is aten.expand.default:
            return self._call(node, aten.expand.default, (part, shape))
        try:
            return self._call(node, aten.view.default, (part, shape))
        except (RuntimeError, ValueError):
            copy = self._call(node, aten.clone.default, (part,), {"memory_format": torch.contiguous_format})
            return self._call(node, aten.view.default, (copy, shape))

    def _reduced(self, node: Node) -> Node:
        """The results of a reduction of each part, combined; halves are rounded once, as in the whole."""
        target: Any = node.target
        wanted, total = node.meta["val"].dtype, None
        more = {"dtype": torch.float32} if target is aten.sum.dim_IntList and wanted in HALVES else {}
        source: Any = node.args[0]
        for part in self._known[source]:
            one = self._call(node, target, (part, *node.args[1:]), {**node.kwargs, **more})
            total = one if total is None else self._call(node, COMBINED[target], (total, one))
        assert total is not None
        return self._cast(node, total, wanted)

    def _shape(self, node: Node, axis: int, place: int) -> list[int]:
        shape = [*node.meta["val"].shape]
        shape[axis] = self._borders.lengths[place]
        return shape

    def _zero(self, node: Node, axis: int, place: int) -> Node:
        value = node.meta["val"]
        form = {"dtype": value.dtype, "device": value.device, "layout": value.layout, "pin_memory": False}
        zeros = self._call(node, aten.full.default, (self._shape(node, axis, place), 0), form)
        self._zeros.add(zeros)
        return zeros

    def _cast(self, of: Node, node: Node, wanted: torch.dtype) -> Node:
        same = node.meta["val"].dtype == wanted
        return node if same else self._call(of, aten._to_copy.default, (node,), {"dtype": wanted})

    def _call(self, of: Node, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Node:
        """A call that computes a part of what `of` does."""
        given, named = map_arg((args, kwargs or {}), lambda n: n.meta["val"])
        with of.meta["val"].fake_mode:
            value = target(*given, **named)  # pyright: ignore
        node = self._graph.call_function(target, args, kwargs or {})
        node.meta = {**of.meta, "val": value}
        node.meta.pop("tensor_meta", None)
        self._inserted.append(node)
        return node


def _form(node: Any) -> tuple[torch.Size, torch.dtype] | None:
    value = _value(node)
    return None if value is None else (value.shape, value.dtype)
