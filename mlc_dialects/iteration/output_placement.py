"""Output index maps: the element of each output that a kernel writes at a point of its axes.

A softmax's results are known while their row is in registers. If the output is their transpose, writing it in its own
order would read other rows; so it is written at the transposed index instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import Shape, shape_of
from mlc_dialects.iteration.domain import Domain, Index, placed, row_major_index
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import points_of
from mlc_dialects.tensor.ops import CastOp, ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp, SliceOp
from mlc_support.index_expr import IndexExpr
from mlc_support.index_maps import delinearize, linearize

Step = tuple[Operation, tuple[SSAValue, ...], SSAValue]
"""An op, its operands and its result."""


def output_index_maps(
    ops: Collection[Operation], outputs: Sequence[SSAValue], reductions: Sequence[ReduceOp | ScanOp], domain: Domain
) -> dict[SSAValue, Index]:
    """The index of each output at the points of `domain`, as it follows from the reductions over the columns.

    `ops` are in program order. Where no reduction determines an index, an output does, preferably one of the domain's
    shape. Outputs with more elements than points have no index. The result is empty if all indices are row-major.
    """
    places: dict[SSAValue, Index] = {}
    steps = [(op, tuple(op.operands), op.results[0]) for op in ops if op.results]
    for op in reductions:
        own = placed(op, domain)
        places[op.input] = own.point
        places[op.results[0]] = own.row if isinstance(op, ReduceOp) else own.point
    bound = _made_of([result for op in reductions for result in op.results], steps)
    _spread(places, steps, domain, bound)
    row_major = {v: index for v in outputs if (index := _row_major(domain, v)) is not None}
    for output in sorted(row_major, key=lambda v: points_of(v) != domain.shape):
        if output not in places:
            places[output] = row_major[output]
            _spread(places, steps, domain, bound)
    found = {v: places[v] for v in outputs if v in places}
    return found if any(index != row_major.get(v) for v, index in found.items()) else {}


def _row_major(domain: Domain, output: SSAValue) -> Index | None:
    """The index of `output` in row-major order; None if it does not have an element for each point."""
    found = row_major_index(domain, points_of(output))
    return found[0] if found is not None and (found[1] or not domain.reduced) else None


def _made_of(values: Sequence[SSAValue], steps: Sequence[Step]) -> set[SSAValue]:
    """`values` and all that is computed from them."""
    found = set(values)
    for _, operands, result in steps:
        if not found.isdisjoint(operands):
            found.add(result)
    return found


def _spread(places: dict[SSAValue, Index], steps: Sequence[Step], domain: Domain, bound: Collection[SSAValue]) -> None:
    """Propagates the known `places` to operands and results until nothing changes.

    A value that is computed from `bound`, the results of reductions, lies where `bound` does: its other operands can be
    read at any index.
    """
    before = 0
    while len(places) > before:
        before = len(places)
        for op, operands, result in steps:
            if result not in places:
                asked = [v for v in operands if v in bound] or operands
                index = next((places[v] for v in asked if v in places), None)
                found = None if index is None else _result(op, index, domain)
                if found is not None:
                    places[result] = found
        for op, operands, result in reversed(steps):
            if result in places and not all(v in places for v in operands):
                for operand, index in _operands(op, places[result]):
                    places.setdefault(operand, index)
        steps = [step for step in steps if step[2] not in places or not all(v in places for v in step[1])]


def _operands(op: Operation, index: Index) -> Iterator[tuple[SSAValue, Index]]:
    """The operands whose elements correspond to the result's, and their index."""
    if isinstance(op, ElementwiseOp | CastOp):
        yield from ((operand, index) for operand in op.operands)
    elif isinstance(op, PermuteOp | ReshapeOp | SliceOp):
        yield op.input, op.source_index(index)


def _result(op: Operation, index: Index, domain: Domain) -> Index | None:
    """The index of the result if that of an operand is `index`; None where it does not follow."""
    match op:
        case ElementwiseOp() | CastOp():
            return index
        case PermuteOp():
            return tuple(index[d] for d in op.order)
        case ReshapeOp():
            return delinearize(linearize(index, op.input_shape), op.shape)
        case BroadcastOp() if shape_of(op.result.type) == domain.shape:
            return domain.point
        case SliceOp():
            return _sliced(op, index, domain)
        case _:
            return None


def _sliced(op: SliceOp, index: Index, domain: Domain) -> Index | None:
    """The index of a slice if it has an element for each point; `index` is its input's.

    So it is where another slice of the same tensor, or of a permuted one, has an element for each point, as the windows
    of a pool.
    """
    offsets = [place - start for place, start in zip(index, index_exprs(op.starts), strict=True)]
    if any(step < 0 or (offset % step).constant != 0 for offset, step in zip(offsets, op.strides, strict=True)):
        return None
    found = tuple(offset // step for offset, step in zip(offsets, op.strides, strict=True))
    outside = any(size.constant == 1 and place.constant != 0 for place, size in zip(found, op.shape, strict=True))
    return found if not outside and _coordinates(found, op.shape) == _coordinates(domain.point, domain.shape) else None


def _coordinates(index: Index, shape: Shape) -> Counter[tuple[IndexExpr, IndexExpr]]:
    """The coordinates of an index with the sizes that they run over, in any order."""
    return Counter((place, size) for place, size in zip(index, shape, strict=True) if size.constant != 1)
