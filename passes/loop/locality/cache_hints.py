"""cache-hints: eviction hints on loads and stores of data that streams through L2.

    64K rows of 8 KB are read, and 64K rows of 8 KB written       the loads have the hint evict "last"
    64K rows of 8 KB are read, and 64K numbers written            the loads have the hint evict "first"
    the launch before has read them, and none after will          the loads have the hint evict "first"

Data far larger than L2 is gone before it is needed again, whatever the hint; but it displaces other data on its way.
Displacing clean lines is free, dirty ones are written to memory. Measured on an H200: where results stream too, kernels
are 1 to 4 % faster if loads are evicted last, probably because dirty lines then leave one after another; where nothing
is written, 1 to 14 % faster if loads are evicted first, so that results of earlier kernels stay.

A kernel that reads again what the launch before has read finds a part of it in L2. Where each element that it has read
leaves first, that part stays until it is read: 33 regions of two kernels run at 0.98 to 1.08 times the speed, 1.02 in
the mean. Where results stream, loads are evicted last as ever, which is 1 % quicker.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from mlc_dialects.loop.dialect import AtomicOp, KernelOp, LoadOp, LoopOp, ParallelOp, SerialOp
from mlc_dialects.loop.host import CallOp, LaunchOp, whole_buffer
from mlc_support.walks import walk
from passes.common.device import Device, DevicePass
from passes.common.launches import launches_in_turn
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
"""The share of L2 that retains data between two reads; the rest serves what streams through meanwhile."""
LITTLE = 8
"""Less than one part in so many counts as little."""
Buffers = Mapping[SSAValue, Sequence[Access]]
"""Accesses by buffer; one for all accesses at the same index."""


@dataclass(frozen=True)
class CacheHintsPass(DevicePass):
    """Sets hints on loads of data that is loaded once and streams through L2.

    No hint is set on data that several rows or programs read, that a loop reads block by block, or that has an indirect
    index; nor in kernels that share a large buffer with a later launch, which may find a part of it in L2 (see
    reverse-order). A schedule that says `cache` decides instead.
    """

    name = "cache-hints"
    cache: int | None = None
    """Bytes that L2 retains; none is four fifths of it."""
    streamed: int = 2
    """Data of so many times what L2 retains, or more, streams through it."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [function for function in op.ops if isinstance(function, FuncOp)]
        read_later = {name for function in functions for name in _read_later(function, self._cache // LITTLE)}
        last = _read_last(functions)
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and kernel.warps is not None:
                asked, name = kernel.decided("cache") is not None, kernel.sym_name.data
                if asked or name not in read_later:
                    self._advise(kernel, {kernel.buffers[k] for k in last.get(name, ())})

    @property
    def _cache(self) -> int:
        return l2_retained_bytes(self.target) if self.cache is None else self.cache

    def _advise(self, kernel: KernelOp, last: Collection[SSAValue]) -> None:
        """Sets the hints of a kernel that reads some buffers as the `last`, behind the launch before."""
        asked, found = kernel.schedule and kernel.schedule.word("cache"), list(accesses(kernel))
        kernel.carried_out("cache")
        if not all(map(_is_counted, found)):
            return
        once, again, written = _traffic(found, 0 if asked else self._cache // LITTLE)
        hint = asked or self._hint(_moved(once), _moved(again), _moved(written))
        leaving = once.keys() & last if hint is None else once.keys()
        hint = hint or "first"
        if hint == "none" or not leaving:
            return
        kernel.explain(f"what it reads leaves the cache {hint}")
        for op in (a.op for a in found):
            if isinstance(op, LoadOp) and op.buffer in leaving:
                op.evict = StringAttr(hint)

    def _hint(self, once: int, again: int, written: int) -> str | None:
        """The hint for data that is read once, given its bytes, those read again, and those written."""
        much = self.streamed * self._cache
        if once < much or again > self._cache // LITTLE:
            return None
        return "first" if LITTLE * written <= once else "last" if written >= much else None


def _read_later(function: FuncOp, least: int) -> Iterator[str]:
    """The kernels that share a buffer of at least `least` bytes with a later launch."""
    later: set[SSAValue] = set()
    for launch in reversed([op for op in walk(function) if isinstance(op, LaunchOp)]):
        large = {whole_buffer(v) for v in launch.buffers if buffer_bytes(v) >= least}
        if large & later:
            yield launch.kernel.string_value()
        later |= large


def _read_last(functions: Iterable[FuncOp]) -> dict[str, set[int]]:
    """By kernel the positions of buffers that the launch before each of its launches has, and nothing behind it."""
    found: dict[str, set[int]] = {}
    for launch, last in chain.from_iterable(map(_has_last, functions)):
        name = launch.kernel.string_value()
        found[name] = found.get(name, last) & last
    return found


def _has_last(function: FuncOp) -> Iterator[tuple[LaunchOp, set[int]]]:
    """Each launch, with the positions of the buffers that it has behind the launch before it, and as the last."""
    users = [op for op in walk(function) if isinstance(op, LaunchOp | CallOp | ReturnOp)]
    user = {whole_buffer(v): op for op in users for v in op.operands}
    before = {launch: previous for previous, launch in launches_in_turn(function, CallOp)}
    for launch in [op for op in users if isinstance(op, LaunchOp)]:
        shared = set(map(whole_buffer, before[launch].buffers)) if launch in before else set[SSAValue]()
        own = enumerate(map(whole_buffer, launch.buffers))
        yield launch, {k for k, buffer in own if buffer in shared and user[buffer] is launch}


def _is_counted(access: Access) -> bool:
    """True if the index of an access is no data, and the sizes of its buffer and loops are known."""
    sizes = [span(access.op.buffer.type), *(loop.size for loop in around(access.op))]
    known = all(size.constant is not None for size in sizes)
    return known and not access.is_indirect and not isinstance(access.op, AtomicOp)


def _by_buffer(found: Iterable[Access]) -> Buffers:
    """Loops of equal size at equal depth read the same elements: a register-resident row is loaded once."""
    places: dict[SSAValue, dict[object, Access]] = {}
    for access in found:
        loops = list(around(access.op))
        key = access.op.index, tuple(map(loops.index, access.loops)), tuple(loop.extents for loop in loops)
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
    """The least bytes that the accesses of `buffers` move: each element once."""
    return sum(min(_count(found), _elements(found[0])) * found[0].element_bytes for found in buffers.values())


def _elements(access: Access) -> int:
    """The elements of memory in the accessed buffer; broadcast dimensions (stride 0) count once."""
    shape, last = buffer_bytes(access.op.buffer) // access.element_bytes, span(access.op.buffer.type).constant
    assert last is not None
    return min(shape, last)


def _count(found: Sequence[Access]) -> int:
    """How many elements the accesses of a buffer touch; each at most once if there is a condition."""
    every = [prod(loop.size.constant or 1 for loop in around(access.op)) for access in found]
    return sum(min(n, _elements(a)) if a.op.condition else n for a, n in zip(found, every, strict=True))


def _brings_once(loads: Sequence[Access]) -> bool:
    """True if the loads of a buffer read each element once, and no program loads its elements in a loop."""
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
    """True if no program iterates over the loop step by step."""
    return not isinstance(loop, SerialOp) and (loop.program is not None or loop.is_one_block)


def l2_retained_bytes(device: Device) -> int:
    """The bytes of L2 that retain data which programs read twice."""
    return int(RETAINED * device.l2_bytes)


def advise_cache(loops: Sequence[LoopOp], device: Device) -> None:
    """Sets hints for data that several loops of a row read in turn: keep it until the last of them.

    A parallel loop after another starts where that one ended (`backwards`): its last blocks are in L2, the first may
    not be. Its stores are evicted first. Rows of which L2 cannot hold one for each multiprocessor get no hint.
    """
    looped = [loop for loop in loops if not loop.is_one_block]
    reads = [[op for op in walk(loop) if isinstance(op, LoadOp)] for loop in looped]
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
    """True if L2 retains what several loops over a row read, for one row on each multiprocessor."""
    return reread_bytes(loops) * (most_columns(loops) or 0) * device.multiprocessors <= l2_retained_bytes(device)
