"""loop-to-triton: scheduled loops become blocks; each scalar op becomes the same op on a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, ModuleOp, i1, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from lowering.triton_reduce import merge_into
from mlc_dialects import mlc_loop
from mlc_dialects.buffers import buffer_element, buffer_offset, buffer_strides
from mlc_dialects.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.mlc_triton import ForOp, KernelOp, YieldOp
from mlc_dialects.reductions import identity
from mlc_dialects.scalar import scalar_attribute
from mlc_dialects.triton_memory import IndexOp, LoadOp, MaskOp, StoreOp
from mlc_dialects.triton_types import PointerType, block_element, block_shape, block_type
from mlc_dialects.triton_values import (
    ArangeOp,
    BroadcastOp,
    CastOp,
    CompareOp,
    FullOp,
    LibdeviceOp,
    ProgramIdOp,
    ReduceOp,
    WhereOp,
)
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.locations import location_of

PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
"""arith.cmpi's predicates by number; the unsigned ones compare booleans, where signs play no part."""
FLOAT_PREDICATES = {1: "eq", 2: "gt", 3: "ge", 4: "lt", 5: "le", 13: "ne"}
"""arith.cmpf's predicates by number: ordered, save une."""
CASTS = (
    arith.ExtFOp,
    arith.TruncFOp,
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.TruncIOp,
    arith.SIToFPOp,
    arith.UIToFPOp,
    arith.FPToSIOp,
)
UNSIGNED = (arith.ExtUIOp, arith.UIToFPOp)


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


@dataclass
class Axis:
    """A loop turned into a block axis: its index now, and whether lanes past the extent must be masked."""

    extent: IndexExpr
    index: SSAValue
    masked: bool


class KernelLowering:
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
        self._int = IntegerType(kernel.index_bits.value.data)
        self._block = Block()
        self._insert = self._block
        self._values: dict[SSAValue, SSAValue] = {}
        self._axes: list[Axis] = []
        self._sizes: dict[str, SSAValue] = {}

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
        program = self._add(ProgramIdOp(0, self._int), "pid" if block > 1 else "p")
        index = program
        if block > 1:
            lanes = self._add(ArangeOp((block, 1) if self._both else (block,), self._int), "lanes")
            index = self._indices((program, lanes), variable("d0") * block + variable("d1"), lanes.type, "p")
        self._values[self._rows.index] = index
        self._axes = [Axis(size, index, (size % block).constant != 0)]

    def _add(self, op: Operation, name: str | None = None, origin: Operation | None = None) -> SSAValue:
        if origin is not None:
            op.location = origin.location
        self._insert.add_op(op)
        if not op.results:
            raise AssertionError(f"{op.name} has no result")
        op.results[0].name_hint = name
        return op.results[0]

    def _indices(
        self, operands: Sequence[SSAValue], expr: IndexExpr, type_: Attribute, name: str | None = None
    ) -> SSAValue:
        return self._add(IndexOp(operands, index_attribute([expr]), type_), name)

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
            case mlc_loop.ParallelOp():
                self._columns(op, ())
            case mlc_loop.YieldOp():
                pass
            case _:
                self._values[op.results[0]] = self._scalar(op)

    def _columns(self, loop: mlc_loop.LoopOp, carried: Sequence[SSAValue]) -> list[SSAValue]:
        """Runs the body over all columns: at once where the block holds them, else in a loop.

        `carried` are accumulators; gives what the loop leaves in them, or what the body yields.
        """
        size, block = loop.size, loop.block_size
        if loop.program is not None:
            return self._column_body(loop, self._program_columns(loop))
        lanes = self._add(ArangeOp((1, block) if self._both else (block,), self._int), "r")
        if size.constant is not None and size.constant <= block:
            return self._column_body(loop, Axis(size, lanes, size.constant != block))
        bounds = [self._sizes[v.name] for v in sorted(size.variables(), key=lambda v: v.name)]
        names = {
            v.name: variable(operand_name(k)) for k, v in enumerate(sorted(size.variables(), key=lambda v: v.name))
        }
        outer = self._insert
        over = ForOp(carried, str(size.substitute(names)), bounds, block, self._int)
        over.location = loop.location
        outer.add_op(over)
        self._insert = over.body.block
        start = over.body.block.args[0]
        start.name_hint = "r_start"
        index = self._indices((start, lanes), variable("d0") + variable("d1"), lanes.type, "r")
        yielded = self._column_body(loop, Axis(size, index, (size % block).constant != 0), over.body.block.args[1:])
        self._insert.add_op(YieldOp(yielded))
        self._insert = outer
        return list(over.outputs)

    def _program_columns(self, loop: mlc_loop.LoopOp) -> Axis:
        """The columns of a loop that is spread over programs: this program's block of them."""
        assert loop.program is not None
        size, block = loop.size, loop.block_size
        program = self._add(ProgramIdOp(loop.program.value.data, self._int), "pid_r")
        lanes = self._add(ArangeOp((1, block) if self._both else (block,), self._int), "lanes_r")
        index = self._indices((program, lanes), variable("d0") * block + variable("d1"), lanes.type, "r")
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
        return self._add(op)

    def _contributions(self, loop: mlc_loop.ReduceOp) -> list[SSAValue]:
        """What each lane gives to each reduction: its value, or the identity past the end; with its index."""
        values: list[SSAValue] = []
        shape = self._full_shape()
        for kind, value in zip(loop.kinds, loop.yielded, strict=True):
            lanes = self._broadcast(self._values[value], shape)
            if self._axes[-1].masked:
                neutral = self._add(FullOp(identity(kind.data, block_element(lanes.type)), lanes.type))
                mask = self._broadcast(self._mask_of(self._axes[-1:]), shape)
                lanes = self._add(WhereOp(mask, lanes, neutral), lanes.name_hint)
            values.append(lanes)
            if kind.data.startswith("arg"):
                index = self._add(CastOp(self._axes[-1].index, block_type(block_shape(self._axes[-1].index.type), i64)))
                values.append(self._broadcast(index, shape))
        return values

    def _reduce(self, loop: mlc_loop.ReduceOp) -> None:
        kinds = [k.data for k in loop.kinds]
        initial: list[SSAValue] = []
        if loop.size.constant is None or loop.size.constant > loop.block_size:
            shape = (self._rows.block_size, loop.block_size) if self._both else (loop.block_size,)
            for kind, value in zip(kinds, loop.yielded, strict=True):
                initial.append(self._add(FullOp(identity(kind, value.type), block_type(shape, value.type)), "acc"))
                if kind.startswith("arg"):
                    last = FullOp(identity("min", i64), block_type(shape, i64))
                    initial.append(self._add(last, "acc_index"))
        lanes = self._columns(loop, initial)
        for kind, result in zip(kinds, loop.outputs, strict=True):
            count = 2 if kind.startswith("arg") else 1
            reduced = ReduceOp(kind, [lanes.pop(0) for _ in range(count)])
            self._add(reduced, result.name_hint, loop)
            reduced.outputs[-1].name_hint = result.name_hint
            self._values[result] = reduced.outputs[-1]

    def _full_shape(self) -> tuple[int, ...]:
        shapes = [block_shape(a.index.type) for a in self._axes]
        return _join_shapes(shapes)

    def _mask_of(self, axes: Sequence[Axis]) -> SSAValue:
        """True on the lanes that lie inside the extents of `axes`."""
        names = sorted({v.name for a in axes for v in a.extent.variables()})
        renamed = {n: variable(operand_name(k)) for k, n in enumerate(names)}
        limits = index_attribute([a.extent.substitute(renamed) for a in axes])
        shape = _join_shapes([block_shape(a.index.type) for a in axes])
        bounds = [self._sizes[n] for n in names]
        return self._add(MaskOp([a.index for a in axes], limits, bounds, block_type(shape, i1)), "mask")

    def _mask(self, operands: Sequence[SSAValue], condition: SSAValue | None) -> SSAValue | None:
        """The mask of an access that is indexed by `operands`; None if every lane is inside."""
        axes = [a for a in self._axes if a.masked and a.index in operands]
        mask = self._mask_of(axes) if axes else None
        if condition is None:
            return mask
        guard = self._values[condition]
        if mask is None:
            return guard
        shape = _join_shapes([block_shape(mask.type), block_shape(guard.type)])
        return self._add(arith.AndIOp(self._broadcast(mask, shape), self._broadcast(guard, shape)), "mask")

    def _address(self, op: mlc_loop.LoadOp | mlc_loop.StoreOp) -> tuple[list[SSAValue], IndexExpr]:
        """Operands and expression of the element's offset, sizes among the operands."""
        offset = buffer_offset(op.buffer.type, index_exprs(op.index))
        return self._with_sizes([self._values[v] for v in op.indices], offset)

    def _with_sizes(self, operands: list[SSAValue], expr: IndexExpr) -> tuple[list[SSAValue], IndexExpr]:
        """`expr` with named sizes turned into operands, and unused operands left out."""
        given = {operand_name(k): v for k, v in enumerate(operands)}
        used = sorted({v.name for v in expr.variables()}, key=lambda n: (n not in given, n))
        renamed = {n: variable(operand_name(k)) for k, n in enumerate(used)}
        return [given.get(n) or self._sizes[n] for n in used], expr.substitute(renamed)

    def _spread(
        self, operands: list[SSAValue], offset: IndexExpr, shape: tuple[int, ...]
    ) -> tuple[list[SSAValue], IndexExpr]:
        """The address as a block of `shape`: Triton broadcasts masks and values to addresses, never the reverse."""
        if _join_shapes([block_shape(v.type) for v in operands]) == shape:
            return operands, offset
        zeros = self._add(FullOp(scalar_attribute(0, self._int), block_type(shape, self._int)), "zeros")
        return [*operands, zeros], offset + variable(operand_name(len(operands)))

    def _load(self, op: mlc_loop.LoadOp) -> None:
        operands, offset = self._address(op)
        mask = self._mask(operands, op.condition)
        guard = block_shape(mask.type) if mask is not None else ()
        shape = _join_shapes([guard, *(block_shape(v.type) for v in operands)])
        operands, offset = self._spread(operands, offset, shape)
        type_ = block_type(shape, op.result.type)
        load = LoadOp(self._values[op.buffer], operands, index_attribute([offset]), mask, type_)
        self._values[op.result] = self._add(load, op.result.name_hint, op)

    def _store(self, op: mlc_loop.StoreOp) -> None:
        operands, offset = self._address(op)
        mask = self._mask([a.index for a in self._axes], op.condition)
        shape = self._full_shape()
        operands, offset = self._spread(operands, offset, shape)
        value = self._broadcast(self._values[op.value], shape)
        if mask is not None:
            mask = self._broadcast(mask, shape)
        store = StoreOp(self._values[op.buffer], value, operands, index_attribute([offset]), mask)
        store.location = op.location
        self._insert.add_op(store)

    def _index(self, op: mlc_loop.IndexOp) -> None:
        operands, expr = self._with_sizes([self._values[v] for v in op.indices], index_exprs(op.index)[0])
        if expr.constant is not None:
            number = scalar_attribute(expr.constant, op.result.type)
            self._values[op.result] = self._add(FullOp(number, op.result.type), op.result.name_hint)
            return
        shape = _join_shapes([block_shape(v.type) for v in operands])
        value = self._indices(operands, expr, block_type(shape, self._int), op.result.name_hint)
        if self._int != op.result.type:
            value = self._add(CastOp(value, block_type(shape, op.result.type)), op.result.name_hint)
        self._values[op.result] = value

    def _scalar(self, op: Operation) -> SSAValue:
        """The same op on blocks of one shape."""
        name = op.results[0].name_hint
        if isinstance(op, arith.ConstantOp):
            return self._add(FullOp(op.value, op.result.type), name, op)  # pyright: ignore[reportArgumentType]
        operands = [self._values[v] for v in op.operands]
        shape = _join_shapes([block_shape(v.type) for v in operands])
        operands = [self._broadcast(v, shape) for v in operands]
        type_ = block_type(shape, op.results[0].type)
        return self._add(_on_blocks(op, operands, type_), name, op)

    def _broadcast(self, value: SSAValue, shape: tuple[int, ...]) -> SSAValue:
        if block_shape(value.type) == shape:
            return value
        return self._add(BroadcastOp(value, block_type(shape, block_element(value.type))), value.name_hint)


def _on_blocks(op: Operation, operands: list[SSAValue], type_: Attribute) -> Operation:
    match op:
        case arith.CmpfOp():
            return CompareOp(FLOAT_PREDICATES[op.predicate.value.data], *operands)
        case arith.CmpiOp():
            return CompareOp(PREDICATES[op.predicate.value.data], *operands)
        case arith.SelectOp():
            return WhereOp(*operands)
        case mlc_loop.LibdeviceOp():
            return LibdeviceOp(op.function.data, operands)
        case _ if isinstance(op, CASTS):
            return CastOp(operands[0], type_, unsigned=isinstance(op, UNSIGNED))
        case _:
            return type(op).create(operands=operands, result_types=[type_], properties=dict(op.properties))


def _join_shapes(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape all of `shapes` broadcast to; scalars have none."""
    blocks = [s for s in shapes if s]
    return tuple(max(sizes) for sizes in zip(*blocks, strict=True)) if blocks else ()
