"""Which values of a program of aten ops are row-major in memory, as far as the text says."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.annotations import OPERAND_STRIDES, STRIDES, argument_annotations, listed_strides
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp, SliceOp


def row_major_values(function: FuncOp, ops: Sequence[Operation]) -> set[SSAValue]:
    """The values whose elements surely lie in the order of their indices, without gaps.

    PyTorch's views keep the memory of what they look at, and elementwise ops the order of dimensions.
    """
    arguments = enumerate(function.body.block.args)
    found: set[SSAValue] = {a for k, a in arguments if STRIDES not in argument_annotations(function, k)}
    for op in ops:
        found.update(r for k, r in enumerate(op.results) if _is_row_major(op, k, found))
    return found


def _is_row_major(op: Operation, result: int, known: set[SSAValue]) -> bool:
    match op:
        case ExternOp():
            return listed_strides(op, STRIDES, result) is None
        case BroadcastOp() | SliceOp() | PermuteOp():
            return False
        case ReshapeOp():
            return op.input in known
        case _:
            return all((v.owner.input if isinstance(v.owner, BroadcastOp) else v) in known for v in op.operands)


def wants_row_major(call: ExternOp, operand: int) -> bool:
    """True for an operand that was row-major where the call was traced."""
    return listed_strides(call, OPERAND_STRIDES, operand) is None
