"""contract: a product and a sum are rounded once, in kernels whose results are coarser than that by far.

    a * b + c   ->   fma(a, b, c)
    c - a * b   ->   fma(-a, b, c)

Elsewhere products and sums are rounded one by one, as PyTorch's kernels round them. A kernel with `mlc.rounded`
computes from products that the program rounds to 16 bits, for each score of attention: there instructions count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.scalar_builder import fma
from mlc_support.rewriting import Rule, RulePass, rule
from passes.loop.analysis.precision import is_rounded


@dataclass(frozen=True)
class ContractPass(RulePass):
    """Joins products and sums that one instruction computes."""

    name = "contract"
    rounds_otherwise: ClassVar[bool] = True

    def rules(self) -> tuple[Rule, ...]:
        """The rules, in order."""
        return (multiply_add, multiply_subtract)


@rule
def multiply_add(op: arith.AddfOp) -> Operation | None:
    """a * b + c == fma(a, b, c)"""
    for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        product = _product(one)
        if product is not None:
            return fma(product.lhs, product.rhs, other)
    return None


@rule
def multiply_subtract(op: arith.SubfOp) -> Operation | None:
    """a * b - c == fma(a, b, -c), and c - a * b == fma(-a, b, c)"""
    first, second = _product(op.lhs), _product(op.rhs)
    if first is not None:
        return fma(first.lhs, first.rhs, arith.NegfOp(op.rhs).result)
    return None if second is None else fma(arith.NegfOp(second.lhs).result, second.rhs, op.lhs)


def _product(value: SSAValue) -> arith.MulfOp | None:
    """The product of float32 that `value` is, if only one sum reads it, beside it, and may round with it."""
    op = value.owner
    if not isinstance(op, arith.MulfOp) or value.type != f32 or not value.has_one_use():
        return None
    (use,) = value.uses
    return op if op.parent is use.operation.parent and is_rounded(op) else None
