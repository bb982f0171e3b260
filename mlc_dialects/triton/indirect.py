"""Ops of `mlc_triton` with addresses that are data: checked indices, and atomic updates."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.assembly import parse_mask, parse_types, print_mask, print_types
from mlc_dialects.common.index_syntax import IndexReader, print_index, print_indices, verify_address
from mlc_dialects.common.types import storage
from mlc_dialects.loop.indirect import ATOMIC_KINDS
from mlc_dialects.triton.types import PointerType, block_element


@irdl_op_definition
class CheckedOp(IRDLOperation):
    """The integers `value`. A device assertion stops the kernel if one is outside [0, limit) where the mask is true.

    %g = mlc_triton.checked %i below N mask %m : (tensor<64xi64>, i64, tensor<64xi1>)
    """

    name = "mlc_triton.checked"
    value = operand_def()
    bounds = var_operand_def()
    mask = opt_operand_def()
    limit = prop_def(ArrayAttr[StringAttr])
    """An index expression; d0, d1, ... are `bounds`."""
    result = result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self, value: SSAValue, bounds: Sequence[SSAValue], limit: ArrayAttr[StringAttr], mask: SSAValue | None
    ):
        super().__init__(operands=[value, list(bounds), mask], properties={"limit": limit}, result_types=[value.type])

    def verify_(self) -> None:
        verify_address(self.limit, self.bounds)

    @classmethod
    def parse(cls, parser: Parser) -> CheckedOp:
        value = parser.parse_unresolved_operand()
        parser.parse_keyword("below")
        reader = IndexReader(parser)
        limit = ArrayAttr([StringAttr(str(reader.expression()))])
        mask = parse_mask(parser)
        parser.parse_punctuation(":")
        types = parse_types(parser)
        values = parser.resolve_operands([value, *reader.operands, *mask], types, parser.pos)
        return cls(values[0], values[1 : 1 + len(reader.operands)], limit, values[-1] if mask else None)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(" below ")
        print_index(printer, self.limit.data[0].data, self.bounds)
        print_mask(printer, self.mask)
        printer.print_string(" : ")
        print_types(printer, self.operands)


@irdl_op_definition
class AtomicOp(IRDLOperation):
    """Combines values into pointer[index] atomically, where the mask is true.

    mlc_triton.atomic add %out[%g * 8 + %j] = %v mask %m : (types of pointer, value, indices and mask)
    """

    name = "mlc_triton.atomic"
    pointer = operand_def(PointerType)
    value = operand_def()
    indices = var_operand_def()
    mask = opt_operand_def()
    index = prop_def(ArrayAttr[StringAttr])
    kind = prop_def(StringAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        kind: str,
        pointer: SSAValue,
        value: SSAValue,
        indices: Sequence[SSAValue],
        index: ArrayAttr[StringAttr],
        mask: SSAValue | None,
    ):
        super().__init__(
            operands=[pointer, value, list(indices), mask],
            properties={"index": index, "kind": StringAttr(kind)},
        )

    def verify_(self) -> None:
        assert isinstance(self.pointer.type, PointerType)
        if self.kind.data not in ATOMIC_KINDS:
            raise VerifyException(f"no atomic {self.kind.data!r}: use one of {', '.join(ATOMIC_KINDS)}")
        if storage(self.pointer.type.element) != block_element(self.value.type):
            raise VerifyException(f"cannot combine {self.value.type} through {self.pointer.type}")
        verify_address(self.index, self.indices)

    @classmethod
    def parse(cls, parser: Parser) -> AtomicOp:
        kind = parser.parse_identifier()
        pointer = parser.parse_unresolved_operand()
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        parser.parse_punctuation("=")
        value = parser.parse_unresolved_operand()
        mask = parse_mask(parser)
        parser.parse_punctuation(":")
        types = parse_types(parser)
        values = parser.resolve_operands([pointer, value, *reader.operands, *mask], types, parser.pos)
        indices = values[2 : 2 + len(reader.operands)]
        return cls(kind, values[0], values[1], indices, index, values[-1] if mask else None)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data} ")
        printer.print_operand(self.pointer)
        print_indices(printer, self.index, self.indices)
        printer.print_string(" = ")
        printer.print_operand(self.value)
        print_mask(printer, self.mask)
        printer.print_string(" : ")
        print_types(printer, self.operands)
