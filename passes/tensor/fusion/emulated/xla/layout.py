"""Layout assignment: which results XLA keeps in memory the other way round.

Results of the function are row-major, the last asked first. A transpose is free if its operand lies so that
it is a view, so one layout spreads to all pointwise ops, broadcasts and constants around, and to products,
whatever the arguments are. An op that then has to turn all that it reads turns its own result instead: the
transpose sinks. Row reductions of values that lie so are column reductions, and Triton fusions want
row-major values. Follows xla/service/layout_assignment.cc and the simplifications after it.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, MatmulOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp

Turned = dict[SSAValue, bool]
"""Values to whether they are column-major."""


def transposed_ops(ops: list[Operation], last: Operation | None) -> set[Operation]:
    """The ops whose results are column-major. `last` returns the results of the function."""
    turned: Turned = {}
    for result in reversed(last.operands if last else ()):
        _spread(result, turned)
    _sink(ops, turned)
    return {v.owner for v, yes in turned.items() if yes and isinstance(v.owner, Operation)}


def _spread(start: SSAValue, turned: Turned) -> None:
    """Gives the value a row-major layout, and what touches it the layout that suits."""
    work = [(start, False)]
    while work:
        value, way = work.pop()
        if value not in turned and _has_layout(value.owner):
            turned[value] = way
            work += [(other, way != flips) for other, flips in _near(value)]


def _has_layout(owner: object) -> bool:
    return isinstance(owner, ElementwiseOp | CastOp | PermuteOp | BroadcastOp | ConstantOp | MatmulOp)


def _near(value: SSAValue) -> Iterator[tuple[SSAValue, bool]]:
    """Values that pointwise ops and transposes connect with this one, and whether they lie the other way round."""
    for op in (value.owner, *(use.operation for use in value.uses)):
        if isinstance(op, ElementwiseOp | CastOp):
            yield from ((other, False) for other in (*op.operands, *op.results))
        elif isinstance(op, PermuteOp):
            yield op.input, value is op.results[0]
            yield op.results[0], value is op.input


def _sink(ops: list[Operation], turned: Turned) -> None:
    """transpose(x) + transpose(y) == transpose(x + y), from the arguments on."""
    for op in ops:
        if isinstance(op, PermuteOp):
            turned[op.results[0]] = not turned.get(op.input, False)
        elif isinstance(op, ElementwiseOp | CastOp):
            ways = {turned.get(v, False) for v in op.operands}
            if len(ways) == 1 and not any(isinstance(v.owner, BroadcastOp | ConstantOp) for v in op.operands):
                turned[op.results[0]] = ways.pop()
