"""Rules by which `simplify{extra-rules=affine}` simplifies as well. The docstring of a rule is the identity."""

from __future__ import annotations

import math

from xdsl.ir import SSAValue

from mlc_example.dialect import AffineOp
from mlc_support.rewriting import rule


@rule
def affine_identity(op: AffineOp) -> SSAValue | None:
    """1 * x + -0.0 == x, bit for bit; x + 0.0 is another one where x is -0.0"""
    shift = op.shift.value.data
    return op.x if op.scale.value.data == 1 and shift == 0 and math.copysign(1, shift) < 0 else None


@rule(inexact=True)
def affine_of_affine(op: AffineOp) -> AffineOp | None:
    """a * (b * x + c) + d == (a * b) * x + (a * c + d), but for rounding and overflow"""
    inner = op.x.owner
    if not isinstance(inner, AffineOp):
        return None
    a, b, c, d = (number.value.data for number in (op.scale, inner.scale, inner.shift, op.shift))
    return AffineOp(inner.x, a * b, a * c + d)


AFFINE = (affine_identity, affine_of_affine)
