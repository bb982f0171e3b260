"""cooperative-reduction: several programs share long rows, and exchange partial results by inter-block flags.

    s[p] = reduce over r of f(x[p, r]);  y[p, r] = g(s[p], x[p, r])             R columns
 -> t = reduce over k of f(x[p, i * C + k])                                     programs (p, i), C = R / parts
    signal t in flags[p, i]
    s = reduce over j of (wait flags[p, j])
    y[p, i * C + k] = g(s, x[p, i * C + k])

With one program a row, the rows in flight exceed the L2 cache, and each row is read twice from memory; so it is with
two kernels, one for the reduction and one for g. Here few rows are in flight at once, and the second read of a part is
served by registers or the cache.

Strided rows, such as the channels of channels-last images, are taken in blocks of neighbours: a program has a part of
each row of its block, and signals and waits for all of them at once.

Programs start in the order of their ids, and those of a row, or of a block of rows, are consecutive (`swizzle`, which
the schedule sets). So there is no deadlock as long as the device runs as many programs at once as a row has parts;
cooperative groups in CUDA ask the same of the whole grid. Sums are reassociated, as in every parallel reduction.
Variances are computed from shifted data (passes/loop/reduction/shifted_variance.py); those of strided rows from the
mean of each part.
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
from mlc_support.index_expr import IndexExpr
from passes.common.device import DevicePass
from passes.common.launches import launches_by_name, replace_with_signalling
from passes.loop.analysis.coalescing import accesses, are_contiguous, is_coalesced_along_rows, scans
from passes.loop.analysis.kernel_rewriter import index_of
from passes.loop.analysis.legality import demand, repeat_refusal, split_refusal
from passes.loop.analysis.partial_results import Parts, asked_part, parts_of
from passes.loop.reduction.online_reduction import join_reductions, reductions
from passes.loop.reduction.shifted_variance import shift_sums
from passes.loop.reduction.split_reduction import PartsKernel, Stages


@dataclass(frozen=True)
class CooperativeReductionPass(DevicePass):
    """Lets several programs share a row, where a kernel's schedule gives a `part`, exchanged by `flags`.

    With register-resident parts each warp reads a quarter of the `few` columns and sums them without a barrier, while
    the loads of its part are in flight. MlcError says why, where rows cannot be shared, or not by so many.
    """

    name = "cooperative-reduction"
    rounds_otherwise: ClassVar[bool] = True
    resident: int = 8192
    """Parts of up to so many columns are register-resident."""
    few: int = 512
    """Columns that all programs of a row read to estimate its mean, for a variance."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = launches_by_name(op)
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and not scans(k)]:
            length = asked_part(kernel, "flags")
            if length is not None:
                demand(self.name, kernel, cooperation_refusal(kernel))
                parts = parts_of(kernel, length)
                demand(self.name, kernel, self._crowd_refusal(parts.count))
                join_reductions(kernel)
                if not parts.row_lanes:
                    self._shift(kernel, parts)
                cooperate(kernel, parts, launches[kernel.sym_name.data])

    def _crowd_refusal(self, programs: int) -> str | None:
        """Why so many programs cannot await each other; None if they can: each multiprocessor runs at least one."""
        most = self.target.multiprocessors
        return f"{programs} programs would share a row, of which {most} surely run at once" if programs > most else None

    def _shift(self, kernel: KernelOp, parts: Parts) -> None:
        resident = parts.length <= self.resident and are_contiguous(kernel.rows.loops)
        shift_sums(reductions(kernel), min(self.few // 4 if resident else self.few, parts.length), resident)


def cooperation_refusal(kernel: KernelOp) -> str | None:
    """Why several blocks cannot do a row of a kernel together; None if they can."""
    refusal = split_refusal(kernel)
    if refusal is not None:
        return refusal
    found = list(accesses(kernel))
    if is_coalesced_along_rows(kernel.rows, found):
        repeats = repeat_refusal(kernel.rows)
        if repeats is not None:
            return f"its rows are strided, and blocks of them may overlap, but {repeats}"
    elif not all(a.is_aligned for a in found):
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
    new.carried_out("online", "part", "exchange")
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
