"""split-keys: products that follow each other, of few rows and many keys, are cut along the keys, for more programs.

    for b, i, n:  m, s, o = softmax x, weighted v over j < 8192;  y = o / s
 -> for t < 16, b, i, n:  m, s, o [t, b, i, n] = the same over 512 t <= j < 512 t + 512
    for b, i, n:  m = max over t of m[t];  s, o = sums over t of exp(m[t] - m) * (s[t], o[t]);  y = o / s

So decoding, where one query looks at all keys, keeps a whole device busy (Dao et al. 2023, "Flash-Decoding"). All kinds
of reductions are cut so, sums of gradients too. How many parts there are is what the model of time predicts to be
quickest; the field `part` of a schedule, keys of a part, is obeyed.

Heads that share keys (grouped queries) are rows of one block, where they have few queries each: keys are read once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
from passes.common.product_tiling import LEAST
from passes.loop.analysis.axis_change import NewAxes, change_axes
from passes.loop.analysis.kernel_rewriter import LoopCopy, index_of
from passes.loop.analysis.online_products import OnlineProducts, online_products_of, shared_heads
from passes.loop.analysis.partial_results import Partial, PartsReader
from passes.loop.schedule.tile_online import FIELDS

PART = "part"


@dataclass(frozen=True)
class SplitKeysPass(DevicePass):
    """Cuts the keys of products that follow each other into parts, which another kernel combines."""

    name = "split-keys"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = launches_by_name(op)
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            found = _with_heads_as_rows(kernel)
            if found is None:
                continue
            parts = self._parts(kernel, found)
            kernel.carried_out("part")
            if parts is not None and parts[0] > 1:
                _split(kernel, found, *parts, launches[kernel.sym_name.data])

    def _parts(self, kernel: KernelOp, found: OnlineProducts) -> tuple[int, IndexExpr] | None:
        """How many parts there are, and how many keys one has; None where one is all."""
        asked = kernel.decided_numbers("part").get("part")
        if asked is None:
            best = key_parts(found.sizes, found.loop.size, self.target)
            return None if best is None else (best.count, best.length)
        count = ((found.loop.size + (asked - 1)) // asked).constant
        if count is None:
            raise MlcError(
                f"split-keys: {found.loop.size} keys are no known number of parts of {asked}",
                location_of(kernel),
                "leave `part` out: then the number of parts is fixed, and not their length",
            )
        return count, integer(asked)


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


def _split(
    kernel: KernelOp, found: OnlineProducts, count: int, length: IndexExpr, launches: Sequence[LaunchOp]
) -> None:
    """Replaces `kernel` and its launches by one kernel for the parts and one that combines them, and their launches."""
    results: dict[SSAValue, list[int]] = {r: _axes_of(found, r, kernel.rows) for r in found.loop.outputs}
    partial: dict[SSAValue, SSAValue] = {
        r: AllocOp(buffer_type(_sizes(kernel.rows, axes, count), r.type)).buffer for r, axes in results.items()
    }
    for result, buffer in partial.items():
        buffer.name_hint = result.name_hint or "partial"
    of_parts = _Copy(kernel, f"{kernel.sym_name.data}_parts", partial, results, count)
    of_parts.compute(found.loop, length)
    whole = _Copy(kernel, kernel.sym_name.data, partial, results)
    whole.combine(found.loop, count)
    built = [of_parts.finish(), whole.finish()]
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
        self,
        kernel: KernelOp,
        name: str,
        partial: Mapping[SSAValue, SSAValue],
        axes: Mapping[SSAValue, Sequence[int]],
        count: int | None = None,
    ):
        """A loop over the parts is outermost if there is a `count`."""
        self._old, self._axes = kernel.rows, axes
        self._copy = LoopCopy(kernel, name, list(partial.values()))
        self._buffers = dict(zip(partial, self._copy.extra, strict=True))
        for old, new in self._buffers.items():
            new.name_hint = partial[old].name_hint
        rows = ParallelOp([*([] if count is None else [integer(count)]), *self._old.sizes])
        rows.location = self._old.location
        self._copy.block.add_op(rows)
        own = rows.indices if count is None else rows.indices[1:]
        self._places = [variable(f"i{d}", size) for d, size in enumerate(self._old.sizes)]
        for d, (index, new) in enumerate(zip(self._old.indices, own, strict=True)):
            new.name_hint = index.name_hint
            self._copy.bind(index, self._places[d], {f"i{d}": new})
        self._part, self._block = rows.indices[0], rows.body.block
        self.finish = self._copy.finish

    def compute(self, keys: ReduceOp, length: IndexExpr) -> None:
        """What is before the loop over the keys, and that of each part, whose results are stored."""
        self._part.name_hint = "t"
        for op in self._before(keys):
            self._copy.op(op, self._block)
        loop = self._copy.loop(keys, "k", keys.size, variable("k", keys.size))
        assert isinstance(loop, ReduceOp)
        part = variable(PART)
        bounds, indices = (part * length, part * length + length), {PART: self._part}
        loop.operands, loop.span = index_of(bounds, indices)
        self._block.add_op(loop)
        for old, new in zip(keys.outputs, loop.outputs, strict=True):
            place = self._place(old, part)
            new.name_hint = old.name_hint
            self._block.add_op(StoreOp(new, self._buffers[old], *index_of(place, {**self._copy.indices, **indices})))

    def _before(self, keys: ReduceOp) -> list[Operation]:
        """What computes anything in front of the loop over the keys."""
        ops = [*self._old.body.block.ops]
        return [op for op in ops[: ops.index(keys)] if not isinstance(op, StoreOp)]

    def combine(self, keys: ReduceOp, count: int) -> None:
        """All but the loop over the keys, in whose place the parts are combined."""
        for op in self._old.body.block.ops:
            if op is not keys:
                self._copy.op(op, self._block)
                continue
            reader = PartsReader(count, self._block, self._copy.indices, self._read)
            for (_, _, results), values in zip(keys.parts, reader.combine(self._partials(keys)), strict=True):
                self._copy.values |= dict(zip(results, values, strict=True))

    def _partials(self, keys: ReduceOp) -> list[Partial]:
        """The reductions of the loop over the keys, each with its buffers."""
        found: list[Partial] = []
        for kind, _, results in keys.parts:
            buffers = [self._buffers[r] for r in results]
            most = next((p.buffers[0] for p in reversed(found) if p.kind == "softmax"), None)
            before = [most] if kind == WEIGHTED and most is not None else []
            found.append(Partial(kind, [*before, *buffers], keys.approx is not None))
        return found

    def _read(self, buffer: SSAValue, part: IndexExpr, indices: Mapping[str, SSAValue]) -> LoadOp:
        (result,) = (r for r, own in self._buffers.items() if own is buffer)
        return LoadOp(buffer, *index_of(self._place(result, part), indices))

    def _place(self, result: SSAValue, part: IndexExpr) -> list[IndexExpr]:
        """Where the buffer of `result` has it for a part."""
        return [part, *(self._places[d] for d in self._axes[result])]
