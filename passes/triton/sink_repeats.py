"""sink-repeats: what is computed of repeated elements is computed once, and repeated behind that.

    %w = repeat %b axis 1            each byte twice in a row
    %l = and %w, 15
    %h = shr %w, 4
    %n = where %even, %l, %h
 -> %l = and %b, 15
    %h = shr %b, 4
    %n = interleave %l, %h axis 1

Weights of 4 bits are two in a byte: lanes unpack each byte once, and need not choose.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue

from mlc_dialects.triton.dialect import BroadcastOp, CastOp, CompareOp, ForOp, FullOp, InterleaveOp, RepeatOp, WhereOp
from mlc_dialects.triton.types import block_element, block_shape, block_type
from mlc_dialects.triton.values import constant_of
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.rewriting import Rule, RulePass, rule
from passes.triton.lane_indices import AXES, LaneIndices, UnknownIndexError

ELEMENTWISE = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
    *(arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp, arith.AddfOp, arith.SubfOp, arith.MulfOp, CastOp),
)


@dataclass(frozen=True)
class SinkRepeatsPass(RulePass):
    """Computes on the elements that are repeated, before they are."""

    name = "sink-repeats"

    def rules(self) -> tuple[Rule, ...]:
        """The rules, in order."""
        return (Rule("repeat_results", "f(repeat(x)) == repeat(f(x))", ELEMENTWISE, _repeated), interleave)


def _repeated(op: Operation) -> Operation | None:
    """The same of elements that are not repeated yet, where all operands are repeated alike."""
    repeats = {(v.owner.dimension, v.owner.count) for v in op.operands if isinstance(v.owner, RepeatOp)}
    if len(repeats) != 1:
        return None
    ((axis, count),) = repeats
    operands = [_narrow(v, axis, count) for v in op.operands]
    if None in operands:
        return None
    shape = _narrowed(op.results[0], axis, count)
    type_ = block_type(shape, block_element(op.results[0].type))
    properties = dict(op.properties)
    few = type(op).create(operands=[v for v in operands if v], result_types=[type_], properties=properties)
    few.location = op.location
    return RepeatOp(few.results[0], axis, count)


@rule
def interleave(op: WhereOp) -> Operation | None:
    """where(even, repeat(x), repeat(y)) == interleave(x, y), and the other way round where it is odd"""
    one, other = op.on_true.owner, op.on_false.owner
    if not isinstance(one, RepeatOp) or not isinstance(other, RepeatOp):
        return None
    axis = one.dimension
    if (one.count, other.count, other.dimension) != (2, 2, axis):
        return None
    truth = _at_places(op.condition, axis)
    if truth == (True, False):
        return InterleaveOp(one.input, other.input, axis)
    return InterleaveOp(other.input, one.input, axis) if truth == (False, True) else None


def _narrow(value: SSAValue, axis: int, count: int) -> SSAValue | None:
    """`value` before it is repeated, or with fewer elements along an axis along which all are the same."""
    op, shape = value.owner, _narrowed(value, axis, count)
    if isinstance(op, RepeatOp):
        return op.input
    constant, type_ = constant_of(value), block_type(shape, block_element(value.type))
    if constant is not None:
        return FullOp(constant, type_).result
    if isinstance(op, BroadcastOp) and (not block_shape(op.input.type) or block_shape(op.input.type)[axis] == 1):
        return BroadcastOp(op.input, type_).result
    return None


def _narrowed(value: SSAValue, axis: int, count: int) -> tuple[int, ...]:
    shape = block_shape(value.type)
    return (*shape[:axis], shape[axis] // count, *shape[axis + 1 :])


def _at_places(condition: SSAValue, axis: int) -> tuple[bool | None, bool | None]:
    """Whether a comparison is true at all even places along an axis, and at all odd ones; None where that differs."""
    owner = condition.owner
    while isinstance(owner, BroadcastOp):
        owner = owner.input.owner
    if not isinstance(owner, CompareOp) or owner.predicate.data not in ("lt", "ge", "eq", "ne"):
        return None, None
    read = LaneIndices()
    try:
        difference = read.of(owner.lhs) - read.of(owner.rhs)
    except UnknownIndexError:
        return None, None
    difference = difference.substitute({n: m for n, v in read.scalars.items() if (m := _multiple(n, v)) is not None})
    size = block_shape(condition.type)[axis]
    even = variable(AXES[axis], size // 2) * 2
    sides = (difference.substitute({AXES[axis]: even + integer(place)}).constant for place in range(2))
    first, second = (None if side is None else _holds(owner.predicate.data, side) for side in sides)
    return first, second


def _multiple(name: str, scalar: SSAValue) -> IndexExpr | None:
    """The start of a step of a loop from 0 on, as a multiple of the steps."""
    loop = scalar.owner.parent_op() if isinstance(scalar, BlockArgument) else None
    if not isinstance(loop, ForOp) or loop.start is not None or scalar is not loop.body.block.args[0]:
        return None
    return variable(name) * loop.step.value.data


def _holds(predicate: str, difference: int) -> bool:
    return {"lt": difference < 0, "ge": difference >= 0, "eq": difference == 0, "ne": difference != 0}[predicate]
