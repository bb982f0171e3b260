"""Rules for ops that only move elements. Shapes come from the graph's own metadata."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from lowering.fx_to_tensor.call import Call, NotNative, normalized, rule
from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import Shape, element_type, shape_of, storage, tensor_type
from mlc_dialects.tensor.elementwise import ELEMENTWISE
from mlc_dialects.tensor.ops import IotaOp
from mlc_dialects.tensor.views import CatOp, PadOp, PermuteOp, RollOp, SliceOp
from mlc_support.index_expr import IndexExpr, integer, product

Size = int | IndexExpr


def _lift(size: Size) -> IndexExpr:
    return size if isinstance(size, IndexExpr) else integer(size)


def _rank(x: SSAValue) -> int:
    return len(shape_of(x.type))


@rule(
    "clone.default", "alias.default", "detach.default", "lift_fresh_copy.default", "lift_fresh.default",
    "lift.default", "_conj.default", "conj.default", "resolve_conj.default",
    "resolve_neg.default", "real.default", "contiguous.default", "positive.default",
)  # fmt: skip
def _identity(call: Call, x: SSAValue, *arguments: Any) -> SSAValue:
    return x


@rule(
    "view.default", "_unsafe_view.default", "reshape.default", "view_copy.default",
    "unsqueeze.default", "squeeze.default", "squeeze.dim", "squeeze.dims", "_reshape_alias.default",
    "flatten.using_ints",
)  # fmt: skip
def _reshape(call: Call, x: SSAValue, *arguments: Any) -> SSAValue:
    return call.reshape(x, call.shape)


@rule("permute.default")
def _permute(call: Call, x: SSAValue, dims: Sequence[int]) -> SSAValue:
    order = [normalized(d, _rank(x)) for d in dims]
    return x if order == list(range(len(order))) else call.op(PermuteOp(x, order))


@rule("transpose.int")
def _transpose(call: Call, x: SSAValue, first: int, second: int) -> SSAValue:
    order = list(range(_rank(x)))
    if order:
        a, b = normalized(first, len(order)), normalized(second, len(order))
        order[a], order[b] = order[b], order[a]
    return _permute(call, x, order)  # pyright: ignore[reportReturnType]


@rule("t.default", "numpy_T.default")
def _t(call: Call, x: SSAValue) -> SSAValue:
    return _permute(call, x, list(reversed(range(_rank(x)))))  # pyright: ignore[reportReturnType]


@rule("expand.default", "broadcast_to.default")
def _expand(call: Call, x: SSAValue, *arguments: Any) -> SSAValue:
    return call.broadcast(x, call.shape)


def _sliced(call: Call, x: SSAValue, dim: int, start: Size, step: int, count: Size) -> SSAValue:
    """`count` elements of `dim` from `start`, which is not negative, by `step`."""
    shape = list(shape_of(x.type))
    if step == 1 and _lift(start).constant == 0 and shape[dim] == _lift(count):
        return x
    starts: list[IndexExpr] = [integer(0)] * len(shape)
    steps = [1] * len(shape)
    shape[dim], starts[dim], steps[dim] = _lift(count), _lift(start), step
    if shape[dim].constant == 0:
        starts[dim] = integer(0)
    return call.op(SliceOp(x, starts, steps, shape))


def _from_front(position: Size, size: IndexExpr) -> IndexExpr:
    """A start of a slice counted from the front and not beyond `size`."""
    place = _lift(position)
    if place.constant is not None and place.constant < 0:
        place = size + place
        if place.constant is not None:
            return integer(max(place.constant, 0))
    if not place.is_non_negative():
        raise NotNative(f"it is not known whether {place} is negative")
    if place.constant is not None and size.constant is not None:
        return integer(min(place.constant, size.constant))
    if not (size - place).is_non_negative():
        raise NotNative(f"it is not known whether {place} is beyond {size}")
    return place


@rule("slice.Tensor")
def _slice(
    call: Call, x: SSAValue, dim: int = 0, start: Size | None = None, end: Any = None, step: int = 1
) -> SSAValue:
    axis = normalized(dim, _rank(x))
    first = _from_front(0 if start is None else start, shape_of(x.type)[axis])
    return _sliced(call, x, axis, first, step, call.shape[axis])


@rule("select.int")
def _select(call: Call, x: SSAValue, dim: int, index: Size) -> SSAValue:
    axis = normalized(dim, _rank(x))
    place = _from_front(index, shape_of(x.type)[axis])
    return call.reshape(_sliced(call, x, axis, place, 1, 1), call.shape)


@rule("diagonal.default")
def _diagonal(call: Call, x: SSAValue, offset: int = 0, dim1: int = 0, dim2: int = 1) -> SSAValue:
    """In an n x m matrix read row by row, the next element of a diagonal is m + 1 further."""
    rank, shape = _rank(x), shape_of(x.type)
    first, second = normalized(dim1, rank), normalized(dim2, rank)
    others = [d for d in range(rank) if d not in (first, second)]
    rows, columns = shape[first], shape[second].constant
    if columns is None:
        raise NotNative("a step of unknown size")
    count = call.shape[-1]
    matrices = _permute(call, x, [*others, first, second])
    flat = call.reshape(matrices, [*(shape[d] for d in others), rows * columns])  # pyright: ignore[reportArgumentType]
    start = integer(offset) if offset >= 0 else integer(-offset * columns)
    return _sliced(call, flat, rank - 2, start, columns + 1, count)


@rule("flip.default")
def _flip(call: Call, x: SSAValue, dims: Sequence[int]) -> SSAValue:
    shape = shape_of(x.type)
    flipped = {normalized(d, len(shape)) for d in dims}
    turned = [d in flipped and size.constant not in (0, 1) for d, size in enumerate(shape)]
    starts = [size - 1 if turn else integer(0) for turn, size in zip(turned, shape, strict=True)]
    return call.op(SliceOp(x, starts, [-1 if turn else 1 for turn in turned], shape)) if any(turned) else x


@rule("roll.default")
def _roll(call: Call, x: SSAValue, shifts: Any, dims: Any = ()) -> SSAValue:
    """Each dimension's last `shift` elements before its others; no dims mean one flat row."""
    if not dims:
        flat = call.reshape(x, [product(shape_of(x.type))])
        return call.reshape(_rolled(call, flat, shifts, [0]), call.shape)
    return _rolled(call, x, shifts, dims)


def _rolled(call: Call, x: SSAValue, shifts: Sequence[Size], dims: Sequence[int]) -> SSAValue:
    shape = shape_of(x.type)
    starts = [0] * len(shape)
    for shift, dim in zip(shifts, dims, strict=True):
        axis = normalized(dim, len(shape))
        size, places = shape[axis].constant, _lift(shift).constant
        if size is None or places is None:
            raise NotNative("a rotation of an unknown size")
        starts[axis] = (starts[axis] - places) % size if size else 0
    return call.op(RollOp(x, starts)) if any(starts) else x


def _pieces(call: Call, x: SSAValue, dim: int) -> list[SSAValue]:
    """The results one after the other along `dim`, their sizes as the graph has them."""
    axis, start = normalized(dim, _rank(x)), integer(0)
    parts: list[SSAValue] = []
    for out in call.outs:
        count = call.sizes.shape(out)[axis]
        parts.append(_sliced(call, x, axis, start, 1, count))
        start = start + count
    return parts


@rule("split.Tensor", "split_with_sizes.default", "split.sizes", "chunk.default", "unsafe_split.Tensor",
      "unsafe_chunk.default", "split_copy.Tensor", "split_with_sizes_copy.default")  # fmt: skip
def _split(call: Call, x: SSAValue, sizes: Any, dim: int = 0, *arguments: Any) -> list[SSAValue]:
    return _pieces(call, x, dim)


@rule("unbind.int")
def _unbind(call: Call, x: SSAValue, dim: int = 0) -> list[SSAValue]:
    axis = normalized(dim, _rank(x))
    rows = [_sliced(call, x, axis, i, 1, 1) for i in range(len(call.outs))]
    return [call.reshape(row, call.shape) for row in rows]


@rule("cat.default")
def _cat(call: Call, tensors: Sequence[SSAValue], dim: int = 0) -> SSAValue:
    """Tensors of shape [0] join any others, for old times' sake."""
    rank = len(call.shape)
    joined = [t for t in tensors if _rank(t) == rank and not _is_empty_vector(t, rank)]
    values = [call.cast(t, call.element) for t in joined or [t for t in tensors if _rank(t) == rank]]
    return values[0] if len(values) == 1 else call.op(CatOp(values, normalized(dim, rank)))


def _is_empty_vector(x: SSAValue, rank: int) -> bool:
    shape = shape_of(x.type)
    return len(shape) == 1 and shape[0].constant == 0


@rule("stack.default")
def _stack(call: Call, tensors: Sequence[SSAValue], dim: int = 0) -> SSAValue:
    axis = normalized(dim, len(call.shape))
    rows: list[SSAValue] = []
    for tensor in tensors:
        shape = list(shape_of(tensor.type))
        shape.insert(axis, integer(1))
        rows.append(call.reshape(call.cast(tensor, call.element), shape))
    return rows[0] if len(rows) == 1 else call.op(CatOp(rows, axis))


@rule("constant_pad_nd.default")
def _pad(call: Call, x: SSAValue, pads: Sequence[Size], value: Any = 0) -> SSAValue:
    """pads = [low, high] from the last dimension on; negative ones cut."""
    shape = list(shape_of(x.type))
    lows = [0] * len(shape)
    for position in range(0, len(pads), 2):
        dim = len(shape) - 1 - position // 2
        low, high = (_lift(p).constant for p in pads[position : position + 2])
        if low is None or high is None:
            raise NotNative("padding by an unknown number of elements")
        start, cut = max(-low, 0), max(-low, 0) + max(-high, 0)
        x = _sliced(call, x, dim, start, 1, shape[dim] - cut)
        lows[dim] = max(low, 0)
    return _padded(call, x, lows, call.shape, value)


def _padded(call: Call, x: SSAValue, lows: Sequence[int], shape: Shape, value: Any) -> SSAValue:
    if shape == shape_of(x.type):
        return x
    if isinstance(value, IndexExpr):
        raise NotNative("padding with a size")
    return call.op(PadOp(x, lows, shape, scalar_attribute(value, storage(element_type(x.type)))))


def _placed(call: Call, x: SSAValue, dim: int, start: Size, value: Any) -> SSAValue:
    """`x` at `start` along `dim` of the result, `value` elsewhere."""
    place = _from_front(start, call.shape[dim]).constant
    if place is None:
        raise NotNative("an unknown place")
    lows = [place if d == dim else 0 for d in range(len(call.shape))]
    return _padded(call, call.cast(x, call.element), lows, call.shape, value)


@rule("slice_backward.default")
def _slice_backward(call: Call, grad: SSAValue, sizes: Any, dim: int, start: Size, end: Any, step: int) -> SSAValue:
    if step != 1:
        raise NotNative("gradients spread apart")
    return _placed(call, grad, normalized(dim, _rank(grad)), start, 0)


@rule("select_backward.default")
def _select_backward(call: Call, grad: SSAValue, sizes: Any, dim: int, index: Size) -> SSAValue:
    axis = normalized(dim, len(call.shape))
    return _placed(call, _with_one(call, grad, axis), axis, index, 0)


def _with_one(call: Call, x: SSAValue, axis: int) -> SSAValue:
    shape = list(call.shape)
    shape[axis] = integer(1)
    return call.reshape(x, shape)


@rule("slice_scatter.default")
def _slice_scatter(
    call: Call,
    x: SSAValue,
    source: SSAValue,
    dim: int = 0,
    start: Size | None = None,
    end: Any = None,
    step: int = 1,
) -> SSAValue:
    """x with source[i] at start + i of `dim`."""
    if step != 1:
        raise NotNative("a scatter that skips")
    return _scattered(call, x, source, normalized(dim, _rank(x)), 0 if start is None else start)


@rule("select_scatter.default")
def _select_scatter(call: Call, x: SSAValue, source: SSAValue, dim: int, index: Size) -> SSAValue:
    axis = normalized(dim, _rank(x))
    return _scattered(call, x, _with_one(call, source, axis), axis, index)


def _scattered(call: Call, x: SSAValue, source: SSAValue, axis: int, start: Size) -> SSAValue:
    first, count = _from_front(start, call.shape[axis]), shape_of(source.type)[axis]
    if count == call.shape[axis]:
        return call.cast(source, call.element)
    placed = _placed(call, source, axis, start, 0)
    index = call.op(IotaOp(axis, tensor_type(call.shape, i64)))
    above = call.apply("ge", index, first, element=i64)
    below = call.apply("lt", index, first + count, element=i64)
    inside = call.apply("and", above, below, element=i1)
    return call.op(ELEMENTWISE["select"](inside, placed, call.cast(x, call.element)))


def _triangle(keeps_lower: bool, call: Call, x: SSAValue, diagonal: int = 0) -> SSAValue:
    """tril keeps column - row <= diagonal, triu column - row >= diagonal."""
    rank = len(call.shape)
    row, column = (call.op(IotaOp(d, tensor_type(call.shape, i64))) for d in (rank - 2, rank - 1))
    offset = call.apply("sub", column, row, element=i64)
    kept = call.apply("le" if keeps_lower else "ge", offset, diagonal, element=i64)
    return call.op(ELEMENTWISE["select"](kept, x, call.full(0, call.shape, call.element)))


rule("tril.default")(partial(_triangle, True))
rule("triu.default")(partial(_triangle, False))
