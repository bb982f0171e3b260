"""Rules for ops that read at places which tensors hold: all of them are `mlc_tensor.gather`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import i1, i32, i64
from xdsl.ir import SSAValue

from lowering.fx_to_tensor.call import Call, NotNative, normalized, rule
from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import Shape, element_type, is_bool, shape_of, storage, tensor_type, ui8
from mlc_dialects.tensor.elementwise import ELEMENTWISE
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import IotaOp
from mlc_dialects.tensor.views import PadOp, PermuteOp
from mlc_support.index_expr import IndexExpr, integer, product


def counted(call: Call, dim: int, shape: Shape) -> SSAValue:
    """The coordinate of a dimension that is not looked up: its own place in `shape`."""
    return call.op(IotaOp(dim, tensor_type(shape, i64)))


def as_index(call: Call, index: SSAValue) -> SSAValue:
    """An index tensor in i32 or i64."""
    element = element_type(index.type)
    if is_bool(element) or element == ui8:
        raise NotNative("the number of elements that a mask selects is not known")
    return index if element in (i32, i64) else call.cast(index, i64)


def wrapped(call: Call, index: SSAValue, size: IndexExpr) -> SSAValue:
    """Negative indices counted from the end of a dimension of `size`."""
    index = as_index(call, index)
    element, shape = element_type(index.type), shape_of(index.type)
    negative = call.apply("lt", index, 0, element=element, shape=shape)
    from_end = call.apply("add", index, size, element=element, shape=shape)
    return call.op(ELEMENTWISE["select"](negative, from_end, index))


def gathered(call: Call, x: SSAValue, coordinates: Sequence[SSAValue], shape: Shape) -> SSAValue:
    """result[j] = x[coordinates[0][j], ...]"""
    return call.op(GatherOp(x, coordinates, shape))


def spread(call: Call, index: SSAValue, dim: int, shape: Shape) -> SSAValue:
    """An index tensor laid along the dimensions of `shape` from `dim` on, repeated over all others."""
    behind = len(shape) - dim - len(shape_of(index.type))
    return call.broadcast(call.reshape(index, [*shape_of(index.type), *[integer(1)] * behind]), shape)


def along(call: Call, dim: int, index: SSAValue, shape: Shape) -> list[SSAValue]:
    """Coordinates of `shape` that are its own, and along `dim` those that `index` (of that shape) holds."""
    return [as_index(call, index) if d == dim else counted(call, d, shape) for d in range(len(shape))]


def coordinates(call: Call, indexed: Shape, indices: Sequence[SSAValue | None], shape: Shape) -> list[SSAValue]:
    """The coordinates of x[indices], as Python indexing has it: None keeps a dimension; `shape` is the result's.

    Index tensors are broadcast together. Where they stand side by side their dimensions take their
    place in the result, else they come first.
    """
    given = {d: wrapped(call, index, indexed[d]) for d, index in enumerate(indices) if index is not None}
    places = list(given)
    rank = max((len(shape_of(i.type)) for i in given.values()), default=0)
    adjacent = places == list(range(places[0], places[-1] + 1)) if places else True
    start = places[0] if places and adjacent else 0
    kept = iter([d for d in range(len(shape)) if not start <= d < start + rank])
    found: list[SSAValue] = []
    for dim in range(len(indexed)):
        if dim in given:
            own = len(shape_of(given[dim].type))
            aligned = call.reshape(given[dim], [*[integer(1)] * (rank - own), *shape_of(given[dim].type)])
            found.append(spread(call, aligned, start, shape))
        else:
            found.append(counted(call, next(kept), shape))
    return found


@rule("index.Tensor", "_unsafe_index.Tensor")
def _index(call: Call, x: SSAValue, indices: Sequence[SSAValue | None]) -> SSAValue:
    return gathered(call, x, coordinates(call, shape_of(x.type), indices, call.shape), call.shape)


@rule("gather.default")
def _gather(call: Call, x: SSAValue, dim: int, index: SSAValue, *arguments: Any) -> SSAValue:
    rank = len(shape_of(x.type))
    if product(call.shape).constant == 0:
        return call.full(0, call.shape, call.element)
    if not rank:
        return call.broadcast(x, call.shape)
    return gathered(call, x, along(call, normalized(dim, rank), index, call.shape), call.shape)


@rule("index_select.default")
def _index_select(call: Call, x: SSAValue, dim: int, index: SSAValue) -> SSAValue:
    if not shape_of(x.type):
        return x
    axis = normalized(dim, len(call.shape))
    row = call.reshape(index, [call.shape[axis]])
    return gathered(call, x, along(call, axis, spread(call, row, axis, call.shape), call.shape), call.shape)


@rule("embedding.default")
def _embedding(call: Call, table: SSAValue, indices: SSAValue, *arguments: Any) -> SSAValue:
    rows = spread(call, as_index(call, indices), 0, call.shape)
    return gathered(call, table, [rows, counted(call, len(call.shape) - 1, call.shape)], call.shape)


@rule("take.default")
def _take(call: Call, x: SSAValue, index: SSAValue) -> SSAValue:
    """From x as one row."""
    count = product(shape_of(x.type))
    return gathered(call, call.reshape(x, [count]), [wrapped(call, index, count)], call.shape)


def hits(call: Call, dim: int, index: SSAValue, shape: Shape) -> SSAValue:
    """True where the place along `dim` of `shape` is the one that `index`, of size 1 there, holds.

    The index is looked up among the places there are, so that one outside is found out.
    """
    size = shape[dim]
    places = counted(call, 0, (size,))
    checked = gathered(call, places, [as_index(call, index)], shape_of(index.type))
    return call.apply("eq", counted(call, dim, shape), checked, element=i64, shape=shape)


def any_index(indices: Sequence[SSAValue | None]) -> bool:
    """True if one of `indices` is a mask."""
    return any(i is not None and element_type(i.type) in (i1, ui8) for i in indices)


@rule("diagonal.default", "diagonal_copy.default")
def _diagonal(call: Call, x: SSAValue, offset: int = 0, first: int = 0, second: int = 1) -> SSAValue:
    """result[..., i] = x[..., i + max(-offset, 0), ..., i + max(offset, 0), ...]"""
    rank = len(shape_of(x.type))
    dims = normalized(first, rank), normalized(second, rank)
    if product(call.shape).constant == 0:
        return call.full(0, call.shape, call.element)
    on = counted(call, rank - 2, call.shape)
    others = iter(range(rank - 2))
    places = [
        moved(call, on, max(offset, 0) if d == dims[1] else max(-offset, 0))
        if d in dims
        else counted(call, next(others), call.shape)
        for d in range(rank)
    ]
    return gathered(call, x, places, call.shape)


def moved(call: Call, places: SSAValue, by: int) -> SSAValue:
    """Coordinates `by` further on."""
    return call.apply("add", places, by, element=i64, shape=shape_of(places.type)) if by else places


@rule("diagonal_scatter.default")
def _diagonal_scatter(
    call: Call, x: SSAValue, source: SSAValue, offset: int = 0, first: int = 0, second: int = 1
) -> SSAValue:
    """`x` with `source` on a diagonal: a choice where column - row == offset."""
    shape, rank = call.shape, len(call.shape)
    a, b = normalized(first, rank), normalized(second, rank)
    if product(shape_of(source.type)).constant == 0:
        return x
    lows = [0] * (rank - 2) + [max(-offset, 0)]
    whole = (*shape_of(source.type)[:-1], shape[a])
    value = scalar_attribute(0, storage(call.element))
    line = source if whole == shape_of(source.type) else call.op(PadOp(source, lows, whole, value))
    others = [counted(call, d, shape) for d in range(rank) if d not in (a, b)]
    placed = gathered(call, line, [*others, counted(call, a, shape)], shape)
    distance = call.apply("sub", counted(call, b, shape), counted(call, a, shape), element=i64, shape=shape)
    on = call.apply("eq", distance, offset, element=i64, shape=shape)
    return call.op(ELEMENTWISE["select"](on, placed, x))


@rule("unfold.default", "unfold_copy.default")
def _unfold(call: Call, x: SSAValue, dim: int, size: int, step: int) -> SSAValue:
    """result[..., i, ..., k] = x[..., i * step + k, ...]"""
    rank, shape = len(shape_of(x.type)), call.shape
    if not rank or product(shape).constant == 0:
        return call.reshape(x, shape)
    places = [counted(call, d, shape) for d in range(rank)]
    axis = normalized(dim, rank)
    start = call.apply("mul", places[axis], step, element=i64)
    places[axis] = call.apply("add", start, counted(call, rank, shape), element=i64)
    return gathered(call, x, places, shape)


@rule("as_strided.default", "as_strided_copy.default")
def _as_strided(call: Call, x: SSAValue, sizes: Any, strides: Sequence[Any], offset: Any = None) -> SSAValue:
    flat, _ = in_memory_order(call, x)
    if product(call.shape).constant == 0:
        return call.full(0, call.shape, call.element)
    return gathered(call, flat, [memory_place(call, x, call.shape, strides, offset)], call.shape)


def in_memory_order(call: Call, x: SSAValue) -> tuple[SSAValue, list[int]]:
    """The elements as they lie in memory, and the order of dimensions that is; NotNative for memory with gaps."""
    fake, shape = call.fake(x), shape_of(x.type)
    known = [s.constant is not None for s in shape] + [type(s) is int for s in fake.stride()]
    if not all(known):
        raise NotNative("strides that are not known")
    order = sorted(range(len(shape)), key=lambda d: (-fake.stride(d), d))
    expected = 1
    for d in reversed(order):
        if fake.shape[d] != 1 and fake.stride(d) != expected:
            raise NotNative("memory between the elements")
        expected *= fake.shape[d]
    turned = x if order == sorted(order) else call.op(PermuteOp(x, order))
    return call.reshape(turned, [product(shape)]), order


def memory_place(call: Call, x: SSAValue, shape: Shape, strides: Sequence[Any], offset: Any) -> SSAValue:
    """The positions in the memory of `x` that as_strided's arguments name; NotNative where they leave it."""
    fake = call.fake(x)
    begin = 0 if offset is None else offset - fake.storage_offset()
    sizes = [s.constant for s in shape]
    if not all(isinstance(s, int) for s in (*strides, begin, *sizes)):
        raise NotNative("strides that are not known")
    last = begin + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True) if n is not None)
    if begin < 0 or last >= fake.numel():
        raise NotNative("memory beyond the tensor's elements")
    place = call.full(begin, shape, i64)
    for dim, stride in enumerate(strides):
        step = call.apply("mul", counted(call, dim, shape), stride, element=i64, shape=shape)
        place = call.apply("add", place, step, element=i64, shape=shape)
    return place
