"""persistent-rows: a persistent loop over rows, for what all rows add up to or some rows have in common.

    parallel p: { f(p, r) for each r; accumulate g(p, r) into s[r] }
 -> parallel i in 0 .. programs: {
      t = local                                      one row wide, in registers
      serial p = i, i + programs, ...: { f(p, r) for each r; accumulate g(p, r) into t[r] }
      parts[i, r] = t[r] for each r
    }
    wherever s[r] was read: reduce over i of parts[i, r]

Each program processes its share of the rows (a grid-stride loop) and accumulates in registers; the kernel that reads
the sums adds up the programs' parts. Sums are reassociated, as in every parallel reduction.

Rows that have loads or arithmetic in common are taken one after another as well, where that is predicted to gain
(common_rows.py).

How many programs there are, and how many rows each takes at once, is what the model of time predicts to be quickest.
More programs have more in flight, and more parts; with more rows at once they wait less often, and hold more in
registers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.common.buffers import buffer_element, buffer_type
from mlc_dialects.common.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.loop.dialect import (
    AccumulateOp,
    KernelOp,
    LoadOp,
    LocalOp,
    LoopOp,
    ParallelOp,
    SerialOp,
    StoreOp,
)
from mlc_dialects.loop.schedule import ScheduleAttr
from mlc_support.errors import MlcError
from mlc_support.index_expr import integer, variable
from mlc_support.index_maps import assumed
from mlc_support.locations import location_of
from mlc_support.powers import power_of_two, power_of_two_up_to
from mlc_support.walks import walk
from passes.loop.analysis.coalescing import buffer_bytes
from passes.loop.analysis.sums_over_rows import accumulated, give_parts
from passes.loop.restructure.common_rows import COMMON, FIELDS, have_work_in_common, loops_of_common_rows
from passes.loop.schedule.forms import FormPass, Ranked, least_us
from passes.loop.schedule.model import FITTED
from passes.loop.schedule.partition import least_us_of_any

PROGRAMS = (1, 2, 4)
"""Programs of a multiprocessor."""
ROUNDS = (1, 2, 4, 8)
"""Rounds of each program, where there are too few rows for so many programs."""
ELEMENTS = (1024, 2048, 4096, 8192)
"""Elements of the rows that a program takes at once, at the most."""
BOUND_BY_MEMORY = 1.2
"""Times of what it takes to move all buffers once: kernels that take less, and add up nothing, are left alone."""


@dataclass(frozen=True)
class PersistentRowsPass(FormPass):
    """Gives kernels that accumulate over their rows a persistent loop: of `programs` that take a `block` of rows.

    Others, whose rows have work in common, where it gains `margin` percent of the time.
    """

    name = "persistent-rows"
    rounds_otherwise: ClassVar[bool] = True
    programs: int | None = None
    """Predict nothing: so many programs, where the schedule leaves them open."""
    block: int | None = None
    """Predict nothing: so many rows at once, likewise."""
    margin: int = 15
    """Percent of time that a loop must gain, where rows have work in common and add up nothing."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = {k: accumulated(k) for k in op.ops if isinstance(k, KernelOp)}
        for kernel in [k for k, targets in found.items() if targets or _is_decided(k)]:
            _need_columns(kernel)
            _need_no_mapping(kernel)
        super().apply(ctx, op)
        for kernel in filter(_is_decided, found):
            self._walk(op, kernel, found[kernel])

    def is_open(self, kernel: KernelOp) -> bool:
        return not _is_decided(kernel) and (bool(accumulated(kernel)) or have_work_in_common(kernel))

    def carry_out(self) -> tuple[ModulePass, ...]:
        return (PersistentRowsPass(device=self.device),)

    def ranked(self, kernel: KernelOp) -> Ranked:
        return self._accumulating(kernel) if accumulated(kernel) else self._common(kernel)

    def _common(self, kernel: KernelOp) -> Ranked:
        """Persistent loops of rows with work in common, or none: a program for each row, or block of rows."""
        rows = assumed(kernel.rows.size)
        usual, no_loop = least_us(kernel.clone(), self.target, COMMON), ScheduleAttr.of(programs=rows, block=1)
        if self.programs is not None:
            block = self.block or 1
            is_even = rows % (self.programs * block) == 0
            return [(0.0, ScheduleAttr.of(programs=self.programs, block=block) if is_even else no_loop)]
        if usual < BOUND_BY_MEMORY * least_us_of_any(kernel, self.target):
            return [(usual, no_loop)]
        forms = dict.fromkeys(loops_of_common_rows(kernel, self.target))
        found = [(usual, no_loop), *((self.us(kernel, form), form) for form in forms)]
        return sorted(found, key=lambda pair: pair[0] * (1 + self.margin / 100 * (pair[1] != no_loop)))

    def _accumulating(self, kernel: KernelOp) -> Ranked:
        """Persistent loops that add up what all rows give."""
        given = {"programs": self.programs, "block": self.block} | kernel.decided_numbers(*FIELDS)
        rows, width = assumed(kernel.rows.size), max(assumed(loop.size) for loop in kernel.rows.loops)
        blocks = {min(power_of_two_up_to(max(1, most // width)), power_of_two(rows)) for most in ELEMENTS}
        return self.by_time(
            kernel,
            (
                ScheduleAttr.of(programs=programs, block=block)
                for block in sorted(blocks if given["block"] is None else {given["block"]})
                for programs in self._programs(-(-rows // block), given["programs"])
            ),
        )

    def _programs(self, blocks: int, given: int | None) -> list[int]:
        """How many programs may share so many blocks of rows."""
        if given is not None:
            return [given]
        many = [each * self.target.multiprocessors for each in PROGRAMS]
        few = [-(-blocks // rounds) for rounds in ROUNDS] if blocks < many[-1] else []
        return sorted({n for n in (*many, *few) if n <= blocks})

    def us(self, kernel: KernelOp, form: ScheduleAttr) -> float:
        """With what the parts of all programs take, which another kernel reads."""
        (built,) = self.built(kernel, form)
        parts = sum(buffer_bytes(b) for b, old in zip(built.buffers, kernel.buffers, strict=True) if b.type != old.type)
        constants = FITTED if accumulated(kernel) else COMMON
        return least_us(built, self.target, constants) + self.target.traffic_us(parts, parts)

    def _walk(self, module: ModuleOp, kernel: KernelOp, targets: dict[SSAValue, str]) -> None:
        programs, block = kernel.decided_numbers(*FIELDS).values()
        kernel.carried_out(*FIELDS)
        if not targets and programs * block == assumed(kernel.rows.size):
            return  # each row has a program: no loop
        _wrap(kernel.rows, programs, block)
        give_parts(module, kernel, targets, programs)


def _is_decided(kernel: KernelOp) -> bool:
    """True if the schedule of a kernel asks for a persistent loop and says which."""
    return len(kernel.decided_numbers(*FIELDS)) == len(FIELDS)


def _need_columns(kernel: KernelOp) -> None:
    """Refuses what accumulates once a row: accumulators lie along columns, and such a sum is an `mlc_loop.reduce`."""
    for op in kernel.rows.body.block.ops:
        if isinstance(op, AccumulateOp):
            raise MlcError(
                "persistent-rows: mlc_loop.accumulate stands in no loop over columns",
                location=location_of(op),
                hint="put it in one, or write the sum as mlc_loop.reduce",
            )


def _need_no_mapping(kernel: KernelOp) -> None:
    """MlcError where a schedule has said already which programs have which rows."""
    if kernel.warps is not None or any(isinstance(op, LoopOp) and op.is_mapped for op in walk(kernel)):
        raise MlcError(
            f"persistent-rows: the loops of @{kernel.sym_name.data} are mapped to programs already",
            location=location_of(kernel),
            hint="run it in front of schedule",
        )


def _wrap(rows: ParallelOp, programs: int, block: int) -> None:
    """Wraps the loop over rows into one over programs, with local buffers for the accumulated ones."""
    outer = ParallelOp(integer(programs))
    outer.index.name_hint, outer.location = "i", rows.location
    locals_: list[LocalOp] = []
    stores: dict[LoopOp, ParallelOp] = {}
    for op in [op for op in walk(rows) if isinstance(op, AccumulateOp)]:
        loop = op.parent_op()
        assert isinstance(loop, LoopOp)
        local = LocalOp(op.kind.data, buffer_type((loop.size,), buffer_element(op.buffer.type)))
        local.buffer.name_hint = op.buffer.name_hint
        locals_.append(local)
        _store(op, local, outer, stores.setdefault(loop, ParallelOp(loop.size)))
        new = AccumulateOp(op.kind.data, op.value, local.buffer, [loop.index], index_attribute([variable("d0")]))
        new.location = op.location
        Rewriter.replace_op(op, new, [])
    serial = SerialOp(outer.index, rows.size, programs, rows.detach_region(rows.body))
    serial.block = IntegerAttr(block, i64) if block > 1 else None
    serial.location = rows.location
    outer.body.block.add_ops([*locals_, serial, *stores.values()])
    Rewriter.replace_op(rows, outer, [])


def _store(op: AccumulateOp, local: LocalOp, outer: ParallelOp, loop: ParallelOp) -> None:
    """Appends to `loop` a store of the program's `local` where `op` accumulates, into the program's own part."""
    loop.index.name_hint = "r"
    index = [e.substitute({operand_name(0): variable("d1")}) for e in index_exprs(op.index)]
    value = LoadOp(local.buffer, [loop.index], index_attribute([variable("d0")]))
    store = StoreOp(value.result, op.buffer, [outer.index, loop.index], index_attribute([variable("d0"), *index]))
    loop.body.block.add_ops([value, store])
    value.location = store.location = op.location
