"""triton-licm: what a loop of a kernel computes anew in every step, though it is the same, moves in front of it.

Reads of memory move as well: no pointer of a kernel is both read and written, so that nothing in the loop changes them.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free, is_speculatable
from xdsl.transforms.loop_invariant_code_motion import can_be_hoisted

from mlc_dialects.mlc_triton import ForOp


@dataclass(frozen=True)
class TritonLicmPass(ModulePass):
    """Loop-invariant code motion out of `mlc_triton.for`; xDSL's own pass knows `scf.for` alone."""

    name = "triton-licm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in reversed([inner for inner in op.walk() if isinstance(inner, ForOp)]):  # inner loops first
            block = loop.parent
            assert block is not None
            for inner in [*loop.body.block.ops]:  # in order: one that moves frees those that read it
                if is_side_effect_free(inner) and is_speculatable(inner) and can_be_hoisted(inner, loop.body):
                    inner.detach()
                    block.insert_op_before(inner, loop)
