"""pad-columns: pads spatial extents to sizes that divide blocks, so that each block divides its index only once.

    for r in 0 .. n * 3136: f(r floordiv 3136, r mod 3136)
 -> for r in 0 .. n * 4096: f(r floordiv 4096, r mod 4096) if r mod 4096 < 3136

A block of a power of two columns then lies in one spatial extent, or holds whole ones: the division is by block, or a
shift, instead of one for each element. The added iterations do nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.loop.dialect import KernelOp, LoopOp, ParallelOp, ReduceOp, ScanOp
from mlc_dialects.loop.memory import divisors
from mlc_support.index_expr import integer, variable
from mlc_support.powers import power_of_two
from mlc_support.walks import walk
from passes.common.device import DevicePass
from passes.loop.analysis.coalescing import accesses, has_scan, is_coalesced_along_rows
from passes.loop.analysis.kernel_rewriter import LoopCopy, with_loops
from passes.loop.analysis.legality import waiting_refusal
from passes.loop.analysis.registers import resident_columns


@dataclass(frozen=True)
class PadColumnsPass(DevicePass):
    """Pads spatial extents that are no power of two.

    Rows of up to `resident_columns` stay as they are: registers hold them whole, so that their index is divided once.
    Parts of rows whose programs wait for each other are read block by block, however short.
    """

    name = "pad-columns"
    smallest: int = 16
    """Smaller spatial extents, in elements, are left alone."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and k.warps is None]:
            loops = self._planes(kernel)
            if loops and not is_coalesced_along_rows(kernel.rows, list(accesses(kernel))):
                Rewriter.replace_op(kernel, pad(kernel, loops), [])

    def _planes(self, kernel: KernelOp) -> dict[Operation, int]:
        """The loops to pad, and the size of their planes; none in a tile of columns, which divides what it has to."""
        columns = [op for op in kernel.rows.loops if isinstance(op, ParallelOp | ReduceOp)]
        if not any(isinstance(op, ReduceOp) or has_scan(op) for op in columns):
            return {}
        resident = resident_columns(self.target) if waiting_refusal(kernel) is None else 0
        return {loop: plane for loop in columns if (plane := self._plane(loop, resident))}

    def _plane(self, loop: LoopOp, resident: int) -> int | None:
        """The spatial extent by which `loop` divides its index, if padding saves the division; else None."""
        sizes = divisors(loop)
        columns = loop.size.constant
        if len(sizes) != 1 or columns is None or columns <= resident or _gives_columns(loop):
            return None
        (size,) = sizes
        return None if size == power_of_two(size) or size < self.smallest or columns % size else size


def _gives_columns(loop: LoopOp) -> bool:
    """True if the column's number is a result, which must not count added columns."""
    kinds = [kind.data for op in walk(loop) if isinstance(op, ReduceOp) for kind in op.kinds]
    kinds += [op.kind.data for op in walk(loop) if isinstance(op, ScanOp)]
    return any(kind.startswith("arg") for kind in kinds)


def pad(kernel: KernelOp, planes: Mapping[Operation, int]) -> KernelOp:
    """`kernel` with the loops in `planes` padded."""

    def padded(copy: LoopCopy, op: LoopOp, block: Block) -> Sequence[SSAValue]:
        plane = planes.get(op)
        name, size, beyond = op.index.name_hint or "r", op.size, None
        position = variable(name, size)
        if plane is not None:
            wide = power_of_two(plane)
            size = integer((op.size.constant or 0) // plane * wide)
            column = variable(name, size)
            copy.define_late("within", column % wide)
            position, beyond = column // wide * plane + variable("within", plane), column % wide - plane
        loop = copy.loop(op, name, size, position, beyond)
        block.add_op(loop)
        return loop.results

    return with_loops(kernel, padded)
