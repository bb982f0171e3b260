"""reverse-order: a kernel begins with what the kernel before it ended with, which the cache still has.

    launch @a(%x, %s)                                  reads x from the first row to the last
    launch @b(%x, %s, %y)                              reads x again
 -> mlc_loop.kernel @b { mlc_loop.parallel %p = 0 to N backwards { ... } }

Programs start in the order of their numbers. What is larger than the cache has lost its beginning by the time that a
kernel has read its end; one that goes the same way again finds nothing, one that comes back finds the cache's worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp

from mlc_dialects.loop.host import LaunchOp
from passes.common.device import DevicePass
from passes.common.launches import kernels_by_name, launches_by_name
from passes.loop.analysis.coalescing import buffer_bytes
from passes.loop.analysis.legality import block_order_refusal


@dataclass(frozen=True)
class ReverseOrderPass(DevicePass):
    """Turns kernels round that share a buffer of `smallest` bytes or more with the launch before.

    By default half of L2: the cache keeps a smaller one whole, whichever way programs go, beside what else they touch.
    """

    name = "reverse-order"
    smallest: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels, by_name = kernels_by_name(op), launches_by_name(op)
        for function in (f for f in op.ops if isinstance(f, FuncOp)):
            launches = [launch for launch in function.walk() if isinstance(launch, LaunchOp)]
            for before, launch in pairwise(launches):
                previous, kernel = (kernels[x.kernel.string_value()] for x in (before, launch))
                once = len(by_name[kernel.sym_name.data]) == 1
                if once and self._share(before, launch) and not any(map(block_order_refusal, (previous, kernel))):
                    kernel.rows.backwards = UnitAttr() if previous.rows.backwards is None else None

    def _share(self, before: LaunchOp, launch: LaunchOp) -> bool:
        """True if a buffer of both is so large that a cache keeps but a part of it."""
        smallest = self.target.l2_bytes // 2 if self.smallest is None else self.smallest
        return any(buffer in before.buffers and buffer_bytes(buffer) >= smallest for buffer in launch.buffers)
