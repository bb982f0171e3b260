"""Ops of `mlc_triton` that address memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i64,
)
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
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.assembly import parse_mask, parse_types, print_mask, print_types
from mlc_dialects.common.index_syntax import (
    IndexReader,
    parse_evict,
    print_evict,
    print_index,
    print_indices,
    verify_address,
    verify_indices,
)
from mlc_dialects.common.types import storage
from mlc_dialects.triton.types import PointerType, block_element, block_shape


@irdl_op_definition
class IndexOp(IRDLOperation):
    """An index expression over integers or blocks of them: `mlc_triton.index [%p * 4 + %i] : tensor<4xi32>`."""

    name = "mlc_triton.index"
    operands_ = var_operand_def()
    index = prop_def(ArrayAttr[StringAttr])
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, operands: Sequence[SSAValue], index: ArrayAttr[StringAttr], type_: Attribute):
        super().__init__(operands=[list(operands)], properties={"index": index}, result_types=[type_])

    def verify_(self) -> None:
        verify_address(self.index, self.operands_)

    @classmethod
    def parse(cls, parser: Parser) -> IndexOp:
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        parser.parse_punctuation(":")
        types, result = _parse_types(parser)
        return cls(parser.resolve_operands(reader.operands, types, parser.pos), index, result)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_indices(printer, self.index, self.operands_)
        _print_types(printer, self.operands_, self.result.type)


@irdl_op_definition
class MaskOp(IRDLOperation):
    """True where each index is below its bound: `mlc_triton.mask %p < 40, %r < N : (...) -> tensor<4x64xi1>`."""

    name = "mlc_triton.mask"
    indices = var_operand_def()
    bounds = var_operand_def()
    limits = prop_def(ArrayAttr[StringAttr])
    """One bound for each index: index expressions; d0, d1, ... are `bounds`."""
    result = result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self,
        indices: Sequence[SSAValue],
        limits: ArrayAttr[StringAttr],
        bounds: Sequence[SSAValue],
        type_: Attribute,
    ):
        super().__init__(operands=[list(indices), list(bounds)], properties={"limits": limits}, result_types=[type_])

    def verify_(self) -> None:
        if len(verify_indices(self.limits, len(self.bounds))) != len(self.indices):
            raise VerifyException(f"{len(self.limits)} bounds for {len(self.indices)} indices: give one for each")

    @classmethod
    def parse(cls, parser: Parser) -> MaskOp:
        reader = IndexReader(parser)
        indices: list[Any] = []
        limits: list[StringAttr] = []

        def bound() -> None:
            indices.append(parser.parse_unresolved_operand())
            parser.parse_punctuation("<")
            limits.append(StringAttr(str(reader.expression())))

        parser.parse_comma_separated_list(parser.Delimiter.NONE, bound)
        parser.parse_punctuation(":")
        types, result = _parse_types(parser)
        count = len(indices)
        return cls(
            parser.resolve_operands(indices, types[:count], parser.pos),
            ArrayAttr(limits),
            parser.resolve_operands(reader.operands, types[count:], parser.pos),
            result,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")

        def bound(pair: tuple[SSAValue, StringAttr]) -> None:
            printer.print_ssa_value(pair[0])
            printer.print_string(" < ")
            print_index(printer, pair[1].data, self.bounds)

        printer.print_list(list(zip(self.indices, self.limits.data, strict=True)), bound)
        _print_types(printer, self.operands, self.result.type)


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Loads pointer[index]; where the mask is false, nothing is read and the value is `other`, or 0.

    `evict` is Triton's eviction policy: "first" for data that is read once, "last" for data that is read again. With
    `as_vector` a block of which one dimension is larger than 1 is loaded as one dimension. Triton lays it out by itself
    then: a block of two dimensions may impose its layout on what it meets. `along` is the dimension of a block in which
    neighbours lie closest in memory, where Triton cannot tell: neighbouring lanes take those.
    """

    name = "mlc_triton.load"
    pointer = operand_def(PointerType)
    indices = var_operand_def()
    mask = opt_operand_def()
    index = prop_def(ArrayAttr[StringAttr])
    other = opt_prop_def(FloatAttr)
    evict = opt_prop_def(StringAttr)
    as_vector = opt_prop_def(UnitAttr)
    along = opt_prop_def(IntegerAttr[I64])
    result = result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self,
        pointer: SSAValue,
        indices: Sequence[SSAValue],
        index: ArrayAttr[StringAttr],
        mask: SSAValue | None,
        type_: Attribute,
    ):
        super().__init__(operands=[pointer, list(indices), mask], properties={"index": index}, result_types=[type_])

    def with_mask(self, mask: SSAValue | None, indices: Sequence[SSAValue] | None = None) -> LoadOp:
        """The same load where `mask` is true, with its hints and its name; at other `indices` if they are given."""
        own = self.indices if indices is None else indices
        new = LoadOp(self.pointer, own, self.index, mask, self.result.type)
        new.other = None if mask is None else self.other
        new.evict, new.as_vector, new.along, new.location = self.evict, self.as_vector, self.along, self.location
        new.result.name_hint = self.result.name_hint
        return new

    def verify_(self) -> None:
        assert isinstance(self.pointer.type, PointerType)
        if self.as_vector is not None and sum(size > 1 for size in block_shape(self.result.type)) != 1:
            raise VerifyException(f"as_vector needs one dimension larger than 1, and no more: {self.result.type}")
        _verify_along(self.along, self.result.type)
        if storage(self.pointer.type.element) != block_element(self.result.type):
            raise VerifyException(f"cannot load {self.result.type} through {self.pointer.type}")
        verify_address(self.index, self.indices)

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        pointer = parser.parse_unresolved_operand()
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        mask = parse_mask(parser)
        other = parser.parse_attribute() if parser.parse_optional_keyword("other") else None
        evict, as_vector = parse_evict(parser), parser.parse_optional_keyword("as_vector")
        along = _parse_along(parser)
        parser.parse_punctuation(":")
        types, result = _parse_types(parser)
        values = parser.resolve_operands([pointer, *reader.operands, *mask], types, parser.pos)
        op = cls(values[0], values[1 : 1 + len(reader.operands)], index, values[-1] if mask else None, result)
        op.properties |= {"other": other} if other is not None else {}
        op.evict, op.as_vector, op.along = evict, UnitAttr() if as_vector else None, along
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.pointer)
        print_indices(printer, self.index, self.indices)
        print_mask(printer, self.mask)
        if self.other is not None:
            printer.print_string(" other ")
            printer.print_attribute(self.other)
        print_evict(printer, self.evict)
        if self.as_vector is not None:
            printer.print_string(" as_vector")
        _print_along(printer, self.along)
        _print_types(printer, self.operands, self.result.type)


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Stores to pointer[index] where the mask is true; `evict` and `along` are as for a load."""

    name = "mlc_triton.store"
    pointer = operand_def(PointerType)
    value = operand_def()
    indices = var_operand_def()
    mask = opt_operand_def()
    index = prop_def(ArrayAttr[StringAttr])
    evict = opt_prop_def(StringAttr)
    along = opt_prop_def(IntegerAttr[I64])
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        pointer: SSAValue,
        value: SSAValue,
        indices: Sequence[SSAValue],
        index: ArrayAttr[StringAttr],
        mask: SSAValue | None,
    ):
        super().__init__(operands=[pointer, value, list(indices), mask], properties={"index": index})

    def with_mask(self, mask: SSAValue | None) -> StoreOp:
        """The same store where `mask` is true, with its hints."""
        new = StoreOp(self.pointer, self.value, self.indices, self.index, mask)
        new.evict, new.along, new.location = self.evict, self.along, self.location
        return new

    def verify_(self) -> None:
        assert isinstance(self.pointer.type, PointerType)
        _verify_along(self.along, self.value.type)
        if storage(self.pointer.type.element) != block_element(self.value.type):
            raise VerifyException(f"cannot store {self.value.type} through {self.pointer.type}")
        verify_address(self.index, self.indices)

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        pointer = parser.parse_unresolved_operand()
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        parser.parse_punctuation("=")
        value = parser.parse_unresolved_operand()
        mask = parse_mask(parser)
        evict, along = parse_evict(parser), _parse_along(parser)
        parser.parse_punctuation(":")
        types = parse_types(parser)
        values = parser.resolve_operands([pointer, value, *reader.operands, *mask], types, parser.pos)
        op = cls(values[0], values[1], values[2 : 2 + len(reader.operands)], index, values[-1] if mask else None)
        op.evict, op.along = evict, along
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.pointer)
        print_indices(printer, self.index, self.indices)
        printer.print_string(" = ")
        printer.print_operand(self.value)
        print_mask(printer, self.mask)
        print_evict(printer, self.evict)
        _print_along(printer, self.along)
        printer.print_string(" : ")
        print_types(printer, self.operands)


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """All lanes of the program wait here; behind it each of them sees what any has stored: `tl.debug_barrier()`."""

    name = "mlc_triton.barrier"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()


@irdl_op_definition
class GdcWaitOp(IRDLOperation):
    """Waits until the launches before this one have ended, and sees all that they have stored: `gdc_wait()` of Triton.

    A kernel that begins with it may be launched while the one before it ends: programmatic dependent launch, by grid
    dependency control (PTX `griddepcontrol.wait`), from sm_90 on.
    """

    name = "mlc_triton.gdc_wait"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()


def _parse_along(parser: Parser) -> IntegerAttr[I64] | None:
    return IntegerAttr(parser.parse_integer(), i64) if parser.parse_optional_keyword("along") else None


def _print_along(printer: Printer, along: IntegerAttr[I64] | None) -> None:
    if along is not None:
        printer.print_string(f" along {along.value.data}")


def _verify_along(along: IntegerAttr[I64] | None, block: Attribute) -> None:
    if along is not None and not 0 <= along.value.data < len(block_shape(block)):
        raise VerifyException(f"along {along.value.data}: give a dimension of {block}")


def _parse_types(parser: Parser) -> tuple[list[Attribute], Attribute]:
    types = parse_types(parser)
    parser.parse_punctuation("->")
    return types, parser.parse_type()


def _print_types(printer: Printer, operands: Sequence[SSAValue], result: Attribute) -> None:
    printer.print_string(" : ")
    print_types(printer, operands)
    printer.print_string(" -> ")
    printer.print_attribute(result)
