"""tl.reduce and tl.associative_scan of interpreted kernels: log2(N) combines of whole blocks.

Upstream calls a custom combiner once per element. Here the two halves of the axis are combined until one row is left,
the tree of a GPU; a scan combines at distances 1, 2, 4, ... Blocks have a power of two of rows.
"""

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import TensorHandle

from mlc_compiler import triton_library as lib
from mlc_compiler.triton_interpreter.builder import GpuLikeBuilder
from mlc_compiler.triton_interpreter.numerics import Array

Blocks = list[Array]
Combine = Callable[[Blocks, Blocks], Blocks]

NATIVE = {
    tl.standard._sum_combine.fn: ("create_fadd", "create_add", "create_add"),
    tl.standard._elementwise_max.fn: ("create_maxnumf", "create_maxsi", "create_maxui"),
    tl.standard._elementwise_min.fn: ("create_minnumf", "create_minsi", "create_minui"),
    lib.add.fn: ("create_fadd", "create_add", "create_add"),
    lib.mul.fn: ("create_fmul", "create_mul", "create_mul"),
    lib.max_nan.fn: ("create_maximumf", "create_maxsi", "create_maxui"),
    lib.min_nan.fn: ("create_minimumf", "create_minsi", "create_minui"),
}
"""Combiners that are one operation, for floats, signed and unsigned integers: no Python call per level."""


class Reductions:
    """The two operations, on the blocks of one builder; `call` runs a combiner on tensors."""

    def __init__(self, builder: GpuLikeBuilder, call: Callable[..., Any]) -> None:
        self.builder = builder
        self.call = call

    def reduce(self, input: Any, axis: Any, combine_fn: Any, keep_dims: Any = False, **_: Any) -> Any:
        """tl.reduce: a tensor for a tensor, a tuple for a tuple; `axis` None reduces everything to a scalar."""
        if isinstance(input, tl.tensor):
            return self.reduce((input,), axis, combine_fn, keep_dims)[0]
        axis, keep_dims = tl.core._unwrap_if_constexpr(axis), tl.core._unwrap_if_constexpr(keep_dims)
        types, rank = [block.dtype for block in input], len(input[0].shape)
        blocks = _rows(input, _wrap(axis, rank))
        combine = self._combiner(combine_fn, types)
        while len(blocks[0]) > 1:
            half = len(blocks[0]) // 2
            blocks = combine([block[:half] for block in blocks], [block[half:] for block in blocks])
        results = [block[0] for block in blocks]
        if keep_dims:
            kept = tuple(range(rank)) if axis is None else _wrap(axis, rank)
            results = [np.expand_dims(result, kept) for result in results]
        return tuple(map(_tensor, results, types))

    def associative_scan(self, input: Any, axis: Any, combine_fn: Any, reverse: Any = False, **_: Any) -> Any:
        """tl.associative_scan: inclusive, from the last row backward when `reverse`."""
        if isinstance(input, tl.tensor):
            return self.associative_scan((input,), axis, combine_fn, reverse)[0]
        wrapped = _wrap(tl.core._unwrap_if_constexpr(axis), len(input[0].shape))
        backward = bool(tl.core._unwrap_if_constexpr(reverse))
        types = [block.dtype for block in input]
        blocks = [block[::-1] if backward else block for block in _rows(input, wrapped)]
        combine, distance = self._combiner(combine_fn, types), 1
        while distance < len(blocks[0]):
            # Rolled, not cut: a block that a combiner sees must have a power of two of rows.
            later = combine([np.roll(block, distance, 0) for block in blocks], blocks)
            blocks = [
                np.concatenate([block[:distance], new[distance:]]) for block, new in zip(blocks, later, strict=True)
            ]
            distance *= 2
        results = [np.moveaxis(block[::-1] if backward else block, 0, wrapped) for block in blocks]
        return tuple(map(_tensor, results, types))

    def _combiner(self, combine_fn: Any, types: Sequence[tl.dtype]) -> Combine:
        """`combine_fn` on rows of raw data."""
        names = NATIVE.get(combine_fn.fn)
        if names is None or len(types) != 1:
            return lambda left, right: self._call(combine_fn.fn, left, right, types)
        dtype = types[0]
        name = names[0] if dtype.is_floating() else names[1] if dtype.is_int_signed() else names[2]
        operation = getattr(self.builder, name)
        return lambda left, right: [operation(TensorHandle(left[0], dtype), TensorHandle(right[0], dtype)).data]

    def _call(self, function: FunctionType, left: Blocks, right: Blocks, types: Sequence[tl.dtype]) -> Blocks:
        """One call of a combiner on blocks, whose results take the types of the operands."""
        operands = [_tensor(data, dtype) for side in (left, right) for data, dtype in zip(side, types, strict=True)]
        results = self.call(function, *operands)
        results = results if isinstance(results, (tuple, tl.tuple)) else (results,)
        cast = [tl.cast(result, dtype) for result, dtype in zip(results, types, strict=True)]
        return [np.broadcast_to(result.handle.data, data.shape) for result, data in zip(cast, left, strict=True)]


def _wrap(axis: Any, rank: int) -> Any:
    """An axis in [0, rank), from one that may count from the end."""
    if axis is not None and not -rank <= axis < rank:
        raise ValueError(f"axis {axis} of a block with {rank} dimensions")
    return None if axis is None else axis % rank


def _rows(blocks: Sequence[Any], axis: Any) -> Blocks:
    """Raw data with the reduced axis in front; `axis` None flattens."""
    data = [block.handle.data for block in blocks]
    return [d.reshape(-1) for d in data] if axis is None else [np.moveaxis(d, axis, 0) for d in data]


def _tensor(data: Array, dtype: tl.dtype) -> Any:
    """A block, or a scalar from data without dimensions (stored, as upstream does, as one element)."""
    shape = list(np.shape(data))
    handle = TensorHandle(np.ascontiguousarray(data), dtype)
    return tl.tensor(handle, tl.block_type(dtype, shape) if shape else dtype)
