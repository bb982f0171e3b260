"""loop-to-triton: scheduled loops become blocks; each scalar op becomes the same op on a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, i64
from xdsl.ir import Operation, Region, SSAValue
from xdsl.passes import ModulePass

from lowering.block_builder import Axis, BlockBuilder
from lowering.triton_reduce import merge_into
from lowering.triton_scan import empty_carry, scan_block, scans_in
from mlc_dialects import mlc_loop
from mlc_dialects.buffers import buffer_element, buffer_strides
from mlc_dialects.index_syntax import index_exprs, operand_name
from mlc_dialects.mlc_triton import ForOp, KernelOp, YieldOp
from mlc_dialects.reductions import identity
from mlc_dialects.triton_types import PointerType, block_element, block_shape, block_type
from mlc_dialects.triton_values import (
    ArangeOp,
    CastOp,
    FullOp,
    ProgramIdOp,
    ReduceOp,
    WhereOp,
)
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.locations import location_of


@dataclass(frozen=True)
class LoopToTritonPass(ModulePass):
    """Lowers every scheduled kernel; run `schedule` before it."""

    name = "loop-to-triton"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in list(op.ops):
            if isinstance(kernel, mlc_loop.KernelOp):
                lowered = KernelLowering(kernel).lower()
                lowered.location = kernel.location
                op.body.block.insert_op_before(lowered, kernel)
                op.body.block.erase_op(kernel)


class KernelLowering(BlockBuilder):
    """One kernel on its way from loops over scalars to statements over blocks."""

    def __init__(self, kernel: mlc_loop.KernelOp):
        self._kernel = kernel
        (self._rows,) = (op for op in kernel.body.block.ops if isinstance(op, mlc_loop.ParallelOp))
        self._inner = [op for op in self._rows.body.block.ops if isinstance(op, mlc_loop.LoopOp)]
        if kernel.warps is None or kernel.index_bits is None or kernel.stages is None:
            raise MlcError(
                f"loop-to-triton: kernel {kernel.sym_name.data} has no schedule",
                location=location_of(kernel),
                hint="run the pass `schedule` before it",
            )
        self._warps, self._stages = kernel.warps.value.data, kernel.stages.value.data
        super().__init__(IntegerType(kernel.index_bits.value.data))
        self._carries: dict[mlc_loop.ScanOp, list[SSAValue]] = {}

    def lower(self) -> KernelOp:
        """The kernel of blocks."""
        for argument in self._kernel.body.block.args:
            pointer = self._block.insert_arg(PointerType(buffer_element(argument.type)), len(self._block.args))
            pointer.name_hint = argument.name_hint
            self._values[argument] = pointer
        self._declare_sizes()
        self._enter_rows()
        for op in self._rows.body.block.ops:
            self._lower(op)
        spread = [self._rows, *(loop for loop in self._inner if loop.program is not None)]
        grid = [str((loop.size + loop.block_size - 1) // integer(loop.block_size)) for loop in spread]
        lowered = KernelOp(
            self._kernel.sym_name.data,
            grid,
            list(self._sizes),
            self._warps,
            self._stages,
            Region(self._block),
        )
        lowered.schedule = self._kernel.schedule
        return lowered

    def _declare_sizes(self) -> None:
        """One integer argument for each named size that loops, indices or strides speak of."""
        exprs: list[IndexExpr] = [self._rows.size]
        for op in self._kernel.walk():
            if isinstance(op, mlc_loop.LoopOp):
                exprs.append(op.size)
            elif isinstance(op, mlc_loop.LoadOp | mlc_loop.StoreOp):
                exprs += [*index_exprs(op.index), *buffer_strides(op.buffer.type)]
            elif isinstance(op, mlc_loop.IndexOp):
                exprs += index_exprs(op.index)
        names = {v.name for e in exprs for v in e.variables()}
        operands = {operand_name(k) for k in range(16)}
        for name in sorted(names - operands):
            self._sizes[name] = self._block.insert_arg(self._int, len(self._block.args))
            self._sizes[name].name_hint = name

    @property
    def _both(self) -> bool:
        """True if programs hold blocks of rows and of columns: blocks have two dimensions."""
        return bool(self._inner) and self._rows.block_size > 1

    def _enter_rows(self) -> None:
        size, block = self._rows.size, self._rows.block_size
        program = self.add(ProgramIdOp(0, self._int), "pid" if block > 1 else "p")
        index = program
        if block > 1:
            lanes = self.add(ArangeOp((block, 1) if self._both else (block,), self._int), "lanes")
            index = self.indices((program, lanes), variable("d0") * block + variable("d1"), lanes.type, "p")
        self._values[self._rows.index] = index
        self._axes = [Axis(size, index, (size % block).constant != 0)]

    def _lower(self, op: Operation) -> None:
        match op:
            case mlc_loop.LoadOp():
                self._load(op)
            case mlc_loop.StoreOp():
                self._store(op)
            case mlc_loop.IndexOp():
                self._index(op)
            case mlc_loop.ReduceOp():
                self._reduce(op)
            case mlc_loop.ScanOp():
                self._scan(op)
            case mlc_loop.ParallelOp():
                self._columns(op, ())
            case mlc_loop.YieldOp():
                pass
            case _:
                self._values[op.results[0]] = self._scalar(op)

    def _columns(self, loop: mlc_loop.LoopOp, carried: Sequence[SSAValue]) -> list[SSAValue]:
        """Runs the body over all columns: at once where the block holds them, else in a loop.

        `carried` are accumulators; gives what the loop leaves in them, or what the body yields. In a loop
        each scan carries along what the blocks before have come to.
        """
        size, block = loop.size, loop.block_size
        if loop.program is not None:
            return self._column_body(loop, self._program_columns(loop))
        lanes = self.add(ArangeOp((1, block) if self._both else (block,), self._int), "r")
        if size.constant is not None and size.constant <= block:
            return self._column_body(loop, Axis(size, lanes, size.constant != block))
        bounds = [self._sizes[v.name] for v in sorted(size.variables(), key=lambda v: v.name)]
        names = {
            v.name: variable(operand_name(k)) for k, v in enumerate(sorted(size.variables(), key=lambda v: v.name))
        }
        outer, scans = self._insert, scans_in(loop)
        per_row = (self._rows.block_size, 1) if self._both else ()
        starts = [empty_carry(self, scan, per_row) for scan in scans]
        over = ForOp([*carried, *chain(*starts)], str(size.substitute(names)), bounds, block, self._int)
        over.location = loop.location
        outer.add_op(over)
        self._insert = over.body.block
        start = over.body.block.args[0]
        start.name_hint = "r_start"
        index = self.indices((start, lanes), variable("d0") + variable("d1"), lanes.type, "r")
        arguments = list(over.body.block.args[1:])
        accumulators, rest = arguments[: len(carried)], iter(arguments[len(carried) :])
        self._carries = {scan: list(islice(rest, len(start))) for scan, start in zip(scans, starts, strict=True)}
        yielded = self._column_body(loop, Axis(size, index, (size % block).constant != 0), accumulators)
        self._insert.add_op(YieldOp([*yielded, *chain(*self._carries.values())]))
        self._insert, self._carries = outer, {}
        outputs: list[SSAValue] = [*over.outputs]
        return outputs[: len(carried)]

    def _program_columns(self, loop: mlc_loop.LoopOp) -> Axis:
        """The columns of a loop that is spread over programs: this program's block of them."""
        assert loop.program is not None
        size, block = loop.size, loop.block_size
        program = self.add(ProgramIdOp(loop.program.value.data, self._int), "pid_r")
        lanes = self.add(ArangeOp((1, block) if self._both else (block,), self._int), "lanes_r")
        index = self.indices((program, lanes), variable("d0") * block + variable("d1"), lanes.type, "r")
        return Axis(size, index, (size % block).constant != 0)

    def _column_body(
        self, loop: mlc_loop.LoopOp, axis: Axis, accumulators: Sequence[SSAValue] | None = None
    ) -> list[SSAValue]:
        self._axes.append(axis)
        self._values[loop.index] = axis.index
        for op in loop.body.block.ops:
            self._lower(op)
        yielded = self._contributions(loop) if isinstance(loop, mlc_loop.ReduceOp) else []
        if accumulators is not None and isinstance(loop, mlc_loop.ReduceOp):
            yielded = merge_into([k.data for k in loop.kinds], list(accumulators), yielded, self._append)
        self._axes.pop()
        return yielded

    def _append(self, op: Operation) -> SSAValue:
        return self.add(op)

    def _contributions(self, loop: mlc_loop.ReduceOp) -> list[SSAValue]:
        """What each lane gives to each reduction: its value, or the identity past the end; with its index."""
        values: list[SSAValue] = []
        for kind, value in zip(loop.kinds, loop.yielded, strict=True):
            values += self._contribution(kind.data, value)
        return values

    def _contribution(self, kind: str, value: SSAValue) -> list[SSAValue]:
        shape = self._full_shape()
        lanes = self.broadcast(self._values[value], shape)
        if self._axes[-1].masked:
            neutral = self.add(FullOp(identity(kind, block_element(lanes.type)), lanes.type))
            mask = self.broadcast(self._mask_of(self._axes[-1:]), shape)
            lanes = self.add(WhereOp(mask, lanes, neutral), lanes.name_hint)
        if not kind.startswith("arg"):
            return [lanes]
        index = self.add(CastOp(self._axes[-1].index, block_type(block_shape(self._axes[-1].index.type), i64)))
        return [lanes, self.broadcast(index, shape)]

    def _scan(self, op: mlc_loop.ScanOp) -> None:
        lanes = self._contribution(op.kind.data, op.input)
        result, carry = scan_block(self, op, lanes, self._carries.get(op))
        if carry:
            self._carries[op] = carry
        self._values[op.result] = result[-1]

    def _reduce(self, loop: mlc_loop.ReduceOp) -> None:
        kinds = [k.data for k in loop.kinds]
        initial: list[SSAValue] = []
        if loop.size.constant is None or loop.size.constant > loop.block_size:
            shape = (self._rows.block_size, loop.block_size) if self._both else (loop.block_size,)
            for kind, value in zip(kinds, loop.yielded, strict=True):
                initial.append(self.add(FullOp(identity(kind, value.type), block_type(shape, value.type)), "acc"))
                if kind.startswith("arg"):
                    last = FullOp(identity("min", i64), block_type(shape, i64))
                    initial.append(self.add(last, "acc_index"))
        lanes = self._columns(loop, initial)
        for kind, result in zip(kinds, loop.outputs, strict=True):
            count = 2 if kind.startswith("arg") else 1
            reduced = ReduceOp(kind, [lanes.pop(0) for _ in range(count)])
            self.add(reduced, result.name_hint, loop)
            reduced.outputs[-1].name_hint = result.name_hint
            self._values[result] = reduced.outputs[-1]
