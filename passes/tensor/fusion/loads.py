"""What a kernel would load one by one, or again and again: what lies apart or across, and windows that overlap."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.common.types import element_type, is_half, kind_of
from mlc_dialects.iteration.domain import Index
from mlc_dialects.iteration.iterate import Iteration
from mlc_dialects.tensor.elementwise import MulOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp, SliceOp
from mlc_support.index_expr import integer
from mlc_support.index_maps import PROBES, assumed, usual_step
from passes.common.device import Processor
from passes.common.product_tiling import ROWS
from passes.tensor.fusion.decision import elements_of, human_bytes, op_flops, value_bytes
from passes.tensor.strides import strides_of

APART = 8
"""Loads of elements that lie apart, in the place of one of a vector."""
WINDOW = 4
"""Slices of one tensor, from which on they are a window."""
ALONE_SHARE, SHARED_SHARE = 0.1, 0.29
"""Of the rate of float32, what windows reach: each by itself, and where neighbours share their loads, as
`unroll-and-jam` lets them. Measured on an H200, of 9 to 49 places."""


@dataclass(frozen=True)
class Unpacked:
    """A factor that tensor cores multiply, computed from integers that hold its elements in fewer bits."""

    parts: Collection[SSAValue]
    """The factor, and what it is computed of."""
    sharing: int
    """Points of a kernel that share an element of it: those of a block."""
    multiplying: Collection[Operation]
    """The ops that tensor cores carry out."""


def computed_again(
    computing: Mapping[SSAValue, Iterable[Operation]], points: int, unpacked: Collection[Unpacked]
) -> int:
    """Operations that a kernel takes more if each of so many points computes what it reads of the values.

    `computing` are the ops that each value is computed by. What a copy brings together is loaded element by element
    without it. Points of a block share what is unpacked.
    """
    again = dict[Operation, int]()
    for value, ops in computing.items():
        sharing = max((u.sharing for u in unpacked if value in u.parts), default=1)
        again |= {op: _flops_again(op, points * _slices(value), sharing) for op in ops}
    return sum(again.values())


def unpacked_in(ops: Iterable[Operation], loaded: Collection[SSAValue]) -> Iterator[Unpacked]:
    """The factors of `ops` that are computed from integers or 8-bit floats, as packed weights are.

    Others are better loaded as tensor cores take them: copies to shared memory then run while these multiply.
    """
    for multiplying, factors in _sums(ops):
        for factor in factors:
            parts = behind([factor.input], loaded)
            largest = max((v for v in parts if v in loaded), key=value_bytes, default=None)
            if largest is not None and kind_of(element_type(largest.type)) != "f":
                extent = elements_of(factor.result) // max(1, elements_of(factor.input))
                yield Unpacked(parts, min(extent, max(ROWS)), multiplying)


def _sums(ops: Iterable[Operation]) -> Iterator[tuple[list[Operation], list[BroadcastOp]]]:
    """The ops of each sum of products of 16-bit floats, and the two that spread its factors."""
    for op in ops:
        factors = product_of(op)
        if factors is not None:
            (term,) = (v.owner for v in op.operands)
            assert isinstance(term, MulOp)
            casts = [v.owner for v in term.operands if isinstance(v.owner, CastOp)]
            yield [op, term, *casts], factors


def product_of(op: Operation | Block) -> list[BroadcastOp] | None:
    """The two ops that spread the factors of a sum of products of 16-bit floats; None for any other op."""
    term = op.input.owner if isinstance(op, ReduceOp) and op.kind.data == "add" else None
    if not isinstance(term, MulOp):
        return None
    factors = [b for b in map(_spread, term.operands) if b is not None]
    return factors if len(factors) == 2 else None


def _spread(term: SSAValue) -> BroadcastOp | None:
    """What spreads a factor of 16 bits, behind its widening."""
    op = term.owner.input.owner if isinstance(term.owner, CastOp) else term.owner
    return op if isinstance(op, BroadcastOp) and is_half(element_type(op.input.type)) else None


def behind(values: Iterable[SSAValue], loaded: Collection[SSAValue]) -> dict[SSAValue, None]:
    """`values`, and all that they are computed from, back to what is loaded."""
    found, work = dict[SSAValue, None](), list(values)
    while work:
        value = work.pop()
        if value not in found:
            found[value] = None
            work += value.owner.operands if value not in loaded and isinstance(value.owner, Operation) else ()
    return found


def _flops_again(op: Operation, reads: int, sharing: int) -> int:
    is_copy = isinstance(op, CastOp) and [s.constant for s in strides_of(op.input)[-1:]] not in ([], [1])
    each = op_flops(op) * APART if is_copy else op_flops(op) / sharing
    return int(each * reads / max(1, elements_of(op.results[0]))) - op_flops(op)


def _slices(value: SSAValue) -> int:
    """How many elements of `value` one point of a kernel reads: as many as there are slices of it, or one."""
    return max(1, sum(isinstance(use.operation, SliceOp) for use in value.uses))


def is_reduced_alone(value: SSAValue) -> bool:
    """True if one reduction reads `value`, and nothing else: in its kernel the terms of a sum stay in registers."""
    return value.has_one_use() and all(isinstance(use.operation, ReduceOp) for use in value.uses)


def read_in_two_orders(iteration: Iteration, values: Iterable[SSAValue]) -> str | None:
    """Why one kernel should not read `values` here as they lie in memory, and there across it.

    Alone, a kernel takes tiles of what it reads across. That another one follows memory leaves it no tiles.
    """
    for value in values:
        steps = {_step(iteration, value, index) for index in iteration.reads.get(value, ())}
        if 1 in steps and not steps <= {0, 1}:
            return f"would read {value.name_hint or 'a value'} across memory beside another part of it, which is not"
    return None


def _step(iteration: Iteration, value: SSAValue, index: Index) -> int | None:
    """How far apart in memory a kernel reads `value`, at `index`, from one point to the next; None if not known."""
    address = sum((i * stride for i, stride in zip(index, strides_of(value), strict=True)), integer(0))
    first = {v.name: integer(0) for v in address.variables() if v.extent is not None}
    innermost = iteration.domain.axes[-1].unknown
    return usual_step(address, [first | {innermost: integer(k)} for k in range(PROBES)])


def unshared_windows(ops: Sequence[Operation], iteration: Iteration, device: Processor) -> str | None:
    """Why windows should not be computed where a kernel reduces them, or repeats them: neighbours share no loads there.

    None where they share none in a kernel of their own, or that takes longer than what is spared.
    """
    points = assumed(iteration.domain.rows * iteration.domain.columns)
    is_reduced = any(isinstance(op, ReduceOp) for op in ops)
    windows = {v: n for v, n in _windows(ops).items() if is_reduced or 2 * elements_of(v) <= points}
    reads = max(windows.values(), default=0)
    if reads < WINDOW:
        return None
    size, kept = max(map(elements_of, windows)), min(map(value_bytes, windows))
    lost_us = device.arithmetic_us(2 * reads * size) * (1 / ALONE_SHARE - 1 / SHARED_SHARE)
    if lost_us <= device.launch_us + device.traffic_us(2 * kept, 2 * kept):
        return None
    return f"windows of {reads} would be loaded one by one, to keep {human_bytes(kept)} in registers"


def _windows(ops: Sequence[Operation]) -> dict[SSAValue, int]:
    """The results that `ops`, in program order, compute before any reduction of windows of the most places, with these.

    The places of a window are slices of one tensor that elementwise ops bring together.
    """
    if not any(isinstance(v.owner, SliceOp) for op in ops for v in op.operands):
        return {}
    places, reduced, found = _Places(), set[SSAValue](), dict[SSAValue, int]()
    for op in ops:
        if isinstance(op, ReduceOp) or not reduced.isdisjoint(op.operands):
            reduced.update(op.results)
        else:
            places.add(op)
            found |= {r: places.most(r) for r in op.results}
    most = max(found.values(), default=0)
    return {v: n for v, n in found.items() if n == most}


class _Places:
    """Which slices values are computed from elementwise, as the bits of a number."""

    def __init__(self) -> None:
        self._slices = dict[SSAValue, int]()
        self._of_input = dict[SSAValue, int]()

    def add(self, op: Operation) -> None:
        """What `op` computes; the ops before it have been added."""
        if isinstance(op, ElementwiseOp | CastOp):
            bits = reduce(or_, map(self._bits, op.operands), 0)
            self._slices.update((result, bits) for result in op.results)

    def most(self, value: SSAValue) -> int:
        """The most slices of one tensor that `value` is computed from."""
        bits = self._bits(value)
        return max(((bits & mask).bit_count() for mask in self._of_input.values()), default=0)

    def _bits(self, value: SSAValue) -> int:
        op = value.owner
        if value not in self._slices and isinstance(op, PermuteOp | ReshapeOp):
            return self._bits(op.input)
        if value not in self._slices and isinstance(op, SliceOp):
            self._slices[value] = bit = 1 << len(self._slices)
            self._of_input[op.input] = self._of_input.get(op.input, 0) | bit
        return self._slices.get(value, 0)
