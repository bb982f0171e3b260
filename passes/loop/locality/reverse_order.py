"""reverse-order: a kernel starts with the rows that the kernel before it ended with, which are still in L2.

    launch @a(%x, %s)                                  reads x from the first row to the last
    launch @b(%x, %s, %y)                              reads x again
 -> mlc_loop.kernel @b { mlc_loop.parallel %p = 0 to N backwards { ... } }

Programs start in the order of their ids. When a kernel has read the end of a buffer larger than L2, the beginning has
left the cache: a second kernel in the same order misses everywhere, one in reverse order hits as much as L2 holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp

from mlc_dialects.loop.dialect import KernelOp
from mlc_dialects.loop.host import LaunchOp
from passes.common.device import DevicePass
from passes.common.launches import kernels_by_name, launches_by_name, launches_in_turn
from passes.loop.analysis.coalescing import buffer_bytes
from passes.loop.analysis.legality import block_order_refusal


@dataclass(frozen=True)
class ReverseOrderPass(DevicePass):
    """Reverses kernels that share a large buffer with the launch before."""

    name = "reverse-order"
    smallest: int | None = None
    """The least bytes of such a buffer; none is half of L2. A smaller buffer stays in the cache, beside what else the
    kernels touch."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels, by_name = kernels_by_name(op), launches_by_name(op)
        for before, launch in chain.from_iterable(launches_in_turn(f) for f in op.ops if isinstance(f, FuncOp)):
            previous, kernel = (kernels.get(x.kernel.string_value()) for x in (before, launch))
            once = len(by_name[launch.kernel.string_value()]) == 1
            if previous is None or kernel is None or any(map(_is_fixed, (previous, kernel))):
                continue
            if once and self._share(before, launch):
                kernel.rows.backwards = UnitAttr() if previous.rows.backwards is None else None

    def _share(self, before: LaunchOp, launch: LaunchOp) -> bool:
        """True if both launches use a buffer so large that L2 retains only a part of it."""
        smallest = self.target.l2_bytes // 2 if self.smallest is None else self.smallest
        return any(buffer in before.buffers and buffer_bytes(buffer) >= smallest for buffer in launch.buffers)


def _is_fixed(kernel: KernelOp | None) -> bool:
    """True where the order of the blocks cannot change; None is a kernel of another level."""
    return kernel is None or block_order_refusal(kernel) is not None
