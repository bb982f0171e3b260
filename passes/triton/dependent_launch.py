"""dependent-launch: a kernel that follows another is launched while that ends, and waits for it.

    launch @a(%x, %s)                                  stores s
    launch @b(%s, %y)                                  loads it
 -> mlc_triton.kernel @b(%s, %y) { gdc_wait; ... }

The GPU prepares such a launch while the kernel before it is at work (programmatic dependent launch): on an H200 it
begins 1.0 to 1.6 microseconds earlier. `gdc_wait` is the first that each program does: behind it all launches before
have ended, and what they have stored is seen. No kernel says that the next may begin before it has ended
(`gdc_launch_dependents`): that gained nothing more, and programs that wait for one another have the device for
themselves. Behind a call of a library nothing is gained.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.loop.host import CallOp
from mlc_dialects.triton.dialect import KernelOp
from mlc_dialects.triton.memory import GdcWaitOp
from passes.common.device import DevicePass
from passes.common.launches import launches_in_turn


@dataclass(frozen=True)
class DependentLaunchPass(DevicePass):
    """Makes kernels wait whose launch follows that of another, on devices that launch so."""

    name = "dependent-launch"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if "dependent-launch" not in self.target.features:
            return
        followers = set(_followers(op))
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and kernel.sym_name.data in followers and not kernel.waits:
                Rewriter.insert_op(GdcWaitOp(), InsertPoint.at_start(kernel.body.block))


def _followers(module: ModuleOp) -> Iterator[str]:
    """The kernels of which a launch follows another, without a call of a library in between."""
    for function in [f for f in module.ops if isinstance(f, FuncOp)]:
        yield from (launch.kernel.string_value() for _, launch in launches_in_turn(function, CallOp))
