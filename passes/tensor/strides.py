"""Where the elements of a value lie in memory, as far as permutations and parts of arguments tell."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import BlockArgument, SSAValue

from mlc_dialects.common.annotations import argument_annotations, promised_strides
from mlc_dialects.common.types import Shape, shape_of
from mlc_dialects.tensor.views import PermuteOp, SliceOp
from mlc_support.index_maps import row_major_strides


def strides_of(value: SSAValue) -> Shape:
    """The strides of `value` in elements: of what is computed row-major, of an argument those that are promised."""
    op = value.owner
    if isinstance(op, PermuteOp):
        inner = strides_of(op.input)
        return tuple(inner[d] for d in op.order)
    if isinstance(op, SliceOp) and all(step == 1 for step in op.strides):
        return strides_of(op.input)
    promised = None
    if isinstance(value, BlockArgument) and isinstance(function := value.owner.parent_op(), func.FuncOp):
        promised = promised_strides(argument_annotations(function, value.index))
    return promised or row_major_strides(shape_of(value.type))
