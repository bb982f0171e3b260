"""split-reduction: a kernel with too few rows to fill the device is split into kernels over parts of rows.

    s[p] = reduce over r of f(p, r)                        R columns, few rows
 -> part[p, i] = reduce over k of f(p, i * C + k)          parts * rows programs, C = R / parts
    s[p] = reduce over i of part[p, i]

Each reduction that needs an earlier one's result starts a new stage: a kernel that first combines the parts of the
stages before it. Results for every (p, r) are stored by the first stage that can compute them, part by part; row
results by the last stage. Sums are reassociated, as in every parallel reduction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.common.buffers import buffer_type
from mlc_dialects.common.scalar_builder import Scalars
from mlc_dialects.loop.dialect import AtomicOp, KernelOp, LoadOp, LoopOp, ParallelOp, ReduceOp, StoreOp
from mlc_dialects.loop.host import AllocOp, FreeOp, LaunchOp
from mlc_dialects.loop.memory import ACCUMULATED, divisors
from mlc_dialects.triton.types import LANES
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.powers import power_of_two_up_to
from passes.common.device import LINE_BYTES, DevicePass
from passes.common.launches import launches_by_name
from passes.loop.analysis.coalescing import kinds, loaded_bytes, widest_element
from passes.loop.analysis.kernel_rewriter import LoopCopy, index_of
from passes.loop.analysis.legality import split_refusal
from passes.loop.analysis.partial_results import BUSY, Partial, Parts, PartsReader, busy_programs
from passes.loop.locality.cache_hints import l2_retained_bytes
from passes.loop.reduction.online_reduction import join_reductions, reductions
from passes.loop.reduction.part_sizes import EVEN, Grid, balanced_parts, even_parts
from passes.loop.reduction.reduced_rows import Depths, ReducedRows, taken
from passes.loop.reduction.shifted_variance import shift_sums

MANY = 8
"""Programs for each multiprocessor that a split aims at."""
NARROW_BYTES = 4
"""What a row may load of each column for short parts of it to be held in registers, by programs without a loop."""
SHORTEST_STEP = 2048
"""The fewest columns for a program of the last stage, which only stores."""


@dataclass(frozen=True)
class SplitReductionPass(DevicePass):
    """Splits reductions that would run as fewer than `busy` programs into about `programs` programs.

    - Reductions whose waves of `busy` programs would leave a quarter of the device idle count as too few (tail effect).
      Defaults: `busy` is BUSY programs a multiprocessor, `programs` the power of two up to MANY a multiprocessor.
    - Rows of which several loops re-read more than `cached` bytes are split up to `programs`, since the second loop
      would miss L2 anyway; by default `cached` is L2 divided by the multiprocessors. Exceptions are rows over several
      spatial extents: whole, they save a launch, and their loads are pipelined.
    - Where a row loads little for each column, there are four times as many programs, since registers hold more.
    - A part has at least `shortest` columns.
    - Where lanes take rows, a program takes `coalesced` bytes of adjacent rows, and there are half as many programs
      with parts a quarter as long. If those rows are unaligned, each lane loads single elements: a program takes as
      many rows as of float32, and narrower types get more programs.

    Kernels stay whole

    - if a size is unknown,
    - if all rows together fit the registers (`persistent` elements), or a row does that several loops read in turn,
    - if a program reads no more than `little` bytes (of `narrow` rows, where lanes take rows): that takes no longer
      than another launch.
    """

    name = "split-reduction"
    rounds_otherwise: ClassVar[bool] = True
    busy: int | None = None
    programs: int | None = None
    shortest: int = 1024
    coalesced: int = 2 * LINE_BYTES
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
        kept = l2_retained_bytes(self.target) // power_of_two_up_to(self.target.multiprocessors)
        return kept if self.cached is None else self.cached

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [k for k in op.ops if isinstance(k, KernelOp)]
        launches = launches_by_name(op)
        for kernel in kernels:
            parts = self._parts(kernel)
            if parts is not None:
                join_reductions(kernel)
                if not parts.row_lanes:
                    shift_sums(reductions(kernel), LANES)
                split(kernel, parts, launches[kernel.sym_name.data])

    def _parts(self, kernel: KernelOp) -> Parts | None:
        """How the rows of a kernel are cut; None to leave it whole."""
        if split_refusal(kernel) is not None:
            return None
        rows = ReducedRows.of(kernel)
        if self._is_small(rows) or self._fits_registers(rows):
            return None
        grid = self._strided_grid(rows) if rows.strided else self._contiguous_grid(rows)
        most = min(grid.wanted // grid.blocks, rows.columns // grid.shortest)
        if most < 2 or grid.fills_device(rows.reads_planes_again):
            return None
        return Parts(kernel.rows.size, rows.columns, *self._part_size(rows, most, grid.blocks), rows.strided)

    def _is_small(self, rows: ReducedRows) -> bool:
        """True if the whole kernel, or each of its blocks, takes no longer than another launch."""
        a_block = (self.narrow if rows.strided else 1) * rows.columns * loaded_bytes(rows.loops)
        return rows.count * rows.columns <= self.persistent or a_block <= self.little

    def _fits_registers(self, rows: ReducedRows) -> bool:
        """True if a contiguous row that is needed again after its reduction can stay register-resident."""
        return not rows.strided and rows.columns <= self.persistent and rows.is_needed_after_reduction

    def _contiguous_grid(self, rows: ReducedRows) -> Grid:
        """One row a block."""
        if rows.planes:
            return Grid(rows.count, self._busy, self._programs, self.shortest)
        is_cached = rows.again * rows.columns <= self._cached
        wanted = self._programs * (4 if loaded_bytes(rows.loops) <= NARROW_BYTES else 1)
        return Grid(rows.count, self._busy if is_cached else self._programs, wanted, self.shortest)

    def _strided_grid(self, rows: ReducedRows) -> Grid:
        """As many neighbouring rows a block as are coalesced, and a tile of columns deep enough to make up for it."""
        widest, wanted = widest_element(rows.accesses), self._programs
        coalesced = (
            self.coalesced // 4 if rows.again else self.coalesced
        )  # of what is read again, what the cache can keep
        if not all(a.is_aligned for a in rows.accesses):  # a lane loads each element by itself
            coalesced, wanted = coalesced * widest // 4, wanted * (4 // min(4, widest)) ** 2
        blocks = -(-rows.count * widest // max(1, coalesced))
        return Grid(blocks, self._busy, wanted // 2, max(1, self.shortest // 4))

    def _part_size(self, rows: ReducedRows, most: int, blocks: int) -> tuple[int, int]:
        """How many parts, up to `most`, each of `blocks` blocks, and their length."""
        if not rows.strided:
            return even_parts(rows.columns, most, rows.planes)
        if not rows.planes and kinds(rows.loops) <= set(ACCUMULATED):  # of others lanes count what uneven parts have
            return balanced_parts(rows.columns, most, blocks, self._busy // BUSY)
        return even_parts(rows.columns, most, rows.planes, EVEN)


def split(kernel: KernelOp, parts: Parts, launches: Sequence[LaunchOp]) -> None:
    """Replaces `kernel` and its launches by one kernel for each stage, and their launches."""
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
    """The stages of `kernel`: stage n computes reductions that depend on n - 1 others; the last stores results."""

    def __init__(self, kernel: KernelOp, parts: Parts):
        self.kernel, self.parts = kernel, parts
        self.depths = Depths(kernel.rows, parts.columns)
        self.partials = [
            (self.depths.of(op), results, self._partial(op, kind, results))
            for op in self._loops()
            if isinstance(op, ReduceOp)
            for kind, _, results in op.parts
        ]
        """Each reduction's stage and results, and placeholder buffers for its partial results."""
        self.buffers = [b for _, _, partial in self.partials for b in partial.buffers]
        self.last = 1 + max(depth for depth, _, _ in self.partials)
        self.whole_rows = not self._stores_columns_last()
        """True if the last stage stores nothing that has a column: then it has one program a row."""
        self.steps = parts if self.whole_rows else self._last_steps()
        """The parts that the programs of the last stage work on: short, as long as combining the others is shorter."""

    def _loops(self) -> list[LoopOp]:
        """The loops that are cut: over all columns."""
        return [op for op in self.kernel.rows.loops if self.depths.is_cut(op)]

    def _stores_columns_last(self) -> bool:
        """True if a loop of the last stage stores something for each column."""
        loops = [op for op in self.kernel.rows.loops if isinstance(op, ParallelOp)]
        return any(self.depths.of(op) == self.last - 1 for op in loops)

    def _last_steps(self) -> Parts:
        reads = 8 * self.parts.count * len(self.partials)
        planes = {size for op in self._loops() for size in divisors(op)}
        return self.parts.finer(max(SHORTEST_STEP, reads), planes)

    def is_own(self, op: Operation, number: int) -> bool:
        """True for the loops and stores of stage `number`."""
        depth = self.depths.of(op)
        match op:
            case LoopOp() if self.depths.is_cut(op):
                return depth == (number if isinstance(op, ReduceOp) else number - 1)
            case _:
                return isinstance(op, StoreOp | AtomicOp) and number == self.last

    def needed(self, number: int) -> set[SSAValue]:
        """The row values from which the loops and stores of stage `number` are computed."""
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
    """Builds a kernel that runs stages on the parts of all rows, or on whole rows, as one part each."""

    def __init__(
        self, stages: Stages, name: str, parts: Parts, whole_rows: bool = False, extra: Sequence[SSAValue] = ()
    ):
        """`extra` are buffers of the host program that the kernel has besides those of the original."""
        self.stages, self.parts = stages, parts
        self.copy = LoopCopy(stages.kernel, name, extra)
        size, name = (parts.rows, "p") if whole_rows else (parts.rows * parts.count, "q")
        outer, index = self.copy.outer(size, name), variable(name, size)
        if parts.row_lanes and not whole_rows:
            outer.overlap = IntegerAttr(parts.rows.evaluate({}), i64)
        self.block = outer.body.block
        self.row, self.part = (index, integer(0)) if whole_rows else parts.place(index)
        self.copy.bind(stages.kernel.rows.index, self.row, {name: outer.index})
        self._done: set[Operation] = set()

    def read(self, buffer: SSAValue, place: Sequence[IndexExpr], indices: Mapping[str, SSAValue]) -> Operation:
        """The op that loads the partial result of the part at `place` (row, part) in place of `buffer`."""
        raise NotImplementedError

    def write(self, value: SSAValue, buffer: SSAValue) -> Operation:
        """The op that stores this part's partial result in place of `buffer`."""
        raise NotImplementedError

    def run(self, number: int) -> None:
        """Appends stage `number`."""
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
        """The row's results of all earlier reductions that this stage needs."""
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
        """True for ops that all programs of a row compute, once their operands are known.

        Reductions that no stage has needed yet are not known.
        """
        if isinstance(op, StoreOp | AtomicOp) or self.stages.depths.is_cut(op) or op in self._done:
            return False
        return all(v in self.copy.values or v is self.stages.kernel.rows.index for v in taken(op))

    def _in_first_part(self) -> SSAValue | None:
        """True in the program that stores row results; None if all programs do."""
        if self.part.constant is not None or self.parts.count == 1:
            return None
        scalars = Scalars(self.block.add_op)
        return scalars.compare("eq", self.copy.indexed(self.part, self.block), scalars.constant(0, i64))

    def _part_of(self, op: LoopOp) -> LoopOp:
        """The loop `op` over the columns of this part."""
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
    """One stage as a kernel of its own; partial results pass through memory."""

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
