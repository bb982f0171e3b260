"""Buffers of the reference interpreter: memory that knows what was never written, and views of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from mlc_dialects.common.buffers import buffer_element, buffer_shape, buffer_strides
from mlc_dialects.common.types import is_bool, is_float
from mlc_dialects.semantics.numerics import Array, Value, array_dtype, value_of

_POISON = 0x5A
"""The byte that integers hold until they are written; floats hold NaN."""


@dataclass
class Memory:
    """The elements of one allocation, one after the other."""

    elements: Array
    live: bool = True


@dataclass(frozen=True)
class Buffer:
    """Element `index` is memory[offset + sum(index * strides)]."""

    memory: Memory
    element: Attribute
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: Any = 0
    """A number; of a buffer that each program has for its own, an array of one number a program."""

    @staticmethod
    def allocate(type_: Attribute, sizes: Mapping[str, int]) -> Buffer:
        """A new buffer of a memref type, its content poison."""
        shape = tuple(s.evaluate(sizes) for s in buffer_shape(type_))
        strides = tuple(s.evaluate(sizes) for s in buffer_strides(type_))
        element = buffer_element(type_)
        last = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
        return Buffer(Memory(_poison(element, last + 1 if prod(shape) else 0)), element, shape, strides)

    @staticmethod
    def holding(value: Value, type_: Attribute, sizes: Mapping[str, int]) -> Buffer:
        """A new buffer with the elements of `value`."""
        buffer = Buffer.allocate(type_, sizes)
        buffer.memory.elements[buffer.positions([*np.indices(buffer.shape)])] = value.array
        return buffer

    @staticmethod
    def local(type_: Attribute, sizes: Mapping[str, int], programs: tuple[int, ...], filling: Any = None) -> Buffer:
        """A buffer for each of `programs`, its elements `filling`; poison where that is None."""
        one = Buffer.allocate(type_, sizes)
        span, count = one.memory.elements.size, prod(programs)
        elements = np.tile(one.memory.elements, count)
        if filling is not None:
            elements[...] = filling
        offsets = (np.arange(count, dtype=np.int64) * span).reshape(programs)
        return Buffer(Memory(elements), one.element, one.shape, one.strides, offsets)

    def view(self, type_: Attribute, offset: int, sizes: Mapping[str, int]) -> Buffer:
        """The same memory under another type, from element `offset` on."""
        shape = tuple(s.evaluate(sizes) for s in buffer_shape(type_))
        strides = tuple(s.evaluate(sizes) for s in buffer_strides(type_))
        return Buffer(self.memory, self.element, shape, strides, self.offset + offset)

    def positions(self, index: Sequence[Any]) -> Any:
        """Where in memory the elements at `index` are, given as one array a dimension."""
        total: Any = np.asarray(self.offset, np.int64)
        deepest = max((np.ndim(i) for i in index), default=0)
        if 0 < total.ndim < deepest:  # the loops around the buffer come first
            total = total.reshape(total.shape + (1,) * (deepest - total.ndim))
        for i, stride in zip(index, self.strides, strict=True):
            total = total + i * stride
        return total

    def value(self) -> Value:
        """All elements, as a tensor."""
        return value_of(self.memory.elements[self.positions([*np.indices(self.shape)])], self.element)


def _poison(element: Attribute, count: int) -> Array:
    if is_float(element):
        return np.full(count, np.nan, array_dtype(element))
    if is_bool(element):
        return np.ones(count, np.bool_)
    dtype = array_dtype(element)
    return np.frombuffer(bytes([_POISON]) * (count * dtype.itemsize), dtype).copy()
