"""split-reduction: a reduction with too few rows to fill the device becomes two kernels.

    s[p] = reduce over r of f(p, r)                        R columns, few rows
 -> part[p, i] = reduce over k of f(p, i * C + k)          parts * rows programs, C = R / parts
    s[p] = reduce over i of part[p, i]

What the kernel computes from s moves to the second kernel; what it stores for every (p, r)
stays with the first. Sums are reassociated, as every parallel reduction does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.buffers import buffer_type
from mlc_dialects.index_syntax import index_attribute, operand_name
from mlc_dialects.loop_host import AllocOp, FreeOp, LaunchOp
from mlc_dialects.mlc_loop import KernelOp, LoadOp, LoopOp, ParallelOp, ReduceOp, ScanOp, StoreOp, YieldOp
from mlc_dialects.reductions import identity
from mlc_support.index_expr import IndexExpr, integer, variable
from passes.loop_access import accesses, walks_rows
from passes.loop_copy import LoopCopy


@dataclass(frozen=True)
class SplitReductionPass(ModulePass):
    """Splits reductions that would run as fewer than `busy` programs into about `programs` of them.

    A part has at least `shortest` columns; `beside` is how many rows a program takes where rows
    lie side by side in memory. Kernels of unknown size stay whole.
    """

    name = "split-reduction"
    busy: int = 264
    programs: int = 1024
    shortest: int = 1024
    beside: int = 64

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [k for k in op.ops if isinstance(k, KernelOp)]
        launches = [launch for launch in op.walk() if isinstance(launch, LaunchOp)]
        for kernel in kernels:
            across = walks_rows(_row_loop(kernel), list(accesses(kernel)))
            length = self._length(kernel, across)
            if length is not None:
                own = [x for x in launches if x.kernel.string_value() == kernel.sym_name.data]
                split(op, kernel, length, across, own)

    def _length(self, kernel: KernelOp, across: bool) -> int | None:
        """How many columns one part has, a power of two; None to leave the kernel whole."""
        outer = _row_loop(kernel)
        reductions = [op for op in outer.body.block.ops if isinstance(op, ReduceOp)]
        if any(isinstance(op, ScanOp) for op in kernel.walk()):
            return None
        if len(reductions) != 1 or any(k.data.startswith("arg") for k in reductions[0].kinds):
            return None
        inner = [op for op in outer.body.block.ops if isinstance(op, ParallelOp)]
        if any(_needs(op, reductions[0]) for op in inner):
            return None
        rows, columns = outer.size.constant, reductions[0].size.constant
        if rows is None or columns is None or rows == 0:
            return None
        programs = -(-rows // self.beside) if across else rows
        shortest = max(1, self.shortest // self.beside) if across else self.shortest
        if programs >= self.busy or columns < 2 * shortest:
            return None
        parts = max(1, self.programs // programs)
        return max(shortest, 1 << (-(-columns // parts) - 1).bit_length())


def split(module: ModuleOp, kernel: KernelOp, length: int, across: bool, launches: Sequence[LaunchOp]) -> None:
    """Replaces `kernel` and its launches by two kernels and theirs; a part has `length` columns.

    `across` says that rows lie side by side in memory: then neighbouring programs take neighbouring
    rows of one part, else neighbouring parts of one row.
    """
    reduction = next(op for op in _row_loop(kernel).body.block.ops if isinstance(op, ReduceOp))
    rows, columns = _row_loop(kernel).size, reduction.size.constant
    assert columns is not None, "only reductions of known size are split"
    parts = -(-columns // length)
    types = [buffer_type((rows, integer(parts)), v.type) for v in reduction.yielded]
    first, first_buffers = _partial_kernel(kernel, reduction, _Parts(rows, parts, length, across), types)
    second, second_buffers = _final_kernel(kernel, parts, types)
    for new in (first, second):
        new.location = kernel.location
        module.body.block.insert_op_before(new, kernel)
    for launch in launches:
        buffers: dict[SSAValue, SSAValue] = dict(zip(kernel.body.block.args, launch.buffers, strict=True))
        allocations = [AllocOp(t) for t in types]
        partials = [a.buffer for a in allocations]
        for partial in partials:
            partial.name_hint = "partial"
        ops = [
            *allocations,
            LaunchOp(first.sym_name.data, [*(buffers[b] for b in first_buffers), *partials]),
            LaunchOp(second.sym_name.data, [*(buffers[b] for b in second_buffers), *partials]),
            *(FreeOp(p) for p in partials),
        ]
        for op in ops:
            op.location = launch.location
        Rewriter.replace_op(launch, ops, [])
    Rewriter.erase_op(kernel)


@dataclass(frozen=True)
class _Parts:
    """How the first kernel's loop over q in [0, rows * count) says which row and which part it is at."""

    rows: IndexExpr
    count: int
    length: int
    across: bool

    def place(self, q: IndexExpr) -> tuple[IndexExpr, IndexExpr]:
        """(row, part) of q."""
        return (q % self.rows, q // self.rows) if self.across else (q // self.count, q % self.count)


def _partial_kernel(
    kernel: KernelOp, reduction: ReduceOp, parts: _Parts, types: Sequence[Attribute]
) -> tuple[KernelOp, list[SSAValue]]:
    """The first kernel: each program reduces one part of one row. Its buffers are the original's, then the parts."""
    columns, length = reduction.size, integer(parts.length)
    copy = LoopCopy(kernel, f"{kernel.sym_name.data}_parts", types)
    outer = ParallelOp(parts.rows * parts.count)
    outer.index.name_hint = "q"
    copy.block.add_op(outer)
    q = variable("q", outer.size)
    row, part = parts.place(q)
    copy.bind(_row_loop(kernel).index, row, {"q": outer.index})
    for op in _row_loop(kernel).body.block.ops:
        if isinstance(op, LoopOp):
            kinds = [k.data for k in op.kinds] if isinstance(op, ReduceOp) else []
            loop = ReduceOp(kinds, length, op.result_types) if kinds else ParallelOp(length)
            loop.index.name_hint = "k"
            position = part * length + variable("k", length)
            copy.bind(op.index, position, {"q": outer.index, "k": loop.index})
            exact = length * parts.count == columns
            _copy_part(copy, op, loop, None if exact else position - columns)
            loop.location = op.location
            outer.body.block.add_op(loop)
            if isinstance(loop, ReduceOp):
                _store_parts(copy, outer, loop, parts)
        elif not isinstance(op, StoreOp) and not _needs(op, reduction):
            copy.op(op, outer.body.block)
    return copy.finish()


def _copy_part(copy: LoopCopy, op: LoopOp, loop: LoopOp, beyond: IndexExpr | None) -> None:
    """Copies a loop's body for one part; where `beyond` >= 0 the column is past the end and must not count."""
    body = loop.body.block
    inside: SSAValue | None = None
    if beyond is not None:
        place = copy.indexed(beyond, body)
        zero = arith.ConstantOp.from_int_and_width(0, 64)
        test = arith.CmpiOp(place, zero.result, "slt")
        body.add_ops([zero, test])
        inside = test.result
    for inner in op.body.block.ops:
        if isinstance(inner, YieldOp) and isinstance(op, ReduceOp):
            kinds = [k.data for k in op.kinds]
            values = [copy.values[v] for v in inner.values]
            body.add_op(YieldOp([_masked(body, inside, v, k) for v, k in zip(values, kinds, strict=True)]))
        else:
            copy.op(inner, body, inside)


def _masked(body: Block, inside: SSAValue | None, value: SSAValue, kind: str) -> SSAValue:
    if inside is None:
        return value
    neutral = arith.ConstantOp(identity(kind, value.type))
    select = arith.SelectOp(inside, value, neutral.result)
    body.add_ops([neutral, select])
    return select.result


def _store_parts(copy: LoopCopy, outer: ParallelOp, loop: ReduceOp, parts: _Parts) -> None:
    index = index_attribute(parts.place(variable(operand_name(0), outer.size)))
    for value, buffer in zip(loop.outputs, copy.extra, strict=True):
        outer.body.block.add_op(StoreOp(value, buffer, [outer.index], index))


def _final_kernel(kernel: KernelOp, parts: int, types: Sequence[Attribute]) -> tuple[KernelOp, list[SSAValue]]:
    """The second kernel: combines the parts of each row and computes what follows."""
    copy = LoopCopy(kernel, kernel.sym_name.data, types)
    outer = ParallelOp(_row_loop(kernel).size)
    outer.index.name_hint = "p"
    copy.block.add_op(outer)
    copy.bind(_row_loop(kernel).index, variable("p", outer.size), {"p": outer.index})
    for op in _row_loop(kernel).body.block.ops:
        if isinstance(op, ReduceOp):
            loop = ReduceOp([k.data for k in op.kinds], integer(parts), op.result_types)
            loop.index.name_hint = "i"
            body = loop.body.block
            names = [n for n, e in (("p", outer.size), ("i", integer(parts))) if e.constant != 1]
            operands = [{"p": outer.index, "i": loop.index}[n] for n in names]
            exprs = [variable(operand_name(names.index(n))) if n in names else integer(0) for n in ("p", "i")]
            loads = [LoadOp(b, operands, index_attribute(exprs)) for b in copy.extra]
            body.add_ops([*loads, YieldOp([x.result for x in loads])])
            loop.location = op.location
            outer.body.block.add_op(loop)
            for old, new in zip(op.outputs, loop.outputs, strict=True):
                copy.values[old] = new
                new.name_hint = old.name_hint
        elif not isinstance(op, LoopOp):
            copy.op(op, outer.body.block)
    return copy.finish()


def _row_loop(kernel: KernelOp) -> ParallelOp:
    (outer,) = (op for op in kernel.body.block.ops if isinstance(op, ParallelOp))
    return outer


def _needs(op: Operation, reduction: ReduceOp) -> bool:
    """True if `op`, or anything inside it, is computed from the result of `reduction`."""
    work = [v for inner in op.walk() for v in inner.operands]
    seen: set[SSAValue] = set()
    while work:
        value = work.pop()
        if value.owner is reduction:
            return True
        if value not in seen and isinstance(value.owner, Operation):
            seen.add(value)
            work.extend(value.owner.operands)
    return False
