"""The op of `mlc_tensor` that combines each element with those before it."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.assembly import parse_conversion, print_conversion
from mlc_dialects.common.op_building import checked_shape
from mlc_dialects.common.types import element_type, is_native, kind_of, with_element
from mlc_dialects.loop.scan import SCAN_KINDS


@irdl_op_definition
class ScanOp(IRDLOperation):
    """result[.., i, ..] combines input[.., 0, ..] to input[.., i, ..] along `dim`: a prefix sum and its like.

    Kinds: add, mul, max, min; logaddexp, the logarithm of the sum of exponentials; argmax and argmin, the
    position (i64) of the extreme so far. NaN is every extreme, and the last of equals counts, as torch has
    it. Sums are taken in the element type: cast before.
    """

    name = "mlc_tensor.scan"
    input = operand_def(TensorType)
    kind = prop_def(StringAttr)
    dim = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, kind: str, input: SSAValue | Operation, dim: int):
        value = SSAValue.get(input)
        super().__init__(
            operands=[value],
            result_types=[scanned_type(kind, value.type)],
            properties={"kind": StringAttr(kind), "dim": IntegerAttr(dim, i64)},
        )

    @property
    def axis(self) -> int:
        return self.dim.value.data

    @property
    def reduced(self) -> tuple[int, ...]:
        """The dimension that is walked, as a reduction over it would name it."""
        return (self.axis,)

    def verify_(self) -> None:
        kind, shape = self.kind.data, checked_shape(self.input.type)
        if kind not in SCAN_KINDS:
            raise VerifyException(f"{kind!r} is not a scan: one of {', '.join(SCAN_KINDS)}")
        if not 0 <= self.axis < len(shape):
            raise VerifyException(f"dimension {self.axis} is not one of {self.input.type}")
        element = element_type(self.input.type)
        if not is_native(element) or kind_of(element) not in SCAN_KINDS[kind]:
            raise VerifyException(f"{kind} has no meaning for elements of type {element}")
        if self.result.type != scanned_type(kind, self.input.type):
            raise VerifyException(f"result is {self.result.type} and must be {scanned_type(kind, self.input.type)}")

    @classmethod
    def parse(cls, parser: Parser) -> ScanOp:
        kind = parser.parse_identifier()
        operand = parser.parse_unresolved_operand()
        parser.parse_keyword("dim")
        dim = parser.parse_integer()
        value, target, attributes = parse_conversion(parser, operand)
        return cls.create(
            operands=[value],
            result_types=[target],
            properties={"kind": StringAttr(kind), "dim": IntegerAttr(dim, i64)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data} ")
        printer.print_operand(self.input)
        printer.print_string(f" dim {self.axis}")
        print_conversion(printer, self)


def scanned_type(kind: str, type_: Attribute) -> Any:
    """The result type of a scan: that of the operand, i64 for positions."""
    return with_element(type_, i64) if kind.startswith("arg") else type_
