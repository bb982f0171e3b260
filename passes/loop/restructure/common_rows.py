"""Rows that have loads or arithmetic in common: forms of persistent loops, which leave it in front of their rounds.

    parallel p in 0 .. 1024 * 49: { x[p, r] + exp(bias[p mod 49, r]) for each r }
 -> parallel i in 0 .. 98: { serial p = i, i + 98, i + 196, ...: { x[p, r] + exp(bias[p mod 49, r]) for each r } }

All rows of a program have one row of `bias`: it is loaded, and its exponentials are computed, once a program (thread
coarsening, with loop-invariant code motion: `triton-licm`). That is worth something where more than memory bounds a
kernel, as where a table of biases is looked up for each window of an image.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from xdsl.ir import Operation

from mlc_dialects.loop.dialect import (
    AccumulateOp,
    AtomicOp,
    ExclusivePrefixOp,
    KernelOp,
    LastBlockOp,
    LoadOp,
    LocalOp,
    LoopOp,
    ReduceOp,
    ScanOp,
    SerialOp,
    StoreOp,
    WaitOp,
)
from mlc_dialects.loop.schedule import PARTITION, ScheduleAttr
from mlc_support.index_maps import assumed
from mlc_support.powers import power_of_two
from mlc_support.walks import walk
from passes.common.device import Device
from passes.loop.analysis.coalescing import is_known
from passes.loop.analysis.instructions import instructions
from passes.loop.analysis.periodic import periods, unchanged
from passes.loop.schedule.model import FITTED

FIELDS = ("programs", "block")
"""The fields of a schedule that ask for a persistent loop."""
COMMON = replace(FITTED, l2=1.33)
"""The constants of the model: L2 counts as quicker than elsewhere. Rotary embeddings read two tables again for each
head. Four of them took 15 to 26 us on an H200, not 20 to 35 as predicted, and a loop that reads the tables once gained
nothing."""
NEVER = (AccumulateOp, AtomicOp, ExclusivePrefixOp, LastBlockOp, LocalOp, ScanOp, SerialOp, WaitOp)
"""What a kernel has that is left alone: rows of it depend on each other, or have a persistent loop already."""
MOVED = 4
"""Instructions that a load or store counts as."""
LEAST_SHARE = 0.25
"""The share of the instructions, at the least, that rows have in common."""
ELEMENTS = (256, 512, 1024, 2048)
"""Elements that a program takes at once."""
ROUNDS = (4, 8, 16, 64)
"""Rounds of a program."""
LONGEST = 1024
"""Columns of a row, at the most: registers hold what rows have in common."""


def have_work_in_common(kernel: KernelOp) -> bool:
    """True if rows of a kernel of known sizes have much in common, and nothing is decided about them."""
    is_decided = any(kernel.decided(name) is not None for name in (*FIELDS, *PARTITION))
    return not is_decided and is_known(kernel) and _suits(kernel) and bool(_shared_periods(kernel))


def loops_of_common_rows(kernel: KernelOp, device: Device) -> Iterator[ScheduleAttr]:
    """Persistent loops of which every round has the same in common, and every program has as many rounds."""
    rows = assumed(kernel.rows.size)
    width = max((power_of_two(assumed(loop.size)) for loop in kernel.rows.loops), default=1)
    for period in _shared_periods(kernel):
        for rounds in dict.fromkeys((*(n for n in ROUNDS if n < rows // period), rows // period)):
            stride = rows // rounds
            blocks = {max(1, elements // width) for elements in ELEMENTS}
            for block in sorted(b for b in blocks if rows % rounds == stride % period == stride % b == 0):
                if stride // block >= device.multiprocessors:
                    yield ScheduleAttr.of(programs=stride // block, block=block)


def _suits(kernel: KernelOp) -> bool:
    """True if registers hold a row, rows do not depend on each other, and nobody has mapped them to programs."""
    loops = kernel.rows.loops
    if any(isinstance(op, NEVER) or (isinstance(op, LoopOp) and op.is_mapped) for op in walk(kernel)):
        return False
    if any(assumed(loop.size) > LONGEST for loop in loops):
        return False
    return not loops or any(isinstance(loop, ReduceOp) for loop in loops)


def _shared_periods(kernel: KernelOp) -> list[int]:
    """The periods after which rows have much in common again: the shortest of those that share as much."""
    every = list(walk(kernel.rows))
    found = {period: _work(unchanged(kernel.rows, period)) for period in periods(kernel)}
    enough = LEAST_SHARE * _work(every)
    best: dict[float, int] = {}
    for period, work in found.items():
        if work >= enough:
            best.setdefault(work, period)
    return list(best.values())


def _work(ops: Collection[Operation]) -> float:
    """Instructions for each element, with those that move it."""
    return sum(instructions(op) + MOVED * isinstance(op, LoadOp | StoreOp) for op in ops)
