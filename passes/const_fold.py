"""const-fold: compute at compile time what depends on constants alone.

A splat stays a splat, whatever its shape; a dense constant is made only where it is small
(`max-elements`), since weights and masks do not belong in the program text. Values come from
the rules of the reference interpreter, rounded to the element type. What has no single
answer is left to run: integers divided by zero, floats outside an integer's range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation, SSAValue

from mlc_dialects import numerics
from mlc_dialects.elementwise import FloorDivOp, FmodOp, RemainderOp, TruncDivOp
from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.evaluate import evaluate
from mlc_dialects.numerics import Value
from mlc_dialects.tensor_indexing import GatherOp
from mlc_dialects.tensor_ops import CastOp, ConstantOp, IotaOp, ReduceOp, SizeOp
from mlc_dialects.tensor_views import BroadcastOp, CatOp, PermuteOp, ReshapeOp, SliceOp, ViewOp
from mlc_dialects.types import element_type, is_float, is_native, shape_of
from mlc_support.index_expr import product
from mlc_support.rewriting import Rule, RulePass, rule
from passes.matching import splat

_DIVISIONS = (FloorDivOp, TruncDivOp, FmodOp, RemainderOp)


@dataclass(frozen=True)
class ConstFoldPass(RulePass):
    """Compute what depends on constants alone, exactly as the program would."""

    name = "const-fold"

    max_elements: int = 64
    """Elements a dense constant made here may have."""

    def rules(self) -> tuple[Rule, ...]:
        """Those for dense constants obey `max_elements`."""
        return folding_rules(self.max_elements)


def folding_rules(max_elements: int) -> tuple[Rule, ...]:
    """The rules of the pass; those for dense constants make at most `max_elements` elements."""

    @rule
    def fold_dense(op: ElementwiseOp | CastOp | ReduceOp | ViewOp | CatOp) -> ConstantOp | None:
        """f(constants) is a constant, element by element, where it is small"""
        count = product(shape_of(op.results[0].type)).constant
        if count is None or count > max_elements or _rounds_per_order(op):
            return None
        operands = [_constant_value(v, 4 * max_elements) for v in op.operands]
        return None if None in operands else _folded(op, [v for v in operands if v is not None])

    return (fold_splat_elementwise, fold_splat_view, fold_splat_reduction, fold_size, fold_iota, fold_empty, fold_dense)


@rule
def fold_splat_elementwise(op: ElementwiseOp | CastOp) -> ConstantOp | None:
    """f(c, c', ...) everywhere is one value everywhere"""
    splats = [splat(v) for v in op.operands]
    if None in splats:
        return None
    return _folded(op, [s for s in splats if s is not None])


@rule
def fold_splat_view(op: BroadcastOp | ReshapeOp | PermuteOp | SliceOp) -> ConstantOp | None:
    """Moving equal elements gives equal elements"""
    source = op.input.owner
    if not isinstance(source, ConstantOp) or isinstance(source.value, DenseIntOrFPElementsAttr):
        return None
    return ConstantOp(source.value, op.result.type)


@rule
def fold_splat_reduction(op: ReduceOp) -> ConstantOp | None:
    """max, min, and, or of c, ..., c are c; their integer sum is n * c, their product c ** n"""
    filling, kind = splat(op.input), op.kind.data
    count = product(shape_of(op.input.type)[d] for d in op.reduced)
    if filling is None or count.constant == 0 or (kind in ("add", "mul") and is_float(filling.element)):
        return None
    if kind in ("max", "min", "and", "or"):
        return ConstantOp(numerics.splat_attribute(filling), op.result.type)
    if kind.startswith("arg"):
        return ConstantOp.splat(0, shape_of(op.result.type), element_type(op.result.type))
    number, bits = filling.array.item(), 8 * filling.array.itemsize
    if count.constant is None:
        return None
    total = number * count.constant if kind == "add" else pow(number, count.constant, 1 << bits)
    return ConstantOp.splat(total, shape_of(op.result.type), filling.element)


@rule
def fold_size(op: SizeOp) -> ConstantOp | None:
    """The value of an expression without names is a number"""
    number = op.expr.constant
    return None if number is None else ConstantOp.splat(number, (), element_type(op.result.type))


@rule
def fold_iota(op: IotaOp) -> ConstantOp | None:
    """Counting to one gives 0; longer counts are cheaper made than read"""
    shape = shape_of(op.result.type)
    return ConstantOp.splat(0, shape, element_type(op.result.type)) if shape[op.axis].constant == 1 else None


@rule
def fold_empty(op: ElementwiseOp | CastOp | ReduceOp | ViewOp | CatOp | GatherOp | IotaOp) -> ConstantOp | None:
    """A tensor without elements is a constant"""
    type_ = op.results[0].type
    if not is_native(element_type(type_)) or product(shape_of(type_)).constant != 0:
        return None
    return ConstantOp.splat(0, shape_of(type_), element_type(type_))


def _rounds_per_order(op: Operation) -> bool:
    """True for float sums and products, whose last bits depend on the order, and for foreign types."""
    element = element_type(op.results[0].type)
    if not isinstance(op, ReduceOp) or not is_float(element):
        return not is_native(element)
    return op.kind.data in ("add", "mul") and product(shape_of(op.input.type)).constant != 0


def _folded(op: Operation, operands: Sequence[Value]) -> ConstantOp | None:
    """The constant that `op` computes from `operands`; None where that is not one answer."""
    element = element_type(op.results[0].type)
    if isinstance(op, CastOp) and not numerics.float_fits(operands[0], element):
        return None
    if isinstance(op, _DIVISIONS) and not is_float(element) and _overflows(*operands):
        return None
    try:
        value = evaluate(op, operands, {})
    except (ValueError, NotImplementedError):
        return None
    return _constant(op.results[0], value)


def _overflows(dividend: Value, divisor: Value) -> bool:
    """True if an integer division has no answer: by zero, or the least integer by -1."""
    least = np.iinfo(dividend.array.dtype).min
    signed = dividend.array.dtype.kind == "i"
    return bool(np.any((divisor.array == 0) | (signed & (divisor.array == -1) & (dividend.array == least))))


def _constant(result: SSAValue, value: Value) -> ConstantOp:
    """A constant of the type of `result`: a splat where all elements are the same."""
    flat = value.array.reshape(-1)
    first, repeated = (Value(a, value.element) for a in (flat[:1], np.broadcast_to(flat[:1], flat.shape)))
    if flat.size and numerics.same_bits(repeated, Value(flat, value.element)):
        return ConstantOp(numerics.splat_attribute(first), result.type)
    return ConstantOp(numerics.dense_attribute(value), result.type)


def _constant_value(value: SSAValue, max_elements: int) -> Value | None:
    """The elements of a constant that has no more than `max_elements`."""
    constant = value.owner
    if not isinstance(constant, ConstantOp) or not is_native(element_type(value.type)):
        return None
    count = product(shape_of(value.type)).constant
    if count is None or (count > max_elements and not isinstance(constant.value, DenseIntOrFPElementsAttr)):
        return None
    return evaluate(constant, (), {})
