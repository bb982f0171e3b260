"""What TorchInductor's lowering makes of `mlc_tensor` ops: buffers, each computed by one loop nest.

Pointwise ops are inlined into their readers, and so computed again by each, until something makes a
result a buffer: a reader that needs memory, a second reader of what has many loads, or sheer size.
Follows torch/_inductor/graph.py (run_node), ir.py (StorageBox) and choices.py (reduction_split_factor).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.common.types import byte_size, element_type, shape_of
from mlc_dialects.iteration.domain import domain_of
from mlc_dialects.iteration.iterate import is_free, sources
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PermuteOp, ReshapeOp, ViewOp, viewed
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.index_maps import assumed, delinearize
from passes.common.device import H200

REALIZE_READS = 4
"""A result with more loads than this becomes a buffer when it has a second reader."""
REALIZE_ACCUMULATED_READS = 8
REALIZE_OPS = 30
MULTIPROCESSORS, THREADS_PER_CORE = H200.multiprocessors, H200.lanes_per_multiprocessor

OWN_LOOPS: dict[type[Operation], str] = {ReduceOp: "a reduction", ScanOp: "a scan", ScatterOp: "a scatter"}
"""Ops that read what is inlined, and whose results are in memory."""

Index = tuple[IndexExpr, ...]
Dep = tuple[SSAValue, IndexExpr]


@dataclass(eq=False)
class Buffer:
    """A result in memory, and the loops that compute it: t over all points, or p and r where it is a reduction."""

    op: Operation
    kind: str
    """pointwise, reduction, extern; or partial, where a second reduction finishes it."""
    ops: list[Operation]
    """What its loops compute, inlined ops and itself, in program order."""
    points: int
    reduced: int = 1
    shape: tuple[int, ...] = ()
    reads: list[Dep] = field(default_factory=list[Dep])
    writes: list[Dep] = field(default_factory=list[Dep])
    order: int = 0
    whole: tuple[int, int] = (0, 0)
    """Points and reduced points of a partial reduction before it was split."""

    @property
    def is_reduction(self) -> bool:
        return self.kind in ("reduction", "partial")


class Lowering:
    """One walk over a block, which decides op by op what becomes a buffer."""

    def __init__(self, block: Block):
        self.ops = list(block.ops)
        self.position = {op: i for i, op in enumerate(self.ops)}
        self.last = block.last_op
        self.realized: dict[SSAValue, str] = dict.fromkeys(block.args, "argument")
        """Values in memory, and why each came to be there."""
        self._loads: dict[SSAValue, frozenset[tuple[SSAValue, SSAValue]]] = {}
        self._inlined: dict[SSAValue, frozenset[Operation]] = {}
        self.layout: dict[SSAValue, tuple[int, ...]] = {}
        """The dimensions of each value, the outermost in memory first."""

    def run(self) -> list[Buffer]:
        """The buffers, in the order of their ops."""
        for op in self.ops:
            for result in op.results:
                self.layout[result] = self._layout(op)
            self._lower(op)
        buffers = [b for op in self.ops for b in self._buffers(op)]
        for order, buffer in enumerate(buffers):
            buffer.order = order
        return buffers

    def _lower(self, op: Operation) -> None:
        """Inlines the op, and realizes it or its operands where a rule says so."""
        if op is self.last:
            for value in op.operands:
                self._realize(viewed(value), "a result of the graph")
            return
        if isinstance(op, ElementwiseOp | CastOp) or type(op) in OWN_LOOPS or is_free(op):
            self._inline(op)
            if type(op) in OWN_LOOPS:
                self._realize(op.results[0], OWN_LOOPS[type(op)])
            self._realize_by_use(op)
            return
        for value in op.operands:
            self._realize(viewed(value), "a library call reads it")
        for result in op.results:
            self._realize(result, "a library call")

    def _inline(self, op: Operation) -> None:
        loads: set[tuple[SSAValue, SSAValue]] = set()
        inlined: set[Operation] = set() if isinstance(op, ViewOp) else {op}
        for value in op.operands:
            if value in self.realized or viewed(value) in self.realized:
                loads.add((viewed(value), value))
            else:
                loads |= self._loads[value]
                inlined |= self._inlined[value]
        for result in op.results:
            self._loads[result], self._inlined[result] = frozenset(loads), frozenset(inlined)

    def _realize_by_use(self, op: Operation) -> None:
        """The rules of graph.py, after the op has been lowered."""
        result = viewed(op.results[0])
        if result in self.realized or result not in self._loads:
            return
        users = {u.operation for u in op.results[0].uses}
        why = next(self._reasons(result, users), None)
        if why is not None:
            self._realize(result, why)

    def _reasons(self, result: SSAValue, users: set[Operation]) -> Iterator[str]:
        """Why a value goes to memory; the first reason counts."""
        loads, size = self._loads[result], self._size(result)
        buffers = len({b for b, _ in loads})
        many = sum(prod(_sizes(b)) > 1 for b, _ in loads) > 1
        if len(users) > 1:
            yield from self._reasons_of_readers(result, users, many)
        if many and buffers > REALIZE_ACCUMULATED_READS:
            yield f"{buffers} buffers read are more than {REALIZE_ACCUMULATED_READS}"
        if many and size > REALIZE_OPS:
            yield f"{size} inlined ops are more than {REALIZE_OPS}"
        if size > 100:
            yield f"{size} inlined ops are more than 100"

    def _reasons_of_readers(self, result: SSAValue, users: set[Operation], many: bool) -> Iterator[str]:
        """Why a value with several readers goes to memory; `many` if it is computed from several tensors."""
        loads, size = self._loads[result], self._size(result)
        buffers = len({b for b, _ in loads})
        if many and any(isinstance(u, MatmulOp) for u in users):
            yield "a product reads it, and others too"
        if self.last in users and loads:
            yield "a result of the graph with other readers"
        if size > REALIZE_OPS:
            yield f"{size} inlined ops are more than {REALIZE_OPS}, and it has {len(users)} readers"
        if buffers > REALIZE_READS:
            yield f"{buffers} buffers read are more than {REALIZE_READS}, and it has {len(users)} readers"

    def _size(self, value: SSAValue) -> int:
        """Loads, constants and functions of the loop body."""
        return len(self._loads[value]) + len(self._inlined[value])

    def _realize(self, value: SSAValue, why: str) -> None:
        if value not in self.realized:
            self.realized[value] = why

    def _layout(self, op: Operation) -> tuple[int, ...]:
        """As PyTorch keeps it: pointwise results follow their first operand of full shape."""
        rank = len(_sizes(op.results[0]))
        if isinstance(op, PermuteOp):
            inner = self.layout.get(op.input, tuple(range(rank)))
            return tuple(op.order.index(d) for d in inner)
        if isinstance(op, ElementwiseOp | CastOp):
            for value in op.operands:
                if not isinstance(viewed(value).owner, ConstantOp) and not isinstance(value.owner, BroadcastOp):
                    return self.layout.get(value, tuple(range(rank)))
        return tuple(range(rank))

    def strides(self, value: SSAValue) -> tuple[int, ...]:
        """Strides in elements."""
        sizes = _sizes(value)
        strides, step = [0] * len(sizes), 1
        for d in reversed(self.layout.get(value, tuple(range(len(sizes))))):
            strides[d] = step
            step *= sizes[d]
        return tuple(strides)

    def steps(self, buffer: Buffer) -> set[int]:
        """The strides of the loops of a buffer: loops whose strides are others are not brought into one order."""
        op = buffer.op
        value = op.input if isinstance(op, ReduceOp) else op.results[0]
        found = {d: step for d, step in enumerate(self.strides(value)) if _sizes(value)[d] > 1}
        if buffer.kind == "partial" and isinstance(op, ReduceOp):
            return {*found.values(), *(found[d] * buffer.reduced for d in op.reduced if d in found)}
        return set(found.values())

    def address(self, value: SSAValue, index: Sequence[IndexExpr]) -> IndexExpr:
        """The place in memory of one element."""
        total = integer(0)
        for i, stride, size in zip(index, self.strides(value), _sizes(value), strict=True):
            if size > 1:
                total = total + i * stride
        return total

    def _buffers(self, op: Operation) -> Iterator[Buffer]:
        """The loops of a realized op."""
        if op is self.last or not op.results or op.results[0] not in self.realized or not self._is_read(op):
            return
        result = op.results[0]
        if isinstance(op, ReduceOp):
            yield from self._reduction(op)
        elif isinstance(op, ScanOp):
            yield self._scan(op)
        elif isinstance(op, ScatterOp):
            yield from self._scatter(op)
        elif result in self._loads:
            yield self.pointwise(op, self.layout[result])
        else:
            reads = [(viewed(v), integer(0)) for v in op.operands]
            yield Buffer(op, "extern", [op], 0, reads=reads, writes=[(r, integer(0)) for r in op.results])

    def _is_read(self, op: Operation) -> bool:
        return any(r.uses for r in op.results)

    def pointwise(self, op: Operation, order: Sequence[int]) -> Buffer:
        """The loops of a pointwise result, over its dimensions in that order, the outermost first."""
        result = op.results[0]
        sizes = _sizes(result)
        count = prod(sizes)
        inner = delinearize(variable("t", integer(count)), tuple(integer(sizes[d]) for d in order))
        index = [integer(0)] * len(sizes)
        for d, i in zip(order, inner, strict=True):
            index[d] = i
        ops, reads = self._walk(op, [(result, tuple(index))])
        buffer = Buffer(op, "pointwise", ops, count, shape=sizes, reads=reads)
        buffer.writes = [(result, self.address(result, index))]
        return buffer

    def _reduction(self, op: ReduceOp) -> Iterator[Buffer]:
        """One loop nest, or two where a split gives more programs."""
        domain = domain_of(op)
        points, reduced = assumed(domain.rows), assumed(domain.columns)
        inner = points == 1 or len(domain.shape) - 1 in domain.reduced
        split = split_factor(points, reduced, inner) if not op.kind.data.startswith("arg") else 1
        p, r = variable("p", integer(points)), variable("r", integer(reduced))
        point = domain.point_at(variable("p", domain.rows), variable("r", domain.columns))
        if split == 1:
            ops, reads = self._walk(op, [(op.input, point)])
            yield Buffer(op, "reduction", self._ordered(ops, op), points, reduced, reads=reads, writes=[(op.result, p)])
            return
        block = -(-reduced // split)
        outer, r = variable("p", integer(points * split)), variable("r", integer(block))
        names = {"p": outer // split, "r": (outer % split) * block + r}
        ops, reads = self._walk(op, [(op.input, tuple(i.substitute(names) for i in point))])
        members = self._ordered(ops, op)
        writes: list[Dep] = [(op.result, outer)]
        whole = points, reduced
        yield Buffer(op, "partial", members, points * split, block, reads=reads, writes=writes, whole=whole)
        r = variable("r", integer(split))
        yield Buffer(op, "reduction", [op], points, split, reads=[(op.result, p * split + r)], writes=[(op.result, p)])

    def _scan(self, op: ScanOp) -> Buffer:
        """One loop nest: a row of the scan is a reduction's, and all of it is stored."""
        sizes = _sizes(op.result)
        length = sizes[op.axis]
        points = prod(sizes) // max(1, length)
        others = tuple(integer(n) for d, n in enumerate(sizes) if d != op.axis)
        place = list(delinearize(variable("p", integer(points)), others))
        place.insert(op.axis, variable("r", integer(length)))
        ops, reads = self._walk(op, [(op.input, tuple(place))])
        writes: list[Dep] = [(op.result, self.address(op.result, place))]
        return Buffer(op, "reduction", self._ordered(ops, op), points, length, reads=reads, writes=writes)

    def _scatter(self, op: ScatterOp) -> Iterator[Buffer]:
        """A copy of what is scattered into, and a loop over the updates, which are stored where the indices say."""
        into = op.into.owner
        copy = self._flat(op, op.into, [op.into], (op.result, variable("t", integer(prod(_sizes(op.into))))))
        copy.ops = [into] if isinstance(into, ConstantOp) else copy.ops
        yield copy
        stored = op.result, variable(f"place{self.position[op]}")
        scattered = self._flat(op, op.updates, [op.updates, *op.indices], stored)
        scattered.ops = self._ordered(scattered.ops, op)
        scattered.reads.append(stored)
        yield scattered

    def _flat(self, op: Operation, like: SSAValue, values: Sequence[SSAValue], write: Dep) -> Buffer:
        """Loops over the elements of `like`, its rows one after another, that compute the same elements of `values`."""
        shape = _sizes(like)
        index = tuple(delinearize(variable("t", integer(prod(shape))), tuple(map(integer, shape))))
        ops, reads = self._walk(op, [(value, index) for value in values])
        return Buffer(op, "pointwise", ops, prod(shape), shape=shape, reads=reads, writes=[write])

    def _ordered(self, ops: list[Operation], last: Operation) -> list[Operation]:
        return sorted([*ops, last], key=self.position.__getitem__)

    def _walk(self, op: Operation, work: list[tuple[SSAValue, Index]]) -> tuple[list[Operation], list[Dep]]:
        """The ops that the loops of `op` compute, and what they load from where."""
        ops: set[Operation] = set()
        reads: dict[Dep, None] = {}
        seen: set[tuple[SSAValue, Index]] = set()
        while work:
            value, index = work.pop()
            if (value, index) in seen:
                continue
            seen.add((value, index))
            owner = value.owner
            if value in self.realized and owner is not op:
                reads[(value, self.address(value, index))] = None
            elif isinstance(owner, Operation) and not isinstance(owner, ReduceOp):
                if not isinstance(owner, ViewOp | ConstantOp):
                    ops.add(owner)
                work.extend(self._sources(owner, index))
        return sorted(ops, key=self.position.__getitem__), list(reads)

    def _sources(self, op: Operation, index: Index) -> Iterator[tuple[SSAValue, Index]]:
        """The elements of operands that the element `index` is computed from.

        Where a gather reads, only its indices know. Pieces of a concatenation are read at a difference that is not
        simplified (lowering.py, pointwise_cat): it is no place which another kernel writes.
        """
        if isinstance(op, GatherOp):
            place = f"place{self.position[op]}"
            yield from ((i, index) for i in op.indices)
            yield op.input, tuple(variable(f"{place}_{d}", integer(n)) for d, n in enumerate(_sizes(op.input)))
        elif isinstance(op, CatOp):
            for value, start in zip(op.inputs, op.offsets(), strict=False):
                moved = variable(f"{index[op.axis]} - {start}", integer(_sizes(value)[op.axis]))
                yield value, tuple(moved if d == op.axis else i for d, i in enumerate(index))
        else:
            yield from sources(op, index)


def split_factor(points: int, reduced: int, inner: bool) -> int:
    """Into how many parts a reduction is cut, so that programs fill the device: choices.py, for an H200."""
    if points == 0 or (points > 1 and (reduced <= 32 or points >= MULTIPROCESSORS * 2 * 32)):
        return 1
    threads = 256
    least, most = (n * MULTIPROCESSORS * THREADS_PER_CORE for n in (32, 512))
    total = points * reduced
    if inner:
        if points >= 2 * MULTIPROCESSORS or reduced <= 8192:
            return 1
        blocks = -(-(MULTIPROCESSORS * THREADS_PER_CORE // (2 * threads)) // points)
        width, near = threads, 30
    else:
        xblocks = -(-points // 128)
        blocks = -(-(MULTIPROCESSORS * THREADS_PER_CORE // threads) // xblocks)
        width, near = 4, 20
    if total <= least - (not inner):
        size = 32
    elif total < most:
        wanted = -(-reduced // (width * blocks))
        closest = min(_divisors(reduced), key=lambda d: abs(d - wanted))
        size = max(closest, 32) if abs(closest - wanted) < near else wanted
    else:
        closest = min(_divisors(reduced), key=lambda d: abs(d - 512))
        size = closest if abs(closest - 512) < 50 else 512
    return -(-reduced // (size * width))


def _divisors(number: int) -> list[int]:
    return [d for d in range(1, number + 1) if number % d == 0]


def _sizes(value: SSAValue) -> tuple[int, ...]:
    """The shape in numbers; none for a number that a call gives."""
    return tuple(assumed(s) for s in shape_of(value.type)) if isinstance(value.type, TensorType) else ()


def dep_bytes(dep: Dep) -> int:
    """The bytes that a loop nest touches through one load or store."""
    value, index = dep
    extents = {v.name: assumed(v.extent) for v in index.variables() if v.extent is not None}
    return min(prod(extents.values()), prod(_sizes(value))) * byte_size(element_type(value.type))


__all__ = ["Buffer", "Dep", "Lowering", "ReshapeOp", "dep_bytes", "split_factor"]
