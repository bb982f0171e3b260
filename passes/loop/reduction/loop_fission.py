"""loop-fission: a kernel becomes two, of which one is pointwise and takes the blocks that suit it.

Behind the reductions, the loops of a row that only compute and store:

    for p: m = reduce over r of f(p, r)
           for r: out[p, r] = g(x[p, r], m)          both loops take the blocks and the order that suit the kernel
 -> for p: m = reduce over r of f(p, r); rows[p] = m
    for q: out[q] = g(x[q], rows[q floordiv R])      pointwise: its axes are in the order of memory, in tiles if need be

What a row's loops take of it is stored by the first kernel, if it depends on a reduction, and is loaded for each
element by the second; other values of the row are computed again. So are those of an element, unless the loops of
reductions store them, and less is read so. It pays where the loops read memory a second time anyhow, and in another
order than reductions should: norms of channels-last inputs, or with transposed outputs.

Ahead of the reductions, what their loops store for each element:

    for p: s[p] = reduce over r of (v = f(x[r, p], y[p, r]); out[r, p] = v; v)
 -> for q: out[q] = f(x[q], y[...])
    for p: s[p] = reduce over r of out[r, p]

It pays where no block suits all that is loaded: the sum of a gradient that is put together from parts, or transposed.
What other loops of the row compute again they load then: of a batch norm behind convolutions, these are computed once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from mlc_dialects.common.buffers import buffer_type
from mlc_dialects.loop.dialect import (
    AtomicOp,
    IndirectIndexOp,
    KernelOp,
    LoadOp,
    LoopOp,
    ParallelOp,
    ReduceOp,
    StoreOp,
    YieldOp,
)
from mlc_dialects.loop.host import AllocOp, LaunchOp
from mlc_dialects.loop.schedule import PARTITION, TILING
from mlc_support.index_expr import IndexExpr, variable
from mlc_support.walks import walk
from passes.common.device import DevicePass
from passes.common.launches import launches_by_name, replace_with_several
from passes.loop.analysis.kernel_rewriter import LoopCopy, index_of
from passes.loop.analysis.legality import any_order_refusal, behind_refusal, demand
from passes.loop.reduction.depths import taken
from passes.loop.reduction.load_stored import load_again, load_stored
from passes.loop.reduction.stored_values import is_of_row, plain_ops, stores_of
from passes.loop.restructure.linearize_axes import LinearizeAxesPass
from passes.loop.restructure.memory_order import MemoryOrderPass
from passes.loop.restructure.tile_transpose import TileTransposePass

ROW, ELEMENT = "p", "q"
"""What index expressions call the row of the first kernel, and the element of the second."""


@dataclass(frozen=True)
class LoopFissionPass(DevicePass):
    """Splits kernels whose schedule asks for `fission`. MlcError says why, where that is not possible."""

    name = "loop-fission"

    @cached_property
    def _restructure(self) -> tuple[ModulePass, ...]:
        """The passes that bring a pointwise kernel into the normal form of kernels that are lowered as such."""
        return MemoryOrderPass(), LinearizeAxesPass(), TileTransposePass(device=self.device)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = launches_by_name(op)
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and k.decided("fission")]:
            where = str(kernel.decided("fission"))
            demand(self.name, kernel, fission_refusal(kernel, where))
            fission(kernel, where, launches[kernel.sym_name.data], self._restructure)


def fission_refusal(kernel: KernelOp, where: str) -> str | None:
    """Why a kernel cannot be split `behind` or `ahead` of its reductions; None if it can."""
    if where == "behind":
        return behind_refusal(kernel)
    return None if stores_ahead(kernel) else "no loop of its reductions stores what depends on none of them"


def fission(kernel: KernelOp, where: str, launches: Sequence[LaunchOp], steps: Sequence[ModulePass]) -> None:
    """Replaces `kernel` and its launches by its reductions and a pointwise kernel, after `steps`, behind or ahead."""
    if where == "behind":
        edited = kernel.clone()
        load_again(edited, behind=lambda loop: isinstance(loop, ParallelOp))
        halves = Halves(edited)
        (first, own), (second, others) = halves.reductions(), halves.pointwise()
        original = dict(zip(edited.buffers, kernel.buffers, strict=True))
        own, others = ([original.get(b, b) for b in buffers] for buffers in (own, others))
        replace_with_several(kernel, [(first, own), (restructured(second, steps), others)], halves.buffers, launches)
    else:
        ahead = stores_ahead(kernel)
        first, own = storing(kernel, ahead)
        built = [(restructured(first, steps), own), reading(kernel, ahead)]
        replace_with_several(kernel, built, [], launches)


def restructured(kernel: KernelOp, steps: Sequence[ModulePass]) -> KernelOp:
    """`kernel` after `steps`, which leave one kernel."""
    module = ModuleOp([kernel])
    for step in steps:
        step.apply(Context(), module)
    (found,) = module.ops
    assert isinstance(found, KernelOp)
    found.detach()
    return found


class Halves:
    """The reductions of a kernel's rows, with all that is stored for a row, and the loops that are pointwise."""

    def __init__(self, kernel: KernelOp):
        self.kernel, self.rows = kernel, kernel.rows
        self.loops = [op for op in self.rows.body.block.ops if isinstance(op, ParallelOp)]
        self.again = plain_ops(kernel)
        """Ops of a row that both kernels have."""
        self.kept = list(dict.fromkeys(v for loop in self.loops for v in taken(loop) if self._is_kept(v)))
        """Values of a row that the second kernel loads."""
        self.buffers: list[SSAValue] = []
        """Placeholders for the buffers that hold them."""
        for value in self.kept:
            buffer = AllocOp(buffer_type((self.rows.size,), value.type)).buffer
            buffer.name_hint = value.name_hint
            self.buffers.append(buffer)

    def _is_kept(self, value: SSAValue) -> bool:
        return is_of_row(value, self.rows) and value.owner not in self.again

    def _copy(self, name: str) -> LoopCopy:
        """An empty kernel, with a buffer for each value that is kept, of its name."""
        copy = LoopCopy(self.kernel, name, self.buffers)
        for value, buffer in zip(self.kept, copy.extra, strict=True):
            buffer.name_hint = value.name_hint
        return copy

    def reductions(self) -> tuple[KernelOp, list[SSAValue]]:
        """The first kernel, and the buffers that it has of the original and of `buffers`."""
        copy = self._copy(f"{self.kernel.sym_name.data}_rows")
        copy.kernel.carried_out("fission")
        outer, row = copy.outer(self.rows.size, ROW), variable(ROW, self.rows.size)
        copy.bind(self.rows.index, row, {ROW: outer.index})
        block = outer.body.block
        for op in self.rows.body.block.ops:
            if op not in self.loops:
                copy.op(op, block)
        for value, buffer in zip(self.kept, copy.extra, strict=True):
            block.add_op(StoreOp(copy.values[value], buffer, *index_of([row], copy.indices)))
        return copy.finish()

    def pointwise(self) -> tuple[KernelOp, list[SSAValue]]:
        """The second kernel, and the buffers that it has of the original and of `buffers`."""
        copy = self._copy(self.kernel.sym_name.data)
        outer, row = _elements(copy, self.rows, self.loops[0].size)
        for value, buffer in zip(self.kept, copy.extra, strict=True):
            load = LoadOp(buffer, *index_of([row], copy.indices))
            outer.body.block.add_op(load)
            load.result.name_hint = value.name_hint
            copy.values[value] = load.result
        kept = {op for loop in self.loops for op in loop.body.block.ops if not isinstance(op, YieldOp)}
        _copy_elements(copy, self.rows, outer, self.again, kept)
        return copy.finish()


def stores_ahead(kernel: KernelOp) -> dict[ReduceOp, list[StoreOp]]:
    """Stores in loops of reductions that can be a kernel ahead of these: of each element once, needing no reduction."""
    if any_order_refusal(kernel) is not None or _looks_up_or_updates(kernel):
        return {}
    loops = [op for op in kernel.rows.loops if isinstance(op, ReduceOp)]
    found = {loop: stores for loop in loops if (stores := stores_of(loop, kernel))}
    return found if len({loop.size for loop in found}) == 1 else {}


def _looks_up_or_updates(kernel: KernelOp) -> bool:
    """True if a row looks up places, or any op updates memory that others update."""
    looks_up = any(isinstance(op, IndirectIndexOp) for op in kernel.rows.body.block.ops)
    return looks_up or any(isinstance(op, AtomicOp) for op in walk(kernel))


def storing(kernel: KernelOp, ahead: Mapping[ReduceOp, Sequence[StoreOp]]) -> tuple[KernelOp, list[SSAValue]]:
    """The pointwise kernel of the stores `ahead`, and its buffers."""
    copy = LoopCopy(kernel, f"{kernel.sym_name.data}_elements")
    outer, _ = _elements(copy, kernel.rows, next(iter(ahead)).size)
    kept: set[Operation] = set()
    for loop, stores in ahead.items():
        kept.update(op for op in loop.body.block.ops if op in stores or not isinstance(op, StoreOp | YieldOp))
    _copy_elements(copy, kernel.rows, outer, plain_ops(kernel), kept)
    return copy.finish()


def reading(kernel: KernelOp, ahead: Mapping[ReduceOp, Sequence[StoreOp]]) -> tuple[KernelOp, list[SSAValue]]:
    """`kernel` with loads of what is stored `ahead` in place of the stores, and its buffers.

    Other loops that compute the same values load them as well.
    """
    edited, stores = kernel.clone(), {op for group in ahead.values() for op in group}
    pairs = list(zip(list(walk(kernel)), list(walk(edited)), strict=True))
    load_stored(edited, [own for store, own in pairs if store in stores and isinstance(own, StoreOp)])
    copy, name = LoopCopy(edited, kernel.sym_name.data), edited.rows.index.name_hint or ROW
    copy.kernel.carried_out("fission")
    outer = copy.outer(edited.rows.size, name)
    copy.bind(edited.rows.index, variable(ROW, edited.rows.size), {ROW: outer.index})
    for op in edited.rows.body.block.ops:
        copy.op(op, outer.body.block)
    built, buffers = copy.finish()
    own = dict(zip(edited.buffers, kernel.buffers, strict=True))
    return built, [own[b] for b in buffers]


def _elements(copy: LoopCopy, rows: ParallelOp, columns: IndexExpr) -> tuple[ParallelOp, IndexExpr]:
    """The loop over all elements of a pointwise kernel, as yet empty, and an element's row."""
    copy.kernel.carried_out(*PARTITION, *TILING)
    size = rows.size * columns
    outer, row = copy.outer(size, ELEMENT), variable(ELEMENT, size) // columns
    copy.bind(rows.index, row, {ELEMENT: outer.index})
    return outer, row


def _copy_elements(
    copy: LoopCopy, rows: ParallelOp, outer: ParallelOp, again: Collection[Operation], kept: Collection[Operation]
) -> None:
    """Copies the ops `again` of a row, and those in its loops that are `kept`, for one element."""
    for op in rows.body.block.ops:
        if op in again:
            copy.op(op, outer.body.block)
        inside = [inner for inner in op.body.block.ops if inner in kept] if isinstance(op, LoopOp) else []
        if isinstance(op, LoopOp) and inside:
            copy.bind(op.index, variable(ELEMENT, rows.size * op.size) % op.size, {})
            for inner in inside:
                copy.op(inner, outer.body.block)
