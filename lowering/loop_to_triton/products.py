"""Products of matrices on blocks: by themselves, and following each other in a loop over keys."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, UnitAttr, f32, i32
from xdsl.ir import Operation, SSAValue

from lowering.loop_to_triton.block_builder import Axis
from lowering.loop_to_triton.online import RunningSoftmax
from lowering.loop_to_triton.program_indices import ProgramIndices
from lowering.loop_to_triton.reductions import Lanes, only, reduce_block
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.common.reduction_kinds import COMBINE, WEIGHTED, combined, identity
from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.loop import dialect as mlc_loop
from mlc_dialects.loop.matrices import matrix_of
from mlc_dialects.loop.products import (
    computed_for,
    depends_on,
    factors_in,
    factors_of,
    is_unpacked_along,
    narrowed,
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
from mlc_support.index_expr import IndexExpr, variable
from mlc_support.locations import location_of


@dataclass
class Part:
    """One reduction of a loop over keys; `column` is the factor of blocks that are multiplied."""

    kind: str
    rows: list[SSAValue]
    """What is computed for rows and keys: the value, or its factors beside `column`."""
    column: SSAValue | None
    results: tuple[SSAValue, ...]


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
        return Axis(size, index, masked, variable("d0") // block * block, first, lanes, block)

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

    def _online(self, loop: mlc_loop.ReduceOp) -> None:
        """A loop over blocks of keys, in which the scores are products of blocks.

        A row has one value of each reduction, or one for each column, which is carried from block to block: registers
        hold a block of scores besides.
        """
        rows, *columns = axes = self._axes
        parts, softmax, outer = self._parts(loop), RunningSoftmax(self, loop.approx is not None), self._insert
        groups = [self._start(part, softmax, columns) for part in parts]
        start, operands, extent = self._bounds(loop)
        carried = [v for group in groups for v in group]
        over = ForOp(carried, str(extent), operands, loop.block_size, self._int, start, loop.stages)
        over.location = loop.location
        outer.add_op(over)
        self._insert = over.body.block
        first, *inside = over.body.block.args
        first.name_hint = "j_start"
        self._axes = [rows, self._summed(loop, first, (1, loop.block_size), "j")]
        given = self._of_rows(loop, parts)
        factors = self._of_columns(loop, parts, [self._summed(loop, first, (loop.block_size, 1), "j"), *columns])
        steps: list[SSAValue] = []
        for part, group, values, factor in zip(parts, _grouped(groups, inside), given, factors, strict=True):
            steps += self._step(loop, part, softmax, group, values, factor)
        self._insert.add_op(YieldOp(steps))
        self._insert, self._axes = outer, axes
        for part, group in zip(parts, _grouped(groups, list(over.outputs)), strict=True):
            for result, value in zip(part.results, self._end(part, softmax, group), strict=True):
                value.name_hint = result.name_hint
                self._values[result] = value

    def _bounds(self, loop: mlc_loop.ReduceOp) -> tuple[SSAValue | None, list[SSAValue], IndexExpr]:
        """The first key of the loop for this program, and where it ends, with its operands."""
        operands, extent = self._with_sizes([], loop.size)
        bounds = [*self._visible(loop), *self._span(loop)]
        firsts, ends = ([b for b in side if b is not None] for side in ([f for f, _ in bounds], [e for _, e in bounds]))
        start = reduce(lambda a, b: self.add(arith.MaxSIOp(a, b), "first"), firsts) if firsts else None
        if ends:
            all_keys = self.indices(operands, extent, self._int) if extent.constant is None else None
            limit = all_keys or self.full(extent.constant or 0, self._int)
            stop = reduce(lambda a, b: self.add(arith.MinSIOp(a, b), "end"), [*ends, limit])
            operands, extent = [stop], variable("d0")
        return start, operands, extent

    def _visible(self, loop: mlc_loop.ReduceOp) -> Iterator[tuple[SSAValue | None, SSAValue | None]]:
        """Bounds of what a mask leaves for the rows of this program."""
        axis, block = self._axes[0], loop.block_size
        if loop.visible is None or axis.base is None or axis.start is None:
            return
        own = [operand_name(k) for k, index in enumerate(loop.near) if index is self._rows.index]
        first, end = index_exprs(loop.visible)
        row, place = axis.base, None
        if first.constant != 0:
            aligned = first.substitute(dict.fromkeys(own, row)) // block * block
            zero = self.full(0, self._int)
            place = self.add(arith.MaxSIOp(self.indices([axis.start], aligned, self._int), zero), "first")
        last = end.substitute(dict.fromkeys(own, row + (self._row_block - 1)))
        yield place, self.indices([axis.start], last, self._int) if end.constant is None else None

    def _span(self, loop: mlc_loop.ReduceOp) -> Iterator[tuple[SSAValue, SSAValue]]:
        """Bounds of this program's own keys."""
        if loop.span is not None:
            near = [self._values[index] for index in loop.near]
            placed = (self._with_sizes(near, bound) for bound in index_exprs(loop.span))
            first, end = (self.indices(*bound, self._int) for bound in placed)
            yield first, end

    def _of_rows(self, loop: mlc_loop.ReduceOp, parts: Sequence[Part]) -> list[list[SSAValue]]:
        """What is computed for a block of rows and keys, for each of `parts`."""
        self._values[loop.index] = self._axes[1].index
        for op in computed_for([v for part in parts for v in part.rows], loop):
            self._lower(op)
        shape = self._full_shape()
        return [[self.broadcast(self._values[v], shape) for v in part.rows] for part in parts]

    def _of_columns(
        self, loop: mlc_loop.ReduceOp, parts: Sequence[Part], axes: Sequence[Axis]
    ) -> list[SSAValue | None]:
        """What is computed for a block of keys and columns, for each of `parts`."""
        kept, self._axes = self._axes, list(axes)
        given = [part.column for part in parts if part.column is not None]
        blocks = iter(self._factors(loop, given, axes[0]))
        self._axes = kept
        return [None if part.column is None else next(blocks) for part in parts]

    def _parts(self, loop: mlc_loop.ReduceOp) -> list[Part]:
        """The reductions of a loop; of those that `dot` multiplies, the factor that depends on columns apart."""
        around = self._around(loop)
        found: list[Part] = []
        for kind, value, results in loop.parts:
            factors = factors_in(value) if loop.dot is not None else [value]
            ofs = [f for f in factors if loop.dot is not None and depends_on(f, around.index)]
            if ofs or kind == WEIGHTED:
                self._check_multiplied(loop, kind, ofs)
                found.append(Part(kind, [f for f in factors if f not in ofs], narrowed(*ofs, *ofs)[0], results))
            elif kind == "softmax" or kind in COMBINE:
                found.append(Part(kind, [value], None, results))
            else:
                raise MlcError(
                    f"loop-to-triton: {kind} cannot be computed beside products, block by block",
                    location=location_of(loop),
                    hint=f"only {', '.join(('softmax', WEIGHTED, *COMBINE))} can: reduce {kind} in a loop of its own",
                )
        return found

    def _check_multiplied(self, loop: mlc_loop.ReduceOp, kind: str, factors: Sequence[SSAValue]) -> None:
        """MlcError unless `factors`, those that depend on columns, are one that does not depend on rows."""
        ofs_rows = any(depends_on(f, self._rows.index) for f in factors)
        if kind not in (WEIGHTED, "add") or len(factors) != 1 or ofs_rows:
            raise MlcError(
                f"loop-to-triton: {kind} is no sum of products of blocks here: exactly one factor must depend on the "
                "columns, and not on the rows",
                location=location_of(loop),
                hint="the pass `tile-products` makes such sums, and gives them `dot`",
            )

    def _start(self, part: Part, softmax: RunningSoftmax, columns: Sequence[Axis]) -> list[SSAValue]:
        """The accumulators before the first block."""
        element, row = part.results[0].type, (self._row_block, 1)
        if part.kind == "softmax":
            return softmax.start(block_type(row, element))
        if part.column is not None:
            return [self.full(0.0, block_type((row[0], block_shape(columns[0].index.type)[1]), element), "acc")]
        return [self.add(FullOp(identity(part.kind, element), block_type(row, element)), "acc")]

    def _step(
        self,
        loop: mlc_loop.ReduceOp,
        part: Part,
        softmax: RunningSoftmax,
        group: Sequence[SSAValue],
        values: Sequence[SSAValue],
        factor: SSAValue | None,
    ) -> list[SSAValue]:
        """The accumulators after one more block of keys."""
        keys = self._axes[1:]
        mask = self.broadcast(self._mask_of(keys), self._full_shape()) if keys[0].masked else None
        if part.kind == "softmax":
            least = scalar_attribute(float("-inf"), block_element(values[0].type))
            return softmax.step(group, only(self, values[0], mask, least))
        if factor is None:
            counted = only(self, values[0], mask, identity(part.kind, block_element(values[0].type)))
            return [self.add(combined(part.kind, group[0], reduce_block(self, part.kind, counted)), "acc")]
        weighted = part.kind == WEIGHTED
        weights, *others = [softmax.weights, *values] if weighted else values
        for other in others:
            weights = self.add(arith.MulfOp(weights, other))
        if others or not weighted:  # beyond the end weights are 0 by themselves, but not times anything
            weights = only(self, weights, mask, scalar_attribute(0.0, block_element(weights.type)))
        narrow = self.converted(weights, block_element(factor.type), "weights")
        return [self._product(loop, narrow, factor, softmax.rescaled(group[0]) if weighted else group[0])]

    def _end(self, part: Part, softmax: RunningSoftmax, group: Sequence[SSAValue]) -> list[SSAValue]:
        """The results."""
        if part.kind == "softmax":
            return softmax.end(group)
        return [softmax.weighted(group[0])] if part.kind == WEIGHTED else list(group)


def _is_described(value: SSAValue) -> bool:
    """True if `value` is loaded by a tensor descriptor."""
    return isinstance(value.owner, mlc_loop.LoadOp) and value.owner.described is not None


def _grouped(groups: Sequence[Sequence[SSAValue]], values: Sequence[SSAValue]) -> list[list[SSAValue]]:
    """`values` grouped like `groups`."""
    left = list(values)
    return [[left.pop(0) for _ in group] for group in groups]
