"""The softmax of a row that goes by block for block, and sums with its weights."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.ir import Attribute, SSAValue

from lowering.loop_to_triton.block_builder import BlockBuilder
from lowering.loop_to_triton.reductions import reduce_block
from mlc_dialects.common.scalar_builder import APPROXIMATE, LOG2_E, fma
from mlc_dialects.triton.types import block_shape
from mlc_dialects.triton.values import CompareOp, WhereOp


class RunningSoftmax:
    """The maximum m so far, the sum of exp(x - m), and what sums with these weights are multiplied by where m grows.

    While all values are -inf, 0 stands for m, so that nothing is NaN; at the end sums are, as exp(-inf + inf) is.

    The approximate form is e ** (x - m) == 2 ** (x * c - h) * 2 ** -l with c = log2 e and h + l == m * c exactly. All
    sums leave 2 ** -l, the same for a row, to the end: until then they are relative to h, by whose differences they are
    rescaled. From 2**30 on, where adjacent floats are 128 apart, x is m or the result is 0: then c = 1 gives the same
    and cannot overflow.
    """

    def __init__(self, b: BlockBuilder, approx: bool):
        self._b = b
        self._approx = approx
        self._weights: SSAValue | None = None
        self._change: SSAValue | None = None
        self._last: SSAValue | None = None

    @property
    def weights(self) -> SSAValue:
        """The weights of the block of the last step."""
        assert self._weights is not None, "a softmax comes before what it weighs"
        return self._weights

    def start(self, type_: Attribute) -> list[SSAValue]:
        """The accumulators before the first block: one value a row."""
        return [self._b.full(float("-inf"), type_, "m"), self._b.full(0.0, type_, "total")]

    def step(self, accumulators: Sequence[SSAValue], values: SSAValue) -> list[SSAValue]:
        """The accumulators after one more block; sets the weights of its values."""
        old, total = accumulators
        b, shape = self._b, block_shape(values.type)
        m = b.add(arith.MaximumfOp(old, reduce_block(b, "max", values)), "m")
        base = self._base(m)
        if self._approx:
            c, high = self._power_of(base)
            minus = b.broadcast(b.add(arith.NegfOp(high)), shape)
            self._weights = self._exp2(b.add(fma(values, b.broadcast(c, shape), minus)), "weights")
            self._change = self._exp2(b.add(arith.SubfOp(self._power_of(old)[1], high)), "change")
        else:
            distance = b.add(arith.SubfOp(values, b.broadcast(base, shape)))
            self._weights = b.add(math.ExpOp(distance), "weights")
            self._change = b.add(math.ExpOp(b.add(arith.SubfOp(old, base))), "change")
        return [m, b.add(arith.AddfOp(self.rescaled(total), reduce_block(b, "add", self._weights)), "total")]

    def rescaled(self, total: SSAValue) -> SSAValue:
        """A sum of the blocks before the last step, relative to the maximum now."""
        assert self._change is not None, "a softmax comes before what it weighs"
        change = self._b.broadcast(self._change, block_shape(total.type))
        return self._b.add(arith.MulfOp(total, change), total.name_hint)

    def end(self, accumulators: Sequence[SSAValue]) -> list[SSAValue]:
        """The maximum and the sum."""
        self._last, total = accumulators
        return [self._last, self.weighted(total)]

    def weighted(self, total: SSAValue) -> SSAValue:
        """A sum with the weights, once all blocks are through."""
        b, m = self._b, self._last
        assert m is not None
        shape = block_shape(total.type)
        if self._approx:
            base = self._base(m)
            c, high = self._power_of(base)
            low = b.add(fma(base, c, b.add(arith.NegfOp(high))))
            factor = self._exp2(b.add(arith.NegfOp(low)), "low")
            total = b.add(arith.MulfOp(total, b.broadcast(factor, shape)))
        least = b.broadcast(self._is_least(m), shape)
        return b.add(WhereOp(least, b.full(float("nan"), total.type), total))

    def _power_of(self, base: SSAValue) -> tuple[SSAValue, SSAValue]:
        """c, and h: about base * c."""
        b, type_ = self._b, base.type
        huge = b.add(CompareOp("ge", b.add(math.AbsFOp(base)), b.full(2.0**30, type_)))
        c = b.add(WhereOp(huge, b.full(1.0, type_), b.full(LOG2_E, type_)))
        return c, b.add(arith.MulfOp(base, c))

    def _exp2(self, power: SSAValue, name: str) -> SSAValue:
        return self._b.add(math.Exp2Op(power, APPROXIMATE), name)

    def _base(self, m: SSAValue) -> SSAValue:
        return self._b.add(WhereOp(self._is_least(m), self._b.full(0.0, m.type), m), "base")

    def _is_least(self, m: SSAValue) -> SSAValue:
        return self._b.add(CompareOp("eq", m, self._b.full(float("-inf"), m.type)))
