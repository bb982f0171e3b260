"""Products of matrices on blocks, of which several may be added up."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import TensorType, UnitAttr, f32, i32
from xdsl.ir import Operation, SSAValue

from lowering.loop_to_triton.block_builder import Axis
from lowering.loop_to_triton.program_indices import ProgramIndices
from lowering.loop_to_triton.reductions import Lanes, only
from mlc_dialects.common.reduction_kinds import combined, identity
from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.loop import dialect as mlc_loop
from mlc_dialects.loop.matrices import matrix_of
from mlc_dialects.loop.products import (
    computed_for,
    depends_on,
    factors_of,
    is_unpacked_along,
    read_by,
)
from mlc_dialects.triton.descriptors import DescriptorLoadOp, DescriptorOp
from mlc_dialects.triton.dialect import ForOp, YieldOp
from mlc_dialects.triton.dot import DotOp
from mlc_dialects.triton.memory import LoadOp
from mlc_dialects.triton.rearranged import HalvesOp, TransposeOp
from mlc_dialects.triton.types import block_element, block_shape, block_type
from mlc_dialects.triton.values import ArangeOp, FullOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import variable
from mlc_support.locations import location_of


@dataclass
class Turned:
    """Blocks whose rows are the columns of a product: the axis, and the values of the loop around that it gives."""

    columns: Axis
    values: dict[SSAValue, SSAValue]


class ProductLowering(ProgramIndices):
    """Emits products of blocks."""

    @abstractmethod
    def _lower(self, op: Operation) -> None:
        """Emits what `op` is on blocks."""

    @abstractmethod
    def _column_body(
        self, loop: mlc_loop.LoopOp, axis: Axis, start: SSAValue | None = None, ops: Iterable[Operation] | None = None
    ) -> list[Lanes]:
        """Emits the body of `loop`, or `ops` of it, on one block of columns."""

    def _dot(self, loop: mlc_loop.ReduceOp) -> None:
        """Blocks of the rows times blocks of the columns: at once, or in a loop over blocks of the summed axis."""
        around = self._around(loop)
        size, block, outer, turned = loop.size, loop.block_size, self._insert, self._turned(loop, around)
        start = [self.full(0.0, block_type(self._full_shape(), v.type), "acc") for v in loop.yielded]
        if size.constant is not None and size.constant <= block:
            found = self._multiplied(loop, around, None, start, turned)
        else:
            operands, extent = self._with_sizes([], size)
            over = ForOp(start, str(extent), operands, block, self._int, stages=loop.stages)
            over.location = loop.location
            outer.add_op(over)
            self._insert = over.body.block
            first, *inside = over.body.block.args
            first.name_hint = "k_start"
            self._insert.add_op(YieldOp(self._multiplied(loop, around, first, inside, turned)))
            self._insert, found = outer, list(over.outputs)
        for result, value in zip(loop.outputs, found, strict=True):
            value.name_hint = result.name_hint
            self._values[result] = value

    def _in_slices(self, loop: mlc_loop.LoopOp, slices: int) -> None:
        """The products of a block of columns, and all else for one slice of its columns after the other."""
        ops = [*loop.body.block.ops]
        (products,) = (op for op in ops if isinstance(op, mlc_loop.ReduceOp) and op.dot is not None)
        self._column_body(loop, self._program_columns(loop), ops=ops[: ops.index(products) + 1])
        blocks = [self._split(self._values[result], slices) for result in products.outputs]
        for place, values in enumerate(zip(*blocks, strict=True)):
            self._values |= zip(products.outputs, values, strict=True)
            others = [op for op in ops if op is not products]
            self._column_body(loop, self._program_columns(loop, place, slices), ops=others)

    def _split(self, block: SSAValue, slices: int) -> list[SSAValue]:
        """So many slices of the columns of `block`, each as wide."""
        if slices == 1:
            return [block]
        halves = HalvesOp(block)
        self.put(halves)
        halves.left.name_hint = halves.right.name_hint = block.name_hint
        return [slice for half in halves.results for slice in self._split(half, slices // 2)]

    def _around(self, loop: mlc_loop.ReduceOp) -> mlc_loop.LoopOp:
        """The loop around `loop`: over blocks of rows, or in one over those over blocks of columns if it has `dot`.

        MlcError for any other place, and for a condition.
        """
        around, wanted = loop.parent_op(), 1 if loop.dot is None else 2
        if isinstance(around, mlc_loop.ReduceOp) and around.adds_blocks:
            around = around.parent_op()
        blocks = self._row_block > 1 and len(self._axes) == wanted
        if not isinstance(around, mlc_loop.LoopOp) or not blocks or loop.end.condition is not None:
            inside = "in a loop over a block of columns " if wanted == 2 else ""
            raise MlcError(
                f"loop-to-triton: this mlc_loop.reduce must be {inside}in a loop over a block of rows, each of several "
                "iterations, and must have no condition",
                location=location_of(loop),
                hint="the pass `tile-products` makes such loops",
            )
        return around

    def _multiplied(
        self,
        loop: mlc_loop.ReduceOp,
        around: mlc_loop.LoopOp,
        first: SSAValue | None,
        added: Sequence[SSAValue],
        turned: Turned | None,
    ) -> list[SSAValue]:
        """`added` plus the products of a block of the summed axis, from `first` on, or of all of it."""
        rows, columns = self._axes
        block = loop.block_size
        products = factors_of(loop, self._rows.index, around.index)
        first_factors, second_factors = ([p.both[side] for p in products] for side in range(2))
        along = self._summed(loop, first, (1, block), "k")
        self._axes = [rows, along]
        left = self._factors(loop, first_factors, along)
        if turned is not None:
            kept, self._axes = self._values, [turned.columns, along]
            self._values = kept | turned.values
            right = [self.add(TransposeOp(b), b.name_hint) for b in self._factors(loop, second_factors, along)]
            self._values = kept
        else:
            along = self._summed(loop, first, (block, 1), "k")
            self._axes = [along, columns]
            right = self._factors(loop, second_factors, along)
        self._axes = [rows, columns]
        return [self._product(loop, *operands) for operands in zip(left, right, added, strict=True)]

    def _turned(self, loop: mlc_loop.ReduceOp, around: mlc_loop.LoopOp) -> Turned | None:
        """What the factors of columns need to be computed as rows of what is summed, where memory holds them so.

        Each lane then has neighbours, as tensor cores take them. None where memory holds them by columns.
        """
        values = [p.both[1] for p in factors_of(loop, self._rows.index, around.index)]
        rows, columns = self._axes
        if columns.base is None or columns.start is None or not is_unpacked_along(values, loop, around):
            return None
        lanes = self.add(ArangeOp(block_shape(columns.index.type)[::-1], self._int), "lanes_r")
        index = self.indices((columns.start, lanes), columns.base + variable("d1"), lanes.type, "r")
        axis, kept = replace(columns, index=index, lanes=lanes), dict(self._values)
        self._axes, self._values[around.index] = [axis], index
        read = [v for op in computed_for(values, loop) for v in read_by(op)]
        ops = [op for op in computed_for(read, around) if any(depends_on(r, around.index) for r in op.results)]
        for op in ops:
            self._lower(op)
            self._lay_out_apart(op)
        found = {around.index: index} | {r: self._values[r] for op in ops for r in op.results}
        self._axes, self._values = [rows, columns], kept
        return Turned(axis, found)

    def _product(self, loop: mlc_loop.ReduceOp, a: SSAValue, b: SSAValue, added: SSAValue) -> SSAValue:
        """`added` plus a product of blocks, as precise as `loop` says."""
        rounded = loop.tf32 is not None and block_element(a.type) == f32
        return self.add(DotOp(a, b, added, "tf32" if rounded else "ieee"), "acc")

    def _summed(self, loop: mlc_loop.ReduceOp, first: SSAValue | None, shape: tuple[int, ...], name: str) -> Axis:
        """The axis of `loop` in a block from `first` on, or of all of it, along one of two dimensions."""
        lanes, size, block = self.add(ArangeOp(shape, self._int), name), loop.size, loop.block_size
        masked = (size % block).constant != 0
        if first is None:
            return Axis(size, lanes, masked)
        index = self.indices((first, lanes), variable("d0") + variable("d1"), lanes.type, name)
        return Axis(size, index, masked, variable("d0") // block * block, first, lanes, block, steps=True)

    def _factors(self, loop: mlc_loop.ReduceOp, values: Sequence[SSAValue], along: Axis) -> list[SSAValue]:
        """Blocks of one side of the products; 0 beyond the end of the summed axis."""
        self._values[loop.index] = along.index
        for op in computed_for(values, loop):
            if isinstance(op, mlc_loop.LoadOp) and op.described is not None:
                self._load_block(op, loop, along)
            else:
                self._lower(op)
                self._lay_out_apart(op)
        shape = self._full_shape()
        mask = self.broadcast(self._mask_of([along]), shape) if along.masked else None
        blocks = [(self.broadcast(self._values[v], shape), None if _is_described(v) else mask) for v in values]
        return [only(self, b, inside, scalar_attribute(0.0, block_element(b.type))) for b, inside in blocks]

    def _lay_out_apart(self, op: Operation) -> None:
        """Has what `op` loads for rows or columns alone in a layout of its own: else the factor would take that."""
        block = self._values[op.results[0]].owner if op.results else None
        if not isinstance(block, LoadOp) or sum(size > 1 for size in block_shape(block.result.type)) != 1:
            return
        if block.mask is None or block_shape(block.mask.type) == block_shape(block.result.type):
            block.as_vector = UnitAttr()

    def _load_block(self, op: mlc_loop.LoadOp, loop: mlc_loop.ReduceOp, along: Axis) -> None:
        """A block of a matrix, by a tensor descriptor of it; 0 beyond the ends of both axes."""
        (beside,) = (axis for axis in self._axes if axis is not along)
        around = self._rows if self._values[self._rows.index] is beside.index else self._around(loop)
        matrix = matrix_of(op, *([(outer.index, outer.size)] for outer in (around, loop)))
        if matrix is None or along.start is None or beside.start is None or beside.base is None:
            raise MlcError(
                "loop-to-triton: a `described` load reads no matrix of rows or columns and of what is summed",
                location=location_of(op),
                hint="leave `described` out: the pass `tile-products` gives it to loads of aligned matrices",
            )
        first = self.indices([beside.start], beside.base, self._int, "first")
        places = [(around.block_size, first), (loop.block_size, along.start)]
        (high, row), (wide, column) = places[::-1] if matrix.transposed else places
        block = TensorType(op.result.type, [high, wide])
        name = op.result.name_hint
        told = DescriptorOp(self._values[op.buffer], matrix.first, (matrix.rows, matrix.columns), matrix.step, block)
        descriptor = self.add(told, f"{name or 'block'}_blocks", op)
        loaded = self.add(DescriptorLoadOp(descriptor, *(self.converted(v, i32) for v in (row, column))), name, op)
        if matrix.transposed == (self._axes[0] is beside):  # blocks are of rows, or of what is summed, by columns
            loaded = self.add(TransposeOp(loaded), name)
        self._values[op.result] = loaded

    def _add_blocks(self, loop: mlc_loop.ReduceOp) -> None:
        """A loop whose iterations each compute a block of rows and columns: these are combined in registers."""
        shape, outer = self._full_shape(), self._insert
        start = [self.add(FullOp(identity(k, v.type), block_type(shape, v.type)), "acc") for k, v, _ in loop.parts]
        operands, extent = self._with_sizes([], loop.size)
        over = ForOp(start, str(extent), operands, 1, self._int, stages=loop.stages)
        over.location = loop.location
        outer.add_op(over)
        self._insert = over.body.block
        index, *inside = over.body.block.args
        index.name_hint, self._values[loop.index] = "a", index
        for op in loop.body.block.ops:
            self._lower(op)
        blocks = [self.broadcast(self._values[v], shape) for v in loop.yielded]
        found = zip(loop.parts, inside, blocks, strict=True)
        self._insert.add_op(YieldOp([self.add(combined(kind, old, new), "acc") for (kind, _, _), old, new in found]))
        self._insert = outer
        for result, value in zip(loop.outputs, over.outputs, strict=True):
            value.name_hint = result.name_hint
            self._values[result] = value


def _is_described(value: SSAValue) -> bool:
    """True if `value` is loaded by a tensor descriptor."""
    return isinstance(value.owner, mlc_loop.LoadOp) and value.owner.described is not None
