"""Ops of StableHLO whose indices are data: `gather`, `scatter`, and slices at a place that is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, i1, i64
from xdsl.ir import SSAValue

from lowering.stablehlo_to_tensor.emitter import (
    Emitter,
    Outside,
    element,
    fields,
    known_integer,
    result_shape,
    rule,
    shape,
)
from lowering.stablehlo_to_tensor.rules.reduce import combined_kind
from lowering.stablehlo_to_tensor.rules.views import padded
from lowering.stablehlo_to_tensor.syntax import HloOp
from mlc_dialects.common.reduction_kinds import identity
from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import is_float, shape_of, storage
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp


@dataclass(frozen=True)
class _Windows:
    """Where the elements of windows of a tensor are: one window for each start, and for each point its window's dims.

    `points` is the shape that holds every element of every window: a gather's result, a scatter's updates.
    """

    sizes: Sequence[int]
    """Of the tensor with the windows."""
    window: Sequence[int]
    """Of a window, in every dimension of the tensor."""
    points: Sequence[int]
    offsets: Sequence[int]
    """The dimensions of the points that walk through a window."""
    dropped: Sequence[int]
    """The dimensions of the tensor in which a window has one element, and the points no dimension."""
    batching: Sequence[int]
    """The dimensions of the tensor that walk with a dimension of the starts."""
    starts_batching: Sequence[int]
    started: Sequence[int]
    """The dimensions of the tensor that the vectors of starts are for."""
    vector: int
    """The dimension of the starts that holds each vector."""

    def start(self, e: Emitter, starts: SSAValue, dim: int, moved: bool = False) -> SSAValue | None:
        """Where each point's window starts along `dim`, in the shape of the points; None for 0 everywhere.

        It is `moved` so that the window is inside.
        """
        around = [d for d in range(len(self.points)) if d not in self.offsets]
        if dim in self.batching:
            walks = self.starts_batching[self.batching.index(dim)]
            return e.iota(around[walks - (walks > self.vector)], self.points)
        if dim not in self.started or self.window[dim] == self.sizes[dim]:
            return None
        whole = shape(starts)
        if self.vector < len(whole):
            first = [self.started.index(dim) if d == self.vector else 0 for d in range(len(whole))]
            kept = [1 if d == self.vector else n for d, n in enumerate(whole)]
            starts = e.slice(starts, first, kept, [1] * len(whole))
            starts = e.reshape(starts, [n for d, n in enumerate(whole) if d != self.vector])
        starts = e.cast(starts, i64)
        starts = _clamped(e, starts, self.sizes[dim] - self.window[dim]) if moved else starts
        return e.along(starts, around, self.points)

    def offset(self, e: Emitter, dim: int) -> SSAValue | None:
        """How far each point is into its window along `dim`; None for 0 everywhere."""
        if dim in (*self.dropped, *self.batching) or self.window[dim] == 1:
            return None
        walked = [d for d in range(len(self.sizes)) if d not in (*self.dropped, *self.batching)]
        return e.iota(self.offsets[walked.index(dim)], self.points)


def _sum(e: Emitter, a: SSAValue | None, b: SSAValue | None, points: Sequence[int]) -> SSAValue:
    if a is not None and b is not None:
        return e.apply("add", a, b)
    found = a if a is not None else b
    return found if found is not None else e.constant(IntegerAttr(0, i64), points, i64)


def _clamped(e: Emitter, start: SSAValue, most: int) -> SSAValue:
    """`start`, so that a window is inside: from 0 to `most`."""
    return e.apply("minimum", e.apply("maximum", start, e.full(0, start)), e.full(most, start))


@rule("gather")
def gather(e: Emitter, op: HloOp, x: SSAValue, starts: SSAValue) -> SSAValue:
    """Windows that would leave the operand are moved inside."""
    numbers = fields(op, "dimension_numbers")
    windows = _Windows(
        shape(x),
        op.stated["slice_sizes"],
        result_shape(op),
        numbers.get("offset_dims", []),
        numbers.get("collapsed_slice_dims", []),
        numbers.get("operand_batching_dims", []),
        numbers.get("start_indices_batching_dims", []),
        numbers.get("start_index_map", []),
        numbers.get("index_vector_dim", 0),
    )
    indices: list[SSAValue] = []
    for dim in range(len(windows.sizes)):
        start = windows.start(e, starts, dim, moved=True)
        indices.append(_sum(e, start, windows.offset(e, dim), windows.points))
    return e.op(GatherOp(x, indices, shape_of(op.results[0].type)))


@rule("scatter")
def scatter(e: Emitter, op: HloOp, *operands: SSAValue) -> SSAValue:
    """Updates outside of the operand are left out: combined as what changes nothing, or set beyond its end."""
    if len(operands) != 3:
        raise Outside("a scatter into several operands at once")
    into, starts, updates = operands
    kind, windows = _scatter_kind(op, element(into)), _update_windows(op, into, updates)
    if not windows.sizes:
        raise Outside("a scatter into a single number")
    indices, inside = _places(e, windows, starts)
    if kind != "set" and inside is not None:
        nothing = e.constant(identity(kind, storage(element(into))), shape(updates), element(into))
        updates = e.apply("select", inside, updates, nothing)
    if kind == "set" and inside is not None:
        return _set_inside(e, into, indices, updates, inside)
    if kind == "min" and is_float(element(into)):
        least = e.op(ScatterOp("max", e.apply("neg", into), indices, e.apply("neg", updates)))
        return e.apply("neg", least)
    return e.op(ScatterOp(kind, into, indices, updates))


def _scatter_kind(op: HloOp, type_: object) -> str:
    block = op.regions[0].block
    last = block.last_op
    if last is block.first_op and last is not None and [*last.operands] == [block.args[1]]:
        return "set"
    kind = combined_kind(op, type_)
    if kind not in ("add", "max", "min") or type_ == i1:
        raise Outside(f"a scatter that combines by {kind}")
    return kind


def _update_windows(op: HloOp, into: SSAValue, updates: SSAValue) -> _Windows:
    numbers = fields(op, "scatter_dimension_numbers")
    offsets, dropped = numbers.get("update_window_dims", []), numbers.get("inserted_window_dims", [])
    batching = numbers.get("input_batching_dims", [])
    walked = iter(shape(updates)[d] for d in offsets)
    window = [1 if d in (*dropped, *batching) else next(walked) for d in range(len(shape(into)))]
    return _Windows(
        shape(into), window, shape(updates), offsets, dropped, batching,
        numbers.get("scatter_indices_batching_dims", []), numbers.get("scatter_dims_to_operand_dims", []),
        numbers.get("index_vector_dim", 0),
    )  # fmt: skip


def _places(e: Emitter, windows: _Windows, starts: SSAValue) -> tuple[list[SSAValue], SSAValue | None]:
    """An index for each dimension, moved inside, and where none had to be; None where none can be outside."""
    indices: list[SSAValue] = []
    inside: SSAValue | None = None
    for dim, size in enumerate(windows.sizes):
        start = windows.start(e, starts, dim)
        index = _sum(e, start, windows.offset(e, dim), windows.points)
        if start is not None and dim not in windows.batching:
            moved = _clamped(e, index, max(size - 1, 0))
            kept = e.apply("eq", index, moved)
            inside = kept if inside is None else e.apply("and", inside, kept)
            index = moved
        indices.append(index)
    return indices, inside


def _set_inside(
    e: Emitter, into: SSAValue, indices: Sequence[SSAValue], updates: SSAValue, inside: SSAValue
) -> SSAValue:
    """Updates that are outside go to one more row, which is then left out."""
    sizes = shape(into)
    first = e.apply("select", inside, indices[0], e.full(sizes[0], indices[0]))
    zero, nothing = scalar_attribute(0, storage(element(into))), [0] * len(sizes)
    longer = padded(e, into, zero, nothing, [1, *nothing[1:]], nothing)
    result = e.op(ScatterOp("set", longer, [first, *indices[1:]], updates))
    return e.slice(result, nothing, sizes, [1] * len(sizes))


@rule("dynamic_slice")
def dynamic_slice(e: Emitter, op: HloOp, x: SSAValue, *starts: SSAValue) -> SSAValue:
    sizes = result_shape(op)
    found = [known_integer(s) for s in starts]
    most = [n - w for n, w in zip(shape(x), sizes, strict=True)]
    if all(f is not None for f in found):
        first = [min(max(f or 0, 0), m) for f, m in zip(found, most, strict=True)]
        return e.slice(x, first, sizes, [1] * len(sizes))
    return e.op(GatherOp(x, _block(e, starts, most, sizes), shape_of(op.results[0].type)))


@rule("dynamic_update_slice")
def dynamic_update_slice(e: Emitter, op: HloOp, x: SSAValue, update: SSAValue, *starts: SSAValue) -> SSAValue:
    sizes = shape(update)
    if not sizes:
        return update
    most = [n - w for n, w in zip(shape(x), sizes, strict=True)]
    return e.op(ScatterOp("set", x, _block(e, starts, most, sizes), update))


def _block(e: Emitter, starts: Sequence[SSAValue], most: Sequence[int], sizes: Sequence[int]) -> list[SSAValue]:
    """The indices of a block of `sizes` that begins at `starts`, each moved inside."""
    indices: list[SSAValue] = []
    for dim, (start, last) in enumerate(zip(starts, most, strict=True)):
        counted = e.iota(dim, sizes) if sizes[dim] != 1 else None
        begin = e.broadcast(_clamped(e, e.cast(start, i64), last), sizes) if last else None
        indices.append(_sum(e, begin, counted, sizes))
    return indices
