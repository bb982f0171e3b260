"""last-block: a small kernel that reads the results of the kernel before it becomes a tail of that kernel.

    kernel A: parallel q: { ...; part[q mod R, q floordiv R] = a(q) }
    kernel B: parallel p in 0 .. R: { out[p] = reduce over i of part[p, i] }
 -> kernel B: parallel q: {
      ...
      part[q mod R, q floordiv R] = a(q)
      last_block counter[q mod R] of N / R: { out[q mod R] = reduce over i of part[q mod R, i] }
    }

The last-arriving program of each counter runs the tail. That saves a launch, which takes a few microseconds. Typical
tails are the second stage of a split reduction and the mean over row results. The order of summation in B is unchanged,
so results do not depend on which program is last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, i32
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.common.buffers import buffer_type
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.loop.accesses import stored_in
from mlc_dialects.loop.dialect import (
    AtomicOp,
    KernelOp,
    LastBlockOp,
    LoadOp,
    LocalOp,
    ReduceOp,
    SerialOp,
    StoreOp,
)
from mlc_dialects.loop.host import AllocOp, CountersOp, FreeOp, LaunchOp, whole_buffer
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.walks import walk
from passes.common.launches import kernels_by_name, launches_by_name
from passes.loop.analysis.kernel_rewriter import LoopCopy, index_of
from passes.loop.analysis.legality import any_order_refusal, repeat_refusal


@dataclass(frozen=True)
class LastBlockPass(ModulePass):
    """Joins a kernel with the one before it, if its programs read few `elements`."""

    name = "last-block"
    elements: int = 8192
    """The most elements of each buffer that a program of the joined kernel reads."""
    block_rows: int = 64
    """If the parts of a row come from programs that are R apart, a block of rows must be finished at once: R must be a
    multiple of this, unless blocks already end with each R rows (`overlap`)."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = launches_by_name(op)
        kernels = {name: kernel for name, kernel in kernels_by_name(op).items() if len(launches[name]) == 1}
        for launch in [launch for same in launches.values() for launch in same]:
            follower = _follower(launch)
            if follower is not None:
                self._join(launch, follower, kernels)

    def _join(self, first: LaunchOp, second: LaunchOp, kernels: dict[str, KernelOp]) -> None:
        """Joins the kernels of two consecutive launches, if that is possible and pays.

        `kernels` are those that are launched once.
        """
        a, b = (kernels.get(launch.kernel.string_value()) for launch in (first, second))
        if a is None or b is None:
            return
        if rows_refusal(a) or rows_refusal(b) or self._work(b) > self.elements:
            return
        arrivals = self._arrivals(a, b, _shared(a, b, first, second))
        if arrivals is not None:
            _build(a, b, first, second, arrivals)
            kernels[a.sym_name.data] = a

    def _work(self, kernel: KernelOp) -> int:
        """The number of columns that a row's loops read; more than any limit if it is unknown."""
        sizes = [loop.size.constant for loop in kernel.rows.loops]
        return sum(self.elements + 1 if size is None else size for size in sizes)

    def _arrivals(self, a: KernelOp, b: KernelOp, shared: Mapping[SSAValue, SSAValue] | None) -> Arrivals | None:
        """The counters at which the iterations of `a` arrive that one row of `b` reads; None if there are none."""
        rows, groups = a.rows.size.constant, b.rows.size.constant
        if not shared or not rows or not groups:
            return None
        if groups == 1:
            return Arrivals(integer(0), 1, rows)
        if rows % groups:
            return None
        q, group = variable("q", a.rows.size), _group_written(a, b, shared)
        adjacent, interleaved = q // integer(rows // groups), q % groups
        if group == adjacent:
            return Arrivals(adjacent, groups, rows // groups)
        if group == interleaved and self._is_whole_blocks(a, b, groups):
            return Arrivals(interleaved, groups, rows // groups)
        return None

    def _is_whole_blocks(self, a: KernelOp, b: KernelOp, rows: int) -> bool:
        """True if no block takes rows of two parts, of `rows` each."""
        cut_at_parts = a.rows.overlap is not None and a.rows.overlap.value.data == rows
        repeats = all(repeat_refusal(kernel.rows) is None for kernel in (a, b))
        return (cut_at_parts and repeats) or rows % self.block_rows == 0


@dataclass(frozen=True)
class Arrivals:
    """Iteration q arrives at element `place` of `counters` counters; `count` iterations arrive at each."""

    place: IndexExpr
    counters: int
    count: int


def _follower(launch: LaunchOp) -> LaunchOp | None:
    """The next launch, if only allocations precede it."""
    following = launch.next_op
    while isinstance(following, AllocOp | FreeOp):
        following = following.next_op
    return following if isinstance(following, LaunchOp) else None


def rows_refusal(kernel: KernelOp) -> str | None:
    """Why a kernel does not reduce its rows each on its own and in any order; None if it does, and has no schedule yet.

    Of blocks that wait for inter-block flags, the second kernel would keep one, which nobody signals; in the first the
    last-arriving block would keep its place on the device while others that are waited for need one.
    """
    if kernel.warps is not None:
        return "it is scheduled"
    if not any(isinstance(op, ReduceOp) for op in kernel.rows.loops):
        return "it reduces nothing"
    if any(isinstance(op, LastBlockOp | LocalOp | SerialOp | AtomicOp) for op in walk(kernel)):
        return "what its blocks do depends on which comes first or last, or on rows before"
    return any_order_refusal(kernel)


def _group_written(a: KernelOp, b: KernelOp, shared: Mapping[SSAValue, SSAValue]) -> IndexExpr | None:
    """The row of the `shared` buffers that row q of `a` writes, where row q of `b` reads row q; else None."""
    q = variable("q", a.rows.size)
    written = {_first_index(op, a.rows.index, q) for op in _stores_to(a, set(shared))}
    read = {_first_index(op, b.rows.index, q) for op in _loads_of(b, set(shared.values()))}
    return written.pop() if len(written) == 1 and read == {q} else None


def _shared(a: KernelOp, b: KernelOp, first: LaunchOp, second: LaunchOp) -> dict[SSAValue, SSAValue] | None:
    """The buffers that `a` writes and `b` reads, under both names; None if the kernels conflict in any other way."""
    written, rewritten = stored_in(a), stored_in(b)
    shared: dict[SSAValue, SSAValue] = {}
    for own, buffer in zip(a.buffers, first.buffers, strict=True):
        for other, again in zip(b.buffers, second.buffers, strict=True):
            if whole_buffer(buffer) is not whole_buffer(again):
                continue
            if other in rewritten or (own in written and buffer is not again):
                return None
            if own in written:
                shared[own] = other
    return shared


def _stores_to(kernel: KernelOp, buffers: set[SSAValue]) -> Iterator[StoreOp]:
    return (op for op in walk(kernel) if isinstance(op, StoreOp) and op.buffer in buffers)


def _loads_of(kernel: KernelOp, buffers: set[SSAValue]) -> Iterator[LoadOp]:
    return (op for op in walk(kernel) if isinstance(op, LoadOp) and op.buffer in buffers)


def _first_index(op: StoreOp | LoadOp, loop: SSAValue, name: IndexExpr) -> IndexExpr | None:
    """The index in the first dimension, with the loop's own index called `name`."""
    own = {f"d{k}": name for k, index in enumerate(op.indices) if index is loop}
    exprs = index_exprs(op.index)
    return exprs[0].substitute(own) if exprs else None


def _build(a: KernelOp, b: KernelOp, first: LaunchOp, second: LaunchOp, arrivals: Arrivals) -> None:
    """Moves the body of `b` to the end of that of `a`, and the buffers that only `b` has to the first launch."""
    block = a.body.block
    known = dict(zip(first.buffers, block.args, strict=True))
    joined = list(first.buffers)
    counters = CountersOp(buffer_type((integer(arrivals.counters),), i32))
    counters.buffer.name_hint = "arrived"
    for buffer, argument in zip((*second.buffers, counters.buffer), (*b.buffers, None), strict=True):
        if buffer not in known:
            known[buffer] = block.insert_arg(buffer.type, len(block.args))
            known[buffer].name_hint = "arrived" if argument is None else argument.name_hint
            joined.append(buffer)
    outer = a.rows
    indices, place = index_of([arrivals.place], {"q": outer.index})
    last = LastBlockOp(known[counters.buffer], indices, place, arrivals.count)
    last.location = b.location
    buffers = {own: known[buffer] for own, buffer in zip(b.buffers, second.buffers, strict=True)}
    _copy_rows(b, buffers, outer.index, arrivals, last)
    outer.body.block.add_op(last)
    if a.sym_name.data.startswith(b.sym_name.data):
        a.sym_name = StringAttr(b.sym_name.data)
    _launch_joined(first, second, counters, LaunchOp(a.sym_name.data, joined))
    Rewriter.erase_op(b)


def _copy_rows(
    kernel: KernelOp, buffers: Mapping[SSAValue, SSAValue], index: SSAValue, arrivals: Arrivals, last: LastBlockOp
) -> None:
    """Copies the computation of a row of `kernel` into the body of `last`; the row is the counter's number."""
    copy = LoopCopy(kernel, kernel.sym_name.data)
    copy.values |= buffers
    copy.bind(kernel.rows.index, arrivals.place, {"q": index})
    for op in kernel.rows.body.block.ops:
        copy.op(op, last.body.block)


def _launch_joined(first: LaunchOp, second: LaunchOp, counters: CountersOp, joined: LaunchOp) -> None:
    """One launch in place of the first; what the second writes is allocated before it."""
    block, following = first.parent, first.next_op
    assert block is not None
    while following is not second:
        op, following = following, following.next_op if following is not None else None
        if isinstance(op, AllocOp):
            op.detach()
            block.insert_op_before(op, first)
    counters.location = joined.location = second.location
    Rewriter.replace_op(first, [counters, joined], [])
    Rewriter.erase_op(second)
