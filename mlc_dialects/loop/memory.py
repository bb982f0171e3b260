"""Ops of `mlc_loop` that address buffers: loads, stores, accumulators and index values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, IndexType, MemRefType, StringAttr, UnitAttr, i1, i64
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
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    MemoryAllocEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.buffers import buffer_element, buffer_offset, buffer_shape
from mlc_dialects.common.index_syntax import (
    IndexReader,
    index_exprs,
    operand_name,
    parse_evict,
    print_evict,
    print_indices,
    verify_address,
    verify_indices,
)
from mlc_dialects.common.op_building import build_in_groups
from mlc_dialects.common.types import storage
from mlc_dialects.loop.loops import LoopOp
from mlc_support.index_maps import divided_by
from mlc_support.walks import walk

ACCUMULATED = ("add", "mul", "max", "min", "and", "or")
"""Reductions that combine values in any order and do not use their indices."""


Written = tuple[SSAValue, SSAValue, list[SSAValue], ArrayAttr[StringAttr], SSAValue | None]
"""A stored value, and the buffer, loop indices, index and condition of where it goes."""


@dataclass(frozen=True)
class ParsedAccess:
    """What precedes the colon of a memory access: `%buffer[index] if %condition`."""

    buffer: UnresolvedOperand
    operands: Sequence[UnresolvedOperand]
    index: ArrayAttr[StringAttr]
    condition: UnresolvedOperand | None

    @classmethod
    def parse(cls, parser: Parser, conditional: bool = True) -> ParsedAccess:
        """Parses an access; looks for a condition only if it is `conditional`."""
        buffer = parser.parse_unresolved_operand()
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        guarded = conditional and parser.parse_optional_keyword("if") is not None
        return cls(buffer, reader.operands, index, parser.parse_unresolved_operand() if guarded else None)

    def resolve(self, parser: Parser) -> tuple[SSAValue, list[SSAValue], SSAValue | None]:
        """The buffer, the loop indices and the condition; parses the colon and the buffer's type."""
        parser.parse_punctuation(":")
        buffer = parser.resolve_operand(self.buffer, parser.parse_type())
        indices: list[SSAValue] = [parser.resolve_operand(o, IndexType()) for o in self.operands]
        return buffer, indices, None if self.condition is None else parser.resolve_operand(self.condition, i1)

    def resolve_written(self, parser: Parser, value: UnresolvedOperand) -> Written:
        """`resolve`, and the stored value, which has the type of the buffer's elements."""
        buffer, indices, condition = self.resolve(parser)
        stored = parser.resolve_operand(value, storage(buffer_element(buffer.type)))
        return stored, buffer, indices, self.index, condition


def parse_written(parser: Parser, conditional: bool = True) -> tuple[UnresolvedOperand, ParsedAccess]:
    """`%value, %buffer[index] if %condition`"""
    value = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    return value, ParsedAccess.parse(parser, conditional)


def print_access(
    printer: Printer,
    buffer: SSAValue,
    index: ArrayAttr[StringAttr],
    indices: Sequence[SSAValue],
    condition: SSAValue | None = None,
) -> None:
    """Prints what `ParsedAccess.parse` reads."""
    printer.print_operand(buffer)
    print_indices(printer, index, indices)
    if condition is not None:
        printer.print_string(" if ")
        printer.print_operand(condition)


def print_written(
    printer: Printer,
    value: SSAValue,
    buffer: SSAValue,
    index: ArrayAttr[StringAttr],
    indices: Sequence[SSAValue],
    condition: SSAValue | None = None,
    evict: StringAttr | None = None,
) -> None:
    """Prints what `parse_written` and `parse_evict` read, and the buffer's type."""
    printer.print_operand(value)
    printer.print_string(", ")
    print_access(printer, buffer, index, indices, condition)
    print_evict(printer, evict)
    printer.print_string(" : ")
    printer.print_attribute(buffer.type)


MARKS = ("each_row", "as_vector", "by_column", "described")
"""The properties of a load that say how lanes have it, in the order in which they are written."""


@irdl_op_definition
class LoadOp(IRDLOperation):
    """buffer[index]; where a condition is given and false, nothing is read and the value is 0.

    `evict` is a cache hint: "last" for data that is loaded again, "first" for data that is not. With `each_row` an
    element that the rows of a block have in common is loaded for each of them, in the layout of the tile. With
    `as_vector` it is loaded in a layout of its own, from which it goes to the tile's. With `by_column`, of a local
    buffer, its rows first go to a layout in which the lanes of one warp have all of a column: they add up there.

    `described`, of a factor of a product: the copy engine of the device (TMA) loads blocks of it, by a tensor
    descriptor. It must read a matrix: see `matrix_of`.
    """

    name = "mlc_loop.load"
    buffer = operand_def()
    indices = var_operand_def(IndexType)
    condition = opt_operand_def(i1)
    index = prop_def(ArrayAttr[StringAttr])
    evict = opt_prop_def(StringAttr)
    each_row = opt_prop_def(UnitAttr)
    as_vector = opt_prop_def(UnitAttr)
    by_column = opt_prop_def(UnitAttr)
    described = opt_prop_def(UnitAttr)
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
        given = () if condition is None else (condition,)
        result = storage(buffer_element(buffer.type))
        build_in_groups(self, ((buffer,), indices, given), (result,), {"index": index})

    def verify_(self) -> None:
        verify_access(self.buffer, self.index, self.indices)
        if self.result.type != storage(buffer_element(self.buffer.type)):
            raise VerifyException(f"cannot load {self.result.type} from {self.buffer.type}")

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        place = ParsedAccess.parse(parser)
        evict = parse_evict(parser)
        marks = {mark: UnitAttr() for mark in MARKS if parser.parse_optional_keyword(mark)}
        buffer, indices, condition = place.resolve(parser)
        op = cls(buffer, indices, place.index, condition)
        op.evict = evict
        op.properties |= marks
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_access(printer, self.buffer, self.index, self.indices, self.condition)
        print_evict(printer, self.evict)
        for mark in MARKS:
            if mark in self.properties:
                printer.print_string(f" {mark}")
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)


@irdl_op_definition
class StoreOp(IRDLOperation):
    """buffer[index] = value; where a condition is given and false, nothing is written.

    `evict` is a cache hint: "first" if the data should not displace what is loaded again.
    """

    name = "mlc_loop.store"
    value = operand_def()
    buffer = operand_def()
    indices = var_operand_def(IndexType)
    condition = opt_operand_def(i1)
    index = prop_def(ArrayAttr[StringAttr])
    evict = opt_prop_def(StringAttr)
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
        given = () if condition is None else (condition,)
        build_in_groups(self, ((value,), (buffer,), indices, given), (), {"index": index})

    def verify_(self) -> None:
        verify_access(self.buffer, self.index, self.indices)
        if self.value.type != storage(buffer_element(self.buffer.type)):
            raise VerifyException(f"cannot store {self.value.type} to {self.buffer.type}")

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        value, place = parse_written(parser)
        evict = parse_evict(parser)
        op = cls(*place.resolve_written(parser, value))
        op.evict = evict
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_written(printer, self.value, self.buffer, self.index, self.indices, self.condition, self.evict)


@irdl_op_definition
class LocalOp(IRDLOperation):
    """A buffer in the registers of one program; each element starts as the identity of `kind`."""

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
class ScratchOp(IRDLOperation):
    """Memory of one iteration of the outer loop, on a CPU: it stays in a cache. It begins undefined."""

    name = "mlc_loop.scratch"
    buffer = result_def(MemRefType)
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "attr-dict `:` type($buffer)"

    def __init__(self, type_: Attribute):
        super().__init__(result_types=[type_])


@irdl_op_definition
class AccumulateOp(IRDLOperation):
    """buffer[index] = the combination of all values that a launch accumulates there, in any order.

    The previous content of the buffer does not count. Only accumulation into a local buffer can be lowered; the pass
    `persistent-rows` makes it so.
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
        verify_access(self.buffer, self.index, self.indices)
        if self.kind.data not in ACCUMULATED:
            raise VerifyException(f"no accumulation {self.kind.data!r}: use one of {', '.join(ACCUMULATED)}")
        if self.value.type != storage(buffer_element(self.buffer.type)):
            raise VerifyException(f"cannot accumulate {self.value.type} into {self.buffer.type}")

    @classmethod
    def parse(cls, parser: Parser) -> AccumulateOp:
        kind = parser.parse_identifier()
        value, place = parse_written(parser, conditional=False)
        stored, buffer, indices, index, _ = place.resolve_written(parser, value)
        return cls(kind, stored, buffer, indices, index)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data} ")
        print_written(printer, self.value, self.buffer, self.index, self.indices)


@irdl_op_definition
class IndexOp(IRDLOperation):
    """The value of an index expression as an integer: `mlc_loop.index [%p mod 4] : i64`."""

    name = "mlc_loop.index"
    indices = var_operand_def(IndexType)
    index = prop_def(ArrayAttr[StringAttr])
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, indices: Sequence[SSAValue], index: ArrayAttr[StringAttr], type_: Attribute = i64):
        super().__init__(operands=[list(indices)], properties={"index": index}, result_types=[type_])

    def verify_(self) -> None:
        verify_address(self.index, self.indices)

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


def verify_access(buffer: SSAValue, index: ArrayAttr[StringAttr], operands: Sequence[SSAValue]) -> None:
    """VerifyException unless the access has one index for each dimension, and each names an existing operand."""
    try:
        rank = len(buffer_shape(buffer.type))
    except ValueError as error:
        raise VerifyException(str(error)) from error
    if len(verify_indices(index, len(operands))) != rank:
        raise VerifyException(f"{len(index)} indices for {buffer.type}: give one for each dimension")


def is_row_update(store: StoreOp) -> bool:
    """True if a row, outside its loops over columns, loads from the buffer that it stores to: an in-place change.

    Nothing else that the row gives depends on the old value (see `in-place`).
    """
    around = store.parent_op()
    of_row = not isinstance(around, LoopOp) or not isinstance(around.parent_op(), LoopOp)
    loads = [use.operation for use in store.buffer.uses if isinstance(use.operation, LoadOp)]
    return of_row and any(load.parent is store.parent for load in loads)


def divisors(loop: LoopOp) -> set[int]:
    """The constants by which addresses and index expressions in a loop divide the loop's index.

    They are the sizes of the inner dimensions when one loop covers several: [r floordiv 56, r mod 56]. If the address
    simplifies to a linear one, as it does for contiguous rows of 56 elements, nothing is divided.
    """
    found: set[int] = set()
    for op in walk(loop):
        match op:
            case LoadOp() | StoreOp():
                exprs = [buffer_offset(op.buffer.type, index_exprs(op.index))]
            case IndexOp():
                exprs = list(index_exprs(op.index))
            case _:
                continue
        names = {operand_name(k) for k, index in enumerate(op.indices) if index is loop.index}
        found = found.union(*(divided_by(expr, names) for expr in exprs))
    return found


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """Between two loops of a row: the second may load what the first has stored of the row."""

    name = "mlc_loop.barrier"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()
