"""Canonical rules that look past one op: views that meet across arithmetic, pieces that are put together again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from xdsl.dialects.builtin import Float64Type
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import element_type, is_float, with_shape
from mlc_dialects.semantics.numerics import value_of
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, SliceOp
from mlc_support.index_expr import IndexExpr, product
from mlc_support.rewriting import rule
from passes.tensor.canonicalize.algebra import filled

_FARTHEST = 8
"""Ops of arithmetic between two views that may meet."""


@rule
def cancel_through_elementwise(op: PermuteOp | ReshapeOp) -> SSAValue | None:
    """permute(f(permute(x))) == f(x), reshape(f(reshape(x))) == f(x): f elementwise, read only there, of
    views that this one undoes and of constants"""
    return _undone(op.input, op, _FARTHEST) if isinstance(op.input.owner, ElementwiseOp | CastOp) else None


def _undone(value: SSAValue, view: PermuteOp | ReshapeOp, farthest: int) -> SSAValue | None:
    """`value` seen through `view`, where no view is left; None where one would be, or where work is done twice."""
    match value.owner:
        case ConstantOp() as owner if owner.splat_value is not None:
            return ConstantOp(owner.value, with_shape(value.type, view.shape)).result
        case PermuteOp() | ReshapeOp() as owner:
            return owner.input if _cancels(owner, view) else None
        case ElementwiseOp() | CastOp() as owner if value.has_one_use() and farthest:
            operands = [_undone(v, view, farthest - 1) for v in owner.operands]
            return _computed_of(owner, [v for v in operands if v is not None])
        case _:
            return None


def _cancels(inner: PermuteOp | ReshapeOp, outer: PermuteOp | ReshapeOp) -> bool:
    """True if `outer` undoes `inner`."""
    if isinstance(inner, PermuteOp) and isinstance(outer, PermuteOp):
        return [inner.order[d] for d in outer.order] == sorted(outer.order)
    return isinstance(inner, ReshapeOp) and isinstance(outer, ReshapeOp) and inner.input_shape == outer.shape


def _computed_of(op: ElementwiseOp | CastOp, operands: list[SSAValue]) -> SSAValue | None:
    """What `op` computes of other `operands`; None if some are missing."""
    if len(operands) < len(op.operands):
        return None
    new = CastOp(operands[0], element_type(op.results[0].type)) if isinstance(op, CastOp) else type(op)(*operands)
    return new.result


@rule
def reduce_repeated(op: ReduceOp) -> Operation | None:
    """max over i of x == x, the sum n * x, where x is repeated n times along i: max, min, and, or, and sums
    of integers; a sum of floats where n * x rounds once, as the sum does: not f64"""
    repeat, kind = op.input.owner, op.kind.data
    if not isinstance(repeat, BroadcastOp) or kind not in ("max", "min", "and", "or", "add"):
        return None
    repeated = {d for d in op.reduced if _is_repeated(repeat, d)}
    count = product(repeat.shape[d] for d in repeated)
    others = _others(op, repeat, repeated)
    if not repeated or count.constant == 0:
        return None
    if kind == "add" and not _multiplies(count, element_type(repeat.result.type), bool(others)):
        return None
    once = _once(repeat, repeated)
    rest = ReduceOp(kind, once, others) if others else once
    return ew.MulOp(rest, filled(count.constant or 1, rest.result)) if kind == "add" else rest


def _others(op: ReduceOp, repeat: BroadcastOp, repeated: set[int]) -> list[int]:
    """The dimensions that `op` reduces besides the `repeated` ones."""
    return [d for d in op.reduced if d not in repeated and repeat.shape[d].constant != 1]


def _once(repeat: BroadcastOp, repeated: set[int]) -> BroadcastOp:
    """`repeat` with size 1 in the `repeated` dimensions."""
    return BroadcastOp(repeat.input, [s if d not in repeated else 1 for d, s in enumerate(repeat.shape)])


def _is_repeated(op: BroadcastOp, dim: int) -> bool:
    """True if every element of the result is the same along `dim`, of a size other than 1."""
    source = dim - (len(op.shape) - len(op.input_shape))
    return op.shape[dim].constant != 1 and (source < 0 or op.input_shape[source].constant == 1)


def _multiplies(count: IndexExpr, element: Attribute, more: bool) -> bool:
    """True if a sum of `count` equal elements, and of `more`, is one product, bit for bit."""
    number = count.constant
    if number is None or not is_float(element):
        return number is not None
    once = not more and not isinstance(element, Float64Type)
    return once and value_of(np.asarray(number), element).array.item() == number


@rule
def join_slices_in_cat(op: CatOp) -> Operation | None:
    """cat(x[a:b], x[b:c]) == x[a:c]"""
    parts: list[SSAValue] = [op.inputs[0]]
    for left, right in pairwise(op.inputs):
        both = joined_slices(parts[-1] if parts[-1] is not left else left, right, op.axis)
        parts = [*parts[:-1], both] if both is not None else [*parts, right]
    return CatOp(parts, op.axis) if len(parts) < len(op.inputs) else None


def joined_slices(left: SSAValue, right: SSAValue, axis: int) -> SSAValue | None:
    """The one slice that `left` and `right` are, one after the other along `axis`."""
    first, second = left.owner, right.owner
    if not isinstance(first, SliceOp) or not isinstance(second, SliceOp) or first.input != second.input:
        return None
    starts, wanted = [*index_exprs(first.starts)], [*index_exprs(second.starts)]
    beyond = starts[axis] + first.shape[axis] * first.strides[axis]
    alike = [a == b for a, b in zip(first.strides, second.strides, strict=True)]
    alike[axis] |= second.shape[axis].constant == 1  # the step over one element is any
    if not all(alike) or wanted[axis] != beyond:
        return None
    if starts[:axis] + starts[axis + 1 :] != wanted[:axis] + wanted[axis + 1 :]:
        return None
    shape = [*first.shape]
    shape[axis] = shape[axis] + second.shape[axis]
    return SliceOp(first.input, starts, first.strides, shape).result


@rule
def slice_of_broadcast(op: SliceOp) -> Operation | None:
    """broadcast(x)[a:b] == broadcast(x) to fewer, where every dimension that is cut is a repeated one"""
    repeat = op.input.owner
    if not isinstance(repeat, BroadcastOp):
        return None
    starts = index_exprs(op.starts)
    for dim, (start, step, size) in enumerate(zip(starts, op.strides, op.shape, strict=True)):
        whole = start.constant == 0 and step == 1 and size == repeat.shape[dim]
        if not whole and not (_is_repeated(repeat, dim) or repeat.shape[dim].constant == 1):
            return None
    return BroadcastOp(repeat.input, op.shape) if _may_broadcast(repeat, op) else None


def _may_broadcast(repeat: BroadcastOp, op: SliceOp) -> bool:
    """A dimension that the source has, and that is not 1, keeps its size."""
    added = len(repeat.shape) - len(repeat.input_shape)
    return all(s.constant == 1 or s == op.shape[added + d] for d, s in enumerate(repeat.input_shape))


@rule
def slice_of_pad(op: SliceOp) -> Operation | None:
    """pad(x)[a:b] == x[a - low : b - low], where nothing of the padding is in it"""
    pad = op.input.owner
    if not isinstance(pad, PadOp):
        return None
    starts = [start - low for start, low in zip(index_exprs(op.starts), pad.lows, strict=True)]
    for start, step, count, size in zip(starts, op.strides, op.shape, pad.input_shape, strict=True):
        ends = (start, start + (count - 1) * step)
        if not all(i.is_non_negative() and (size - i - 1).is_non_negative() for i in ends):
            return None
    return SliceOp(pad.input, starts, op.strides, op.shape)


MOVES = (cancel_through_elementwise, reduce_repeated, join_slices_in_cat, slice_of_broadcast, slice_of_pad)
