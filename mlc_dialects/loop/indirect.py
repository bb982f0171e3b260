"""Ops of `mlc_loop` with addresses that are data: integers used as indices, and atomic updates."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerType, StringAttr, UnitAttr, i1
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.buffers import buffer_element
from mlc_dialects.common.index_syntax import IndexReader, print_index, verify_indices
from mlc_dialects.common.types import is_float, storage
from mlc_dialects.loop.memory import parse_written, print_written, verify_access
from mlc_support.index_expr import IndexExpr
from mlc_support.index_parse import parse

ATOMIC_KINDS = ("add", "max", "min")


@irdl_op_definition
class IndirectIndexOp(IRDLOperation):
    """The integer `value` as an index in [0, size): `%g = mlc_loop.indirect_index %i below 50 : i64`.

    Out of range is an IndexError on the host and a device assertion on a GPU. Where a condition is given and false,
    nothing is checked, the index is arbitrary, and nothing may be loaded or stored there. An `unchecked` one is known
    to lie inside (`prove-indices`): `%g = mlc_loop.indirect_index %i below 50 unchecked : i64`.
    """

    name = "mlc_loop.indirect_index"
    value = operand_def(IntegerType)
    condition = opt_operand_def(i1)
    extent = prop_def(StringAttr)
    unchecked = opt_prop_def(UnitAttr)
    result = result_def(IndexType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self, value: SSAValue, size: IndexExpr, condition: SSAValue | None = None, unchecked: UnitAttr | None = None
    ):
        super().__init__(
            operands=[value, condition],
            properties={"extent": StringAttr(str(size)), "unchecked": unchecked},
            result_types=[IndexType()],
        )

    @property
    def size(self) -> IndexExpr:
        """The size of the dimension that is indexed."""
        return parse(self.extent.data)

    def verify_(self) -> None:
        verify_indices([self.extent], 0)

    @classmethod
    def parse(cls, parser: Parser) -> IndirectIndexOp:
        value = parser.parse_unresolved_operand()
        parser.parse_keyword("below")
        size = IndexReader(parser, sizes=True).expression()
        condition = parser.parse_unresolved_operand() if parser.parse_optional_keyword("if") else None
        unchecked = UnitAttr() if parser.parse_optional_keyword("unchecked") else None
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(value, parser.parse_type())
        return cls(operand, size, None if condition is None else parser.resolve_operand(condition, i1), unchecked)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(" below ")
        print_index(printer, self.extent.data, ())
        if self.condition is not None:
            printer.print_string(" if ")
            printer.print_operand(self.condition)
        if self.unchecked is not None:
            printer.print_string(" unchecked")
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)


@irdl_op_definition
class AtomicOp(IRDLOperation):
    """buffer[index] = combine(buffer[index], value), atomically: several points may update one element.

    Kinds: add, max, min. Where a condition is given and false, nothing is written.
    """

    name = "mlc_loop.atomic"
    value = operand_def()
    buffer = operand_def()
    indices = var_operand_def(IndexType)
    condition = opt_operand_def(i1)
    index = prop_def(ArrayAttr[StringAttr])
    kind = prop_def(StringAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        kind: str,
        value: SSAValue,
        buffer: SSAValue,
        indices: Sequence[SSAValue],
        index: ArrayAttr[StringAttr],
        condition: SSAValue | None = None,
    ):
        super().__init__(
            operands=[value, buffer, list(indices), condition],
            properties={"index": index, "kind": StringAttr(kind)},
        )

    def verify_(self) -> None:
        verify_access(self.buffer, self.index, self.indices)
        kind, element = self.kind.data, buffer_element(self.buffer.type)
        if kind not in ATOMIC_KINDS:
            raise VerifyException(f"no atomic {kind!r}: use one of {', '.join(ATOMIC_KINDS)}")
        if kind == "min" and is_float(element):
            raise VerifyException("floats have no atomic min: use max of the negated values")
        if self.value.type != storage(element):
            raise VerifyException(f"cannot combine {self.value.type} into {self.buffer.type}")

    @classmethod
    def parse(cls, parser: Parser) -> AtomicOp:
        kind = parser.parse_identifier()
        value, place = parse_written(parser)
        return cls(kind, *place.resolve_written(parser, value))

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data} ")
        print_written(printer, self.value, self.buffer, self.index, self.indices, self.condition)
