"""dce: erase what nobody uses.

Pure ops and ops that only read go when their results are unused; a fusion also loses the
results and arguments that are unused, a kernel the arguments. Private functions that nothing calls
and kernels that nothing launches go (`passes.common.dce_symbols`); public functions stay.
One walk from the last op to the first, so that a use is gone before its definition is seen.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region
from xdsl.passes import ModulePass
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from mlc_dialects.tensor.calls import FusionOp, YieldOp
from passes.common.dce_symbols import drop_unreached_symbols, drop_unused_allocations, drop_unused_buffers


@dataclass(frozen=True)
class DcePass(ModulePass):
    """Erase unused pure ops, results and arguments of fusions, arguments of kernels, functions and kernels."""

    name = "dce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Erase everywhere in the module."""
        drop_unreached_symbols(op)
        _clean_region(op.body)
        if drop_unused_buffers(op):
            _clean_region(op.body)  # the launches were the last to read some buffers
        drop_unused_allocations(op)


def _clean_region(region: Region) -> None:
    for block in reversed(region.blocks):
        for op in [*block.ops][::-1]:
            _clean_op(op)


def _clean_op(op: Operation) -> None:
    """Erase `op` if it is dead, else what is dead inside."""
    if _is_dead(op):
        op.detach()
        op.erase()
        return
    if isinstance(op, FusionOp):
        op = _without_unused_results(op)
    for region in op.regions:
        _clean_region(region)
    if isinstance(op, FusionOp):
        _drop_unused_arguments(op)
    elif op.regions and _is_dead(op):
        op.detach()
        op.erase()


def _is_dead(op: Operation) -> bool:
    return op.parent is not None and is_trivially_dead(op)


def _without_unused_results(op: FusionOp) -> FusionOp:
    """The fusion with only the results that are used; it takes over the region."""
    used = [i for i, result in enumerate(op.outputs) if result.first_use is not None]
    if len(used) == len(op.outputs):
        return op
    last = op.body.block.last_op
    assert isinstance(last, YieldOp) and op.parent is not None
    last.operands = [last.values[i] for i in used]
    results = [op.outputs[i] for i in used]
    body = op.detach_region(op.body)
    smaller = FusionOp(op.inputs, [r.type for r in results], op.kind.data, op.why.data, body)
    smaller.attributes |= op.attributes
    smaller.location = op.location
    op.parent.insert_op_before(smaller, op)
    for old, new in zip(results, smaller.outputs, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()
    return smaller


def _drop_unused_arguments(op: FusionOp) -> None:
    """Arguments that nothing in the region uses, with their operands."""
    block = op.body.block
    used = [i for i, argument in enumerate(block.args) if argument.first_use is not None]
    if len(used) == len(block.args):
        return
    op.operands = [op.inputs[i] for i in used]
    for argument in [a for i, a in enumerate(block.args) if i not in set(used)]:
        block.erase_arg(argument)
