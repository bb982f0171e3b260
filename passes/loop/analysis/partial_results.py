"""How the parts of a split reduction are put together again, as loops over the parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.common.buffers import buffer_element
from mlc_dialects.common.index_syntax import index_attribute
from mlc_dialects.common.reduction_kinds import FIRST, PAIRED, WEIGHTED
from mlc_dialects.common.scalar_builder import APPROXIMATE, Scalars
from mlc_dialects.loop.dialect import IndexOp, KernelOp, LoopOp, ReduceOp, YieldOp
from mlc_support.index_expr import IndexExpr, integer, variable
from passes.loop.analysis.coalescing import accesses, is_coalesced_along_rows
from passes.loop.analysis.kernel_rewriter import LoopCopy

Read = Callable[[SSAValue, IndexExpr, Mapping[str, SSAValue]], Operation]
"""The op that gives the row's result in a buffer for a part, which is an expression over named loop indices."""

Given = Callable[[Scalars, Sequence[SSAValue], SSAValue], SSAValue]
"""What one part gives to a loop over the parts, out of the part's results and its index."""


@dataclass(frozen=True)
class Parts:
    """A row of `columns` cut into `count` parts of `length`, the last of which may be shorter."""

    rows: IndexExpr
    columns: int
    count: int
    length: int
    row_lanes: bool
    """True where rows lie side by side in memory: then neighbouring programs take neighbouring rows of one part."""

    def place(self, q: IndexExpr) -> tuple[IndexExpr, IndexExpr]:
        """(row, part) of the q-th of rows * count programs."""
        return (q % self.rows, q // self.rows) if self.row_lanes else (q // self.count, q % self.count)

    def loop(self, copy: LoopCopy, op: LoopOp, part: IndexExpr) -> LoopOp:
        """The loop `op` over all columns as one over those of `part`."""
        length = integer(self.length)
        position = part * length + variable("k", length)
        return copy.loop(op, "k", length, position, None if self.even else position - self.columns)

    @property
    def even(self) -> bool:
        return self.count * self.length == self.columns

    def finer(self, shortest: int, planes: set[int]) -> Parts:
        """The most parts of at least `shortest` columns, and of whole planes, that these are cut into evenly."""
        if self.row_lanes or not self.even:
            return self
        pieces = [n for n in range(1, max(1, self.length // shortest) + 1) if self.length % n == 0]
        most = max(n for n in pieces if n == 1 or all(self.length // n % size == 0 for size in planes))
        return replace(self, count=self.count * most, length=self.length // most)


def asked_part(kernel: KernelOp, exchange: str | None = None) -> int | None:
    """The columns of a part that a kernel's schedule asks for; None for whole rows, or for another `exchange`."""
    length = kernel.decided("part")
    if not isinstance(length, int) or (exchange is not None and (kernel.decided("exchange") or "memory") != exchange):
        return None
    loops = kernel.rows.loops
    columns = loops[0].size.constant if loops else None
    return None if columns is not None and length >= columns else length


def parts_of(kernel: KernelOp, length: int) -> Parts:
    """The rows of a kernel, of known sizes, cut into parts of `length` columns."""
    columns = kernel.rows.loops[0].size.constant
    assert columns is not None
    strided = is_coalesced_along_rows(kernel.rows, list(accesses(kernel)))
    return Parts(kernel.rows.size, columns, -(-columns // length), length, strided)


@dataclass(frozen=True)
class Partial:
    """The buffers that hold, for each row and part, the results of one reduction, or stand for what does."""

    kind: str
    buffers: Sequence[SSAValue]
    """Of a weighted sum the maximum comes first, in the buffer that its softmax has."""
    approx: bool


class PartsReader:
    """Combines the parts of one row, in front of what a kernel does with the row's results."""

    def __init__(
        self, count: int, block: Block, indices: Mapping[str, SSAValue], read: Read, lengths: Parts | None = None
    ):
        """`lengths`, of the `count` parts, count for Welford's variance alone."""
        self._count, self._block, self._indices, self._read, self._lengths = count, block, indices, read, lengths

    def combine(self, partials: Sequence[Partial]) -> list[list[SSAValue]]:
        """The results of the whole row, for each reduction: one loop over the parts, and one more for pairs."""
        plain = [p for p in partials if p.kind != WEIGHTED]
        first = self._loop([FIRST.get(p.kind, p.kind) for p in plain], plain, [_own] * len(plain))
        most = {p.buffers[0]: value for p, value in zip(plain, first, strict=True)}
        later = [p for p in partials if p.kind in (*PAIRED, WEIGHTED)]
        given = [self._given(p, most[p.buffers[0]]) for p in later]
        second = iter(self._loop(["add"] * len(later), later, given) if later else ())
        firsts = [[] if p.kind == WEIGHTED else [most[p.buffers[0]]] for p in partials]
        return [[*own, *([next(second)] if p in later else [])] for own, p in zip(firsts, partials, strict=True)]

    def _given(self, partial: Partial, first: SSAValue) -> Given:
        """What each part gives to the second result, where all have `first`."""
        return self._about(first) if partial.kind == "welford" else self._rescaled(first, partial.approx)

    def _rescaled(self, m: SSAValue, approx: bool) -> Given:
        def given(scalars: Scalars, part: Sequence[SSAValue], index: SSAValue) -> SSAValue:
            return rescaled(scalars, part, m, approx)

        return given

    def _about(self, total: SSAValue) -> Given:
        def given(scalars: Scalars, part: Sequence[SSAValue], index: SSAValue) -> SSAValue:
            assert self._lengths is not None
            return about(scalars, part, _columns(self._lengths, scalars, index, total), total, self._lengths.columns)

        return given

    def _loop(self, kinds: Sequence[str], partials: Sequence[Partial], given: Sequence[Given]) -> list[SSAValue]:
        """One loop over the parts."""
        count = integer(self._count)
        loop = ReduceOp(kinds, count, [buffer_element(p.buffers[0].type) for p in partials])
        loop.index.name_hint = "i"
        body = loop.body.block
        scalars = Scalars(body.add_op)
        part, indices = variable("i", count), {**self._indices, "i": loop.index}
        values: list[SSAValue] = []
        for partial, make in zip(partials, given, strict=True):
            loads = [scalars.op(self._read(buffer, part, indices)) for buffer in partial.buffers]
            values.append(make(scalars, loads, loop.index))
        body.add_op(YieldOp(values))
        self._block.add_op(loop)
        return list(loop.outputs)


def _columns(parts: Parts, scalars: Scalars, index: SSAValue, like: SSAValue) -> SSAValue:
    """The number of columns of part `index`."""
    length = scalars.constant(parts.length, like.type)
    if parts.even:
        return length
    before = parts.length * (parts.count - 1)
    from_last = scalars.op(IndexOp([index], index_attribute([variable("d0") - (parts.count - 1)])))
    is_last = scalars.compare("eq", from_last, scalars.constant(0, i64))
    return scalars.select(is_last, scalars.constant(parts.columns - before, like.type), length)


def rescaled(scalars: Scalars, part: Sequence[SSAValue], m: SSAValue, approx: bool) -> SSAValue:
    """s_i * exp(m_i - m) of a part (m_i, s_i); s_i itself in the part of the max, 0 for a part of nothing but -inf."""
    own, total = part
    exp = math.ExpOp(scalars.op(arith.SubfOp(own, m)), APPROXIMATE if approx else None)
    scaled = scalars.op(arith.MulfOp(total, scalars.op(exp)))
    zero, least = (scalars.constant(v, own.type) for v in (0.0, float("-inf")))
    counted = scalars.select(scalars.compare("eq", own, least), zero, scaled)
    return scalars.select(scalars.compare("eq", own, m), total, counted)


def about(scalars: Scalars, part: Sequence[SSAValue], count: SSAValue, total: SSAValue, columns: int) -> SSAValue:
    """q_i + n_i * (t_i / n_i - t / n) ** 2 of a part (t_i, q_i) that has `count` of the `columns`."""
    own, q = part
    mean = scalars.op(arith.DivfOp(total, scalars.constant(columns, own.type)))
    distance = scalars.op(arith.SubfOp(scalars.op(arith.DivfOp(own, count)), mean))
    square = scalars.op(arith.MulfOp(distance, distance))
    return scalars.op(arith.AddfOp(q, scalars.op(arith.MulfOp(count, square))))


def _own(scalars: Scalars, part: Sequence[SSAValue], index: SSAValue) -> SSAValue:
    """The part's own result."""
    return part[0]
