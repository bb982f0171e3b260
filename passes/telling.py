"""Launches of kernels whose programs tell each other values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.loop_host import KeptOp, LaunchOp
from mlc_dialects.mlc_loop import KernelOp


def replace_by_telling(
    module: ModuleOp,
    kernel: KernelOp,
    new: KernelOp,
    buffers: Sequence[SSAValue],
    told: SSAValue,
    launches: Sequence[LaunchOp],
) -> None:
    """Puts `new` in the place of `kernel`, and its launches, with what they tell in, in the place of `launches`.

    `buffers` are the arguments of `kernel` that `new` has, and `told`, which stands for a buffer of each launch.
    """
    module.body.block.insert_op_before(new, kernel)
    for launch in launches:
        kept = KeptOp(new.sym_name.data, told.type)
        kept.buffer.name_hint = "told"
        own = {**dict(zip(kernel.buffers, launch.buffers, strict=True)), told: kept.buffer}
        again = LaunchOp(new.sym_name.data, [own[b] for b in buffers])
        kept.location = again.location = launch.location
        Rewriter.replace_op(launch, [kept, again], [])
    Rewriter.erase_op(kernel)
