"""The op of `mlc_loop` that combines the values of all earlier iterations, which other programs compute."""

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
"""The ways to combine the values of earlier iterations."""


@irdl_op_definition
class ExclusivePrefixOp(IRDLOperation):
    """The exclusive prefix of each input: the combination of its values in all earlier iterations of the same row.

        mlc_loop.parallel %q = 0 to 8192 {                          128 parts of each of 64 rows
          %t = mlc_loop.reduce add %k = 0 to 8192 -> f32 { ... }
          %c = mlc_loop.exclusive_prefix add %t of 64 in %flags : memref<8193xi64> -> f32

    Iteration q is part q floordiv 64 of row q mod 64. In the first part of a row the result is the identity of its
    kind.

    Each iteration signals its input as soon as it is computed, and waits for the inputs of all earlier parts of its
    row: hundreds of totals, not one prefix, so that no program waits for a program that waits. These are the
    "aggregates" of Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back" (2016). Their
    look-back stops at the first prefix it finds, so that rounding differs from run to run; here the order of combining
    is fixed.

    Programs start in the order of their ids: all programs that one waits for are running. So the loop must be the outer
    loop of the kernel, one iteration a program. `flags` is a buffer of
    `mlc_loop.flags`, of type `flags_type`.
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
        """The number of rows. Consecutive iterations belong to consecutive rows."""
        return self.rows.value.data

    @property
    def iterations(self) -> int:
        """The number of iterations of the loop: all parts of all rows."""
        loop = self.parent_op()
        assert isinstance(loop, LoopOp) and loop.size.constant is not None
        return loop.size.constant

    def verify_(self) -> None:
        kinds, loop = [k.data for k in self.kinds], self.parent_op()
        types = [v.type for v in self.inputs]
        verify_signalling_loop(loop)
        assert isinstance(loop, LoopOp)
        if loop.block_size != 1 or loop.swizzle_rows is not None:
            raise VerifyException(
                "needs one iteration a program, in ascending order (no block or swizzle): else programs deadlock"
            )
        if sum(isinstance(op, ExclusivePrefixOp) for op in loop.body.block.ops) != 1:
            raise VerifyException("a loop has at most one exclusive prefix: give all values to one op")
        if loop.size.constant is None or self.row_count < 1 or loop.size.constant % self.row_count:
            raise VerifyException(f"{loop.size} iterations are not a multiple of {self.row_count} rows")
        if any(k not in PREFIX_KINDS for k in kinds) or len(kinds) != len(types) or not kinds:
            raise VerifyException(f"needs one kind for each value, of {', '.join(PREFIX_KINDS)}")
        if not all(map(can_signal, types)) or [r.type for r in self.outputs] != types:
            raise VerifyException("each result has the type of its input, of 32 or 64 bits")
        wanted = flags_type(loop.size.constant, types)
        if self.flags.type != wanted:
            raise VerifyException(f"needs flags of type {wanted}, not {self.flags.type}")

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
    """The buffer of inter-block flags that the iterations of a kernel's outer loop use; None if they use none."""
    found = (op.flags for op in loop.body.block.ops if isinstance(op, ExclusivePrefixOp | SignalOp))
    return next(found, None)
