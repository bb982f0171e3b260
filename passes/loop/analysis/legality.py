"""Which rewrites of a kernel are legal: one predicate for each, which answers with the reason against it, or None.

None of them asks whether the rewrite pays: that is for the pass to decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Operation, SSAValue

from mlc_dialects.loop.dialect import (
    AtomicOp,
    IndirectIndexOp,
    KernelOp,
    LastBlockOp,
    LoadOp,
    LocalOp,
    LoopOp,
    ParallelOp,
    ReduceOp,
    SerialOp,
    StoreOp,
)
from mlc_dialects.loop.exclusive_prefix import flags_of
from mlc_dialects.loop.memory import is_row_update
from mlc_support.errors import MlcError
from mlc_support.locations import location_of
from mlc_support.walks import walk
from passes.common.partial_results import partial_results_refusal
from passes.loop.analysis.coalescing import has_scan, kinds


def demand(rewrite: str, kernel: KernelOp, refusal: str | None) -> None:
    """Raises MlcError where a schedule asks for a rewrite that is refused."""
    if refusal is not None:
        raise MlcError(
            f"{rewrite}: the schedule of {kernel.sym_name.data} asks for it, but {refusal}",
            location=location_of(kernel),
            hint="leave the field out of the schedule",
        )


def waiting_refusal(kernel: KernelOp) -> str | None:
    """Why a kernel's blocks depend on each other; None if each can run without the others."""
    return None if flags_of(kernel.rows) is None else "its blocks wait for each other's inter-block flags"


def block_order_refusal(kernel: KernelOp) -> str | None:
    """Why the blocks of a kernel cannot start in another order; None if they can."""
    if any(isinstance(op, SerialOp) for op in walk(kernel)):
        return "each block of its persistent loop takes rows from all over memory"
    if kernel.rows.group is not None or kernel.rows.persistent is not None:
        return "blocks of rows and columns are numbered together"
    return waiting_refusal(kernel)


def any_order_refusal(kernel: KernelOp) -> str | None:
    """Why rows and columns of a kernel cannot be taken in any order, by any block; None if they can."""
    if any(map(has_scan, kernel.rows.loops)):
        return "a scan takes its columns in order"
    return waiting_refusal(kernel)


def split_refusal(kernel: KernelOp) -> str | None:
    """Why the columns of a kernel's reductions cannot be cut into parts; None if they can."""
    loops = kernel.rows.loops
    if not any(isinstance(op, ReduceOp) for op in loops):
        return "it reduces nothing"
    if any(op.size != loops[0].size for op in loops):
        return "its loops differ in their numbers of columns"
    return any_order_refusal(kernel) or partial_results_refusal(kernel.rows.size, loops[0].size, kinds(loops))


def behind_refusal(kernel: KernelOp) -> str | None:
    """Why the pointwise loops of a kernel's rows cannot be a kernel behind its reductions; None if they can."""
    loops, pointwise = kernel.rows.loops, [op for op in kernel.rows.loops if isinstance(op, ParallelOp)]
    if not pointwise or len(pointwise) == len(loops):
        return "it has no reductions, or no loops that only compute and store"
    if len({op.size for op in pointwise}) > 1:
        return "its loops differ in their numbers of columns"
    return _pointwise_refusal(kernel, pointwise) or any_order_refusal(kernel)


def repeat_refusal(rows: ParallelOp) -> str | None:
    """Why rows cannot be done twice, at once; None if they can: what a row changes in place one of the two stores.

    What the last program does for the rows of its own block may read what the blocks store.
    """
    lasts = last_blocks_of(rows)
    if flags_of(rows) is not None and rows.overlap is None:
        return "its blocks wait for each other's inter-block flags"
    if any(last.group.constant is not None for last in lasts):
        return "all its rows arrive at one counter"
    if any(isinstance(op, AtomicOp | LocalOp | SerialOp) for op in walk(rows)):
        return "what its rows give is added up"
    return "it reads what it writes" if _reads_what_it_writes(rows, lasts) else None


def _reads_what_it_writes(rows: ParallelOp, lasts: Sequence[LastBlockOp]) -> bool:
    """True if a row, or what the last program does for it, loads what it stores and does not update in place."""
    updated = {op.buffer for op in walk(rows) if isinstance(op, StoreOp) and is_row_update(op)}
    behind = [op for last in lasts for op in walk(last)]
    before = set(walk(rows)) - set(behind)
    again = [(before, walk(rows)), (behind, behind)]
    return any((_loaded(read) & _stored(written)) - updated for read, written in again)


def last_blocks_of(outer: ParallelOp) -> list[LastBlockOp]:
    """What the last programs of a loop over rows do."""
    return [op for op in outer.body.block.ops if isinstance(op, LastBlockOp)]


def _pointwise_refusal(kernel: KernelOp, pointwise: Sequence[ParallelOp]) -> str | None:
    """Why the bodies of loops cannot run in a kernel behind the others; None if they can."""
    inside = [op for loop in pointwise for op in loop.body.block.ops]
    if any(isinstance(op, AtomicOp | LoopOp) for op in inside):
        return "its loops have loops inside, or update memory that others update"
    if any(isinstance(op, IndirectIndexOp) for op in kernel.rows.body.block.ops):
        return "its rows look up places"
    return "a loop stores what another op of its row reads" if _depend_by_memory(kernel, pointwise) else None


def _depend_by_memory(kernel: KernelOp, pointwise: Sequence[Operation]) -> bool:
    """True if an op of a row loads what a loop of `pointwise` has stored, or a loop what the row stores."""
    stored: set[SSAValue] = set()
    loaded = {buffer for loop in pointwise for buffer in _loaded(walk(loop))}
    for op in kernel.rows.body.block.ops:
        own = _stored(walk(op))
        if not stored.isdisjoint(_loaded(walk(op))) or (op not in pointwise and not own.isdisjoint(loaded)):
            return True
        stored |= own if op in pointwise else set()
    return False


def _loaded(ops: Iterable[Operation]) -> set[SSAValue]:
    return {op.buffer for op in ops if isinstance(op, LoadOp)}


def _stored(ops: Iterable[Operation]) -> set[SSAValue]:
    return {op.buffer for op in ops if isinstance(op, StoreOp)}
