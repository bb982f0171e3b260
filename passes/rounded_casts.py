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
            there = back.input.owner
            if isinstance(there, CastOp) and _round_trip(there, back):
                Rewriter.replace_op(back, RoundedOp(there.input))
                if not there.result.uses:
                    Rewriter.erase_op(there)


def _round_trip(there: CastOp, back: CastOp) -> bool:
    """True for a block of float32 that is cast to bfloat16 and back."""
    types = [block_element(value.type) for value in (there.input, there.result, back.result)]
    kinds = (Float32Type, BFloat16Type, Float32Type)
    return isinstance(there.input.type, TensorType) and all(map(isinstance, types, kinds))
