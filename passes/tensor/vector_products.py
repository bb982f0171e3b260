"""vector-products: products of a matrix and a vector become a multiplication and a sum.

    x[.., 1, k] @ w[.., k, n] == reduce add over k of (transpose(x) * w)
    w[.., m, k] @ x[.., k, 1] == reduce add over k of (w * transpose(x))

Each element of the matrix is used once, so the product takes as long as the matrix takes to read: tensor cores gain
nothing, and a kernel of ours reads it as quickly as memory allows. Fusion then sees a reduction like any other: what
follows (bias, activation, the other half of a gated unit) joins it, and so does what converts the matrix. Decoding with
one sequence consists of such products.

Terms of 16-bit floats are multiplied and added in float32, and rounded once, as libraries do.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute, SSAValue

from mlc_dialects.common.types import element_type, is_float, shape_of
from mlc_dialects.semantics.numerics import accumulator
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.elementwise import AddOp, MulOp
from mlc_dialects.tensor.ops import CastOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp
from mlc_support.rewriting import Rule, RulePass, rule
from passes.tensor.pad_products import Product


@rule
def sum_of_terms(op: MatmulOp | ExternOp) -> SSAValue | None:
    """x @ w == reduce add of transpose(x) * w, where x is one row, or w one column; then what `addmm` adds"""
    product = Product.of(op)
    if product is None or not is_float(element_type(product.result.type)):
        return None
    if isinstance(op, ExternOp) and op.keywords is not None:  # factors
        return None
    shape, element = shape_of(product.result.type), element_type(product.result.type)
    last = len(shape) - 1
    if shape[-2].constant == 1:
        matrix, vector, summed = product.rhs, product.lhs, last - 1
    elif shape[-1].constant == 1:
        matrix, vector, summed = product.lhs, product.rhs, last
    else:
        return None
    along = BroadcastOp(PermuteOp(vector, [*range(last - 1), last, last - 1]), shape_of(matrix.type)).result
    total = ReduceOp("add", MulOp(_wide(along), _wide(matrix)).result, [summed]).result
    if product.addend is not None:
        total = AddOp(total, _wide(BroadcastOp(product.addend, shape).result)).result
    return _cast(total, element)


def _wide(value: SSAValue) -> SSAValue:
    """`value` in the type in which products are summed."""
    return _cast(value, accumulator(element_type(value.type)))


def _cast(value: SSAValue, element: Attribute) -> SSAValue:
    return value if element_type(value.type) == element else CastOp(value, element).result


@dataclass(frozen=True)
class VectorProductsPass(RulePass):
    """Products of a matrix and a vector as sums, which a kernel computes with what surrounds them."""

    name = "vector-products"

    def rules(self) -> tuple[Rule, ...]:
        """The one."""
        return (sum_of_terms,)
