"""The memory that a host program holds at each of its ops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc_dialects.common.buffers import buffer_element, buffer_shape
from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.host import AllocOp, CallOp, FreeOp, ViewOp, may_overwrite, owns_results, with_views
from mlc_support.index_expr import product


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


def dies_at(function: func.FuncOp, root: SSAValue, op: Operation, order: Mapping[Operation, int]) -> bool:
    """True if only this program sees the memory of `root`, a buffer that is no view, and none of it behind `op`.

    `order` numbers the ops as they run. A call before `op` may keep what it is given, unless `owns_results`.
    """
    users = [use.operation for value in with_views(root) for use in value.uses]
    calls = [user for user in users if isinstance(user, CallOp) and user is not op]
    last = max(order[user] for user in users if not isinstance(user, FreeOp | ViewOp))
    return may_overwrite(function, root) and all(map(owns_results, calls)) and last == order[op]


def held_bytes(function: func.FuncOp) -> list[int]:
    """While each op of a host program runs, the bytes of what it may overwrite: what it allocates, what it is donated.

    Results of calls count, also where the call gives an operand again; workspaces of libraries do not. KeyError
    names a size that is not a number.
    """
    ops, block = [*function.body.block.ops], function.body.block
    sizes: dict[SSAValue, int] = {a: _bytes(a.type) for a in block.args if may_overwrite(function, a)}
    total, found = sum(sizes.values()), list[int]()
    for op, done in zip(ops, arguments_read_last(block, ops), strict=True):
        if isinstance(op, AllocOp | CallOp):
            new = {r: _bytes(r.type) for r in op.results if isinstance(r.type, MemRefType)}
            sizes |= new
            total += sum(new.values())
        found.append(total)
        total -= sum(sizes.pop(buffer, 0) for buffer in ((*done, op.buffer) if isinstance(op, FreeOp) else done))
    return found


def peak_bytes(function: func.FuncOp) -> int:
    """The most bytes alive at once, as `held_bytes` counts them."""
    return max(held_bytes(function))


def _bytes(type_: Attribute) -> int:
    count = product(buffer_shape(type_))
    return count.evaluate({}) * byte_size(buffer_element(type_))
