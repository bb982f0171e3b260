"""How the loads and stores of a kernel walk through memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.buffers import buffer_element, buffer_offset, buffer_shape, buffer_strides
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.dialect import (
    AtomicOp,
    IndexOp,
    IndirectIndexOp,
    KernelOp,
    LastBlockOp,
    LoadOp,
    LoopOp,
    ParallelOp,
    ReduceOp,
    ScanOp,
    StoreOp,
)
from mlc_dialects.loop.memory import divisors
from mlc_support.index_expr import IndexExpr, integer, product, variable
from mlc_support.index_maps import PROBES, assumed, divided_bounds, divided_names, usual_step
from mlc_support.powers import power_of_two_up_to
from mlc_support.walks import walk
from passes.common.device import SECTOR_BYTES, WIDEST_BYTES, Device


@dataclass(frozen=True)
class Access:
    """A load or store: its distance in memory between neighbours of each loop, and its element's bytes."""

    op: LoadOp | StoreOp | AtomicOp
    offset: IndexExpr
    """The address in elements; d0, d1, ... are the op's indices."""
    loops: tuple[LoopOp, ...]
    """The loop of each index; of a lookup, the innermost loop that it is in."""

    @cached_property
    def element_bytes(self) -> int:
        return byte_size(buffer_element(self.op.buffer.type))

    @cached_property
    def is_aligned(self) -> bool:
        """True unless a line of memory that a loop walks begins off a multiple of WIDEST_BYTES: wide loads need one."""
        return all((m and abs(c) == 1) or c * self.element_bytes % WIDEST_BYTES == 0 for m, c in self.offset.terms)

    @property
    def is_indirect(self) -> bool:
        """True if a part of the place is data."""
        return any(_is_indirect(v) for v in self.op.indices)

    @property
    def is_plain(self) -> bool:
        """True if the place is no data, and nothing decides whether it is read or written at all."""
        return not self.is_indirect and self.op.condition is None

    def step(self, loop: LoopOp) -> int | None:
        """Elements between two neighbouring iterations of `loop` from 0 on; None if that is not known."""
        if any(
            _is_indirect(v) and _is_inside(owner, loop) for v, owner in zip(self.op.indices, self.loops, strict=True)
        ):
            return None
        return _step(self.offset, tuple(owner is loop for owner in self.loops))


@lru_cache(maxsize=1 << 14)
def _step(offset: IndexExpr, moves: tuple[bool, ...]) -> int | None:
    """`usual_step` of the neighbours from 0 on along the indices that move; the others are 0."""
    names = [operand_name(k) for k, is_moving in enumerate(moves) if is_moving]
    start = {operand_name(k): integer(0) for k in range(len(moves))}
    return usual_step(offset, [start | dict.fromkeys(names, integer(k)) for k in range(PROBES)])


def buffer_bytes(buffer: SSAValue) -> int:
    """The size of a buffer; 0 if it is not known."""
    return (product(buffer_shape(buffer.type)).constant or 0) * byte_size(buffer_element(buffer.type))


def span(type_: Attribute) -> IndexExpr:
    """The elements of memory from the first to the last of a buffer."""
    total = integer(1)
    for size, stride in zip(buffer_shape(type_), buffer_strides(type_), strict=True):
        total = total + (size - 1) * stride
    return total


def around(op: Operation) -> Iterator[LoopOp]:
    """The loops that `op` is in, the innermost first."""
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, LoopOp):
            yield parent
        parent = parent.parent_op()


def accesses(kernel: KernelOp) -> Iterable[Access]:
    """Every load and store with its address, but for what a few last programs do when the kernel's work is done."""
    for op in walk(kernel):
        if isinstance(op, LoadOp | StoreOp | AtomicOp) and not _is_late(op):
            yield Access(
                op, buffer_offset(op.buffer.type, index_exprs(op.index)), tuple(_loop_of(v) for v in op.indices)
            )


def dividends(kernel: KernelOp) -> Iterator[IndexExpr]:
    """The most that each number can be that an index divides: a place in what is rolled, for one, and its start."""
    for op in walk(kernel):
        if isinstance(op, LoadOp | StoreOp | AtomicOp | IndexOp):
            exprs = index_exprs(op.index)
            address = exprs if isinstance(op, IndexOp) else (buffer_offset(op.buffer.type, exprs),)
            bounds = {operand_name(k): variable(operand_name(k), _extent(v)) for k, v in enumerate(op.indices)}
            for expr in address:
                if divided_names(expr):
                    yield from divided_bounds(expr.substitute(bounds))


def _extent(index: SSAValue) -> IndexExpr:
    owner = index.owner
    return owner.size if isinstance(owner, IndirectIndexOp) else _loop_of(index).size


def widest_element(found: Iterable[Access]) -> int:
    """The bytes of the widest element that is read or written for each row and column; 4 if there is none."""
    return max((access.element_bytes for access in found if len(access.loops) > 1), default=4)


def coalesced_bytes(outer: ParallelOp, reads: Sequence[Access]) -> tuple[int, int]:
    """Bytes of a row that lie side by side with those of neighbouring rows, and with their own neighbours.

    What is the same in all rows, or in all columns, does not count: it is small and soon in a cache. Nor does what each
    row shares with the next as it begins elsewhere in it: a buffer of less than two rows is not walked along them.
    """
    along_rows = along_columns = 0
    for access in reads:
        inner = [loop for loop in access.loops if loop is not outer]
        if not inner:
            continue
        row, column = access.step(outer), access.step(inner[0])
        bytes_ = access.element_bytes * assumed(inner[0].size)
        shared = column == 1 and 0 < buffer_bytes(access.op.buffer) < 2 * bytes_
        along_rows += bytes_ if _is_coalesced(access, row, column) and not shared else 0
        along_columns += bytes_ if _is_coalesced(access, column, row) else 0
    return along_rows, along_columns


def _is_coalesced(access: Access, step: int | None, other: int | None) -> bool:
    """True if neighbours, `step` apart, share a sector, and those of another loop, `other` apart, do less so."""
    if step is None or step < 1 or other == 0:
        return False
    return step == 1 or (step * access.element_bytes < SECTOR_BYTES and (other is None or step < abs(other)))


def is_coalesced_along_rows(outer: ParallelOp, reads: Sequence[Access]) -> bool:
    """True if neighbouring lanes should take neighbouring rows: a fair share of memory lies side by side along them.

    Each element that is not beside the next lane's moves a sector of 32 bytes for itself. So a quarter will do: blocks
    of rows and columns read whole lines of what lies along either.
    """
    along_rows, along_columns = coalesced_bytes(outer, reads)
    return along_rows > 0 and 4 * along_rows >= along_columns


def lies_along_rows(outer: ParallelOp, reads: Sequence[Access]) -> bool:
    """True if some memory lies side by side along the rows, be it little: several rows together write whole sectors."""
    return coalesced_bytes(outer, reads)[0] > 0


def _loop_of(index: SSAValue) -> LoopOp:
    owner = index.owner
    loop = owner.parent_op()
    assert isinstance(loop, LoopOp)
    return loop


def _is_late(op: Operation) -> bool:
    parent = op.parent_op()
    return parent is not None and (isinstance(parent, LastBlockOp) or _is_late(parent))


def _is_indirect(index: SSAValue) -> bool:
    return isinstance(index.owner, IndirectIndexOp)


def _is_inside(loop: Operation, outer: LoopOp) -> bool:
    parent = loop.parent_op()
    return loop is outer or (parent is not None and _is_inside(parent, outer))


def longest(loops: Sequence[LoopOp]) -> list[LoopOp]:
    """Those of `loops` that no other has more iterations than."""
    return [loop for loop in loops if all(assumed(loop.size) >= assumed(other.size) for other in loops)]


def are_aligned(loops: Sequence[LoopOp], found: Iterable[Access]) -> bool:
    """True if all that the longest of `loops` read and write is aligned."""
    long = longest(loops)
    return all(access.is_aligned for access in found if any(loop in long for loop in access.loops))


def reread_bytes(loops: Sequence[LoopOp], least: int = 1) -> int:
    """Bytes that one iteration of the longest loops loads and a later loop's loads again; `least` of each buffer."""
    seen: set[SSAValue] = set()
    again: dict[SSAValue, int] = {}
    for loop in longest(loops):
        found = {op.buffer for op in walk(loop) if isinstance(op, LoadOp) and loop.index in op.indices}
        again |= {buffer: max(least, byte_size(buffer_element(buffer.type))) for buffer in found & seen}
        seen |= found
    return sum(again.values())


def are_contiguous(loops: Sequence[LoopOp]) -> bool:
    """True if no loop runs over planes."""
    return not any(map(divisors, loops))


def longest_register_row(loops: Sequence[LoopOp], device: Device) -> int:
    """The longest row, a power of two, of which registers hold what `loops` read again, and what they compute of it.

    That is half of a multiprocessor's registers: the rest is for other values. What is computed is a number of 4 bytes
    or more a column for each buffer, or for each reduction if those are fewer.
    """
    reduced = sum(len(loop.kinds) for loop in loops if isinstance(loop, ReduceOp))
    computed = min(reread_bytes(loops, least=4), 4 * reduced)
    return power_of_two_up_to(device.register_bytes // 2 // max(1, reread_bytes(loops), computed))


def loaded_bytes(loops: Sequence[LoopOp], least: int = 1) -> int:
    """Bytes that the greediest of `loops` loads of each column; of each buffer, `least` at least."""
    loads = [[op for op in walk(loop) if isinstance(op, LoadOp) and loop.index in op.indices] for loop in loops]
    return max(sum(max(least, byte_size(op.result.type)) for op in found) for found in loads)


def has_scan(loop: LoopOp) -> bool:
    """True if the iterations of `loop` have an order: one needs what those before it came to."""
    return any(isinstance(op, ScanOp) for op in loop.body.block.ops)


def is_known(kernel: KernelOp) -> bool:
    """True if the extents of all loops are numbers, and not 0."""
    return all(op.size.constant for op in walk(kernel) if isinstance(op, LoopOp))


def scans(kernel: KernelOp) -> bool:
    """True if some iterations of a kernel have an order."""
    return any(map(has_scan, kernel.rows.loops))


def stores(loops: Sequence[LoopOp]) -> list[StoreOp]:
    """What `loops` write."""
    return [op for loop in loops for op in walk(loop) if isinstance(op, StoreOp)]


def kinds(loops: Sequence[LoopOp]) -> set[str]:
    """The kinds of the reductions among `loops`."""
    return {kind.data for loop in loops if isinstance(loop, ReduceOp) for kind in loop.kinds}


def most_columns(loops: Sequence[LoopOp]) -> int | None:
    """The most columns that one of the loops has; None if that is not known."""
    sizes = [loop.size.constant for loop in loops]
    return None if None in sizes else max((size for size in sizes if size is not None), default=0)
