"""The outputs of a region as one loop nest computes them.

Sums are [.., rows, columns], and numbers of rows [.., rows, 1]. A product of weights on the right gives
[.., columns, rows]: it is turned, inside and back outside. A single output stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import Shape, shape_of
from mlc_dialects.iteration.iterate import sources
from mlc_dialects.tensor.ops import ReduceOp
from mlc_dialects.tensor.views import PermuteOp, ReshapeOp
from mlc_support.index_expr import IndexExpr, integer, product, variable
from mlc_support.index_maps import linearize
from mlc_support.walks import meets
from passes.tensor.online_products.region import Index, NoOnlineFormError, Region, reads_key, summed_over
from passes.tensor.products import Product

Add = Callable[[Operation], SSAValue]
"""It inserts an op, and gives its result."""


@dataclass(frozen=True)
class Output:
    """One output: `shape` is that in the loop nest."""

    value: SSAValue
    shape: Shape
    turned: bool = False

    def inside(self, value: SSAValue, add: Add) -> SSAValue:
        """`value`, of the region's shape, as the nest gives it."""
        return _shaped(_turned(value, add) if self.turned else value, self.shape, add)

    def outside(self, value: SSAValue, add: Add) -> SSAValue:
        """`value`, as the nest gives it, in the region's shape."""
        shape = shape_of(self.value.type)
        value = _shaped(value, _swapped(shape) if self.turned else shape, add)
        return _turned(value, add) if self.turned else value


def outputs_of(region: Region) -> list[Output]:
    """The outputs in order. NoOnlineFormError where no nest has them all."""
    if len(region.outputs) == 1:
        return [Output(v, shape_of(v.type)) for v in region.outputs]
    rows = region.of_rows
    turned = {v: _is_turned(region, v) for v in region.outputs if v not in rows}
    shapes = [_swapped(shape_of(v.type)) if t else shape_of(v.type) for v, t in turned.items()]
    whole = shapes[0]
    if len({(str(product(shape)), shape[-2:]) for shape in shapes}) > 1:
        raise NoOnlineFormError("outputs of several sizes")
    of_row = (*whole[:-1], integer(1))
    if not all(_is_of_row(region, v, product(of_row)) for v in rows):
        raise NoOnlineFormError("an output is neither a sum nor a number of a row")
    return [Output(v, whole if v in turned else of_row, turned.get(v, False)) for v in region.outputs]


def _is_turned(region: Region, value: SSAValue) -> bool:
    """True if the weights of the product behind `value` are on the right, and its result was not turned since."""
    behind, turns, current = region.behind(value), 0, value
    if len(behind) > 1:
        raise NoOnlineFormError("an output is made of several sums")
    if not behind:
        return False
    while current is not behind[0].op.result:
        op = current.owner
        assert isinstance(op, Operation)
        turns += isinstance(op, PermuteOp)
        current = next(v for v in op.operands if region.behind(v))
    return behind[0].is_left == bool(turns % 2)


def _is_of_row(region: Region, value: SSAValue, rows: IndexExpr) -> bool:
    """True if the elements of `value` are numbers of all `rows` of the scores, in the order of these rows."""
    shape = shape_of(value.type)
    own = tuple(variable(f"%{d}", size) for d, size in enumerate(shape))
    number = str(linearize(own, shape))

    def step(element: tuple[SSAValue, Index]) -> bool | Iterable[tuple[SSAValue, Index]]:
        """True for a score that is of another row."""
        v, index = element
        op = v.owner
        if v not in region or not isinstance(op, Operation):
            return False
        if Product.of(op) is not None:
            row = [(i, size) for i, size in zip(index, shape_of(v.type), strict=True) if not reads_key(i)]
            return str(linearize(*zip(*row, strict=True))) != number
        if not isinstance(op, ReduceOp):
            return sources(op, index)
        keys = summed_over(op)
        return keys is None or [(op.input, tuple(k if reads_key(k) else i for k, i in zip(keys, index, strict=True)))]

    return product(shape) == rows and not meets((value, own), step)


def _turned(value: SSAValue, add: Add) -> SSAValue:
    """Rows as columns."""
    *batch, rows, columns = range(len(shape_of(value.type)))
    return add(PermuteOp(value, [*batch, columns, rows]))


def _swapped(shape: Shape) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2])


def _shaped(value: SSAValue, shape: Shape, add: Add) -> SSAValue:
    return value if shape_of(value.type) == shape else add(ReshapeOp(value, shape))
