"""What a host program does with the memory of its values: who reads it, who reads it last, and who shares it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.loop.host import AllocOp, ConstantOp, FreeOp, LaunchOp, ViewOp


def is_launched(buffer: SSAValue) -> bool:
    """True if a kernel is given the memory of `buffer`, or of a view of it."""
    return any(isinstance(use.operation, LaunchOp) for v in with_views(buffer) for use in v.uses)


def with_views(buffer: SSAValue) -> list[SSAValue]:
    """`buffer`, the views of it, and the views of those."""
    views = [use.operation.result for use in buffer.uses if isinstance(use.operation, ViewOp)]
    return [buffer, *(v for view in views for v in with_views(view))]


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


def shared_results(block: Block) -> set[SSAValue]:
    """The results whose memory others may see too: that of an argument, of a call's result, of another result.

    PyTorch counts the writes to such memory, and refuses a gradient whose tensors were written since.
    """
    returned = [v for op in block.ops if isinstance(op, func.ReturnOp) for v in op.operands]
    roots = Counter(map(_root, returned))
    return {v for v in returned if roots[_root(v)] > 1 or not isinstance(_root(v).owner, AllocOp | ConstantOp)}


def _root(buffer: SSAValue) -> SSAValue:
    """The buffer whose memory `buffer` looks at."""
    while isinstance(buffer.owner, ViewOp):
        buffer = buffer.owner.input
    return buffer
