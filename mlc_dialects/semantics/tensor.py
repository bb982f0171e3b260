"""The meaning of each `mlc_tensor` op, on numpy values: one rule an op, one for the whole elementwise table.

    result = evaluate(op, operands, sizes)

`sizes` are the numbers that named dimensions have. Regions, calls and functions are the
interpreter's; see `lowering.interpreter.run`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from math import prod

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation

from mlc_dialects.common import philox
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import element_type, shape_of
from mlc_dialects.semantics import numerics
from mlc_dialects.semantics.numerics import Array, Value
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp, SizeOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, RollOp, SliceOp

Sizes = Mapping[str, int]


@singledispatch
def evaluate(op: Operation, operands: Sequence[Value], sizes: Sizes) -> Value:
    """The value of `op`'s only result. NotImplementedError for an op that has no meaning here."""
    raise NotImplementedError(op.name)


def concrete_shape(type_: Attribute, sizes: Sizes) -> tuple[int, ...]:
    """The sizes of a tensor type as numbers. KeyError names a size that is not known."""
    return tuple(s.evaluate(sizes) for s in shape_of(type_))


@evaluate.register
def _(op: ElementwiseOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    return numerics.elementwise(op.FUNCTION, operands, element_type(op.result.type))


@evaluate.register
def _(op: CastOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    return numerics.cast(operands[0], element_type(op.result.type))


@evaluate.register
def _(op: ReduceOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    return numerics.reduce(op.kind.data, operands[0], op.reduced)


@evaluate.register
def _(op: ScanOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    return numerics.scan(op.kind.data, operands[0], op.axis)


@evaluate.register
def _(op: RandomOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    shape = concrete_shape(op.result.type, sizes)
    positions = np.arange(prod(shape), dtype=np.int64).reshape(shape)
    seed = int(operands[0].array[op.index.value.data])
    return numerics.value_of(philox.random_bits(seed, positions, op.word.value.data), element_type(op.result.type))


@evaluate.register
def _(op: ConstantOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    if isinstance(op.value, DenseIntOrFPElementsAttr):
        return numerics.dense_value(op.value)
    one = numerics.scalar_value(op.value, element_type(op.result.type))
    return one.with_array(np.broadcast_to(one.array, concrete_shape(op.result.type, sizes)))


@evaluate.register
def _(op: IotaOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    shape = concrete_shape(op.result.type, sizes)
    along = [size if d == op.axis else 1 for d, size in enumerate(shape)]
    positions = np.arange(shape[op.axis], dtype=np.int64).reshape(along)
    return numerics.value_of(np.broadcast_to(positions, shape).copy(), element_type(op.result.type))


@evaluate.register
def _(op: SizeOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    number = np.asarray(op.expr.evaluate(sizes), np.int64)
    return numerics.value_of(number, element_type(op.result.type))


@evaluate.register
def _(op: MatmulOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    return numerics.matmul(*operands)


@evaluate.register
def _(op: BroadcastOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    return operands[0].with_array(np.broadcast_to(operands[0].array, concrete_shape(op.result.type, sizes)))


@evaluate.register
def _(op: ReshapeOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    return operands[0].with_array(operands[0].array.reshape(concrete_shape(op.result.type, sizes)))


@evaluate.register
def _(op: PermuteOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    return operands[0].with_array(np.transpose(operands[0].array, op.order))


@evaluate.register
def _(op: SliceOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    array = operands[0].array
    starts = [s.evaluate(sizes) for s in index_exprs(op.starts)]
    for dim, count in enumerate(concrete_shape(op.result.type, sizes)):
        positions = starts[dim] + op.strides[dim] * np.arange(count, dtype=np.int64)
        if count and (positions.min() < 0 or positions.max() >= array.shape[dim]):
            raise ValueError(f"the slice leaves dimension {dim}, of size {array.shape[dim]}")
        array = np.take(array, positions, axis=dim)
    return operands[0].with_array(array)


@evaluate.register
def _(op: RollOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    array = operands[0].array
    for dim, start in enumerate(index_exprs(op.starts)):
        array = np.roll(array, -start.evaluate(sizes), dim)
    return operands[0].with_array(array)


@evaluate.register
def _(op: PadOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    assert isinstance(op.value, FloatAttr | IntegerAttr)
    source = operands[0]
    filling = numerics.scalar_value(op.value, source.element)
    padded = np.broadcast_to(filling.array, concrete_shape(op.result.type, sizes)).copy()
    inside = [slice(low, low + size) for low, size in zip(op.lows, source.shape, strict=True)]
    padded[tuple(inside)] = source.array
    return source.with_array(padded)


@evaluate.register
def _(op: CatOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    return operands[0].with_array(np.concatenate([v.array for v in operands], axis=op.axis))


@evaluate.register
def _(op: GatherOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    source, *indices = operands
    places = _places(source.shape, indices, concrete_shape(op.result.type, sizes))
    return source.with_array(source.array.reshape(-1)[places])


@evaluate.register
def _(op: ScatterOp, operands: Sequence[Value], sizes: Sizes) -> Value:
    into, *indices, updates = operands
    result = into.array.copy().reshape(-1)
    numerics.scatter(op.kind.data, result, _places(into.shape, indices, updates.shape), updates.array)
    return numerics.value_of(result.reshape(into.shape), into.element)


def _places(shape: Sequence[int], indices: Sequence[Value], points: Sequence[int]) -> Array:
    """The row-major position in a tensor of `shape` for each of `points`. ValueError where an index is outside."""
    position = np.zeros(points, np.int64)
    for dim, (size, index) in enumerate(zip(shape, indices, strict=True)):
        if index.array.size and not (index.array.min() >= 0 and index.array.max() < size):
            raise ValueError(f"an index is outside dimension {dim}, of size {size}")
        position = position * size + index.array
    return position
