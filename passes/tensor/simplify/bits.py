"""Rules of bits and truth: boolean algebra, for integers and booleans alike. All exact."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.ops import ConstantOp
from mlc_support.rewriting import rule
from passes.tensor.canonicalize.algebra import filled, is_splat_of
from passes.tensor.matching import both_orders, complemented, fold, made_by, other_of


def _dual(op: Operation) -> type[ew.AndOp] | type[ew.OrOp]:
    return ew.OrOp if isinstance(op, ew.AndOp) else ew.AndOp


@rule
def meet_complement(op: ew.AndOp | ew.OrOp | ew.XorOp) -> ConstantOp | None:
    """x & ~x == 0; x | ~x == -1; x ^ ~x == -1: integers and booleans"""
    if not any(complemented(y) == x for x, y in both_orders(op)):
        return None
    return filled(0 if isinstance(op, ew.AndOp) else -1, op.result)


@rule
def absorb_bits(op: ew.AndOp | ew.OrOp) -> SSAValue | None:
    """x & (x | y) == x; x | (x & y) == x: integers and booleans"""
    return next((x for x, y in both_orders(op) if x in (made_by(y, _dual(op)) or ())), None)


@rule
def absorb_complement(op: ew.AndOp | ew.OrOp) -> Operation | None:
    """x & (~x | y) == x & y; x | (~x & y) == x | y: integers and booleans"""
    for x, other in both_orders(op):
        for first, y in both_orders(made_by(other, _dual(op)) or (x, x)):
            if complemented(first) == x:
                return type(op)(x, y)
    return None


@rule
def drop_repeated(op: ew.AndOp | ew.OrOp | ew.MaximumOp | ew.MinimumOp) -> SSAValue | None:
    """x & (x & y) == x & y; | likewise; max(x, max(x, y)) == max(x, y), min likewise: everything, NaN included"""
    return next((y for x, y in both_orders(op) if x in (made_by(y, type(op)) or ())), None)


@rule
def join_bit_constants(op: ew.AndOp | ew.OrOp | ew.XorOp | ew.MaximumOp | ew.MinimumOp) -> Operation | None:
    """(x & c) & d == x & (c & d); |, ^, max and min likewise: everything, NaN included"""
    inner = made_by(op.operands[0], type(op))
    both = fold(type(op), inner[1], op.operands[1]) if inner else None
    return type(op)(inner[0], both) if inner and both else None


@rule
def join_complements(op: ew.AndOp | ew.OrOp) -> Operation | None:
    """~x & ~y == ~(x | y); ~x | ~y == ~(x & y): integers and booleans"""
    x, y = (complemented(v) for v in op.operands)
    if x is None or y is None or not all(v.has_one_use() for v in op.operands):
        return None
    return ew.NotOp(_dual(op)(x, y))


@rule
def flip_bits(op: ew.XorOp) -> Operation | None:
    """x ^ -1 == ~x: integers and booleans"""
    return ew.NotOp(op.operands[0]) if is_splat_of(op.operands[1], -1) else None


@rule
def complement_out_of_xor(op: ew.XorOp) -> Operation | None:
    """~x ^ y == ~(x ^ y): integers and booleans"""
    for first, y in both_orders(op):
        x = complemented(first)
        if x is not None:
            return ew.NotOp(ew.XorOp(x, y))
    return None


@rule
def cancel_xor(op: ew.XorOp) -> SSAValue | None:
    """(x ^ y) ^ y == x: integers and booleans"""
    others = (other_of(made_by(x, ew.XorOp), y) for x, y in both_orders(op))
    return next((x for x in others if x is not None), None)


@rule
def join_cases(op: ew.AndOp | ew.OrOp) -> SSAValue | None:
    """(x & y) | (x & ~y) == x; (x | y) & (x | ~y) == x: integers and booleans"""
    left, right = (made_by(v, _dual(op)) for v in op.operands)
    if not left or not right:
        return None
    for x, y in both_orders(left):
        z = other_of(right, x)
        if z is not None and (complemented(z) == y or complemented(y) == z):
            return x
    return None


@rule
def take_common_bits_out(op: ew.AndOp | ew.OrOp) -> Operation | None:
    """(x & y) | (x & z) == x & (y | z); (x | y) & (x | z) == x | (y & z): integers and booleans"""
    left, right = (made_by(v, _dual(op)) for v in op.operands)
    if not left or not right or not all(v.has_one_use() for v in op.operands):
        return None
    for x, y in both_orders(left):
        z = other_of(right, x)
        if z is not None:
            return _dual(op)(x, type(op)(y, z))
    return None


BITS = (
    meet_complement, absorb_bits, absorb_complement, drop_repeated, join_bit_constants, join_complements,
    flip_bits, cancel_xor, complement_out_of_xor, join_cases, take_common_bits_out,
)  # fmt: skip
