"""Ops of `mlc_loop` that address buffers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IndexType, MemRefType, StringAttr, i1, i64
from xdsl.ir import Attribute, SSAValue
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
from xdsl.traits import (
    MemoryAllocEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.buffers import buffer_element, buffer_shape
from mlc_dialects.index_syntax import IndexReader, index_exprs, print_indices
from mlc_dialects.types import storage

ACCUMULATED = ("add", "mul", "max", "min", "and", "or")
"""Kinds of reduction whose values combine in any order without knowing their places."""


@irdl_op_definition
class LoadOp(IRDLOperation):
    """buffer[index]; where a condition is given and false nothing is read and the value is 0.

    `evict` is a schedule's advice to the cache: "last" for what another loop reads again, "first" for the last read.
    """

    name = "mlc_loop.load"
    buffer = operand_def()
    indices = var_operand_def(IndexType)
    condition = opt_operand_def(i1)
    index = prop_def(ArrayAttr[StringAttr])
    evict = opt_prop_def(StringAttr)
    result = result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryReadEffect())

    def __init__(
        self,
        buffer: SSAValue,
        indices: Sequence[SSAValue],
        index: ArrayAttr[StringAttr],
        condition: SSAValue | None = None,
    ):
        super().__init__(
            operands=[buffer, list(indices), condition],
            properties={"index": index},
            result_types=[storage(buffer_element(buffer.type))],
        )

    def verify_(self) -> None:
        _verify_access(self.buffer, self.index, self.indices)
        if self.result.type != storage(buffer_element(self.buffer.type)):
            raise VerifyException(f"loads {self.result.type} from {self.buffer.type}")

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        buffer = parser.parse_unresolved_operand()
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        condition = parser.parse_unresolved_operand() if parser.parse_optional_keyword("if") else None
        evict = parser.parse_str_literal() if parser.parse_optional_keyword("evict") else None
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        op = cls(
            parser.resolve_operand(buffer, type_),
            [parser.resolve_operand(o, IndexType()) for o in reader.operands],
            index,
            None if condition is None else parser.resolve_operand(condition, i1),
        )
        op.evict = None if evict is None else StringAttr(evict)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.buffer)
        print_indices(printer, self.index, self.indices)
        if self.condition is not None:
            printer.print_string(" if ")
            printer.print_operand(self.condition)
        if self.evict is not None:
            printer.print_string(" evict ")
            printer.print_string_literal(self.evict.data)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)


@irdl_op_definition
class StoreOp(IRDLOperation):
    """buffer[index] = value; where a condition is given and false nothing is written."""

    name = "mlc_loop.store"
    value = operand_def()
    buffer = operand_def()
    indices = var_operand_def(IndexType)
    condition = opt_operand_def(i1)
    index = prop_def(ArrayAttr[StringAttr])
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        value: SSAValue,
        buffer: SSAValue,
        indices: Sequence[SSAValue],
        index: ArrayAttr[StringAttr],
        condition: SSAValue | None = None,
    ):
        super().__init__(operands=[value, buffer, list(indices), condition], properties={"index": index})

    def verify_(self) -> None:
        _verify_access(self.buffer, self.index, self.indices)
        if self.value.type != storage(buffer_element(self.buffer.type)):
            raise VerifyException(f"stores {self.value.type} to {self.buffer.type}")

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        buffer = parser.parse_unresolved_operand()
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        condition = parser.parse_unresolved_operand() if parser.parse_optional_keyword("if") else None
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        guard = None if condition is None else parser.resolve_operand(condition, i1)
        indices = [parser.resolve_operand(o, IndexType()) for o in reader.operands]
        element = storage(buffer_element(type_))
        stored, target = parser.resolve_operand(value, element), parser.resolve_operand(buffer, type_)
        return cls(stored, target, indices, index, guard)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(", ")
        printer.print_operand(self.buffer)
        print_indices(printer, self.index, self.indices)
        if self.condition is not None:
            printer.print_string(" if ")
            printer.print_operand(self.condition)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)


@irdl_op_definition
class LocalOp(IRDLOperation):
    """A buffer of the program's own, held in registers; every element starts as the identity of `kind`."""

    name = "mlc_loop.local"
    kind = prop_def(StringAttr)
    buffer = result_def(MemRefType)
    traits = traits_def(MemoryAllocEffect())

    def __init__(self, kind: str, type_: Attribute):
        super().__init__(properties={"kind": StringAttr(kind)}, result_types=[type_])

    @classmethod
    def parse(cls, parser: Parser) -> LocalOp:
        kind = parser.parse_identifier()
        parser.parse_punctuation(":")
        return cls(kind, parser.parse_type())

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data} : ")
        printer.print_attribute(self.buffer.type)


@irdl_op_definition
class AccumulateOp(IRDLOperation):
    """buffer[index] = combination of all the values that a launch gives to it, in any order.

    Nothing of what the buffer held before counts. Only a local buffer can be lowered: see `walk-rows`.
    """

    name = "mlc_loop.accumulate"
    kind = prop_def(StringAttr)
    value = operand_def()
    buffer = operand_def()
    indices = var_operand_def(IndexType)
    index = prop_def(ArrayAttr[StringAttr])
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self, kind: str, value: SSAValue, buffer: SSAValue, indices: Sequence[SSAValue], index: ArrayAttr[StringAttr]
    ):
        super().__init__(operands=[value, buffer, list(indices)], properties={"kind": StringAttr(kind), "index": index})

    def verify_(self) -> None:
        _verify_access(self.buffer, self.index, self.indices)
        if self.kind.data not in ACCUMULATED:
            raise VerifyException(f"accumulates by one of {', '.join(ACCUMULATED)}, not {self.kind.data}")
        if self.value.type != storage(buffer_element(self.buffer.type)):
            raise VerifyException(f"accumulates {self.value.type} into {self.buffer.type}")

    @classmethod
    def parse(cls, parser: Parser) -> AccumulateOp:
        kind = parser.parse_identifier()
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        buffer = parser.parse_unresolved_operand()
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        indices = [parser.resolve_operand(o, IndexType()) for o in reader.operands]
        element = storage(buffer_element(type_))
        return cls(kind, parser.resolve_operand(value, element), parser.resolve_operand(buffer, type_), indices, index)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data} ")
        printer.print_operand(self.value)
        printer.print_string(", ")
        printer.print_operand(self.buffer)
        print_indices(printer, self.index, self.indices)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)


@irdl_op_definition
class IndexOp(IRDLOperation):
    """The value of an index expression, as an integer: `mlc_loop.index [%p mod 4] : i64`."""

    name = "mlc_loop.index"
    indices = var_operand_def(IndexType)
    index = prop_def(ArrayAttr[StringAttr])
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, indices: Sequence[SSAValue], index: ArrayAttr[StringAttr], type_: Attribute = i64):
        super().__init__(operands=[list(indices)], properties={"index": index}, result_types=[type_])

    @classmethod
    def parse(cls, parser: Parser) -> IndexOp:
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        return cls([parser.resolve_operand(o, IndexType()) for o in reader.operands], index, type_)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_indices(printer, self.index, self.indices)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


def _verify_access(buffer: SSAValue, index: ArrayAttr[StringAttr], operands: Sequence[SSAValue]) -> None:
    try:
        rank = len(buffer_shape(buffer.type))
        exprs = index_exprs(index)
    except ValueError as error:
        raise VerifyException(str(error)) from error
    if len(exprs) != rank:
        raise VerifyException(f"{len(exprs)} indices into {buffer.type}")
    used = {int(v.name[1:]) for e in exprs for v in e.variables() if v.name[1:].isdigit() and v.name[0] == "d"}
    if any(u >= len(operands) for u in used):
        raise VerifyException(f"the index names operand {max(used)} of {len(operands)}")
