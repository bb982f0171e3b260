"""How many columns each lane of a looped reduction has counted, if a condition excludes some columns."""

from __future__ import annotations

from enum import Enum, auto

from xdsl.ir import Operation
from xdsl.traits import Pure

from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.loop.dialect import IndexOp, LoopOp, ReduceOp
from mlc_dialects.loop.memory import divisors
from mlc_support.index_expr import variable


class Counts(Enum):
    """What is known of the number of columns that a lane counts."""

    KNOWN = auto()
    """One of every block, known without a counter; a lane may also be excluded throughout."""
    UNIFORM = auto()
    """One of every block so far, until a condition excludes the lane for good."""
    DIVERGENT = auto()
    """A condition excludes the lane from some blocks and not from later ones: each lane needs a counter."""


def counts_of(loop: ReduceOp) -> Counts:
    """What is known of the number of columns that each lane of the loop's blocks counts."""
    if loop.end.condition is None or steady_condition(loop):
        return Counts.KNOWN
    return Counts.DIVERGENT if any(loop.block_size % size for size in divisors(loop)) else Counts.UNIFORM


def steady_condition(loop: ReduceOp) -> list[Operation]:
    """The ops that compute the loop's condition, if it is the same for a lane in every block; else none."""
    condition, block = loop.end.condition, loop.body.block
    if condition is None or (loop.size % loop.block_size).constant != 0:
        return []
    needed = {condition.owner}
    for op in reversed(list(block.ops)):
        if op in needed:
            needed.update(value.owner for value in op.operands)
    deciding = [op for op in block.ops if op in needed]
    return deciding if all(_is_steady(op, loop) for op in deciding) else []


def _is_steady(op: Operation, loop: LoopOp) -> bool:
    """True if the op gives the same value one block of columns later, from the same operands."""
    if not isinstance(op, IndexOp):
        return op.has_trait(Pure) and loop.index not in op.operands
    names = [operand_name(k) for k, v in enumerate(op.indices) if v is loop.index]
    on = {name: variable(name) + loop.block_size for name in names}
    return all(expr.substitute(on) == expr for expr in index_exprs(op.index))
