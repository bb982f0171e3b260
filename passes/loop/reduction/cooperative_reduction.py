"""cooperative-reduction: several programs share one long row, and exchange partial results by inter-block flags.

    s[p] = reduce over r of f(x[p, r]);  y[p, r] = g(s[p], x[p, r])             R columns
 -> t = reduce over k of f(x[p, i * C + k])                                     programs (p, i), C = R / parts
    signal t in flags[p, i]
    s = reduce over j of (wait flags[p, j])
    y[p, i * C + k] = g(s, x[p, i * C + k])

With one program a row, the rows in flight exceed the L2 cache, and each row is read twice from memory; so it is with
two kernels, one for the reduction and one for g. Here few rows are in flight at once, and the second read of a part is
served by registers or the cache.

Programs take parts in the order in which they start (an atomic block id), and the parts of a row are consecutive. So
there is no deadlock as long as the device runs `most` programs at once; cooperative groups in CUDA ask the same of the
whole grid. Sums are reassociated, as in every parallel reduction. Variances are computed from shifted data
(passes/loop/reduction/shifted_variance.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.buffers import buffer_element
from mlc_dialects.loop.dialect import KernelOp, SignalOp, WaitOp
from mlc_dialects.loop.host import FlagsOp, LaunchOp
from mlc_dialects.loop.inter_block import can_signal, flags_type, words_per_value
from mlc_dialects.loop.memory import divisors
from mlc_support.index_expr import IndexExpr
from mlc_support.powers import power_of_two_up_to
from passes.common.device import DevicePass
from passes.common.launches import launches_by_name, replace_with_signalling
from passes.loop.analysis.coalescing import (
    accesses,
    are_contiguous,
    is_coalesced_along_rows,
    reread_bytes,
    widest_element,
)
from passes.loop.analysis.kernel_rewriter import index_of
from passes.loop.analysis.legality import split_refusal
from passes.loop.analysis.partial_results import Parts, busy_programs
from passes.loop.locality.cache_hints import l2_retained_bytes
from passes.loop.reduction.online_reduction import join_reductions, reductions
from passes.loop.reduction.part_sizes import even_parts, fills
from passes.loop.reduction.shifted_variance import shift_sums
from passes.loop.reduction.split_reduction import PartsKernel, Stages

WHOLE = 16 << 10
"""The default of `least` is a multiple of so many bytes."""


@dataclass(frozen=True)
class CooperativeReductionPass(DevicePass):
    """Lets up to `most` programs share a row, where one program a row would exceed the L2 cache.

    - `most` is capped at a quarter of the multiprocessors (of those `running`, if the caller can count on fewer), since
      all programs of a row must run at once.
    - Rows qualify if several loops re-read `least` to `greatest` bytes of them: shorter rows stay in L2, and of longer
      ones not even the parts would. By default `least` is one program's share of L2, and `greatest` a power of two:
      `most` parts of that share.
    - `least_idle` replaces `least` where one program a row would leave the device idle, in waves of `busy` programs.
    - A part has about `length` columns, divided by the number of buffers that are re-read: small programs, so that some
      of a multiprocessor's programs compute while others wait. There must be `busy` programs or more.
    - For a variance, all programs of a row read the same `few` columns to estimate its mean. Parts of up to `resident`
      columns are register-resident: then each warp reads a quarter of those columns and sums them without a barrier,
      while the loads of its part are in flight.

    Rows stay whole if they are strided or unaligned, or if a flag cannot carry their partial results.
    """

    name = "cooperative-reduction"
    rounds_otherwise: ClassVar[bool] = True
    most: int = 32
    running: int | None = None
    least: int | None = None
    least_idle: int = 80 << 10
    greatest: int | None = None
    length: int = 9216
    busy: int | None = None
    resident: int = 8192
    few: int = 512

    @property
    def _busy(self) -> int:
        return busy_programs(self.target) if self.busy is None else self.busy

    @property
    def _most(self) -> int:
        known = self.target.multiprocessors
        running = known if self.running is None else min(known, self.running)
        return min(self.most, running // 4)

    @property
    def _least(self) -> int:
        share = self.target.l2_bytes // busy_programs(self.target) // WHOLE * WHOLE
        return share if self.least is None else self.least

    @property
    def _greatest(self) -> int:
        parts = l2_retained_bytes(self.target) // busy_programs(self.target)
        return power_of_two_up_to(self.most * parts) if self.greatest is None else self.greatest

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = launches_by_name(op)
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            parts = self._parts(kernel)
            if parts is not None:
                join_reductions(kernel)
                self._shift(kernel, parts)
                cooperate(kernel, parts, launches[kernel.sym_name.data])

    def _shift(self, kernel: KernelOp, parts: Parts) -> None:
        resident = parts.length <= self.resident and are_contiguous(kernel.rows.loops)
        shift_sums(reductions(kernel), min(self.few // 4 if resident else self.few, parts.length), resident)

    def _parts(self, kernel: KernelOp) -> Parts | None:
        """How the rows of a kernel are cut; None to leave it whole."""
        if cooperation_refusal(kernel) is not None:
            return None
        loops = kernel.rows.loops
        rows, columns, again = kernel.rows.size.constant or 0, loops[0].size.constant or 0, reread_bytes(loops)
        least = self._least if fills(rows, self._busy) else self.least_idle
        if not least <= again * columns <= self._greatest:
            return None
        buffers = again // widest_element(accesses(kernel))
        wanted = min(self._most, -(-columns // (self.length * max(1, buffers))))
        count, length = even_parts(columns, max(1, wanted), {size for loop in loops for size in divisors(loop)})
        parts = Parts(kernel.rows.size, columns, count, length, False)
        return parts if count > 1 and rows * count >= self._busy else None


def cooperation_refusal(kernel: KernelOp) -> str | None:
    """Why several blocks cannot do a row of a kernel together; None if they can."""
    refusal = split_refusal(kernel)
    if refusal is not None:
        return refusal
    found = list(accesses(kernel))
    if is_coalesced_along_rows(kernel.rows, found):
        return "its rows are strided: a block takes many of them"
    if not all(a.is_aligned for a in found):
        return "its rows begin unaligned"
    columns = kernel.rows.loops[0].size.constant or 0
    stages = Stages(kernel, Parts(kernel.rows.size, columns, 1, columns, False))
    if stages.whole_rows:
        return "nothing that follows its reductions has columns"
    if not all(can_signal(buffer_element(b.type)) for b in stages.buffers):
        return "no inter-block flag carries a result of its reductions"
    return None


def cooperate(kernel: KernelOp, parts: Parts, launches: Sequence[LaunchOp]) -> None:
    """Replaces `kernel` and its launches by a kernel in which several programs share a row."""
    stages = Stages(kernel, parts)
    built = CooperativeKernel(stages)
    new, buffers = built.copy.finish()
    replace_with_signalling(kernel, new, buffers, built.flags, launches)


class CooperativeKernel(PartsKernel):
    """All stages in one kernel; partial results pass through inter-block flags."""

    def __init__(self, stages: Stages):
        name, parts = stages.kernel.sym_name.data, stages.parts
        programs = (parts.rows.constant or 0) * parts.count
        elements = [buffer_element(b.type) for b in stages.buffers]
        self.flags: SSAValue = FlagsOp(name, flags_type(programs, elements)).buffer
        super().__init__(stages, name, parts, extra=[self.flags])
        self.copy.extra[0].name_hint = "told"
        self._first: dict[SSAValue, int] = {}
        """The flag of each buffer's first part in the first row."""
        word = 1
        for buffer, element in zip(stages.buffers, elements, strict=True):
            self._first[buffer] = word
            word += programs * words_per_value(element)
        for number in range(1, stages.last + 1):
            self.run(number)

    def _word(self, buffer: SSAValue, row: IndexExpr, part: IndexExpr) -> IndexExpr:
        words = words_per_value(buffer_element(buffer.type))
        return (row * self.parts.count + part) * words + self._first[buffer]

    def read(self, buffer: SSAValue, place: Sequence[IndexExpr], indices: Mapping[str, SSAValue]) -> Operation:
        row, part = place
        word = index_of([self._word(buffer, row, part)], indices)
        return WaitOp(self.copy.extra[0], *word, buffer_element(buffer.type))

    def write(self, value: SSAValue, buffer: SSAValue) -> Operation:
        word = index_of([self._word(buffer, self.row, self.part)], self.copy.indices)
        return SignalOp(value, self.copy.extra[0], *word)
