"""The op of `mlc_loop` for code that only the last-arriving program runs."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, StringAttr, i32, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, NoTerminator
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.buffers import buffer_element
from mlc_dialects.common.index_syntax import index_exprs, print_indices
from mlc_dialects.loop.loops import ParallelOp
from mlc_dialects.loop.memory import ParsedAccess, verify_access
from mlc_support.index_expr import IndexExpr, variable
from mlc_support.powers import power_of_two_up_to


@irdl_op_definition
class LastBlockOp(IRDLOperation):
    """Runs its body in one iteration: the last to arrive of the `count` iterations that count at counter[index].

        mlc_loop.parallel %q = 0 to 4096 {
          ...
          mlc_loop.store %s, %partial[%q mod 1024, %q floordiv 1024]
          mlc_loop.last_block %arrived[%q mod 1024] of 4 : memref<1024xi32> { ... }     4 parts of each row
        }

    The body sees everything that those iterations stored before. Which one is last is not known, so the body may use
    the loop's index only through `index`. The counter is 0 before and after the launch.
    """

    name = "mlc_loop.last_block"
    counter = operand_def()
    indices = var_operand_def(IndexType)
    index = prop_def(ArrayAttr[StringAttr])
    arrivals = prop_def(IntegerAttr)
    body = region_def("single_block")
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), NoTerminator())

    def __init__(
        self,
        counter: SSAValue,
        indices: list[SSAValue],
        index: ArrayAttr[StringAttr],
        count: int,
        body: Region | None = None,
    ):
        super().__init__(
            operands=[counter, indices],
            properties={"index": index, "arrivals": IntegerAttr(count, i64)},
            regions=[Region(Block()) if body is None else body],
        )

    @property
    def count(self) -> int:
        """The number of iterations that arrive at each element of the counter."""
        return self.arrivals.value.data

    @property
    def group(self) -> IndexExpr:
        """The element of the counter; d0, d1, ... are `indices`."""
        return index_exprs(self.index)[0]

    def coalesced_rows(self, most: int) -> int:
        """The largest block of iterations, a power of two up to `most`, of which lane l counts at its first lane's
        element + l.

        Then the program of a block can finish all the block's rows at once.
        """
        loop = self.parent_op()
        assert isinstance(loop, ParallelOp)
        block = most
        if loop.overlap is not None:
            each = loop.overlap.value.data
            row = variable("c", each)
            apart = self.group.substitute({"d0": variable("b") * each + row}) - row
            return 1 if row.variables() & apart.variables() else min(most, power_of_two_up_to(each))
        while block > 1:
            start, lane = variable("b") * block, variable("l", block)
            at, first = (self.group.substitute({"d0": i}) for i in (start + lane, start))
            if loop.size.constant is not None and loop.size.constant % block == 0 and at == first + lane:
                return block
            block //= 2
        return 1

    def verify_(self) -> None:
        verify_access(self.counter, self.index, self.indices)
        if buffer_element(self.counter.type) != i32 or len(self.index) != 1:
            raise VerifyException(f"counters are a one-dimensional memref of i32, not {self.counter.type}")
        if self.count < 1:
            raise VerifyException("at least one iteration arrives at a counter")
        loop = self.parent_op()
        if not isinstance(loop, ParallelOp) or any(i is not loop.index for i in self.indices):
            raise VerifyException("must be in a parallel loop, and its counter indexed by that loop alone")

    @classmethod
    def parse(cls, parser: Parser) -> LastBlockOp:
        place = ParsedAccess.parse(parser, conditional=False)
        parser.parse_keyword("of")
        count = parser.parse_integer()
        counter, indices, _ = place.resolve(parser)
        return cls(counter, indices, place.index, count, parser.parse_region())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.counter)
        print_indices(printer, self.index, self.indices)
        printer.print_string(f" of {self.count} : ")
        printer.print_attribute(self.counter.type)
        printer.print_string(" ")
        printer.print_region(self.body, print_block_terminators=False)
