"""Bytes of the blocks that are alive at once in a kernel, and which of its functions take long.

Liveness is counted op by op in program order: blocks that are computed and still to be read. Blocks that are cheap to
compute again (indices, masks, constants, broadcasts) do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from xdsl.dialects import math
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
    MaskOp,
)
from mlc_dialects.triton.types import block_element, block_shape
from passes.common.liveness import most_alive

MADE_AGAIN = (ArangeOp, BroadcastOp, CompareOp, FullOp, IndexOp, MaskOp)
LONG = (
    *(math.SinOp, math.CosOp, math.TanOp, math.AsinOp, math.AcosOp, math.AtanOp, math.Atan2Op),
    *(math.SinhOp, math.CoshOp, math.TanhOp, math.ErfOp, math.PowFOp, math.ExpM1Op, math.Log1pOp, LibdeviceOp),
)
"""Functions that compile to tens of instructions an element."""
BYTES_A_REGISTER = 6
"""Live bytes, as `bytes_alive` counts them, for each register in compiled code: not all are live there."""


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
