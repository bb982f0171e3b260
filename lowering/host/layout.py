"""Where the elements of a value lie in a buffer, and which tensor views leave them where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType, UnitAttr
from xdsl.ir import Attribute, Operation

from mlc_dialects.common.buffers import buffer_element, buffer_shape, buffer_strides, buffer_type
from mlc_dialects.common.index_syntax import index_attribute, index_exprs
from mlc_dialects.common.types import Shape
from mlc_dialects.tensor.calls import channels_first, channels_last
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp, SliceOp
from mlc_support.index_expr import IndexExpr, integer, product
from mlc_support.index_maps import reshaped_strides, row_major_strides


@dataclass(frozen=True)
class Place:
    """Element `index` lies at offset + sum(index * strides), in elements."""

    shape: Shape
    strides: Shape
    offset: IndexExpr

    @staticmethod
    def of(type_: Attribute) -> Place:
        """A whole buffer."""
        return Place(buffer_shape(type_), buffer_strides(type_), integer(0))


def view_of(op: Operation, source: Place) -> Place | None:
    """The place of the view `op` of a value at `source`; None if strides cannot express it."""
    match op:
        case BroadcastOp():
            return _broadcast(op, source)
        case PermuteOp():
            return Place(op.shape, tuple(source.strides[d] for d in op.order), source.offset)
        case SliceOp() if all(step > 0 for step in op.strides):
            starts = index_exprs(op.starts)
            offset = source.offset
            for start, stride in zip(starts, source.strides, strict=True):
                offset = offset + start * stride
            strides = tuple(s * step for s, step in zip(source.strides, op.strides, strict=True))
            return Place(op.shape, strides, offset)
        case ReshapeOp():
            strides = reshaped_strides(source.shape, source.strides, op.shape)
            return None if strides is None else Place(op.shape, strides, source.offset)
        case _:
            return None


def _broadcast(op: BroadcastOp, source: Place) -> Place:
    added = len(op.shape) - len(source.shape)
    strides = [integer(0)] * added
    for size, stride, target in zip(source.shape, source.strides, op.shape[added:], strict=True):
        strides.append(integer(0) if size != target else stride)
    return Place(op.shape, tuple(strides), source.offset)


def same_layout(a: Shape, b: Shape, shape: Shape) -> bool:
    """True if strides a and b address alike: they may differ where a dimension has no second element."""
    if product(shape).constant == 0:
        return True
    return all(x == y or size.constant == 1 for x, y, size in zip(a, b, shape, strict=True))


Order = Callable[[int], Sequence[int]]
"""Rank to the order of dimensions."""


def permuted_buffer(type_: Attribute, order: Order) -> Attribute:
    """The type of a view with the dimensions in another order, for buffers of four and more of them."""
    if not isinstance(type_, MemRefType) or len(shape := buffer_shape(type_)) < 4:
        return type_
    strides, dims = buffer_strides(type_), order(len(shape))
    return buffer_type([shape[d] for d in dims], buffer_element(type_), [strides[d] for d in dims])


def channels_last_strides(type_: Attribute) -> Attribute:
    """The strides of a buffer [N, C, H, W] that lies as [N, H, W, C]; unit for fewer dimensions."""
    if not isinstance(type_, MemRefType) or len(shape := buffer_shape(type_)) < 4:
        return UnitAttr()
    rank = len(shape)
    strides = row_major_strides([shape[d] for d in channels_last(rank)])
    return index_attribute([strides[d] for d in channels_first(rank)])
