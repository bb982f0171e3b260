"""Gathers and scatters whose places are known at compile time: views, padding, and indices that count in integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import Shape, element_type, is_float, shape_of, tensor_type
from mlc_dialects.iteration.indirect_index import counts
from mlc_dialects.semantics import numerics
from mlc_dialects.tensor.elementwise import (
    AbsOp,
    AddOp,
    CeilOp,
    DivOp,
    FloorDivOp,
    FloorOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    NegOp,
    RoundOp,
    SelectOp,
    SubOp,
    TruncOp,
)
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PadOp, ReshapeOp, SliceOp, ViewOp
from mlc_support.index_expr import IndexExpr, integer
from mlc_support.rewriting import rule
from mlc_support.walks import meets
from passes.tensor.constant_values import known
from passes.tensor.digital_line import DigitalLine, Integers, digital_line
from passes.tensor.matching import splat

_ROUNDED_ALIKE = (
    AddOp, SubOp, MulOp, DivOp, MaximumOp, MinimumOp, NegOp, AbsOp, FloorOp, CeilOp, TruncOp, RoundOp,
    CastOp, ConstantOp, SelectOp, ViewOp,
)  # fmt: skip
"""What gives the same float on every device."""


@rule
def view_by_known_places(op: GatherOp) -> Operation | SSAValue | None:
    """x[i // 2, 3 * j + 1], of counts i and j, repeats rows and takes every third column: a view"""
    sizes, shape = shape_of(op.input.type), shape_of(op.result.type)
    if len(sizes) != len(shape):
        return None
    walks = [_walk(index, axis, sizes[axis], shape[axis]) for axis, index in enumerate(op.indices)]
    found = [walk for walk in walks if walk is not None]
    return _walked(op.input, found) if len(found) == len(walks) else None


@rule
def pad_by_known_places(op: ScatterOp) -> Operation | None:
    """u set into c everywhere, at [a + i, b + j] of counts i and j, is u with c around it; added to c it is u + c

    What is added at [i // 2], the gradient of what stands twice, is the sum of each two of u.
    """
    source, sizes, shape = op.into.owner, shape_of(op.into.type), shape_of(op.updates.type)
    if splat(op.into) is None or op.kind.data not in ("set", "add") or len(sizes) != len(shape):
        return None
    added = op.kind.data == "add"
    walks = [_walk(index, axis, sizes[axis], shape[axis]) for axis, index in enumerate(op.indices)]
    found = [walk for walk in walks if walk is not None and walk.step == 1 and (added or walk.times == 1)]
    if len(found) < len(walks):
        return None
    assert isinstance(source, ConstantOp)
    inner = op.updates
    if added:
        inner = _summed(inner, found)
        inner = AddOp(inner, ConstantOp(source.value, inner.type)).result
    return PadOp(inner, [walk.start for walk in found], sizes, source.value)


def _summed(value: SSAValue, walks: Sequence[Walk]) -> SSAValue:
    """The sums of the elements that `walks` take to one place: they stand side by side."""
    if all(walk.times == 1 for walk in walks):
        return value
    element, places = element_type(value.type), [walk.count for walk in walks]
    apart = ReshapeOp(value, [size for walk in walks for size in (walk.count, integer(walk.times))])
    total = ReduceOp("add", CastOp(apart, numerics.accumulator(element)), [2 * d + 1 for d in range(len(walks))])
    return CastOp(ReshapeOp(total, places), element).result


@rule
def count_in_integers(op: CastOp) -> Operation | None:
    """int(i * 0.64), of a count i that is scaled as a float, is 16 * i // 25"""
    if not is_float(element_type(op.input.type)) or element_type(op.result.type) != i64:
        return None
    return _by_line(op.result)


@rule
def line_by_known_places(op: GatherOp | ScatterOp) -> Operation | None:
    """x[min(i // 2 + 1, 3)], of a count i below 7, is x[(2 * i + 7) // 5]: what is read depends on i alone"""
    sizes = shape_of(op.input.type if isinstance(op, GatherOp) else op.into.type)
    found = [
        index if counts(index) is not None else _by_line(index, below=size) or index
        for index, size in zip(op.indices, sizes, strict=True)
    ]
    if found == list(op.indices):
        return None
    if isinstance(op, GatherOp):
        return GatherOp(op.input, found, shape_of(op.result.type))
    return ScatterOp(op.kind.data, op.into, found, op.updates)


def _by_line(value: SSAValue, below: IndexExpr | None = None) -> Operation | None:
    """The same integers as a line of the counts along one dimension.

    With `below` one that index expressions know to lie in a dimension of that size.
    """
    shape = shape_of(value.type)
    for axis, count in enumerate(shape):
        places = _places(value, axis, count)
        if places is not None and places.size > 1 and _rounded_alike(value):
            line = digital_line(places)
            if line is None or (below is not None and not _is_index(line, places, below)):
                return None
            return _on_line(line, places, axis, shape)
    return None


def _is_index(line: DigitalLine, places: Integers, size: IndexExpr) -> bool:
    """True for an index expression that lies in a dimension of `size`."""
    is_inside = places.min() >= 0 and integer(int(places.max())).is_below(size)
    return is_inside and not line.clamped and line.factor >= 0


def _rounded_alike(value: SSAValue) -> bool:
    """True if no float that leads to `value` depends on who computes it."""

    def differs(value: SSAValue) -> bool | Sequence[SSAValue]:
        op = value.owner
        is_exact = isinstance(op, _ROUNDED_ALIKE) or not is_float(element_type(value.type))
        return op.operands if is_exact and isinstance(op, Operation) else True

    return not meets(value, differs)


def _on_line(line: DigitalLine, places: Integers, axis: int, shape: Shape) -> Operation:
    """The numbers of `line` along a dimension. Their dividend has whole divisors more, so that it is not negative."""
    count = tensor_type([shape[axis]], i64)

    def constant(number: int) -> ConstantOp:
        return ConstantOp.splat(number, [shape[axis]], i64)

    least = min(line.offset, line.factor * (len(places) - 1) + line.offset)
    more = max(0, -(least // line.divisor))
    dividend = AddOp(MulOp(IotaOp(0, count), constant(line.factor)), constant(line.offset + more * line.divisor))
    found = SubOp(FloorDivOp(dividend, constant(line.divisor)), constant(more))
    if line.clamped:
        found = MinimumOp(MaximumOp(found, constant(int(places.min()))), constant(int(places.max())))
    return BroadcastOp(ReshapeOp(found, [size if d == axis else integer(1) for d, size in enumerate(shape)]), shape)


@dataclass(frozen=True)
class Walk:
    """The places that a gather takes along one dimension: `count` from `start` on by `step`, each `times` over."""

    start: int
    step: int
    count: IndexExpr
    times: int = 1

    def is_whole(self, size: IndexExpr) -> bool:
        """True for each place of a dimension, in order."""
        return (self.start, self.step, self.count) == (0, 1, size)


def _walk(index: SSAValue, axis: int, size: IndexExpr, count: IndexExpr) -> Walk | None:
    """How `index` goes along a dimension of `size`; None if that is not known, no walk, or goes outside."""
    if isinstance(index.owner, IotaOp) and index.owner.axis == axis and size == count:
        return Walk(0, 1, size)
    places = _places(index, axis, count)
    if places is None or size.constant is None or not places.size:
        return None
    times = int(np.argmax(places != places[0])) or places.size
    taken = places[::times]
    step = int(taken[1] - taken[0]) if taken.size > 1 else 1
    walked = np.repeat(taken[0] + step * np.arange(taken.size), times)
    if not np.array_equal(places, walked) or places.min() < 0 or places.max() >= size.constant:
        return None
    return Walk(int(taken[0]), step, integer(taken.size), times)


def _places(index: SSAValue, axis: int, count: IndexExpr) -> Integers | None:
    """The numbers along dimension `axis`, if `index` depends on that alone, and is known."""
    filling, rank = splat(index), len(shape_of(index.type))
    if filling is not None:
        return None if count.constant is None else np.full(count.constant, filling.array.item())
    while isinstance(index.owner, BroadcastOp):
        index = index.owner.input
    if isinstance(index.owner, IotaOp) and len(shape_of(index.type)) == rank:
        return np.arange(count.constant) if index.owner.axis == axis and count.constant is not None else None
    value = known(index, {})
    if value is None:
        return None
    numbers = value.array.reshape((1,) * (rank - value.array.ndim) + value.array.shape)
    line = numbers[tuple(slice(None) if d == axis else slice(1) for d in range(rank))]
    alone = line.size == count.constant and np.array_equal(numbers, np.broadcast_to(line, numbers.shape))
    return line.reshape(-1).astype(np.int64) if alone else None


def _walked(value: SSAValue, walks: Sequence[Walk]) -> Operation | SSAValue:
    """The elements of `value` that `walks` take, one for each dimension."""
    if not all(w.is_whole(size) for w, size in zip(walks, shape_of(value.type), strict=True)):
        value = SliceOp(value, [w.start for w in walks], [w.step for w in walks], [w.count for w in walks]).result
    if all(w.times == 1 for w in walks):
        return value
    apart = ReshapeOp(value, [size for w in walks for size in (w.count, integer(1))[: 1 + (w.times > 1)]])
    repeated = BroadcastOp(apart, [size for w in walks for size in (w.count, integer(w.times))[: 1 + (w.times > 1)]])
    return ReshapeOp(repeated, [w.count * w.times for w in walks])
