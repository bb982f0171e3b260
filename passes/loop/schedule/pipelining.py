"""Software pipelining: while a loop works on one block, the next ones are on their way from memory.

A loop over blocks waits for memory at every step unless other programs of the multiprocessor have work. With s stages
it asks for a block s - 1 steps before it works on it, and the block waits in shared memory. What keeps memory busy is
bytes on their way: latency times bandwidth (Little's law: `Device.bytes_in_flight`).

What a loop loads for its next step can wait in registers as well (split-loops). So do the next rows of a persistent
loop, where copies to shared memory would be narrow: of a mean of each row, say, or of rows that do not lie along
memory. And so do the next columns of a loop that sums and stores: its loads would stay behind the stores before them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, i64

from mlc_dialects.common.buffers import buffer_strides
from mlc_dialects.loop.dialect import AccumulateOp, KernelOp, LoadOp, LoopOp, ParallelOp, ReduceOp, SerialOp
from mlc_dialects.loop.loops import PREFETCHED
from mlc_support.walks import walk
from passes.common.device import ASYNC_COPY_BYTES, WIDEST_BYTES, Device
from passes.loop.analysis.coalescing import Access, accesses, are_contiguous, has_scan, stores
from passes.loop.analysis.legality import last_blocks_of
from passes.loop.analysis.registers import working_warps

PROGRAMS = 4
"""Programs that a multiprocessor is counted on to hold: the system keeps a part of its shared memory for each."""
FEWEST_STEPS = 4
"""Shorter loops have no time in which being ahead would pay."""
PIPELINED = 3
"""Stages of loops that gain by loads ahead of the work: those whose steps wait for one another."""
FEWEST_STAGES = 3
"""With two, a load has one step of arithmetic to hide behind and shared memory to go through: slower than none."""


def pipeline_loads(kernel: KernelOp, stages: int, device: Device) -> None:
    """Gives each loop over blocks of a scheduled kernel up to `stages` stages, as many as fit shared memory.

    Where the device copies to shared memory asynchronously; elsewhere a load would wait in registers. That is where
    those of some loops wait if PREFETCHED stages are asked for, or if shared memory has no room for more.
    """
    copies = "cp.async" in device.features
    reads = [a for a in accesses(kernel) if isinstance(a.op, LoadOp)]
    budget = shared_bytes(device) // _resident(kernel, device)
    for loop in walk(kernel):
        if isinstance(loop, LoopOp) and loop is not kernel.rows:
            fitting = min(stages, _fitting(kernel, loop, reads, budget)) if copies else 1
            if fitting < FEWEST_STAGES:
                fitting = min(stages, PREFETCHED) if _loads_ahead(kernel, loop) else 1
            loop.stages = IntegerAttr(fitting, i64) if fitting > 1 else None


def stages_of_rounds(kernel: KernelOp, loop: SerialOp) -> tuple[int, ...]:
    """How many rounds of a persistent loop may have their loads in flight.

    PIPELINED if it adds up what its rows give and asynchronous copies are wide. A short loop, or another, loads ahead
    if lanes combine what they have in each round, for then all of them wait for its loads; and if registers have room
    for that: so there is a choice. Of six kernels whose rows have work in common five gain by it, on an H200 (1.03 to
    1.36 times as fast), and one is as quick as before (0.99).
    """
    reads = [a for a in accesses(kernel) if isinstance(a.op, LoadOp) and loop in a.loops]
    adds_up = any(isinstance(op, AccumulateOp) for op in walk(loop))
    if adds_up and _steps(loop) >= FEWEST_STEPS and all(_can_wait(a, WIDEST_BYTES, loop) for a in reads):
        return (PIPELINED,)
    return (1, PREFETCHED) if _meets_each_round(loop) else (1,)


def stages_of_steps(kernel: KernelOp) -> int:
    """How many steps of loops over columns may have their loads in flight."""
    return PREFETCHED if any(_sums_and_stores(kernel, loop) for loop in kernel.rows.loops) else 1


def _loads_ahead(kernel: KernelOp, loop: LoopOp) -> bool:
    """True if the loads of a loop's next step are worth the registers that they wait in."""
    if isinstance(loop, SerialOp):
        return _meets_each_round(loop)
    return _sums_and_stores(kernel, loop) and _steps(loop) >= FEWEST_STEPS


def _sums_and_stores(kernel: KernelOp, loop: LoopOp) -> bool:
    """True if a loop sums up a part of its rows, and stores at each step: the next step's loads would stay behind that.

    Of 22 such kernels of real programs 21 are 0.98 to 1.37 times as fast with loads ahead on an H200, and one, which
    spills, 0.87: 1.06 in the mean. Ten with whole rows are 0.72 to 1.10 times as fast, 0.99 in the mean. Without stores
    ptxas asks early by itself.
    """
    is_alone = kernel.rows.loops == [loop] and bool(last_blocks_of(kernel.rows))
    return is_alone and isinstance(loop, ReduceOp) and bool(stores([loop]))


def _meets_each_round(loop: SerialOp) -> bool:
    """True if the lanes of a program combine what they have in each round of a persistent loop."""
    return any(isinstance(op, ReduceOp) for op in loop.loops)


def _fitting(kernel: KernelOp, loop: LoopOp, reads: Sequence[Access], budget: int) -> int:
    """The stages of `loop` that fit `budget` bytes of shared memory; 1 where it is not to be pipelined.

    Loads with a hint to the cache are what a later loop reads again: they stay as they are, since Triton 3.6 drops the
    hints of loads that it pipelines. So do loads that may be narrower than 16 bytes a lane: memory then waits for
    instructions; 4 bytes will do where columns run over several spatial extents and each program has one row. So do
    those of loops that combine across lanes at each step, as for a running maximum: such programs leave the memory to
    others, of which shared memory would hold fewer. So do those of loops that only compute and store blocks of several
    rows (measured on channels-last batch norm: 1.3 to 3 times as long with stages).
    """
    if _meets(loop) or _stores_rows(kernel, loop) or _steps(loop) < FEWEST_STEPS:
        return 1
    whole = are_contiguous([loop]) or kernel.rows.block_size > 1
    narrowest = WIDEST_BYTES if whole else ASYNC_COPY_BYTES
    inside = {(a.op.buffer, a.op.index): a for a in reads if loop in a.loops}.values()
    step = sum(_block_bytes(a) for a in inside)
    return 1 + budget // step if step and all(_can_wait(a, narrowest, loop) for a in inside) else 1


def _stores_rows(kernel: KernelOp, loop: LoopOp) -> bool:
    """True if the steps of a loop do nothing but compute and store blocks of several rows."""
    several = kernel.rows.block_size > 1 and isinstance(loop, ParallelOp) and not has_scan(loop)
    return several and bool(stores([loop]))


def _meets(loop: LoopOp) -> bool:
    """True if the lanes of a program combine what they have at each step."""
    return isinstance(loop, ReduceOp) and any(kind == "softmax" for kind, _, _ in loop.parts)


def shared_bytes(device: Device) -> int:
    """Shared memory of a multiprocessor that its programs can have together, in bytes."""
    return device.shared_per_multiprocessor - PROGRAMS * device.shared_reserved


def _resident(kernel: KernelOp, device: Device) -> int:
    """How many programs a multiprocessor is to hold at once."""
    assert kernel.warps is not None
    rows = kernel.rows
    programs = working_warps(device) // kernel.warps.value.data
    if rows.size.constant is not None:
        programs = min(programs, -(-rows.size.constant // (rows.block_size * device.multiprocessors)))
    return max(1, programs)


def _can_wait(access: Access, narrowest: int, loop: LoopOp) -> bool:
    """True if a load has no hint to the cache, and a lane is known to ask for `narrowest` bytes at once.

    16, as wide as the machine has them, at its end too; else no more than one of its elements.
    """
    if isinstance(access.op, LoadOp) and access.op.evict:
        return False
    return _is_wide(access, loop) or access.element_bytes >= narrowest


def _is_wide(access: Access, loop: LoopOp) -> bool:
    """True if lanes ask for 16 bytes at once: of several rows of a persistent `loop`, of what lies along each row."""
    along = [each for each in access.loops if access.step(each) == 1]
    if isinstance(loop, SerialOp) and loop.block_size > 1:
        along = [each for each in along if each is not loop]
        if not along:
            return False
    known = None not in [stride.constant for stride in buffer_strides(access.op.buffer.type)]
    return known and access.is_aligned and all(_is_whole(each, access) for each in along)


def _is_whole(loop: LoopOp, access: Access) -> bool:
    """True if the iterations of a loop are known to end with a whole vector of an access."""
    size = loop.size.constant
    return size is not None and size * access.element_bytes % WIDEST_BYTES == 0


def _block_bytes(access: Access) -> int:
    """What one step of the innermost loops loads."""
    total = access.element_bytes
    for loop in dict.fromkeys(access.loops):
        total *= loop.block_size
    return total


def _steps(loop: LoopOp) -> int:
    """How many blocks a loop walks, enough if that is not known: 1 where programs share them, or each has code."""
    size = loop.size.constant
    if size is None:
        return FEWEST_STEPS
    if isinstance(loop, SerialOp):
        return size // loop.stride
    return 1 if loop.program is not None or loop.unrolled is not None else -(-size // loop.block_size)
