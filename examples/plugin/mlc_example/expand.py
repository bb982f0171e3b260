"""expand-affine: `example.affine` becomes ops of `mlc_tensor`, which the compiler takes from there."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation

from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.elementwise import AddOp, MulOp
from mlc_dialects.tensor.elementwise_special import FmaOp
from mlc_dialects.tensor.ops import ConstantOp
from mlc_example.dialect import AffineOp
from mlc_support.rewriting import Rule, RulePass, rule


def _constants(op: AffineOp) -> tuple[ConstantOp, ConstantOp]:
    shape = shape_of(op.x.type)
    scale, shift = (ConstantOp.splat(number.value.data, shape, f32) for number in (op.scale, op.shift))
    return scale, shift


@rule
def expand(op: AffineOp) -> Operation:
    """scale * x + shift"""
    scale, shift = _constants(op)
    return AddOp(MulOp(op.x, scale), shift)


@rule(inexact=True)
def expand_to_fma(op: AffineOp) -> Operation:
    """fma(x, scale, shift), whose product is not rounded"""
    scale, shift = _constants(op)
    return FmaOp(op.x, scale, shift)


@dataclass(frozen=True)
class ExpandAffinePass(RulePass):
    """Spells affine functions by products and sums."""

    name = "expand-affine"

    fma: bool = False
    """Round once, at the end."""

    def rules(self) -> tuple[Rule, ...]:
        return (expand_to_fma,) if self.fma else (expand,)
