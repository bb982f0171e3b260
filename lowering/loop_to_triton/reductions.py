"""Reductions on blocks: how each kind starts, takes a block of columns, and ends.

If one block holds all columns, a reduction is computed as a `whole`. Else it has accumulators from `start`, takes one
block of columns in each `step`, and returns its results at the `end`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, SSAValue

from lowering.loop_to_triton.block_builder import BlockBuilder
from lowering.loop_to_triton.lane_counts import Counts
from mlc_dialects.common.reduction_kinds import combined, identity
from mlc_dialects.common.scalar_builder import APPROXIMATE, LOG2_E, RECIPROCAL, fma, scalar_attribute
from mlc_dialects.common.types import is_bool, is_float
from mlc_dialects.triton.types import block_element, block_shape, block_type
from mlc_dialects.triton.values import CompareOp, FullOp, ReduceOp, WhereOp
from mlc_support.index_expr import IndexExpr, integer, variable

EXTREMES = {
    ("argmax", False): "max",
    ("argmin", False): "min",
    ("argmax", True): "or",
    ("argmin", True): "and",
}
"""The reduction that finds the value of a search, of numbers and of booleans."""


@dataclass
class Lanes:
    """One block of columns: each lane's value, the mask of lanes that count, and the block's first column."""

    value: SSAValue
    mask: SSAValue | None
    column: SSAValue
    """The column of each lane."""
    start: SSAValue | None
    """The first column of the block; None if the block holds all columns."""
    block: int


@dataclass
class Blocks:
    """The blocks that a reduction takes: their shape, that of one value a row, and the element type."""

    lanes: tuple[int, ...]
    rows: tuple[int, ...]
    element: Attribute
    columns: IndexExpr
    column: SSAValue
    """The column of each lane in the first block."""
    block: int
    counted: SSAValue | None
    """The lanes that count, if they are the same in every block; the others are masked at the end."""


@dataclass
class Plain:
    """add, mul, max, min, and, or: each lane combines its own columns; the lanes are combined at the end."""

    kind: str
    b: BlockBuilder
    lane_wise: ClassVar[bool] = True
    """True if no step combines lanes with each other."""

    def start(self, at: Blocks) -> list[SSAValue]:
        """The accumulators before the first block."""
        return [self.b.add(FullOp(identity(self.kind, at.element), block_type(at.lanes, at.element)), "acc")]

    def step(self, accumulators: Sequence[SSAValue], lanes: Lanes) -> list[SSAValue]:
        """The accumulators after one more block."""
        return [self.b.add(combined(self.kind, accumulators[0], self._counted(lanes)))]

    def end(self, accumulators: Sequence[SSAValue], at: Blocks) -> list[SSAValue]:
        """The results, from the accumulators after the last step."""
        places = [identity("min", block_element(x.type)) for x in accumulators[1:]]
        initial = [identity(self.kind, at.element), *places]
        return self._combined([only(self.b, x, at.counted, i) for x, i in zip(accumulators, initial, strict=True)])

    def whole(self, lanes: Lanes, columns: IndexExpr) -> list[SSAValue]:
        """The results if one block holds all `columns`."""
        return self._combined([self._counted(lanes)])

    def _combined(self, accumulators: Sequence[SSAValue]) -> list[SSAValue]:
        return [reduce_block(self.b, self.kind, accumulators[0])]

    def _counted(self, lanes: Lanes) -> SSAValue:
        return only(self.b, lanes.value, lanes.mask, identity(self.kind, block_element(lanes.value.type)))


@dataclass
class Arg(Plain):
    """argmax and argmin: NaN wins, and of equal values the lower index.

    Lanes find the extreme of all first, then the lowest index that has it: two plain reductions take less than half of
    the instructions of one whose combiner compares (value, index) pairs. In a loop a lane takes its columns in
    ascending order. So if it starts with its first column, it keeps the lower index of equal values. Where a condition
    may exclude the first column, it starts with an index beyond all others.
    """

    counts: Counts

    def start(self, at: Blocks) -> list[SSAValue]:
        (value,) = super().start(at)
        if self.counts is Counts.KNOWN:
            return [value, self.b.broadcast(at.column, at.lanes)]
        index = block_element(at.column.type)
        return [value, self.b.add(FullOp(identity("min", index), block_type(at.lanes, index)), "acc_index")]

    def step(self, accumulators: Sequence[SSAValue], lanes: Lanes) -> list[SSAValue]:
        best, best_index = accumulators
        value, index = self._counted(lanes), self._index(lanes)
        take = self._compare("gt" if self.kind == "argmax" else "lt", value, best)
        if is_float(block_element(value.type)):
            is_nan, was_number = self._compare("ne", value, value), self._compare("eq", best, best)
            take = self._either(take, self._both(is_nan, was_number))
        if self.counts is not Counts.KNOWN:
            equal, earlier = self._compare("eq", value, best), self._compare("lt", index, best_index)
            take = self._either(take, self._both(equal, earlier))
        return [self.b.add(WhereOp(take, value, best)), self.b.add(WhereOp(take, index, best_index))]

    def whole(self, lanes: Lanes, columns: IndexExpr) -> list[SSAValue]:
        return self._combined([self._counted(lanes), self._index(lanes)])

    def _combined(self, accumulators: Sequence[SSAValue]) -> list[SSAValue]:
        values, indices = accumulators
        element, index = block_element(values.type), block_element(indices.type)
        best = reduce_block(self.b, EXTREMES[self.kind, is_bool(element)], values)
        found = self._compare("eq", values, self.b.broadcast(best, block_shape(values.type)))
        if is_float(element):
            found = self._either(found, self._compare("ne", values, values))
        first = reduce_block(self.b, "min", only(self.b, indices, found, identity("min", index)))
        return [self.b.converted(first, i64)]

    def _index(self, lanes: Lanes) -> SSAValue:
        return self.b.broadcast(lanes.column, block_shape(lanes.value.type))

    def _compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.b.add(CompareOp(predicate, a, b))

    def _both(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.b.add(arith.AndIOp(a, b))

    def _either(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.b.add(arith.OrIOp(a, b))


@dataclass
class Softmax:
    """The max m and the sum s of exp(x - m) in one pass: s is rescaled when a block has a larger max.

    If a block has many rows, each lane keeps its own m and s, so that no cross-lane reduction is needed before the end.
    While all values are -inf, 0 is used for m, so that s stays finite; at the end it becomes NaN, as exp(-inf + inf)
    is.
    """

    b: BlockBuilder
    approx: bool
    lane_wise: ClassVar[bool] = False

    def start(self, at: Blocks) -> list[SSAValue]:
        type_ = block_type(at.lanes if at.rows else at.rows, at.element)
        return [self.b.full(float("-inf"), type_, "m"), self.b.full(0.0, type_, "acc")]

    def step(self, accumulators: Sequence[SSAValue], lanes: Lanes) -> list[SSAValue]:
        old, total = accumulators
        values = self._counted(lanes)
        if block_shape(old.type) == block_shape(values.type):
            return self._grown(old, total, values)
        m = self.b.add(arith.MaximumfOp(old, reduce_block(self.b, "max", values)), "m")
        base = self._base(m)
        scaled = self.b.add(arith.MulfOp(total, self._exp(self.b.add(arith.SubfOp(old, base)))))
        return [m, self.b.add(arith.AddfOp(scaled, self._sum(values, base)))]

    def end(self, accumulators: Sequence[SSAValue], at: Blocks) -> list[SSAValue]:
        m, total = accumulators
        if max(block_shape(m.type)[1:], default=1) > 1:  # each lane's own
            lane = m
            m = reduce_block(self.b, "max", lane)
            scaled = self.b.add(arith.MulfOp(total, self._terms(lane, self._base(m))))
            total = reduce_block(self.b, "add", scaled)
        nan = self.b.full(float("nan"), m.type)
        return [m, self.b.add(WhereOp(self._is_least(m), nan, total))]

    def whole(self, lanes: Lanes, columns: IndexExpr) -> list[SSAValue]:
        values = self._counted(lanes)
        m = reduce_block(self.b, "max", values)
        return [m, self._sum(values, m)]

    def _counted(self, lanes: Lanes) -> SSAValue:
        return only(self.b, lanes.value, lanes.mask, scalar_attribute(float("-inf"), block_element(lanes.value.type)))

    def _grown(self, old: SSAValue, total: SSAValue, values: SSAValue) -> list[SSAValue]:
        """Each lane's m and s after one more value x.

        Of exp(m - new m) and exp(x - new m) one is 1, and the other is exp(-|x - m|). That is 1 too where x - m is NaN,
        for infinities, whose s is replaced at the end.
        """
        m = self.b.add(arith.MaximumfOp(old, values), "m")
        distance = self.b.add(arith.SubfOp(values, old))
        one = self.b.full(1.0, values.type)
        farther = self.b.add(arith.NegfOp(self.b.add(math.AbsFOp(distance))))
        less = self._exp(self.b.add(arith.MinnumfOp(farther, self.b.full(0.0, values.type))))
        more = self.b.add(CompareOp("gt", distance, self.b.full(0.0, values.type)))
        scaled, added = self.b.add(WhereOp(more, total, one)), self.b.add(WhereOp(more, one, total))
        return [m, self.b.add(fma(less, scaled, added))]

    def _base(self, m: SSAValue) -> SSAValue:
        return self.b.add(WhereOp(self._is_least(m), self.b.full(0.0, m.type), m), "base")

    def _sum(self, values: SSAValue, base: SSAValue) -> SSAValue:
        """The sum of exp(values - base) over a row.

        The approximate form is e ** (x - b) == 2 ** (x * c - h) * 2 ** -l with c = log2 e and h + l == b * c exactly,
        so that the error of the exponent is as small as its value. From 2**30 on, where adjacent floats are 128 apart,
        x is b or the result is 0: then c = 1 gives the same and cannot overflow.
        """
        if not self.approx:
            return reduce_block(self.b, "add", self._terms(values, base))
        type_, shape = base.type, block_shape(values.type)
        huge = self.b.add(CompareOp("ge", self.b.add(math.AbsFOp(base)), self.b.full(2.0**30, type_)))
        c = self.b.add(WhereOp(huge, self.b.full(1.0, type_), self.b.full(LOG2_E, type_)))
        high = self.b.add(arith.MulfOp(base, c))
        minus = self.b.add(arith.NegfOp(high))
        low = self.b.add(fma(base, c, minus))
        power = self.b.add(fma(values, self.b.broadcast(c, shape), self.b.broadcast(minus, shape)))
        total = reduce_block(self.b, "add", self.b.add(math.Exp2Op(power, APPROXIMATE)))
        return self.b.add(arith.MulfOp(total, self.b.add(math.Exp2Op(self.b.add(arith.NegfOp(low)), APPROXIMATE))))

    def _terms(self, values: SSAValue, base: SSAValue) -> SSAValue:
        """exp(values - base)"""
        spread = self.b.broadcast(base, block_shape(values.type))
        return self._exp(self.b.add(arith.SubfOp(values, spread)))

    def _exp(self, x: SSAValue) -> SSAValue:
        return self.b.add(math.ExpOp(x, fastmath=APPROXIMATE if self.approx else None))

    def _is_least(self, m: SSAValue) -> SSAValue:
        return self.b.add(CompareOp("eq", m, self.b.full(float("-inf"), m.type)))


@dataclass
class Welford:
    """The sum t and the sum q of squared distances from the mean, in one pass.

    Each lane follows Welford's rule: q grows by (x - mean before) * (x - mean after), with the lane's mean, its sum
    over its count. The count is usually the number of blocks so far. At the end the lanes are combined by the rule of
    Chan, Golub and LeVeque (1983).
    """

    b: BlockBuilder
    counts: Counts
    lane_wise: ClassVar[bool] = True

    def start(self, at: Blocks) -> list[SSAValue]:
        names = ("acc", "acc_q") if self.counts is Counts.KNOWN else ("acc", "acc_q", "acc_n")
        return [self.b.full(0.0, block_type(at.lanes, at.element), name) for name in names]

    def step(self, accumulators: Sequence[SSAValue], lanes: Lanes) -> list[SSAValue]:
        total, q, *counts = accumulators
        new_total = self.b.add(arith.AddfOp(total, lanes.value))
        new_counts = [self.b.add(arith.AddfOp(n, self.b.full(1.0, n.type))) for n in counts]
        apart = self.counts is Counts.DIVERGENT
        before, after = [*counts, *new_counts] if apart else self._blocks_so_far(lanes, total.type)
        old, new = (self._from_mean(lanes.value, *mean) for mean in ((total, before), (new_total, after)))
        new_q = self.b.add(fma(old, new, q))
        grown = [new_total, new_q, *new_counts]
        if lanes.mask is None:
            return grown
        return [self.b.add(WhereOp(lanes.mask, x, kept)) for x, kept in zip(grown, accumulators, strict=True)]

    def end(self, accumulators: Sequence[SSAValue], at: Blocks) -> list[SSAValue]:
        own = [*accumulators, self._blocks_of_lanes(at)] if self.counts is Counts.KNOWN else accumulators
        zero = scalar_attribute(0.0, at.element)
        lane_total, lane_q, count = (only(self.b, x, at.counted, zero) for x in own)
        total, columns = reduce_block(self.b, "add", lane_total), self._columns(count, at)
        mean = self.b.add(arith.DivfOp(lane_total, count, RECIPROCAL))
        distance = self._distance(mean, total, columns)
        square = self.b.add(arith.MulfOp(count, self.b.add(arith.MulfOp(distance, distance))))
        if not self._all_count(at) or at.columns.constant is None:
            square = only(self.b, square, self.b.add(CompareOp("gt", count, self.b.full(0.0, count.type))), zero)
        return [total, reduce_block(self.b, "add", self.b.add(arith.AddfOp(lane_q, square)))]

    def whole(self, lanes: Lanes, columns: IndexExpr) -> list[SSAValue]:
        zero = scalar_attribute(0.0, block_element(lanes.value.type))
        total = reduce_block(self.b, "add", only(self.b, lanes.value, lanes.mask, zero))
        distance = self._distance(lanes.value, total, self._counted(lanes, total, columns))
        square = self.b.add(arith.MulfOp(distance, distance))
        return [total, reduce_block(self.b, "add", only(self.b, square, lanes.mask, zero))]

    def _counted(self, lanes: Lanes, total: SSAValue, columns: IndexExpr) -> SSAValue:
        """The number of lanes of a row that count: those of all `columns`, unless a condition excludes some."""
        element = block_element(lanes.value.type)
        if self.counts is Counts.KNOWN:
            return self.b.broadcast(self.b.number(columns, [], element), block_shape(total.type))
        ones = only(self.b, self.b.full(1.0, lanes.value.type), lanes.mask, scalar_attribute(0.0, element))
        return reduce_block(self.b, "add", ones)

    def _blocks_so_far(self, lanes: Lanes, type_: Attribute) -> list[SSAValue]:
        """The number of blocks before this one, and including it."""
        assert lanes.start is not None
        blocks = variable("d0") // lanes.block
        return [self.b.number(n, [lanes.start], type_) for n in (blocks, blocks + 1)]

    def _all_count(self, at: Blocks) -> bool:
        """True if no condition excludes a column."""
        return self.counts is Counts.KNOWN and at.counted is None

    def _columns(self, count: SSAValue, at: Blocks) -> SSAValue:
        """The number of columns that all lanes count."""
        if not self._all_count(at):
            return reduce_block(self.b, "add", count)
        return self.b.broadcast(self.b.number(at.columns, [], at.element), at.rows)

    def _blocks_of_lanes(self, at: Blocks) -> SSAValue:
        """For each lane, the number of blocks that have a column for it."""
        even = (at.columns % at.block).constant == 0
        blocks = (at.columns if even else at.columns - variable("d0") + (at.block - 1)) // integer(at.block)
        return self.b.broadcast(self.b.number(blocks, [at.column], at.element), at.lanes)

    def _from_mean(self, values: SSAValue, total: SSAValue, count: SSAValue) -> SSAValue:
        """About values - total / count; `values` where both are 0. q is off by the square of this error only."""
        one = self.b.full(1.0, count.type)
        inverse = self.b.add(arith.DivfOp(one, self.b.add(arith.MaximumfOp(count, one)), RECIPROCAL))
        minus = self.b.broadcast(self.b.add(arith.NegfOp(inverse)), block_shape(total.type))
        return self.b.add(fma(total, minus, values))

    def _distance(self, values: SSAValue, total: SSAValue, columns: SSAValue) -> SSAValue:
        """values - total / columns"""
        mean = self.b.add(arith.DivfOp(total, columns), "mean")
        return self.b.add(arith.SubfOp(values, self.b.broadcast(mean, block_shape(values.type))))


Reduction = Plain | Softmax | Welford


def reduction(kind: str, b: BlockBuilder, approx: bool, counts: Counts) -> Reduction:
    """The reduction of `kind`; with the hardware's approximate exp if `approx`."""
    if kind == "softmax":
        return Softmax(b, approx)
    if kind == "welford":
        return Welford(b, counts)
    return Arg(kind, b, counts) if kind.startswith("arg") else Plain(kind, b)


def reduce_block(b: BlockBuilder, kind: str, values: SSAValue) -> SSAValue:
    """A block reduced along its columns."""
    return b.add(ReduceOp(kind, values))


def only(b: BlockBuilder, values: SSAValue, mask: SSAValue | None, neutral: Attribute) -> SSAValue:
    """`values` where the mask is true, else `neutral`."""
    if mask is None:
        return values
    return b.add(WhereOp(mask, values, b.add(FullOp(neutral, values.type))), values.name_hint)
