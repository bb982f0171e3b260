"""The dialect `example`: one op, on the tensors of `mlc_tensor`."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import Float32Type, FloatAttr, TensorType, f32
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure


@irdl_op_definition
class AffineOp(IRDLOperation):
    """scale * x + shift, of float32 tensors; the product is rounded."""

    T: ClassVar = VarConstraint("T", base(TensorType[Float32Type]))

    name = "example.affine"
    x = operand_def(T)
    scale = prop_def(FloatAttr[Float32Type])
    shift = prop_def(FloatAttr[Float32Type])
    result = result_def(T)
    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$x attr-dict `:` type($x)"

    def __init__(self, x: SSAValue, scale: float, shift: float):
        properties = {"scale": FloatAttr(scale, f32), "shift": FloatAttr(shift, f32)}
        super().__init__(operands=[x], result_types=[x.type], properties=properties)


Example = Dialect("example", [AffineOp])
