"""fit-registers: a program whose values do not fit the registers of its lanes gets more warps.

    mlc_triton.kernel ... num_warps 4        1 KB of values alive at once for each of 128 lanes
 -> mlc_triton.kernel ... num_warps 8

What is alive is counted op by op, as the kernel is written: blocks that were computed and are still to be read. Blocks
that an instruction makes again from less (places, masks, numbers and what is the same along an axis) do not count.
Registers that do not suffice are spilled to memory, and long before that too few programs share a multiprocessor for
what takes long to compute: functions of many instructions, which want registers of their own as well.
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
from mlc_dialects.triton.dialect import ArangeOp, BroadcastOp, CompareOp, ForOp, FullOp, IndexOp, KernelOp, MaskOp
from mlc_dialects.triton.types import LANES, block_element, block_shape
from passes.common.device import DevicePass
from passes.common.liveness import most_alive
from passes.loop.analysis.registers import lane_bytes

MADE_AGAIN = (ArangeOp, BroadcastOp, CompareOp, FullOp, IndexOp, MaskOp)
LONG = (
    *(math.SinOp, math.CosOp, math.TanOp, math.AsinOp, math.AcosOp, math.AtanOp, math.Atan2Op),
    *(math.SinhOp, math.CoshOp, math.TanhOp, math.ErfOp, math.PowFOp, math.ExpM1Op, math.Log1pOp, LibdeviceOp),
)
"""What compiles to tens of instructions for each element."""
BYTES_A_REGISTER = 6
"""A lane has a register for about every 6 bytes that `bytes_alive` counts for it: not all are alive as compiled."""


@dataclass(frozen=True)
class FitRegistersPass(DevicePass):
    """Doubles the warps of kernels until no lane holds more than `most` bytes of values at once.

    By default that is what all registers that a lane may have come to. With functions that take long, no more than
    `beside_long` bytes: by default what registers a lane has where half of all warps are at work. Where they are fewer
    than `many`, which memory is slower than, a lane keeps `fewest` elements nevertheless: what warps do together takes
    them longer the more they are.
    """

    name = "fit-registers"
    most: int | None = None
    beside_long: int | None = None
    many: int = 4
    fewest: int = 8

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in (k for k in op.ops if isinstance(k, KernelOp)):
            warps = kernel.warps.value.data
            least = min(self.target.warps_per_block, self._least(kernel))
            while warps < least:
                warps *= 2
            kernel.warps = IntegerAttr(warps, i64)

    def _least(self, kernel: KernelOp) -> int:
        """The warps that the values of a kernel want."""
        alive, long = bytes_alive(kernel.body.block), sum(map(takes_long_each, kernel.walk()))
        most = BYTES_A_REGISTER * (self.target.registers_per_thread + 1) if self.most is None else self.most
        few = lane_bytes(self.target) if self.beside_long is None else self.beside_long
        beside_long = -(-alive // (few * LANES)) if long else 1
        if long < self.many:
            beside_long = min(beside_long, _elements(kernel) // (self.fewest * LANES))
        return max(beside_long, -(-alive // (most * LANES)))


def _elements(kernel: KernelOp) -> int:
    """The elements of its largest block."""
    return max((prod(block_shape(v.type)) for op in kernel.walk() for v in op.results), default=1)


def takes_long(op: Operation) -> bool:
    """True for such a function, to the last bit."""
    exact = isinstance(op, math.ExpOp | math.LogOp) and not op.fastmath.data
    return exact or isinstance(op, LONG)


def takes_long_each(op: Operation) -> bool:
    """True for such a function of every element of a block."""
    return takes_long(op) and bool(block_shape(op.results[0].type))


def bytes_alive(block: Block) -> int:
    """The bytes of all blocks that are alive together, at the most."""
    order = {op: position for position, op in enumerate(block.walk())}
    return most_alive(_lives(order), len(order))


def _lives(order: Mapping[Operation, int]) -> Iterator[tuple[int, int, int]]:
    """From where to where each value is alive, and its bytes."""
    for op, position in order.items():
        end = order[op.body.block.last_op or op] if isinstance(op, ForOp) else position
        made = [(v, end) for v in op.results] if not isinstance(op, MADE_AGAIN) else []
        carried = [(v, position) for v in op.body.block.args] if isinstance(op, ForOp) else []
        for value, first in (*made, *carried):
            last = max((order[_last_read(use.operation, value)] for use in value.uses), default=first)
            yield first, max(first, last), block_bytes(value)


def _last_read(user: Operation, value: SSAValue) -> Operation:
    """Where `user` reads a value last: at the end of the outermost loop between them, which reads it every time."""
    last, home = user, value.owner if isinstance(value.owner, Block) else value.owner.parent
    while user.parent is not home and (parent := user.parent_op()) is not None:
        user = parent
        end = parent.regions[-1].block.last_op
        last = end if end is not None else last
    return last


def block_bytes(value: SSAValue) -> int:
    """The bytes of a block; a scalar has none to speak of."""
    shape = block_shape(value.type)
    return prod(shape) * byte_size(block_element(value.type)) if shape else 0
