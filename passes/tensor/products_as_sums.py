"""products-as-sums: products of matrices that kernels of ours compute become a multiplication and a sum.

    x[.., m, k] @ w[.., k, n] == reduce add over k of (x[.., m, k, 1] * w[.., 1, k, n])

Fusion then sees a reduction like any other: what follows (bias, activation, the other half of a gated unit) joins it,
and so does what converts a factor. All other products are calls of PyTorch's library. `choose` says which are ours:

- `vectors`: products of a matrix and a vector. Each element of the matrix is used once, so that they take as long as
  the matrix takes to read: tensor cores gain nothing, and a kernel of ours reads it as quickly as memory allows.
  Decoding with one sequence consists of such products.
- `quicker`: those of them that add along rows of memory, where the library is slower (measured on an H200: 0.8 of our
  speed; it is quicker where sums run across rows, 1.1). Of products of 16-bit matrices, and of batches of them, those
  that our kernels are predicted to compute quicker: with what follows in the same kernel, and those that the library
  cannot read or write in vectors. Weights of 8 or 4 bits are widened for the library, through memory; kernels of ours
  read them as they are, for up to some hundred rows.
- `all`: all products of 16-bit matrices of known sizes, or batches of them; `tile-products` gives them to tensor cores.

Terms of 16-bit floats are multiplied and added in float32, and rounded once, as libraries do. With `tf32` matrices of
float32 are as those of 16 bits, and their sums say so: no other sum of products may be rounded.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, SSAValue

from mlc_dialects.common.types import Shape, element_type, is_float, shape_of
from mlc_dialects.semantics.numerics import accumulator
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.elementwise import AddOp, MulOp
from mlc_dialects.tensor.ops import CastOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import integer
from mlc_support.rewriting import Rule, RulePass, rule_of
from passes.common.device import Device, DevicePass
from passes.tensor.product_costs import holds_several, is_quicker, sizes_of, spared_us
from passes.tensor.products import Product, rows_of

CHOICES = ("vectors", "quicker", "all")


def vector_product(device: Device, quicker: bool, op: MatmulOp | ExternOp) -> SSAValue | None:
    """x @ w == reduce add of transpose(x) * w, where x is one row, or w one column; then what `addmm` adds"""
    product = _plain(op)
    if product is None:
        return None
    shape = shape_of(product.result.type)
    last = len(shape) - 1
    if shape[-2].constant == 1:
        matrix, vector, summed = product.rhs, product.lhs, last - 1
    elif shape[-1].constant == 1:
        matrix, vector, summed = product.lhs, product.rhs, last
    else:
        return None
    across = rows_of(matrix)[0] != summed
    # What holds several neighbours that are not summed is for tensor cores, also of one row.
    if quicker and across and (holds_several(matrix) or not spared_us(product, device)):
        return None
    along = PermuteOp(vector, [*range(last - 1), last, last - 1]).result
    return _finished(product, _sum(along, matrix, shape_of(matrix.type), summed))


def matrix_product(device: Device, quicker: bool, tf32: bool, op: MatmulOp | ExternOp) -> SSAValue | None:
    """x @ w == reduce add over k of x[.., m, k, 1] * w[.., 1, k, n], by tensor cores; then what `addmm` adds"""
    product = _plain(op)
    if product is None:
        return None
    sizes = sizes_of(product, device, tf32, single=spared_us(product, device) > 0)
    if sizes is None or (quicker and not is_quicker(product, sizes, device)):
        return None
    (*batch, m, n), k = shape_of(product.result.type), shape_of(product.lhs.type)[-1]
    one = integer(1)
    rows, columns = ReshapeOp(product.lhs, [*batch, m, k, one]), ReshapeOp(product.rhs, [*batch, one, k, n])
    rounded = element_type(product.result.type) == f32
    total = _sum(rows.result, columns.result, (*batch, m, k, n), len(batch) + 1, rounded)
    return _finished(product, ReshapeOp(total, [*batch, m, n]).result)


def _plain(op: MatmulOp | ExternOp) -> Product | None:
    """The product of floats that `op` is, unless it has factors."""
    product = Product.of(op)
    if product is None or not is_float(element_type(product.result.type)):
        return None
    return None if isinstance(op, ExternOp) and op.keywords is not None else product


def _sum(x: SSAValue, w: SSAValue, shape: Shape, summed: int, tf32: bool = False) -> SSAValue:
    """The sum of x * w along one dimension of `shape`, to which both are broadcast."""
    terms = MulOp(*(_wide(_broadcast(v, shape)) for v in (x, w))).result
    return ReduceOp("add", terms, [summed], tf32).result


def _finished(product: Product, total: SSAValue) -> SSAValue:
    """What the product adds to the sum, and its type."""
    if product.addend is not None:
        total = AddOp(total, _wide(_broadcast(product.addend, shape_of(total.type)))).result
    return _cast(total, element_type(product.result.type))


def _broadcast(value: SSAValue, shape: Shape) -> SSAValue:
    return value if shape_of(value.type) == shape else BroadcastOp(value, shape).result


def _wide(value: SSAValue) -> SSAValue:
    """`value` in the type in which products are summed."""
    return _cast(value, accumulator(element_type(value.type)))


def _cast(value: SSAValue, element: Attribute) -> SSAValue:
    return value if element_type(value.type) == element else CastOp(value, element).result


@dataclass(frozen=True)
class ProductsAsSumsPass(DevicePass, RulePass):
    """Products of matrices as sums, which kernels compute with what surrounds them."""

    name = "products-as-sums"

    choose: str = "quicker"
    """Which products: `vectors`, `quicker` or `all`."""
    tf32: bool = False
    """Products of float32 may be computed in TF32 (`torch.backends.cuda.matmul.fp32_precision`)."""

    def __post_init__(self) -> None:
        if self.choose not in CHOICES:
            raise MlcError(f"products-as-sums: no choice {self.choose!r}", hint=f"choices are {', '.join(CHOICES)}")

    def rules(self) -> tuple[Rule, ...]:
        """Those of vectors, and of matrices where they are asked for."""
        quicker = self.choose == "quicker"
        vectors = rule_of(vector_product, self.target, quicker)
        matrices = rule_of(matrix_product, self.target, quicker, self.tf32)
        return (vectors,) if self.choose == "vectors" else (vectors, matrices)
