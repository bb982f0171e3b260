"""Gathers and scatters whose places are known at compile time: views, padding, and indices that count in integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.elementwise import AddOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import ConstantOp, IotaOp
from mlc_dialects.tensor.views import BroadcastOp, PadOp, ReshapeOp, SliceOp
from mlc_support.index_expr import IndexExpr, integer
from mlc_support.rewriting import rule
from passes.tensor.constant_values import known
from passes.tensor.matching import splat


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
    """u set into c everywhere, at [a + i, b + j] of counts i and j, is u with c around it; added to c it is u + c"""
    source, sizes, shape = op.into.owner, shape_of(op.into.type), shape_of(op.updates.type)
    if splat(op.into) is None or op.kind.data not in ("set", "add") or len(sizes) != len(shape):
        return None
    walks = [_walk(index, axis, sizes[axis], shape[axis]) for axis, index in enumerate(op.indices)]
    starts = [walk.start for walk in walks if walk is not None and walk.step == walk.times == 1]
    if len(starts) < len(walks):
        return None
    assert isinstance(source, ConstantOp)
    added = op.kind.data == "add"
    inner = AddOp(op.updates, ConstantOp(source.value, op.updates.type)) if added else op.updates
    return PadOp(inner, starts, sizes, source.value)


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


def _places(index: SSAValue, axis: int, count: IndexExpr) -> npt.NDArray[np.int64] | None:
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
