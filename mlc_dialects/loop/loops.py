"""Loops of `mlc_loop`: parallel and serial ones, what all share, and the mapping that a schedule gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    NoTerminator,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.index_syntax import IndexReader, index_attribute, index_exprs, print_index, verify_indices
from mlc_dialects.loop.loop_header import (
    MAPPING,
    MODIFIERS,
    parse_axes,
    parse_index,
    parse_mapping,
    print_axes,
    print_mapping,
)
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, product
from mlc_support.locations import location_of

PREFETCHED = 2
"""Stages of a loop whose next step waits in registers."""


class LoopOp(IRDLOperation):
    """What all loops share: axes, each with an index in [0, extent), and the mapping to the GPU that a schedule gives.

    A loop over several axes visits the points of their product; where the order counts, as for a scan or the position
    that argmax gives, it is the row-major one. Only a loop over one axis can be mapped.

    Block b covers `block` iterations from b * block on; the last block may be partial.

    `overlap 100`: each 100 iterations have whole blocks of their own. The last block of each 100 starts early, so that
    it ends with them, and recomputes iterations of the block before it.

    `swizzle 8 by 100`: each 800 blocks are a matrix of 8 rows and 100 columns, row after row. Consecutive programs go
    down its columns: they take blocks 0, 100, ..., 700, then 1, 101, ..., 701.

    `group 8`, of a loop over rows with one over columns in it, both mapped to the grid: consecutive programs take 8
    blocks of rows, then the same 8 with the next block of columns. They share what they read, which L2 then holds.

    `persistent 132`, of the same: the grid has so many programs, and program t takes blocks t, t + 132, t + 264, ... in
    that order (persistent loop).

    `slices 2`, of a loop over blocks of columns around products: what follows them is done to the left half of a block,
    then to the right one. Registers hold half as much of what is computed beside the products.

    On a CPU, `lanes 64`: so many iterations along the last axis run together, and the loops inside visit their points
    once for all of them. `tile 0`: axis 0 and the last one are visited in square tiles, since some buffers are
    contiguous along the one and some along the other. `shares 64`: threads take the iterations in so many equal runs,
    and iteration p of n is in run `(p * 64) floordiv n`. What is accumulated for each run needs no atomic operation.
    """

    extents = prop_def(ArrayAttr[StringAttr])
    program = opt_prop_def(IntegerAttr)
    block = opt_prop_def(IntegerAttr)
    overlap = opt_prop_def(IntegerAttr)
    stages = opt_prop_def(IntegerAttr)
    swizzle_rows = opt_prop_def(IntegerAttr)
    swizzle_columns = opt_prop_def(IntegerAttr)
    group = opt_prop_def(IntegerAttr)
    persistent = opt_prop_def(IntegerAttr)
    slices = opt_prop_def(IntegerAttr)
    lanes = opt_prop_def(IntegerAttr)
    tile = opt_prop_def(IntegerAttr)
    shares = opt_prop_def(IntegerAttr)
    backwards = opt_prop_def(UnitAttr)
    """Program 0 takes the last block."""
    unrolled = opt_prop_def(UnitAttr)
    """The loop over blocks is unrolled fully."""
    peeled = opt_prop_def(UnitAttr)
    """The last, partial block has a code path of its own, or the last, shorter part; the others need no mask."""
    body = region_def("single_block")

    @property
    def indices(self) -> Sequence[BlockArgument]:
        """The indices of the axes, the outermost first."""
        return self.body.block.args

    @property
    def sizes(self) -> tuple[IndexExpr, ...]:
        """The extents of the axes."""
        return index_exprs(self.extents)

    @property
    def index(self) -> SSAValue:
        """The index of a loop over one axis."""
        if len(self.indices) != 1:
            raise MlcError(
                f"{self.name}: needs a loop over one axis, not over {len(self.indices)}",
                location=location_of(self),
                hint="linearize-axes makes one axis of several",
            )
        return self.indices[0]

    @property
    def size(self) -> IndexExpr:
        """The number of iterations: the product of the extents."""
        return product(self.sizes)

    @property
    def is_mapped(self) -> bool:
        """True if the loop has any part of a mapping to the GPU."""
        return any(name in self.properties for name in (*MAPPING, *MODIFIERS))

    @property
    def block_size(self) -> int:
        return 1 if self.block is None else self.block.value.data

    @property
    def is_one_block(self) -> bool:
        """True if a block is known to have all iterations: then a program that has the whole loop takes one step."""
        return self.size.constant is not None and self.size.constant <= self.block_size

    @property
    def loops(self) -> list[LoopOp]:
        """The loops nested directly in this one: over the columns, if this one is over rows."""
        return [op for op in self.body.block.ops if isinstance(op, LoopOp)]

    @property
    def grid_axis(self) -> int:
        """The axis of the launch grid for the loop's blocks; 0 if it is not mapped to the grid."""
        return 0 if self.program is None else self.program.value.data

    @property
    def stage_count(self) -> int:
        """How many iterations have loads in flight at once (software pipelining); 1 is no pipelining."""
        return 1 if self.stages is None else self.stages.value.data

    @property
    def is_prefetched(self) -> bool:
        """True if what it loads for its next step waits in registers."""
        return self.stage_count == PREFETCHED

    def set_mapping(self, program: int | None = None, block: int | None = None, stages: int = 1) -> None:
        """Maps the loop to grid axis `program`, in blocks of `block` iterations, pipelined over `stages` stages."""
        self.program = None if program is None else IntegerAttr(program, i64)
        self.block = None if block is None else IntegerAttr(block, i64)
        self.stages = IntegerAttr(stages, i64) if stages > 1 else None

    @property
    def blocks(self) -> IndexExpr:
        """The number of blocks; the last may be partial."""
        if self.overlap is None:
            return (self.size + self.block_size - 1) // self.block_size
        each = self.overlap.value.data
        return self.size // each * -(-each // self.block_size)

    def set_swizzle(self, rows: int, columns: int) -> None:
        """Lets consecutive programs take blocks column by column, of each `rows` x `columns` blocks."""
        self.swizzle_rows, self.swizzle_columns = IntegerAttr(rows, i64), IntegerAttr(columns, i64)

    def swizzled_block(self, program: IndexExpr) -> IndexExpr:
        """The block that program `program` of a swizzled loop takes."""
        assert self.swizzle_rows is not None and self.swizzle_columns is not None
        rows, columns = self.swizzle_rows.value.data, self.swizzle_columns.value.data
        return program // (rows * columns) * (rows * columns) + program % rows * columns + program // rows % columns

    def verify_(self) -> None:
        if not self.extents.data or [a.type for a in self.indices] != [IndexType()] * len(self.extents.data):
            raise VerifyException("the body has an argument of type index for each extent, and there is at least one")
        verify_indices(self.extents, 0)
        if len(self.indices) > 1 and self.is_mapped:
            raise VerifyException("only a loop over one axis is mapped to the GPU; linearize-axes makes one of several")
        if self.block is not None and self.block_size & (self.block_size - 1):
            raise VerifyException(f"block {self.block_size} is not a power of two, which Triton requires")
        self._verify_swizzle()
        if self.group is not None and (self.blocks.constant is None or self.blocks.constant % self.group.value.data):
            raise VerifyException(f"group {self.group.value.data} must divide the {self.blocks} blocks")
        if self.persistent is not None and (self.persistent.value.data < 1 or self.program is None):
            raise VerifyException("`persistent PROGRAMS` is at least 1, and needs `program`")
        if self.persistent is not None and [loop.program is not None for loop in self.loops].count(True) != 1:
            raise VerifyException("`persistent` needs one loop inside that is mapped to programs as well")
        if self.slices is not None and self.slices.value.data not in (2, 4, 8):
            raise VerifyException("`slices COUNT` is 2, 4 or 8")
        if self.slices is not None and ["dot" in loop.properties for loop in self.loops].count(True) != 1:
            raise VerifyException("`slices` needs one sum of products inside, with `dot`")
        if self.overlap is not None:
            self._verify_overlap(self.overlap.value.data)
        if self.backwards is not None and not isinstance(self, ParallelOp):
            raise VerifyException("only a parallel loop may run backwards")
        if self.peeled is not None and (self.program is None or self.overlap is not None):
            raise VerifyException("only a loop that is mapped to programs and has no `overlap` is peeled")
        if self.peeled is not None and self.loops and self.block_size > 1:
            raise VerifyException("a loop in blocks that has loops inside cannot be peeled")
        if self.tile is not None and not 0 <= self.tile.value.data < len(self.indices) - 1:
            raise VerifyException(f"tile {self.tile.value.data}: give an axis before the last, which is the other one")
        if self.lanes is not None and (self.lanes.value.data < 1 or self.tile is not None):
            raise VerifyException("`lanes` is at least 1, and not given beside `tile`")
        if self.shares is not None and (self.shares.value.data < 1 or self.tile is not None or self.lanes is not None):
            raise VerifyException("`shares` is at least 1, and not given beside `tile` or `lanes`")
        if self.unrolled is not None and self.size.constant is None:
            raise VerifyException("only a loop of known size is unrolled")

    def _verify_swizzle(self) -> None:
        if self.swizzle_rows is None and self.swizzle_columns is None:
            return
        if self.swizzle_rows is None or self.swizzle_columns is None or self.program is None:
            raise VerifyException("`swizzle ROWS by COLUMNS` needs both numbers, and `program`")
        count = self.swizzle_rows.value.data * self.swizzle_columns.value.data
        if self.blocks.constant is None or count < 1 or self.blocks.constant % count:
            raise VerifyException(f"swizzle: {self.blocks} blocks are not a multiple of {count}")

    def _verify_overlap(self, each: int) -> None:
        if not isinstance(self, ParallelOp):
            raise VerifyException("only a parallel loop may have `overlap`")
        if each < self.block_size or (self.size % each).constant != 0:
            raise VerifyException(
                f"overlap {each} must be at least the block of {self.block_size} and divide the {self.size} iterations"
            )

    def print_header(self, printer: Printer) -> None:
        """`%i = 0 to 8 program 0 block 4`, or `(%i, %j) = 0 to (8, N)`."""
        print_axes(printer, self.indices, self.extents)
        print_mapping(printer, self.properties)


def parse_header(parser: Parser) -> tuple[list[Any], dict[str, Attribute]]:
    """What `LoopOp.print_header` writes: the indices, and the properties."""
    indices, extents = parse_axes(parser)
    properties: dict[str, Attribute] = {"extents": extents}
    return indices, properties | parse_mapping(parser)


def empty_body(axes: int) -> Region:
    """An empty body of a loop over so many axes."""
    return Region(Block(arg_types=[IndexType()] * axes))


def extents_of(extent: IndexExpr | Sequence[IndexExpr]) -> ArrayAttr[StringAttr]:
    """The property that holds the extent of one axis, or those of several."""
    return index_attribute([extent] if isinstance(extent, IndexExpr) else extent)


@irdl_op_definition
class ParallelOp(LoopOp):
    """Runs its body for every index, in any order; in ascending order if it contains a scan."""

    name = "mlc_loop.parallel"
    traits = traits_def(RecursiveMemoryEffect(), NoTerminator())

    def __init__(self, extent: IndexExpr | Sequence[IndexExpr], body: Region | None = None):
        extents = extents_of(extent)
        region = empty_body(len(extents.data)) if body is None else body
        super().__init__(properties={"extents": extents}, regions=[region])

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        indices, properties = parse_header(parser)
        return cls.create(properties=properties, regions=[parser.parse_region(indices)])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_header(printer)
        printer.print_string(" ")
        printer.print_region(
            self.body, print_entry_block_args=False, print_empty_block=False, print_block_terminators=False
        )


@irdl_op_definition
class SerialOp(LoopOp):
    """Runs its body in order for start, start + step * block, ... below the extent, `block` iterations at once.

        mlc_loop.serial %p = %g to 16384 step 264 { ... }

    This is a persistent (grid-stride) loop: with 264 programs g, program g processes rows g, g + 264, g + 528, ...
    With `stages 2` what it loads for its next round waits in registers, with more in shared memory.
    """

    name = "mlc_loop.serial"
    start = operand_def(IndexType)
    step = prop_def(IntegerAttr)
    traits = traits_def(RecursiveMemoryEffect(), NoTerminator())

    def __init__(self, start: SSAValue, extent: IndexExpr, step: int, body: Region):
        super().__init__(
            operands=[start],
            properties={"extents": extents_of(extent), "step": IntegerAttr(step, i64)},
            regions=[body],
        )

    @property
    def stride(self) -> int:
        """Iterations from those of a round to those of the next."""
        return self.step.value.data * self.block_size

    @property
    def rounds(self) -> int | None:
        """How many rounds every program has; None where that is not known, or some have more than others."""
        return (self.size // self.stride).constant if (self.size % self.stride).constant == 0 else None

    @classmethod
    def parse(cls, parser: Parser) -> SerialOp:
        index = parse_index(parser)
        parser.parse_punctuation("=")
        start = parser.parse_unresolved_operand()
        parser.parse_keyword("to")
        extent = IndexReader(parser, sizes=True).expression()
        parser.parse_keyword("step")
        step = parser.parse_integer()
        mapping = parse_mapping(parser)
        op = cls(parser.resolve_operand(start, IndexType()), extent, step, parser.parse_region([index]))
        op.properties |= mapping
        return op

    def verify_(self) -> None:
        super().verify_()
        if len(self.indices) != 1:
            raise VerifyException("a persistent loop runs over one axis")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.index)
        printer.print_string(" = ")
        printer.print_operand(self.start)
        printer.print_string(" to ")
        print_index(printer, self.extents.data[0].data, ())
        printer.print_string(f" step {self.step.value.data}")
        print_mapping(printer, self.properties)
        printer.print_string(" ")
        printer.print_region(
            self.body, print_entry_block_args=False, print_empty_block=False, print_block_terminators=False
        )
