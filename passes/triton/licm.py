"""triton-licm: moves loop-invariant code of a kernel in front of the loop.

Loads move too: no pointer is both loaded and stored, so that nothing in the loop changes what they read. Small blocks
and scalars that are loaded after a loop and do not depend on it also move in front of it: their latency overlaps with
the loop.

A persistent loop of products keeps the loads of what comes behind these: tensor cores add in registers, and there is no
room for what waits there from one block of the result to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free, is_speculatable
from xdsl.transforms.loop_invariant_code_motion import can_be_hoisted

from mlc_dialects.triton.dialect import ForOp, LoadOp
from mlc_dialects.triton.dot import DotOp
from mlc_dialects.triton.types import LANES, block_shape
from mlc_support.walks import walk


@dataclass(frozen=True)
class TritonLicmPass(ModulePass):
    """Loop-invariant code motion out of `mlc_triton.for`; xDSL's own pass handles `scf.for` only."""

    name = "triton-licm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in reversed([inner for inner in walk(op) if isinstance(inner, ForOp)]):  # inner loops first
            block = loop.parent
            assert block is not None
            for early in _little_behind(loop, block):
                early.detach()
                block.insert_op_before(early, loop)
            kept = LoadOp if _holds_products(loop) else ()
            for inner in [*loop.body.block.ops]:  # in order: one that moves frees those that read it
                if isinstance(inner, kept) or not is_side_effect_free(inner) or not is_speculatable(inner):
                    continue
                if can_be_hoisted(inner, loop.body):
                    inner.detach()
                    block.insert_op_before(inner, loop)


def _holds_products(loop: ForOp) -> bool:
    """True if there is a loop in `loop` that multiplies blocks."""
    inside = [op for op in loop.body.block.ops if isinstance(op, ForOp)]
    return any(isinstance(op, DotOp) for each in inside for op in walk(each))


def _little_behind(loop: ForOp, block: Block) -> list[Operation]:
    """The loads after `loop`, of at most an element a lane, that do not depend on it, and what they need.

    Each occupies a register of each lane during the loop.
    """
    behind = [*block.ops]
    behind = behind[behind.index(loop) + 1 :]
    late: set[Operation] = {loop}
    needed: set[Operation] = set()
    for op in behind:
        large = any(prod(block_shape(r.type)) > LANES for r in op.results)
        if not is_speculatable(op) or not is_side_effect_free(op) or large or _owners(op) & late:
            late.add(op)
    for op in reversed(behind):
        if op not in late and (isinstance(op, LoadOp) or op in needed):
            needed |= {op, *(_owners(op) & set(behind))}
    return [op for op in behind if op in needed]


def _owners(op: Operation) -> set[Operation]:
    return {v.owner for v in op.operands if isinstance(v.owner, Operation)}
