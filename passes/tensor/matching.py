"""What rules ask of values: the op that made them, their elements, the constant they are."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, Float32Type, Float64Type
from xdsl.ir import Operation, OpResult, SSAValue

from mlc_dialects.common.op_building import value_of
from mlc_dialects.common.types import Shape, element_type, is_bool, is_float, is_native, is_signed, with_element
from mlc_dialects.semantics import numerics
from mlc_dialects.semantics.numerics import Value
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import ConstantOp

Pair = tuple[SSAValue, SSAValue]

NON_NEGATIVE = (ew.AbsOp, ew.ExpOp, ew.Exp2Op, ew.SigmoidOp, ew.ELEMENTWISE["cosh"])
"""Of floats: 0.0 or more, never -0.0, or NaN."""
ROUNDINGS = (ew.FloorOp, ew.CeilOp, ew.TruncOp, ew.RoundOp)


def made_by(value: SSAValue, *types: type[ElementwiseOp]) -> tuple[SSAValue, ...] | None:
    """The operands of the op that made `value`, where it is one of `types`."""
    return tuple(value.op.operands) if isinstance(value, OpResult) and type(value.op) in types else None


def negated(value: SSAValue) -> SSAValue | None:
    """x, where `value` is -x."""
    inner = made_by(value, ew.NegOp)
    return inner[0] if inner else None


def complemented(value: SSAValue) -> SSAValue | None:
    """x, where `value` is ~x."""
    inner = made_by(value, ew.NotOp)
    return inner[0] if inner else None


def both_orders(values: tuple[SSAValue, ...] | ElementwiseOp) -> tuple[Pair, Pair]:
    """(x, y) and (y, x), for the two operands of an op that commutes."""
    first, second = values.operands if isinstance(values, ElementwiseOp) else values
    return (first, second), (second, first)


def other_of(values: tuple[SSAValue, ...] | None, one: SSAValue) -> SSAValue | None:
    """The operand beside `one`, if `one` is among the two."""
    if values is None or one not in values:
        return None
    return values[1] if values[0] == one else values[0]


def splat(value: SSAValue) -> Value | None:
    """The element that fills `value`, as a tensor of rank 0."""
    constant = value.owner  # most values are none: what is told by the class alone comes first
    if type(constant) is not ConstantOp or not is_native(element_type(value.type)):
        return None
    if isinstance(constant.value, DenseIntOrFPElementsAttr):
        return None
    return numerics.scalar_value(constant.value, element_type(value.type))


def number(value: SSAValue) -> float | int | None:
    """The number that fills `value`."""
    one = splat(value)
    return None if one is None else one.array.item()


def constant_like(value: Value, like: SSAValue) -> ConstantOp:
    """The constant filled with the one element of `value`, of the shape of `like`."""
    return ConstantOp(numerics.splat_attribute(value), with_element(like.type, value.element))


def fold(function: type[ElementwiseOp], *constants: SSAValue) -> ConstantOp | None:
    """f(c, c', ...) for constants of one element each."""
    values = [v for v in map(splat, constants) if v is not None]
    if len(values) < len(constants):
        return None
    return constant_like(numerics.elementwise(function.FUNCTION, values, values[-1].element), constants[-1])


def floats(value: SSAValue | Operation) -> bool:
    return is_float(element_type(value_of(value).type))


def wide_floats(value: SSAValue) -> bool:
    """f32 or f64: every op rounds in the type it computes in."""
    return isinstance(element_type(value.type), Float32Type | Float64Type)


def booleans(value: SSAValue) -> bool:
    return is_bool(element_type(value.type))


def integers(value: SSAValue) -> bool:
    return not floats(value) and not booleans(value)


def signed(value: SSAValue) -> bool:
    """True for floats and signed integers."""
    return floats(value) or (integers(value) and is_signed(element_type(value.type)))


def adds_ones(source: Shape, target: Shape) -> bool:
    """True if `target` is `source` behind dimensions of size 1."""
    added = len(target) - len(source)
    return added >= 0 and target[added:] == source and all(s.constant == 1 for s in target[:added])
