"""fit-registers: a program whose live values exceed its lanes' registers gets more warps.

    mlc_triton.kernel ... num_warps 4        1 KB of values live at once for each of 128 lanes
 -> mlc_triton.kernel ... num_warps 8

Liveness is counted op by op in program order: blocks that are computed and still to be read. Blocks that are cheap to
recompute (indices, masks, constants, broadcasts) do not count. Too many live values spill to memory; before that,
occupancy falls, which hurts kernels with expensive functions, which need registers themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import math
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.common.libdevice import LibdeviceOp
from mlc_dialects.common.types import byte_size
from mlc_dialects.triton.dialect import (
    ArangeOp,
    BroadcastOp,
    CompareOp,
    ForOp,
    FullOp,
    IndexOp,
    KernelOp,
    MaskOp,
    YieldOp,
)
from mlc_dialects.triton.dot import DotOp
from mlc_dialects.triton.types import LANES, block_element, block_shape
from passes.common.device import DevicePass
from passes.common.liveness import most_alive
from passes.loop.analysis.registers import lane_bytes

MADE_AGAIN = (ArangeOp, BroadcastOp, CompareOp, FullOp, IndexOp, MaskOp)
LONG = (
    *(math.SinOp, math.CosOp, math.TanOp, math.AsinOp, math.AcosOp, math.AtanOp, math.Atan2Op),
    *(math.SinhOp, math.CoshOp, math.TanhOp, math.ErfOp, math.PowFOp, math.ExpM1Op, math.Log1pOp, LibdeviceOp),
)
"""Functions that compile to tens of instructions an element."""
BYTES_A_REGISTER = 6
"""Live bytes, as `bytes_alive` counts them, for each register in compiled code: not all are live there."""


@dataclass(frozen=True)
class FitRegistersPass(DevicePass):
    """Doubles the warps of a kernel until no lane has more than `most` live bytes."""

    name = "fit-registers"
    most: int | None = None
    """The most live bytes of a lane; none is all of its registers."""
    beside_long: int | None = None
    """The same beside expensive functions; none is the registers of a lane at half occupancy."""
    many: int = 4
    """With fewer expensive functions memory is the bottleneck, and `fewest` counts."""
    fewest: int = 8
    """The least elements of a lane then: cross-warp reductions get slower with more warps."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in (k for k in op.ops if isinstance(k, KernelOp) and not _holds_scores(k)):
            warps = kernel.warps.value.data
            least = min(self.target.warps_per_block, self._least(kernel))
            while warps < least:
                warps *= 2
            kernel.warps = IntegerAttr(warps, i64)

    def _least(self, kernel: KernelOp) -> int:
        """The number of warps that the values of a kernel need."""
        alive, long = bytes_alive(kernel.body.block), sum(map(takes_long_each, kernel.walk()))
        most = BYTES_A_REGISTER * (self.target.registers_per_thread + 1) if self.most is None else self.most
        few = lane_bytes(self.target) if self.beside_long is None else self.beside_long
        beside_long = -(-alive // (few * LANES)) if long else 1
        if long < self.many:
            beside_long = min(beside_long, _elements(kernel) // (self.fewest * LANES))
        return max(beside_long, -(-alive // (most * LANES)))


def _holds_scores(kernel: KernelOp) -> bool:
    """True if a loop computes more than products: then the tiling is chosen for the registers that this takes."""
    products = [op for op in kernel.walk() if isinstance(op, DotOp)]
    used = any(not isinstance(use.operation, YieldOp) for op in products for use in op.result.uses)
    loops = [op.parent_op() for op in products]
    return used or any(isinstance(loop, ForOp) and isinstance(loop.parent_op(), ForOp) for loop in loops)


def _elements(kernel: KernelOp) -> int:
    """The elements of the kernel's largest block."""
    return max((prod(block_shape(v.type)) for op in kernel.walk() for v in op.results), default=1)


def takes_long(op: Operation) -> bool:
    """True for an expensive function that is computed accurately."""
    exact = isinstance(op, math.ExpOp | math.LogOp) and not op.fastmath.data
    return exact or isinstance(op, LONG)


def takes_long_each(op: Operation) -> bool:
    """True for an expensive function of each element of a block."""
    return takes_long(op) and bool(block_shape(op.results[0].type))


def bytes_alive(block: Block) -> int:
    """The maximum of the bytes of all live blocks."""
    order = {op: position for position, op in enumerate(block.walk())}
    return most_alive(_lives(order), len(order))


def _lives(order: Mapping[Operation, int]) -> Iterator[tuple[int, int, int]]:
    """The live range of each value, first and last op, and its bytes."""
    for op, position in order.items():
        end = order[op.body.block.last_op or op] if isinstance(op, ForOp) else position
        made = [(v, end) for v in op.results] if not isinstance(op, MADE_AGAIN) else []
        carried = [(v, position) for v in op.body.block.args] if isinstance(op, ForOp) else []
        for value, first in (*made, *carried):
            last = max((order[_last_read(use.operation, value)] for use in value.uses), default=first)
            yield first, max(first, last), block_bytes(value)


def _last_read(user: Operation, value: SSAValue) -> Operation:
    """The last op at which `user` needs a value: the outermost loop between them, since each iteration reads it."""
    last, home = user, value.owner if isinstance(value.owner, Block) else value.owner.parent
    while user.parent is not home and (parent := user.parent_op()) is not None:
        user = parent
        end = parent.regions[-1].block.last_op
        last = end if end is not None else last
    return last


def block_bytes(value: SSAValue) -> int:
    """The bytes of a block; scalars count as 0."""
    shape = block_shape(value.type)
    return prod(shape) * byte_size(block_element(value.type)) if shape else 0
