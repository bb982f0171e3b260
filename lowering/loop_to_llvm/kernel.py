"""One kernel of `mlc_loop` as LLVM functions.

    @softmax.rows(buffers, sizes, failed, begin, end)   the rows begin, ..., end - 1
    @softmax.share(context)                              what one thread of several runs
    @kernel.softmax(buffers, sizes, failed, threads)     all rows, on so many threads at most

A row is an iteration of the outer loop, or what runs together of it (see `units`). Without lanes an iteration runs its
body as it stands. With lanes of an axis L iterations along it run together: each loop inside visits its points once for
all of them, and what lives between loops is an array of L values. So a reduction along a strided axis reads memory in
order. In tiles, squares of what memory has in another order are transposed before and after the iterations.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from llvmlite import ir
from xdsl.dialects import arith
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lowering.loop_to_llvm.combine import combined
from lowering.loop_to_llvm.elementary import intrinsic
from lowering.loop_to_llvm.frame import ONE, ZERO, Frame, Lanes
from lowering.loop_to_llvm.reductions import Reductions
from lowering.loop_to_llvm.scalars import scalar
from lowering.loop_to_llvm.squares import SIDE, Squares
from lowering.loop_to_llvm.types import I8, I64, constant, llvm_type, memory_type
from mlc_dialects.common.buffers import buffer_element, buffer_shape
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.reduction_kinds import identity
from mlc_dialects.common.types import storage
from mlc_dialects.loop.dialect import (
    AccumulateOp,
    AtomicOp,
    IndexOp,
    IndirectIndexOp,
    KernelOp,
    LoadOp,
    LoopOp,
    ParallelOp,
    ReduceOp,
    ScanOp,
    ScratchOp,
    StoreOp,
    YieldOp,
)
from mlc_support.cpu import CPU
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer, product
from mlc_support.index_maps import assumed
from mlc_support.locations import location_of, source_line
from mlc_support.python_text import comment


def units(rows: ParallelOp) -> tuple[IndexExpr, ...]:
    """The extents of what threads share: iterations of the outer loop, or those that run together as one.

    Together run shares, lanes, tiles, and what lies along the last axes of a kernel without loops inside: of the fewest
    that have as many points as lanes: the place of each takes divisions to find.
    """
    sizes = [*rows.sizes]
    if rows.shares is not None:
        return (integer(rows.shares.value.data),)
    if rows.lanes is not None:
        lanes = rows.lanes.value.data
        sizes[-1] = (sizes[-1] + (lanes - 1)) // lanes
    elif rows.tile is not None:
        for axis in (rows.tile.value.data, -1):
            sizes[axis] = (sizes[axis] + (SIDE - 1)) // SIDE
    elif not rows.loops:
        points = 1
        while len(sizes) > 1 and points < CPU.lanes:
            points *= assumed(sizes.pop())
    return tuple(sizes)


class RowsFunction:
    """The function of some rows of a kernel."""

    def __init__(self, module: ir.Module, kernel: KernelOp, sizes: Sequence[str]):
        self._kernel, self._rows = kernel, kernel.rows
        self._frame = Frame(module, kernel, sizes)
        self._builder = self._frame.builder
        self._reductions = Reductions(self._frame)
        self._squares = Squares(self._frame, kernel.rows)
        self._shared: dict[SSAValue, int] = {}
        """How many parallel loops, the outermost ones, have the memory of a scratch buffer in common."""

    def build(self) -> ir.Function:
        """Emits the loop over the rows, and all inside it."""
        rows, frame = self._rows, self._frame
        if rows.shares is not None:
            self._all_shares(rows.shares.value.data)
            return frame.finish()
        inner = len(units(rows)) < len(rows.sizes)
        with frame.loop(frame.begin, frame.end, parallel=rows.tile is None and frame.is_parallel(rows)) as row:
            places = self._places(row, [frame.index(size) for size in units(rows)])
            frame.values.update(zip(rows.indices, places, strict=False))
            if rows.lanes is not None:
                self._tile_of_lanes(places[-1], rows.lanes.value.data)
            elif rows.tile is not None:
                axis = rows.tile.value.data
                sides = rows.indices[axis], rows.indices[-1]
                self._squares.run((places[axis], places[-1]), lambda bounds: self._points(sides, bounds))
            elif inner:
                count = len(units(rows))
                bounds = [(ZERO, frame.index(size)) for size in rows.sizes[count:]]
                self._points(rows.indices[count:], bounds)
            else:
                self._block(rows.body.block)
        return frame.finish()

    def _all_shares(self, count: int) -> None:
        """The rows of each share, in their order."""
        builder, frame, indices = self._builder, self._frame, self._rows.indices
        total, shares = frame.index(self._rows.size), ir.Constant(I64, count)
        with frame.loop(frame.begin, frame.end, parallel=False) as share:
            first, end = (
                builder.udiv(builder.add(builder.mul(number, total), ir.Constant(I64, count - 1)), shares)
                for number in (share, builder.add(share, ONE))
            )
            with frame.loop(first, end, parallel=False) as row:
                places = self._places(row, [frame.index(size) for size in self._rows.sizes])
                frame.values.update(zip(indices, places, strict=True))
                self._block(self._rows.body.block)

    def _places(self, row: ir.Value, sizes: Sequence[ir.Value]) -> list[ir.Value]:
        """The place of a flat row along axes of these sizes, the last one fastest."""
        places: list[ir.Value] = []
        for size in reversed(sizes[1:]):
            places.insert(0, self._builder.urem(row, size))
            row = self._builder.udiv(row, size)
        return [row, *places]

    def _points(self, indices: Sequence[SSAValue], bounds: Sequence[tuple[ir.Value, ir.Value]]) -> None:
        """The body for each point of parallel axes, each from a begin to an end; the last one is the innermost."""
        if not indices:
            self._block(self._rows.body.block)
            return
        shared = self._rows.tile is not None and len(indices) > 1  # squares
        parallel = not shared and self._frame.is_parallel(self._rows)
        with self._frame.loop(*bounds[0], parallel, unrolled=self._rows.tile is None) as place:
            self._frame.values[indices[0]] = place
            self._points(indices[1:], bounds[1:])

    def _tile_of_lanes(self, tile: ir.Value, most: int) -> None:
        """The lanes of one tile. Where some tiles are whole and the last is not, either kind has a code path."""
        builder, size = self._builder, self._rows.sizes[-1]
        begin = builder.mul(tile, ir.Constant(I64, most))
        known = size.constant
        if known is not None and (known < most or known % most == 0):
            self._lanes(begin, ir.Constant(I64, min(known, most)), min(known, most))
            return
        whole = ir.Constant(I64, most)
        left = builder.sub(self._frame.index(size), begin)
        with builder.if_else(builder.icmp_unsigned(">=", left, whole)) as (full, partial):
            with full:
                self._lanes(begin, whole, most)
            with partial:
                self._lanes(begin, left, most)

    def _lanes(self, begin: ir.Value, count: ir.Value, most: int) -> None:
        """The body for so many lanes, at most `most`."""
        self._frame.lanes, self._frame.arrays = Lanes(begin, count, most, self._rows.indices[-1]), {}
        self._reductions.forget()
        self._block(self._rows.body.block)
        self._frame.lanes = None

    # Blocks of ops: with lanes, runs of scalar ops are loops over the lanes.

    def _block(self, block: Block) -> None:
        """The ops of a block; those between two loops are one run."""
        ops = [*block.ops]
        end = ops.pop() if ops and isinstance(ops[-1], YieldOp) else None
        run: list[Operation] = []
        for op in ops:
            if isinstance(op, LoopOp):
                self._run(run)
                run = []
                self._nested(op)
            else:
                run.append(op)
        self._run(run, end)

    def _run(self, ops: Sequence[Operation], end: Operation | None = None) -> None:
        """Ops without loops, for each lane, and what a reduction takes at their end."""
        if not ops and end is None:
            return
        frame, together = self._frame, {*ops, end}
        with frame.each_lane():
            shown = ""
            for op in ops:
                shown = self._show_line(op, shown)
                self._op(op)
            if isinstance(end, YieldOp):
                self._reductions.take(end)
            if frame.lanes is not None:
                for value in (r for op in ops if not isinstance(op, arith.ConstantOp) for r in op.results):
                    if any(use.operation not in together for use in value.uses):
                        frame.keep(frame.arrays, value, frame.values[value])

    def _show_line(self, op: Operation, shown: str) -> str:
        """A comment with the user's line that `op` comes from, unless it is `shown`; what is shown now."""
        line = comment(source_line(op))
        if line and line != shown:
            self._builder.comment(line)
        return line or shown

    # Loops.

    def _nested(self, loop: LoopOp) -> None:
        axes = [*zip(loop.indices, loop.sizes, strict=True)]
        scans = [op for op in loop.body.block.ops if isinstance(op, ScanOp)]
        for op in scans:
            self._reductions.start_scan(op)
        if isinstance(loop, ReduceOp) and loop.span is None:
            self._reductions.start(loop)
            self._axes(loop, axes, False)
            self._reductions.finish(loop)
        elif isinstance(loop, ParallelOp):
            self._axes(loop, axes, not scans and self._frame.is_parallel(loop))
        else:
            what = f"{loop.name} of a span" if isinstance(loop, ReduceOp) else loop.name
            raise MlcError(f"llvm: cannot lower {what}", location=location_of(loop))

    def _axes(self, loop: LoopOp, axes: Sequence[tuple[SSAValue, IndexExpr]], parallel: bool) -> None:
        """The points of a loop in row-major order; runs of the last axis are summed apart."""
        if not axes:
            self._block(loop.body.block)
            return
        (index, extent), *rest = axes
        frame, size = self._frame, self._frame.index(extent)
        if not rest and self._reductions.long_sums(loop):
            self._runs(loop, index, size)
            return
        with frame.loop(ZERO, size, parallel and frame.lanes is None) as place:
            frame.values[index] = place
            self._axes(loop, rest, parallel)

    def _runs(self, loop: LoopOp, index: SSAValue, size: ir.Value) -> None:
        """The points of the last axis, so many at a time.

        One run is read after another: LLVM would unroll a few, and read from all of them in turn, pages apart.
        """
        builder, frame, length = self._builder, self._frame, self._reductions.run_length(loop)
        count = builder.udiv(builder.add(size, ir.Constant(I64, length - 1)), ir.Constant(I64, length))
        with frame.loop(ZERO, count, parallel=False, unrolled=False) as number:
            begin = builder.mul(number, ir.Constant(I64, length))
            end = intrinsic(builder, "llvm.smin", [builder.add(begin, ir.Constant(I64, length)), size])
            with frame.loop(begin, end, parallel=False) as place:
                frame.values[index] = place
                self._block(loop.body.block)
            self._reductions.end_run(loop)

    # Single ops.

    def _op(self, op: Operation) -> None:
        frame = self._frame
        match op:
            case LoadOp():
                frame.values[op.result] = self._load(op)
            case StoreOp():
                with self._where(op.condition):
                    self._store(op, frame.value(op.value))
            case AtomicOp() | AccumulateOp():
                with self._where(op.condition if isinstance(op, AtomicOp) else None):
                    old = self._read(op, storage(buffer_element(op.buffer.type)))
                    self._store(op, combined(self._builder, op.kind.data, old, frame.value(op.value), op.value.type))
            case IndexOp():
                (expr,) = index_exprs(op.index)
                place, kind = frame.index(expr, op.indices), llvm_type(op.result.type)
                frame.values[op.result] = place if kind == I64 else self._builder.trunc(place, kind)
            case IndirectIndexOp():
                frame.values[op.result] = self._checked(op)
            case ScanOp():
                frame.values[op.result] = self._reductions.scan(op)
            case ScratchOp():
                self._shared[op.buffer] = frame.metadata.depth
                count = product(buffer_shape(op.buffer.type)).evaluate({})
                frame.buffers[op.buffer] = frame.memory(memory_type(buffer_element(op.buffer.type)), count)
            case _:
                frame.values[op.results[0]] = scalar(self._builder, op, [frame.value(v) for v in op.operands])

    @contextmanager
    def _where(self, condition: SSAValue | None) -> Generator[None]:
        if condition is None:
            yield
            return
        with self._builder.if_then(self._frame.value(condition)):
            yield

    def _load(self, op: LoadOp) -> ir.Value:
        if op.condition is None:
            return self._read(op, op.result.type)
        builder, condition = self._builder, self._frame.value(op.condition)
        before = builder.block
        with builder.if_then(condition):
            found, inside = self._read(op, op.result.type), builder.block
        phi = builder.phi(found.type)
        phi.add_incoming(found, inside)
        phi.add_incoming(constant(identity("add", op.result.type), op.result.type), before)
        return phi

    def _read(self, op: LoadOp | AtomicOp | AccumulateOp, element: Attribute) -> ir.Value:
        kind = memory_type(element)
        found = self._builder.load(self._squares.address(op, kind), typ=kind)
        self._frame.metadata.access(found, self._shared.get(op.buffer, 0))
        return self._builder.trunc(found, llvm_type(element)) if kind != llvm_type(element) else found

    def _store(self, op: StoreOp | AtomicOp | AccumulateOp, value: ir.Value) -> None:
        kind = memory_type(op.value.type)
        wide = self._builder.zext(value, I8) if kind != value.type else value
        stored = self._builder.store(wide, self._squares.address(op, kind))
        self._frame.metadata.access(stored, self._shared.get(op.buffer, 0))

    def _checked(self, op: IndirectIndexOp) -> ir.Value:
        """The index; where it is outside, the function ends and says so."""
        builder, frame = self._builder, self._frame
        given = frame.value(op.value)
        index = given if given.type == I64 else builder.sext(given, I64)
        if op.unchecked is not None:
            return index
        outside = builder.icmp_unsigned(">=", index, frame.index(op.size))
        if op.condition is not None:
            outside = builder.and_(outside, frame.value(op.condition))
        with builder.if_then(outside, likely=False):
            builder.store(ONE, frame.failed)
            builder.branch(frame.exit)
        return index
