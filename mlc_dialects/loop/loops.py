"""Loops of `mlc_loop`: parallel ones, reductions and what their iterations yield."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, StringAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsTerminator,
    NoTerminator,
    Pure,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.index_syntax import IndexReader, print_index
from mlc_dialects.common.reduction_kinds import PAIRED, PLAIN, result_count
from mlc_dialects.common.types import is_float
from mlc_support.index_expr import IndexExpr
from mlc_support.index_parse import parse

MAPPING = ("program", "block", "within", "stages", "turns", "run")
"""What a schedule says of a loop in numbers."""
MODIFIERS = ("backwards", "unrolled", "peeled")
"""What else it says."""


class LoopOp(IRDLOperation):
    """What all loops have: an index in [0, extent) and the mapping that a schedule gives it.

    Programs take the blocks of a loop in order, or in turns: with `swizzle 8 by 100`, of each 800 blocks, first block 0
    of each of 8 runs of 100 blocks, then block 1 of each, and so on.

    Blocks lie side by side, and the last may not be whole; with `overlap 100`, all are whole, and none leaves the 100
    iterations that it begins in: the last of these begins early, and does again what the one before it does as well.
    """

    extent = prop_def(StringAttr)
    program = opt_prop_def(IntegerAttr)
    block = opt_prop_def(IntegerAttr)
    overlap = opt_prop_def(IntegerAttr)
    stages = opt_prop_def(IntegerAttr)
    swizzle_rows = opt_prop_def(IntegerAttr)
    swizzle_columns = opt_prop_def(IntegerAttr)
    backwards = opt_prop_def(UnitAttr)
    """The last blocks come first."""
    unrolled = opt_prop_def(UnitAttr)
    """Each block has code of its own, so that accumulators need no registers from one to the next."""
    peeled = opt_prop_def(UnitAttr)
    """The last block, which is not whole, has code of its own, so that no other needs a mask."""
    body = region_def("single_block")

    @property
    def index(self) -> SSAValue:
        return self.body.block.args[0]

    @property
    def size(self) -> IndexExpr:
        """The number of iterations."""
        return parse(self.extent.data)

    @property
    def block_size(self) -> int:
        return 1 if self.block is None else self.block.value.data

    @property
    def loops(self) -> list[LoopOp]:
        """The loops right in its body: those over the columns of a loop over rows."""
        return [op for op in self.body.block.ops if isinstance(op, LoopOp)]

    @property
    def grid_axis(self) -> int:
        """The axis of the grid that the loop's blocks are spread over, if they are; one that is not has the first."""
        return 0 if self.program is None else self.program.value.data

    @property
    def stage_count(self) -> int:
        """Of how many steps of a loop the loads are on their way at once; 1 if each step waits for its own."""
        return 1 if self.stages is None else self.stages.value.data

    def set_mapping(self, program: int | None = None, block: int | None = None, stages: int = 1) -> None:
        """Spreads the loop over grid axis `program`, `block` iterations at once, `stages` steps ahead in memory."""
        self.program = None if program is None else IntegerAttr(program, i64)
        self.block = None if block is None else IntegerAttr(block, i64)
        self.stages = IntegerAttr(stages, i64) if stages > 1 else None

    @property
    def blocks(self) -> IndexExpr:
        """How many blocks the iterations make, the last one perhaps not whole."""
        if self.overlap is None:
            return (self.size + self.block_size - 1) // self.block_size
        each = self.overlap.value.data
        return self.size // each * -(-each // self.block_size)

    def set_swizzle(self, swizzle_rows: int, swizzle_columns: int) -> None:
        """Lets programs that follow each other take their blocks from `swizzle_rows` runs of `swizzle_columns` blocks, in turns."""
        self.swizzle_rows, self.swizzle_columns = IntegerAttr(swizzle_rows, i64), IntegerAttr(swizzle_columns, i64)

    def swizzled_block(self, program: IndexExpr) -> IndexExpr:
        """The block that the `program`-th program takes, of a loop whose programs take turns."""
        assert self.swizzle_rows is not None and self.swizzle_columns is not None
        swizzle_rows, swizzle_columns = self.swizzle_rows.value.data, self.swizzle_columns.value.data
        return (
            program // (swizzle_rows * swizzle_columns) * (swizzle_rows * swizzle_columns)
            + program % swizzle_rows * swizzle_columns
            + program // swizzle_rows % swizzle_columns
        )

    def verify_(self) -> None:
        if [a.type for a in self.body.block.args] != [IndexType()]:
            raise VerifyException("the body takes the loop index, of type index")
        if self.block is not None and self.block_size & (self.block_size - 1):
            raise VerifyException(f"block {self.block_size} is not a power of two, as Triton needs")
        if (self.swizzle_rows is None) != (self.swizzle_columns is None) or (
            self.swizzle_rows is not None and self.program is None
        ):
            raise VerifyException("programs take turns along runs: `turns`, `run` and `program` go together")
        if self.swizzle_rows is not None and self.swizzle_columns is not None:
            count = self.swizzle_rows.value.data * self.swizzle_columns.value.data
            if self.blocks.constant is None or count < 1 or self.blocks.constant % count:
                raise VerifyException(f"{count} blocks at a time, in turns, do not make up {self.blocks}")
        if self.overlap is not None:
            self._verify_overlap(self.overlap.value.data)
        if self.backwards is not None and not isinstance(self, ParallelOp):
            raise VerifyException("only the blocks of a parallel loop may run backwards")
        if self.peeled is not None and (self.program is None or self.overlap is not None or self.loops):
            raise VerifyException("only the last program of a loop without loops, and not `within`, is peeled")
        if self.unrolled is not None and self.size.constant is None:
            raise VerifyException("only a known number of blocks is unrolled")

    def _verify_overlap(self, each: int) -> None:
        if not isinstance(self, ParallelOp) or self.swizzle_rows is not None:
            raise VerifyException("only blocks of a parallel loop, in no turns, may begin early: `within`")
        if each < self.block_size or (self.size % each).constant != 0:
            raise VerifyException(
                f"blocks of {self.block_size} do not lie within each {each} of {self.size} iterations"
            )

    def print_header(self, printer: Printer) -> None:
        printer.print_ssa_value(self.index)
        printer.print_string(" = 0 to ")
        print_index(printer, self.extent.data, ())
        self.print_mapping(printer)

    def print_mapping(self, printer: Printer) -> None:
        """` program 0 block 64 stages 3 swizzle 8 by 100 backwards unrolled peeled`, as far as it is given."""
        for keyword in MAPPING:
            number = self.properties.get(keyword)
            if isinstance(number, IntegerAttr):
                printer.print_string(f" {keyword} {number.value.data}")
        for keyword in MODIFIERS:
            if keyword in self.properties:
                printer.print_string(f" {keyword}")


def _parse_mapping(parser: Parser) -> dict[str, Attribute]:
    """What `LoopOp.print_mapping` writes, as properties."""
    numbers: dict[str, Attribute] = {
        keyword: IntegerAttr(parser.parse_integer(), i64)
        for keyword in MAPPING
        if parser.parse_optional_keyword(keyword)
    }
    return numbers | {keyword: UnitAttr() for keyword in MODIFIERS if parser.parse_optional_keyword(keyword)}


def _parse_header(parser: Parser) -> tuple[Any, dict[str, Attribute]]:
    index = parser.parse_argument(expect_type=False).resolve(IndexType())
    parser.parse_punctuation("=")
    parser.parse_integer()
    parser.parse_keyword("to")
    properties: dict[str, Attribute] = {"extent": StringAttr(str(IndexReader(parser).expression()))}
    return index, properties | _parse_mapping(parser)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The values that one iteration gives to its reduction; an iteration whose condition is false gives none."""

    name = "mlc_loop.yield"
    condition = opt_operand_def(i1)
    values = var_operand_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), IsTerminator())
    assembly_format = "attr-dict (`if` $condition^)? ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue], condition: SSAValue | None = None):
        super().__init__(operands=[condition, list(values)])


@irdl_op_definition
class ParallelOp(LoopOp):
    """Runs its body for every index, in any order; in ascending order if a scan is inside."""

    name = "mlc_loop.parallel"
    traits = traits_def(RecursiveMemoryEffect(), NoTerminator())

    def __init__(self, extent: IndexExpr, body: Region | None = None):
        region = Region(Block(arg_types=[IndexType()])) if body is None else body
        super().__init__(properties={"extent": StringAttr(str(extent))}, regions=[region])

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        index, properties = _parse_header(parser)
        return cls.create(properties=properties, regions=[parser.parse_region([index])])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_header(printer)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=False)


@irdl_op_definition
class SerialOp(LoopOp):
    """Runs its body in order, for start, start + step * block, ... below the extent; `block` iterations at once.

        mlc_loop.serial %p = %g to 16384 step 264 { ... }

    With one program for each of 264 values of %g, each walks its share of the rows.
    """

    name = "mlc_loop.serial"
    start = operand_def(IndexType)
    step = prop_def(IntegerAttr)
    traits = traits_def(RecursiveMemoryEffect(), NoTerminator())

    def __init__(self, start: SSAValue, extent: IndexExpr, step: int, body: Region):
        super().__init__(
            operands=[start],
            properties={"extent": StringAttr(str(extent)), "step": IntegerAttr(step, i64)},
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> SerialOp:
        index = parser.parse_argument(expect_type=False).resolve(IndexType())
        parser.parse_punctuation("=")
        start = parser.parse_unresolved_operand()
        parser.parse_keyword("to")
        extent = IndexReader(parser).expression()
        parser.parse_keyword("step")
        step = parser.parse_integer()
        mapping = _parse_mapping(parser)
        op = cls(parser.resolve_operand(start, IndexType()), extent, step, parser.parse_region([index]))
        op.properties |= mapping
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.index)
        printer.print_string(" = ")
        printer.print_operand(self.start)
        printer.print_string(" to ")
        print_index(printer, self.extent.data, ())
        printer.print_string(f" step {self.step.value.data}")
        self.print_mapping(printer)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=False)


@irdl_op_definition
class ReduceOp(LoopOp):
    """Combines what the iterations yield, one kind a value, starting from each kind's identity.

    argmax and argmin yield the value and give the index (i64) of its first occurrence; NaN wins.
    softmax and welford give two results each (see mlc_dialects/common/reduction_kinds.py); `approx` lets
    softmax take the hardware's coarser exp.
    """

    name = "mlc_loop.reduce"
    kinds = prop_def(ArrayAttr[StringAttr])
    approx = opt_prop_def(UnitAttr)
    outputs = var_result_def()
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        kinds: Sequence[str],
        extent: IndexExpr,
        result_types: Sequence[Attribute],
        body: Region | None = None,
    ):
        region = Region(Block(arg_types=[IndexType()])) if body is None else body
        super().__init__(
            properties={
                "kinds": ArrayAttr([StringAttr(k) for k in kinds]),
                "extent": StringAttr(str(extent)),
            },
            result_types=[list(result_types)],
            regions=[region],
        )

    @property
    def end(self) -> YieldOp:
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last

    @property
    def yielded(self) -> tuple[SSAValue, ...]:
        return tuple(self.end.values)

    @property
    def parts(self) -> list[tuple[str, SSAValue, tuple[SSAValue, ...]]]:
        """Each reduction's kind, the value it is given and its results."""
        results = list(self.outputs)
        found: list[tuple[str, SSAValue, tuple[SSAValue, ...]]] = []
        for kind, value in zip(self.kinds, self.yielded, strict=True):
            count = result_count(kind.data)
            found.append((kind.data, value, tuple(results[:count])))
            del results[:count]
        return found

    def verify_(self) -> None:
        super().verify_()
        if not isinstance(self.body.block.last_op, YieldOp):
            raise VerifyException("the body must end in mlc_loop.yield")
        kinds = [k.data for k in self.kinds]
        known = (*PLAIN, *PAIRED)
        if any(k not in known for k in kinds):
            raise VerifyException(f"kinds are among {', '.join(known)}, found {', '.join(kinds)}")
        if len(kinds) != len(self.yielded):
            raise VerifyException(f"{len(kinds)} kinds and {len(self.yielded)} yielded values: one kind a value")
        wanted = [t for k, v in zip(kinds, self.yielded, strict=True) for t in result_types(k, v.type)]
        if [r.type for r in self.outputs] != wanted:
            raise VerifyException(f"results must be {', '.join(map(str, wanted))}")
        if any(k in PAIRED and not is_float(v.type) for k, v in zip(kinds, self.yielded, strict=True)):
            raise VerifyException(f"{' and '.join(PAIRED)} combine floats")

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        kinds = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_identifier)
        approx = parser.parse_optional_keyword("approx") is not None
        index, properties = _parse_header(parser)
        properties |= {"approx": UnitAttr()} if approx else {}
        properties["kinds"] = ArrayAttr([StringAttr(k) for k in kinds])
        parser.parse_punctuation("->")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.create(properties=properties, result_types=types, regions=[parser.parse_region([index])])

    def print(self, printer: Printer) -> None:
        printer.print_string(" " + ", ".join(k.data for k in self.kinds) + " ")
        printer.print_string("approx " if self.approx is not None else "")
        self.print_header(printer)
        printer.print_string(" -> ")
        printer.print_list([r.type for r in self.outputs], printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


def result_types(kind: str, value: Attribute) -> list[Attribute]:
    """The types of the results that reducing values of one type gives."""
    return [i64 if kind.startswith("arg") else value] * result_count(kind)
