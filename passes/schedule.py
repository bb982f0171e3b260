"""schedule: maps the loops of each kernel to programs and blocks, and says why.

Decides, for every `mlc_loop.kernel`, how many rows a program takes, how many columns it holds at
once (all of them: the row stays in registers; fewer: it loops), the number of warps, and
whether addresses need 64 bits. A kernel that has a schedule already keeps it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from mlc_dialects.buffers import buffer_shape, buffer_strides
from mlc_dialects.loop_memory import divisors
from mlc_dialects.mlc_loop import KernelOp, LoadOp, LoopOp, ParallelOp, ReduceOp, SerialOp
from mlc_dialects.types import byte_size
from mlc_support.index_expr import IndexExpr, integer
from mlc_support.powers import power_of_two
from passes.loop_access import Access, accesses, has_scan, walks_rows, widest_element
from passes.pipelining import pipeline_loads

INT32_LIMIT = 2**31 - 2**24
"""Offsets below this fit 32-bit arithmetic, with room for the lanes past the end that are masked."""
LANES = 32
LOOPED_WARPS = 8
WELFORD_WARPS = 16
"""Warps of a program that loops over a row: more where each lane carries sums and squares along."""
BESIDE_BYTES = 256
"""How much of a line of memory a program takes where rows lie side by side."""
NARROWEST = 16
"""How many rows side by side a program takes at least: fewer would waste parts of memory transactions."""
MULTIPROCESSORS = 132
"""Programs that fill an H200."""
REGISTER_BYTES = 256
"""What the accumulators of a looped reduction may take of each lane's registers."""


@dataclass(frozen=True)
class Schedule:
    """The mapping of one kernel: block sizes of rows and columns, warps and the reason."""

    rows: int
    columns: int | None
    warps: int
    why: str


@dataclass(frozen=True)
class SchedulePass(ModulePass):
    """Gives every kernel a mapping to programs and blocks.

    `elements` is how many elements a pointwise program takes, `persistent` the longest row that is
    kept in registers, `looped` how many columns a longer row is read in at once, `tile` the side of a
    tile where memory runs along two axes; all powers of two. `stages` is the most steps of a loop whose loads are on
    their way at once.
    """

    name = "schedule"
    elements: int = 1024
    persistent: int = 16384
    looped: int = 8192
    tile: int = 64
    stages: int = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and kernel.warps is None:
                self._schedule(kernel)

    def _schedule(self, kernel: KernelOp) -> None:
        outer = kernel.rows
        inner = [op for op in outer.body.block.ops if isinstance(op, LoopOp)]
        walks = [op for op in inner if isinstance(op, SerialOp)]
        if walks:
            schedule = self._walk(outer, walks[0])
        elif inner and not any(isinstance(op, ReduceOp) or has_scan(op) for op in inner):
            schedule = self._tile(outer, inner[0])
            inner[0].set_mapping(program=1, block=schedule.columns)
        elif inner:
            schedule = self._reduction(outer, inner, list(accesses(kernel)))
            for loop in inner:
                loop.set_mapping(block=min(schedule.columns or 1, power_of_two(loop.size.constant)))
            advise_cache(inner)
        else:
            schedule = self._pointwise(outer)
        outer.set_mapping(program=0, block=schedule.rows)
        kernel.warps = IntegerAttr(schedule.warps, i64)
        kernel.index_bits = IntegerAttr(index_bits(kernel), i64)
        kernel.schedule = StringAttr(schedule.why)
        pipeline_loads(kernel, self.stages, MULTIPROCESSORS)

    def _walk(self, outer: ParallelOp, serial: SerialOp) -> Schedule:
        """Programs that walk the rows hold whole rows, and as wide accumulators, in registers."""
        columns = [op for op in outer.walk() if isinstance(op, ParallelOp | ReduceOp) and op is not outer]
        width = max(power_of_two(loop.size.constant) for loop in columns)
        for loop in columns:
            loop.set_mapping(block=width)
        rows = serial.block_size
        why = f"{outer.size} programs walk the rows, {rows} at once; sums over the rows stay in registers"
        return Schedule(1, width, max(4, warps_for(rows * width, 16)), why)

    def _pointwise(self, outer: ParallelOp) -> Schedule:
        block = min(self.elements, power_of_two(outer.size.constant))
        return Schedule(block, None, warps_for(block, 8), f"{block} elements a program")

    def _tile(self, outer: ParallelOp, inner: LoopOp) -> Schedule:
        rows = min(self.tile, power_of_two(outer.size.constant))
        columns = min(self.tile, power_of_two(inner.size.constant))
        why = f"tiles of {rows} x {columns}: memory runs along both axes"
        return Schedule(rows, columns, warps_for(rows * columns, 16), why)

    def _reduction(self, outer: ParallelOp, inner: Sequence[LoopOp], reads: Sequence[Access]) -> Schedule:
        rows, columns = outer.size.constant, _longest(inner)
        if walks_rows(outer, reads):
            return self._across(rows, columns, widest_element(reads), _kinds(inner))
        if columns is not None and columns <= self.persistent:
            block = power_of_two(columns)
            take = max(1, min(power_of_two(rows), self.elements // block))
            return Schedule(take, block, warps_for(take * block, 32), f"{take} row(s) of {columns} kept in registers")
        why = "of unknown length" if columns is None else f"of {columns}, more than {self.persistent}"
        warps = WELFORD_WARPS if "welford" in _kinds(inner) else LOOPED_WARPS
        block = self._looped_block(inner, reads, LANES * warps)
        return Schedule(1, block, min(warps, warps_for(block, 1)), f"a row {why}: looped by {block}")

    def _looped_block(self, inner: Sequence[LoopOp], reads: Sequence[Access], lanes: int) -> int:
        """How many columns of a long row are read at once: whole planes, if the columns run over such."""
        block = self.looped if all(a.is_aligned for a in reads) else self.looped // 4
        planes = [size for loop in inner for size in divisors(loop) if size >= lanes]
        if planes and max(planes) & (max(planes) - 1) == 0:
            block = min(max(planes), self.persistent)
        while block > lanes and any(size % block for size in planes):
            block //= 2
        while block > lanes and block // lanes * carried_bytes(inner) > REGISTER_BYTES:
            block //= 2
        return block

    def _across(self, rows: int | None, columns: int | None, bytes_: int, kinds: set[str]) -> Schedule:
        """The reduced axis is strided in memory: neighbouring lanes take neighbouring rows."""
        take = min(BESIDE_BYTES // bytes_, power_of_two(rows))
        while take > NARROWEST and rows is not None and rows < take * MULTIPROCESSORS:
            take //= 2
        tile = 2 * self.elements if {"welford", "softmax"} & kinds else 4 * self.elements
        block = max(1, min(power_of_two(columns), tile // take))
        why = f"reduces down columns of memory: {take} of them side by side, {block} deep"
        return Schedule(take, block, warps_for(take * block, 16), why)


def advise_cache(loops: Sequence[LoopOp]) -> None:
    """What several loops read in turn stays in the cache until the last of them has read it."""
    reads = [[op for op in loop.walk() if isinstance(op, LoadOp)] for loop in loops]
    for position, (loop, loads) in enumerate(zip(loops, reads, strict=True)):
        again = {op.buffer for later in reads[position + 1 :] for op in later}
        before = {op.buffer for earlier in reads[:position] for op in earlier}
        for op in loads if loop.size.constant is None or loop.size.constant > loop.block_size else ():
            if op.buffer in again:
                op.evict = StringAttr("last")
            elif op.buffer in before:
                op.evict = StringAttr("first")


def _kinds(loops: Sequence[LoopOp]) -> set[str]:
    """The kinds of the reductions among `loops`."""
    return {kind.data for loop in loops if isinstance(loop, ReduceOp) for kind in loop.kinds}


def _longest(loops: Sequence[LoopOp]) -> int | None:
    """The most columns that one of the loops has; None if that is not known."""
    sizes = [loop.size.constant for loop in loops]
    return None if None in sizes else max(size for size in sizes if size is not None)


def carried_bytes(loops: Sequence[LoopOp]) -> int:
    """Bytes of accumulator for each column that the greediest of `loops` carries along."""
    total = 1
    for loop in loops:
        if isinstance(loop, ReduceOp):
            extra = {"argmax": 8, "argmin": 8, "welford": 8}
            held = [extra.get(kind, 0) + byte_size(v.type) for kind, v, _ in loop.parts if kind != "softmax"]
            total = max(total, sum(held))
    return total


def index_bits(kernel: KernelOp) -> int:
    """64 if any address or iteration count may leave 32-bit integers, as unknown sizes may; else 32."""
    spans = [_span(a.type) for a in kernel.buffers]
    counts = [op.size for op in kernel.walk() if isinstance(op, LoopOp)]
    fits = [s.constant is not None and s.constant < INT32_LIMIT for s in (*spans, *counts)]
    return 32 if all(fits) else 64


def _span(type_: Attribute) -> IndexExpr:
    total = integer(1)
    for size, stride in zip(buffer_shape(type_), buffer_strides(type_), strict=True):
        total = total + (size - 1) * stride
    return total


def warps_for(elements: int, per_lane: int) -> int:
    """A power of two of warps, 1 to 32, at which each lane holds about `per_lane` elements."""
    return max(1, min(32, power_of_two(elements // (LANES * per_lane))))
