"""cache-hints: what the cache is advised to keep, by hints on loads and stores.

    64K rows of 8 KB are read, and 64K rows of 8 KB written       the loads have the hint evict "last"
    64K rows of 8 KB are read, and 64K numbers written            the loads have the hint evict "first"

What is far larger than the cache is gone when it is needed again, whatever the hint; but as it passes it displaces
other things. To displace what was only read costs nothing, what was written goes to memory. Measured on an H200: where
results pass too, kernels are 1 to 4 % faster if reads stay, probably since written lines then leave one after another;
where nothing is written, they are 1 to 14 % faster if reads leave at once, and what kernels before them wrote stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from mlc_dialects.loop.dialect import AtomicOp, KernelOp, LoadOp, LoopOp, ParallelOp, SerialOp
from mlc_dialects.loop.host import LaunchOp, whole_buffer
from passes.common.device import Device, DevicePass
from passes.loop.analysis.coalescing import (
    Access,
    accesses,
    around,
    buffer_bytes,
    has_scan,
    kinds,
    most_columns,
    reread_bytes,
    span,
    stores,
)

RETAINED = Fraction(4, 5)
"""The share of L2 that keeps what programs read twice: what else they touch meanwhile passes through the rest."""
LITTLE = 8
"""One part in so many is little."""
Buffers = Mapping[SSAValue, Sequence[Access]]
"""Accesses by buffer, one of all that go to the same places."""


@dataclass(frozen=True)
class CacheHintsPass(DevicePass):
    """Gives a hint to what scheduled kernels load once, if that is `streamed` times what the cache keeps, or more.

    What several rows or programs read has none, nor what a loop reads block by block, nor what is looked up. Kernels
    have none that share a large buffer with a later launch, which may find a part of it (see reverse-order).
    `cache` is what the cache keeps, in bytes; by default four fifths of L2.
    """

    name = "cache-hints"
    cache: int | None = None
    streamed: int = 2

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [function for function in op.ops if isinstance(function, FuncOp)]
        read_later = {name for function in functions for name in _read_later(function, self._cache // LITTLE)}
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and kernel.warps is not None and kernel.sym_name.data not in read_later:
                self._advise(kernel)

    @property
    def _cache(self) -> int:
        return l2_retained_bytes(self.target) if self.cache is None else self.cache

    def _advise(self, kernel: KernelOp) -> None:
        found = list(accesses(kernel))
        if not all(map(_is_counted, found)):
            return
        once, again, written = _traffic(found, self._cache // LITTLE)
        hint = self._hint(_moved(once), _moved(again), _moved(written))
        if hint is None:
            return
        kernel.explain(f"what it reads leaves the cache {hint}")
        for op in (a.op for a in found):
            if isinstance(op, LoadOp) and op.buffer in once:
                op.evict = StringAttr(hint)

    def _hint(self, once: int, again: int, written: int) -> str | None:
        """The hint for what is read once, by the bytes of that, of what is read again, and of what is written."""
        much = self.streamed * self._cache
        if once < much or again > self._cache // LITTLE:
            return None
        return "first" if LITTLE * written <= once else "last" if written >= much else None


def _read_later(function: FuncOp, least: int) -> Iterator[str]:
    """The kernels that share a buffer of `least` bytes or more with a later launch."""
    later: set[SSAValue] = set()
    for launch in reversed([op for op in function.walk() if isinstance(op, LaunchOp)]):
        large = {whole_buffer(v) for v in launch.buffers if buffer_bytes(v) >= least}
        if large & later:
            yield launch.kernel.string_value()
        later |= large


def _is_counted(access: Access) -> bool:
    """True if an access has a place that follows from numbers, of a buffer and in loops of known sizes."""
    sizes = [span(access.op.buffer.type), *(loop.size for loop in around(access.op))]
    known = all(size.constant is not None for size in sizes)
    return known and not access.is_indirect and not isinstance(access.op, AtomicOp)


def _by_buffer(found: Iterable[Access]) -> Buffers:
    """Loops of the same size at the same depth go to the same places: of a row that is held whole they load once."""
    places: dict[SSAValue, dict[object, Access]] = {}
    for access in found:
        loops = list(around(access.op))
        key = access.op.index, tuple(map(loops.index, access.loops)), tuple(loop.extent for loop in loops)
        places.setdefault(access.op.buffer, {})[key] = access
    return {buffer: list(accesses.values()) for buffer, accesses in places.items()}


def _traffic(found: Sequence[Access], large: int) -> tuple[Buffers, Buffers, Buffers]:
    """What is read once, of buffers of `large` bytes or more; what else is read, maybe again; what is written."""
    read = _by_buffer(a for a in found if isinstance(a.op, LoadOp))
    written = _by_buffer(a for a in found if not isinstance(a.op, LoadOp))
    of_large = {buffer: places for buffer, places in read.items() if buffer_bytes(buffer) >= large}
    once = {b: places for b, places in of_large.items() if b not in written and _brings_once(places)}
    again = {buffer: places for buffer, places in read.items() if buffer not in once}
    return once, again, written


def _moved(buffers: Buffers) -> int:
    """Bytes that the accesses of `buffers` move at least: each element once."""
    return sum(min(_count(found), _elements(found[0])) * found[0].element_bytes for found in buffers.values())


def _elements(access: Access) -> int:
    """Elements of memory of the accessed buffer: fewer than its shape has where that repeats them."""
    shape, last = buffer_bytes(access.op.buffer) // access.element_bytes, span(access.op.buffer.type).constant
    assert last is not None
    return min(shape, last)


def _count(found: Sequence[Access]) -> int:
    """How often the accesses of a buffer touch an element of it; no more than each once if a condition decides."""
    every = [prod(loop.size.constant or 1 for loop in around(access.op)) for access in found]
    return sum(min(n, _elements(a)) if a.op.condition else n for a, n in zip(found, every, strict=True))


def _brings_once(loads: Sequence[Access]) -> bool:
    """True if the loads of a buffer bring each of its elements once, and all of a program's at the same time."""
    if _count(loads) > _elements(loads[0]):
        return False
    return all(
        isinstance(a.op, LoadOp)
        and a.op.evict is None
        and _at_once(loop)
        and (loop in a.loops or loop.size.constant == 1)
        for a in loads
        for loop in around(a.op)
    )


def _at_once(loop: LoopOp) -> bool:
    """True if no program goes through the loop step by step."""
    held = loop.size.constant is not None and loop.size.constant <= loop.block_size
    return not isinstance(loop, SerialOp) and (loop.program is not None or held)


def l2_retained_bytes(device: Device) -> int:
    """What L2 keeps for programs that read something twice, in bytes."""
    return int(RETAINED * device.l2_bytes)


def advise_cache(loops: Sequence[LoopOp], device: Device) -> None:
    """What several loops read in turn stays in the cache until the last of them has read it.

    A loop that stores begins where the one before it ended: the last blocks are in the cache, the first may not be.
    What it writes is the first to leave. Of rows that are too long for that, with one for each multiprocessor at
    once, loads have no hint: they are pipelined.
    """
    looped = [loop for loop in loops if loop.size.constant is None or loop.size.constant > loop.block_size]
    reads = [[op for op in loop.walk() if isinstance(op, LoadOp)] for loop in looped]
    lasting = "softmax" in kinds(looped) or stays_cached(looped, device)
    for position, (loop, loads) in enumerate(zip(looped, reads, strict=True)):
        before, again = _buffers(reads[:position]), _buffers(reads[position + 1 :])
        if lasting:
            _advise_loads(loads, before, again)
        if before & _buffers([loads]) and isinstance(loop, ParallelOp) and not has_scan(loop):
            _turn_round(loop, looped[position - 1])


def _buffers(reads: Iterable[Iterable[LoadOp]]) -> set[SSAValue]:
    return {op.buffer for loads in reads for op in loads}


def _advise_loads(loads: Sequence[LoadOp], before: set[SSAValue], again: set[SSAValue]) -> None:
    """Keeps what a later loop reads `again`; what only a loop `before` has read leaves with the last read."""
    for op in loads:
        if op.buffer in again:
            op.evict = StringAttr("last")
        elif op.buffer in before:
            op.evict = StringAttr("first")


def _turn_round(loop: LoopOp, previous: LoopOp) -> None:
    """Lets `loop` begin where the `previous` one ended, whose last blocks are in the cache."""
    loop.backwards = UnitAttr() if previous.backwards is None else None
    for op in stores([loop]):
        op.evict = StringAttr("first")


def stays_cached(loops: Sequence[LoopOp], device: Device) -> bool:
    """True if the cache keeps what several loops over a row read, for a row on each multiprocessor."""
    return reread_bytes(loops) * (most_columns(loops) or 0) * device.multiprocessors <= l2_retained_bytes(device)
