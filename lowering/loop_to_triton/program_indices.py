"""Maps a program to its rows and columns: program ids, swizzles, overlapping tails and lanes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, UnitAttr
from xdsl.ir import SSAValue

from lowering.loop_to_triton.block_builder import Axis, BlockBuilder
from mlc_dialects.loop import dialect as mlc_loop
from mlc_dialects.loop.exclusive_prefix import flags_of
from mlc_dialects.triton.dialect import ForOp
from mlc_dialects.triton.inter_block import EpochOp
from mlc_dialects.triton.values import ArangeOp, ProgramIdOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, variable
from mlc_support.locations import location_of


class ProgramIndices(BlockBuilder):
    """Emits the first statements of a scheduled kernel: the row and column indices of the running program."""

    def __init__(self, kernel: mlc_loop.KernelOp):
        self._kernel = kernel
        self._outer, self._batch = kernel.rows, list[mlc_loop.ParallelOp]()
        while (inner := _rows_inside(self._outer)) is not None:
            self._batch.append(self._outer)
            self._outer = inner
        persistent = [op for op in self._outer.body.block.ops if isinstance(op, mlc_loop.SerialOp)]
        self._rows: mlc_loop.ParallelOp | mlc_loop.SerialOp = persistent[0] if persistent else self._outer
        self._inner = [op for op in self._rows.body.block.ops if isinstance(op, mlc_loop.LoopOp)]
        if kernel.warps is None or kernel.index_bits is None:
            raise MlcError(
                f"loop-to-triton: kernel {kernel.sym_name.data} has no schedule",
                location=location_of(kernel),
                hint="run the pass `schedule` before it",
            )
        self._warps = kernel.warps.value.data
        super().__init__(IntegerType(kernel.index_bits.value.data))
        self._row_block = self._rows.block_size
        self._program: SSAValue | None = None
        self._first: tuple[list[SSAValue], IndexExpr] | None = None
        self._flags: SSAValue | None = None
        self._epoch: SSAValue | None = None
        self._turn: SSAValue | None = None
        """The number of the block that is at work, among all of rows and columns, where programs are grouped."""
        self._tiles: ForOp | None = None
        """The loop over blocks that a persistent program takes."""

    @property
    def _both(self) -> bool:
        """True if a program computes blocks of rows and columns, which have two dimensions."""
        return bool(self._inner) and self._row_block > 1

    def _row_lanes(self) -> SSAValue:
        """0, 1, ... along the rows of a block."""
        block = self._row_block
        return self.add(ArangeOp((block, 1) if self._both else (block,), self._int), "lanes")

    def _column_lanes(self, block: int, name: str) -> SSAValue:
        """0, 1, ... along `block` columns."""
        return self.add(ArangeOp((1, block) if self._both else (block,), self._int), name)

    def _grid(self) -> list[str]:
        """The number of programs along each axis of the grid."""
        if self._outer.persistent is not None:
            return [str(self._outer.persistent.value.data)]
        spread = [*self._batch, self._outer, *(loop for loop in self._inner if loop.program is not None)]
        return [str(loop.blocks) for loop in sorted(spread, key=lambda loop: loop.grid_axis)]

    def _program_id(self, loop: mlc_loop.LoopOp, name: str) -> SSAValue:
        """The block of `loop` that this program computes."""
        flags = flags_of(loop)
        if flags is not None:
            self._enter_launch(loop, flags)
        if self._outer.group is not None or self._tiles is not None:
            return self._grouped(loop, 1 if self._outer.group is None else self._outer.group.value.data, name)
        program = self.add(ProgramIdOp(loop.grid_axis, self._int), name)
        if loop.backwards is not None:
            operands, place = self._with_sizes([program], loop.blocks - 1 - variable("d0"))
            program = self.indices(operands, place, self._int, name)
        if loop.swizzle_rows is not None:
            program.name_hint = "turn"
            program = self.indices([program], loop.swizzled_block(variable("d0", loop.blocks)), self._int, name)
        return program

    def _grouped(self, loop: mlc_loop.LoopOp, group: int, name: str) -> SSAValue:
        """The block of `loop` where programs take `group` blocks of rows with one of columns, then with the next."""
        (inner,) = (other for other in self._inner if other.program is not None)
        if self._turn is None:
            ids = [self.add(ProgramIdOp(axis.grid_axis, self._int)) for axis in (self._outer, inner)]
            operands, turn = self._with_sizes(ids, variable("d0") + variable("d1") * self._outer.blocks)
            self._turn = self.indices(operands, turn, self._int, "turn")
        turn, together = variable("d0", self._outer.blocks * inner.blocks), group * inner.blocks
        place = turn // together * group + turn % group if loop is self._outer else turn % together // group
        operands, place = self._with_sizes([self._turn], place)
        return self.indices(operands, place, self._int, name)

    def _enter_launch(self, loop: mlc_loop.LoopOp, flags: SSAValue) -> None:
        """What marks the flags of this launch, where programs await each other."""
        assert loop.blocks.constant is not None
        self._flags = self._values[flags]
        self._epoch = self.add(EpochOp(self._flags, loop.blocks.constant), "mark", loop)

    def _enter_tiles(self) -> None:
        """The persistent loop over blocks of rows and columns, which what follows goes into."""
        if self._outer.persistent is None:
            return
        (inner,) = (other for other in self._inner if other.program is not None)
        programs, first = self._outer.persistent.value.data, self.add(ProgramIdOp(0, self._int), "program")
        operands, tiles = self._with_sizes([], self._outer.blocks * inner.blocks)
        self._tiles = ForOp([], str(tiles), operands, programs, self._int, first)
        self._tiles.flattened, self._tiles.location = UnitAttr(), self._outer.location
        self._insert.add_op(self._tiles)
        self._insert = self._tiles.body.block
        (self._turn,) = self._insert.args
        self._turn.name_hint = "turn"

    def _enter_rows(self) -> None:
        size, block = self._outer.size, self._outer.block_size
        program = self._program_id(self._outer, "pid" if block > 1 else self._outer.index.name_hint or "p")
        self._program, self._first = program, ([program], variable("d0") * block)
        if self._rows is not self._outer:
            self._values[self._outer.index] = program
            return
        axis = Axis(size, program, False)
        if block > 1 and self._outer.overlap is not None:
            axis = self._overlapping_rows(program, self._outer.overlap.value.data)
        elif block > 1:
            lanes = self._row_lanes()
            base = variable("d0") * block
            index = self.indices((program, lanes), base + variable("d1"), lanes.type, "p")
            axis = Axis(size, index, (size % block).constant != 0, base, program, lanes, block)
        self._values[self._rows.index] = axis.index
        self._axes = [axis]

    def _rounds(self, loop: mlc_loop.SerialOp, initial: Sequence[SSAValue]) -> tuple[ForOp, SSAValue | None]:
        """The rounds of a persistent loop over rows; the lanes of a round, where its rows are a block.

        Where every program has as many rounds these are counted, and the lanes are those of the first round: what
        depends on them alone leaves the loop. Else the loop runs over the first row of each round.
        """
        first, lanes = self._values[loop.start], self._row_lanes() if loop.block_size > 1 else None
        if lanes is not None:
            first = self.indices([first], variable("d0") * loop.block_size, self._int, "start")
        if loop.rounds is None:
            operands, extent = self._with_sizes([], loop.size)
            return ForOp(initial, str(extent), operands, loop.stride, self._int, first), lanes
        if lanes is not None:
            first = self.indices((first, lanes), variable("d0") + variable("d1"), lanes.type, "place")
        return ForOp(initial, str(loop.rounds), [], 1, self._int), first

    def _rows_of_round(self, loop: mlc_loop.SerialOp, row: SSAValue, lanes: SSAValue | None) -> Axis:
        """The rows of the round that begins with `row`, or of the round of that number: `_rounds` says which."""
        if loop.rounds is not None:
            assert lanes is not None
            row.name_hint, base = "turn", variable("d0") * loop.stride
            index = self.indices((row, lanes), base + variable("d1", loop.stride), lanes.type, "p")
            return Axis(loop.size, index, False, base, row, lanes, loop.stride, steps=True)
        row.name_hint = "p"
        if lanes is not None:
            row.name_hint, row = "p_start", self.indices((row, lanes), variable("d0") + variable("d1"), lanes.type, "p")
        return Axis(loop.size, row, (loop.size % loop.block_size).constant != 0)

    def _overlapping_rows(self, program: SSAValue, each: int) -> Axis:
        """Whole blocks in each `each` rows separately; the last one starts early."""
        size, block = self._outer.size, self._row_block
        blocks = -(-each // block)
        first = self.indices([program], variable("d0", self._outer.blocks) % blocks * block, self._int, "start")
        start = self.add(arith.MinSIOp(first, self.full(each - block, self._int)), "start")
        lanes = self._row_lanes()
        row = self.indices((start, lanes), variable("d0") + variable("d1"), lanes.type, "p")
        if (size - each).constant == 0:
            self._first = [start], variable("d0", each)
            return Axis(size, row, False, own=(row, first))
        part = self.indices([program], variable("d0", self._outer.blocks) // blocks, self._int, "part")
        base = variable("d0") * each
        self._first = [part, start], base + variable("d1", each)
        index = self.indices((part, row), base + variable("d1"), row.type, "q")
        return Axis(size, index, False, base, part, row, each, own=(row, first))

    def _program_columns(self, loop: mlc_loop.LoopOp, place: int = 0, slices: int = 1) -> Axis:
        """The block of columns of this program, in a loop that is mapped to the grid; or a slice of it."""
        size, block = loop.size, loop.block_size
        width = block // slices
        program = self._program_id(loop, "pid_r")
        lanes = self._column_lanes(width, "lanes_r")
        base = variable("d0") * block + place * width
        index = self.indices((program, lanes), base + variable("d1"), lanes.type, "r")
        return Axis(size, index, (size % block).constant != 0, base, program, lanes, width)


def _rows_inside(loop: mlc_loop.ParallelOp) -> mlc_loop.ParallelOp | None:
    """The loop over rows in `loop`, if each program has one iteration of `loop` and a block of rows in it."""
    inner = loop.loops
    rows = inner[0] if len(inner) == 1 else None
    mapped = loop.program is not None and loop.block is None
    return (
        rows if mapped and isinstance(rows, mlc_loop.ParallelOp) and rows.program is not None and rows.loops else None
    )
