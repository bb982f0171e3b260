"""Which ops lie between products of matrices that follow each other: what one kernel has to compute.

A region begins with products whose results, the scores, are too many for memory to hold at ease. It goes on with all
that reads them: pointwise ops and reductions. It ends with another product, to which the scores have become weights, as
in attention; or with reductions alone, as in the cross entropy of a last linear layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import element_type, is_float, shape_of
from mlc_dialects.iteration.iterate import sources
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PadOp, PermuteOp, ReshapeOp, SliceOp, ViewOp
from mlc_support.index_expr import IndexExpr, product, variable
from mlc_support.walks import meets
from passes.tensor.products import Product

Index = tuple[IndexExpr, ...]
KEY = "%key"
"""What index expressions call the index along the axis that scores are summed over."""
MOST_OPS = 256
"""Of a region."""
_POINTWISE = (ElementwiseOp, CastOp, BroadcastOp, ReshapeOp, PermuteOp, SliceOp)


@dataclass
class Region:
    """The ops of one kernel: `scores` first, then what reads them, up to `outputs`."""

    last: MatmulOp | None = None
    """The product that sums what the scores have become; None if reductions end the region."""
    weights: SSAValue | None = None
    """Its operand that is computed from them."""
    scores: list[Product] = field(default_factory=list[Product])
    ops: dict[Operation, None] = field(default_factory=dict[Operation, None])
    outputs: list[SSAValue] = field(default_factory=list[SSAValue])

    def __contains__(self, value: SSAValue) -> bool:
        return isinstance(value.owner, Operation) and value.owner in self.ops

    @property
    def begins_weights_left(self) -> bool:
        """True if the weights are the left factor: [.., rows, keys]."""
        return self.last is not None and self.weights is self.last.lhs

    @property
    def summed(self) -> list[tuple[SSAValue, Index]]:
        """What is summed over the keys by the last product and by reductions: elements whose index there is `KEY`."""
        found = [(op.input, i) for op in self.ops if isinstance(op, ReduceOp) and (i := summed_over(op)) is not None]
        return [*found, *([(self.weights, self.point(self.weights))] if self.weights is not None else [])]

    @property
    def keys(self) -> int | None:
        """How many keys there are; None if that is not known."""
        sizes = {shape_of(v.type)[d] for v, index in self.summed for d, i in enumerate(index) if is_key(i)}
        return next(iter(sizes)).constant if len(sizes) == 1 else None

    def point(self, weights: SSAValue) -> Index:
        """An element of the weights; its index along the summed axis is `KEY`."""
        shape = shape_of(weights.type)
        return point_along(weights, len(shape) - (1 if self.begins_weights_left else 2))


def point_along(value: SSAValue, dimension: int) -> Index:
    """An element of `value`, whose index along one dimension is `KEY`."""
    return tuple(variable(KEY if d == dimension else f"%{d}", size) for d, size in enumerate(shape_of(value.type)))


def region_before(last: MatmulOp, weights: SSAValue) -> Region | None:
    """The region that ends in `last`, whose operand `weights` is computed from the results of other products."""
    region = Region(last, weights)
    other = last.rhs if weights is last.lhs else last.lhs
    if not _take_all(region, [weights]) or not region.scores or _needs(region, other):
        return None
    region.ops[last] = None
    return _closed(region)


def region_behind(scores: Product) -> Region | None:
    """The region that begins with `scores`, and ends with reductions of them."""
    region = Region(scores=[scores], ops={scores.op: None})
    return _closed(region)


def _closed(region: Region) -> Region | None:
    """The region with all that reads scores, in program order; None where others need scores."""
    if not _close(region):
        return None
    block = next(iter(region.ops)).parent
    assert block is not None
    place = {op: k for k, op in enumerate(block.ops)}
    region.ops = dict.fromkeys(sorted(region.ops, key=place.__getitem__))
    return region


def _take_all(region: Region, values: list[SSAValue]) -> bool:
    """Adds what computes `values` from products; False where anything but a region's ops does."""
    for value in values:
        found = _computed_from_products(value)
        if found is None or len(found) + len(region.ops) > MOST_OPS:
            return False
        region.ops |= found
        region.scores += [p for op in found if (p := Product.of(op)) is not None and p not in region.scores]
    return True


def _computed_from_products(value: SSAValue) -> dict[Operation, None] | None:
    """The ops from products to `value`; none if no product is behind it. None where there would be too many."""
    known: dict[SSAValue, bool] = {}
    found: dict[Operation, None] = {}
    work: list[tuple[SSAValue, bool]] = [(value, False)]
    while work:
        current, ready = work.pop()
        op = current.owner
        if current in known or not isinstance(op, Operation):
            continue
        if Product.of(op) is not None:
            known[current] = is_float(element_type(current.type))
        elif not isinstance(op, (*_POINTWISE, ReduceOp)):
            known[current] = False
        elif not ready:
            work += [(current, True), *((v, False) for v in op.operands)]
            if len(work) > MOST_OPS:
                return None
            continue
        else:
            known[current] = any(known.get(v, False) for v in op.operands)
        if known[current]:
            found[op] = None
    return found


def _needs(region: Region, value: SSAValue) -> bool:
    """True if `value` is computed from what the region computes, however."""
    return meets(value, lambda v: v in region or (isinstance(v.owner, Operation) and v.owner.operands))


def _close(region: Region) -> bool:
    """Takes what else reads the scores, and what puts the results together; False where others need the scores."""
    while len(region.ops) <= MOST_OPS:
        read = list(_read_outside(region))
        joining = [op for v, op in read if not _is_result(region, v)]
        joining = joining or [op for v, op in read if _is_epilogue(region, v, op)][:1]
        if not joining:
            region.outputs = list(dict.fromkeys(v for v, _ in read))
            return len({shape_of(v.type) for v in region.outputs}) == 1
        for op in joining:
            found = _joining(region, op)
            if found is None:
                return False
            region.ops |= found
    return False


def _read_outside(region: Region) -> Iterator[tuple[SSAValue, Operation]]:
    """The values that ops outside the region read, with these ops."""
    for op in region.ops:
        for value in op.results:
            yield from ((value, use.operation) for use in value.uses if use.operation not in region.ops)


def _is_result(region: Region, value: SSAValue) -> bool:
    """True for what is computed from the last product, or from reductions alone: no score any more."""
    return _is_reduced(region, value) if region.last is None else _is_behind(region, value, region.last)


def _is_reduced(region: Region, value: SSAValue) -> bool:
    """True for what the region computes from results of reductions, and not from scores."""

    def step(v: SSAValue) -> bool | Iterable[SSAValue]:
        op = v.owner
        if v not in region or not isinstance(op, Operation) or isinstance(op, ReduceOp | GatherOp):
            return False
        return Product.of(op) is not None or op.operands

    return not meets(value, step)


def _is_behind(region: Region, value: SSAValue, last: MatmulOp) -> bool:
    """True for what the region computes from the result of `last`."""
    return meets(
        value, lambda v: v is last.result or (v in region and isinstance(v.owner, Operation) and v.owner.operands)
    )


def _is_epilogue(region: Region, value: SSAValue, op: Operation) -> bool:
    """True if `op` may follow in registers: it is pointwise, and computes as many elements as the result `value` has.

    What others read as well is an output; where reductions are all that there is, these may be several.
    """
    if not isinstance(op, ElementwiseOp | CastOp | ReshapeOp) or (region.last is not None and not value.has_one_use()):
        return False
    before, after = shape_of(value.type), shape_of(op.results[0].type)
    same = before[-2:] == after[-2:] if region.last is not None else True
    return same and product(before) == product(after) and _joining(region, op) is not None


def _joining(region: Region, op: Operation) -> dict[Operation, None] | None:
    """`op`, and the ops between the region and it; None where one of these is not pointwise and no reduction."""
    picks = isinstance(op, GatherOp) and region.last is None
    if not isinstance(op, (*_POINTWISE, ReduceOp)) and not picks:
        return None
    found: dict[Operation, None] = {}
    return found | {op: None} if all(_add_between(region, v, found) for v in op.operands) else None


def _add_between(region: Region, value: SSAValue, found: dict[Operation, None]) -> bool:
    """Adds to `found` the ops outside the region that compute `value` from it; False where one is of another kind."""
    op = value.owner
    if not isinstance(op, Operation) or op in region.ops or op in found or not _needs(region, value):
        return True
    if not isinstance(op, (*_POINTWISE, ReduceOp)) or not all(_add_between(region, v, found) for v in op.operands):
        return False
    found[op] = None
    return True


def varies(region: Region, value: SSAValue, index: Index) -> bool:
    """True if the element `index` of `value` may be another for another key."""

    def step(element: tuple[SSAValue, Index]) -> bool | Iterable[tuple[SSAValue, Index]]:
        v, at = element
        if not any(map(reads_key, at)):
            return False
        op = v.owner
        if isinstance(op, BroadcastOp) or (v in region and isinstance(op, _POINTWISE)):
            return sources(op, at)
        return not (isinstance(op, ConstantOp) and op.splat_value is not None)

    return meets((value, index), step)


def summed_over(op: ReduceOp) -> Index | None:
    """The index at which a reduction over one dimension reads its input; None for a reduction over several."""
    shape = shape_of(op.input.type)
    long = [d for d in op.reduced if shape[d].constant != 1]
    if len(long) != 1:
        return None
    return point_along(op.input, long[0])


def reads_key(expr: IndexExpr) -> bool:
    """True if `expr` depends on the key."""
    return any(v.name == KEY for v in expr.variables())


def is_key(expr: IndexExpr) -> bool:
    """True if `expr` is the key."""
    return reads_key(expr) and str(expr) == KEY


def is_view(op: Operation) -> bool:
    """True for a view that moves elements, and makes up none."""
    return isinstance(op, ViewOp) and not isinstance(op, PadOp)
