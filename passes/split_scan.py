"""split-scan: a scan with too few rows to fill the device goes over parts of its rows.

    y[p, r] = combine of x[p, 0 .. r]
 -> t[p, i] = combine of x[p, i * C .. (i + 1) * C]                    each part's total
    c = combine of t[p, 0 .. i]                                        what comes before part i
    y[p, i * C + k] = combine(c, x[p, i * C .. i * C + k])

The second kernel combines the totals before its part in each program: there are few. What is scanned is read twice,
by enough programs to fill the device. Sums are reassociated, as every parallel scan does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.buffers import buffer_element
from mlc_dialects.loop_host import LaunchOp
from mlc_dialects.mlc_loop import (
    AtomicOp,
    IndexOp,
    KernelOp,
    LoadOp,
    LookupOp,
    LoopOp,
    ParallelOp,
    ReduceOp,
    ScanOp,
    SerialOp,
    StoreOp,
    YieldOp,
)
from mlc_dialects.scalar import Scalars
from mlc_dialects.types import is_float, storage
from mlc_support.index_expr import integer, variable
from mlc_support.powers import power_of_two
from passes.loop_access import accesses, has_scan, walks_rows
from passes.loop_copy import LoopCopy, index_of
from passes.partial_results import Parts
from passes.split_reduction import Stage, Stages, replace_launches

COMBINE: dict[str, tuple[Callable[[SSAValue, SSAValue], Operation], Callable[[SSAValue, SSAValue], Operation]]] = {
    "add": (arith.AddfOp, arith.AddiOp),
    "mul": (arith.MulfOp, arith.MuliOp),
    "max": (arith.MaximumfOp, arith.MaxSIOp),
    "min": (arith.MinimumfOp, arith.MinSIOp),
}
"""Kind to the op that combines two floats, and two integers: scans that are reductions up to a place."""


@dataclass(frozen=True)
class SplitScanPass(ModulePass):
    """Splits scans of fewer than `busy` rows into parts of `length` columns, where there are `fewest` parts or more.

    Such a part stays in registers; parts are longer where there would be more than `most` totals to combine. Scans of
    scans, of unknown size, and down columns of memory stay whole.
    """

    name = "split-scan"
    rounds_otherwise: ClassVar[bool] = True
    busy: int = 128
    length: int = 8192
    fewest: int = 4
    most: int = 1024

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = [launch for launch in op.walk() if isinstance(launch, LaunchOp)]
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            parts = self._parts(kernel)
            if parts is not None:
                own = [x for x in launches if x.kernel.string_value() == kernel.sym_name.data]
                split_scan(op, kernel, parts, own)

    def _parts(self, kernel: KernelOp) -> Parts | None:
        """How the rows of a kernel are cut; None to leave it whole."""
        loops = [op for op in kernel.rows.body.block.ops if isinstance(op, LoopOp)]
        if len(loops) != 1 or not isinstance(loops[0], ParallelOp) or not has_scan(loops[0]):
            return None
        (loop,) = loops
        rows, columns = kernel.rows.size.constant, loop.size.constant
        if not rows or columns is None or rows >= self.busy or columns < self.fewest * self.length:
            return None
        strange = any(isinstance(op, AtomicOp | SerialOp | LookupOp) for op in kernel.walk())
        scans = [op for op in loop.body.block.ops if isinstance(op, ScanOp)]
        if (
            strange
            or any(op.kind.data not in COMBINE for op in scans)
            or walks_rows(kernel.rows, list(accesses(kernel)))
        ):
            return None
        after = _scanned(loop)
        if any(op.input in after for op in scans):
            return None
        length = max(self.length, power_of_two(-(-columns // self.most)))
        return Parts(kernel.rows.size, columns, -(-columns // length), length, False)


def split_scan(module: ModuleOp, kernel: KernelOp, parts: Parts, launches: list[LaunchOp]) -> None:
    """Replaces `kernel` and its launches by one kernel for the totals, one for the scans, and theirs."""
    totals = _totals(kernel)
    stages = Stages(totals, parts)
    first, read = Stage(stages, 1).build()  # of the copy's buffers, which are those of the kernel
    second, used = _scan_parts(kernel, stages)
    originals = dict(zip(totals.buffers, kernel.buffers, strict=True))
    replace_launches(module, kernel, [(first, [originals.get(b, b) for b in read]), (second, used)], stages, launches)


def _scanned(loop: LoopOp) -> set[SSAValue]:
    """The values in the body of `loop` that are computed from scans."""
    found: set[SSAValue] = set()
    for op in loop.body.block.ops:
        if isinstance(op, ScanOp) or not found.isdisjoint(op.operands):
            found.update(op.results)
    return found


def _totals(kernel: KernelOp) -> KernelOp:
    """A kernel that reduces what `kernel` scans, and does nothing with it."""
    copy = kernel.clone()
    (loop,) = (op for op in copy.rows.body.block.ops if isinstance(op, LoopOp))
    scans = [op for op in loop.body.block.ops if isinstance(op, ScanOp)]
    kinds, given, after = [op.kind.data for op in scans], [op.input for op in scans], _scanned(loop)
    for op in reversed(list(copy.rows.body.block.ops)):
        if isinstance(op, StoreOp):
            Rewriter.erase_op(op)
    for op in reversed(list(loop.body.block.ops)):
        if isinstance(op, StoreOp) or not after.isdisjoint(op.results):
            Rewriter.erase_op(op)
    body = loop.detach_region(loop.body)
    body.block.add_op(YieldOp(given))
    reduce = ReduceOp(kinds, loop.size, [v.type for v in given], body)
    reduce.location = loop.location
    Rewriter.replace_op(loop, reduce, [])
    return copy


def _scan_parts(kernel: KernelOp, stages: Stages) -> tuple[KernelOp, list[SSAValue]]:
    """The kernel that scans each part after what comes before it, and its buffers."""
    parts = stages.parts
    copy = LoopCopy(kernel, kernel.sym_name.data, stages.buffers)
    outer = ParallelOp(parts.rows * parts.count)
    outer.index.name_hint = "q"
    copy.block.add_op(outer)
    block = outer.body.block
    row, part = parts.place(variable("q", outer.size))
    copy.bind(kernel.rows.index, row, {"q": outer.index})
    for op in kernel.rows.body.block.ops:
        match op:
            case ParallelOp():
                kinds = [x.kind.data for x in op.body.block.ops if isinstance(x, ScanOp)]
                before = _before(parts, kinds, list(copy.extra), copy, outer)
                length = integer(parts.length)
                position = part * length + variable("k", length)
                loop = copy.loop(op, "k", length, position, None if parts.even else position - parts.columns)
                block.add_op(loop)
                _follow(loop, before)
            case StoreOp():
                scalars = Scalars(block.add_op)
                first = scalars.compare("eq", copy.indexed(part, block), scalars.constant(0, i64))
                copy.op(op, block, first)
            case _:
                copy.op(op, block)
    return copy.finish()


def _before(parts: Parts, kinds: list[str], buffers: list[SSAValue], copy: LoopCopy, outer: ParallelOp) -> ReduceOp:
    """What the parts before this one come to, for each scan; the identity in the first part."""
    row, part = parts.place(variable("q", outer.size))
    position = variable("i", integer(parts.count))
    types = [storage(buffer_element(b.type)) for b in buffers]
    loop = ReduceOp(kinds, integer(parts.count), types)
    loop.index.name_hint = "i"
    indices = {**copy.indices, "i": loop.index}
    scalars = Scalars(loop.body.block.add_op)
    operands, place = index_of((row, position), indices)
    totals = [scalars.op(LoadOp(b, operands, place)) for b in buffers]
    distance = scalars.op(IndexOp(*index_of((position - part,), indices)))
    earlier = scalars.compare("lt", distance, scalars.constant(0, i64))
    loop.body.block.add_op(YieldOp(totals, earlier))
    outer.body.block.add_op(loop)
    return loop


def _follow(loop: LoopOp, before: ReduceOp) -> None:
    """Each scan in `loop` goes on from what comes before the loop."""
    scans = [op for op in loop.body.block.ops if isinstance(op, ScanOp)]
    for scan, carry in zip(scans, before.outputs, strict=True):
        both = COMBINE[scan.kind.data][0 if is_float(carry.type) else 1](carry, scan.result)
        both.location = scan.location
        scan.result.replace_uses_with_if(both.results[0], lambda use, own=both: use.operation is not own)
        loop.body.block.insert_op_after(both, scan)
        both.results[0].name_hint = scan.result.name_hint
