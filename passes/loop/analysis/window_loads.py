"""What neighbouring results of a kernel load in common: windows that overlap, and weights that are the same for all.

    for j, k, l: out[j, k, l] = x[j, k - 1, l] * w[0, l] + x[j, k, l] * w[1, l] + x[j, k + 1, l] * w[2, l]

One result takes 6 loads, and four neighbours along k take 9, not 24: 6 columns of x, and 3 of w.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from mlc_dialects.common.buffers import buffer_element, buffer_offset
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.dialect import KernelOp, LoadOp, ParallelOp, StoreOp
from mlc_support.index_expr import integer
from mlc_support.index_maps import ASSUMED_SIZE, PROBES, usual_step
from passes.common.device import SECTOR_BYTES
from passes.loop.analysis.axis_change import is_as_lowered
from passes.loop.analysis.instructions import instructions

Factors = Mapping[int, int]
"""How many neighbours an iteration computes, by axis; each divides the axis's extent."""
ITERATIONS, APART = np.array([10007, 10008, 10011]), 101
"""Where elements are compared, along the first axis, and how much further along each of the others: places that
expressions with quotients and remainders make equal in one of these iterations differ in another."""


COSTLY = 64
"""Instructions of an element that neighbours should share: those of a sine and a cosine."""


def jam_refusal(kernel: KernelOp) -> str | None:
    """Why an iteration of a kernel cannot compute several neighbouring results; None if it can."""
    if not is_as_lowered(kernel) or kernel.rows.is_mapped:
        return "it is not as lowered"
    if kernel.rows.loops:
        return "its rows have loops inside"
    alone = [op for op in kernel.rows.body.block.ops if not _is_jammed(op)]
    return f"{alone[0].name} has an order, or combines rows" if alone else None


def _is_jammed(op: Operation) -> bool:
    """True for what may be done for several results, one after another."""
    return isinstance(op, LoadOp | StoreOp) or (not op.regions and is_side_effect_free(op))


def strided_axes(kernel: KernelOp) -> tuple[int, ...]:
    """The axes of the rows, of known extents, along which nothing is contiguous that lanes load or store in vectors.

    What is the same for all that is stored side by side is loaded once for them.
    """
    rows = kernel.rows
    stores = [op for op in rows.body.block.ops if isinstance(op, StoreOp)]
    vectors = {index for index in rows.indices if any(_shares_sector(op, index) for op in stores)}
    loads = [op for op in _loads(kernel) if vectors.intersection(op.indices)]
    return tuple(
        d
        for d, (index, size) in enumerate(zip(rows.indices, rows.sizes, strict=True))
        if size.constant is not None and index not in vectors and not any(_shares_sector(op, index) for op in loads)
    )


def _shares_sector(op: LoadOp | StoreOp, index: SSAValue) -> bool:
    """True if neighbours along an axis lie in one sector of memory, but not at one place: lanes take them at once."""
    moving = [operand_name(k) for k, v in enumerate(op.indices) if v is index]
    if not moving:
        return False
    type_ = op.buffer.type
    start = {operand_name(k): integer(0) for k in range(len(op.indices))}
    places = [start | dict.fromkeys(moving, integer(k)) for k in range(PROBES)]
    step = usual_step(buffer_offset(type_, index_exprs(op.index)), places)
    return step is not None and 0 < abs(step) * byte_size(buffer_element(type_)) < SECTOR_BYTES


def loads_of(kernel: KernelOp, factors: Factors) -> int:
    """The different elements that an iteration loads, if it computes `factors` neighbours."""
    return _count(_loads(kernel), kernel.rows, factors)


def overlap_of(kernel: KernelOp, factors: Factors) -> float:
    """Which share of loads neighbours save each other, of those that lie elsewhere for any neighbour."""
    moved = {kernel.rows.indices[d] for d, n in factors.items() if n > 1}
    windows = [op for op in _loads(kernel) if moved.issubset(op.indices)]
    each = _count(windows, kernel.rows, factors) / prod(factors.values())
    return 1 - each / _count(windows, kernel.rows, {}) if windows else 0.0


def common_work_of(kernel: KernelOp, factors: Factors) -> float:
    """Which share of the arithmetic neighbours save each other: functions of what is the same for all are called once.

    0 unless they are worth COSTLY instructions: the rest of a kernel hides less behind its loads.
    """
    moved: set[SSAValue] = {kernel.rows.indices[d] for d, n in factors.items() if n > 1}
    work = common = 0.0
    for op in kernel.rows.body.block.ops:
        work += instructions(op)
        if moved.isdisjoint(op.operands):
            common += instructions(op)
        else:
            moved.update(op.results)
    return common / work * (1 - 1 / prod(factors.values())) if common >= COSTLY else 0.0


def _loads(kernel: KernelOp) -> list[LoadOp]:
    return [op for op in kernel.rows.body.block.ops if isinstance(op, LoadOp)]


def _count(loads: Sequence[LoadOp], rows: ParallelOp, factors: Factors) -> int:
    """The different elements among `loads` of all the neighbours: those that differ in one of some ITERATIONS."""
    shape = tuple(factors.values())
    offsets = dict(zip(factors, np.indices(shape), strict=True))
    meaning: dict[SSAValue, NDArray[np.int64]] = {}
    for d, index in enumerate(rows.indices):
        iterations = (ITERATIONS + d * APART).reshape(-1, *[1] * len(shape))
        meaning[index] = iterations * factors.get(d, 1) + offsets.get(d, 0)
    found = set[Hashable]()
    for op in loads:
        found.update(_places(op, meaning, (len(ITERATIONS), *shape)))
    return len(found)


def _places(op: LoadOp, meaning: Mapping[SSAValue, NDArray[np.int64]], shape: tuple[int, ...]) -> Iterator[Hashable]:
    """Where `op` loads for each of the neighbours. `meaning` has the indices by iteration and neighbour.

    Places that are data are as different as the results that look them up.
    """
    indices = op.indices
    exprs = index_exprs(op.index)
    values: dict[str, Any] = {v.name: ASSUMED_SIZE for expr in exprs for v in expr.variables()}
    values |= {operand_name(k): meaning.get(v, 0) for k, v in enumerate(indices)}
    along = np.stack([np.broadcast_to(expr.evaluate(values), shape) for expr in exprs]).reshape(-1, prod(shape[1:]))
    data = tuple(v for v in indices if not isinstance(v, BlockArgument))
    for neighbour, place in enumerate(along.T.tolist()):
        yield op.buffer, *place, *((v, neighbour) for v in data)
