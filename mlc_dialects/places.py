"""Where the values of a kernel lie naturally: each element at the point at which what it is made of is known.

A row's normalised elements are known while the program holds that row. Their transpose is as well, if it is
written where each element belongs, and not read at the place of the transpose, where other rows are wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.ir import Operation, SSAValue

from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.tensor_ops import CastOp
from mlc_dialects.tensor_views import BroadcastOp, PermuteOp, ReshapeOp
from mlc_dialects.types import Shape, shape_of
from mlc_support.index_expr import IndexExpr
from mlc_support.index_maps import delinearize, linearize

Index = tuple[IndexExpr, ...]


def natural_places(
    ops: Iterable[Operation], known: Mapping[SSAValue, Index], shape: Shape, point: Index
) -> dict[SSAValue, Index]:
    """The index of each value at a point of its kernel, as it follows from those that are `known`.

    `ops` are in program order; `shape` is that of the kernel's points, and `point` the index into it. What is made of
    no known value is left out, and so is what has more elements than there are points.
    """
    places = dict(known)
    for op in ops:
        if len(op.results) == 1 and op.results[0] not in places:
            found = _place(op, places, shape, point)
            if found is not None:
                places[op.results[0]] = found
    return places


def _place(op: Operation, places: Mapping[SSAValue, Index], shape: Shape, point: Index) -> Index | None:
    """Where the result of one op lies, if one of its operands has a place."""
    index = next((places[v] for v in op.operands if v in places), None)
    if index is None:
        return None
    match op:
        case ElementwiseOp() | CastOp():
            return index
        case PermuteOp():
            return tuple(index[d] for d in op.order)
        case ReshapeOp():
            return delinearize(linearize(index, op.input_shape), op.shape)
        case BroadcastOp() if shape_of(op.result.type) == shape:
            return point
        case _:
            return None
