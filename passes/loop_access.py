"""How the loads and stores of a kernel walk through memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from mlc_dialects.buffers import buffer_element, buffer_offset
from mlc_dialects.index_syntax import index_exprs, operand_name
from mlc_dialects.mlc_loop import KernelOp, LoadOp, LoopOp, ParallelOp, StoreOp
from mlc_dialects.types import byte_size
from mlc_support.index_expr import IndexExpr, integer
from mlc_support.index_maps import divided_by


@dataclass(frozen=True)
class Access:
    """A load or store: its distance in memory between neighbours of each loop, and its element's bytes."""

    op: LoadOp | StoreOp
    offset: IndexExpr
    """The address in elements; d0, d1, ... are the op's indices."""
    loops: tuple[LoopOp, ...]
    """The loop of each index."""

    def step(self, loop: LoopOp) -> int | None:
        """Elements between two neighbouring iterations of `loop` from 0 on; None if that is not known."""
        names = [operand_name(k) for k, owner in enumerate(self.loops) if owner is loop]
        start = {operand_name(k): integer(0) for k in range(len(self.loops))}
        moved = start | {name: integer(1) for name in names}
        return (self.offset.substitute(moved) - self.offset.substitute(start)).constant


def row_loop(kernel: KernelOp) -> ParallelOp:
    """The outer loop of a kernel, over its rows."""
    (outer,) = (op for op in kernel.body.block.ops if isinstance(op, ParallelOp))
    return outer


def accesses(kernel: KernelOp) -> Iterable[Access]:
    """Every load and store of the kernel with its address."""
    for op in kernel.walk():
        if isinstance(op, LoadOp | StoreOp):
            yield Access(
                op, buffer_offset(op.buffer.type, index_exprs(op.index)), tuple(_loop_of(v) for v in op.indices)
            )


def divisors(loop: LoopOp) -> set[int]:
    """The numbers by which the addresses of loads and stores in a loop divide its index."""
    found: set[int] = set()
    for op in loop.walk():
        if isinstance(op, LoadOp | StoreOp):
            offset = buffer_offset(op.buffer.type, index_exprs(op.index))
            names = {operand_name(k) for k, index in enumerate(op.indices) if index is loop.index}
            found |= divided_by(offset, names)
    return found


def walks_rows(outer: ParallelOp, reads: Sequence[Access]) -> bool:
    """True if more bytes lie side by side along the rows than along the reduced columns."""
    along_rows = along_columns = 0
    for access in reads:
        size = byte_size(buffer_element(access.op.buffer.type))
        inner = [loop for loop in access.loops if loop is not outer]
        if not inner:
            continue
        along_rows += size if access.step(outer) == 1 else 0
        along_columns += size if access.step(inner[0]) == 1 else 0
    return along_rows > along_columns


def _loop_of(index: SSAValue) -> LoopOp:
    block = index.owner
    loop = None if isinstance(block, Operation) else block.parent_op()
    assert isinstance(loop, LoopOp)
    return loop
