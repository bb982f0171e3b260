"""memory-order: the axes of a loop run in the order in which memory does.

    for p in N * C * HW: out[(p floordiv HW) mod C + ...] = f(x[(p floordiv HW) mod C + ...])   channels last in memory
 -> for p in N * HW * C: out[p] = f(x[p])

Axes that lie next to each other in memory come together, and their divisions go away. The rows of a kernel have an
order, and so have its columns: one for all loops over them, so that what one loop reads is what the next reads again.
Loops whose iterations count in their order (scans, argmax) keep it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, product
from math import prod
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.loop.dialect import KernelOp, LoopOp, ParallelOp, ReduceOp, StoreOp
from mlc_support.index_expr import IndexExpr, variable
from passes.loop.analysis.axes import Axes, Steps, axes_of
from passes.loop.analysis.coalescing import SECTOR_BYTES, accesses, has_scan
from passes.loop.analysis.kernel_rewriter import LoopCopy

Order = tuple[int, ...]
"""The axes of a loop, the outermost first."""


@dataclass(frozen=True)
class MemoryOrderPass(ModulePass):
    """Sorts the axes that loops run over by the strides of what they read and write, where that moves fewer sectors.

    The order is that of an access for which all of them together move the fewest bytes, in whole sectors; of those
    as good, the one in which most of what is stored, and then of what is loaded, goes on from one axis to the next.
    """

    name = "memory-order"
    rounds_otherwise: ClassVar[bool] = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and _is_as_lowered(k)]:
            orders = _best(kernel, _groups(kernel))
            if orders:
                Rewriter.replace_op(kernel, reordered(kernel, orders), [])


def _is_as_lowered(kernel: KernelOp) -> bool:
    """True if there are rows, and maybe loops over their columns, and no schedule yet."""
    loops = [op for op in kernel.walk() if isinstance(op, LoopOp)]
    plain = all(isinstance(loop, ParallelOp | ReduceOp) for loop in loops)
    return kernel.warps is None and plain and len(loops) == 1 + len(kernel.rows.loops)


def _groups(kernel: KernelOp) -> list[Axes]:
    """The axes of the rows, and of the loops over columns of each extent; one axis for those in no other order."""
    columns: dict[IndexExpr, list[LoopOp]] = {}
    for loop in kernel.rows.loops:
        columns.setdefault(loop.size, []).append(loop)
    groups: list[Axes] = []
    for loops in ([kernel.rows], *columns.values()):
        axes = None if any(map(_is_ordered, loops)) else axes_of(kernel, loops)
        groups.append(axes or Axes(tuple(loops), (loops[0].size,)))
    return groups


def _is_ordered(loop: LoopOp) -> bool:
    """True if there is nothing to order, or a result depends on which iteration comes first."""
    places = isinstance(loop, ReduceOp) and any(kind.data.startswith("arg") for kind in loop.kinds)
    return places or has_scan(loop) or loop.size.constant == 0


def _best(kernel: KernelOp, groups: Sequence[Axes]) -> list[tuple[Axes, Order]]:
    """The axes whose order is to change, each with the new one."""
    if all(len(axes.sizes) < 2 for axes in groups):
        return []
    found = sorted(_walks(kernel, groups), key=lambda walk: -walk.moved)
    own = [tuple(range(len(axes.sizes))) for axes in groups]
    choices = [
        list(dict.fromkeys([order, *(_order(found, k, group) for k in range(len(found)))]))
        for group, order in enumerate(own)
    ]
    best = min(product(*choices), key=lambda orders: _cost(found, orders))
    return [(axes, new) for axes, old, new in zip(groups, own, best, strict=True) if new != old]


@dataclass(frozen=True)
class Walk:
    """How some accesses of a kernel, all alike, move along the axes of each group of loops."""

    counts: tuple[tuple[int, ...], ...]
    steps: tuple[Steps, ...]
    element_bytes: int
    is_store: bool
    alike: int = 1

    @property
    def moved(self) -> int:
        """The bytes that they touch, those written counted twice."""
        pairs = zip(chain(*self.counts), chain(*self.steps), strict=True)
        places = prod(count for count, step in pairs if step != 0)
        return places * self.element_bytes * self.alike * (2 if self.is_store else 1)

    def sectors(self, orders: Sequence[Order]) -> int:
        """The bytes that they move in whole sectors; one is filled by what lies side by side along rows or columns."""
        runs = [_run(counts, s, o) for counts, s, o in zip(self.counts, self.steps, orders, strict=True)]
        return self.moved * max(1, SECTOR_BYTES // (max(runs) * self.element_bytes))

    def breaks(self, orders: Sequence[Order]) -> int:
        """The bytes that they touch, as often as these do not go on from one axis to the next one out."""
        gaps = 0
        for counts, steps, order in zip(self.counts, self.steps, orders, strict=True):
            for outer, inner in pairwise(order):
                before, after = steps[outer], steps[inner]
                gaps += before is None or after is None or before != after * counts[inner]
        return self.moved * gaps


def _walks(kernel: KernelOp, groups: Sequence[Axes]) -> list[Walk]:
    """How all that a kernel reads and writes moves; what moves alike is one."""
    counts = tuple(axes.counts for axes in groups)
    found = Counter(
        Walk(counts, tuple(axes.steps(a) for axes in groups), a.element_bytes, isinstance(a.op, StoreOp))
        for a in accesses(kernel)
    )
    return [replace(walk, alike=alike) for walk, alike in found.items()]


def _run(counts: Sequence[int], steps: Steps, order: Order) -> int:
    """How many elements lie side by side from the innermost axis on; axes that do not move are passed over."""
    run = 1
    for axis in reversed(order):
        step = steps[axis]
        if step is None or abs(step) > run:
            break
        run += abs(step) * (counts[axis] - 1)
    return run


def _order(found: Sequence[Walk], first: int, group: int) -> Order:
    """The axes of a group by the strides of the walk `first`, the greatest outermost; others break ties.

    Axes along which it does not move come first.
    """
    order = list(range(len(found[first].counts[group])))
    for walk in (*(w for w in reversed(found) if w is not found[first]), found[first]):
        steps = walk.steps[group]
        order.sort(key=lambda d: (bool(steps[d]), -abs(steps[d] or 0)))
    return tuple(order)


def _cost(found: Sequence[Walk], orders: Sequence[Order]) -> tuple[int, int, int]:
    """What is compared: bytes in whole sectors, then gaps in what is stored, then in what is loaded."""
    gaps = [sum(w.breaks(orders) for w in found if w.is_store == stored) for stored in (True, False)]
    return sum(walk.sectors(orders) for walk in found), gaps[0], gaps[1]


def reordered(kernel: KernelOp, orders: Sequence[tuple[Axes, Order]]) -> KernelOp:
    """`kernel` with the axes of some of its loops in other orders."""
    changed = {loop: (axes, order) for axes, order in orders for loop in axes.loops}
    copy, old = LoopCopy(kernel, kernel.sym_name.data), kernel.rows

    def place(loop: LoopOp, name: str) -> IndexExpr:
        index = variable(name, loop.size)
        return changed[loop][0].place([(index, changed[loop][1])]) if loop in changed else index

    rows = copy.outer(old.size, old.index.name_hint or "p")
    copy.bind(old.index, place(old, "p"), {"p": rows.index})
    for op in old.body.block.ops:
        if not isinstance(op, LoopOp):
            copy.op(op, rows.body.block)
            continue
        loop = copy.loop(op, "r", op.size, place(op, "r"))
        loop.index.name_hint = op.index.name_hint
        rows.body.block.add_op(loop)
        for before, after in zip(op.results, loop.results, strict=True):
            copy.values[before] = after
            after.name_hint = before.name_hint
    return copy.finish()[0]
