"""Canonical rules of ops that only move elements: identities go, neighbours become one.

Element types that mlc cannot compute with move as well, so none of these looks inside.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.ops import ConstantOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, RollOp, SliceOp
from mlc_support.index_expr import IndexExpr, integer
from mlc_support.rewriting import rule
from passes.tensor.matching import adds_ones


@rule
def drop_identity_view(op: BroadcastOp | ReshapeOp) -> SSAValue | None:
    """x under its own shape == x"""
    return op.input if op.input.type == op.result.type else None


@rule
def drop_identity_slice(op: SliceOp) -> SSAValue | None:
    """x[0:n] == x: with the size of x and no start every step is 1, or there is one element"""
    whole = op.input.type == op.result.type and all(s.constant == 0 for s in index_exprs(op.starts))
    return op.input if whole and all(_steps_by_one(*d) for d in zip(op.strides, op.shape, strict=True)) else None


def _steps_by_one(step: int, size: IndexExpr) -> bool:
    return step == 1 or size.constant in (0, 1)


@rule
def plain_step(op: SliceOp) -> Operation | None:
    """A step over no more than one element is 1"""
    steps = [1 if size.constant in (0, 1) else step for step, size in zip(op.strides, op.shape, strict=True)]
    return SliceOp(op.input, index_exprs(op.starts), steps, op.shape) if (*steps,) != op.strides else None


@rule
def drop_identity_roll(op: RollOp) -> SSAValue | None:
    """x rolled by nothing, or by all of it, == x"""
    places = zip(index_exprs(op.starts), op.shape, strict=True)
    return (
        op.input if all(start.constant == 0 or start == size or size.constant == 1 for start, size in places) else None
    )


@rule
def drop_identity_pad(op: PadOp) -> SSAValue | None:
    """x with nothing around it == x"""
    return op.input if op.input.type == op.result.type else None


@rule
def drop_single_cat(op: CatOp) -> SSAValue | None:
    """cat(x) == x"""
    return op.inputs[0] if len(op.inputs) == 1 else None


@rule
def drop_empty_from_cat(op: CatOp) -> Operation | None:
    """cat(x, empty, y) == cat(x, y)"""
    kept = [v for v in op.inputs if shape_of(v.type)[op.axis].constant != 0]
    return CatOp(kept, op.axis) if kept and len(kept) < len(op.inputs) else None


@rule
def flatten_cat(op: CatOp) -> Operation | None:
    """cat(cat(x, y), z) == cat(x, y, z) along one dimension, where the inner cat has no other use"""
    parts: list[SSAValue] = []
    for value in op.inputs:
        inner = value.owner
        joined = isinstance(inner, CatOp) and inner.axis == op.axis and value.has_one_use()
        parts += inner.inputs if joined and isinstance(inner, CatOp) else [value]
    return CatOp(parts, op.axis) if len(parts) > len(op.inputs) else None


@rule
def compose_reshapes(op: ReshapeOp) -> Operation | None:
    """reshape(reshape(x)) == reshape(x)"""
    inner = op.input.owner
    return ReshapeOp(inner.input, op.shape) if isinstance(inner, ReshapeOp) else None


@rule
def compose_broadcasts(op: BroadcastOp) -> Operation | None:
    """broadcast(broadcast(x)) == broadcast(x)"""
    inner = op.input.owner
    return BroadcastOp(inner.input, op.shape) if isinstance(inner, BroadcastOp) else None


@rule
def compose_permutes(op: PermuteOp) -> Operation | None:
    """permute(permute(x, p), q) == permute(x, p[q])"""
    inner = op.input.owner
    return PermuteOp(inner.input, [inner.order[d] for d in op.order]) if isinstance(inner, PermuteOp) else None


@rule
def compose_slices(op: SliceOp) -> Operation | None:
    """x[a : : s][b : : t] == x[a + b * s : : s * t]"""
    inner = op.input.owner
    if not isinstance(inner, SliceOp):
        return None
    pairs = zip(index_exprs(inner.starts), index_exprs(op.starts), inner.strides, strict=True)
    starts = [a + b * s for a, b, s in pairs]
    return SliceOp(inner.input, starts, [s * t for s, t in zip(inner.strides, op.strides, strict=True)], op.shape)


@rule
def compose_rolls(op: RollOp) -> Operation | None:
    """x rolled to begin at a, then at b, begins at (a + b) mod its size"""
    inner = op.input.owner
    if not isinstance(inner, RollOp):
        return None
    places = zip(index_exprs(inner.starts), index_exprs(op.starts), op.shape, strict=True)
    return RollOp(inner.input, [b if a.constant == 0 else (a + b) % size for a, b, size in places])


@rule
def cat_to_roll(op: CatOp) -> Operation | None:
    """cat(x[a:], x[:a]) == x rolled to begin at a"""
    parts = [v.owner for v in op.inputs]
    back, front = parts if len(parts) == 2 else (None, None)
    if not isinstance(back, SliceOp) or not isinstance(front, SliceOp) or back.input != front.input:
        return None
    starts = index_exprs(back.starts)
    moved = [s.constant != 0 for s in (*index_exprs(front.starts), *starts[: op.axis], *starts[op.axis + 1 :])]
    if any(moved) or any(step != 1 for step in (*back.strides, *front.strides)):
        return None
    whole = back.input.type == op.result.type and front.shape[op.axis] == starts[op.axis]
    return RollOp(back.input, starts) if whole else None


@rule
def compose_pads(op: PadOp) -> Operation | None:
    """pad(pad(x)) == pad(x), where both fill with one value"""
    inner = op.input.owner
    if not isinstance(inner, PadOp) or inner.value != op.value:
        return None
    return PadOp(inner.input, [a + b for a, b in zip(inner.lows, op.lows, strict=True)], op.shape, op.value)


@rule
def pad_splat(op: PadOp) -> ConstantOp | None:
    """c around elements that are all c == c everywhere"""
    source = op.input.owner
    same = isinstance(source, ConstantOp) and source.value == op.value
    return ConstantOp(op.value, op.result.type) if same else None


@rule
def permute_to_reshape(op: PermuteOp) -> Operation | None:
    """A permutation that keeps the order of the dimensions not of size 1 is a reshape, which may change nothing"""
    moved = [d for d in op.order if op.input_shape[d].constant != 1]
    return ReshapeOp(op.input, op.shape) if moved == sorted(moved) else None


@rule
def broadcast_to_reshape(op: BroadcastOp) -> Operation | None:
    """A broadcast that only adds dimensions of size 1 is a reshape"""
    return ReshapeOp(op.input, op.shape) if adds_ones(op.input_shape, op.shape) else None


@rule
def broadcast_of_added_ones(op: BroadcastOp) -> Operation | None:
    """broadcast(reshape(x)) == broadcast(x), where the reshape adds dimensions of size 1 in front"""
    inner = op.input.owner
    if not isinstance(inner, ReshapeOp) or not adds_ones(inner.input_shape, inner.shape):
        return None
    return BroadcastOp(inner.input, op.shape)


@rule
def slice_of_cat(op: SliceOp) -> Operation | None:
    """cat(x, y)[part of x] == x[the part]"""
    inner = op.input.owner
    if not isinstance(inner, CatOp):
        return None
    starts, axis = [*index_exprs(op.starts)], inner.axis
    last = starts[axis] + (op.shape[axis] - 1) * op.strides[axis]
    offsets = inner.offsets()
    for value, begin, end in zip(inner.inputs, offsets, offsets[1:], strict=False):
        if _is_between(begin, (starts[axis], last), end):
            starts[axis] = starts[axis] - begin
            return SliceOp(value, starts, op.strides, op.shape)
    return None


@rule
def slice_of_roll(op: SliceOp) -> Operation | None:
    """A part of x rolled to begin at a is a part of x, from a on, where none of it lies on both sides of x's end"""
    roll = op.input.owner
    if not isinstance(roll, RollOp):
        return None
    starts: list[IndexExpr] = []
    places = zip(index_exprs(op.starts), index_exprs(roll.starts), op.strides, op.shape, roll.shape, strict=True)
    for start, begin, step, count, size in places:
        first, last = start + begin, start + begin + (count - 1) * step
        if _is_between(integer(0), (first, last), size):
            starts.append(first)
        elif _is_between(size, (first, last), size * 2):
            starts.append(first - size)
        else:
            return None
    return SliceOp(roll.input, starts, op.strides, op.shape)


def _is_between(begin: IndexExpr, positions: Sequence[IndexExpr], end: IndexExpr) -> bool:
    """True if provably begin <= p < end for every position."""
    return all((p - begin).is_non_negative() and (end - p - 1).is_non_negative() for p in positions)


VIEWS = (
    drop_identity_view,
    drop_identity_slice,
    plain_step,
    drop_identity_roll,
    drop_identity_pad,
    drop_single_cat,
    drop_empty_from_cat,
    flatten_cat,
    compose_reshapes,
    compose_broadcasts,
    compose_permutes,
    compose_slices,
    compose_rolls,
    cat_to_roll,
    compose_pads,
    pad_splat,
    permute_to_reshape,
    broadcast_to_reshape,
    broadcast_of_added_ones,
    slice_of_cat,
    slice_of_roll,
)
