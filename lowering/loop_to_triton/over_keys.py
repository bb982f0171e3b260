"""Products of matrices on blocks that follow each other in a loop over keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from lowering.loop_to_triton.block_builder import Axis
from lowering.loop_to_triton.online import RunningSoftmax
from lowering.loop_to_triton.products import ProductLowering
from lowering.loop_to_triton.reductions import only, reduce_block
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.common.reduction_kinds import COMBINE, WEIGHTED, combined, identity
from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.loop import dialect as mlc_loop
from mlc_dialects.loop.products import (
    computed_for,
    depends_on,
    factors_in,
    narrowed,
)
from mlc_dialects.triton.dialect import ForOp, YieldOp
from mlc_dialects.triton.types import block_element, block_shape, block_type
from mlc_dialects.triton.values import FullOp
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


class KeysLowering(ProductLowering):
    """Emits loops over blocks of keys."""

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


def _grouped(groups: Sequence[Sequence[SSAValue]], values: Sequence[SSAValue]) -> list[list[SSAValue]]:
    """`values` grouped like `groups`."""
    left = list(values)
    return [[left.pop(0) for _ in group] for group in groups]
