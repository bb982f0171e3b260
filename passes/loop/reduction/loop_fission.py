"""loop-fission: the loops of a row that only compute and store become a kernel of their own.

    for p: m = reduce over r of f(p, r)
           for r: out[p, r] = g(x[p, r], m)          both loops take the blocks and the order that suit the kernel
 -> for p: m = reduce over r of f(p, r); rows[p] = m
    for q: out[q] = g(x[q], rows[q floordiv R])      pointwise: its axes are in the order of memory, in tiles if need be

What a row's loops take of it is stored by the first kernel, if it depends on a reduction, and is loaded for each
element by the second; other values of the row are computed again. It pays where the loops read memory a second time
anyhow, and in another order than reductions should: norms of channels-last inputs, or with transposed outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from mlc_dialects.common.buffers import buffer_type
from mlc_dialects.loop.dialect import KernelOp, LoadOp, LoopOp, ParallelOp, StoreOp, YieldOp
from mlc_dialects.loop.host import AllocOp, LaunchOp
from mlc_dialects.loop.schedule import PARTITION, TILING
from mlc_support.index_expr import variable
from passes.common.device import DevicePass
from passes.common.launches import launches_by_name, replace_with_several
from passes.loop.analysis.kernel_rewriter import LoopCopy, index_of
from passes.loop.analysis.legality import demand, fission_refusal
from passes.loop.reduction.depths import taken
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
            demand(self.name, kernel, fission_refusal(kernel))
            fission(kernel, launches[kernel.sym_name.data], self._restructure)


def fission(kernel: KernelOp, launches: Sequence[LaunchOp], steps: Sequence[ModulePass]) -> None:
    """Replaces `kernel` and its launches by its reductions and, behind them, its pointwise loops after `steps`."""
    halves = Halves(kernel)
    (first, own), (second, others) = halves.reductions(), halves.pointwise()
    built = [(first, own), (restructured(second, steps), others)]
    replace_with_several(kernel, built, halves.buffers, launches)


def restructured(kernel: KernelOp, steps: Sequence[ModulePass]) -> KernelOp:
    """A kernel behind some passes that leave one kernel."""
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
        self.written = {op.buffer for op in kernel.walk() if isinstance(op, StoreOp)}
        self.again: set[Operation] = set()
        """Ops of a row that both kernels have: they depend on no reduction, nor on what the kernel writes."""
        for op in self.rows.body.block.ops:
            if self._is_plain(op):
                self.again.add(op)
        self.kept = list(dict.fromkeys(v for loop in self.loops for v in taken(loop) if self._is_kept(v)))
        """Values of a row that the second kernel loads."""
        self.buffers: list[SSAValue] = []
        """Placeholders for the buffers that hold them."""
        for value in self.kept:
            buffer = AllocOp(buffer_type((self.rows.size,), value.type)).buffer
            buffer.name_hint = value.name_hint
            self.buffers.append(buffer)

    def _is_plain(self, op: Operation) -> bool:
        if isinstance(op, LoopOp | StoreOp) or not op.results:
            return False
        if isinstance(op, LoadOp) and op.buffer in self.written:
            return False
        return all(v.owner in self.again for v in taken(op) if self._is_of_row(v))

    def _is_of_row(self, value: SSAValue) -> bool:
        """True for results of the row's own ops."""
        return isinstance(value.owner, Operation) and value.owner.parent is self.rows.body.block

    def _is_kept(self, value: SSAValue) -> bool:
        return self._is_of_row(value) and value.owner not in self.again

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
        copy.kernel.carried_out(*PARTITION, *TILING)
        columns = self.loops[0].size
        outer, element = copy.outer(self.rows.size * columns, ELEMENT), variable(ELEMENT, self.rows.size * columns)
        block, row = outer.body.block, element // columns
        copy.bind(self.rows.index, row, {ELEMENT: outer.index})
        for value, buffer in zip(self.kept, copy.extra, strict=True):
            load = LoadOp(buffer, *index_of([row], copy.indices))
            block.add_op(load)
            load.result.name_hint = value.name_hint
            copy.values[value] = load.result
        for op in self.rows.body.block.ops:
            if op in self.again:
                copy.op(op, block)
            if op in self.loops:
                assert isinstance(op, LoopOp)
                copy.bind(op.index, element % columns, {})
                for inner in op.body.block.ops:
                    if not isinstance(inner, YieldOp):
                        copy.op(inner, block)
        return copy.finish()
