"""What XLA's algebraic simplifier makes of values before it fuses, whatever their shapes. Follows
algebraic_simplifier.cc."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import FloatAttr, f32, i1
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.types import element_type, is_float, is_half, shape_of
from mlc_dialects.tensor.elementwise import (
    AddOp,
    AndOp,
    DivOp,
    EqOp,
    ExpOp,
    GeOp,
    LeOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    NegOp,
    NotOp,
    PowOp,
    SelectOp,
    SigmoidOp,
)
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp
from mlc_dialects.tensor.views import BroadcastOp
from passes.tensor.canonicalize.algebra import is_splat_of
from passes.tensor.fusion.emulated.xla.ops import broadcast_from, is_number, is_splat, readers


@dataclass(frozen=True)
class Replacement:
    """A value that takes another's place, and the new ops that compute it, each with the op that it stands for."""

    value: SSAValue
    ops: Sequence[tuple[Operation, Operation]] = ()


def again(op: Operation, operands: Sequence[SSAValue], result: Attribute) -> Operation:
    """The same op of other operands."""
    return type(op).create(operands=operands, result_types=[result], properties=op.properties, attributes=op.attributes)


def uses(owner: object) -> list[object]:
    """Who reads the results of an op."""
    assert isinstance(owner, Operation)
    return [use for result in owner.results for use in result.uses]


def op_of(owner: object) -> Operation:
    """What gives a value, which is no argument."""
    assert isinstance(owner, Operation)
    return owner


def simplified_operands(op: Operation) -> list[SSAValue]:
    """What an op reads once XLA has simplified it, where others still read what it no longer does.

    (a / b) / c == a / (b * c), 1 / (1 + e) being the sigmoid; (x * constant) * broadcast == x * (constant * broadcast)
    """
    operands = list(op.operands)
    inner = operands[0].owner if operands else None
    if not isinstance(op, ElementwiseOp) or not isinstance(inner, ElementwiseOp) or len(readers(inner)) < 2:
        return operands
    names = op.FUNCTION.name, inner.FUNCTION.name
    if names == ("div", "div"):
        return [*inner.operands, *operands[1:]]
    scaled = names == ("mul", "mul") and isinstance(operands[1].owner, BroadcastOp) and not is_splat(operands[1])
    kept = [v for v in inner.operands if not is_splat(v)]
    return [*kept, *operands[1:]] if scaled and len(kept) == 1 else operands


def _without_effect(op: Operation) -> Replacement | None:
    """x + 0 is x, and so is a cast that leaves x as it is, unless it copies a view that is a result."""
    if isinstance(op, AddOp) and any(is_splat_of(value, 0) for value in op.operands):
        return Replacement(next((v for v in op.operands if not is_splat_of(v, 0)), op.operands[0]))
    return Replacement(op.input) if isinstance(op, CastOp) and op.input.type == op.result.type else None


def _multiplied(op: Operation) -> Replacement | None:
    """x / c == x * (1 / c) of floats, and x ** 2 == x * x."""
    if not isinstance(op, DivOp | PowOp) or not is_float(element_type(op.result.type)):
        return None
    x, y = op.operands
    if isinstance(op, PowOp):
        return _squared(op) if is_splat_of(y, 2) else None
    divisor = broadcast_from(y)
    number = divisor.splat_value if isinstance(divisor, ConstantOp) else None
    if not isinstance(number, FloatAttr) or not number.value.data or is_number(x):
        return None
    inverse = ConstantOp.splat(1 / number.value.data, shape_of(y.type), element_type(y.type))
    made = MulOp(x, inverse.result)
    return Replacement(made.result, [(inverse, op_of(divisor)), (made, op)])


def _squared(op: PowOp) -> Replacement:
    square = MulOp(op.operands[0], op.operands[0])
    return Replacement(square.result, [(square, op)])


def _divided(op: Operation) -> Replacement | None:
    """A sigmoid of 16 bits is 1 / (1 + exp(-x)), of which the quotient is taken in float32."""
    if not isinstance(op, SigmoidOp) or not is_half(element := element_type(op.result.type)):
        return None
    shape = shape_of(op.result.type)
    one, wide_one = ConstantOp.splat(1.0, shape, element), ConstantOp.splat(1.0, shape, f32)
    minus = NegOp(op.operands[0])
    power = ExpOp(minus.result)
    below = AddOp(power.result, one.result)
    wide = CastOp(below.result, f32)
    quotient = DivOp(wide_one.result, wide.result)
    made = CastOp(quotient.result, element)
    return Replacement(made.result, [(new, op) for new in (one, wide_one, minus, power, below, wide, quotient, made)])


def _clamped(op: Operation) -> Replacement | None:
    """The greater of x and a number, and the less of that and another, are one op of all three."""
    other = MaximumOp if isinstance(op, MinimumOp) else MinimumOp
    inner, bound = _bounded(op)
    if not isinstance(op, MinimumOp | MaximumOp) or bound is None or len(op.operands) > 2:
        return None
    if not isinstance(inner, other) or len(uses(inner)) > 1 or sum(map(is_number, inner.operands)) != 1:
        return None
    made = again(op, [*inner.operands, bound], op.results[0].type)
    return Replacement(made.results[0], [(made, op)])


def _bounded(op: Operation) -> tuple[object, SSAValue | None]:
    """What gives the operand of an op that is not one number, and the operand that is."""
    inner = next((v.owner for v in op.operands if not is_number(v)), None)
    return inner, next((v for v in op.operands if is_number(v)), None)


def _chosen(op: Operation) -> Replacement | None:
    """A choice by what is not so is the other choice by what is so."""
    if not isinstance(op, SelectOp):
        return None
    condition, yes, no = op.operands
    repeated = isinstance(condition.owner, BroadcastOp)
    inner = condition.owner.input.owner if isinstance(condition.owner, BroadcastOp) else condition.owner
    if not isinstance(inner, NotOp):
        return None
    if not repeated:
        made = SelectOp(inner.operands[0], no, yes)
        return Replacement(made.result, [(made, op)])
    wide = BroadcastOp(inner.operands[0], shape_of(condition.type))
    made = SelectOp(wide.result, no, yes)
    return Replacement(made.result, [(wide, op_of(condition.owner)), (made, op)])


def _looked_up(op: Operation) -> Replacement | None:
    """What is the same everywhere is so where it is looked up."""
    if not isinstance(op, GatherOp) or not is_number(op.input):
        return None
    source = broadcast_from(op.input)
    assert isinstance(source, ConstantOp)
    number = ConstantOp(source.value, op.result.type)
    return Replacement(number.result, [(number, source)])


def _known(op: Operation) -> Replacement | None:
    """A number is as large as itself."""
    if not isinstance(op, EqOp | LeOp | GeOp):
        return None
    one, two = (broadcast_from(v) for v in op.operands)
    if not isinstance(one, ConstantOp) or not isinstance(two, ConstantOp) or one.value != two.value:
        return None
    if one.splat_value is None:
        return None
    true = ConstantOp.splat(1, shape_of(op.result.type), i1)
    return Replacement(true.result, [(true, one)])


def _with_true(op: Operation) -> Replacement | None:
    """x and true is x."""
    if not isinstance(op, AndOp) or element_type(op.result.type) != i1:
        return None
    others = [v for v in op.operands if not is_splat_of(v, 1)]
    return Replacement(others[0]) if len(others) == 1 else None


VALUE_RULES: tuple[Callable[[Operation], Replacement | None], ...] = (
    _without_effect,
    _multiplied,
    _divided,
    _clamped,
    _chosen,
    _looked_up,
    _known,
    _with_true,
)
