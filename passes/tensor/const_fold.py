"""const-fold: compute at compile time what depends on constants alone.

A splat stays a splat, whatever its shape; a dense constant is made only where it is small
(`max-bytes`), since weights and masks do not belong in the program text. Values come from
the rules of the reference interpreter, rounded to the element type. What has no single
answer is left to run: integers divided by zero, floats outside an integer's range, sums
of floats that round on the way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import element_type, is_bool, is_float, is_native, shape_of
from mlc_dialects.semantics import numerics
from mlc_dialects.semantics.numerics import Value
from mlc_dialects.semantics.tensor import evaluate
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, ReduceOp, SizeOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PermuteOp, ReshapeOp, RollOp, SliceOp, ViewOp
from mlc_support.index_expr import product
from mlc_support.rewriting import Rule, RulePass, rule
from passes.tensor.constant_values import adds_up, byte_count, constant, folded, known, rounds_per_order
from passes.tensor.known_places import (
    count_in_integers,
    line_by_known_places,
    pad_by_known_places,
    view_by_known_places,
)
from passes.tensor.matching import splat

MOST_COUNTED = 1 << 18
"""Elements that are computed to see whether they are all the same: the positions of a batch of sequences."""


@dataclass(frozen=True)
class ConstFoldPass(RulePass):
    """Compute what depends on constants alone, exactly as the program would."""

    name = "const-fold"

    max_bytes: int = 512
    """What a dense constant made here may take; one that is read, four times as much."""

    def rules(self) -> tuple[Rule, ...]:
        """Those for dense constants obey `max_bytes`."""
        return folding_rules(self.max_bytes)


def folding_rules(max_bytes: int) -> tuple[Rule, ...]:
    """The rules of the pass; those for dense constants make at most `max_bytes` bytes."""

    @rule
    def fold_dense(
        op: ElementwiseOp | CastOp | ReduceOp | ViewOp | CatOp | GatherOp | ScanOp,
    ) -> ConstantOp | None:
        """f(constants) is a constant, element by element, where it is small; a gather's places may be counts"""
        size = byte_count(op.results[0])
        if size is None or size > max_bytes:
            return None
        operands = [_constant_value(v, 4 * max_bytes) for v in op.operands]
        if isinstance(op, GatherOp):
            operands = [o or _counted(v, 4 * max_bytes) for o, v in zip(operands, op.operands, strict=True)]
        values = [v for v in operands if v is not None]
        return None if None in operands or rounds_per_order(op, values) else folded(op, values)

    splats = (fold_splat_elementwise, fold_splat_view, fold_splat_reduction)
    places = (view_by_known_places, pad_by_known_places, count_in_integers, line_by_known_places)
    return (*splats, fold_size, fold_iota, fold_empty, fold_dense, fold_uniform, *places)


@rule
def fold_splat_elementwise(op: ElementwiseOp | CastOp) -> ConstantOp | None:
    """f(c, c', ...) everywhere is one value everywhere"""
    splats = [splat(v) for v in op.operands]
    if None in splats:
        return None
    return folded(op, [s for s in splats if s is not None])


@rule
def fold_splat_view(op: BroadcastOp | ReshapeOp | PermuteOp | SliceOp | RollOp) -> ConstantOp | None:
    """Moving equal elements gives equal elements"""
    source = op.input.owner
    if not isinstance(source, ConstantOp) or isinstance(source.value, DenseIntOrFPElementsAttr):
        return None
    return ConstantOp(source.value, op.result.type)


@rule
def fold_splat_reduction(op: ReduceOp) -> ConstantOp | None:
    """max, min, and, or of c, ..., c are c; their sum is n * c where no part rounds, the integer product c ** n"""
    filling, kind = splat(op.input), op.kind.data
    count = product(shape_of(op.input.type)[d] for d in op.reduced)
    if filling is None or count.constant == 0:
        return None
    if kind in ("add", "mul") and is_float(filling.element):
        return _float_sum(op, filling, count.constant) if kind == "add" and count.constant is not None else None
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


@rule
def fold_uniform(op: ElementwiseOp | ScanOp) -> ConstantOp | None:
    """A comparison or running sum of counts that gives the same everywhere is one value: no sequence starts anew"""
    compares = isinstance(op, ElementwiseOp) and is_bool(element_type(op.result.type))
    if is_float(element_type(op.result.type)) or not (compares or isinstance(op, ScanOp)):
        return None
    value = known(op.result, {}, MOST_COUNTED)
    if value is None or not value.array.size or np.any(value.array != value.array.flat[0]):
        return None
    return constant(op.result, value)


def _float_sum(op: ReduceOp, filling: Value, count: int) -> ConstantOp | None:
    """`count` times the filling; None if a part of the sum rounds."""
    if not adds_up(filling, count):
        return None
    return ConstantOp.splat(filling.array.item() * count, shape_of(op.result.type), filling.element)


def _constant_value(value: SSAValue, max_bytes: int) -> Value | None:
    """The elements of a constant that is dense, or would be no larger than `max_bytes`."""
    made, size = value.owner, byte_count(value)
    if not isinstance(made, ConstantOp) or size is None:
        return None
    if size > max_bytes and not isinstance(made.value, DenseIntOrFPElementsAttr):
        return None
    return evaluate(made, (), {})


def _counted(value: SSAValue, max_bytes: int) -> Value | None:
    """The elements of a count, or of one that is moved, that is no larger than `max_bytes`."""
    op, size = value.owner, byte_count(value)
    if size is None or size > max_bytes:
        return None
    if isinstance(op, IotaOp):
        return evaluate(op, (), {})
    inner = _counted(op.input, max_bytes) if isinstance(op, BroadcastOp | ReshapeOp) else None
    return None if inner is None or not isinstance(op, Operation) else evaluate(op, [inner], {})
