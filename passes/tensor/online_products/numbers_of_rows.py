"""Numbers of rows that a kernel of products reads, as what is cheapest for each score.

Gradients of attention read the maximum m and the sum l of each row. Where the program rounds scores, what they make of
those for each score is computed once for each row, before the kernel:

    exp(x[i, j] - m[i]) / l[i]  ==  exp2(x[i, j] * log2(e) - (m[i] * log2(e))) * (1 / l[i])

The difference is one of m * 2**-24 in the exponent, which the rounding of x exceeds, and where l is below 2**-126.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.scalar_builder import LOG2_E
from mlc_dialects.common.types import element_type, shape_of
from mlc_dialects.tensor.elementwise import DivOp, MulOp, SubOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import ConstantOp
from mlc_dialects.tensor.views import BroadcastOp
from passes.tensor.fusion.decision import value_bytes
from passes.tensor.online_products.region import Region

FEW = 8
"""How many times as many scores there are as numbers of rows, at least."""


def number_of_row(value: SSAValue, region: Region) -> SSAValue | None:
    """What `value` repeats for each score of a row, if it is a float32 from outside; None where scores are exact."""
    op = value.owner
    if not region.is_rounded or value in region or not isinstance(op, BroadcastOp):
        return None
    few = FEW * value_bytes(op.input) <= value_bytes(value)
    return op.input if few and element_type(value.type) == f32 and not isinstance(op.input.owner, ConstantOp) else None


def difference(power: ElementwiseOp, region: Region) -> tuple[SSAValue, SSAValue] | None:
    """x and m of exp(x - m), where x is computed in the region and m is a number of each row."""
    op = power.operands[0].owner
    if power.operands[0] not in region or not isinstance(op, SubOp):
        return None
    x, m = op.operands
    return None if x not in region or number_of_row(m, region) is None else (x, m)


def inverse(x: SSAValue) -> Sequence[Operation]:
    """1 / x"""
    one = ConstantOp.splat(1.0, shape_of(x.type), f32)
    return one, DivOp(one.result, x)


def in_powers_of_2(x: SSAValue) -> Sequence[Operation]:
    """x * log2(e)"""
    log2_e = ConstantOp.splat(LOG2_E, shape_of(x.type), f32)
    return log2_e, MulOp(x, log2_e.result)
