"""Matrix products of blocks, as tensor cores compute them."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr, f32
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.triton.types import block_element, block_shape

PRECISIONS = ("ieee", "tf32")


@irdl_op_definition
class DotOp(IRDLOperation):
    """addend + lhs @ rhs, of blocks of m x k and k x n; terms are multiplied exactly and added in the addend's type.

    `precision` is that of float32 operands: "ieee" keeps 24 bits, "tf32" rounds operands to 11.
    """

    name = "mlc_triton.dot"
    precision = prop_def(StringAttr)
    lhs = operand_def()
    rhs = operand_def()
    addend = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = (
        "$precision $lhs `,` $rhs `,` $addend attr-dict `:` type($lhs) `,` type($rhs) `,` type($addend)"
        " `->` type($result)"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, addend: SSAValue, precision: str = "ieee"):
        super().__init__(
            operands=[lhs, rhs, addend],
            properties={"precision": StringAttr(precision)},
            result_types=[addend.type],
        )

    def verify_(self) -> None:
        if self.precision.data not in PRECISIONS:
            raise VerifyException(f'no precision "{self.precision.data}": use one of {", ".join(PRECISIONS)}')
        if self.precision.data == "tf32" and block_element(self.lhs.type) != f32:
            raise VerifyException(f"tf32 rounds operands of f32: these are {self.lhs.type}")
        left, right, added = (block_shape(v.type) for v in (self.lhs, self.rhs, self.addend))
        if len(left) != 2 or len(right) != 2 or left[1] != right[0] or added != (left[0], right[1]):
            raise VerifyException(f"blocks do not fit: {self.lhs.type}, {self.rhs.type} and {self.addend.type}")
        if block_element(self.lhs.type) != block_element(self.rhs.type) or self.result.type != self.addend.type:
            raise VerifyException(
                f"operands have one element type, and the result is like the addend: {self.lhs.type}, "
                f"{self.rhs.type}, {self.addend.type}, {self.result.type}"
            )
