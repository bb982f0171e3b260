"""Which accesses follow memory along an axis."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mlc_dialects.common.buffers import buffer_offset
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.loop.loops import ParallelOp
from mlc_dialects.loop.memory import LoadOp, StoreOp
from mlc_support.index_expr import integer, variable


def step(op: LoadOp | StoreOp, index: SSAValue) -> int | None:
    """The distance in memory of neighbours along the axis, in elements; None if it varies or is not known."""
    offset = buffer_offset(op.buffer.type, index_exprs(op.index))
    names = [operand_name(k) for k, v in enumerate(op.indices) if v is index]
    moved = offset.substitute({name: variable(name) + integer(1) for name in names})
    return (moved - offset).constant


def is_contiguous(op: LoadOp | StoreOp, index: SSAValue) -> bool:
    """True if neighbours along the axis are neighbours in memory."""
    return step(op, index) == 1


def crossing(rows: ParallelOp, axis: int) -> list[LoadOp | StoreOp]:
    """What tiles of `axis` and the last one transpose: accesses of each iteration that are contiguous along `axis`."""
    along, last = rows.indices[axis], rows.indices[-1]
    return [
        op
        for op in rows.body.block.ops
        if isinstance(op, LoadOp | StoreOp)
        and op.condition is None
        and all(v in rows.indices for v in op.indices)
        and is_contiguous(op, along)
        and step(op, last) not in (0, 1)
    ]
