"""split-scan: a scan is computed by one program for each part of a row.

    y[p, r] = combine of x[p, 0 .. r]
 -> t = combine of x[p, i * C .. (i + 1) * C]                     the part's total, which its program signals
    c = mlc_loop.exclusive_prefix t                               the combination of all parts before part i
    y[p, i * C + k] = combine(c, x[p, i * C .. i * C + k])

The input is read once: a part stays in registers while its program waits for the totals of the parts before it. Their
programs have started earlier, because part i of all rows comes before part i + 1 of any. Sums are reassociated, as in
every parallel scan.

A program reads the totals of up to hundreds of parts, 8 bytes each, from L2: little beside the 64 KB of its part.
Passing one prefix from part to part would read a single value, but takes a microsecond a part: longer than the memory
traffic, with fewer than 64 rows (Yan, Long and Zhang, "StreamScan", 2013).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.common.reduction_kinds import combined
from mlc_dialects.common.scalar_builder import Scalars
from mlc_dialects.loop.dialect import (
    AtomicOp,
    ExclusivePrefixOp,
    IndirectIndexOp,
    KernelOp,
    LoopOp,
    ParallelOp,
    ReduceOp,
    ScanOp,
    SerialOp,
    StoreOp,
    YieldOp,
)
from mlc_dialects.loop.exclusive_prefix import PREFIX_KINDS
from mlc_dialects.loop.host import FlagsOp, LaunchOp
from mlc_dialects.loop.inter_block import can_signal, flags_type
from mlc_support.index_expr import variable
from mlc_support.walks import walk
from passes.common.launches import launches_by_name, replace_with_signalling
from passes.loop.analysis.coalescing import accesses, has_scan, is_coalesced_along_rows, scans
from passes.loop.analysis.kernel_rewriter import LoopCopy
from passes.loop.analysis.legality import demand
from passes.loop.analysis.partial_results import Parts, asked_part, parts_of


@dataclass(frozen=True)
class SplitScanPass(ModulePass):
    """Splits the scans of kernels whose schedule gives a `part`: its totals are exchanged by flags.

    MlcError says why, where that is not possible: scans of scans, of unknown size, of types that flags cannot carry,
    and of strided rows stay whole.
    """

    name = "split-scan"
    rounds_otherwise: ClassVar[bool] = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = launches_by_name(op)
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and scans(k)]:
            length = asked_part(kernel)
            if length is not None:
                demand(self.name, kernel, scan_split_refusal(kernel))
                parts = replace(parts_of(kernel, length), row_lanes=True)
                split_scan(kernel, parts, launches[kernel.sym_name.data])


def scan_split_refusal(kernel: KernelOp) -> str | None:
    """Why the scans of a kernel cannot go over parts of its rows; None if they can."""
    match kernel.rows.loops:
        case [ParallelOp() as loop] if has_scan(loop):
            return _size_refusal(kernel, loop) or _access_refusal(kernel) or _carry_refusal(loop)
        case _:
            return "it is not one loop with scans"


def _size_refusal(kernel: KernelOp, loop: LoopOp) -> str | None:
    """Why the number of parts is not known."""
    known = kernel.rows.size.constant and loop.size.constant is not None
    return None if known else "it has no rows, or its size is not known"


def _access_refusal(kernel: KernelOp) -> str | None:
    """Why what a kernel does to memory would not be the same part by part, each in registers."""
    if any(isinstance(op, AtomicOp | SerialOp | IndirectIndexOp) for op in walk(kernel)):
        return "it has atomics, indirect indices or a persistent loop"
    if is_coalesced_along_rows(kernel.rows, list(accesses(kernel))):
        return "its scans run down strided columns"
    return None


def _carry_refusal(loop: LoopOp) -> str | None:
    """Why blocks cannot tell each other what the parts before theirs come to."""
    scans, after = _scans(loop), _scanned(loop)
    if not all(op.kind.data in PREFIX_KINDS and can_signal(op.input.type) for op in scans):
        return "no inter-block flag carries a total of its scans"
    if any(op.input in after for op in scans):
        return "a scan needs another scan's result"
    return None


def split_scan(kernel: KernelOp, parts: Parts, launches: Sequence[LaunchOp]) -> None:
    """Replaces `kernel` and its launches by a kernel over parts and its launches."""
    _add_totals(kernel)
    new, buffers, flags = _over_parts(kernel, parts)
    new.carried_out("part", "exchange")
    replace_with_signalling(kernel, new, buffers, flags, launches)


def _scans(loop: LoopOp) -> list[ScanOp]:
    """The scans over the columns of `loop`."""
    return [op for op in loop.body.block.ops if isinstance(op, ScanOp)]


def _scanned(loop: LoopOp) -> set[SSAValue]:
    """The values in the body of `loop` that depend on scans."""
    found: set[SSAValue] = set()
    for op in loop.body.block.ops:
        if isinstance(op, ScanOp) or not found.isdisjoint(op.operands):
            found.update(op.results)
    return found


def _add_totals(kernel: KernelOp) -> None:
    """Inserts a loop before that of the scans which reduces what they scan."""
    (scanning,) = (op for op in kernel.rows.body.block.ops if isinstance(op, LoopOp))
    loop = scanning.clone()
    scans = _scans(loop)
    kinds, given, after = [op.kind.data for op in scans], [op.input for op in scans], _scanned(loop)
    for op in reversed(list(loop.body.block.ops)):
        if isinstance(op, StoreOp) or not after.isdisjoint(op.results):
            Rewriter.erase_op(op)
    body = loop.detach_region(loop.body)
    body.block.add_op(YieldOp(given))
    reduce = ReduceOp(kinds, scanning.size, [v.type for v in given], body)
    reduce.location = scanning.location
    Rewriter.insert_op(reduce, InsertPoint.before(scanning))


def _over_parts(kernel: KernelOp, parts: Parts) -> tuple[KernelOp, list[SSAValue], SSAValue]:
    """The kernel that scans each part after its exclusive prefix, its buffers, and its buffer of flags."""
    types = [v.type for op in kernel.rows.body.block.ops if isinstance(op, ReduceOp) for v in op.outputs]
    size = parts.rows * parts.count
    assert size.constant is not None and parts.rows.constant is not None
    flags = FlagsOp(kernel.sym_name.data, flags_type(size.constant, types)).buffer
    copy = LoopCopy(kernel, kernel.sym_name.data, [flags])
    copy.extra[0].name_hint = "told"
    outer = copy.outer(size, "q")
    block = outer.body.block
    row, part = parts.place(variable("q", outer.size))
    copy.bind(kernel.rows.index, row, {"q": outer.index})
    before: ExclusivePrefixOp | None = None
    for op in kernel.rows.body.block.ops:
        match op:
            case LoopOp():
                loop = parts.loop(copy, op, part)
                block.add_op(loop)
                if isinstance(loop, ReduceOp):
                    before = _before(loop, parts.rows.constant, copy.extra[0])
                    block.add_op(before)
                elif before is not None:
                    _follow(loop, before)
            case StoreOp():
                scalars = Scalars(block.add_op)
                first = scalars.compare("eq", copy.indexed(part, block), scalars.constant(0, i64))
                copy.op(op, block, first)
            case _:
                copy.op(op, block)
    return *copy.finish(), flags


def _before(totals: ReduceOp, rows: int, flags: SSAValue) -> ExclusivePrefixOp:
    """The exclusive prefix of the parts' `totals`, which blocks signal each other in the buffer `flags`."""
    before = ExclusivePrefixOp([k.data for k in totals.kinds], totals.outputs, rows, flags)
    before.location = totals.location
    for total, result in zip(totals.outputs, before.outputs, strict=True):
        total.name_hint, result.name_hint = "total", "before"
    return before


def _follow(loop: LoopOp, before: ExclusivePrefixOp) -> None:
    """Each scan in `loop` goes on from what comes before the loop."""
    for scan, carry in zip(_scans(loop), before.outputs, strict=True):
        both = combined(scan.kind.data, carry, scan.result)
        both.location = scan.location
        scan.result.replace_uses_with_if(both.results[0], lambda use, own=both: use.operation is not own)
        loop.body.block.insert_op_after(both, scan)
        both.results[0].name_hint = scan.result.name_hint
