"""What the loops of a row store for each element."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mlc_dialects.loop.accesses import loaded_in, stored_in
from mlc_dialects.loop.dialect import KernelOp, LoadOp, LoopOp, ParallelOp, ReduceOp, StoreOp
from passes.loop.analysis.overwriting import tells_iteration
from passes.loop.reduction.depths import taken


def is_of_row(value: SSAValue, rows: ParallelOp) -> bool:
    """True for results of the row's own ops."""
    return isinstance(value.owner, Operation) and value.owner.parent is rows.body.block


def plain_ops(kernel: KernelOp) -> set[Operation]:
    """Ops of a row that depend on no reduction, nor on what the kernel writes: two kernels may both have them."""
    written = stored_in(kernel)
    found: set[Operation] = set()
    for op in kernel.rows.body.block.ops:
        reads_written = isinstance(op, LoadOp) and op.buffer in written
        is_plain = bool(op.results) and not isinstance(op, LoopOp | StoreOp) and not reads_written
        if is_plain and all(v.owner in found for v in taken(op) if is_of_row(v, kernel.rows)):
            found.add(op)
    return found


def stores_of(loop: ReduceOp, kernel: KernelOp, conditional: bool = False) -> list[StoreOp]:
    """The stores in `loop` of what it computes from what no reduction gives, each of an element of its own.

    Those with a condition count if `conditional`.
    """
    stores = [op for op in loop.body.block.ops if isinstance(op, StoreOp) and (conditional or op.condition is None)]
    if not stores or _needs_more_than_loads(loop, kernel):
        return []
    loaded = loaded_in(kernel)
    return [op for op in stores if op.buffer not in loaded and tells_iteration(op, [loop, kernel.rows])]


def _needs_more_than_loads(loop: ReduceOp, kernel: KernelOp) -> bool:
    """True if `loop` has loops of its own, or takes what depends on a reduction, or on what the kernel writes."""
    if any(op.regions for op in loop.body.block.ops):
        return True
    again = plain_ops(kernel)
    return any(v.owner not in again for v in taken(loop) if is_of_row(v, kernel.rows))
