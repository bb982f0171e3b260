"""What a host program does with the memory of its values: who reads it, who reads it last, and who shares it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc_dialects.common.buffers import buffer_element, buffer_shape
from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.host import (
    AllocOp,
    CallOp,
    ConstantOp,
    FreeOp,
    LaunchOp,
    may_overwrite,
    whole_buffer,
    with_views,
)
from mlc_support.index_expr import product


def is_launched(buffer: SSAValue) -> bool:
    """True if a kernel is given the memory of `buffer`, or of a view of it."""
    return any(isinstance(use.operation, LaunchOp) for v in with_views(buffer) for use in v.uses)


def arguments_read_last(block: Block, ops: Sequence[Operation]) -> list[list[SSAValue]]:
    """For each of `ops`, in the order they run, the arguments of `block` whose memory none behind it reads.

    Not those that live as long as the program: what it returns, or what its last step reads.
    """
    last = {value: k for k, op in enumerate(ops) for value in op.operands if isinstance(value.type, MemRefType)}
    found: list[list[SSAValue]] = [[] for _ in ops]
    step = max((k for k, op in enumerate(ops) if not isinstance(op, FreeOp | func.ReturnOp)), default=-1)
    for argument in block.args:
        read = [last[v] for v in with_views(argument) if v in last]
        if read and max(read) < step:
            found[max(read)].append(argument)
    return found


def peak_bytes(function: func.FuncOp) -> int:
    """The most bytes alive at once of what a host program may overwrite: what it allocates, and what is donated to it.

    Results of calls count, also where the call gives an operand again; workspaces of libraries do not. KeyError
    names a size that is not a number.
    """
    ops, block = [*function.body.block.ops], function.body.block
    alive: dict[SSAValue, int] = {a: _bytes(a.type) for a in block.args if may_overwrite(function, a)}
    peak = sum(alive.values())
    for op, done in zip(ops, arguments_read_last(block, ops), strict=True):
        if isinstance(op, AllocOp | CallOp):
            alive |= {r: _bytes(r.type) for r in op.results if isinstance(r.type, MemRefType)}
        peak = max(peak, sum(alive.values()))
        for buffer in (*done, op.buffer) if isinstance(op, FreeOp) else done:
            alive.pop(buffer, None)
    return peak


def _bytes(type_: Attribute) -> int:
    count = product(buffer_shape(type_))
    return count.evaluate({}) * byte_size(buffer_element(type_))


def shared_results(function: func.FuncOp) -> set[SSAValue]:
    """The results whose memory others may see too: that of an argument, of a call's result, of another result.

    PyTorch counts the writes to such memory, and refuses a gradient whose tensors were written since.
    """
    returned = [v for op in function.body.block.ops if isinstance(op, func.ReturnOp) for v in op.operands]
    roots = Counter(map(whole_buffer, returned))
    return {v for v in returned if roots[whole_buffer(v)] > 1 or not _is_own(function, whole_buffer(v))}


def _is_own(function: func.FuncOp, root: SSAValue) -> bool:
    """True if nobody but the host program sees the memory of a buffer, unless it returns it."""
    return isinstance(root.owner, ConstantOp) or may_overwrite(function, root)
