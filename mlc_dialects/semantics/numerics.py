"""What tensors compute, on numpy: values with their element type, rounding, casts and reductions.

The reference interpreter and constant folding share it, so a folded constant is what the
program would have computed. numpy has no bfloat16 and no 8-bit floats: such values are float32
arrays whose elements the type can hold.

Some results are nobody's promise, and here have one value so that runs can be compared:
a NaN is positive and quiet; a float that an integer cannot hold saturates as GPUs do, and
NaN becomes 0; integers divided by zero give what numpy gives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    TensorType,
    bf16,
    f32,
    i64,
)
from xdsl.ir import Attribute

from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import BY_TYPE, is_bool, is_byte_float, is_float, is_half, storage
from mlc_dialects.semantics import byte_floats
from mlc_dialects.tensor.elementwise_op import Elementwise

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class Value:
    """A tensor: its elements, and the type they have in the program."""

    array: Array
    element: Attribute

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    def with_array(self, array: Array) -> Value:
        """Other elements of the same type, in row-major order of their own."""
        return Value(array.copy(order="C"), self.element)


def array_dtype(element: Attribute) -> np.dtype[Any]:
    """The numpy type that holds elements of type `element`."""
    native = BY_TYPE.get(element)
    if native is None:
        raise ValueError(f"elements of type {element} cannot be computed with")
    return np.dtype(np.float32) if native.numpy is None else native.numpy


def value_of(array: Any, element: Attribute) -> Value:
    """`array`, rounded or wrapped to elements of type `element`; every NaN becomes the plain one."""
    source = np.asarray(array)
    if is_float(element):
        return Value(_plain_nans(_round_float(source, element)), element)
    return Value(_to_integer(source, element), element)


def round_to_bfloat16(array: Array) -> Array:
    """float32 elements rounded to the nearest that bfloat16 holds, ties to even."""
    bits = array.astype(np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(array), np.float32(np.nan), rounded.view(np.float32))


def _round_float(array: Array, element: Attribute) -> Array:
    """To 16 and 8 bits by way of float32, as PyTorch does."""
    with np.errstate(all="ignore"):
        if isinstance(element, BFloat16Type):
            return round_to_bfloat16(array.astype(np.float32))
        if is_byte_float(element):
            return byte_floats.rounded(array.astype(np.float32), element)
        if is_half(element):
            array = array.astype(np.float32)
        return array.astype(array_dtype(element))


def _plain_nans(array: Array) -> Array:
    return np.where(np.isnan(array), np.asarray(np.nan, array.dtype), array)


def _to_integer(array: Array, element: Attribute) -> Array:
    """Truncation towards zero and then wrap-around; anything but zero is true."""
    if is_bool(element):
        return np.asarray(array != 0)
    dtype = array_dtype(element)
    with np.errstate(all="ignore"):
        if array.dtype.kind != "f":
            return array.astype(dtype)
        limits = np.iinfo(dtype)
        truncated = np.trunc(np.nan_to_num(array.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
        inside = (truncated >= float(limits.min)) & (truncated < float(limits.max) + 1)
        edge = np.where(truncated < 0, limits.min, limits.max).astype(dtype)
        return np.where(inside, np.where(inside, truncated, 0).astype(dtype), edge)


def cast(value: Value, element: Attribute) -> Value:
    """`value` converted as mlc_tensor.cast does."""
    return value_of(value.array, element)


def float_fits(value: Value, element: Attribute) -> bool:
    """True if converting `value` to `element` has one answer: no float outside an integer's range."""
    if not is_float(value.element) or is_float(element) or is_bool(element):
        return True
    limits = np.iinfo(array_dtype(element))
    truncated = np.trunc(value.array.astype(np.float64))
    return bool(np.all((truncated >= float(limits.min)) & (truncated < float(limits.max) + 1)))


def elementwise(definition: Elementwise, operands: Sequence[Value], result: Attribute) -> Value:
    """The function of the table on every element; 16-bit floats compute in float32 and round once."""
    arrays = [widened(v) for v in operands]
    with np.errstate(all="ignore"):
        return value_of(definition.reference(*arrays), result)


def widened(value: Value) -> Array:
    """The elements in the type that functions compute them in: 16-bit floats as float32."""
    return value.array.astype(np.float32) if is_half(value.element) else value.array


def reduce(kind: str, value: Value, dims: Sequence[int]) -> Value:
    """The reduction of mlc_tensor.reduce along `dims`, which stay with size 1.

    Float sums and products are accumulated in float64 and rounded once, so that their
    order does not show. A sum of nothing but -0.0 is -0.0, as a sum of one element must be.
    """
    kept = [1 if d in dims else size for d, size in enumerate(value.shape)]
    rows = _rows(value.array, dims)
    if kind.startswith("arg"):
        if rows.shape[1] == 0 and rows.shape[0]:
            raise ValueError(f"{kind} of no elements has no position")
        found = (np.argmax if kind == "argmax" else np.argmin)(rows, axis=1) if rows.size else np.zeros(0)
        return value_of(found.reshape(kept), i64)
    if rows.shape[1] == 0:
        empty = np.full(kept, empty_reduction(kind, value.element), array_dtype(value.element))
        return value_of(empty, value.element)
    with np.errstate(all="ignore"):
        return value_of(_REDUCTIONS[kind](rows).reshape(kept), value.element)


def _rows(array: Array, dims: Sequence[int]) -> Array:
    """One row for each result, its elements in row-major order of `dims`."""
    others = [d for d in range(array.ndim) if d not in dims]
    kept = math.prod(array.shape[d] for d in others)
    reduced = math.prod(array.shape[d] for d in dims)
    return np.transpose(array, [*others, *dims]).reshape(kept, reduced)


def empty_reduction(kind: str, element: Attribute) -> float | int:
    """What a reduction of no elements gives: the identity of its kind."""
    if kind in ("add", "or"):
        return 0
    if kind == "mul":
        return 1
    if kind == "and":
        return True if is_bool(element) else -1 if array_dtype(element).kind == "i" else 255
    if is_float(element):
        return -np.inf if kind == "max" else np.inf
    limits = np.iinfo(array_dtype(element))
    return int(limits.min if kind == "max" else limits.max)


def _sum(rows: Array) -> Array:
    if rows.dtype.kind != "f":
        return np.add.reduce(rows, axis=1, dtype=rows.dtype)
    total = np.add.reduce(rows.astype(np.float64), axis=1)
    return np.where(np.all((rows == 0) & np.signbit(rows), axis=1), -0.0, total)


def _product(rows: Array) -> Array:
    wide = rows.dtype if rows.dtype.kind != "f" else np.dtype(np.float64)
    return np.multiply.reduce(rows.astype(wide), axis=1, dtype=wide)


def _extreme(rows: Array, greatest: bool) -> Array:
    """The greatest or least of each row; NaN wins, and -0.0 is less than 0.0."""
    best = (np.max if greatest else np.min)(rows, axis=1)
    if rows.dtype.kind != "f":
        return best
    wanted_zero = (rows == 0) & (np.signbit(rows) != greatest)
    zero = np.where(np.any(wanted_zero, axis=1) == greatest, 0.0, -0.0).astype(rows.dtype)
    return np.where(best == 0, zero, best)


_REDUCTIONS = {
    "add": _sum,
    "mul": _product,
    "max": lambda rows: _extreme(rows, True),
    "min": lambda rows: _extreme(rows, False),
    "and": lambda rows: np.bitwise_and.reduce(rows, axis=1),
    "or": lambda rows: np.bitwise_or.reduce(rows, axis=1),
}


def scan(kind: str, value: Value, dim: int) -> Value:
    """The prefix combination of mlc_tensor.scan along `dim`; float sums and products accumulate in float64."""
    rows = np.moveaxis(value.array, dim, 0)
    if kind in ("max", "min", "argmax", "argmin"):
        extremes, places = _running_extreme(rows, kind.endswith("max"))
        chosen, element = (places, i64) if kind.startswith("arg") else (extremes, value.element)
        return value_of(np.moveaxis(chosen, 0, dim), element)
    function = {"add": np.add, "mul": np.multiply, "logaddexp": np.logaddexp}[kind]
    wide = np.dtype(np.float64) if rows.dtype.kind == "f" else rows.dtype
    with np.errstate(all="ignore"):
        found = function.accumulate(rows.astype(wide), axis=0, dtype=wide)
    return value_of(np.moveaxis(found, 0, dim), value.element)


def _running_extreme(rows: Array, greatest: bool) -> tuple[Array, Array]:
    """The extreme of each row and those before it, and its position: the last of equals, and of NaNs."""
    extremes, places = rows.copy(), np.zeros(rows.shape, np.int64)
    for i in range(1, len(rows)):
        best, new = extremes[i - 1], rows[i]
        taken = (new >= best) if greatest else (new <= best)
        taken |= new != new
        extremes[i] = np.where(taken, new, best)
        places[i] = np.where(taken, i, places[i - 1])
    return extremes, places


def scatter(kind: str, array: Array, places: Any, updates: Array) -> None:
    """Combines `updates` into the elements of `array` at `places`, in their order: of several a later `set` wins.

    Sums are rounded at every step, as atomics do.
    """
    with np.errstate(all="ignore"):
        if kind == "set":
            array[places] = updates
        else:
            {"add": np.add, "max": np.maximum, "min": np.minimum}[kind].at(array, places, updates)


@lru_cache(maxsize=4096)
def scalar_value(attribute: IntegerAttr | FloatAttr, element: Attribute) -> Value:
    """The tensor of rank 0 that the splat attribute of a constant stands for; its array is read-only."""
    number = attribute.value.data
    value = value_of(np.asarray(number, np.float64 if is_float(element) else np.int64), element)
    value.array.flags.writeable = False
    return value


def splat_attribute(value: Value) -> IntegerAttr | FloatAttr:
    """The scalar attribute of a value of one element."""
    return scalar_attribute(value.array.item(), storage(value.element))


def dense_value(attribute: DenseIntOrFPElementsAttr[Any]) -> Value:
    """The tensor that a dense attribute stands for."""
    element = attribute.type.get_element_type()
    wide = np.float64 if is_float(element) else np.int64
    numbers = np.array([*attribute.iter_values()], wide).reshape(attribute.get_shape())
    return value_of(numbers, element)


def dense_attribute(value: Value) -> DenseIntOrFPElementsAttr[Any]:
    """The dense attribute of a small tensor."""
    type_: TensorType[Any] = TensorType(value.element, value.shape)
    array = value.array
    if value.element == bf16:
        data = (array.view(np.uint32) >> np.uint32(16)).astype("<u2").tobytes()
    elif is_byte_float(value.element):
        data = byte_floats.encoded(array, value.element).tobytes()
    elif is_bool(value.element):
        data = np.where(array, np.uint8(0xFF), np.uint8(0)).astype(np.uint8).tobytes()
    else:
        data = array.astype(array.dtype.newbyteorder("<")).tobytes()
    return DenseIntOrFPElementsAttr(type_, BytesAttr(data))


def same_bits(left: Value, right: Value) -> bool:
    """True if both have one type, shape and elements: NaN equals NaN, and -0.0 is not 0.0."""
    if left.element != right.element or left.shape != right.shape:
        return False
    if not is_float(left.element):
        return bool(np.array_equal(left.array, right.array))
    signs = np.signbit(left.array) == np.signbit(right.array)
    both_nan = np.isnan(left.array) & np.isnan(right.array)
    return bool(np.all(both_nan | ((left.array == right.array) & signs)))


def matmul(left: Value, right: Value) -> Value:
    """Floats are summed in float64 and rounded to the accumulator's type first, as a library does at best."""
    arrays = [v.array.astype(np.float64) if is_float(v.element) else v.array for v in (left, right)]
    with np.errstate(all="ignore"):
        product = np.matmul(*arrays)
    return cast(value_of(product, accumulator(left.element)), left.element)


def reduce_pair(kind: str, value: Value, dims: Sequence[int]) -> tuple[Value, Value]:
    """The two results of softmax or welford along `dims`, as the two reductions they stand for give them."""
    with np.errstate(all="ignore"):
        first = reduce("max" if kind == "softmax" else "add", value, dims)
        count = math.prod(value.shape[d] for d in dims)
        mean = first if kind == "softmax" else value_of(first.array / first.array.dtype.type(count), value.element)
        distance = value_of(value.array - mean.array, value.element)
        terms = np.exp(distance.array) if kind == "softmax" else distance.array * distance.array
        return first, reduce("add", value_of(terms, value.element), dims)


def accumulator(element: Attribute) -> Attribute:
    """The type in which products of `element` are summed."""
    return f32 if is_half(element) else element
