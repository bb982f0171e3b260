"""The op of `mlc_loop` for what earlier iterations, of other programs, have come to."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.loop.inter_block import SignalOp, can_signal, flags_type, verify_signalling_loop
from mlc_dialects.loop.loops import LoopOp

PREFIX_KINDS = ("add", "mul", "max", "min")
"""What earlier iterations can be combined by."""


@irdl_op_definition
class ExclusivePrefixOp(IRDLOperation):
    """What each input comes to in all earlier iterations of the same row; in the first, the identity of its kind.

        mlc_loop.parallel %q = 0 to 8192 {                          128 parts of each of 64 rows
          %t = mlc_loop.reduce add %k = 0 to 8192 -> f32 { ... }
          %c = mlc_loop.exclusive_prefix add %t of 64 in %told : memref<8193xi64> -> f32

    Iteration q is part q floordiv 64 of row q mod 64. Each iteration publishes its input as soon as it has it, and
    awaits those of the parts before its own: hundreds of them, not one prefix, so that parts do not wait for each other
    to wait (the "aggregates" of Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016;
    they look back until they meet a prefix, which rounds otherwise in each run). The order of combining is fixed.

    Programs take iterations in the order in which they start, whatever their ids: those awaited are at work. So the
    loop is that of the kernel, with one iteration a program. `flags` is what `mlc_loop.flags` gives, of `flags_type`.
    """

    name = "mlc_loop.exclusive_prefix"
    kinds = prop_def(ArrayAttr[StringAttr])
    rows = prop_def(IntegerAttr)
    flags = operand_def()
    inputs = var_operand_def()
    outputs = var_result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, kinds: Sequence[str], inputs: Sequence[SSAValue], rows: int, flags: SSAValue):
        super().__init__(
            operands=[flags, list(inputs)],
            properties={"kinds": ArrayAttr([StringAttr(k) for k in kinds]), "rows": IntegerAttr(rows, i64)},
            result_types=[[v.type for v in inputs]],
        )

    @property
    def row_count(self) -> int:
        """How many rows the iterations belong to in turns."""
        return self.rows.value.data

    @property
    def iterations(self) -> int:
        """All parts of all rows."""
        loop = self.parent_op()
        assert isinstance(loop, LoopOp) and loop.size.constant is not None
        return loop.size.constant

    def verify_(self) -> None:
        kinds, loop = [k.data for k in self.kinds], self.parent_op()
        types = [v.type for v in self.inputs]
        verify_signalling_loop(loop)
        assert isinstance(loop, LoopOp)
        if sum(isinstance(op, ExclusivePrefixOp) for op in loop.body.block.ops) != 1:
            raise VerifyException("stands alone: one op tells all that the iterations of a loop tell each other")
        if loop.size.constant is None or self.row_count < 1 or loop.size.constant % self.row_count:
            raise VerifyException(f"{loop.size} iterations are not so many parts of each of {self.row_count} rows")
        if any(k not in PREFIX_KINDS for k in kinds) or len(kinds) != len(types) or not kinds:
            raise VerifyException(f"takes one kind a value, each among {', '.join(PREFIX_KINDS)}")
        if not all(map(can_signal, types)) or [r.type for r in self.outputs] != types:
            raise VerifyException("gives values of the types it takes, each of 32 or 64 bits")
        wanted = flags_type(loop.size.constant, types)
        if self.flags.type != wanted:
            raise VerifyException(f"tells in {wanted}, not in {self.flags.type}")

    @classmethod
    def parse(cls, parser: Parser) -> ExclusivePrefixOp:
        kinds = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_identifier)
        inputs = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        parser.parse_keyword("of")
        rows = parser.parse_integer()
        parser.parse_keyword("in")
        flags = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        buffer = parser.parse_type()
        parser.parse_punctuation("->")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        values = parser.resolve_operands(inputs, types, parser.pos)
        return cls(kinds, values, rows, parser.resolve_operand(flags, buffer))

    def print(self, printer: Printer) -> None:
        printer.print_string(" " + ", ".join(k.data for k in self.kinds) + " ")
        printer.print_list(self.inputs, printer.print_operand)
        printer.print_string(f" of {self.row_count} in ")
        printer.print_operand(self.flags)
        printer.print_string(" : ")
        printer.print_attribute(self.flags.type)
        printer.print_string(" -> ")
        printer.print_list([r.type for r in self.outputs], printer.print_attribute)


def flags_of(loop: LoopOp) -> SSAValue | None:
    """The buffer in which the iterations of a kernel's outer loop tell each other values; None where none does."""
    telling = (op.flags for op in loop.body.block.ops if isinstance(op, ExclusivePrefixOp | SignalOp))
    return next(telling, None)
