"""Integers of a kernel as index expressions over scalars and over the places of lanes in a block."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import SSAValue

from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.triton.dialect import ArangeOp, BroadcastOp, CastOp, FullOp, IndexOp
from mlc_dialects.triton.types import block_element, block_shape
from mlc_support.index_expr import IndexExpr, integer, variable

AXES = ("rows", "columns")
"""What index expressions call a lane's place in a block of two dimensions."""


class UnknownIndexError(Exception):
    """A value is not made of lanes and scalars by index expressions alone."""


class LaneIndices:
    """Reads integers; `scalars` are those that it met, by the names that expressions have for them."""

    def __init__(self, axes: Sequence[str] = AXES):
        self._axes = axes
        self.scalars: dict[str, SSAValue] = {}

    def of(self, value: SSAValue) -> IndexExpr:
        """An integer, or a block of integers. UnknownIndexError for what has another form."""
        shape = block_shape(value.type)
        match value.owner:
            case IndexOp() as op:
                (expr,) = index_exprs(op.index)
                return self.substituted(expr, op.operands_)
            case BroadcastOp() as op:
                return self.of(op.input)
            case CastOp() as op if _is_widened(op):
                return self.of(op.input)
            case FullOp() as op if isinstance(op.value, IntegerAttr):
                return integer(op.value.value.data)
            case arith.AddiOp() as op:
                return self.of(op.lhs) + self.of(op.rhs)
            case arith.SubiOp() as op:
                return self.of(op.lhs) - self.of(op.rhs)
            case ArangeOp():
                axis = 0 if shape[0] > 1 or len(shape) == 1 else 1
                return variable(self._axes[axis], shape[axis])
            case _ if not shape and isinstance(value.type, IntegerType):
                name = f"%{id(value)}"
                self.scalars[name] = value
                return variable(name)
            case _:
                raise UnknownIndexError

    def substituted(self, expr: IndexExpr, operands: Sequence[SSAValue]) -> IndexExpr:
        """An index expression over operands as one over lanes and scalars."""
        return expr.substitute({operand_name(k): self.of(v) for k, v in enumerate(operands)})


def _is_widened(op: CastOp) -> bool:
    """True for a cast of signed integers that keeps every number."""
    source, target = block_element(op.input.type), block_element(op.result.type)
    if not isinstance(source, IntegerType) or not isinstance(target, IntegerType):
        return False
    return op.unsigned is None and 1 < source.width.data <= target.width.data
