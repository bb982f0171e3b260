"""Inter-block flags: how running programs of one launch pass each other values.

    mlc_loop.parallel %q = 0 to 4096 {                          16 parts of each of 256 rows
      %t = mlc_loop.reduce add %k = 0 to 8192 -> f32 { ... }
      mlc_loop.signal %t in %flags[%q + 1] : f32, memref<4097xi64>
      %s = mlc_loop.reduce add %i = 0 to 16 -> f32 {
        %o = mlc_loop.wait %flags[%q floordiv 16 * 16 + %i + 1] : memref<4097xi64> -> f32

A flag is a 64-bit word: 32 bits of a value beside 32 bits of the launch's epoch, written at once. Whoever reads the
current epoch in a word has the value with it, so that no fence is needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IndexType, MemRefType, StringAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.buffers import buffer_element, buffer_shape, buffer_type
from mlc_dialects.common.types import BY_TYPE
from mlc_dialects.loop.loops import LoopOp, ParallelOp
from mlc_dialects.loop.memory import ParsedAccess, print_access, verify_access
from mlc_support.index_expr import integer


def can_signal(element: Attribute) -> bool:
    """True for types of 32 or 64 bits, which a flag can carry."""
    return element in BY_TYPE and BY_TYPE[element].bytes in (4, 8)


def words_per_value(element: Attribute) -> int:
    """The number of 64-bit words of a value: each carries 32 bits of it."""
    return BY_TYPE[element].bytes // 4


def flags_type(iterations: int, types: Sequence[Attribute]) -> MemRefType[Attribute]:
    """The buffer type for values of `types` of each iteration: the counter of done programs, then the values' words."""
    return buffer_type((integer(1 + iterations * sum(map(words_per_value, types))),), i64)


def verify_signalling_loop(loop: object) -> None:
    """VerifyException unless `loop` is a kernel's outer loop, whose programs start in ascending order."""
    if not isinstance(loop, ParallelOp) or isinstance(loop.parent_op(), LoopOp):
        raise VerifyException("must be in the outer parallel loop of a kernel, directly")
    if loop.backwards is not None:
        raise VerifyException("needs programs in ascending order (not backwards): else they deadlock")


def _verify_words(flags: SSAValue, index: ArrayAttr[StringAttr], operands: Sequence[SSAValue]) -> None:
    verify_access(flags, index, operands)
    if buffer_element(flags.type) != i64 or len(buffer_shape(flags.type)) != 1:
        raise VerifyException(f"flags are a one-dimensional memref of i64, not {flags.type}")


@irdl_op_definition
class SignalOp(IRDLOperation):
    """Writes a value into flags[index], where other iterations of the launch wait for it.

    Programs start in the order of their ids. `swizzle` of the loop brings blocks that wait for each other together.
    Each word is signalled once a launch: where blocks overlap, by the first that has the iteration. A value of 64 bits
    takes two consecutive words, starting at the index. `flags` is a buffer of `mlc_loop.flags`; its word 0 counts the
    programs that are done.
    """

    name = "mlc_loop.signal"
    value = operand_def()
    flags = operand_def()
    indices = var_operand_def(IndexType)
    index = prop_def(ArrayAttr[StringAttr])
    traits = traits_def(MemoryWriteEffect())

    def __init__(self, value: SSAValue, flags: SSAValue, indices: Sequence[SSAValue], index: ArrayAttr[StringAttr]):
        super().__init__(operands=[value, flags, list(indices)], properties={"index": index})

    def verify_(self) -> None:
        verify_signalling_loop(self.parent_op())
        _verify_words(self.flags, self.index, self.indices)
        if not can_signal(self.value.type):
            raise VerifyException(f"signals values of 32 or 64 bits, not {self.value.type}")

    @classmethod
    def parse(cls, parser: Parser) -> SignalOp:
        value = parser.parse_unresolved_operand()
        parser.parse_keyword("in")
        place = ParsedAccess.parse(parser, conditional=False)
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        parser.parse_punctuation(",")
        flags = parser.resolve_operand(place.buffer, parser.parse_type())
        indices = [parser.resolve_operand(o, IndexType()) for o in place.operands]
        return cls(parser.resolve_operand(value, type_), flags, indices, place.index)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(" in ")
        print_access(printer, self.flags, self.index, self.indices)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        printer.print_attribute(self.flags.type)


@irdl_op_definition
class WaitOp(IRDLOperation):
    """Waits until some iteration of this launch has signalled flags[index], and returns the value.

    That iteration may be an earlier or a later one. To exclude deadlock, iterations that wait for each other must be
    consecutive, and no more of them than the device runs programs at once.
    """

    name = "mlc_loop.wait"
    flags = operand_def()
    indices = var_operand_def(IndexType)
    index = prop_def(ArrayAttr[StringAttr])
    result = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, flags: SSAValue, indices: Sequence[SSAValue], index: ArrayAttr[StringAttr], type_: Attribute):
        super().__init__(operands=[flags, list(indices)], properties={"index": index}, result_types=[type_])

    def verify_(self) -> None:
        _verify_words(self.flags, self.index, self.indices)
        if not can_signal(self.result.type):
            raise VerifyException(f"waits for values of 32 or 64 bits, not {self.result.type}")

    @classmethod
    def parse(cls, parser: Parser) -> WaitOp:
        place = ParsedAccess.parse(parser, conditional=False)
        flags, indices, _ = place.resolve(parser)
        parser.parse_punctuation("->")
        return cls(flags, indices, place.index, parser.parse_type())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_access(printer, self.flags, self.index, self.indices)
        printer.print_string(" : ")
        printer.print_attribute(self.flags.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)
