"""Rules for ops that write at places which tensors hold: all of them are `mlc_tensor.scatter`."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, cast

import torch
from xdsl.dialects.builtin import f32, f64, i32, i64
from xdsl.ir import Attribute, SSAValue

from lowering.fx_to_tensor.call import Call, NotNative, Operand, normalized, rule
from lowering.fx_to_tensor.rules.index import (
    along,
    any_index,
    as_index,
    coordinates,
    counted,
    hits,
    in_memory_order,
    memory_place,
    spread,
    wrapped,
)
from lowering.fx_to_tensor.sizes import DTYPE_OF
from mlc_dialects.common.types import element_type, is_bool, is_float, shape_of
from mlc_dialects.tensor.elementwise import ELEMENTWISE
from mlc_dialects.tensor.gather_scatter import ScatterOp
from mlc_dialects.tensor.views import PermuteOp, SliceOp
from mlc_support.index_expr import IndexExpr, integer, product

Coordinates = Sequence[SSAValue]
KINDS = {"sum": "add", "add": "add", "amax": "max", "amin": "min"}
"""PyTorch's names of reductions to ways to scatter."""
TRUTHS = KINDS | {"sum": "max", "add": "max", "prod": "min", "multiply": "min"}
"""Those of booleans, whose sums are true where one of them is, and products where all are."""
ELEMENTWISE_OF = {"add": "add", "max": "maximum", "min": "minimum"}
"""Ways to scatter to what they do with two numbers."""


def _kind(reduce: str, element: Attribute) -> str:
    """The way to scatter that combines as `reduce` does. NotNative if there is none."""
    kinds = {"set": "set"} | (TRUTHS if is_bool(element) else KINDS)
    if reduce not in kinds:
        raise NotNative(f"an atomic {reduce}")
    return kinds[reduce]


def scattered(call: Call, kind: str, into: SSAValue, places: Coordinates, updates: SSAValue) -> SSAValue:
    """`into` with `updates` combined in. Types without an atomic form are combined in one that has it."""
    element = element_type(into.type)
    ordered = kind == "set" or (kind == "add" and is_float(element))
    if ordered and torch.are_deterministic_algorithms_enabled():
        raise NotNative("deterministic algorithms are asked for, and which update of an element comes last is not")
    wide = element if kind == "set" else _atomic_type(element)
    if kind in ("max", "min") and is_float(element):
        return call.cast(_float_extreme(call, kind, call.cast(into, wide), places, call.cast(updates, wide)), element)
    result = call.op(ScatterOp(kind, call.cast(into, wide), places, call.cast(updates, wide)))
    return call.cast(result, element)


def _float_extreme(call: Call, kind: str, into: SSAValue, places: Coordinates, updates: SSAValue) -> SSAValue:
    """min(x, y) == -max(-x, -y); NaN enters as the positive one, which the bits of no other float exceed."""
    element, shape = element_type(into.type), shape_of(into.type)
    if kind == "min":
        updates = call.apply("neg", updates, element=element, shape=shape_of(updates.type))
        into = call.apply("neg", into, element=element, shape=shape)
    is_nan = call.apply("isnan", into, element=element, shape=shape)
    into = call.op(ELEMENTWISE["select"](is_nan, call.full(float("nan"), shape, element), into))
    result = call.op(ScatterOp("max", into, places, updates))
    return call.apply("neg", result, element=element, shape=shape) if kind == "min" else result


def _atomic_type(element: Attribute) -> Attribute:
    """The type that elements are combined in: sums of narrow integers wrap alike, of halves round once."""
    if is_float(element):
        return f64 if element == f64 else f32
    return i64 if element == i64 else i32


def _combined(call: Call, kind: str, into: SSAValue, dim: int, index: SSAValue, updates: SSAValue) -> SSAValue:
    """into[..., index[k], ...] = combine(it, updates[k]), index and updates of one shape."""
    shape, points = shape_of(into.type), shape_of(index.type)
    if product(points).constant == 0:
        return into
    if not shape:
        return _only_element(call, kind, into, updates)
    axis = normalized(dim, len(shape))
    others = [d for d in range(len(shape)) if d != axis]
    if points[axis].constant == 1 and all(points[d] == shape[d] for d in others) and kind in ("set", "add"):
        return _one_each(call, kind, into, axis, index, updates)
    return scattered(call, kind, into, along(call, axis, index, points), updates)


def _only_element(call: Call, kind: str, into: SSAValue, update: SSAValue) -> SSAValue:
    """A tensor of rank 0 with one update."""
    element, update = element_type(into.type), call.reshape(update, ())
    if kind == "set":
        return update
    compute = i32 if is_bool(element) else element
    return call.cast(call.apply(ELEMENTWISE_OF[kind], into, update, element=compute, shape=()), element)


def _one_each(call: Call, kind: str, into: SSAValue, axis: int, index: SSAValue, updates: SSAValue) -> SSAValue:
    """One update a line of `into`: a choice, which fuses and needs no order."""
    shape, element = shape_of(into.type), element_type(into.type)
    new = call.broadcast(updates, shape)
    if kind == "add":
        new = call.apply("add", into, new, element=element, shape=shape)
    return call.op(ELEMENTWISE["select"](hits(call, axis, index, shape), new, into))


def _part(call: Call, source: SSAValue, index: SSAValue) -> SSAValue:
    """The part of `source` that an index tensor, which may be smaller, speaks of."""
    rank = len(shape_of(index.type))
    if shape_of(source.type) == shape_of(index.type) or rank != len(shape_of(source.type)):
        return source  # one that may stand for one row of rank 0
    return call.op(SliceOp(source, [0] * rank, [1] * rank, shape_of(index.type)))


@rule("scatter.src", "scatter.reduce")
def _scatter(call: Call, x: SSAValue, dim: int, index: SSAValue, source: SSAValue, reduce: str = "set") -> SSAValue:
    return _combined(call, _kind(reduce, call.element), x, dim, index, _part(call, source, index))


@rule("scatter.value", "scatter.value_reduce")
def _scatter_value(call: Call, x: SSAValue, dim: int, index: SSAValue, value: Any, reduce: str = "set") -> SSAValue:
    updates = call.operand(value, call.element, shape_of(index.type))
    return _combined(call, _kind(reduce, call.element), x, dim, index, updates)


@rule("scatter_add.default")
def _scatter_add(call: Call, x: SSAValue, dim: int, index: SSAValue, source: SSAValue) -> SSAValue:
    return _combined(call, _kind("add", call.element), x, dim, index, _part(call, source, index))


@rule("scatter_reduce.two")
def _scatter_reduce(
    call: Call, x: SSAValue, dim: int, index: SSAValue, source: SSAValue, reduce: str, include_self: bool = True
) -> SSAValue:
    """The reduction of what meets in an element, what is there before included or not."""
    if not shape_of(x.type):
        one = [call.reshape(v, (integer(1),)) for v in (x, index, source)]
        whole = _scatter_reduce(call, one[0], 0, one[1], one[2], reduce, include_self)
        return call.reshape(cast(SSAValue, whole), ())
    source = _part(call, source, index)
    if reduce == "mean":
        return _scatter_mean(call, x, dim, index, source, include_self)
    kind = _kind(reduce, call.element)
    if not include_self:
        start = _neutral(kind, call.element)
        x = _combined(call, "set", x, dim, index, call.full(start, shape_of(index.type), call.element))
    return _combined(call, kind, x, dim, index, source)


def _neutral(kind: str, element: Attribute) -> float:
    """What every update replaces."""
    if is_bool(element):
        least, most = 0, 1
    else:
        dtype = DTYPE_OF[element]
        least, most = (-inf, inf) if is_float(element) else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    return {"add": 0, "max": least, "min": most}[kind]


def _scatter_mean(call: Call, x: SSAValue, dim: int, index: SSAValue, source: SSAValue, include_self: bool) -> SSAValue:
    """The sum divided by the count: of integers the whole part, rounded down."""
    element, points = call.element, shape_of(index.type)
    if not include_self:
        x = _combined(call, "set", x, dim, index, call.full(0, points, element))
    total = _combined(call, "add", x, dim, index, source)
    counts = call.full(int(include_self), shape_of(x.type), i32)
    counts = _combined(call, "add", counts, dim, index, call.full(1, points, i32))
    counts = call.apply("maximum", counts, 1, element=i32, shape=shape_of(x.type))
    divide = "div" if is_float(element) else "floordiv"
    return call.apply(divide, total, call.cast(counts, element), shape=shape_of(x.type))


def _rows(call: Call, x: SSAValue, dim: int, index: SSAValue, wrap: bool = False) -> list[SSAValue]:
    """The coordinates of index_add and its like: `index`, of rank 1, along `dim`."""
    shape = list(shape_of(x.type))
    axis = normalized(dim, len(shape))
    row = call.reshape(index, [product(shape_of(index.type))])
    row = wrapped(call, row, shape[axis]) if wrap else row
    shape[axis] = shape_of(row.type)[0]
    return along(call, axis, spread(call, row, axis, tuple(shape)), tuple(shape))


@rule("index_add.default")
def _index_add(call: Call, x: SSAValue, dim: int, index: SSAValue, source: SSAValue, alpha: Any = 1) -> SSAValue:
    kind = _kind("add", call.element)
    if isinstance(alpha, IndexExpr) or alpha != 1:
        compute = i32 if is_bool(call.element) else call.element
        source = call.cast(call.apply("mul", source, alpha, element=compute, shape=shape_of(source.type)), call.element)
    if not shape_of(x.type):
        return _only_element(call, kind, x, source)
    places = _rows(call, x, dim, index)
    return scattered(call, kind, x, places, call.reshape(source, shape_of(places[0].type)))


@rule("index_copy.default")
def _index_copy(call: Call, x: SSAValue, dim: int, index: SSAValue, source: SSAValue) -> SSAValue:
    if not shape_of(x.type):
        return call.reshape(source, ())
    places = _rows(call, x, dim, index)
    return scattered(call, "set", x, places, call.reshape(source, shape_of(places[0].type)))


@rule("index_fill.int_Scalar", "index_fill.int_Tensor")
def _index_fill(call: Call, x: SSAValue, dim: int, index: SSAValue, value: Operand) -> SSAValue:
    if not shape_of(x.type):
        return call.operand(value, call.element, ())
    places = _rows(call, x, dim, index, wrap=True)
    return scattered(call, "set", x, places, call.operand(value, call.element, shape_of(places[0].type)))


@rule("index_put.default", "_unsafe_index_put.default")
def _index_put(
    call: Call, x: SSAValue, indices: Sequence[SSAValue | None], values: SSAValue, accumulate: bool = False
) -> SSAValue:
    if any_index(indices):
        return _masked_put(call, x, indices, values, accumulate)
    points = call.sizes.shape(_indexed_like(call, x, indices))
    places = coordinates(call, shape_of(x.type), indices, points)
    kind = _kind("add" if accumulate else "set", call.element)
    return scattered(call, kind, x, places, call.broadcast(values, points))


def _indexed_like(call: Call, x: SSAValue, indices: Sequence[SSAValue | None]) -> torch.Tensor:
    """What x[indices] would be, as FX knows tensors."""
    fakes = [None if i is None else call.fake(i) for i in indices]
    return torch.ops.aten.index.Tensor(call.fake(x), fakes)


def _masked_put(
    call: Call, x: SSAValue, indices: Sequence[SSAValue | None], values: SSAValue, accumulate: bool
) -> SSAValue:
    """x[mask] = value, one value: a choice."""
    (mask, *rest) = indices
    one = product(shape_of(values.type)).constant == 1
    if mask is None or rest or accumulate or not one or not is_bool(element_type(mask.type)):
        raise NotNative("the number of elements that a mask selects is not known")
    inside = spread(call, mask, 0, call.shape)
    value = call.broadcast(call.reshape(values, ()), call.shape)
    return call.op(ELEMENTWISE["select"](inside, value, x))


@rule("put.default")
def _put(call: Call, x: SSAValue, index: SSAValue, source: SSAValue, accumulate: bool = False) -> SSAValue:
    """Into x as one row."""
    count = product(shape_of(x.type))
    row = scattered(
        call,
        _kind("add" if accumulate else "set", call.element),
        call.reshape(x, [count]),
        [wrapped(call, index, count)],
        call.reshape(source, shape_of(index.type)),
    )
    return call.reshape(row, call.shape)


@rule("embedding_dense_backward.default")
def _embedding_backward(
    call: Call, grad: SSAValue, indices: SSAValue, rows: Any, padding: Any = -1, by_frequency: bool = False
) -> SSAValue:
    """The gradients of each row summed; the row `padding` has none."""
    if by_frequency:
        raise NotNative("gradients divided by how often a row was read")
    points, element = shape_of(grad.type), element_type(grad.type)
    index = spread(call, as_index(call, indices), 0, points)
    if not isinstance(padding, int) or padding >= 0:
        skipped = call.apply("eq", index, padding, element=element_type(index.type), shape=points)
        grad = call.op(ELEMENTWISE["select"](skipped, call.full(0, points, element), grad))
    zeros = call.full(0, call.shape, element)
    return scattered(call, "add", zeros, [index, counted(call, len(points) - 1, points)], grad)


@rule("as_strided_scatter.default")
def _as_strided_scatter(
    call: Call, x: SSAValue, source: SSAValue, sizes: Any, strides: Sequence[Any], offset: Any = None
) -> SSAValue:
    flat, order = in_memory_order(call, x)
    points = shape_of(source.type)
    if product(points).constant == 0:
        return x
    result = scattered(call, "set", flat, [memory_place(call, x, points, strides, offset)], source)
    turned = call.reshape(result, [shape_of(x.type)[d] for d in order])
    return turned if order == sorted(order) else call.op(PermuteOp(turned, [order.index(d) for d in range(len(order))]))


@rule("index_reduce.default")
def _index_reduce(
    call: Call, x: SSAValue, dim: int, index: SSAValue, source: SSAValue, reduce: str, include_self: bool = True
) -> SSAValue:
    """scatter_reduce of whole rows."""
    axis, points = normalized(dim, len(call.shape)), shape_of(source.type)
    if points:
        index = spread(call, call.reshape(index, [product(shape_of(index.type))]), axis, points)
    return cast(SSAValue, _scatter_reduce(call, x, axis, index, source, reduce, include_self))
