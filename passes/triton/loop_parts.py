"""Parts of a loop: copies of it over some of its iterations, in which conditions that are known there are no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.common.index_syntax import operand_name
from mlc_dialects.triton.dialect import BroadcastOp, ForOp, FullOp, LoadOp, StoreOp, WhereOp


def part_of(
    loop: ForOp, carried: Sequence[SSAValue], start: SSAValue, stop: SSAValue, known: Mapping[SSAValue, bool]
) -> ForOp:
    """A copy of the loop before it, from `start` to `stop`, in which `known` conditions are for all lanes what it says.

    It begins with the values `carried`.
    """
    index, copies = loop.body.block.args[0].type, dict[SSAValue, SSAValue]()
    part = ForOp(carried, operand_name(0), [stop], loop.step.value.data, index, start, loop.stages)
    part.body.detach_block(part.body.block)
    loop.body.clone_into(part.body, None, copies)
    part.unrolled, part.location = loop.unrolled, loop.location
    for old, new in zip(loop.outputs, part.outputs, strict=True):
        new.name_hint = old.name_hint
    Rewriter.insert_op(part, InsertPoint.before(loop))
    truths = {copies[condition]: truth for condition, truth in known.items()}
    for op in list(part.body.block.ops):
        _fold(op, truths)
    return part


def _fold(op: Operation, truths: dict[SSAValue, bool]) -> None:
    """Adds the result of `op` to what is known, or puts an operand in its place, where known conditions decide it."""
    match op:
        case WhereOp() if op.condition in truths:
            op.result.replace_all_uses_with(op.on_true if truths[op.condition] else op.on_false)
        case LoadOp() | StoreOp() if op.mask is not None and truths.get(op.mask):
            Rewriter.replace_op(op, op.with_mask(None))
        case BroadcastOp() if op.input in truths:
            truths[op.result] = truths[op.input]
        case arith.AndIOp() | arith.OrIOp():
            _fold_joint(op, truths)
        case arith.XOrIOp() if op.lhs in truths and (flips := constant_truth(op.rhs)) is not None:
            truths[op.result] = truths[op.lhs] != flips
        case _:
            pass


def _fold_joint(op: arith.AndIOp | arith.OrIOp, truths: dict[SSAValue, bool]) -> None:
    """As `_fold`, for two conditions together."""
    decides = isinstance(op, arith.OrIOp)
    given = [truths.get(v) for v in op.operands]
    if decides in given or None not in given:
        truths[op.result] = decides if decides in given else not decides
    elif given != [None, None]:
        op.result.replace_all_uses_with(op.operands[given.index(None)])


def constant_truth(value: SSAValue) -> bool | None:
    """A constant truth; None for another value."""
    op = value.owner
    if isinstance(op, BroadcastOp):
        return constant_truth(op.input)
    return bool(op.value.value.data) if isinstance(op, FullOp) and op.value.type == i1 else None
