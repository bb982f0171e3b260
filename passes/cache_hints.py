"""What the cache is advised to keep: hints on loads and stores."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, UnitAttr

from mlc_dialects.mlc_loop import LoadOp, LoopOp, ParallelOp
from passes.loop_access import has_scan, kinds, longest, read_again, stores

CACHE_BYTES = 40 << 20
"""What the L2 cache of an H200, of 50 MB, keeps for programs that read something twice."""


def advise_cache(loops: Sequence[LoopOp], programs: int) -> None:
    """What several loops read in turn stays in the cache until the last of them has read it.

    A loop that stores begins where the one before it ended: the last blocks are in the cache, the first may not be.
    What it writes is the first to leave. Of rows that are too long for that, with one for each of the `programs` that
    run at once, loads have no hint: they are pipelined.
    """
    reads = [[op for op in loop.walk() if isinstance(op, LoadOp)] for loop in loops]
    lasting = "softmax" in kinds(loops) or stays_cached(loops, programs)
    for position, (loop, loads) in enumerate(zip(loops, reads, strict=True)):
        again = {op.buffer for later in reads[position + 1 :] for op in later}
        before = {op.buffer for earlier in reads[:position] for op in earlier}
        held = loop.size.constant is not None and loop.size.constant <= loop.block_size
        for op in () if held or not lasting else loads:
            if op.buffer in again:
                op.evict = StringAttr("last")
            elif op.buffer in before:
                op.evict = StringAttr("first")
        turns = isinstance(loop, ParallelOp) and not held and not has_scan(loop)
        if turns and any(op.buffer in before for op in loads):
            loop.backwards = UnitAttr() if loops[position - 1].backwards is None else None
            for op in stores([loop]):
                op.evict = StringAttr("first")


def stays_cached(loops: Sequence[LoopOp], programs: int) -> bool:
    """True if the cache keeps what several loops over a row read, for a row of each of so many programs."""
    return read_again(loops) * (longest(loops) or 0) * programs <= CACHE_BYTES
