"""Where the elements of a value lie in memory, as far as views and promises of arguments tell."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import BlockArgument, SSAValue

from mlc_dialects.common.annotations import argument_annotations, promised_strides
from mlc_dialects.common.types import Shape, shape_of
from mlc_dialects.tensor.views import PermuteOp, ReshapeOp, SliceOp
from mlc_support.index_maps import reshaped_strides, row_major_strides


def strides_of(value: SSAValue) -> Shape:
    """The strides of `value` in elements: of an argument those that are promised, of what is computed row-major.

    A reshape that no strides express is computed.
    """
    op, plain = value.owner, row_major_strides(shape_of(value.type))
    if isinstance(op, PermuteOp):
        inner = strides_of(op.input)
        return tuple(inner[d] for d in op.order)
    if isinstance(op, SliceOp) and all(step == 1 for step in op.strides):
        return strides_of(op.input)
    if isinstance(op, ReshapeOp):
        shape, inner = shape_of(op.input.type), strides_of(op.input)
        return plain if inner == row_major_strides(shape) else reshaped_strides(shape, inner, op.shape) or plain
    promised = None
    if isinstance(value, BlockArgument) and isinstance(function := value.owner.parent_op(), func.FuncOp):
        promised = promised_strides(argument_annotations(function, value.index))
    return promised or plain


def is_strided(value: SSAValue) -> bool:
    """True if strides express `value` as a view of an argument, or of what is computed."""
    op = value.owner
    if isinstance(op, ReshapeOp):
        shape, inner = shape_of(op.input.type), strides_of(op.input)
        plain = inner == row_major_strides(shape) or reshaped_strides(shape, inner, op.shape) is not None
        return plain and is_strided(op.input)
    return is_strided(op.input) if isinstance(op, PermuteOp | SliceOp) else True
