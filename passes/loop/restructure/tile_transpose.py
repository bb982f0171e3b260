"""tile-transpose: splits a flat loop into two axes, where accesses are contiguous along different axes.

    for p: out[p] = f(x[p mod N, p floordiv N])       neighbours of p are N apart in x
 -> for p, r: out[r, p] = f(x[p, r])                  tiles of p and r are coalesced in both

Rows take the axes along which the result is contiguous, and columns those along which a transposed load is, or the
other way round. All other axes go to one of the two. Axes that are contiguous in every access count as one. Elements
need not be neighbours in memory: it is enough that they share sectors, as those of a pooling's windows do.

Whether it pays, and with which axes as rows, is what the model of time predicts: lanes of a tile exchange what they
have, and a flat loop uses a part of the sectors that it moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from mlc_dialects.loop.dialect import KernelOp, StoreOp
from mlc_dialects.loop.schedule import TILES, ScheduleAttr
from mlc_support.index_expr import product, variable
from passes.common.device import SECTOR_BYTES, WIDEST_BYTES
from passes.common.launches import launches_by_name, replace_with_several
from passes.loop.analysis.axes import Axes, Steps, axes_of
from passes.loop.analysis.coalescing import Access, accesses, is_known
from passes.loop.analysis.kernel_rewriter import LoopCopy
from passes.loop.analysis.legality import demand, last_blocks_of
from passes.loop.schedule.forms import FormPass, Ranked
from passes.loop.schedule.tiling import FEWEST_COLUMNS

Sizes = tuple[int, ...]
"""The extents of a kernel's axes."""
Split = tuple[Axes, Sequence[int], Sequence[int]]
"""The axes that a kernel walks, and which of them rows and columns run over."""
FLAT = TILES[0]
"""The form without columns."""
UNUSUAL = {"stored": 0, "loaded": 1, "flat": 2, "batched": 2}
"""How unusual a form is: the last two take up to three and six times as long as predicted. Of 15 transposed kernels of
real programs on an H200 what is taken takes 1.09 times as long as the best, instead of 1.39 without a margin."""


@dataclass(frozen=True)
class TileTransposePass(FormPass):
    """Splits the loop of pointwise kernels with transposed loads or stores, where that is predicted to be quicker.

    MlcError says so where a schedule asks for tiles that a kernel cannot have. Loops of unknown size are left alone.
    """

    name = "tile-transpose"
    tile: str | None = None
    """Predict nothing: the axes of every kernel that can have them so, `flat`, `stored`, `batched` or `loaded`."""
    margin: int = 5
    """Percent of time that a form must gain over a more usual one."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        super().apply(ctx, op)
        launches = launches_by_name(op)
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            form = kernel.decided("tile")
            kernel.carried_out("tile")
            if form not in (None, FLAT):
                split = self.splits(kernel).get(str(form))
                demand(self.name, kernel, None if split else f"it has no tiles that are {form}")
                assert split is not None
                replace_with_several(kernel, [split_axes(kernel, *split)], [], launches[kernel.sym_name.data])

    def is_open(self, kernel: KernelOp) -> bool:
        return kernel.decided("tile") is None and bool(self.splits(kernel))

    def carry_out(self) -> tuple[ModulePass, ...]:
        return (TileTransposePass(device=self.device),)

    def ranked(self, kernel: KernelOp) -> Ranked:
        forms = [FLAT, *self.splits(kernel)]
        return self.by_time(kernel, [ScheduleAttr.of(tile=form) for form in forms if self.tile in (None, form)])

    def chosen(self, kernel: KernelOp) -> ScheduleAttr:
        def cautious(pair: tuple[float, ScheduleAttr]) -> float:
            return pair[0] * (1 + self.margin * UNUSUAL[str(pair[1].word("tile"))] / 100)

        return min(self.ranked(kernel), key=cautious, default=(0.0, ScheduleAttr.of()))[1]

    def splits(self, kernel: KernelOp) -> dict[str, Split]:
        """The tiles that a kernel can have; none of one without transposed accesses."""
        found = [a for a in accesses(kernel) if len(a.loops) == 1 and not a.is_indirect]
        axes = _joined_axes(kernel, found)
        runs = None if axes is None else _runs(kernel, found, axes)
        if axes is None or runs is None:
            return {}
        shape, (run, across) = axes.counts, runs
        rest = [d for d in range(len(shape)) if d not in run and d not in across]
        forms = {"stored": (run, [*rest, *across]), "loaded": ([*rest, *across], run)}
        if rest:
            forms["batched"] = ([*rest, *run], across)
        most = self.target.grid_limits[1] * FEWEST_COLUMNS
        return {name: (axes, *form) for name, form in forms.items() if _count(shape, form[1]) <= most}


def _runs(kernel: KernelOp, found: Sequence[Access], axes: Axes) -> tuple[list[int], list[int]] | None:
    """The axes along which what a kernel stores is contiguous, and those along which a transposed load is.

    What is the same along the former is read once for each of their elements: no tile is for that alone. With indirect
    indices it may be, for a tile has many loads in flight; but of unaligned rows only a flat loop stores vectors.
    """
    steps, shape = {access: axes.steps(access) for access in found}, axes.counts
    first = _heaviest(found, steps, shape)
    if first is None:
        return None
    stored = next(a for a in found if isinstance(a.op, StoreOp))
    is_aligned = shape[first] * stored.element_bytes % WIDEST_BYTES == 0
    along = (1,) if is_aligned and any(a.is_indirect for a in accesses(kernel)) else (0, 1)
    turned = [a for a in found if steps[a][first] not in along and densest_axis(a, steps[a]) != first]
    second = _heaviest(turned, steps, shape)
    if second is None:
        return None
    run = _run(list(steps.values()), first, [second], shape)
    return run, _run(list(steps.values()), second, run, shape)


def _joined_axes(kernel: KernelOp, found: Sequence[Access]) -> Axes | None:
    """The axes of a flat kernel that stores, joined where all of `found` walk them as one; None of another kernel.

    Where programs count their arrivals the loop stays, for it tells them apart.
    """
    stores = any(isinstance(a.op, StoreOp) for a in found)
    if kernel.rows.loops or not is_known(kernel) or not stores or last_blocks_of(kernel.rows):
        return None
    axes = axes_of(kernel, [kernel.rows])
    return None if axes is None else axes.joined(found)


def _count(shape: Sizes, axes: Sequence[int]) -> int:
    """The product of the axes' extents."""
    return prod(shape[d] for d in axes)


def densest_axis(access: Access, steps: Steps) -> int | None:
    """The axis along which an access is contiguous, else one whose neighbours share a sector; None without any.

    The windows of a pooling, `x[2 * p]` and `x[2 * p + 1]`, have neighbours a stride apart. Together they read whole
    sectors.
    """
    dense = {d: step for d, step in enumerate(steps) if step and 0 < step * access.element_bytes < SECTOR_BYTES}
    return min(reversed(dense), key=dense.__getitem__, default=None)


def _heaviest(found: Sequence[Access], steps: Mapping[Access, Steps], shape: Sizes) -> int | None:
    """The axis along which most bytes of `found` lie densest; stores count twice, and win ties."""
    weights: Counter[int] = Counter()
    written: Counter[int] = Counter()
    for access in found:
        axis = densest_axis(access, steps[access])
        if axis is not None:
            moved = prod(n for n, step in zip(shape, steps[access], strict=True) if step) * access.element_bytes
            stored = moved if isinstance(access.op, StoreOp) else 0
            weights[axis] += moved + stored
            written[axis] += stored
    return max(weights, key=lambda d: (weights[d], written[d], d), default=None)


def _run(steps: Sequence[Steps], first: int, without: Sequence[int], shape: Sizes) -> list[int]:
    """The axes up to `first`, `without` some, along which the densest accesses continue without a gap."""
    least = min(step for s in steps if (step := s[first] or 0) > 0)
    run, length = [first], shape[first] * least
    contiguous = [s for s in steps if s[first] == least]
    others = sorted({*range(len(shape))} - {first, *without})
    while outer := [d for d in others if d not in run and all(s[d] == length for s in contiguous)]:
        run.insert(0, outer[-1])
        length *= shape[outer[-1]]
    return run


def split_axes(
    kernel: KernelOp, axes: Axes, rows: Sequence[int], columns: Sequence[int]
) -> tuple[KernelOp, list[SSAValue]]:
    """`kernel` with its flat loop split into loops over the axes `rows` and `columns`, and the buffers that it has.

    Indices along axes of one place are read no more.
    """
    old = kernel.rows
    copy = LoopCopy(kernel, kernel.sym_name.data)
    row_count, column_count = (product(axes.sizes[d] for d in chosen) for chosen in (rows, columns))
    row_loop, column_loop = copy.nest({"p": row_count, "r": column_count}).values()
    position = axes.place([(variable("p", row_count), rows), (variable("r", column_count), columns)])
    copy.bind(old.index, position, {"p": row_loop.index, "r": column_loop.index})
    for op in old.body.block.ops:
        copy.op(op, column_loop.body.block)
    return copy.finish()
