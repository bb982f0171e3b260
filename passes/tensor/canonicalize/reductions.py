"""Canonical rules of casts and reductions."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.types import element_type, is_bool, is_byte_float, is_float, is_signed, shape_of
from mlc_dialects.tensor.ops import CastOp, ConstantOp, ReduceOp
from mlc_support.rewriting import rule

_ORDER_FREE = ("max", "min", "and", "or")
DIGITS: dict[type[Attribute], int] = {
    Float8E5M2Type: 3, Float8E4M3FNType: 4, BFloat16Type: 8, Float16Type: 11, Float32Type: 24, Float64Type: 53,
}  # fmt: skip
"""Bits of significand: integers of so many bits are held exactly."""


@rule
def drop_identity_cast(op: CastOp) -> SSAValue | None:
    """x in its own type == x"""
    return op.input if op.input.type == op.result.type else None


@rule
def drop_exact_step(op: CastOp) -> Operation | SSAValue | None:
    """A -> B -> C == A -> C, where B holds every value of A; but never f32 -> bf16 -> f32"""
    inner = op.input.owner
    if not isinstance(inner, CastOp):
        return None
    first, middle, last = (element_type(v.type) for v in (inner.input, inner.result, op.result))
    if not holds(middle, first):
        return None
    if is_float(middle) and not is_float(first) and not is_float(last) and not holds(last, first):
        return None  # an integer wraps into C, a float of the same value saturates
    return inner.input if first == last else CastOp(inner.input, last)


@rule
def drop_wrapping_step(op: CastOp) -> Operation | SSAValue | None:
    """Integers: A -> B -> C == A -> C, where C takes no more bits than B keeps"""
    inner = op.input.owner
    if not isinstance(inner, CastOp):
        return None
    first, middle, last = (element_type(v.type) for v in (inner.input, inner.result, op.result))
    types = (first, middle, last)
    if any(is_float(t) for t in types) or is_bool(middle) or is_bool(last) or _bits(last) > _bits(middle):
        return None
    return inner.input if first == last else CastOp(inner.input, last)


def holds(wide: Attribute, narrow: Attribute) -> bool:
    """True if `wide` has every value of `narrow`, and keeps the sign of zero."""
    if wide == narrow:
        return True
    if is_bool(wide) or (is_float(narrow) and not is_float(wide)):
        return False
    if is_float(narrow):
        return _holds_float(wide, narrow)
    magnitude = _bits(narrow) - int(is_signed(narrow) and not is_bool(narrow))
    if is_float(wide):
        return magnitude <= DIGITS[type(wide)]
    if is_signed(narrow) and not is_bool(narrow) and not is_signed(wide):
        return False
    return magnitude <= _bits(wide) - int(is_signed(wide))


def _holds_float(wide: Attribute, narrow: Attribute) -> bool:
    """The same of two types of floats."""
    if is_byte_float(narrow):
        return not is_byte_float(wide)
    return isinstance(wide, Float64Type) or (isinstance(wide, Float32Type) and not isinstance(narrow, Float64Type))


def _bits(element: Attribute) -> int:
    assert isinstance(element, IntegerType)
    return element.width.data


@rule
def drop_single_reduction(op: ReduceOp) -> Operation | SSAValue | None:
    """Reducing dimensions of size 1 changes nothing"""
    shape, kind = shape_of(op.input.type), op.kind.data
    dims = [d for d in op.reduced if shape[d].constant != 1]
    if len(dims) == len(op.reduced):
        return None
    if dims:
        return ReduceOp(kind, op.input, dims)
    if not kind.startswith("arg"):
        return op.input
    return ConstantOp.splat(0, shape_of(op.result.type), element_type(op.result.type))


@rule
def join_reductions(op: ReduceOp) -> Operation | None:
    """max over i of (max over j of x) == max over i, j of x; sums and products of integers too"""
    inner, kind = op.input.owner, op.kind.data
    if not isinstance(inner, ReduceOp) or inner.kind.data != kind or not op.input.has_one_use():
        return None
    exact = kind in _ORDER_FREE or (kind in ("add", "mul") and not is_float(element_type(op.result.type)))
    return ReduceOp(kind, inner.input, sorted({*inner.reduced, *op.reduced})) if exact else None


CASTS = (drop_identity_cast, drop_exact_step, drop_wrapping_step)
REDUCTIONS = (drop_single_reduction, join_reductions)
