"""Which ops lie between products of matrices that follow each other: what one kernel has to compute.

A region begins with products whose results, the scores, are too many for memory to hold at ease. It goes on with all
that reads them: pointwise ops and reductions. It ends with other products, to which the scores have become weights, as
in attention and its gradients; or with reductions alone, as in the cross entropy of a last linear layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import element_type, is_float, is_half, shape_of
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
OF_BATCH = 0
"""Instead of a dimension of scores, that of a sum over the batch before their rows and columns."""
MOST_OPS = 256
"""Of a region."""
_POINTWISE = (ElementwiseOp, CastOp, BroadcastOp, ReshapeOp, PermuteOp, SliceOp)


class NoOnlineFormError(Exception):
    """Says why a region has no online form."""


@dataclass(frozen=True)
class Last:
    """A product that sums what the scores have become: `weights` is its operand that is computed from them."""

    op: MatmulOp
    weights: SSAValue

    @property
    def is_left(self) -> bool:
        """True if the weights are the left factor: [.., rows, keys]; else they are [.., keys, rows]."""
        return self.weights is self.op.lhs

    @property
    def other(self) -> SSAValue:
        return self.op.rhs if self.is_left else self.op.lhs

    @property
    def point(self) -> Index:
        """An element of the weights; its index along the summed axis is `KEY`."""
        return point_along(self.weights, len(shape_of(self.weights.type)) - (1 if self.is_left else 2))

    @property
    def columns(self) -> IndexExpr:
        """How many sums there are of each row of weights."""
        return shape_of(self.op.result.type)[-1 if self.is_left else -2]


@dataclass
class Region:
    """The ops of one kernel: `scores` first, then what reads them, up to `outputs`."""

    lasts: list[Last] = field(default_factory=list[Last])
    """The products that sum what the scores have become; none if reductions end the region."""
    scores: list[Product] = field(default_factory=list[Product])
    ops: dict[Operation, None] = field(default_factory=dict[Operation, None])
    outputs: list[SSAValue] = field(default_factory=list[SSAValue])
    tf32: bool = False
    """Products of float32 may be computed in TF32."""

    def __contains__(self, value: SSAValue) -> bool:
        return isinstance(value.owner, Operation) and value.owner in self.ops

    @property
    def is_rounded(self) -> bool:
        """True if the program rounds all scores to 16 bits, which kernels do not."""
        return all(is_half(element_type(p.result.type)) for p in self.scores)

    @property
    def summed(self) -> list[tuple[SSAValue, Index]]:
        """What is summed over the keys by last products and by reductions: elements whose index there is `KEY`."""
        found = [(op.input, i) for op in self.ops if isinstance(op, ReduceOp) and (i := summed_over(op)) is not None]
        return [*found, *((last.weights, last.point) for last in self.lasts)]

    @property
    def keys(self) -> IndexExpr | None:
        """How many keys there are; None where sums are over axes of several sizes."""
        sizes = {shape_of(v.type)[d] for v, index in self.summed for d, i in enumerate(index) if is_key(i)}
        return next(iter(sizes)) if len(sizes) == 1 else None

    @property
    def batch_sums(self) -> list[ReduceOp]:
        """The sums over a batch, of scores that are added up element by element."""
        return [op for op in self.ops if isinstance(op, ReduceOp) and self.sums_batch(op)]

    def sums_batch(self, op: ReduceOp) -> bool:
        """True if a reduction adds up scores of a batch."""
        point = summed_over(op)
        try:
            return point is not None and OF_BATCH in self.key_sides([(op.input, point)]).values()
        except NoOnlineFormError:
            return False

    def key_sides(self, summed: Iterable[tuple[SSAValue, Index]]) -> dict[Operation, int]:
        """Of each product of scores behind `summed`, the dimension that is summed along, counted from the end.

        OF_BATCH is that of sums over a batch. NoOnlineFormError where it is not the same in all places.
        """
        sides: dict[Operation, int] = {}

        def step(element: tuple[SSAValue, Index]) -> bool | Iterable[tuple[SSAValue, Index]]:
            value, index = element
            op = value.owner
            if value not in self or not isinstance(op, Operation) or isinstance(op, ReduceOp | GatherOp):
                return False
            if Product.of(op) is None:
                return sources(op, index)
            if sides.setdefault(op, side := _side(index)) != side:
                raise NoOnlineFormError("scores are summed over rows and over columns, or over a batch")
            return False

        for element in summed:
            meets(element, step)
        return sides

    @property
    def of_rows(self) -> list[SSAValue]:
        """The outputs beside those behind last products: numbers of rows, as the maximum and the sum of a softmax."""
        return [v for v in self.outputs if self.lasts and is_reduced(self, v)]

    def behind(self, value: SSAValue) -> list[Last]:
        """The last products that the region computes `value` from."""
        found: list[Last] = []

        def step(v: SSAValue) -> bool | Iterable[SSAValue]:
            found.extend(last for last in self.lasts if v is last.op.result)
            return v in self and isinstance(v.owner, Operation) and v.owner.operands

        meets(value, step)
        return found


def point_along(value: SSAValue, dimension: int) -> Index:
    """An element of `value`, whose index along one dimension is `KEY`."""
    return tuple(variable(KEY if d == dimension else f"%{d}", size) for d, size in enumerate(shape_of(value.type)))


def region_before(last: MatmulOp, weights: SSAValue, tf32: bool) -> Region | None:
    """The region that ends in `last`, whose operand `weights` is computed from the results of other products."""
    region = Region(tf32=tf32)
    return _closed(region) if _take_last(region, last, weights) and region.scores else None


def region_behind(scores: Product, tf32: bool) -> Region | None:
    """The region that begins with `scores`, and ends with reductions of them."""
    region = Region(scores=[scores], ops={scores.op: None}, tf32=tf32)
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


def _take_last(region: Region, op: MatmulOp, weights: SSAValue) -> bool:
    """Adds a product of `weights`, and what computes these; False where its other factor needs them too."""
    last = Last(op, weights)
    if not _take_all(region, [weights]) or _needs(region, last.other):
        return False
    region.lasts.append(last)
    region.ops[op] = None
    return True


def _take_all(region: Region, values: Iterable[SSAValue]) -> bool:
    """Adds what computes `values` from products of their size; False where anything but a region's ops does."""
    for value in values:
        found = computed_from_products(value)
        if found is None or len(found) + len(region.ops) > MOST_OPS:
            return False
        region.ops |= found
        region.scores += [p for op in found if (p := Product.of(op)) is not None and p not in region.scores]
    return True


def computed_from_products(value: SSAValue) -> dict[Operation, None] | None:
    """The ops from products as large as `value` to it; none if there is no such one, None where they are too many."""
    size = product(shape_of(value.type))
    known: dict[SSAValue, bool] = {}
    found: dict[Operation, None] = {}
    work: list[tuple[SSAValue, bool]] = [(value, False)]
    while work:
        current, ready = work.pop()
        op = current.owner
        if current in known or not isinstance(op, Operation):
            continue
        if Product.of(op) is not None:
            known[current] = is_float(element_type(current.type)) and product(shape_of(current.type)) == size
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
        joining = [(v, op) for v, op in read if not _is_result(region, v)]
        joining = joining or [(v, op) for v, op in read if _is_epilogue(region, v, op)][:1]
        if not joining:
            region.outputs = list(dict.fromkeys(v for v, _ in read))
            return True
        if not all(op in region.ops or _join(region, v, op) for v, op in joining):
            return False
    return False


def _join(region: Region, value: SSAValue, op: Operation) -> bool:
    """Adds `op`, which reads `value`, with what else computes its operands; False where it is of another kind."""
    if isinstance(op, MatmulOp) and region.lasts:
        return _take_last(region, op, value)
    found = _joining(region, op)
    if found is None:
        return False
    region.ops |= found
    of_scores = product(shape_of(op.results[0].type)) == product(shape_of(region.scores[0].result.type))
    return not of_scores or not region.lasts or _take_all(region, op.operands)


def _read_outside(region: Region) -> Iterator[tuple[SSAValue, Operation]]:
    """The values that ops outside the region read, with these ops."""
    for op in region.ops:
        for value in op.results:
            yield from ((value, use.operation) for use in value.uses if use.operation not in region.ops)


def _is_result(region: Region, value: SSAValue) -> bool:
    """True for what is computed from last products, or from reductions alone: no score any more."""
    return bool(region.behind(value)) or is_reduced(region, value)


def is_reduced(region: Region, value: SSAValue) -> bool:
    """True for what the region computes from results of reductions, and not from scores."""

    def step(v: SSAValue) -> bool | Iterable[SSAValue]:
        op = v.owner
        if v not in region or not isinstance(op, Operation) or isinstance(op, ReduceOp | GatherOp):
            return False
        return Product.of(op) is not None or op.operands

    return not meets(value, step)


def _is_epilogue(region: Region, value: SSAValue, op: Operation) -> bool:
    """True if `op` may follow in registers: it is pointwise, and computes as many elements as the result `value` has.

    What others read as well is an output, of last products; of reductions there may be several.
    """
    summed = bool(region.behind(value))
    if not isinstance(op, ElementwiseOp | CastOp | ReshapeOp | PermuteOp) or (summed and not value.has_one_use()):
        return False
    before, after = shape_of(value.type), shape_of(op.results[0].type)
    if isinstance(op, PermuteOp):
        return summed and is_turn(op)
    same = before[-2:] == after[-2:] if summed else True
    return same and product(before) == product(after) and _joining(region, op) is not None


def _joining(region: Region, op: Operation) -> dict[Operation, None] | None:
    """`op`, and the ops between the region and it; None where one of these is not pointwise and no reduction."""
    picks = isinstance(op, GatherOp) and not region.lasts
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


def _side(index: Index) -> int:
    """The dimension of the scores that is the key's, counted from the end: -1 or -2; OF_BATCH for those before."""
    along = [d - len(index) for d, i in enumerate(index) if reads_key(i)]
    if along and max(along) < -2:
        return OF_BATCH
    if len(along) != 1 or along[0] < -2 or not is_key(index[along[0]]):
        raise NoOnlineFormError("the axis that is summed is none of the scores")
    return along[0]


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


def is_turn(op: PermuteOp) -> bool:
    """True if rows and columns change places, and nothing else."""
    *batch, rows, columns = range(len(op.order))
    return op.order == (*batch, columns, rows)


def is_view(op: Operation) -> bool:
    """True for a view that moves elements, and makes up none."""
    return isinstance(op, ViewOp) and not isinstance(op, PadOp)
