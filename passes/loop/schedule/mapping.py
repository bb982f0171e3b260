"""The mapping of a kernel's loops to programs, blocks and warps, as a tiling says.

A tiling is rows, columns, warps and stages. What follows from it is worked out here, in one place: the tail, hints to
the cache, which loops are pipelined, the width of addresses, and whether ptxas may use all registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i64

from mlc_dialects.common.buffers import buffer_element
from mlc_dialects.common.byte_floats import BYTE_FLOATS
from mlc_dialects.loop.dialect import (
    AccumulateOp,
    ExclusivePrefixOp,
    KernelOp,
    LastBlockOp,
    LoopOp,
    ParallelOp,
    ReduceOp,
    SignalOp,
    WaitOp,
)
from mlc_dialects.loop.loops import PREFETCHED
from mlc_dialects.loop.memory import ACCUMULATED
from mlc_dialects.loop.schedule import PARTITION, TILING
from mlc_dialects.loop.whole_parts import ROW, part_end
from mlc_dialects.triton.types import LANES, registers_a_lane
from mlc_support.errors import MlcError
from mlc_support.index_expr import integer
from mlc_support.index_maps import assumed
from mlc_support.locations import location_of
from mlc_support.powers import power_of_two
from mlc_support.walks import walk
from passes.common.device import Device
from passes.loop.analysis.coalescing import (
    Access,
    accesses,
    are_aligned,
    coalesced_bytes,
    has_scan,
    is_known,
    kinds,
    longest,
    scans,
    widest_element,
)
from passes.loop.analysis.legality import last_blocks_of
from passes.loop.analysis.registers import index_bits
from passes.loop.locality.cache_hints import advise_cache
from passes.loop.schedule.blocks import shares_of
from passes.loop.schedule.demand import OWN_REGISTERS, demand
from passes.loop.schedule.overlapping_tail import allow_overlapping_tail, settle_overlapping_tail
from passes.loop.schedule.pipelining import pipeline_loads
from passes.loop.schedule.synchronisation import last_columns
from passes.loop.schedule.tiling import Structure, Tiling
from passes.loop.schedule.words import words_of
from passes.loop.schedule.workload import workload

DIVISIBLE = 16
"""The most by which Triton knows a number to be divisible."""
MOST_UNROLLED = 8
"""Blocks of a loop that has code for each."""
FEWEST = 128
"""Elements of a block that several rows reduce, at the least."""
FOUND = 1.2
"""How many registers ptxas finds room for, of those that a lane has, in loops that load ahead: where 1.18 times as many
are counted nothing spills, where 1.27 times as many are, 108 bytes."""


def apply(kernel: KernelOp, choice: Tiling, why: str, device: Device) -> None:
    """Maps the loops of `kernel` as `choice` says, and notes why it was chosen."""
    at = Structure(kernel)
    outer, found = at.outer, list(accesses(kernel))
    each = at.awaiting_rows
    allow_overlapping_tail(kernel)
    resident = resident_programs(at, choice, found, device)
    for loop in at.columns:
        loop.set_mapping(
            program=1 if at.is_tile else None,
            block=min(choice.columns, power_of_two(loop.size.constant)),
        )
    if at.columns and at.serial is None and not at.is_tile:
        advise_cache(at.columns, device)
        if at.shares_a_row:
            _part_warps(at.columns)
            _unroll(at.columns)
        _widen(at.columns, choice.rows)
    for last in last_blocks_of(outer):
        _hold_last(choice, last)
    outer.set_mapping(program=0, block=choice.rows)
    settle_overlapping_tail(outer)
    _take_parts_in_turn(outer, each)
    tail = kernel.decided("tail")
    peeled = tail == "peel" or (tail is None and is_peeled(outer, found, device))
    outer.peeled = UnitAttr() if peeled else None
    kernel.warps = IntegerAttr(choice.warps, i64)
    kernel.index_bits = IntegerAttr(index_bits(kernel), i64)
    kernel.resident = None if resident is None else IntegerAttr(resident, i64)
    kernel.carried_out(*PARTITION, *TILING, "tail")
    kernel.explain(why)
    pipeline_loads(kernel, 1 if _is_crowded(at, choice, resident, device) else choice.stages, device)


def tiling_of(kernel: KernelOp) -> Tiling:
    """The tiling that a scheduled kernel has."""
    assert kernel.warps is not None
    at = Structure(kernel)
    columns = max((loop.block_size for loop in at.columns), default=1)
    loops = [op for op in walk(kernel) if isinstance(op, LoopOp)]
    stages = max(loop.stage_count for loop in loops)
    return Tiling(at.outer.block_size, columns, kernel.warps.value.data, stages)


def as_built(kernel: KernelOp, choice: Tiling, device: Device) -> Tiling:
    """A tiling with the stages that loops would have: as many as it allows and shared memory has room for."""
    built = kernel.clone()
    apply(built, choice, "", device)
    return replace(choice, stages=tiling_of(built).stages)


def resident_programs(at: Structure, choice: Tiling, found: Sequence[Access], device: Device) -> int | None:
    """Programs that a multiprocessor is to run at once; None where ptxas decides how many registers a lane has.

    All that a launch has for it, where they fit with the registers that are counted: the tiling was chosen for one
    wave. Left alone, ptxas often takes a few registers more, and there are two waves (docs/schedule.md). Where they do
    not fit, one program, if is_uncapped.
    """
    if at.columns and at.serial is None and not at.is_tile and is_known(at.kernel) and _is_counted(at.kernel):
        asked = demand(workload(at.kernel), choice, device)
        programs = -(-asked.programs // device.multiprocessors)
        if programs <= asked.resident and asked.registers <= registers_a_lane(choice.warps, programs):
            return programs
    return 1 if is_uncapped(at.outer, found) else None


def _is_crowded(at: Structure, choice: Tiling, resident: int | None, device: Device) -> bool:
    """True if registers have no room for what a loop over columns would load ahead, beside those of other programs."""
    if choice.stages != PREFETCHED or resident is None or at.serial is not None or not is_known(at.kernel):
        return False
    work = workload(at.kernel)
    words = words_of(work, [*shares_of(work, choice, device)], prefetched=True).held
    return OWN_REGISTERS + words > FOUND * registers_a_lane(choice.warps, resident)


def _is_counted(kernel: KernelOp) -> bool:
    """True unless much is not counted that takes registers: scans, and the arithmetic on bits of `byte-floats`."""
    return not scans(kernel) and not any(buffer_element(b.type) in BYTE_FLOATS for b in kernel.buffers)


def is_uncapped(outer: ParallelOp, found: Sequence[Access]) -> bool:
    """True where ptxas is given all registers: it would save some, and have fewer loads in flight.

    So for plain sums and extremes over a strided axis, and for persistent programs whose rows are unaligned. Not where
    a later loop goes over the columns again, or some of what is moved is contiguous along the columns: with all it
    can have, ptxas takes so many registers that fewer programs run at once.
    """
    loops = [op for op in walk(outer) if isinstance(op, LoopOp) and op is not outer]
    if any(map(has_scan, loops)):
        return False
    plain, aligned = kinds(loops) <= set(ACCUMULATED), are_aligned(loops, found)
    if any(isinstance(op, AccumulateOp) for op in walk(outer)):
        return plain and not aligned
    halves = widest_element(found) < 4 and not aligned
    return (plain or halves) and bool(kinds(loops)) and _runs_along_rows_alone(outer, found)


def _runs_along_rows_alone(outer: ParallelOp, found: Sequence[Access]) -> bool:
    """True if one loop takes all columns, and what it moves is contiguous along the rows, none of it along columns."""
    along_rows, along_columns = coalesced_bytes(outer, found)
    return along_rows > 0 and not along_columns and not any(isinstance(loop, ParallelOp) for loop in outer.loops)


def is_peeled(outer: ParallelOp, found: Sequence[Access], device: Device) -> bool:
    """True if masks of the last program would keep what all of many programs load and store from being wide.

    Triton takes one instruction for several elements where it knows that all of them are masked alike. Masked is what
    lies behind the last row, or behind the end of the last part of a row.
    """
    size, blocks = outer.size.constant, outer.blocks.constant
    if size is None or blocks is None or blocks <= device.multiprocessors:
        return False
    if not outer.loops:
        return size % DIVISIBLE != 0 and not any(op.regions for op in outer.body.block.ops)
    if outer.block_size > 1 or any(isinstance(op, SignalOp | WaitOp | ExclusivePrefixOp) for op in walk(outer)):
        return False
    end = part_end(outer)
    behind = None if end is None else (end.substitute({ROW: integer(0)}) + 1).constant
    return behind is not None and behind % DIVISIBLE != 0 and are_aligned(outer.loops, found)


def _take_parts_in_turn(outer: ParallelOp, each: int | None) -> None:
    """Consecutive programs take all parts of a block of rows, which wait for one another, before those of the next.

    `each` rows have parts of their own; None where no blocks of rows wait.
    """
    if each is None:
        return
    if outer.block_size > each:
        raise MlcError(
            f"schedule: a block of {outer.block_size} rows is more than the {each} whose parts wait for one another",
            location=location_of(outer),
            hint="ask for fewer rows",
        )
    assert outer.size.constant is not None and outer.blocks.constant is not None
    parts = outer.size.constant // each
    outer.set_swizzle(parts, outer.blocks.constant // parts)


def _part_warps(loops: Sequence[LoopOp]) -> None:
    """Where registers hold what long loops read, each warp does short ones for itself, while that is in flight."""
    long = longest(loops)
    if all(loop.block_size >= (loop.size.constant or 0) for loop in long):
        for loop in loops:
            if loop not in long:
                loop.set_mapping(block=min(LANES, loop.block_size))


def _widen(loops: Sequence[LoopOp], rows: int) -> None:
    """Short reductions of several rows in front of longer loops take FEWEST elements, some of them masked.

    Of fewer, Triton gives a lane whole rows. It then broadcasts the result along the columns of the longer loop before
    it changes the layout, so that a lane writes all of these columns to shared memory.
    """
    if rows > 1:
        long = longest(loops)
        for loop in [op for op in loops if isinstance(op, ReduceOp) and op not in long]:
            loop.set_mapping(block=max(loop.block_size, FEWEST // rows))


def _unroll(loops: Sequence[LoopOp]) -> None:
    """What a lane gathers of few blocks it adds up as they come, if each has code of its own: no accumulators wait."""
    for loop in loops:
        steps = loop.blocks.constant
        plain = isinstance(loop, ReduceOp) and {k.data for k in loop.kinds} <= set(ACCUMULATED)
        if plain and steps is not None and 1 < steps <= MOST_UNROLLED:
            loop.unrolled = UnitAttr()


def _hold_last(choice: Tiling, last: LastBlockOp) -> None:
    """The loops of the last-arriving block hold as much as its lanes have room for."""
    rows = choice.rows if last.group.constant is None else 1
    for loop in [op for op in last.body.block.ops if isinstance(op, LoopOp)]:
        loop.set_mapping(block=last_columns(assumed(loop.size), rows, choice.warps))
