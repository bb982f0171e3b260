"""tile-transpose: splits a flat loop into two axes, where accesses are contiguous along different axes.

    for p: out[p] = f(x[p mod N, p floordiv N])       neighbours of p are N apart in x
 -> for p, r: out[r, p] = f(x[p, r])                  tiles of p and r are coalesced in both

The rows take the axes along which the result is contiguous, the columns those along which a transposed load is. All
other axes go to one of the two. Axes that are contiguous in every access count as one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.loop.dialect import KernelOp, StoreOp
from mlc_support.index_expr import product, variable
from passes.common.device import WIDEST_BYTES
from passes.loop.analysis.axes import Axes, Steps, axes_of
from passes.loop.analysis.coalescing import Access, accesses
from passes.loop.analysis.kernel_rewriter import LoopCopy

Sizes = tuple[int, ...]
"""The extents of a kernel's axes."""


@dataclass(frozen=True)
class TileTransposePass(ModulePass):
    """Splits the loop of pointwise kernels with transposed loads or stores."""

    name = "tile-transpose"
    shortest: int = 8
    """Contiguous runs of fewer elements, or of unknown size, are left alone."""
    tile: int = 64
    """Columns of a block."""
    most_columns: int = 1 << 20
    """The most columns: the grid's second axis is limited."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            split = self._split(kernel)
            if split is not None:
                Rewriter.replace_op(kernel, split_axes(kernel, *split), [])

    def _split(self, kernel: KernelOp) -> tuple[Axes, list[int], list[int]] | None:
        """The axes that the kernel walks, and which of them rows and columns run over; None to leave it."""
        found = [a for a in accesses(kernel) if len(a.loops) == 1 and not a.is_indirect]
        axes = _joined_axes(kernel, found)
        if axes is None:
            return None
        steps, shape = {access: axes.steps(access) for access in found}, axes.counts
        first = _heaviest(found, steps, shape)
        if first is None:
            return None
        along = _steps_along(kernel, found, shape[first])
        second = _heaviest([a for a in found if steps[a][first] not in along], steps, shape)
        if second is None:
            return None
        run = _run(list(steps.values()), first, [second], shape)
        across = _run(list(steps.values()), second, run, shape)
        if min(_count(shape, run), _count(shape, across)) < self.shortest:
            return None
        return axes, *self._rows_and_columns(shape, run, across)

    def _rows_and_columns(self, shape: Sizes, run: list[int], across: list[int]) -> tuple[list[int], list[int]]:
        """Which axes rows and columns run over: those of the `run` along one, those `across` along the other."""
        rest = [d for d in range(len(shape)) if d not in run and d not in across]
        if _count(shape, across) % self.tile == 0 and _count(shape, [*rest, *across]) <= self.most_columns:
            return run, [*rest, *across]  # neighbouring programs write neighbouring lines
        if _count(shape, across) > self.most_columns:
            return [*rest, *across], run
        return [*rest, *run], across


def _joined_axes(kernel: KernelOp, found: Sequence[Access]) -> Axes | None:
    """The axes of a flat kernel that stores, joined where all of `found` walk them as one; None of another kernel."""
    stores = any(isinstance(a.op, StoreOp) for a in found)
    if kernel.rows.loops or not kernel.rows.size.constant or not stores:
        return None
    axes = axes_of(kernel, [kernel.rows])
    return None if axes is None else axes.joined(found)


def _steps_along(kernel: KernelOp, found: Sequence[Access], length: int) -> tuple[int, ...]:
    """The steps of accesses that need no tile, along the axis, of `length`, in which stores are contiguous.

    What is the same in a row is read once for each row. With indirect indices a tile has many loads in flight, so that
    it pays even then, unless rows begin unaligned: only a flat loop has wide stores there.
    """
    store = next(a for a in found if isinstance(a.op, StoreOp))
    aligned = length * store.element_bytes % WIDEST_BYTES == 0
    return (1,) if aligned and any(a.is_indirect for a in accesses(kernel)) else (0, 1)


def _count(shape: Sizes, axes: Sequence[int]) -> int:
    """The product of the axes' extents."""
    return prod(shape[d] for d in axes)


def contiguous_axis(steps: Steps, shape: Sizes) -> int | None:
    """The axis along which memory is contiguous; None if there is none."""
    return next((d for d in reversed(range(len(shape))) if steps[d] == 1), None)


def _heaviest(found: Sequence[Access], steps: Mapping[Access, Steps], shape: Sizes) -> int | None:
    """The axis along which most bytes of `found` are contiguous; stores count twice, and win ties."""
    weights: Counter[int] = Counter()
    written: Counter[int] = Counter()
    for access in found:
        axis = contiguous_axis(steps[access], shape)
        if axis is not None:
            moved = prod(n for n, step in zip(shape, steps[access], strict=True) if step) * access.element_bytes
            stored = moved if isinstance(access.op, StoreOp) else 0
            weights[axis] += moved + stored
            written[axis] += stored
    return max(weights, key=lambda d: (weights[d], written[d], d), default=None)


def _run(steps: Sequence[Steps], first: int, without: Sequence[int], shape: Sizes) -> list[int]:
    """The axes up to `first`, `without` some, along which contiguous accesses continue without a gap."""
    run, length = [first], shape[first]
    contiguous = [s for s in steps if s[first] == 1]
    others = [d for d in range(len(shape)) if d != first and d not in without]
    while outer := [d for d in others if d not in run and all(s[d] == length for s in contiguous)]:
        run.insert(0, outer[-1])
        length *= shape[outer[-1]]
    return run


def split_axes(kernel: KernelOp, axes: Axes, rows: Sequence[int], columns: Sequence[int]) -> KernelOp:
    """`kernel` with its flat loop split into loops over the axes `rows` and `columns`."""
    old = kernel.rows
    copy = LoopCopy(kernel, kernel.sym_name.data)
    row_count, column_count = (product(axes.sizes[d] for d in chosen) for chosen in (rows, columns))
    row_loop, column_loop = copy.nest({"p": row_count, "r": column_count}).values()
    position = axes.place([(variable("p", row_count), rows), (variable("r", column_count), columns)])
    copy.bind(old.index, position, {"p": row_loop.index, "r": column_loop.index})
    for op in old.body.block.ops:
        copy.op(op, column_loop.body.block)
    return copy.finish()[0]
