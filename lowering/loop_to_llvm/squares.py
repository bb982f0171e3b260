"""Tiles of two axes: squares of what memory has in the order of the other axis, transposed in registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir
from xdsl.ir import Operation, SSAValue

from lowering.loop_to_llvm.elementary import intrinsic
from lowering.loop_to_llvm.frame import Frame
from lowering.loop_to_llvm.types import I32, I64, memory_type
from mlc_dialects.common.buffers import buffer_element, buffer_offset
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.loop.contiguity import crossing
from mlc_dialects.loop.dialect import AccumulateOp, AtomicOp, LoadOp, ParallelOp, StoreOp
from mlc_support.cpu import CPU

SIDE = CPU.vector_lanes
"""Elements along each side: a vector of the widest kind, if they have 32 bits."""
Access = LoadOp | StoreOp | AtomicOp | AccumulateOp


class Squares:
    """The tiles of a kernel's rows, and where its accesses find memory, inside them and elsewhere."""

    def __init__(self, frame: Frame, rows: ParallelOp):
        self._frame, self._rows = frame, rows
        self._squares: dict[Operation, ir.Value] = {}
        """What accesses have instead of memory, in the square that is at work."""
        self._corner: list[ir.Value] = []

    def address(self, op: Access, kind: ir.Type) -> ir.Value:
        """The place of an element of this iteration."""
        if op not in self._squares:
            return self._in_memory(op, kind)
        builder = self._frame.builder
        down, along = (
            builder.sub(self._frame.value(index), begin) for index, begin in zip(self._sides, self._corner, strict=True)
        )
        place = builder.add(builder.mul(down, ir.Constant(I64, SIDE)), along)
        return builder.gep(self._squares[op], [place], inbounds=True, source_etype=kind)

    def run(self, places: Sequence[ir.Value], points: Callable[[Sequence[tuple[ir.Value, ir.Value]]], None]) -> None:
        """One square; `points` runs iterations from a begin to an end along each side. It is cut off at the ends."""
        frame, builder = self._frame, self._frame.builder
        begins = [builder.mul(place, ir.Constant(I64, SIDE)) for place in places]
        ends = [builder.add(begin, ir.Constant(I64, SIDE)) for begin in begins]
        sizes = [frame.index(self._rows.sizes[axis]) for axis in self._axes]
        fits = [builder.icmp_signed("<=", end, size) for end, size in zip(ends, sizes, strict=True)]
        with builder.if_else(builder.and_(*fits)) as (whole, partial):
            with whole:
                self._whole(begins, lambda: points([*zip(begins, ends, strict=True)]))
            with partial:
                cut = [intrinsic(builder, "llvm.smin", [e, size]) for e, size in zip(ends, sizes, strict=True)]
                points([*zip(begins, cut, strict=True)])

    def _whole(self, begins: list[ir.Value], points: Callable[[], None]) -> None:
        """Crossing accesses go to squares, which are read from memory before and written to it afterwards."""
        ops, self._corner = crossing(self._rows, self._axes[0]), begins
        squares = {op: self._frame.memory(_kind(op), SIDE * SIDE) for op in ops}
        for op in [op for op in ops if isinstance(op, LoadOp)]:
            self._transpose(op, squares[op])
        self._squares = {**squares}
        points()
        self._squares = {}
        for op in [op for op in ops if isinstance(op, StoreOp)]:
            self._transpose(op, squares[op])

    def _transpose(self, op: LoadOp | StoreOp, square: ir.Value) -> None:
        """The square of a load from memory, or of a store to it."""
        builder, kind = self._frame.builder, _kind(op)
        lines = [
            builder.gep(square, [ir.Constant(I64, SIDE * k)], inbounds=True, source_etype=kind) for k in range(SIDE)
        ]
        (down, along), (first, begin) = self._sides, self._corner
        self._frame.values[down] = first
        outside: list[ir.Value] = []
        for k in range(SIDE):
            self._frame.values[along] = builder.add(begin, ir.Constant(I64, k))
            outside.append(self._in_memory(op, kind))
        given, taken = (outside, lines) if isinstance(op, LoadOp) else (lines, outside)
        align, vector = _bytes(kind), ir.VectorType(kind, SIDE)
        found = transposed(builder, [builder.load(place, align=align, typ=vector) for place in given])
        for value, place in zip(found, taken, strict=True):
            builder.store(value, builder.bitcast(place, vector.as_pointer()), align=align)

    def _in_memory(self, op: Access, kind: ir.Type) -> ir.Value:
        frame = self._frame
        offset = frame.index(buffer_offset(op.buffer.type, index_exprs(op.index)), op.indices)
        return frame.builder.gep(frame.buffers[op.buffer], [offset], inbounds=True, source_etype=kind)

    @property
    def _axes(self) -> tuple[int, int]:
        assert self._rows.tile is not None
        return self._rows.tile.value.data, len(self._rows.indices) - 1

    @property
    def _sides(self) -> list[SSAValue]:
        """The indices of the two axes."""
        return [self._rows.indices[axis] for axis in self._axes]


def transposed(builder: ir.IRBuilder, rows: Sequence[ir.Value]) -> list[ir.Value]:
    """The columns of the square that `rows` are, as vectors.

    Each round interleaves row i with the one half the square further on; after log2(SIDE) rounds rows are columns.
    """
    half = len(rows) // 2
    low = [place for k in range(half) for place in (k, len(rows) + k)]
    mask = ir.VectorType(I32, len(rows))
    masks = [ir.Constant(mask, low), ir.Constant(mask, [place + half for place in low])]
    found = [*rows]
    for _ in range(half.bit_length()):
        pairs = zip(found[:half], found[half:], strict=True)
        found = [builder.shuffle_vector(a, b, mask) for a, b in pairs for mask in masks]
    return found


def _kind(op: LoadOp | StoreOp) -> ir.Type:
    return memory_type(buffer_element(op.buffer.type))


def _bytes(kind: ir.Type) -> int:
    """The size of an element, on which alone its address is aligned."""
    if isinstance(kind, ir.IntType):
        return kind.width // 8
    return {ir.HalfType: 2, ir.FloatType: 4, ir.DoubleType: 8}[type(kind)]
