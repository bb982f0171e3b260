"""StableHLO of calls of PyTorch's library."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import TensorType

from lowering.export.convolution import Convolution
from lowering.export.program import Program
from lowering.export.stablehlo_writer import Val, Writer, array
from mlc_dialects.tensor.calls import ExternOp

Call = Callable[[Program, Writer, ExternOp, Sequence[Val]], Val]


def convolution(program: Program, writer: Writer, op: ExternOp, operands: Sequence[Val]) -> Val:
    """A convolution forwards; the bias is added to its result."""
    found = Convolution.of(op)
    if found is None:
        program.refuse(op, "it is transposed")
    x, weight, *bias = operands
    spatial, last = range(len(found.stride)), found.channels_last
    form = ", ".join(map(str, spatial))
    picture, kernel = (f"b, {form}, f", f"o, {form}, i") if last else (f"b, f, {form}", f"o, i, {form}")
    edges = f"dense<{[[p, p] for p in found.padding]}> : tensor<{len(spatial)}x2xi64>"
    stated = (
        f"window_strides = {array(found.stride)}, padding = {edges}, rhs_dilation = {array(found.dilation)}, "
        f"dimension_numbers = #stablehlo.conv<[{picture}]x[{kernel}]->[{picture}]>, "
        f"feature_group_count = {found.groups} : i64, batch_group_count = 1 : i64"
    )
    result = op.results[0].type
    assert isinstance(result, TensorType)
    product = writer.op("convolution", [x, weight], result, stated)
    if not bias:
        return product
    dims = array([len(spatial) + 1 if last else 1])
    wide = writer.op("broadcast_in_dim", bias, result, f"broadcast_dimensions = {dims}")
    return writer.op("add", [product, wide])


CALLS: dict[str, Call] = {"aten.convolution.default": convolution}
"""The callee to what writes it."""


def call(program: Program, writer: Writer, op: ExternOp, operands: Sequence[Val]) -> Val:
    """A call by its callee. MlcError names one that has no export."""
    callee = op.callee.data
    if callee not in CALLS:
        program.refuse(op)
    return CALLS[callee](program, writer, op, operands)
