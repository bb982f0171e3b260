"""What reductions and scans start with, and how they take one more value."""

from __future__ import annotations

from llvmlite import ir
from xdsl.ir import Attribute

from lowering.loop_to_llvm.elementary import call, intrinsic
from lowering.loop_to_llvm.scalars import narrowed, widened
from lowering.loop_to_llvm.types import DOUBLE, FLOAT, I64, llvm_type
from mlc_dialects.common.types import is_float

_FLOATS = {"add": "fadd", "mul": "fmul"}
_INTEGERS = {"add": "add", "mul": "mul", "and": "and_", "or": "or_"}
_ANY_ORDER = ("reassoc",)
"""Terms of a float reduction may be added in any order."""


def combined(
    builder: ir.IRBuilder, kind: str, old: ir.Value, new: ir.Value, element: Attribute, ordered: bool = False
) -> ir.Value:
    """`old` and `new`, both of `element` or of the type it is accumulated in; `ordered` where the order counts."""
    if not is_float(element):
        if kind in _INTEGERS:
            return getattr(builder, _INTEGERS[kind])(old, new)
        return intrinsic(builder, f"llvm.s{kind}", [old, new])
    wide_old, wide_new = (v if v.type != llvm_type(element) else widened(builder, v, element) for v in (old, new))
    if kind == "logaddexp":
        found = _logaddexp(builder, wide_old, wide_new)
    elif kind in _FLOATS:
        found = getattr(builder, _FLOATS[kind])(wide_old, wide_new, flags=() if ordered else _ANY_ORDER)
    else:
        found = intrinsic(builder, f"llvm.{kind}imum", [wide_old, wide_new])
    return narrowed(builder, found, element) if old.type == llvm_type(element) else found


def _logaddexp(builder: ir.IRBuilder, x: ir.Value, y: ir.Value) -> ir.Value:
    """log(exp(x) + exp(y)); of equal infinities the one."""
    top = intrinsic(builder, "llvm.maximum", [x, y])
    gap = builder.fneg(intrinsic(builder, "llvm.fabs", [builder.fsub(x, y)]))
    found = builder.fadd(top, call(builder, "log1p", [call(builder, "exp", [gap])]))
    return builder.select(builder.fcmp_ordered("==", x, y), builder.fadd(x, ir.Constant(x.type, _LOG_2)), found)


_LOG_2 = 0.6931471805599453


def is_before(
    builder: ir.IRBuilder, kind: str, new: ir.Value, old: ir.Value, element: Attribute, last: bool
) -> ir.Value:
    """True if argmax or argmin takes `new` in place of `old`: NaN wins; of equals the `last` one or the first."""
    sign = (">" if kind == "argmax" else "<") + ("=" if last else "")
    if not is_float(element):
        return builder.icmp_signed(sign, new, old)
    new, old = (widened(builder, v, element) for v in (new, old))
    is_nan = builder.fcmp_unordered("uno", new, new)
    if last:
        return builder.or_(is_nan, builder.fcmp_ordered(sign, new, old))
    was_number = builder.fcmp_ordered("ord", old, old)
    return builder.and_(was_number, builder.or_(is_nan, builder.fcmp_ordered(sign, new, old)))


def accumulator(kind: str, element: Attribute) -> ir.Type:
    """The type that a scan accumulates in: sums and products of floats in float64."""
    wide = is_float(element) and kind in ("add", "mul")
    return DOUBLE if wide else I64 if kind.startswith("arg") else llvm_type(element)


def as_accumulator(builder: ir.IRBuilder, value: ir.Value, element: Attribute, target: ir.Type) -> ir.Value:
    """A value of `element` in the type that it is accumulated in."""
    if target == llvm_type(element):
        return value
    return (
        builder.fpext(widened(builder, value, element), target) if target != FLOAT else widened(builder, value, element)
    )


def from_accumulator(builder: ir.IRBuilder, value: ir.Value, element: Attribute) -> ir.Value:
    """The accumulated value, rounded to `element`."""
    if value.type == llvm_type(element):
        return value
    single = builder.fptrunc(value, FLOAT)
    return single if llvm_type(element) == FLOAT else narrowed(builder, single, element)
