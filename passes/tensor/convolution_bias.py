"""convolution-bias: the bias of a convolution is added by the kernel that reads the result.

PyTorch computes a convolution without its bias and adds that in a kernel of its own, which reads and writes the
result once more, and rounds as an addition does. An addition that a kernel of ours makes with what follows costs
nothing. Where only calls and the caller read the result there is no such kernel, and a library that can add the bias
on the way may: it stays in the call.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, UnitAttr
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.annotations import OPERAND_STRIDES
from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.calls import ExternOp, OperandAttr
from mlc_dialects.tensor.elementwise import AddOp
from mlc_dialects.tensor.ops import MatmulOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp, SliceOp
from mlc_support.rewriting import Rule, RulePass, rule

_CONVOLUTION = "aten.convolution.default"
_BIAS = 2
"""The position of the bias, among operands and arguments."""


@rule
def add_bias_apart(op: ExternOp) -> SSAValue | None:
    """convolution(x, w, b) == convolution(x, w) + b, one b a channel, where a kernel reads the result"""
    arguments = [*op.argument_list()]
    if op.callee.data != _CONVOLUTION or not isinstance(arguments[_BIAS], OperandAttr) or not _is_fused(op.outputs[0]):
        return None
    bias, result = op.inputs[_BIAS], op.outputs[0]
    arguments[_BIAS] = UnitAttr()
    call = ExternOp(_CONVOLUTION, op.inputs[:_BIAS], [result.type], arguments)
    call.attributes |= op.attributes
    if isinstance(strides := op.attributes.get(OPERAND_STRIDES), ArrayAttr):
        call.attributes[OPERAND_STRIDES] = ArrayAttr(strides.data[:_BIAS])
    shape = shape_of(result.type)
    column = ReshapeOp(bias, [*shape_of(bias.type), *[1] * (len(shape) - 2)]).result
    return AddOp(call.outputs[0], BroadcastOp(column, shape).result).result


def _is_fused(value: SSAValue) -> bool:
    """True if a kernel reads `value`, or a view of it."""
    return any(_reads_in_kernel(use.operation) for use in value.uses)


def _reads_in_kernel(op: Operation) -> bool:
    if isinstance(op, ReshapeOp | PermuteOp | SliceOp | BroadcastOp):
        return _is_fused(op.result)
    return not isinstance(op, ExternOp | MatmulOp | func.ReturnOp)


@dataclass(frozen=True)
class ConvolutionBiasPass(RulePass):
    """Take biases out of convolutions, where a kernel adds them on its way."""

    name = "convolution-bias"

    def rules(self) -> tuple[Rule, ...]:
        """The one."""
        return (add_bias_apart,)
