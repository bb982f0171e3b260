"""Rules of integer arithmetic, which wraps around: sums and products may be taken in any order. All exact."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import element_type
from mlc_dialects.semantics.numerics import array_dtype
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.ops import ConstantOp
from mlc_support.rewriting import rule
from passes.tensor.canonicalize.algebra import filled, is_splat_of
from passes.tensor.matching import both_orders, complemented, fold, integers, made_by, negated, number, other_of


def distributed(op: ew.AddOp | ew.SubOp) -> Operation | None:
    """(x + y) * z, where `op` is x * z + y * z and both products have no other use."""
    left, right = (made_by(v, ew.MulOp) for v in op.operands)
    if not left or not right or not all(v.has_one_use() for v in op.operands):
        return None
    for z, x in both_orders(left):
        y = other_of(right, z)
        if y is not None:
            return ew.MulOp(type(op)(x, y), z)
    return None


def joined(op: ew.AddOp | ew.MulOp) -> Operation | None:
    """x + (c + d), where `op` is (x + c) + d; products likewise."""
    inner = made_by(op.operands[0], type(op))
    total = fold(type(op), inner[1], op.operands[1]) if inner else None
    return type(op)(inner[0], total) if inner and total else None


def _multiple(value: SSAValue) -> tuple[SSAValue, int]:
    """(x, c), where `value` is x * c; else the value itself, once."""
    product = made_by(value, ew.MulOp)
    factor = number(product[1]) if product else None
    return (product[0], int(factor)) if product and factor is not None else (value, 1)


@rule
def join_constants(op: ew.AddOp | ew.MulOp) -> Operation | None:
    """(x + c) + d == x + (c + d); (x * c) * d == x * (c * d): integers"""
    return joined(op) if integers(op.result) else None


@rule
def constant_minus_sum(op: ew.SubOp) -> Operation | None:
    """c - (x + d) == (c - d) - x: integers"""
    inner = made_by(op.operands[1], ew.AddOp) if integers(op.result) else None
    rest = fold(ew.SubOp, op.operands[0], inner[1]) if inner else None
    return ew.SubOp(rest, inner[0]) if inner and rest else None


@rule
def constant_minus_difference(op: ew.SubOp) -> Operation | None:
    """c - (d - x) == x + (c - d): integers"""
    inner = made_by(op.operands[1], ew.SubOp) if integers(op.result) else None
    rest = fold(ew.SubOp, op.operands[0], inner[0]) if inner else None
    return ew.AddOp(inner[1], rest) if inner and rest else None


@rule
def difference_plus_constant(op: ew.AddOp) -> Operation | None:
    """(c - x) + d == (c + d) - x: integers"""
    inner = made_by(op.operands[0], ew.SubOp) if integers(op.result) else None
    total = fold(ew.AddOp, inner[0], op.operands[1]) if inner else None
    return ew.SubOp(total, inner[1]) if inner and total else None


@rule
def double(op: ew.AddOp) -> Operation | None:
    """x + x == x * 2: floats and integers"""
    x, y = op.operands
    return ew.MulOp(x, filled(2, x)) if x == y else None


@rule
def add_multiples(op: ew.AddOp | ew.SubOp) -> Operation | None:
    """x * c + x * d == x * (c + d); x * c - x == x * (c - 1): integers"""
    if not integers(op.result):
        return None
    (x, c), (y, d) = (_multiple(v) for v in op.operands)
    if x != y or (c, d) == (1, 1):
        return None
    return ew.MulOp(x, filled(c + d if isinstance(op, ew.AddOp) else c - d, x))


@rule
def take_factor_out(op: ew.AddOp | ew.SubOp) -> Operation | None:
    """x * z + y * z == (x + y) * z; differences likewise: integers"""
    return distributed(op) if integers(op.result) else None


@rule
def subtract_part_of_sum(op: ew.SubOp) -> SSAValue | None:
    """(x + y) - y == x: integers"""
    return other_of(made_by(op.operands[0], ew.AddOp), op.operands[1]) if integers(op.result) else None


@rule
def add_what_was_subtracted(op: ew.AddOp) -> SSAValue | None:
    """(x - y) + y == x: integers"""
    for difference, y in both_orders(op):
        inner = made_by(difference, ew.SubOp)
        if inner and inner[1] == y and integers(y):
            return inner[0]
    return None


@rule
def subtract_difference(op: ew.SubOp) -> SSAValue | None:
    """x - (x - y) == y: integers"""
    inner = made_by(op.operands[1], ew.SubOp)
    return inner[1] if inner and inner[0] == op.operands[0] and integers(op.result) else None


@rule
def subtract_sum_from_part(op: ew.SubOp) -> Operation | None:
    """x - (x + y) == -y: integers"""
    y = other_of(made_by(op.operands[1], ew.AddOp), op.operands[0])
    return ew.NegOp(y) if y is not None and integers(y) else None


@rule
def subtract_start_of_difference(op: ew.SubOp) -> Operation | None:
    """(x - y) - x == -y: integers"""
    inner = made_by(op.operands[0], ew.SubOp)
    return ew.NegOp(inner[1]) if inner and inner[0] == op.operands[1] and integers(op.result) else None


@rule
def negate_difference(op: ew.NegOp) -> Operation | None:
    """-(x - y) == y - x: integers; x - x would be -0.0 for floats"""
    inner = made_by(op.operands[0], ew.SubOp)
    return ew.SubOp(inner[1], inner[0]) if inner and integers(op.result) else None


@rule
def negate_sum_with_constant(op: ew.NegOp) -> Operation | None:
    """-(x + c) == -c - x: integers"""
    inner = made_by(op.operands[0], ew.AddOp) if integers(op.result) else None
    opposite = fold(ew.NegOp, inner[1]) if inner else None
    return ew.SubOp(opposite, inner[0]) if inner and opposite else None


@rule
def subtract_from_negated(op: ew.SubOp) -> Operation | None:
    """-x - y == -(x + y): integers"""
    x = negated(op.operands[0])
    return ew.NegOp(ew.AddOp(x, op.operands[1])) if x is not None and integers(x) else None


@rule
def complement_plus_one(op: ew.AddOp) -> Operation | None:
    """~x + 1 == -x: integers"""
    x = complemented(op.operands[0])
    return ew.NegOp(x) if x is not None and is_splat_of(op.operands[1], 1) else None


@rule
def negate_complement(op: ew.NegOp) -> Operation | None:
    """-(~x) == x + 1: integers"""
    x = complemented(op.operands[0])
    return None if x is None else ew.AddOp(x, filled(1, x))


@rule
def complement_of_negation(op: ew.NotOp) -> Operation | None:
    """~(-x) == x - 1, spelled x + -1: integers"""
    x = negated(op.operands[0])
    return None if x is None else ew.AddOp(x, filled(-1, x))


@rule
def complement_of_sum(op: ew.NotOp) -> Operation | None:
    """~(x + c) == ~c - x: integers"""
    inner = made_by(op.operands[0], ew.AddOp)
    flipped = fold(ew.NotOp, inner[1]) if inner else None
    return ew.SubOp(flipped, inner[0]) if inner and flipped else None


@rule
def add_complement(op: ew.AddOp) -> ConstantOp | None:
    """x + ~x == -1: integers"""
    return filled(-1, op.result) if any(complemented(y) == x for x, y in both_orders(op)) else None


@rule
def remainder_of_one(op: ew.RemainderOp | ew.FmodOp) -> ConstantOp | None:
    """x % 1 == 0: integers"""
    return filled(0, op.result) if integers(op.result) and is_splat_of(op.operands[1], 1) else None


@rule
def remainder_by_power_of_two(op: ew.RemainderOp) -> Operation | None:
    """x % 2 ** k == x & (2 ** k - 1): integers, negative ones included, since the sign is the divisor's"""
    divisor = number(op.operands[1]) if integers(op.result) else None
    if divisor is None or divisor < 2 or int(divisor) & (int(divisor) - 1):
        return None
    return ew.AndOp(op.operands[0], filled(divisor - 1, op.result))


@rule
def repeated_remainder(op: ew.RemainderOp | ew.FmodOp) -> SSAValue | None:
    """(x % y) % y == x % y: integers, and floats with fmod's sign"""
    inner = made_by(op.operands[0], type(op))
    if not inner or inner[1] != op.operands[1] or not (integers(op.result) or isinstance(op, ew.FmodOp)):
        return None
    return op.operands[0]


@rule
def join_floor_divisions(op: ew.FloorDivOp) -> Operation | None:
    """x // c // d == x // (c * d): integers, c and d above 0 and their product within the type"""
    inner = made_by(op.operands[0], ew.FloorDivOp)
    if not inner or not integers(op.result):
        return None
    c, d = number(inner[1]), number(op.operands[1])
    if c is None or d is None or min(c, d) < 1 or c * d > _greatest(op.result):
        return None
    return ew.FloorDivOp(inner[0], filled(c * d, op.result))


def _greatest(value: SSAValue) -> int:
    dtype = array_dtype(element_type(value.type))
    return (1 << (8 * dtype.itemsize - (dtype.kind == "i"))) - 1


INTEGERS = (
    subtract_part_of_sum, add_what_was_subtracted, subtract_difference, subtract_sum_from_part,
    subtract_start_of_difference, join_constants, constant_minus_sum,
    constant_minus_difference, difference_plus_constant, double, add_multiples, take_factor_out,
    negate_difference, negate_sum_with_constant, subtract_from_negated, complement_plus_one,
    negate_complement, complement_of_negation, complement_of_sum, add_complement, remainder_of_one,
    remainder_by_power_of_two, repeated_remainder, join_floor_divisions,
)  # fmt: skip
