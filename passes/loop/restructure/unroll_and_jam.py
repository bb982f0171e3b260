"""unroll-and-jam: one iteration computes several neighbouring results, and loads what their windows share once.

    for k, l in W, C:     out[k, l] = x[k, l] * w[0, l] + x[k + 1, l] * w[1, l]
 -> for k, l in W / 2, C: out[2 * k, l] = x[2 * k, l] * w[0, l] + x[2 * k + 1, l] * w[1, l]
                          out[2 * k + 1, l] = x[2 * k + 1, l] * w[0, l] + x[2 * k + 2, l] * w[1, l]

Four loads of x become three, and those of w two; so do conversions. Convolutions of few channels, pooling and stencils
are bound by instructions and by L1, not by memory. Known as register tiling; the copies of a body are interleaved op by
op (Allen and Cocke, 1972; Callahan, Carr and Kennedy, 1990), so that what they share is used soon after it is loaded.

Axes along which an access is contiguous stay: there lanes load vectors. The factors divide the extents.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.common.index_syntax import axis_names
from mlc_dialects.loop.dialect import IndirectIndexOp, KernelOp, LoadOp, ParallelOp, StoreOp
from mlc_dialects.loop.schedule import ScheduleAttr
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer, variable
from passes.loop.analysis.coalescing import is_known
from passes.loop.analysis.kernel_rewriter import LoopCopy
from passes.loop.analysis.legality import demand
from passes.loop.analysis.window_loads import (
    Factors,
    common_work_of,
    jam_refusal,
    loads_of,
    overlap_of,
    strided_axes,
)
from passes.loop.common_loads import merge_common
from passes.loop.restructure.linearize_axes import LinearizeAxesPass
from passes.loop.restructure.persistent_rows import PersistentRowsPass
from passes.loop.restructure.tile_transpose import TileTransposePass
from passes.loop.schedule.forms import FormPass, Ranked, least
from passes.loop.schedule.model import FITTED

Form = tuple[int, int]
"""How many neighbouring results an iteration computes along either of two axes."""
ALONE: Form = (1, 1)
"""The form without neighbours."""
MOST = 8
"""Neighbours along one axis, at the most."""
MOST_OPS = 8192
"""Copied ops: longer code takes longer to compile than it saves."""


@dataclass(frozen=True)
class UnrollAndJamPass(FormPass):
    """Unrolls the axes of pointwise kernels along which neighbours share loads, where that is predicted to be quicker.

    MlcError says so where a schedule asks for what a kernel cannot have.
    """

    name = "unroll-and-jam"
    unroll: tuple[int, ...] | None = None
    """Predict nothing: so many neighbours along each of two axes, of every kernel that can."""
    margin: int = 5
    """Percent of time that it must gain."""
    bound: int = 75
    """Percent of the time of a kernel that memory alone takes, from which on nothing else is predicted."""
    shared: int = 25
    """Percent of the loads from its window, or of its arithmetic, that a result must save; else none is predicted."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        super().apply(ctx, op)
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            form = kernel.decided("unroll")
            kernel.carried_out("unroll")
            if isinstance(form, tuple) and form != ALONE:
                axes = _axes(kernel)
                demand(self.name, kernel, _refusal(kernel, axes, form))
                small = kernel.clone()
                merge_common(small)  # fewer ops to copy
                Rewriter.replace_op(kernel, jammed(small, _factors(axes, form)), [])

    def is_open(self, kernel: KernelOp) -> bool:
        if kernel.decided("unroll") is not None:
            return False
        if self.unroll is not None:
            return _refusal(kernel, _axes(kernel), _pair(self.unroll)) is None
        return any(True for _ in self._overlapping(kernel))

    def carry_out(self) -> tuple[ModulePass, ...]:
        # A persistent loop hoists what its iterations have in common, be it one result at once or several.
        later = (TileTransposePass(device=self.device), PersistentRowsPass(device=self.device))
        return UnrollAndJamPass(device=self.device), LinearizeAxesPass(), *later

    def ranked(self, kernel: KernelOp) -> Ranked:
        """One result at once, and but where memory bounds that the neighbours whose results load least."""
        if self.unroll is not None:
            return [(0.0, _form(_pair(self.unroll)))]
        (alone,) = self.built(kernel, _form(ALONE))
        own = least(alone, self.target)
        if own is None or 100 * (FITTED.launch + own.parts["memory"]) >= self.bound * own.us:
            return [(0.0, _form(ALONE))]
        other = _form(self._of_least_loads(kernel))
        return sorted([(own.us, _form(ALONE)), (self.us(kernel, other), other)], key=lambda pair: pair[0])

    def chosen(self, kernel: KernelOp) -> ScheduleAttr:
        ranked = self.ranked(kernel)
        alone = next((us for us, form in ranked if form == _form(ALONE)), float("inf"))
        us, form = ranked[0]
        return form if us * (100 + self.margin) < alone * 100 else _form(ALONE)

    def _overlapping(self, kernel: KernelOp) -> Iterator[Form]:
        """The legal forms whose neighbours share enough of their windows, or of their arithmetic."""
        if jam_refusal(kernel) is None and is_known(kernel):
            axes = _axes(kernel)
            for form in _dividing(kernel, axes):
                if form != ALONE and 100 * _saved(kernel, _factors(axes, form)) >= self.shared:
                    yield form

    def _of_least_loads(self, kernel: KernelOp) -> Form:
        """The form of an open kernel whose results load least; of equals that along the inner axis, near in memory.

        Only this one is predicted: that takes as long as lowering a kernel.
        """

        def cost(form: Form) -> tuple[float, int]:
            return loads_of(kernel, _factors(axes, form)) / prod(form), form[0]

        axes = _axes(kernel)
        return min(self._overlapping(kernel), key=cost)


def _saved(kernel: KernelOp, factors: Factors) -> float:
    """Which share of the loads from its window, or of its arithmetic, a result saves."""
    return max(overlap_of(kernel, factors), common_work_of(kernel, factors))


def _form(numbers: Form) -> ScheduleAttr:
    return ScheduleAttr.of(unroll=numbers)


def _pair(numbers: Sequence[int]) -> Form:
    """MlcError for an option that is no two numbers."""
    if len(numbers) != 2 or min(numbers) < 1:
        raise MlcError(f"unroll-and-jam: unroll is {', '.join(map(str, numbers))}", hint="give two numbers, as in 1,4")
    return numbers[0], numbers[1]


def _axes(kernel: KernelOp) -> tuple[int, ...]:
    """The axes that the numbers of a form are of, the outer one first."""
    return strided_axes(kernel)[-2:]


def _factors(axes: Sequence[int], form: Form) -> Factors:
    """The neighbours along each axis; where there is one axis, the second number counts."""
    return dict(zip(axes, form[len(form) - len(axes) :], strict=True))


def _dividing(kernel: KernelOp, axes: Sequence[int]) -> Iterator[Form]:
    """The forms of few neighbours whose numbers divide the extents."""
    extents = [1] * (2 - len(axes)) + [kernel.rows.sizes[d].constant or 1 for d in axes]
    most = min(MOST, MOST_OPS // max(1, len(kernel.rows.body.block.ops)))
    choices = [[n for n in range(1, MOST + 1) if extent % n == 0] for extent in extents]
    return ((r, c) for r, c in product(*choices) if r * c <= max(1, most))


def _refusal(kernel: KernelOp, axes: Sequence[int], form: Form) -> str | None:
    """Why a kernel cannot have a form; None if it can."""
    refusal = jam_refusal(kernel)
    if refusal is not None:
        return refusal
    if any(n > 1 for n in form[: len(form) - len(axes)]):
        return f"nothing is contiguous along {len(axes)} of its axes only"
    for d, n in _factors(axes, form).items():
        if kernel.rows.sizes[d] % n != integer(0):
            return f"an axis of {kernel.rows.sizes[d]} is no multiple of {n}"
    return None


def jammed(kernel: KernelOp, factors: Factors) -> KernelOp:
    """`kernel` with iterations that compute `factors` neighbours, op by op."""
    old = kernel.rows
    copy = LoopCopy(kernel, kernel.sym_name.data)
    sizes = {_axis_name(d): size // factors.get(d, 1) for d, size in enumerate(old.sizes)}
    rows = copy.axes(sizes)
    for index, name in zip(rows.indices, axis_names(0, len(sizes)), strict=True):
        index.name_hint = name
    twins: list[LoopCopy] = []
    for offsets in product(*map(range, factors.values())):
        twins.append(copy.twin())
        for index, meaning in _meaning_of(old, factors, offsets).items():
            twins[-1].bind(index, meaning, {})
    written = {op.buffer for op in old.body.block.ops if isinstance(op, StoreOp)}
    made: dict[Hashable, Operation] = {}
    for op in old.body.block.ops:
        stays = isinstance(op, StoreOp | IndirectIndexOp) or (isinstance(op, LoadOp) and op.buffer in written)
        for twin in twins:
            if stays:
                twin.op(op, rows.body.block)
            else:
                twin.op_once(op, rows.body.block, made)
    merge_common(copy.kernel)
    found, _ = copy.finish()
    found.explain(_reason(kernel, factors))
    return found


def _reason(kernel: KernelOp, factors: Factors) -> str:
    """What an iteration computes at once, and what that saves."""
    shape, count = " x ".join(str(n) for n in factors.values() if n > 1), prod(factors.values())
    return f"{shape} neighbours at once: {loads_of(kernel, factors) / count:.3g} loads each, not {loads_of(kernel, {})}"


def _axis_name(axis: int) -> str:
    """What expressions call the new index of an axis. No size is called so."""
    return f"%{axis}"


def _meaning_of(rows: ParallelOp, factors: Factors, offsets: tuple[int, ...]) -> dict[SSAValue, IndexExpr]:
    """The indices of one of the neighbours, by the new indices of the loop `rows`."""
    offset = dict(zip(factors, offsets, strict=True))
    found: dict[SSAValue, IndexExpr] = {}
    for d, (index, size) in enumerate(zip(rows.indices, rows.sizes, strict=True)):
        factor = factors.get(d, 1)
        found[index] = variable(_axis_name(d), size // factor) * factor + offset.get(d, 0)
    return found
