"""split-k: products of few rows and columns are cut along the axis that is summed, for more programs.

    for i, j:  y[i, j] = f(sum over k < 4096 of a[i, k] * b[k, j])
 -> for t < 4, i, j:  s[t, i, j] = sum over k < 1024 of a[i, 1024 t + k] * b[1024 t + k, j]
    for i, j:  y[i, j] = f(sum over t of s[t, i, j])

Of products that follow each other the keys are cut:

    for b, i, n:  m, s, o = softmax x, weighted v over j < 8192;  y = o / s
 -> for t < 16, b, i, n:  m, s, o [t, b, i, n] = the same over 512 t <= j < 512 t + 512
    for b, i, n:  m = max over t of m[t];  s, o = sums over t of exp(m[t] - m) * (s[t], o[t]);  y = o / s

So decoding, where one query looks at all keys, keeps a whole device busy (Dao et al. 2023, "Flash-Decoding"). All kinds
of reductions are cut so, sums of gradients too. How many parts there are is what the model of time predicts to be
quickest; the field `part` of a schedule, the length of a part, is obeyed.

Heads that share keys (grouped queries) are rows of one block, where they have few queries each: keys are read once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.buffers import buffer_type
from mlc_dialects.common.reduction_kinds import WEIGHTED
from mlc_dialects.loop.dialect import KernelOp, LoadOp, ParallelOp, ReduceOp, StoreOp
from mlc_dialects.loop.host import AllocOp, LaunchOp
from mlc_dialects.loop.products import depends_on
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.locations import location_of
from passes.common.device import DevicePass
from passes.common.launches import launches_by_name, replace_with_several
from passes.common.online_tiling import key_parts
from passes.common.product_parts import product_parts
from passes.common.product_tiling import LEAST
from passes.loop.analysis.axis_change import NewAxes, change_axes
from passes.loop.analysis.contraction import Contraction, contraction_of
from passes.loop.analysis.kernel_rewriter import LoopCopy, index_of
from passes.loop.analysis.online_products import OnlineProducts, online_products_of, shared_heads
from passes.loop.analysis.partial_results import Partial, PartsReader
from passes.loop.schedule.tile_online import FIELDS

PART, SUMMED = "part", "k"
"""What expressions call the part, and the place along the summed axis."""


@dataclass(frozen=True)
class SplitKPass(DevicePass):
    """Cuts the summed axis of products into parts, which another kernel adds up, or combines."""

    name = "split-k"
    rounds_otherwise: ClassVar[bool] = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = launches_by_name(op)
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            cut = self._cut(kernel)
            if cut is not None:
                kernel.carried_out("part")
                if cut.count > 1:
                    _split(kernel, cut, launches[kernel.sym_name.data])

    def _cut(self, kernel: KernelOp) -> Cut | None:
        """How the products of a kernel are cut; None where it has none."""
        contraction = contraction_of(kernel)
        if contraction is not None:
            return self._cut_of_product(kernel, contraction)
        online = _with_heads_as_rows(kernel)
        return None if online is None else self._cut_of_keys(kernel, online)

    def _cut_of_product(self, kernel: KernelOp, contraction: Contraction) -> Cut:
        loop, size = contraction.loop, contraction.sizes.k
        asked = kernel.decided_numbers("part").get("part")
        if asked is None:
            best = product_parts(contraction.sizes, self.target)
            count = 1 if best is None else best.count
        elif size % asked:
            raise MlcError(
                f"split-k: sums of {size} terms are no whole number of parts of {asked}",
                location_of(kernel),
                f"give `part` a divisor of {size}, or leave it out",
            )
        else:
            count = size // asked
        axes: dict[SSAValue, Sequence[int]] = dict.fromkeys(loop.outputs, range(len(kernel.rows.sizes)))
        return Cut(loop, axes, count, integer(size // count), by_span=False)

    def _cut_of_keys(self, kernel: KernelOp, found: OnlineProducts) -> Cut:
        axes: dict[SSAValue, Sequence[int]] = {r: _axes_of(found, r, kernel.rows) for r in found.loop.outputs}
        count, length = self._key_parts(kernel, found)
        return Cut(found.loop, axes, count, length, by_span=True)

    def _key_parts(self, kernel: KernelOp, found: OnlineProducts) -> tuple[int, IndexExpr]:
        """How many parts there are, and how many keys one has."""
        asked = kernel.decided_numbers("part").get("part")
        if asked is None:
            best = key_parts(found.sizes, found.loop.size, self.target)
            return (1, found.loop.size) if best is None else (best.count, best.length)
        count = ((found.loop.size + (asked - 1)) // asked).constant
        if count is None:
            raise MlcError(
                f"split-k: {found.loop.size} keys are no known number of parts of {asked}",
                location_of(kernel),
                "leave `part` out: then the number of parts is fixed, and not their length",
            )
        return count, integer(asked)


@dataclass(frozen=True)
class Cut:
    """The loop along the summed axis, cut into parts."""

    loop: ReduceOp
    axes: Mapping[SSAValue, Sequence[int]]
    """Those of the kernel that each result of the loop depends on."""
    count: int
    length: IndexExpr
    """Of a part."""
    by_span: bool
    """True if the loop of a part is a span of the whole, and the last part may be shorter; else it has its own size."""


def _with_heads_as_rows(kernel: KernelOp) -> OnlineProducts | None:
    """The products of a kernel; heads of few queries each that share keys are rows of one block."""
    found = online_products_of(kernel)
    heads = None if found is None or found.sizes.rows >= LEAST else shared_heads(kernel, found)
    if heads is None:
        return found
    axis, count = heads
    sizes = [*kernel.rows.sizes]
    sizes[axis : axis + 1] = [sizes[axis] // count, integer(count)]
    names = tuple(f"h{d}" for d in range(len(sizes)))
    change_axes(kernel, {kernel.rows: NewAxes(names, tuple(sizes))})
    return online_products_of(kernel)


def _split(kernel: KernelOp, cut: Cut, launches: Sequence[LaunchOp]) -> None:
    """Replaces `kernel` and its launches by one kernel for the parts and one that combines them, and their launches.

    Where several axes are summed, a part has them as well, if it is some of the outermost.
    """
    partial: dict[SSAValue, SSAValue] = {
        r: AllocOp(buffer_type(_sizes(kernel.rows, axes, cut.count), r.type)).buffer for r, axes in cut.axes.items()
    }
    for result, buffer in partial.items():
        buffer.name_hint = result.name_hint or "partial"
    outer, *inner = cut.loop.sizes
    if inner:
        change_axes(kernel, {cut.loop: NewAxes((SUMMED,), (cut.loop.size,))})
    of_parts = _Copy(kernel, f"{kernel.sym_name.data}_parts", partial, cut, in_parts=True)
    loop = of_parts.compute()
    whole = _Copy(kernel, kernel.sym_name.data, partial, cut)
    whole.combine()
    built = [of_parts.finish(), whole.finish()]
    if inner and (outer.constant or 0) % cut.count == 0:
        names = (SUMMED, *(f"k{d}" for d in range(len(inner))))
        change_axes(built[0][0], {loop: NewAxes(names, (outer // cut.count, *inner))})
    built[1][0].carried_out(*FIELDS)
    replace_with_several(kernel, built, list(partial.values()), launches)


def _axes_of(found: OnlineProducts, result: SSAValue, rows: ParallelOp) -> list[int]:
    """The axes that a result of the loop depends on."""
    (kind, value) = next((kind, value) for kind, value, own in found.loop.parts if result in own)
    summed = kind == WEIGHTED or any(depends_on(value, rows.indices[d]) for d in found.columns)
    return [d for d in range(len(rows.indices)) if summed or d not in found.columns]


def _sizes(rows: ParallelOp, axes: Sequence[int], count: int) -> tuple[IndexExpr, ...]:
    return (integer(count), *(rows.sizes[d] for d in axes))


class _Copy:
    """A kernel in the place of another one, with the results of parts in buffers of their own."""

    def __init__(
        self, kernel: KernelOp, name: str, partial: Mapping[SSAValue, SSAValue], cut: Cut, in_parts: bool = False
    ):
        """`in_parts`: a loop over the parts is outermost."""
        self._old, self._cut = kernel.rows, cut
        self._copy = LoopCopy(kernel, name, list(partial.values()))
        self._buffers = dict(zip(partial, self._copy.extra, strict=True))
        for old, new in self._buffers.items():
            new.name_hint = partial[old].name_hint
        sizes = {f"i{d}": size for d, size in enumerate(self._old.sizes)}
        rows = self._copy.axes(({PART: integer(cut.count)} if in_parts else {}) | sizes)
        if in_parts:
            rows.indices[0].name_hint = "t"
        self._places = [variable(name, size) for name, size in sizes.items()]
        for index, name, place in zip(self._old.indices, sizes, self._places, strict=True):
            new = self._copy.indices[name]
            new.name_hint = index.name_hint
            self._copy.bind(index, place, {name: new})
        self._block = rows.body.block
        self.finish = self._copy.finish

    def compute(self) -> ReduceOp:
        """What is before the loop along the summed axis, and that of each part, whose results are stored: that loop."""
        for op in self._before():
            self._copy.op(op, self._block)
        part, whole = variable(PART), self._cut.loop
        loop = self._loop_of(part)
        self._block.add_op(loop)
        for old, new in zip(whole.outputs, loop.outputs, strict=True):
            place = self._place(old, part)
            new.name_hint = old.name_hint
            self._block.add_op(StoreOp(new, self._buffers[old], *index_of(place, self._copy.indices)))
        return loop

    def _loop_of(self, part: IndexExpr) -> ReduceOp:
        """The loop of a part."""
        whole, first = self._cut.loop, part * self._cut.length
        size = whole.size if self._cut.by_span else self._cut.length
        position = variable(SUMMED, size)
        loop = self._copy.loop(whole, SUMMED, size, position if self._cut.by_span else first + position)
        assert isinstance(loop, ReduceOp)
        if self._cut.by_span:
            loop.operands, loop.span = index_of((first, first + self._cut.length), self._copy.indices)
        return loop

    def _before(self) -> list[Operation]:
        """What computes anything in front of the loop along the summed axis."""
        ops = [*self._old.body.block.ops]
        return [op for op in ops[: ops.index(self._cut.loop)] if not isinstance(op, StoreOp)]

    def combine(self) -> None:
        """All but the loop along the summed axis, in whose place the parts are combined."""
        loop = self._cut.loop
        for op in self._old.body.block.ops:
            if op is not loop:
                self._copy.op(op, self._block)
                continue
            reader = PartsReader(self._cut.count, self._block, self._copy.indices, self._read)
            for (_, _, results), values in zip(loop.parts, reader.combine(self._partials()), strict=True):
                self._copy.values |= dict(zip(results, values, strict=True))

    def _partials(self) -> list[Partial]:
        """The reductions of the loop along the summed axis, each with its buffers."""
        found: list[Partial] = []
        for kind, _, results in self._cut.loop.parts:
            buffers = [self._buffers[r] for r in results]
            most = next((p.buffers[0] for p in reversed(found) if p.kind == "softmax"), None)
            before = [most] if kind == WEIGHTED and most is not None else []
            found.append(Partial(kind, [*before, *buffers], self._cut.loop.approx is not None))
        return found

    def _read(self, buffer: SSAValue, part: IndexExpr, indices: Mapping[str, SSAValue]) -> LoadOp:
        (result,) = (r for r, own in self._buffers.items() if own is buffer)
        return LoadOp(buffer, *index_of(self._place(result, part), indices))

    def _place(self, result: SSAValue, part: IndexExpr) -> list[IndexExpr]:
        """Where the buffer of `result` has it for a part."""
        return [part, *(self._places[d] for d in self._cut.axes[result])]
