"""sums-as-products: a sum over products that two tensors span is a product of matrices.

    sum over k of x[.., i, 1, k] * y[.., 1, j, k]  ->  x @ transpose(y)

So programs spell contractions without `matmul` or `einsum`: scans over states, bilinear forms. A reduction loads both
factors of each of its products; a product of matrices loads a factor once for a whole tile of results. Libraries add up
in another order, as kernels of ours do, and do not round the products before.

Only sums of float32 and float64, where the library computes in these types: programs round 16-bit products one by one,
and TF32 would round their factors. Few results along either side stay a reduction, for each element is used too seldom;
so do few terms, which a kernel around them adds up in less time than a call takes.

The reverse is `products-as-sums`, for what kernels of ours compute; XLA knows it as dot strength reduction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import element_type, shape_of
from mlc_dialects.tensor.elementwise import MulOp
from mlc_dialects.tensor.ops import MatmulOp, ReduceOp
from mlc_dialects.tensor.views import PermuteOp, ReshapeOp
from mlc_support.index_expr import IndexExpr, product
from mlc_support.index_maps import assumed
from mlc_support.rewriting import Rule, RulePass, rule_of
from passes.common.device import ProcessorPass
from passes.tensor.recompose.looks import before_broadcast

LEAST = 32
"""The fewest rows, columns and terms of each sum that libraries compute quicker than a reduction."""


@dataclass(frozen=True)
class SumsAsProductsPass(ProcessorPass, RulePass):
    """Turns sums over products of two tensors that share some dimensions into products of matrices."""

    name = "sums-as-products"

    rounded: bool = False
    """Libraries may round the factors of products of float32, to TF32 for instance: then sums of float32 stay sums."""
    terms: int | None = None
    """The fewest terms of all sums together; none is one for each byte that memory moves in the time of a launch."""

    def rules(self) -> tuple[Rule, ...]:
        types = (f64,) if self.rounded else (f32, f64)
        fewest = self.processor.bytes_a_launch if self.terms is None else self.terms
        return (rule_of(as_product, types, fewest),)


def as_product(types: Sequence[object], fewest: int, op: ReduceOp) -> Operation | None:
    """sum over k of x[.., i, 1, k] * y[.., 1, j, k] == x @ transpose(y), for dimensions in any order"""
    inner = op.input.owner
    if op.kind.data != "add" or element_type(op.input.type) not in types or not isinstance(inner, MulOp):
        return None
    if assumed(product(shape_of(op.input.type))) < fewest or not op.input.has_one_use():
        return None
    sides = _Sides.of(op, inner)
    return sides.product() if sides is not None and sides.are_large else None


@dataclass(frozen=True)
class _Sides:
    """What either factor varies along, as dimensions of their product."""

    op: ReduceOp
    x: SSAValue
    y: SSAValue
    """The factors before they were broadcast."""
    batch: list[int]
    """The dimensions that both vary along."""
    rows: list[int]
    """Those of `x` alone."""
    columns: list[int]
    """Those of `y` alone."""
    summed: list[int]

    @staticmethod
    def of(op: ReduceOp, inner: MulOp) -> _Sides | None:
        """None where the sum is no product of matrices."""
        shape = shape_of(op.input.type)
        x, y = map(before_broadcast, inner.operands)
        along_x, along_y = (_dims_along(v, len(shape)) for v in (x, y))
        wide = {d for d, size in enumerate(shape) if size.constant != 1}
        summed, both = wide & {*op.reduced}, along_x & along_y
        if along_x | along_y != wide or not summed <= both:
            return None
        return _Sides(op, x, y, *map(sorted, (both - summed, along_x - along_y, along_y - along_x, summed)))

    @property
    def are_large(self) -> bool:
        """True if a product of these sizes is worth a call of the library."""
        kinds = (self.rows, self.columns, self.summed)
        return all(assumed(product(self.sizes(dims))) >= LEAST for dims in kinds)

    def product(self) -> Operation:
        """The product, in the order of the sum's dimensions."""
        lhs, rhs = self._matrices(self.x, self.rows, self.summed), self._matrices(self.y, self.summed, self.columns)
        order = [*self.batch, *self.rows, *self.columns]
        spread = ReshapeOp(MatmulOp(lhs, rhs), self.sizes(order))
        return ReshapeOp(PermuteOp(spread, _places(sorted(order), order)), shape_of(self.op.result.type))

    def _matrices(self, value: SSAValue, rows: list[int], columns: list[int]) -> SSAValue:
        """A factor as matrices with these dimensions as their rows and columns."""
        order = [*self.batch, *rows, *columns]
        turned = PermuteOp(ReshapeOp(value, self.sizes(sorted(order))), _places(order, sorted(order)))
        joined = (product(self.sizes(dims)) for dims in (rows, columns))
        return ReshapeOp(turned, [*self.sizes(self.batch), *joined]).result

    def sizes(self, dims: Iterable[int]) -> list[IndexExpr]:
        """How long these dimensions are."""
        shape = shape_of(self.op.input.type)
        return [shape[d] for d in dims]


def _dims_along(value: SSAValue, rank: int) -> set[int]:
    """The dimensions, of `rank`, along which a value varies that is broadcast to them."""
    shape = shape_of(value.type)
    return {rank - len(shape) + d for d, size in enumerate(shape) if size.constant != 1}


def _places(wanted: Iterable[int], order: list[int]) -> list[int]:
    return [order.index(d) for d in wanted]
