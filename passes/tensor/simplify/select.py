"""Rules of choice: selects joined, turned into logic, and moved past the ops around them. All exact."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import element_type
from mlc_dialects.semantics import numerics
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp
from mlc_support.rewriting import rule
from passes.tensor.canonicalize.algebra import filled, is_splat_of
from passes.tensor.matching import booleans, constant_like, integers, made_by, negated, number, signed, splat

_ASCENDING = (ew.LtOp, ew.LeOp)
_DESCENDING = (ew.GtOp, ew.GeOp)


def as_extreme(op: ew.SelectOp) -> Operation | None:
    """max or min of x and y, where `op` chooses by comparing them."""
    condition, x, y = op.operands
    compared = made_by(condition, *_ASCENDING, *_DESCENDING)
    if not compared or {*compared} != {x, y}:
        return None
    takes_greater = isinstance(condition.owner, _DESCENDING) == (compared[0] == x)
    return ew.MaximumOp(x, y) if takes_greater else ew.MinimumOp(x, y)


def as_abs(op: ew.SelectOp) -> Operation | None:
    """|x|, where `op` takes -x for x below zero."""
    condition, x, y = op.operands
    compared = made_by(condition, *_ASCENDING, *_DESCENDING)
    if not compared or number(compared[1]) != 0:
        return None
    below, above = (x, y) if isinstance(condition.owner, _ASCENDING) else (y, x)
    return ew.AbsOp(above) if compared[0] == above and negated(below) == above else None


def as_other(op: ew.SelectOp) -> SSAValue | None:
    """where(x == y, x, y) is y; where(x != y, x, y) is x."""
    condition, x, y = op.operands
    compared = made_by(condition, ew.EqOp, ew.NeOp)
    if not compared or {*compared} != {x, y}:
        return None
    return y if isinstance(condition.owner, ew.EqOp) else x


@rule
def select_extreme(op: ew.SelectOp) -> Operation | None:
    """where(x < y, x, y) == min(x, y); where(x < y, y, x) == max(x, y): integers, since NaN compares false"""
    return as_extreme(op) if integers(op.result) else None


@rule
def select_magnitude(op: ew.SelectOp) -> Operation | None:
    """where(x < 0, -x, x) == |x|: signed integers, the least included; -0.0 is not below 0"""
    return as_abs(op) if integers(op.result) and signed(op.result) else None


@rule
def select_equals(op: ew.SelectOp) -> SSAValue | None:
    """where(x == y, x, y) == y; where(x != y, x, y) == x: integers and booleans, since 0.0 == -0.0"""
    return as_other(op) if integers(op.result) or booleans(op.result) else None


@rule
def select_shared_else(op: ew.SelectOp) -> Operation | None:
    """where(c, where(d, x, y), y) == where(c & d, x, y): everything, when the inner select has no other use"""
    condition, inner, y = op.operands
    nested = made_by(inner, ew.SelectOp)
    if not nested or nested[2] != y or not inner.has_one_use():
        return None
    return ew.SelectOp(ew.AndOp(condition, nested[0]), nested[1], y)


@rule
def select_shared_then(op: ew.SelectOp) -> Operation | None:
    """where(c, x, where(d, x, y)) == where(c | d, x, y): everything, when the inner select has no other use"""
    condition, x, inner = op.operands
    nested = made_by(inner, ew.SelectOp)
    if not nested or nested[1] != x or not inner.has_one_use():
        return None
    return ew.SelectOp(ew.OrOp(condition, nested[0]), x, nested[2])


@rule
def select_to_logic(op: ew.SelectOp) -> Operation | None:
    """where(c, x, false) == c & x; where(c, true, x) == c | x: booleans; c itself may stand for either constant"""
    condition, x, y = op.operands
    if not booleans(op.result):
        return None
    if is_splat_of(y, False) or y == condition:
        return ew.AndOp(condition, x)
    return ew.OrOp(condition, y) if is_splat_of(x, True) or x == condition else None


@rule
def select_to_negated_logic(op: ew.SelectOp) -> Operation | None:
    """where(c, false, x) == ~c & x; where(c, x, true) == ~c | x: booleans"""
    condition, x, y = op.operands
    if not booleans(op.result):
        return None
    if is_splat_of(x, False):
        return ew.AndOp(ew.NotOp(condition), y)
    return ew.OrOp(ew.NotOp(condition), x) if is_splat_of(y, True) else None


@rule
def select_number_of_truth(op: ew.SelectOp) -> Operation | None:
    """where(c, 1, 0) == float(c); where(c, 0, 1) == float(~c): floats and integers"""
    condition, x, y = op.operands
    element = element_type(op.result.type)
    if booleans(op.result):
        return None
    if is_splat_of(x, 1) and is_splat_of(y, 0):
        return CastOp(condition, element)
    return CastOp(ew.NotOp(condition), element) if is_splat_of(x, 0) and is_splat_of(y, 1) else None


@rule
def cast_of_select(op: CastOp) -> Operation | None:
    """float(where(b, c, d)) == where(b, float(c), float(d)): everything, where the integer holds the constants"""
    choice = made_by(op.input, ew.SelectOp)
    values = [splat(v) for v in choice[1:]] if choice else []
    element = element_type(op.result.type)
    constants = [
        constant_like(numerics.cast(v, element), op.result)
        for v in values
        if v is not None and numerics.float_fits(v, element)
    ]
    return ew.SelectOp(choice[0], *constants) if choice and len(constants) == 2 else None


@rule
def function_of_choice(op: ew.SelectOp) -> Operation | None:
    """where(c, f(x), f(y)) == f(where(c, x, y)): everything, f of one operand, when neither has another use"""
    condition, x, y = op.operands
    if type(x.owner) is not type(y.owner) or not (x.has_one_use() and y.has_one_use()):
        return None
    if not isinstance(x.owner, ElementwiseOp) or x.owner.FUNCTION.arity != 1 or not isinstance(y.owner, ElementwiseOp):
        return None
    first, second = x.owner.operands[0], y.owner.operands[0]
    return type(x.owner)(ew.SelectOp(condition, first, second)) if first.type == second.type else None


@rule
def compare_number_of_truth(
    op: ew.EqOp | ew.NeOp | ew.LtOp | ew.LeOp | ew.GtOp | ew.GeOp,
) -> SSAValue | Operation | None:
    """float(b) != 0 is b; float(b) < 0.5 is ~b; float(b) < 3 is true: every comparison with a constant"""
    cast, bound = op.operands[0].owner, splat(op.operands[1])
    if not isinstance(cast, CastOp) or not booleans(cast.input) or bound is None:
        return None
    when_false, when_true = (bool(op.FUNCTION.reference(b, bound.array)) for b in (0, 1))
    if when_false == when_true:
        return filled(when_true, op.result)
    return cast.input if when_true else ew.NotOp(cast.input)


@rule
def multiply_by_truth(op: ew.MulOp) -> Operation | None:
    """x * int(b) == where(b, x, 0): integers; NaN * 0.0 is NaN"""
    for x, factor in ((op.operands[0], op.operands[1]), (op.operands[1], op.operands[0])):
        cast = factor.owner
        if type(cast) is CastOp and integers(x) and booleans(cast.input):
            return ew.SelectOp(cast.input, x, filled(0, x))
    return None


SELECTS = (
    select_extreme, select_magnitude, select_equals, select_shared_else, select_shared_then,
    select_to_logic, select_to_negated_logic, select_number_of_truth, cast_of_select,
    function_of_choice, compare_number_of_truth, multiply_by_truth,
)  # fmt: skip
