"""persistent-rows: reductions over all rows beside row results, in one pass, by a persistent loop over rows.

    parallel p: { f(p, r) for each r; accumulate g(p, r) into s[r] }
 -> parallel i in 0 .. programs: {
      t = local                                      one row wide, in registers
      serial p = i, i + programs, ...: { f(p, r) for each r; accumulate g(p, r) into t[r] }
      parts[i, r] = t[r] for each r
    }
    wherever s[r] was read: reduce over i of parts[i, r]

Each program processes its share of the rows (a grid-stride loop) and accumulates in registers; the kernel that reads
the sums adds up the programs' parts. Sums are reassociated, as in every parallel reduction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.common.buffers import buffer_element, buffer_shape, buffer_type
from mlc_dialects.common.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.loop.dialect import (
    AccumulateOp,
    KernelOp,
    LoadOp,
    LocalOp,
    LoopOp,
    ParallelOp,
    ReduceOp,
    SerialOp,
    StoreOp,
    YieldOp,
)
from mlc_dialects.loop.host import LaunchOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import integer, variable
from mlc_support.index_maps import assumed
from mlc_support.locations import location_of
from mlc_support.powers import power_of_two
from passes.common.device import DevicePass
from passes.common.launches import kernels_by_name, launches_by_name
from passes.loop.analysis.coalescing import accesses, sector_rows, widest_element
from passes.triton.live_bytes import takes_long


@dataclass(frozen=True)
class PersistentRowsPass(DevicePass):
    """Gives kernels that accumulate over their rows a persistent loop.

    A schedule that says `programs` or `block` decides instead of the options.
    """

    name = "persistent-rows"
    rounds_otherwise: ClassVar[bool] = True
    share: int | None = None
    """Elements of a row, and as many accumulators, that a multiprocessor keeps in registers; none is an eighth of its
    registers."""
    elements: int = 1024
    """Elements of a block, for each byte of the widest input element."""
    deepest: int = 4
    """The least blocks of rows that a program computes."""
    many: int = 3
    """With so many expensive functions an element, blocks have `elements` elements and there are more programs: some
    compute while others wait at a cross-lane reduction."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            targets = accumulated(kernel)
            if targets:
                self._walk(op, kernel, targets)

    def _walk(self, module: ModuleOp, kernel: KernelOp, targets: dict[SSAValue, str]) -> None:
        _need_columns(kernel)
        _need_no_mapping(kernel)
        rows, columns = kernel.rows, kernel.rows.loops
        share = self.target.registers_per_multiprocessor // 8 if self.share is None else self.share
        width = max(power_of_two(assumed(loop.size)) for loop in columns)
        found = list(accesses(kernel))
        held = self.elements * (1 if _computes(columns) >= self.many else widest_element(found))
        block = max(1, held // width)
        if (sectors := sector_rows(rows, found)) * width <= 2 * share:
            block = max(block, sectors)
        block = asked if isinstance(asked := kernel.decided("block"), int) else block
        most = self.target.multiprocessors * max(1, share // (block * width))
        programs = max(1, min(most, -(-assumed(rows.size) // (block * self.deepest))))
        programs = asked if isinstance(asked := kernel.decided("programs"), int) else programs
        kernel.carried_out("block", "programs")
        positions = {position: targets[a] for position, a in enumerate(kernel.buffers) if a in targets}
        _wrap(rows, programs, block)
        for target in targets:
            _widen(target, programs)
        for launch in launches_by_name(module)[kernel.sym_name.data]:
            for position, kind in positions.items():
                _combine_where_read(module, launch.buffers[position], kind, programs)


def _computes(loops: Sequence[LoopOp]) -> int:
    """The number of expensive functions an element, in the busiest of `loops`."""
    return max(sum(map(takes_long, loop.walk())) for loop in loops)


def accumulated(kernel: KernelOp) -> dict[SSAValue, str]:
    """The buffers into which a kernel accumulates, each with its kind."""
    found = [op for op in kernel.walk() if isinstance(op, AccumulateOp)]
    return {op.buffer: op.kind.data for op in found if op.buffer in kernel.buffers}


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
    if kernel.warps is not None or any(isinstance(op, LoopOp) and op.is_mapped for op in kernel.walk()):
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
    for op in [op for op in rows.walk() if isinstance(op, AccumulateOp)]:
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


def _widen(buffer: SSAValue, programs: int) -> SSAValue:
    """`buffer` with a leading dimension: one part for each program."""
    wide = buffer_type((integer(programs), *buffer_shape(buffer.type)), buffer_element(buffer.type))
    return Rewriter.replace_value_with_new_type(buffer, wide)


def _combine_where_read(module: ModuleOp, buffer: SSAValue, kind: str, programs: int) -> None:
    """Widens a buffer of the host program, and combines its parts in the kernels that read it."""
    kernels = kernels_by_name(module)
    for use in list(_widen(buffer, programs).uses):
        if isinstance(use.operation, LaunchOp):
            kernel = kernels[use.operation.kernel.string_value()]
            argument = kernel.body.block.args[use.index]
            loads = [u.operation for u in argument.uses if isinstance(u.operation, LoadOp)]
            if loads:
                wide = _widen(argument, programs)
                for load in loads:
                    _combine(load, wide, kind, programs)


def _combine(load: LoadOp, wide: SSAValue, kind: str, programs: int) -> None:
    """Replaces a load of a sum by the sum of its parts."""
    loop = ReduceOp([kind], integer(programs), [load.result.type])
    loop.index.name_hint, loop.location = "i", load.location
    own = len(load.indices)
    place = [variable(operand_name(own)), *index_exprs(load.index)]
    part = LoadOp(wide, [*load.indices, loop.index], index_attribute(place))
    loop.body.block.add_ops([part, YieldOp([part.result])])
    part.location = load.location
    Rewriter.replace_op(load, loop)
