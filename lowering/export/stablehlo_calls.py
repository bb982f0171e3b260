"""StableHLO of calls of PyTorch's library."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, TensorType
from xdsl.ir import Attribute

from lowering.export.program import Program
from lowering.export.stablehlo_writer import Val, Writer, array
from mlc_dialects.common.annotations import CHANNELS_LAST
from mlc_dialects.tensor.calls import ExternOp, OperandAttr

Call = Callable[[Program, Writer, ExternOp, Sequence[Val]], Val]


def convolution(program: Program, writer: Writer, op: ExternOp, operands: Sequence[Val]) -> Val:
    """A convolution forwards; the bias is added to its result."""
    places = op.argument_list()
    x, weight, bias = (operands[p.index] if isinstance(p, OperandAttr) else None for p in places[:3])
    stride, padding, dilation, (transposed,), _, (groups,) = map(_integers, places[3:9])
    if x is None or weight is None or transposed:
        program.refuse(op, "a transposed convolution")
    spatial = list(range(len(stride)))
    last = CHANNELS_LAST in op.attributes
    form = ", ".join(map(str, spatial))
    picture, kernel = (f"b, {form}, f", f"o, {form}, i") if last else (f"b, f, {form}", f"o, i, {form}")
    edges = f"dense<{[[p, p] for p in padding]}> : tensor<{len(spatial)}x2xi64>"
    stated = (
        f"window_strides = {array(stride)}, padding = {edges}, rhs_dilation = {array(dilation)}, "
        f"dimension_numbers = #stablehlo.conv<[{picture}]x[{kernel}]->[{picture}]>, "
        f"feature_group_count = {groups} : i64, batch_group_count = 1 : i64"
    )
    result = op.results[0].type
    assert isinstance(result, TensorType)
    product = writer.op("convolution", [x, weight], result, stated)
    if bias is None:
        return product
    dims = array([len(spatial) + 1 if last else 1])
    wide = writer.op("broadcast_in_dim", [bias], result, f"broadcast_dimensions = {dims}")
    return writer.op("add", [product, wide])


def _integers(attribute: Attribute) -> tuple[int, ...]:
    """A number, or a list of them."""
    entries = attribute.data if isinstance(attribute, ArrayAttr) else [attribute]
    return tuple(e.value.data for e in entries if isinstance(e, IntegerAttr))


CALLS: dict[str, Call] = {"aten.convolution.default": convolution}
"""The callee to what writes it."""


def call(program: Program, writer: Writer, op: ExternOp, operands: Sequence[Val]) -> Val:
    """A call by its callee. MlcError names one that has no export."""
    callee = op.callee.data
    if callee not in CALLS:
        program.refuse(op)
    return CALLS[callee](program, writer, op, operands)
