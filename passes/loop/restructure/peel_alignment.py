"""peel-alignment: splits the columns of unaligned rows into a body of whole vectors and an edge.

    s = reduce over j of f(p, j)                            N columns, row p starts at element p * N
 -> e = reduce over k of f(p, k < h ? k : BODY + k)         the edge: the h columns before the body, and those after it
    b = reduce over r of f(p, h + r)                        the body: BODY columns from column h on
    s = e combined with b

h is the distance from the row's start to the next multiple of 16 elements. Then an instruction of the body loads 16
bytes, where an unaligned one loads one element. Vectorizing compilers peel loops in the same way (Larsen, Witchel and
Amarasinghe, 2002).

If the accesses of a row start at different offsets, h is 0, and BODY is the largest power of two below N, provided N is
little more: the row would otherwise occupy twice as many lanes as it has columns. In longer rows, data that is the same
for all rows (such as weights) stays unaligned: L2 serves it element by element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.common.index_syntax import operand_name
from mlc_dialects.common.reduction_kinds import COMBINE, FIRST, PAIRED, combined
from mlc_dialects.common.scalar_builder import Scalars
from mlc_dialects.loop.dialect import KernelOp, LoopOp, ParallelOp, ReduceOp
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.powers import power_of_two
from passes.common.device import DevicePass
from passes.loop.analysis.coalescing import Access, accesses, has_scan, is_coalesced_along_rows, widest_element
from passes.loop.analysis.kernel_rewriter import ROW, LoopCopy, with_loops
from passes.loop.analysis.legality import waiting_refusal
from passes.loop.analysis.partial_results import about, rescaled
from passes.loop.analysis.registers import resident_columns
from passes.loop.analysis.sums_over_rows import accumulated

LONGEST_EDGE = 8
"""A row is peeled to a power of two if its edge is at most one part in so many of its body."""


@dataclass(frozen=True)
class PeelAlignmentPass(DevicePass):
    """Peels unaligned rows of `shortest` bytes or more; those of up to `resident_columns` stay in registers.

    Not peeled are columns with an order (scans), an index that is a result (argmax) or a condition, and kernels in
    which lanes take rows. Kernels that accumulate over rows are peeled by a separate instance of the pass
    (`accumulating`), before persistent-rows: what they accumulate is stored by column, so that h is 0.
    """

    name = "peel-alignment"
    rounds_otherwise: ClassVar[bool] = True
    shortest: int = 4096
    """Shorter rows, in bytes, are left alone."""
    fewest: int | None = None
    """Fewer rows are left alone; none is one for each multiprocessor. They are latency-bound, and the edge adds
    latency."""
    vector: int = 16
    """A body starts and ends at multiples of so many elements, at least two; 16 is the largest divisibility that Triton
    uses."""
    accumulating: bool = False
    """Peel the kernels that accumulate over rows, and no others."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and k.warps is None]:
            cut = self._cut(kernel)
            if cut is not None:
                Rewriter.replace_op(kernel, peel(kernel, cut), [])

    @property
    def _fewest(self) -> int:
        return self.target.multiprocessors if self.fewest is None else self.fewest

    def _cut(self, kernel: KernelOp) -> Cut | None:
        """How the rows of `kernel` are cut; None to leave them whole."""
        if bool(accumulated(kernel)) != self.accumulating or peel_refusal(kernel, self.accumulating) is not None:
            return None
        outer, columns = kernel.rows, kernel.rows.loops[0].size.constant or 0
        long = [a for a in accesses(kernel) if any(loop is not outer for loop in a.loops)]
        if not self._pays(outer, columns, long):
            return None
        body = power_of_two(columns) // 2
        whole = (
            Cut(columns, body, True)
            if columns <= min(resident_columns(self.target), body + body // LONGEST_EDGE)
            else None
        )
        if self.accumulating:
            return whole
        # Best of all, an edge after which all are aligned; else all but what the rows share, which is in the cache.
        own = _read_by_row(long, outer)
        return self._aligned(outer, columns, long) or whole or self._aligned(outer, columns, own)

    def _pays(self, outer: ParallelOp, columns: int, found: Sequence[Access]) -> bool:
        """True if rows are long and unaligned, and as many as keep the device busy, for each waits once more."""
        few = outer.size.constant is not None and outer.size.constant < self._fewest
        long = columns * widest_element(found) >= self.shortest
        return long and not few and not all(a.is_aligned for a in found)

    def _aligned(self, outer: ParallelOp, columns: int, found: Sequence[Access]) -> Cut | None:
        """The cut whose body is aligned to `vector` elements in all of `found`; None if there is none."""
        start, vectors = common_start(outer, columns, found, self.vector), (columns - self.vector + 1) // self.vector
        if start is None or vectors < 1:
            return None
        return Cut(columns, vectors * self.vector, columns <= resident_columns(self.target), start, self.vector)


def _read_by_row(found: Sequence[Access], outer: ParallelOp) -> list[Access]:
    """Those of `found` whose place, or whether they are made at all, may differ from row to row."""
    return [a for a in found if outer in a.loops or not a.is_plain]


def peel_refusal(kernel: KernelOp, accumulating: bool) -> str | None:
    """Why the columns of a kernel cannot be cut into a body and an edge; None if they can.

    A kernel that reduces no row can only if it is `accumulating` over all of them.
    """
    loops = [op for op in kernel.rows.body.block.ops if op.regions]
    if not accumulating and not any(isinstance(op, ReduceOp) for op in loops):
        return "it reduces nothing"
    if not all(map(_is_peeled, loops)):
        return "a scan, a condition or the place of a column counts"
    sizes = {loop.size.constant for loop in kernel.rows.loops}
    if len(sizes) != 1 or None in sizes:
        return "its loops differ in their numbers of columns, or those are not known"
    if is_coalesced_along_rows(kernel.rows, list(accesses(kernel))):
        return "its rows are strided: neighbouring lanes take neighbouring rows"
    return waiting_refusal(kernel)


def _is_peeled(loop: Operation) -> bool:
    """True if `loop` uses all its columns, in any order, and not their indices."""
    if not isinstance(loop, ReduceOp | ParallelOp) or any(op.regions for op in loop.body.block.ops) or has_scan(loop):
        return False
    kinds = [kind.data for kind in loop.kinds] if isinstance(loop, ReduceOp) else []
    every = not isinstance(loop, ReduceOp) or loop.end.condition is None
    return every and all(kind in COMBINE or kind in PAIRED for kind in kinds)


@dataclass(frozen=True)
class Cut:
    """Columns cut into a body and an edge; `start` is the row's first element, None if the body starts there."""

    columns: int
    body: int
    resident: bool
    """True if a whole row is register-resident, else it is read block by block."""
    start: IndexExpr | None = None
    vector: int = 1

    @property
    def edge(self) -> int:
        return self.columns - self.body

    def body_column(self, r: IndexExpr) -> IndexExpr:
        """h + r, where h = ceil(start / vector) * vector - start"""
        if self.start is None:
            return r
        return (self.start + (self.vector - 1)) // self.vector * self.vector - self.start + r

    def edge_column(self, k: IndexExpr) -> IndexExpr:
        """k where k < h, else body + k: h = vector - 1 - (start + vector - 1) mod vector, and k - h < 2 * vector."""
        if self.start is None:
            return self.body + k
        less_h = k + (self.start + (self.vector - 1)) % self.vector - (self.vector - 1)
        return k + self.body * ((less_h + 2 * self.vector) // (2 * self.vector))


def common_start(outer: ParallelOp, columns: int, found: Sequence[Access], vector: int) -> IndexExpr | None:
    """The first element of each row, by the index ROW of `outer`, modulo `vector`; the same for all accesses.

    None if there is no such: if an access is strided or indirect, has another first element, or has a condition, which
    may change inside a vector.
    """
    column = variable("column", columns)
    starts: list[IndexExpr] = []
    for access in found:
        meaning = [variable(ROW, outer.size) if loop is outer else column for loop in access.loops]
        place = access.offset.substitute({operand_name(k): index for k, index in enumerate(meaning)})
        starts.append(place - column)
        if not access.is_plain or "column" in {v.name for v in starts[-1].variables()}:
            return None
    if not starts:
        return None
    first = starts[0]
    alike = all(c % vector == 0 for start in starts for _, c in (start - first).terms)
    return first if alike and first.has_no_negative_part() else None


def peel(kernel: KernelOp, cut: Cut) -> KernelOp:
    """`kernel` with each loop over columns split into two."""

    def peeled(copy: LoopCopy, op: LoopOp, block: Block) -> Sequence[SSAValue]:
        edge = copy.loop(op, "k", integer(cut.edge), cut.edge_column(variable("k", cut.edge)))
        body = copy.loop(op, "r", integer(cut.body), cut.body_column(variable("r", cut.body)))
        # Lanes that hold a row sum up the edge while the body arrives. Else what is read of the edge arrives during
        # the first block of the body (see triton-licm).
        for loop in (edge, body) if cut.resident and isinstance(op, ReduceOp) else (body, edge):
            block.add_op(loop)
        if isinstance(edge, ReduceOp) and isinstance(body, ReduceOp):
            return _joined(edge, body, cut, Scalars(block.add_op))
        return []

    return with_loops(kernel, peeled)


def _joined(edge: ReduceOp, body: ReduceOp, cut: Cut, scalars: Scalars) -> list[SSAValue]:
    """The results of the whole row, from those of edge and body."""
    found: list[SSAValue] = []
    for (kind, _, one), (_, _, other) in zip(edge.parts, body.parts, strict=True):
        first = scalars.op(combined(FIRST.get(kind, kind), one[0], other[0]))
        found.append(first)
        if kind in PAIRED:
            terms = _second(kind, first, [one, other], cut, scalars, edge.approx is not None)
            found.append(scalars.op(arith.AddfOp(terms[0], terms[1])))
    return found


def _second(
    kind: str, first: SSAValue, parts: Sequence[Sequence[SSAValue]], cut: Cut, scalars: Scalars, approx: bool
) -> list[SSAValue]:
    """The contributions of edge and body to the row's second result; its first result is `first`."""
    if kind == "softmax":
        return [rescaled(scalars, part, first, approx) for part in parts]
    counts = [scalars.constant(n, first.type) for n in (cut.edge, cut.body)]
    return [about(scalars, part, n, first, cut.columns) for part, n in zip(parts, counts, strict=True)]
