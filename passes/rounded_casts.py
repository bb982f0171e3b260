"""rounded-casts: a block that is rounded to bfloat16 and computed with further never leaves its float32 registers.

    %n = cast %x : f32 -> bf16
    %w = cast %n : bf16 -> f32
 -> %w = rounded %x : f32

Both give the same numbers. A cast of one number there occupies the unit that exp and reciprocals need too, a quarter as
fast as the units for sums; what is stored is rounded two numbers at a time and does not need it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import BFloat16Type, Float32Type, ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.mlc_triton import CastOp, RoundedOp
from mlc_dialects.triton_types import block_element


@dataclass(frozen=True)
class RoundedCastsPass(ModulePass):
    """Replaces casts of float32 blocks to bfloat16 and back."""

    name = "rounded-casts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for back in [inner for inner in op.walk() if isinstance(inner, CastOp)]:
            source = _rounded(back)
            if source is not None:
                there = back.input
                Rewriter.replace_op(back, RoundedOp(source))
                if not there.uses:
                    Rewriter.erase_op(there.owner)


def _rounded(back: CastOp) -> SSAValue | None:
    """The float32 block that `back` widens after rounding; None if it is no such cast."""
    there = back.input.owner
    if not isinstance(there, CastOp) or not isinstance(there.input.type, TensorType):
        return None
    types = [block_element(value.type) for value in (there.input, back.input, back.result)]
    kinds = (Float32Type, BFloat16Type, Float32Type)
    return there.input if all(isinstance(t, k) for t, k in zip(types, kinds, strict=True)) else None
