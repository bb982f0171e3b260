"""memory-order: the normal form of a kernel's axes, in the order of memory.

    for n, c, h, w in N, C, H, W: out[n, c, h, w] = f(x[n, c, h, w])   channels-last in memory
 -> for i in N * H * W * C:       out at i        = f(x at i)

An axis is cut where addresses divide the position along it, the axes are sorted, and neighbours are merged that lie
next to each other in all that is read and written. As few are left as it takes for addresses to divide none of them:
one for a pointwise kernel over tensors of one order, three for channels-first beside channels-last, two reduced ones
for the statistics of a channels-first batch. They are called i, j, k, ..., those of the rows first.

The rows of a kernel have one order and its columns another: the same for all loops over columns, so that each reads
what the one before it read. Loops whose iterations have an order (scans, argmax) keep it.
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

from mlc_dialects.common.index_syntax import axis_names
from mlc_dialects.loop.dialect import KernelOp, LoopOp, ReduceOp, StoreOp
from mlc_support.index_expr import IndexExpr, variable
from passes.loop.analysis.axes import Axes, Sizes, Steps, axes_of
from passes.loop.analysis.axis_change import NewAxes, change_axes, is_as_lowered, linearize_axes
from passes.loop.analysis.coalescing import SECTOR_BYTES, accesses, has_scan
from passes.loop.analysis.kernel_rewriter import LoopCopy

Group = tuple[tuple[LoopOp, ...], Axes | None]
"""Loops of one extent with the axes of their index, which have no name yet; None where their cuts are no chain."""
Order = tuple[int, ...]
"""The axes of a loop, the outermost first."""


@dataclass(frozen=True)
class MemoryOrderPass(ModulePass):
    """Sorts the axes of loops by the strides of an access, if that moves fewer sectors.

    Candidates are the orders of all accesses; the one that moves the fewest bytes in whole sectors wins. Ties go to the
    order in which most stored bytes, and then most loaded bytes, are contiguous across axes.
    """

    name = "memory-order"
    rounds_otherwise: ClassVar[bool] = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and is_as_lowered(k)]:
            given = [loop.sizes for loop in (kernel.rows, *kernel.rows.loops)]
            linearize_axes(kernel)
            groups = _groups(kernel)
            orders = _best(kernel, [_movable(*group) for group in groups])
            if not orders:
                _split(kernel, groups, given)
                continue
            ordered = reordered(kernel, orders)
            _split(ordered, _groups(ordered), given)
            Rewriter.replace_op(kernel, ordered, [])


def _groups(kernel: KernelOp) -> list[Group]:
    """The loop over the rows, and those over columns of each extent."""
    columns: dict[IndexExpr, list[LoopOp]] = {}
    for loop in kernel.rows.loops:
        columns.setdefault(loop.size, []).append(loop)
    return [(tuple(loops), axes_of(kernel, loops)) for loops in ([kernel.rows], *columns.values())]


def _movable(loops: tuple[LoopOp, ...], axes: Axes | None) -> Axes:
    """The axes of a group that may change places: one if the order is fixed."""
    return Axes(loops, (loops[0].size,)) if axes is None or any(map(_is_ordered, loops)) else axes


def _split(kernel: KernelOp, groups: Sequence[Group], given: Sequence[Sizes]) -> None:
    """Gives the loops of each group its axes, or where it has none those that they were `given`, in the kernel's order.

    Those of the rows come first, and have the first names.
    """
    place = {loop: k for k, loop in enumerate((kernel.rows, *kernel.rows.loops))}
    changes: dict[LoopOp, NewAxes] = {}
    for loops, axes in groups:
        for loop in loops:
            sizes = given[place[loop]] if axes is None else axes.sizes or (loop.size,)
            first = len(changes[kernel.rows].sizes) if changes else 0
            changes[loop] = NewAxes(axis_names(first, len(sizes)), sizes)
    change_axes(kernel, changes)


def _is_ordered(loop: LoopOp) -> bool:
    """True if there is only one order, or the result depends on it."""
    places = isinstance(loop, ReduceOp) and any(kind.data.startswith("arg") for kind in loop.kinds)
    return places or has_scan(loop) or loop.size.constant == 0


def _best(kernel: KernelOp, groups: Sequence[Axes]) -> list[tuple[Axes, Order]]:
    """The axes whose order changes, each with its new order."""
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
    """The strides of equal accesses of a kernel along the axes of each group of loops."""

    counts: tuple[tuple[int, ...], ...]
    steps: tuple[Steps, ...]
    element_bytes: int
    is_store: bool
    alike: int = 1

    @property
    def moved(self) -> int:
        """The bytes touched; stores count twice."""
        pairs = zip(chain(*self.counts), chain(*self.steps), strict=True)
        places = prod(count for count, step in pairs if step != 0)
        return places * self.element_bytes * self.alike * (2 if self.is_store else 1)

    def sectors(self, orders: Sequence[Order]) -> int:
        """The bytes moved in whole sectors; a sector is filled by contiguous elements along rows or columns."""
        runs = [_run(counts, s, o) for counts, s, o in zip(self.counts, self.steps, orders, strict=True)]
        return self.moved * max(1, SECTOR_BYTES // (max(runs) * self.element_bytes))

    def breaks(self, orders: Sequence[Order]) -> int:
        """The bytes touched, times the number of axes at which they are not contiguous with the next."""
        gaps = 0
        for counts, steps, order in zip(self.counts, self.steps, orders, strict=True):
            for outer, inner in pairwise(order):
                before, after = steps[outer], steps[inner]
                gaps += before is None or after is None or before != after * counts[inner]
        return self.moved * gaps


def _walks(kernel: KernelOp, groups: Sequence[Axes]) -> list[Walk]:
    """The walks of all accesses of a kernel; equal ones are merged."""
    counts = tuple(axes.counts for axes in groups)
    found = Counter(
        Walk(counts, tuple(axes.steps(a) for axes in groups), a.element_bytes, isinstance(a.op, StoreOp))
        for a in accesses(kernel)
    )
    return [replace(walk, alike=alike) for walk, alike in found.items()]


def _run(counts: Sequence[int], steps: Steps, order: Order) -> int:
    """The number of contiguous elements, from the innermost axis on; axes of stride 0 are skipped."""
    run = 1
    for axis in reversed(order):
        step = steps[axis]
        if step is None or abs(step) > run:
            break
        run += abs(step) * (counts[axis] - 1)
    return run


def _order(found: Sequence[Walk], first: int, group: int) -> Order:
    """The axes of a group by the strides of the walk `first`, largest first; other walks break ties.

    Axes of stride 0 come first.
    """
    order = list(range(len(found[first].counts[group])))
    for walk in (*(w for w in reversed(found) if w is not found[first]), found[first]):
        steps = walk.steps[group]
        order.sort(key=lambda d: (bool(steps[d]), -abs(steps[d] or 0)))
    return tuple(order)


def _cost(found: Sequence[Walk], orders: Sequence[Order]) -> tuple[int, int, int]:
    """What orders are compared by: bytes in whole sectors, then breaks of stores, then of loads."""
    gaps = [sum(w.breaks(orders) for w in found if w.is_store == stored) for stored in (True, False)]
    return sum(walk.sectors(orders) for walk in found), gaps[0], gaps[1]


def reordered(kernel: KernelOp, orders: Sequence[tuple[Axes, Order]]) -> KernelOp:
    """`kernel` with the axes of some loops in another order."""
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
