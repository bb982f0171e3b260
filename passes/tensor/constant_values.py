"""What ops compute of constants and counts, as the program would: for passes that compute it at compile time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

import numpy as np
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import byte_size, element_type, is_float, is_native, shape_of
from mlc_dialects.semantics import numerics
from mlc_dialects.semantics.numerics import Value, value_of
from mlc_dialects.semantics.tensor import evaluate
from mlc_dialects.tensor.elementwise import FloorDivOp, FmodOp, RemainderOp, TruncDivOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PermuteOp, ReshapeOp, SliceOp
from mlc_support.index_expr import product
from passes.tensor.canonicalize.reductions import DIGITS

MOST_PLACES, MOST_STEPS = 1 << 15, 64
"""Elements of what is computed to see what it is, and the steps that lead to them."""
_DIVISIONS = (FloorDivOp, TruncDivOp, FmodOp, RemainderOp)

_COUNTED = (ElementwiseOp, CastOp, ReshapeOp, BroadcastOp, PermuteOp, SliceOp, CatOp, ScanOp)


def known(value: SSAValue, seen: dict[SSAValue, Value | None], most: int = MOST_PLACES) -> Value | None:
    """The elements of what a few steps make of counts and constants, each of `most` elements at the most."""
    op, size = value.owner, byte_count(value)
    if value in seen or size is None or size > 8 * most or len(seen) > MOST_STEPS:
        return seen.get(value)
    seen[value] = None
    if isinstance(op, IotaOp | ConstantOp):
        seen[value] = evaluate(op, (), {})
    elif isinstance(op, _COUNTED):
        operands: list[Value] = []
        for operand in op.operands:
            if (found := known(operand, seen, most)) is None:
                return None
            operands.append(found)
        seen[value] = None if rounds_per_order(op, operands) else _computed(op, operands)
    return seen[value]


def folded(op: Operation, operands: Sequence[Value]) -> ConstantOp | None:
    """The constant that `op` computes from `operands`; None where that is not one answer."""
    value = _computed(op, operands)
    return None if value is None else constant(op.results[0], value)


def _computed(op: Operation, operands: Sequence[Value]) -> Value | None:
    """What `op` computes from `operands`; None where that is not one answer."""
    element = element_type(op.results[0].type)
    if isinstance(op, CastOp) and not numerics.float_fits(operands[0], element):
        return None
    if isinstance(op, _DIVISIONS) and not is_float(element) and _overflows(*operands):
        return None
    try:
        return evaluate(op, operands, {})
    except (ValueError, NotImplementedError):
        return None


def constant(result: SSAValue, value: Value) -> ConstantOp:
    """A constant of the type of `result`: a splat where all elements are the same."""
    flat = value.array.reshape(-1)
    first, repeated = (Value(a, value.element) for a in (flat[:1], np.broadcast_to(flat[:1], flat.shape)))
    if flat.size and numerics.same_bits(repeated, Value(flat, value.element)):
        return ConstantOp(numerics.splat_attribute(first), result.type)
    return ConstantOp(numerics.dense_attribute(value), result.type)


def rounds_per_order(op: Operation, operands: Sequence[Value]) -> bool:
    """True for float sums and products whose last bits depend on the order."""
    if not isinstance(op, ReduceOp | ScanOp) or not is_float(element_type(op.result.type)):
        return False
    if not operands[0].array.size:
        return False
    return op.kind.data in ("mul", "logaddexp") or (op.kind.data == "add" and not adds_up(operands[0]))


def adds_up(value: Value, times: int = 1) -> bool:
    """True if every sum of elements of `value`, each taken up to `times`, is a number of their type.

    Finite floats are integers times a common power of two: no sum rounds while the sum of
    their sizes has no more digits than the type.
    """
    if not np.all(np.isfinite(value.array)):
        return False
    numbers = [Fraction(x) for x in value.array.ravel().tolist()]
    common = max(n.denominator for n in numbers)
    sizes = [abs(n.numerator) * (common // n.denominator) for n in numbers]
    unit = gcd(*sizes) or 1
    total = sum(sizes) * times
    fits = total // (unit & -unit) <= 1 << DIGITS[type(value.element)]
    return fits and bool(np.isfinite(value_of(np.asarray(total / common), value.element).array))


def byte_count(value: SSAValue) -> int | None:
    """What the elements take; None where a size has a name, were it that of nothing, or the element type is foreign."""
    shape, element = shape_of(value.type), element_type(value.type)
    count = product(shape).constant
    known = count is not None and all(s.constant is not None for s in shape) and is_native(element)
    return count * byte_size(element) if known and count is not None else None


def _overflows(dividend: Value, divisor: Value) -> bool:
    """True if an integer division has no answer: by zero, or the least integer by -1."""
    least = np.iinfo(dividend.array.dtype).min
    signed = dividend.array.dtype.kind == "i"
    return bool(np.any((divisor.array == 0) | (signed & (divisor.array == -1) & (dividend.array == least))))
