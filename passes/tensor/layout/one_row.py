"""Convolutions of one dimension as those of pictures with one row: what PyTorch makes of them itself."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue

from mlc_dialects.common.annotations import OPERAND_STRIDES, STRIDES
from mlc_dialects.common.types import shape_of, with_shape
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.views import ReshapeOp
from mlc_support.rewriting import rule
from passes.tensor.layout.channels import CONVOLUTION

_ROW = 2
"""The dimension that is added."""
_FILLED = {3: 1, 4: 0, 5: 1, 7: 0}
"""What the row has of the stride, the padding, the dilation and the padding of the result, by their position."""


@rule
def one_row(op: ExternOp) -> SSAValue | None:
    """A convolution of [N, C, L] is one of [N, C, 1, L]: pictures are what the library and this pass know"""
    if op.callee.data != CONVOLUTION or op.keywords is not None or len(shape_of(op.inputs[0].type)) != _ROW + 1:
        return None
    x, weight, *bias = op.inputs
    arguments: list[Attribute] = []
    for position, argument in enumerate(op.argument_list()):
        row = _FILLED.get(position)
        if row is not None:
            assert isinstance(argument, ArrayAttr)
            argument = ArrayAttr([IntegerAttr(row, i64), *argument.data])
        arguments.append(argument)
    type_ = op.outputs[0].type
    shape = shape_of(type_)
    result = with_shape(type_, (*shape[:_ROW], 1, *shape[_ROW:]))
    call = ExternOp(CONVOLUTION, [_with_row(x), _with_row(weight), *bias], [result], arguments)
    call.attributes |= op.attributes
    for key in (STRIDES, OPERAND_STRIDES):
        if isinstance(entries := op.attributes.get(key), ArrayAttr):
            call.attributes[key] = ArrayAttr([_strides_with_row(e) for e in entries.data])
    return ReshapeOp(call.outputs[0], shape).result


def _with_row(value: SSAValue) -> SSAValue:
    shape = shape_of(value.type)
    return ReshapeOp(value, (*shape[:_ROW], 1, *shape[_ROW:])).result


def _strides_with_row(strides: Attribute) -> Attribute:
    """Strides with one for the row, where any will do; unit stays row-major, and a vector a vector."""
    if isinstance(strides, UnitAttr) or not isinstance(strides, ArrayAttr) or len(strides.data) <= _ROW:
        return strides
    *front, last = strides.data
    return ArrayAttr([*front, last, last])
