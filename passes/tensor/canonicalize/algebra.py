"""Canonical rules of elementwise ops, most of them read off the elementwise table.

Each is exact for every value: NaN, infinities, both zeros, the least integer.
"""

from __future__ import annotations

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import element_type, is_bool, is_float, is_native, storage
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import ConstantOp
from mlc_support.rewriting import rule
from passes.tensor.matching import fold

_MIRRORED: dict[type[ElementwiseOp], type[ElementwiseOp]] = {
    ew.LtOp: ew.GtOp, ew.LeOp: ew.GeOp, ew.GtOp: ew.LtOp, ew.GeOp: ew.LeOp,
}  # fmt: skip
_OPPOSITE: dict[type[ElementwiseOp], type[ElementwiseOp]] = {
    ew.EqOp: ew.NeOp, ew.NeOp: ew.EqOp, ew.LtOp: ew.GeOp, ew.GeOp: ew.LtOp, ew.LeOp: ew.GtOp, ew.GtOp: ew.LeOp,
}  # fmt: skip
_TRUE_OF_EQUALS = (ew.EqOp, ew.LeOp, ew.GeOp)


def is_constant(value: SSAValue) -> bool:
    return type(value.owner) is ConstantOp


def is_splat_of(value: SSAValue, number: float) -> bool:
    """True if every element of `value` is `number`, the sign of a zero included."""
    constant = value.owner
    if type(constant) is not ConstantOp or type(constant.value) is DenseIntOrFPElementsAttr:
        return False
    element = element_type(value.type)
    return is_native(element) and constant.value == scalar_attribute(number, storage(element))


def filled(number: float, like: SSAValue) -> ConstantOp:
    """The constant `number`, of the type of `like`."""
    return ConstantOp(scalar_attribute(number, storage(element_type(like.type))), like.type)


def _unit(op: ElementwiseOp) -> float | None:
    """The right operand that changes nothing, for the operand type of `op`."""
    floats = is_float(element_type(op.operands[-1].type))
    return op.FUNCTION.float_unit if floats else op.FUNCTION.unit


@rule
def constant_right(op: ElementwiseOp) -> Operation | None:
    """c + x == x + c, for every op that commutes"""
    if not (op.FUNCTION.commutative and is_constant(op.operands[0])) or is_constant(op.operands[1]):
        return None
    return type(op)(op.operands[1], op.operands[0])


@rule
def mirror_comparison(op: ew.LtOp | ew.LeOp | ew.GtOp | ew.GeOp) -> Operation | None:
    """c < x == x > c"""
    if not is_constant(op.operands[0]) or is_constant(op.operands[1]):
        return None
    return _MIRRORED[type(op)](op.operands[1], op.operands[0])


@rule
def drop_unit(op: ElementwiseOp) -> SSAValue | None:
    """x * 1 == x; x / 1 == x; x - 0.0 == x; x + -0.0 == x; but x + 0.0 is not x where x is -0.0"""
    if op.FUNCTION.arity != 2 or not is_constant(op.operands[1]):
        return None
    unit = _unit(op)
    return op.operands[0] if unit is not None and is_splat_of(op.operands[1], unit) else None


@rule
def absorb(op: ElementwiseOp) -> SSAValue | None:
    """x * 0 == 0; x & 0 == 0; x | -1 == -1: integers and booleans"""
    absorber = op.FUNCTION.absorber
    if absorber is None or is_float(element_type(op.result.type)):
        return None
    return op.operands[1] if is_splat_of(op.operands[1], absorber) else None


@rule
def drop_idempotent(op: ElementwiseOp) -> SSAValue | None:
    """max(x, x) == x; |(|x|)| == |x|; floor(floor(x)) == floor(x)"""
    if not op.FUNCTION.idempotent:
        return None
    if op.FUNCTION.arity == 2:
        return op.operands[0] if op.operands[0] == op.operands[1] else None
    return op.operands[0] if isinstance(op.operands[0].owner, type(op)) else None


@rule
def cancel_involution(op: ElementwiseOp) -> SSAValue | None:
    """-(-x) == x; ~(~x) == x"""
    if not op.FUNCTION.involution:
        return None
    inner = op.operands[0].owner
    return inner.operands[0] if isinstance(inner, type(op)) else None


@rule
def cancel_with_itself(op: ew.SubOp | ew.XorOp) -> ConstantOp | None:
    """x - x == 0; x ^ x == 0: integers and booleans, since NaN - NaN is NaN"""
    if op.operands[0] != op.operands[1] or is_float(element_type(op.result.type)):
        return None
    return filled(0, op.result)


@rule
def compare_with_itself(op: ew.EqOp | ew.LeOp | ew.GeOp | ew.NeOp | ew.LtOp | ew.GtOp) -> ConstantOp | None:
    """x == x is true and x < x false: integers and booleans, since NaN differs from itself"""
    if op.operands[0] != op.operands[1] or is_float(element_type(op.operands[0].type)):
        return None
    return filled(isinstance(op, _TRUE_OF_EQUALS), op.result)


@rule
def order_comparison(op: ew.GtOp | ew.GeOp) -> Operation | None:
    """x > y == y < x; x >= y == y <= x, where neither is a constant: NaN makes both false"""
    if is_constant(op.operands[0]) or is_constant(op.operands[1]):
        return None
    return _MIRRORED[type(op)](op.operands[1], op.operands[0])


@rule
def subtract_constant(op: ew.SubOp) -> Operation | None:
    """x - c == x + -c: floats, zeros and NaN included, and integers, which wrap"""
    if is_constant(op.operands[0]):
        return None
    opposite = fold(ew.NegOp, op.operands[1])
    return ew.AddOp(op.operands[0], opposite) if opposite else None


@rule
def negate_comparison(op: ew.NotOp) -> Operation | None:
    """~(x == y) == (x != y); ~(x < y) == (x >= y) but for floats, where NaN makes both false"""
    inner = op.operands[0].owner
    if not isinstance(inner, ElementwiseOp) or type(inner) not in _OPPOSITE or not op.operands[0].has_one_use():
        return None
    if is_float(element_type(inner.operands[0].type)) and not isinstance(inner, ew.EqOp | ew.NeOp):
        return None
    return _OPPOSITE[type(inner)](*inner.operands)


@rule
def compare_with_truth(op: ew.EqOp | ew.NeOp) -> SSAValue | Operation | None:
    """(b == true) == b; (b != false) == b; (b == false) == ~b; (b != true) == ~b"""
    truth, second = op.operands
    if not is_bool(element_type(truth.type)):
        return None
    if is_splat_of(second, isinstance(op, ew.EqOp)):
        return truth
    return ew.NotOp(truth) if is_splat_of(second, not isinstance(op, ew.EqOp)) else None


@rule
def select_constant(op: ew.SelectOp) -> SSAValue | None:
    """where(true, x, y) == x; where(false, x, y) == y"""
    condition, x, y = op.operands
    if is_splat_of(condition, True):
        return x
    return y if is_splat_of(condition, False) else None


@rule
def select_equal(op: ew.SelectOp) -> SSAValue | None:
    """where(c, x, x) == x"""
    return op.operands[1] if op.operands[1] == op.operands[2] else None


@rule
def select_negated(op: ew.SelectOp) -> Operation | None:
    """where(~c, x, y) == where(c, y, x)"""
    condition, x, y = op.operands
    inner = condition.owner
    return ew.SelectOp(inner.operands[0], y, x) if isinstance(inner, ew.NotOp) else None


@rule
def select_truth(op: ew.SelectOp) -> SSAValue | Operation | None:
    """where(c, true, false) == c; where(c, false, true) == ~c"""
    condition, x, y = op.operands
    if not is_bool(element_type(op.result.type)):
        return None
    if is_splat_of(x, True) and is_splat_of(y, False):
        return condition
    return ew.NotOp(condition) if is_splat_of(x, False) and is_splat_of(y, True) else None


@rule
def select_same_condition(op: ew.SelectOp) -> Operation | None:
    """where(c, where(c, x, y), z) == where(c, x, z); where(c, x, where(c, y, z)) == where(c, x, z)"""
    condition, x, y = op.operands
    if isinstance(x.owner, ew.SelectOp) and x.owner.operands[0] == condition:
        return ew.SelectOp(condition, x.owner.operands[1], y)
    if isinstance(y.owner, ew.SelectOp) and y.owner.operands[0] == condition:
        return ew.SelectOp(condition, x, y.owner.operands[2])
    return None


ALGEBRA = (
    constant_right,
    mirror_comparison,
    drop_unit,
    absorb,
    drop_idempotent,
    cancel_involution,
    cancel_with_itself,
    compare_with_itself,
    order_comparison,
    subtract_constant,
    negate_comparison,
    compare_with_truth,
    select_constant,
    select_equal,
    select_negated,
    select_truth,
    select_same_condition,
)
