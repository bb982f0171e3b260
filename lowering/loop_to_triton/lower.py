"""loop-to-triton: each scheduled loop becomes an axis of blocks, and each scalar op the same op on blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, UnitAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from lowering.loop_to_triton.block_builder import Axis
from lowering.loop_to_triton.inter_block import exclusive_prefix, signal, wait
from lowering.loop_to_triton.lane_counts import counts_of, steady_condition
from lowering.loop_to_triton.over_keys import KeysLowering
from lowering.loop_to_triton.reductions import Blocks, Lanes, Reduction, only, reduction
from lowering.loop_to_triton.scans import empty_carry, scan_block, scans_in
from mlc_dialects.common.buffers import buffer_element, buffer_strides
from mlc_dialects.common.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.common.reduction_kinds import combined, identity
from mlc_dialects.loop import dialect as mlc_loop
from mlc_dialects.loop.whole_parts import of_whole_parts, part_end
from mlc_dialects.triton.dialect import BarrierOp, ForOp, KernelOp, MaskOp, YieldOp
from mlc_dialects.triton.inter_block import DoneOp
from mlc_dialects.triton.last_block import LastBlockOp
from mlc_dialects.triton.rearranged import ByColumnOp
from mlc_dialects.triton.types import PointerType, block_element, block_shape, block_type
from mlc_dialects.triton.values import FullOp, ProgramIdOp, ReduceOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.locations import location_of

Path = tuple[mlc_loop.ParallelOp, list[Axis]]
"""The rows of a program, and the axes whose lanes need masks."""


@dataclass(frozen=True)
class LoopToTritonPass(ModulePass):
    """Lowers every scheduled kernel; run `schedule` before it."""

    name = "loop-to-triton"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in list(op.ops):
            if isinstance(kernel, mlc_loop.KernelOp):
                lowered = KernelLowering(kernel).lower()
                lowered.location = kernel.location
                _check_loads(lowered)
                Rewriter.replace_op(kernel, lowered, [])


class KernelLowering(KeysLowering):
    """Lowers one kernel from loops over scalars to statements on blocks."""

    def __init__(self, kernel: mlc_loop.KernelOp):
        super().__init__(kernel)
        self._carries: dict[mlc_loop.ScanOp, list[SSAValue]] = {}
        self._locals: list[mlc_loop.LocalOp] = []

    def lower(self) -> KernelOp:
        """The kernel on blocks."""
        for argument in self._kernel.body.block.args:
            pointer = self._block.insert_arg(PointerType(buffer_element(argument.type)), len(self._block.args))
            pointer.name_hint = argument.name_hint
            self._values[argument] = pointer
        self._declare_sizes()
        self._enter_batch()
        self._enter_tiles()
        self._enter_rows()
        if self._outer.peeled is None:
            self._body(self._outer.body.block.ops, self._insert)
        else:
            self._peeled_body()
        if self._tiles is not None:
            self._tiles.body.block.add_op(YieldOp([]))
        if self._flags is not None:
            self._block.add_op(DoneOp(self._flags))
        name, body = self._kernel.sym_name.data, Region(self._block)
        lowered = KernelOp(name, self._grid(), list(self._sizes), self._warps, body)
        lowered.why, lowered.resident = self._kernel.why, self._kernel.resident
        return lowered

    def _body(self, ops: Iterable[Operation], block: Block) -> None:
        """Appends the statements for `ops` of a program to `block`."""
        self._insert = block
        for op in ops:
            self._lower(op)

    def _enter_batch(self) -> None:
        """The loops around the rows, of which a program has one iteration."""
        for loop in self._batch:
            self._values[loop.index] = self.add(ProgramIdOp(loop.grid_axis, self._int), loop.index.name_hint)
            for op in loop.body.block.ops:
                if not isinstance(op, mlc_loop.LoopOp):
                    self._lower(op)

    def _peeled_body(self) -> None:
        """Two code paths: for programs with whole blocks or parts, and for those that need masks.

        What the last-arriving program does comes after both.
        """
        test, *paths = self._whole_parts() if self._outer.loops else self._whole_blocks()
        sides = Block(), Block()
        for side, (rows, self._axes) in zip(sides, paths, strict=True):
            self._body([op for op in rows.body.block.ops if not isinstance(op, mlc_loop.LastBlockOp)], side)
            side.add_op(scf.YieldOp())
        self._block.add_op(scf.IfOp(test, [], [sides[0]], [sides[1]]))
        self._body([op for op in self._outer.body.block.ops if isinstance(op, mlc_loop.LastBlockOp)], self._block)

    def _whole_blocks(self) -> tuple[SSAValue, Path, Path]:
        """True for all blocks but a shorter one at the end; the rows and their axes in either case."""
        (axis,) = self._axes
        assert self._program is not None
        operands, whole = self._with_sizes([], axis.extent // self._row_block)
        test = self.add(MaskOp([self._program], index_attribute([whole]), operands, i1), "whole")
        return test, (self._outer, [replace(axis, masked=False)]), (self._outer, [replace(axis, masked=True)])

    def _whole_parts(self) -> tuple[SSAValue, Path, Path]:
        """The same for parts of rows."""
        end = part_end(self._outer)
        if end is None:
            raise MlcError(
                "loop-to-triton: the rows have no parts of which the last is shorter, to be peeled",
                location=location_of(self._outer),
                hint="leave out `peeled`, or `tail` of the schedule",
            )
        beyond = self.indices([self._values[self._outer.index]], end, self._int, "end")
        test = self.add(MaskOp([beyond], index_attribute([integer(0)]), [], i1), "whole")
        rows = of_whole_parts(self._outer)
        self._values[rows.index] = self._values[self._outer.index]
        return test, (rows, self._axes), (self._outer, self._axes)

    def _declare_sizes(self) -> None:
        """Adds one integer argument for each named size in loops, indices or strides."""
        exprs: list[IndexExpr] = [self._rows.size]
        for op in self._kernel.walk():
            if isinstance(op, mlc_loop.LoopOp | mlc_loop.IndirectIndexOp):
                exprs.append(op.size)
            elif isinstance(op, mlc_loop.LoadOp | mlc_loop.StoreOp | mlc_loop.AtomicOp):
                exprs += [*index_exprs(op.index), *buffer_strides(op.buffer.type)]
            elif isinstance(op, mlc_loop.IndexOp):
                exprs += index_exprs(op.index)
        names = {v.name for e in exprs for v in e.variables()}
        operands = {operand_name(k) for k in range(16)}
        for name in sorted(names - operands):
            self._sizes[name] = self._block.insert_arg(self._int, len(self._block.args))
            self._sizes[name].name_hint = name

    def _lower(self, op: Operation) -> None:
        match op:
            case mlc_loop.LoadOp() if isinstance(op.buffer.owner, mlc_loop.LocalOp):
                self._read_local(op)
            case mlc_loop.LoadOp():
                self._load(op)
            case mlc_loop.LocalOp():
                self._local(op)
            case mlc_loop.AccumulateOp():
                self._accumulate(op)
            case mlc_loop.SerialOp():
                self._persistent_rows(op)
            case mlc_loop.StoreOp() | mlc_loop.AtomicOp():
                self._store(op)
            case mlc_loop.IndirectIndexOp():
                self._indirect_index(op)
            case mlc_loop.IndexOp():
                self._index(op)
            case mlc_loop.ReduceOp() if op.is_online:
                (self._add_blocks if op.adds_blocks else self._online)(op)
            case mlc_loop.ReduceOp() if op.dot is not None:
                self._dot(op)
            case mlc_loop.ReduceOp():
                self._reduce(op)
            case mlc_loop.ScanOp():
                self._scan(op)
            case mlc_loop.ParallelOp():
                self._columns(op)
            case mlc_loop.BarrierOp():
                self._insert.add_op(BarrierOp())
            case mlc_loop.LastBlockOp():
                self._last_block(op)
            case mlc_loop.ExclusivePrefixOp():
                self._exclusive_prefix(op)
            case mlc_loop.SignalOp():
                assert self._epoch is not None
                signal(self, op, self._values[op.flags], self._values[op.value], self._epoch)
            case mlc_loop.WaitOp():
                assert self._epoch is not None
                self._values[op.result] = wait(self, op, self._values[op.flags], self._epoch)
            case mlc_loop.YieldOp():
                pass
            case _:
                self._values[op.results[0]] = self._scalar(op)

    def _local(self, op: mlc_loop.LocalOp) -> None:
        """An accumulator of the width of the loop that accumulates, for each row of the program's block."""
        (loop,) = {
            use.operation.parent_op() for use in op.buffer.uses if isinstance(use.operation, mlc_loop.AccumulateOp)
        }
        assert isinstance(loop, mlc_loop.LoopOp)
        columns = loop.block_size
        element = buffer_element(op.buffer.type)
        shape = (self._rows.block_size, columns) if self._both else (columns,)
        start = FullOp(identity(op.kind.data, element), block_type(shape, element))
        self._values[op.buffer] = self.add(start, op.buffer.name_hint, op)
        self._locals.append(op)

    def _persistent_rows(self, loop: mlc_loop.SerialOp) -> None:
        """The persistent loop over rows: local buffers are its loop-carried accumulators."""
        accumulators = [op.buffer for op in self._locals]
        over, lanes = self._rounds(loop, [self._values[b] for b in accumulators])
        over.location = loop.location
        _pipeline(over, loop)
        outer = self._insert
        outer.add_op(over)
        self._insert = over.body.block
        turn, *inside = over.body.block.args
        axis = self._rows_of_round(loop, turn, lanes)
        self._values[loop.index], self._axes = axis.index, [axis]
        self._values |= dict(zip(accumulators, inside, strict=True))
        for op in loop.body.block.ops:
            self._lower(op)
        self._insert.add_op(YieldOp([self._values[b] for b in accumulators]))
        self._insert, self._axes = outer, []
        self._values |= dict(zip(accumulators, over.outputs, strict=True))

    def _accumulate(self, op: mlc_loop.AccumulateOp) -> None:
        if not isinstance(op.buffer.owner, mlc_loop.LocalOp):
            raise MlcError(
                "loop-to-triton: mlc_loop.accumulate into memory cannot be lowered",
                location=location_of(op),
                hint="run the pass `persistent-rows` before it",
            )
        accumulators = self._values[op.buffer]
        value = self.broadcast(self._values[op.value], block_shape(accumulators.type))
        mask = self.mask([axis.index for axis in self._axes[:1]], None)
        if mask is not None:
            neutral = identity(op.kind.data, block_element(accumulators.type))
            value = only(self, value, self.broadcast(mask, block_shape(accumulators.type)), neutral)
        self._values[op.buffer] = self.add(combined(op.kind.data, accumulators, value), accumulators.name_hint, op)

    def _last_block(self, op: mlc_loop.LastBlockOp) -> None:
        """Code for the last-arriving program: for the rows of its block, or once if all programs share one counter."""
        assert self._first is not None
        block, axes, count = self._outer.block_size, self._axes, op.count
        group = op.group.substitute({"d0": self._first[1]})
        if op.group.constant is not None:
            self._axes, self._row_block, count = [], 1, -(-count // block)
        elif op.coalesced_rows(block) != block:
            raise MlcError(
                f"loop-to-triton: the {block} rows of a block do not have consecutive counters of mlc_loop.last_block",
                location=location_of(op),
                hint="give the outer loop a smaller block",
            )
        operands, place = self._with_sizes(self._first[0], group)
        last = LastBlockOp(self._values[op.counter], operands, index_attribute([place]), count)
        last.location = op.location
        outer = self._insert
        outer.add_op(last)
        self._insert = last.body.block
        for inner in op.body.block.ops:
            self._lower(inner)
        self._insert, self._axes, self._row_block = outer, axes, self._rows.block_size

    def _exclusive_prefix(self, op: mlc_loop.ExclusivePrefixOp) -> None:
        assert self._program is not None and self._epoch is not None
        pointer, inputs = self._values[op.flags], [self._values[v] for v in op.inputs]
        found = exclusive_prefix(self, op, pointer, inputs, self._program, self._epoch, self._warps)
        self._values |= dict(zip(op.outputs, found, strict=True))

    def _read_local(self, op: mlc_loop.LoadOp) -> None:
        """The total of a local buffer over the rows of the program's block."""
        accumulators, local = self._values[op.buffer], op.buffer.owner
        assert isinstance(local, mlc_loop.LocalOp)
        if len(block_shape(accumulators.type)) > 1:
            if op.by_column is not None:
                accumulators = self.add(ByColumnOp(accumulators), accumulators.name_hint)
            accumulators = self.add(ReduceOp(local.kind.data, accumulators, axis=0))
        self._values[op.result] = accumulators

    def _columns(self, loop: mlc_loop.LoopOp, reductions: Sequence[Reduction] = ()) -> list[list[SSAValue]]:
        """Runs the body over all columns: at once if one block holds them, else in a loop.

        Returns the results of each reduction. In a loop, each scan carries its prefix from block to block.
        """
        size, block = loop.size, loop.block_size
        if loop.program is not None:
            if loop.slices is not None:
                self._in_slices(loop, loop.slices.value.data)
            else:
                self._column_body(loop, self._program_columns(loop))
            return []
        lanes = self._column_lanes(block, "r")
        if size.constant is not None and size.constant <= block:
            found = self._column_body(loop, Axis(size, lanes, size.constant != block))
            return [r.whole(x, size) for r, x in zip(reductions, found, strict=True)]
        shapes = ((self._row_block, block), (self._row_block, 1)) if self._both else ((block,), ())
        values = loop.yielded if isinstance(loop, mlc_loop.ReduceOp) else ()
        counted = self._counted(loop, lanes)
        blocks = [Blocks(*shapes, v.type, size, lanes, block, counted) for v in values]
        accumulators = [r.start(at) for r, at in zip(reductions, blocks, strict=True)]
        left = self._column_loop(loop, lanes, reductions, accumulators, counted is not None)
        return [r.end(x, at) for r, x, at in zip(reductions, left, blocks, strict=True)]

    def _counted(self, loop: mlc_loop.LoopOp, lanes: SSAValue) -> SSAValue | None:
        """The mask of the lanes that the loop's condition counts, if it is the same in every block."""
        deciding = steady_condition(loop) if isinstance(loop, mlc_loop.ReduceOp) else []
        if not deciding:
            return None
        self._axes.append(Axis(loop.size, lanes, False, integer(0), lanes, lanes, loop.block_size))
        self._values[loop.index] = lanes
        for op in deciding:
            self._lower(op)
        counted = self.broadcast(self._values[deciding[-1].results[0]], self._full_shape())
        self._axes.pop()
        return counted

    def _column_loop(
        self,
        loop: mlc_loop.LoopOp,
        lanes: SSAValue,
        reductions: Sequence[Reduction],
        accumulators: Sequence[Sequence[SSAValue]],
        same_lanes: bool,
    ) -> list[list[SSAValue]]:
        """A loop over blocks of columns; returns the accumulators of each reduction after it.

        If `same_lanes`, the same lanes count in every block: all lanes accumulate, and the others are masked at the
        end.
        """
        size, block = loop.size, loop.block_size
        operands, extent = self._with_sizes([], size)
        scans, per_row = scans_in(loop), (self._row_block, 1) if self._both else ()
        groups = [*accumulators, *(empty_carry(self, scan, per_row) for scan in scans)]
        over = ForOp([v for group in groups for v in group], str(extent), operands, block, self._int)
        over.location, over.unrolled = loop.location, loop.unrolled
        _pipeline(over, loop)
        outer = self._insert
        outer.add_op(over)
        self._insert = over.body.block
        start, *inside = over.body.block.args
        start.name_hint = "r_start"
        if loop.backwards is not None:
            places, place = self._with_sizes([start], (size - 1) // integer(block) * block - variable("d0"))
            start = self.indices(places, place, self._int, "r_start")
        index = self.indices((start, lanes), variable("d0") + variable("d1"), lanes.type, "r")
        base = variable("d0") // block * block
        axis = Axis(size, index, (size % block).constant != 0, base, start, lanes, block, steps=True)
        self._carries = dict(zip(scans, (list(g) for g in _like(groups, inside)[len(accumulators) :]), strict=True))
        found = self._column_body(loop, axis, start)
        given = [
            replace(x, mask=None) if same_lanes and r.lane_wise else x for r, x in zip(reductions, found, strict=True)
        ]
        steps = [r.step(group, x) for r, group, x in zip(reductions, _like(accumulators, inside), given, strict=True)]
        self._insert.add_op(YieldOp([v for step in (*steps, *self._carries.values()) for v in step]))
        self._insert, self._carries = outer, {}
        return _like(accumulators, list(over.outputs))

    def _column_body(
        self, loop: mlc_loop.LoopOp, axis: Axis, start: SSAValue | None = None, ops: Iterable[Operation] | None = None
    ) -> list[Lanes]:
        """The body, or `ops` of it, on one block of columns; returns the inputs of the loop's reductions."""
        self._axes.append(axis)
        self._values[loop.index] = axis.index
        for op in loop.body.block.ops if ops is None else ops:
            self._lower(op)
        shape = self._full_shape()
        found: list[Lanes] = []
        for value in loop.yielded if isinstance(loop, mlc_loop.ReduceOp) else ():
            mask = self.mask([axis.index], loop.end.condition)  # pyright: ignore[reportAttributeAccessIssue]
            spread = self.broadcast(self._values[value], shape)
            found.append(Lanes(spread, mask and self.broadcast(mask, shape), axis.index, start, loop.block_size))
        self._axes.pop()
        return found

    def _scan(self, op: mlc_loop.ScanOp) -> None:
        column = self._axes[-1].index
        mask = self.mask([column], None)
        shape = self._full_shape()
        lanes = Lanes(
            self.broadcast(self._values[op.input], shape), mask and self.broadcast(mask, shape), column, None, 0
        )
        result, carry = scan_block(self, op, lanes, self._carries.get(op))
        if carry:
            self._carries[op] = carry
        self._values[op.result] = result[-1]

    def _reduce(self, loop: mlc_loop.ReduceOp) -> None:
        counts = counts_of(loop)
        reductions = [reduction(k, self, loop.approx is not None, counts) for k, _, _ in loop.parts]
        for (_, _, results), found in zip(loop.parts, self._columns(loop, reductions), strict=True):
            for result, value in zip(results, found, strict=True):
                value.name_hint = result.name_hint
                self._values[result] = value


def _check_loads(kernel: KernelOp) -> None:
    """MlcError where a program reads back what it has stored, which other lanes may not have done yet."""
    load = kernel.load_behind_store
    if load is not None:
        buffer = load.pointer.name_hint or "a buffer"
        raise MlcError(
            f"loop-to-triton: kernel {kernel.sym_name.data} loads {buffer} after it has stored to it",
            location=location_of(load),
            hint="load it before the store, or in a kernel of its own",
        )


def _pipeline(over: ForOp, loop: mlc_loop.LoopOp) -> None:
    """Marks what is made of `loop` as it is: its loads wait in registers, or in shared memory."""
    over.prefetched = UnitAttr() if loop.is_prefetched else None
    over.stages = None if loop.is_prefetched else loop.stages


def _like(groups: Sequence[Sequence[SSAValue]], values: Sequence[SSAValue]) -> list[list[SSAValue]]:
    """`values` grouped like `groups`."""
    left = list(values)
    return [[left.pop(0) for _ in group] for group in groups]
