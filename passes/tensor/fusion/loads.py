"""What a kernel would load one by one, or again and again: weights that lie apart, and windows that overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from mlc_dialects.iteration.iterate import Iteration
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ReduceOp
from mlc_dialects.tensor.views import PermuteOp, ReshapeOp, SliceOp
from mlc_support.index_maps import assumed
from passes.common.device import Processor
from passes.tensor.fusion.decision import elements_of, human_bytes, op_flops, value_bytes
from passes.tensor.strides import strides_of

APART = 8
"""Loads of elements that lie apart, in the place of one of a vector."""
WINDOW = 4
"""Slices of one tensor, from which on they are a window."""
ALONE_SHARE, SHARED_SHARE = 0.1, 0.29
"""Of the rate of float32, what windows reach: each by itself, and where neighbours share their loads, as
`unroll-and-jam` lets them. Measured on an H200, of 9 to 49 places."""


def computed_again(computing: Mapping[SSAValue, Iterable[Operation]], points: int) -> int:
    """Operations that a kernel takes more if each of so many points computes what it reads of the values.

    `computing` are the ops that each value is computed by. What a copy brings together is loaded element by element
    without it.
    """
    again = {op: _flops_again(op, points * _slices(v)) for v, ops in computing.items() for op in ops}
    return sum(again.values())


def _flops_again(op: Operation, reads: int) -> int:
    is_copy = isinstance(op, CastOp) and [s.constant for s in strides_of(op.input)[-1:]] not in ([], [1])
    each = op_flops(op) * (APART if is_copy else 1)
    return each * reads // max(1, elements_of(op.results[0])) - op_flops(op)


def _slices(value: SSAValue) -> int:
    """How many elements of `value` one point of a kernel reads: as many as there are slices of it, or one."""
    return max(1, sum(isinstance(use.operation, SliceOp) for use in value.uses))


def is_reduced_alone(value: SSAValue) -> bool:
    """True if one reduction reads `value`, and nothing else: in its kernel the terms of a sum stay in registers."""
    return value.has_one_use() and all(isinstance(use.operation, ReduceOp) for use in value.uses)


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
    """The results that `ops` compute before any reduction, of windows of the most places, to how many there are."""
    own = set(ops)
    if not any(isinstance(v.owner, SliceOp) for op in ops for v in op.operands):
        return {}
    found = {r: _window(r, own) for op in ops for r in op.results if not _needs_reduction(r, own)}
    most = max(found.values(), default=0)
    return {v: n for v, n in found.items() if n == most}


def _window(value: SSAValue, ops: set[Operation]) -> int:
    """The most slices of one tensor that `ops` compute `value` from elementwise, each as large as itself."""
    counts, seen, work = Counter[SSAValue](), set[SSAValue](), [value]
    while work:
        current = work.pop()
        op = current.owner
        if current in seen:
            continue
        seen.add(current)
        if isinstance(op, SliceOp) and elements_of(current) == elements_of(value):
            counts[op.input] += 1
        elif isinstance(op, PermuteOp | ReshapeOp) or (op in ops and isinstance(op, ElementwiseOp | CastOp)):
            work += op.operands
    return max(counts.values(), default=0)


def _needs_reduction(value: SSAValue, ops: set[Operation]) -> bool:
    """True if a reduction among `ops` takes part in computing `value`."""
    seen, work = set[SSAValue](), [value]
    while work:
        current = work.pop()
        op = current.owner
        if current in seen or not isinstance(op, Operation) or op not in ops:
            continue
        if isinstance(op, ReduceOp):
            return True
        seen.add(current)
        work += op.operands
    return False
