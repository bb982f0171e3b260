"""Sums over all rows of a kernel (`mlc_loop.accumulate`), taken by parts of the rows that are added up where read."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.common.buffers import buffer_element, buffer_shape, buffer_type
from mlc_dialects.common.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.loop.dialect import AccumulateOp, KernelOp, LoadOp, ReduceOp, YieldOp
from mlc_dialects.loop.host import LaunchOp
from mlc_support.index_expr import integer, variable
from mlc_support.walks import walk
from passes.common.launches import kernels_by_name, launches_by_name


def accumulated(kernel: KernelOp) -> dict[SSAValue, str]:
    """The buffers into which a kernel accumulates, each with its kind."""
    found = [op for op in walk(kernel) if isinstance(op, AccumulateOp)]
    return {op.buffer: op.kind.data for op in found if op.buffer in kernel.buffers}


def give_parts(module: ModuleOp, kernel: KernelOp, targets: Mapping[SSAValue, str], count: int) -> None:
    """Gives the buffers `targets` of a kernel a leading dimension of `count` parts, and combines them where read.

    What the kernel itself writes to them is the caller's to change.
    """
    positions = {position: targets[a] for position, a in enumerate(kernel.buffers) if a in targets}
    for target in targets:
        _widen(target, count)
    for launch in launches_by_name(module)[kernel.sym_name.data]:
        for position, kind in positions.items():
            _combine_where_read(module, launch.buffers[position], kind, count)


def _widen(buffer: SSAValue, count: int) -> SSAValue:
    """`buffer` with a leading dimension of `count`."""
    wide = buffer_type((integer(count), *buffer_shape(buffer.type)), buffer_element(buffer.type))
    return Rewriter.replace_value_with_new_type(buffer, wide)


def _combine_where_read(module: ModuleOp, buffer: SSAValue, kind: str, count: int) -> None:
    """Widens a buffer of the host program, and combines its parts in the kernels that read it."""
    kernels = kernels_by_name(module)
    for use in list(_widen(buffer, count).uses):
        if isinstance(use.operation, LaunchOp):
            kernel = kernels[use.operation.kernel.string_value()]
            argument = kernel.body.block.args[use.index]
            loads = [u.operation for u in argument.uses if isinstance(u.operation, LoadOp)]
            if loads:
                wide = _widen(argument, count)
                for load in loads:
                    _combine(load, wide, kind, count)


def _combine(load: LoadOp, wide: SSAValue, kind: str, count: int) -> None:
    """Replaces a load of a sum by the sum of its parts."""
    loop = ReduceOp([kind], integer(count), [load.result.type])
    loop.index.name_hint, loop.location = "i", load.location
    own = len(load.indices)
    place = [variable(operand_name(own)), *index_exprs(load.index)]
    part = LoadOp(wide, [*load.indices, loop.index], index_attribute(place))
    loop.body.block.add_ops([part, YieldOp([part.result])])
    part.location = load.location
    Rewriter.replace_op(load, loop)
