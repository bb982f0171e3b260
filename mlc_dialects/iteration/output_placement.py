"""Where the results of a kernel lie naturally: each element at the point at which what it is made of is known.

A row's normalised elements are known while the program holds that row. Their transpose is as well, if it is
written where each element belongs, and not read at the place of the transpose, where other rows are wanted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import shape_of
from mlc_dialects.iteration.domain import Domain, Index, domain_of, row_major_index
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import points_of
from mlc_dialects.tensor.ops import CastOp, ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp
from mlc_support.index_maps import delinearize, linearize

Step = tuple[Operation, tuple[SSAValue, ...], SSAValue]
"""An op, its operands and its result."""


def output_index_maps(
    ops: Collection[Operation], outputs: Sequence[SSAValue], reductions: Sequence[ReduceOp | ScanOp], domain: Domain
) -> dict[SSAValue, Index]:
    """The index that outputs have at a kernel's points (p, r), as it follows from `reductions` over its columns.

    `ops` are in program order. What does not follow from them follows from an output, best one of the points' shape.
    What has more elements than there are points has no place; and none is told if all lie in order of their rows.
    """
    places: dict[SSAValue, Index] = {}
    steps = [(op, tuple(op.operands), op.results[0]) for op in ops if op.results]
    for op in reductions:
        own = domain_of(op)
        places[op.input] = own.point
        places[op.results[0]] = own.row if isinstance(op, ReduceOp) else own.point
    bound = _made_of([result for op in reductions for result in op.results], steps)
    _spread(places, steps, domain, bound)
    for output in sorted(outputs, key=lambda v: points_of(v) != domain.shape):
        found = row_major_index(domain, points_of(output))
        if output not in places and found is not None and found[1]:
            places[output] = found[0]
            _spread(places, steps, domain, bound)
    transposed = {v: places[v] for v in outputs if v in places}
    return transposed if any((i, True) != row_major_index(domain, points_of(v)) for v, i in transposed.items()) else {}


def _made_of(values: Sequence[SSAValue], steps: Sequence[Step]) -> set[SSAValue]:
    """`values` and all that is computed from them."""
    found = set(values)
    for _, operands, result in steps:
        if not found.isdisjoint(operands):
            found.add(result)
    return found


def _spread(places: dict[SSAValue, Index], steps: Sequence[Step], domain: Domain, bound: Collection[SSAValue]) -> None:
    """Adds the places that follow from those that are known: of results from operands, and the reverse.

    What is made of `bound`, and of something else as well, lies where `bound` has it: the rest may be read anywhere.
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
    """The operands of ops that have an element for each of the result's, and where that lies."""
    if isinstance(op, ElementwiseOp | CastOp):
        yield from ((operand, index) for operand in op.operands)
    elif isinstance(op, PermuteOp | ReshapeOp):
        yield op.input, op.source_index(index)


def _result(op: Operation, index: Index, domain: Domain) -> Index | None:
    """Where the result lies if an operand lies at `index`; None if that does not tell."""
    match op:
        case ElementwiseOp() | CastOp():
            return index
        case PermuteOp():
            return tuple(index[d] for d in op.order)
        case ReshapeOp():
            return delinearize(linearize(index, op.input_shape), op.shape)
        case BroadcastOp() if shape_of(op.result.type) == domain.shape:
            return domain.point
        case _:
            return None
