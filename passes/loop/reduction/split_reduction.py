"""split-reduction: a kernel becomes kernels over parts of its rows, for more programs than there are rows.

    s[p] = reduce over r of f(p, r)                        R columns, few rows
 -> part[p, i] = reduce over k of f(p, i * C + k)          parts * rows programs, C = R / parts
    s[p] = reduce over i of part[p, i]

Each reduction that needs an earlier one's result starts a new stage: a kernel that first combines the parts of the
stages before it. Results for every (p, r) are stored by the first stage that can compute them, part by part; row
results by the last stage. Sums are reassociated, as in every parallel reduction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from mlc_dialects.common.buffers import buffer_type
from mlc_dialects.common.scalar_builder import Scalars
from mlc_dialects.loop.dialect import AtomicOp, KernelOp, LoadOp, LoopOp, ParallelOp, ReduceOp, StoreOp
from mlc_dialects.loop.host import AllocOp, LaunchOp
from mlc_dialects.loop.memory import divisors
from mlc_dialects.loop.schedule import TILING
from mlc_dialects.triton.types import LANES
from mlc_support.index_expr import IndexExpr, integer, variable
from passes.common.launches import launches_by_name, replace_with_several
from passes.loop.analysis.coalescing import accesses, lies_along_rows, scans
from passes.loop.analysis.kernel_rewriter import LoopCopy, index_of
from passes.loop.analysis.legality import demand, split_refusal
from passes.loop.analysis.partial_results import Partial, Parts, PartsReader, asked_part, parts_of
from passes.loop.reduction.depths import Depths, taken
from passes.loop.reduction.online_reduction import join_reductions, reductions
from passes.loop.reduction.shifted_variance import shift_sums

SHORTEST_STEP = 2048
"""The fewest columns for a program of the last stage, which only stores."""


@dataclass(frozen=True)
class SplitReductionPass(ModulePass):
    """Splits the rows of kernels whose schedule gives a `part`, exchanged through memory.

    MlcError says why, where that is not possible.
    """

    name = "split-reduction"
    rounds_otherwise: ClassVar[bool] = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = launches_by_name(op)
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and not scans(k)]:
            length = asked_part(kernel, "memory")
            if length is not None:
                demand(self.name, kernel, split_refusal(kernel))
                # No program waits for another: neighbours may take neighbouring rows for the sake of little memory.
                row_lanes = lies_along_rows(kernel.rows, list(accesses(kernel)))
                parts = replace(parts_of(kernel, length), row_lanes=row_lanes)
                join_reductions(kernel)
                if not parts.row_lanes:
                    shift_sums(reductions(kernel), LANES)
                split(kernel, parts, launches[kernel.sym_name.data])


def split(kernel: KernelOp, parts: Parts, launches: Sequence[LaunchOp]) -> None:
    """Replaces `kernel` and its launches by one kernel for each stage, and their launches."""
    stages = Stages(kernel, parts)
    built = [StageKernel(stages, number).copy.finish() for number in range(1, stages.last + 1)]
    for number, (stage, _) in enumerate(built):
        stage.carried_out("online", "part", "exchange", *(TILING if number else ()))
    replace_with_several(kernel, built, stages.buffers, launches)


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
        buffers = [AllocOp(buffer_type(shape, r.type)).buffer for r in results]
        for buffer in buffers:
            buffer.name_hint = "partial"
        return Partial(kind, buffers, op.approx is not None)


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
        parts = self.stages.parts
        reader = PartsReader(parts.count, self.block, self.copy.indices, self._read_row, parts)
        for (results, _), values in zip(found, reader.combine([p for _, p in found]), strict=True):
            for old, new in zip(results, values, strict=True):
                self.copy.values[old] = new
                new.name_hint = old.name_hint

    def _read_row(self, buffer: SSAValue, part: IndexExpr, indices: Mapping[str, SSAValue]) -> Operation:
        return self.read(buffer, (self.row, part), indices)

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
