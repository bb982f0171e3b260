"""How the loads and stores of a kernel walk through memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from mlc_dialects.buffers import buffer_element, buffer_offset, buffer_strides
from mlc_dialects.index_syntax import index_exprs, operand_name
from mlc_dialects.mlc_loop import AtomicOp, KernelOp, LoadOp, LookupOp, LoopOp, ParallelOp, ScanOp, StoreOp
from mlc_dialects.types import byte_size
from mlc_support.index_expr import IndexExpr, integer


@dataclass(frozen=True)
class Access:
    """A load or store: its distance in memory between neighbours of each loop, and its element's bytes."""

    op: LoadOp | StoreOp | AtomicOp
    offset: IndexExpr
    """The address in elements; d0, d1, ... are the op's indices."""
    loops: tuple[LoopOp, ...]
    """The loop of each index; of a lookup, the innermost loop that it is in."""

    @property
    def element_bytes(self) -> int:
        return byte_size(buffer_element(self.op.buffer.type))

    @property
    def is_aligned(self) -> bool:
        """True unless a line of memory that a loop walks begins off a multiple of 16 bytes, which wide loads need."""
        strides = [s.constant for s in buffer_strides(self.op.buffer.type)]
        return all(stride is None or stride == 1 or stride * self.element_bytes % 16 == 0 for stride in strides)

    @property
    def looks_up(self) -> bool:
        """True if a part of the place is data."""
        return any(_is_lookup(v) for v in self.op.indices)

    def step(self, loop: LoopOp) -> int | None:
        """Elements between two neighbouring iterations of `loop` from 0 on; None if that is not known."""
        if any(_is_lookup(v) and _is_inside(owner, loop) for v, owner in zip(self.op.indices, self.loops, strict=True)):
            return None
        names = [operand_name(k) for k, owner in enumerate(self.loops) if owner is loop]
        start = {operand_name(k): integer(0) for k in range(len(self.loops))}
        moved = start | {name: integer(1) for name in names}
        return (self.offset.substitute(moved) - self.offset.substitute(start)).constant


def accesses(kernel: KernelOp) -> Iterable[Access]:
    """Every load and store of the kernel with its address."""
    for op in kernel.walk():
        if isinstance(op, LoadOp | StoreOp | AtomicOp):
            yield Access(
                op, buffer_offset(op.buffer.type, index_exprs(op.index)), tuple(_loop_of(v) for v in op.indices)
            )


def widest_element(found: Iterable[Access]) -> int:
    """The bytes of the widest element that is read or written for each row and column; 4 if there is none."""
    return max((access.element_bytes for access in found if len(access.loops) > 1), default=4)


def walks_rows(outer: ParallelOp, reads: Sequence[Access]) -> bool:
    """True if more bytes lie side by side along the rows than along the reduced columns."""
    along_rows = along_columns = 0
    for access in reads:
        size = access.element_bytes
        inner = [loop for loop in access.loops if loop is not outer]
        if not inner:
            continue
        along_rows += size if access.step(outer) == 1 else 0
        along_columns += size if access.step(inner[0]) == 1 else 0
    return along_rows > along_columns


def _loop_of(index: SSAValue) -> LoopOp:
    owner = index.owner
    loop = owner.parent_op()
    assert isinstance(loop, LoopOp)
    return loop


def _is_lookup(index: SSAValue) -> bool:
    return isinstance(index.owner, LookupOp)


def _is_inside(loop: Operation, outer: LoopOp) -> bool:
    parent = loop.parent_op()
    return loop is outer or (parent is not None and _is_inside(parent, outer))


def has_scan(loop: LoopOp) -> bool:
    """True if the iterations of `loop` have an order: one needs what those before it came to."""
    return any(isinstance(op, ScanOp) for op in loop.body.block.ops)
