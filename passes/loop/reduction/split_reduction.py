"""split-reduction: a kernel with too few rows to fill the device becomes kernels over parts of rows.

    s[p] = reduce over r of f(p, r)                        R columns, few rows
 -> part[p, i] = reduce over k of f(p, i * C + k)          parts * rows programs, C = R / parts
    s[p] = reduce over i of part[p, i]

Each reduction that needs an earlier one's result starts a new stage, a kernel that first combines
the parts of the stages before it. What is stored for every (p, r) is stored by the first stage that
has what it needs, part by part; what is stored for every row, by the last. Sums are reassociated,
as every parallel reduction does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.common.buffers import buffer_type
from mlc_dialects.common.scalar_builder import Scalars
from mlc_dialects.loop.dialect import AtomicOp, KernelOp, LoadOp, LoopOp, ParallelOp, ReduceOp, StoreOp
from mlc_dialects.loop.exclusive_prefix import told_in
from mlc_dialects.loop.host import AllocOp, FreeOp, LaunchOp
from mlc_dialects.loop.memory import ACCUMULATED, divisors
from mlc_dialects.triton.types import LANES
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.powers import power_of_two, power_of_two_up_to
from passes.common.device import LINE_BYTES, DevicePass
from passes.common.launches import launches_by_name
from passes.loop.analysis.coalescing import (
    accesses,
    has_scan,
    kinds,
    loaded_bytes,
    read_again,
    walks_rows,
    widest_element,
)
from passes.loop.analysis.kernel_rewriter import LoopCopy, index_of
from passes.loop.analysis.partial_results import BUSY, Partial, Parts, PartsReader, busy_programs
from passes.loop.locality.cache_hints import kept_bytes
from passes.loop.reduction.online_reduction import join_reductions, reductions
from passes.loop.reduction.shifted_variance import shift_sums

MANY = 8
"""Programs for each multiprocessor that a split should come to."""
NARROW_BYTES = 4
"""What a row may load of each column for short parts of it to be held in registers, by programs without a loop."""
EVEN = 128
"""Columns of which parts have whole multiples, where rows lie side by side."""
BALANCED = 0.85
"""What share of the time all multiprocessors should be at work."""
SHORTEST_STEP = 2048
"""Columns that a program of the last stage takes at least, which has what it stores to compute and no more."""


@dataclass(frozen=True)
class SplitReductionPass(DevicePass):
    """Splits reductions that would run as fewer than `busy` programs into about `programs` of them.

    So are those whose last wave of `busy` programs would leave a quarter of all the time's room empty. By default
    `busy` is BUSY for each multiprocessor, `programs` the power of two that MANY for each come to, and `cached` what L2
    keeps for each of a power of two of programs, one for each multiprocessor.

    Four times as many where a row loads little, for which registers have room. Rows of which several loops read more
    than `cached` bytes count as too few up to `programs`: the second loop finds nothing in the cache anyway. Not so
    those that run over planes: whole, they spare a launch, and their loads are pipelined.
    A part has at least `shortest` columns. Where rows lie side by side in memory a program takes `beside`
    bytes of them, and half as many programs have parts a quarter as long. Where such rows begin anywhere, each lane
    asks for one element at a time: a program takes as many rows as of float32, and there are more of narrower ones.
    A row that several reductions and stores read, one after the other, stays whole where it fits the registers
    (`persistent` columns), and so do rows that fit them all together. So do kernels whose programs read no more than
    `little` bytes each, `narrow` rows of them side by side: that takes no longer than another launch. Kernels of
    unknown size stay whole.
    """

    name = "split-reduction"
    rounds_otherwise: ClassVar[bool] = True
    busy: int | None = None
    programs: int | None = None
    shortest: int = 1024
    beside: int = 2 * LINE_BYTES
    persistent: int = 16384
    cached: int | None = None
    little: int = 72 << 10
    narrow: int = 16

    @property
    def _busy(self) -> int:
        return busy_programs(self.target) if self.busy is None else self.busy

    @property
    def _programs(self) -> int:
        return self.programs or power_of_two_up_to(MANY * self.target.multiprocessors)

    @property
    def _cached(self) -> int:
        kept = kept_bytes(self.target) // power_of_two_up_to(self.target.multiprocessors)
        return kept if self.cached is None else self.cached

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [k for k in op.ops if isinstance(k, KernelOp)]
        launches = launches_by_name(op)
        for kernel in kernels:
            parts = self._parts(kernel)
            if parts is not None:
                join_reductions(kernel)
                if not parts.across:
                    shift_sums(reductions(kernel), LANES)
                split(kernel, parts, launches[kernel.sym_name.data])

    def _parts(self, kernel: KernelOp) -> Parts | None:
        """How the rows of a kernel are cut; None to leave it whole."""
        outer, loops = kernel.rows, splittable(kernel)
        if not loops:
            return None
        rows, columns = outer.size.constant, loops[0].size.constant
        assert rows is not None and columns is not None
        if rows * columns <= self.persistent:
            return None
        reads = list(accesses(kernel))
        across = walks_rows(outer, reads)
        if (self.narrow if across else 1) * columns * loaded_bytes(loops) <= self.little:
            return None
        depths = Depths(outer, columns)
        held = not across and columns <= self.persistent
        if held and any(depths.of(op) > 1 or (isinstance(op, ParallelOp) and depths.of(op)) for op in loops):
            return None
        planes, again = {size for loop in loops for size in divisors(loop)}, read_again(loops) * columns
        programs, busy, wanted, shortest = rows, self._busy, self._programs, self.shortest
        if across:  # a program takes rows side by side, and as deep a tile of them as makes up for it
            widest = widest_element(reads)
            beside = self.beside // 4 if read_again(loops) else self.beside  # which the cache can keep
            if not all(a.is_aligned for a in reads):  # a lane asks for each element by itself
                beside, wanted = beside * widest // 4, wanted * (4 // min(4, widest)) ** 2
            programs, wanted, shortest = -(-rows * widest // max(1, beside)), wanted // 2, max(1, shortest // 4)
        else:
            busy = wanted if again > self._cached and not planes else busy
            wanted *= 4 if not planes and loaded_bytes(loops) <= NARROW_BYTES else 1
        enough = programs >= busy or bool(planes and again)
        most = min(wanted // programs, columns // shortest)
        if (enough and fills(programs, busy)) or most < 2:
            return None
        if across and not planes and kinds(loops) <= set(ACCUMULATED):  # of others lanes count what uneven parts have
            return Parts(outer.size, columns, *balanced_parts(columns, most, programs, self._busy // BUSY), across)
        return Parts(outer.size, columns, *even_parts(columns, most, planes, EVEN if across else None), across)


def splittable(kernel: KernelOp) -> list[LoopOp]:
    """The loops over the columns of a kernel that reduces known numbers of them, in any order; none of another kind."""
    loops = kernel.rows.loops
    reductions = [op for op in loops if isinstance(op, ReduceOp)]
    strange = any(has_scan(loop) for loop in loops) or told_in(kernel.rows) is not None
    if strange or not reductions or any(kind.startswith("arg") for op in reductions for kind, _, _ in op.parts):
        return []
    known = kernel.rows.size.constant and reductions[0].size.constant is not None
    return loops if known and all(op.size == reductions[0].size for op in loops) else []


def fills(programs: int, busy: int) -> bool:
    """True unless the last wave of `busy` programs leaves a quarter of all the time's room empty."""
    return share_taken(programs, busy) >= 0.75


def share_taken(programs: int, busy: int) -> float:
    """What share of all the time's room waves of `busy` programs take, the last of which may not be whole."""
    return programs / (-(-programs // busy) * busy) if programs else 1.0


def even_parts(columns: int, most: int, planes: set[int], unit: int | None = None) -> tuple[int, int]:
    """How many parts, up to `most`, and their length: of whole planes if possible, else even.

    Else multiples of `unit`, or powers of two.
    """
    even = [n for n in range(most, most // 4, -1) if columns % n == 0]
    in_planes = [n for n in even if all(columns // n % size == 0 for size in planes)]
    count = next(iter(in_planes if planes and in_planes else [n for n in even if n > most // 2]), None)
    if count is not None:
        return count, columns // count
    length = -(-columns // most)
    length = power_of_two(length) if unit is None else -(-length // unit) * unit
    return -(-columns // length), length


def balanced_parts(columns: int, most: int, programs: int, multiprocessors: int) -> tuple[int, int]:
    """How many parts, up to `most`, each of `programs` programs, and their length.

    Even ones, unless all multiprocessors would be at work for less than BALANCED of the time: some have a program more.
    """

    def at_work(parts: tuple[int, int]) -> float:
        count, length = parts
        return share_taken(programs * count, multiprocessors) * columns / (count * length)

    even = even_parts(columns, most, set(), EVEN)
    if at_work(even) >= BALANCED:
        return even
    lengths = {-(-columns // (count * EVEN)) * EVEN for count in range(most // 2 + 1, most + 1)}
    return max([even, *((-(-columns // length), length) for length in sorted(lengths))], key=at_work)


def taken(op: Operation) -> Iterator[SSAValue]:
    """What `op`, and the ops inside it, take from outside of it."""
    return (v for inner in op.walk() for v in inner.operands if not op.is_ancestor(v.owner))


class Depths:
    """How many reductions, one after the other, each op of a kernel's row loop needs; a reduction counts itself.

    Those that are cut count, over all `columns`. Others are small, and done by all programs of a row.
    """

    def __init__(self, outer: ParallelOp, columns: int):
        self._columns = columns
        self._depth: dict[Operation, int] = {}
        for op in outer.body.block.ops:
            owners = [v.owner for v in taken(op)]
            known = [self._depth[o] for o in owners if isinstance(o, Operation) and o in self._depth]
            self._depth[op] = max(known, default=0) + (isinstance(op, ReduceOp) and self.is_cut(op))

    def is_cut(self, op: object) -> bool:
        """True for the loops over all columns."""
        return isinstance(op, LoopOp) and op.size.constant == self._columns

    def of(self, op: Operation) -> int:
        return self._depth[op]


def split(kernel: KernelOp, parts: Parts, launches: Sequence[LaunchOp]) -> None:
    """Replaces `kernel` and its launches by one kernel a stage and theirs."""
    stages = Stages(kernel, parts)
    built = [StageKernel(stages, number).copy.finish() for number in range(1, stages.last + 1)]
    for launch in launches:
        allocations = [AllocOp(b.type) for b in stages.buffers]
        for allocation in allocations:
            allocation.buffer.name_hint = "partial"
        buffers = dict(zip(kernel.body.block.args, launch.buffers, strict=True))
        buffers |= {b: a.buffer for b, a in zip(stages.buffers, allocations, strict=True)}
        ops = [
            *allocations,
            *(LaunchOp(new.sym_name.data, [buffers[b] for b in own]) for new, own in built),
            *(FreeOp(a.buffer) for a in allocations),
        ]
        for op in ops:
            op.location = launch.location
        Rewriter.replace_op(launch, ops, [])
    Rewriter.replace_op(kernel, [new for new, _ in built], [])


class Stages:
    """The kernels that `kernel` becomes. Stage n reduces what needs n - 1 reductions before it; the last one ends."""

    def __init__(self, kernel: KernelOp, parts: Parts):
        self.kernel, self.parts = kernel, parts
        self.depths = Depths(kernel.rows, parts.columns)
        ops = list(kernel.rows.body.block.ops)
        self.partials = [
            (self.depths.of(op), results, self._partial(op, kind, results))
            for op in ops
            if isinstance(op, ReduceOp) and self.depths.is_cut(op)
            for kind, _, results in op.parts
        ]
        """Each reduction's stage and results, and buffers that stand for where each launch has their parts."""
        self.buffers = [b for _, _, partial in self.partials for b in partial.buffers]
        self.last = 1 + max(depth for depth, _, _ in self.partials)
        self.whole_rows = not any(isinstance(op, ParallelOp) and self.depths.of(op) == self.last - 1 for op in ops)
        """True if the last stage stores nothing that has a column: then it has one program a row."""
        reads = 8 * parts.count * len(self.partials)
        planes = {size for op in ops if isinstance(op, LoopOp) and self.depths.is_cut(op) for size in divisors(op)}
        self.steps = parts if self.whole_rows else parts.finer(max(SHORTEST_STEP, reads), planes)
        """The parts that the programs of the last stage work on: short, as long as combining the others is shorter."""

    def is_own(self, op: Operation, number: int) -> bool:
        """True for the loops and stores that stage `number` copies."""
        depth = self.depths.of(op)
        match op:
            case LoopOp() if self.depths.is_cut(op):
                return depth == (number if isinstance(op, ReduceOp) else number - 1)
            case _:
                return isinstance(op, StoreOp | AtomicOp) and number == self.last

    def needed(self, number: int) -> set[SSAValue]:
        """The values of the row that the loops and stores of stage `number` are computed from."""
        ops = [op for op in self.kernel.rows.body.block.ops if self.is_own(op, number)]
        work = [v for op in ops for v in taken(op)]
        needed: set[SSAValue] = set()
        while work:
            value = work.pop()
            if value not in needed:
                needed.add(value)
                owner = value.owner
                work.extend(taken(owner) if isinstance(owner, Operation) and not self.depths.is_cut(owner) else ())
        return needed

    def _partial(self, op: ReduceOp, kind: str, results: Sequence[SSAValue]) -> Partial:
        shape = (self.parts.rows, integer(self.parts.count))
        return Partial(kind, [AllocOp(buffer_type(shape, r.type)).buffer for r in results], op.approx is not None)


class PartsKernel:
    """A kernel on its way that runs stages on the parts of all rows, or on all rows, for which one part stands."""

    def __init__(
        self, stages: Stages, name: str, parts: Parts, whole_rows: bool = False, extra: Sequence[SSAValue] = ()
    ):
        """`extra` are the buffers of the host program that it has besides those of the original kernel."""
        self.stages, self.parts = stages, parts
        self.copy = LoopCopy(stages.kernel, name, extra)
        size, name = (parts.rows, "p") if whole_rows else (parts.rows * parts.count, "q")
        outer, index = self.copy.outer(size, name), variable(name, size)
        if parts.across and not whole_rows:
            outer.within = IntegerAttr(parts.rows.evaluate({}), i64)
        self.block = outer.body.block
        self.row, self.part = (index, integer(0)) if whole_rows else parts.place(index)
        self.copy.bind(stages.kernel.rows.index, self.row, {name: outer.index})
        self._done: set[Operation] = set()

    def read(self, buffer: SSAValue, place: Sequence[IndexExpr], indices: Mapping[str, SSAValue]) -> Operation:
        """What gives the result of the part at `place`, (row, part), which `buffer` stands for."""
        raise NotImplementedError

    def write(self, value: SSAValue, buffer: SSAValue) -> Operation:
        """What keeps this part's result, which `buffer` stands for."""
        raise NotImplementedError

    def run(self, number: int) -> None:
        """Adds what stage `number` does."""
        ends = number == self.stages.last
        self._combine_parts(number)
        once = self._in_first_part() if ends else None
        for op in self.stages.kernel.rows.body.block.ops:
            own = self.stages.is_own(op, number)
            match op:
                case ReduceOp() if own:
                    self._write_parts(op, self._part_of(op))
                case ParallelOp() if own:
                    self._part_of(op)
                case StoreOp() | AtomicOp() if own:
                    self.copy.op(op, self.block, once)
                case _ if self._is_next(op):
                    self._done.add(op)
                    self.copy.op(op, self.block)
                case _:
                    pass

    def _combine_parts(self, number: int) -> None:
        """The results of all earlier stages' reductions that this one needs, for this row."""
        needed = self.stages.needed(number)
        found = [
            (results, p)
            for depth, results, p in self.stages.partials
            if depth < number and not needed.isdisjoint(results) and results[0] not in self.copy.values
        ]
        if not found:
            return
        reader = PartsReader(self.stages.parts, self.block, self.row, self.copy.indices, self.read)
        for (results, _), values in zip(found, reader.combine([p for _, p in found]), strict=True):
            for old, new in zip(results, values, strict=True):
                self.copy.values[old] = new
                new.name_hint = old.name_hint

    def _is_next(self, op: Operation) -> bool:
        """True for what all programs of a row do, as soon as this kernel has what it takes.

        It has nothing of a reduction that no stage has needed yet.
        """
        if isinstance(op, StoreOp | AtomicOp) or self.stages.depths.is_cut(op) or op in self._done:
            return False
        return all(v in self.copy.values or v is self.stages.kernel.rows.index for v in taken(op))

    def _in_first_part(self) -> SSAValue | None:
        """True in the program that stores what there is one of a row; None where all programs do."""
        if self.part.constant is not None or self.parts.count == 1:
            return None
        scalars = Scalars(self.block.add_op)
        return scalars.compare("eq", self.copy.indexed(self.part, self.block), scalars.constant(0, i64))

    def _part_of(self, op: LoopOp) -> LoopOp:
        """The loop `op` over this part of the columns."""
        loop = self.parts.loop(self.copy, op, self.part)
        self.block.add_op(loop)
        return loop

    def _write_parts(self, op: ReduceOp, loop: LoopOp) -> None:
        assert isinstance(loop, ReduceOp)
        for (_, _, old), (_, _, new) in zip(op.parts, loop.parts, strict=True):
            (partial,) = (p for _, results, p in self.stages.partials if results == old)
            for value, buffer in zip(new, partial.buffers, strict=True):
                self.block.add_op(self.write(value, buffer))


class StageKernel(PartsKernel):
    """One stage in a kernel of its own; parts' results go through memory."""

    def __init__(self, stages: Stages, number: int):
        ends = number == stages.last
        name = stages.kernel.sym_name.data + ("" if ends else "_parts" if number == 1 else f"_parts_{number}")
        super().__init__(
            stages, name, stages.steps if ends else stages.parts, ends and stages.whole_rows, stages.buffers
        )
        self._own = dict(zip(stages.buffers, self.copy.extra, strict=True))
        self.run(number)

    def read(self, buffer: SSAValue, place: Sequence[IndexExpr], indices: Mapping[str, SSAValue]) -> Operation:
        return LoadOp(self._own[buffer], *index_of(place, indices))

    def write(self, value: SSAValue, buffer: SSAValue) -> Operation:
        return StoreOp(value, self._own[buffer], *index_of((self.row, self.part), self.copy.indices))
