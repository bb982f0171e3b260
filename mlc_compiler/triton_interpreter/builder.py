"""The operations of Triton's interpreter, repaired where they differ from the GPU.

Each method of `GpuLikeBuilder` replaces one of `triton.runtime.interpreter.InterpreterBuilder`; its docstring names the
fault upstream. It is a subclass, so Triton's own interpreter and compiler stay as they are.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton._C.libtriton import interpreter as native
from triton._C.libtriton import ir
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle, _get_np_dtype

from mlc_compiler.triton_interpreter import numerics as numerics
from mlc_compiler.triton_interpreter.numerics import Array

COMPARISONS = frozenset((np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal))
FP8_TYPES = {tl.float8e4nv: (torch.float8_e4m3fn, 448.0), tl.float8e5: (torch.float8_e5m2, 57344.0)}
"""Triton's fp8 formats that PyTorch has, with their largest finite value."""


BF16 = tl.bfloat16.name  # dtypes compare all that they know
_NUMPY_TYPES: dict[str, np.dtype[Any]] = {}


def numpy_type(dtype: Any) -> np.dtype[Any]:
    """The type of a handle's data; upstream builds a table of all types at every question."""
    scalar = dtype.scalar
    if scalar.is_ptr():
        return np.dtype(np.uint64)
    found = _NUMPY_TYPES.get(scalar.name)
    if found is None:
        found = _NUMPY_TYPES[scalar.name] = _get_np_dtype(scalar)
    return found


def wide(handle: TensorHandle) -> Array:
    """The values of a handle in a type numpy can compute with: bfloat16 becomes float32."""
    return numerics.from_bf16(handle.data) if handle.dtype.scalar.name == BF16 else handle.data


def narrow(values: Array, dtype: tl.dtype) -> TensorHandle:
    """A handle of `dtype` from values that `wide` could have returned."""
    if dtype.name == BF16:
        return TensorHandle(numerics.to_bf16(values), dtype)
    return TensorHandle(np.asarray(values).astype(numpy_type(dtype), copy=False), dtype)


def _decode_fp8(handle: TensorHandle) -> Array:
    """fp8 bits -> float32, exact."""
    torch_type, _ = FP8_TYPES[handle.dtype.scalar]
    return torch.from_numpy(np.array(handle.data)).view(torch_type).float().numpy()


def _encode_fp8(values: Array, dtype: tl.dtype) -> Array:
    """float -> fp8 bits, to nearest even, saturating to the largest finite value (PTX `cvt.rn.satfinite`)."""
    torch_type, largest = FP8_TYPES[dtype]
    clamped = torch.from_numpy(np.array(values, np.float32)).clamp(-largest, largest)
    return clamped.to(torch_type).view(torch.uint8).numpy()


class GpuLikeBuilder(InterpreterBuilder):
    """InterpreterBuilder with the arithmetic of an NVIDIA GPU and with checked addresses."""

    def __init__(self) -> None:
        super().__init__()
        # Assertions are made in debug builds alone, and kernels that have some ask for one; its check of every
        # sum for overflow, which they do not ask for, would compute each twice.
        self.options = replace(self.options, debug=True, sanitize_overflow=False)
        self.storages: tuple[tuple[int, int], ...] | None = None

    # Memory.

    def set_storages(self, storages: Iterable[tuple[int, int]] | None) -> None:
        """The byte ranges [start, end) that loads and stores may touch; None checks nothing."""
        self.storages = None if storages is None else tuple(storages)

    def _check(self, pointers: TensorHandle, mask: Any) -> None:
        """IndexError when an active address lies in no argument; upstream reads or writes it, or crashes."""
        wanted = np.asarray(mask.data)  # behind a tensor descriptor Triton 3.6 gives an array in place of a block
        active = pointers.data if wanted.all() else pointers.data[wanted]
        if self.storages is None or active.size == 0:
            return
        size = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
        first, last = int(active.min()), int(active.max()) + size
        if any(start <= first and last <= end for start, end in self.storages):
            return
        inside = np.zeros(active.shape, bool)
        for start, end in self.storages:
            inside |= (active >= np.uint64(start)) & (active + np.uint64(size) <= np.uint64(end))
        if not inside.all():
            bad = int(active[~inside].flat[0])
            raise IndexError(f"address outside every argument: {self._nearest(bad)} (program {self.grid_idx})")

    def _nearest(self, address: int) -> str:
        """Where an address lies, against the argument that starts or ends next to it."""
        if not self.storages:
            return "the kernel has no tensor arguments"
        starts, ends = zip(*self.storages, strict=True)
        index = min(range(len(starts)), key=lambda i: min(abs(address - starts[i]), abs(address - ends[i])))
        size = ends[index] - starts[index]
        return f"byte {address - starts[index]} of tensor argument {index}, which has {size} bytes"

    def create_assert(self, condition: TensorHandle, message: str) -> None:
        """Upstream raises AssertionError, also where what is asserted is that an index lies inside."""
        if not condition.data.all():
            raise IndexError(f"{message} (program {self.grid_idx})")

    def create_masked_load(self, ptrs: Any, mask: Any, other: Any, *args: Any, **kwargs: Any) -> TensorHandle:
        """Upstream checks no address."""
        self._check(ptrs, mask)
        return super().create_masked_load(ptrs, mask, other, *args, **kwargs)

    def create_masked_store(self, ptrs: Any, value: Any, mask: Any, *args: Any, **kwargs: Any) -> None:
        """Upstream checks no address."""
        self._check(ptrs, mask)
        return super().create_masked_store(ptrs, value, mask, *args, **kwargs)

    def create_atomic_rmw(self, rmwOp: Any, ptr: Any, val: Any, mask: Any, sem: Any, scope: Any) -> TensorHandle:
        """Upstream checks no address and adds bfloat16 values as if they were integers."""
        self._check(ptr, mask)
        if val.dtype.scalar != tl.bfloat16 or rmwOp != ir.ATOMIC_OP.FADD:
            return super().create_atomic_rmw(rmwOp, ptr, val, mask, sem, scope)
        before = np.zeros(ptr.data.shape, np.uint16)
        for index in map(tuple, np.argwhere(mask.data)):
            address, active = ptr.data[index].reshape(1), np.ones(1, bool)
            old = native.load(address, active, np.zeros(1, np.uint16), np.dtype(np.uint16))
            total = numerics.from_bf16(old) + numerics.from_bf16(val.data[index].reshape(1))
            native.store(address, numerics.to_bf16(total), active)
            before[index] = old[0]
        return TensorHandle(before, tl.bfloat16)

    # Constants and casts.

    def get_bf16(self, value: float) -> TensorHandle:
        """Missing in Triton 3.6."""
        return narrow(np.array([value], np.float32), tl.bfloat16)

    def cast_impl(self, src: TensorHandle, dst_type: Any) -> TensorHandle:
        """Upstream truncates f32 -> bf16, takes bf16 bits for integers, and wraps out-of-range floats to integers."""
        source, target = src.dtype.scalar, dst_type.scalar
        values = wide(src)
        if source.is_floating() and target.is_int() and target != tl.int1:
            return TensorHandle(numerics.float_to_int(values, numpy_type(target)), target)
        if target == tl.bfloat16 and (source == tl.float64 or source.is_int()):
            return TensorHandle(numerics.to_bf16_once(values), target)
        return narrow(values, target)

    def create_fp_to_fp(self, src: TensorHandle, dst_type: Any, rounding_mode: Any) -> TensorHandle:
        """Upstream rounds ties away from zero, mishandles NaN, and wraps fp8 overflow."""
        source, target = src.dtype.scalar, dst_type.scalar
        nearest = rounding_mode in (None, ir.ROUNDING_MODE.RTNE)
        values = _decode_fp8(src) if source in FP8_TYPES else wide(src)
        if target in FP8_TYPES and nearest and not source.is_fp8():
            return TensorHandle(_encode_fp8(values, target), target)
        if target == tl.bfloat16 and source == tl.float32 and not nearest:
            return TensorHandle(numerics.truncate_to_bf16(values), target)
        if nearest and target.is_standard_floating() and (source in FP8_TYPES or source.is_standard_floating()):
            return narrow(values, target)
        return super().create_fp_to_fp(src, dst_type, rounding_mode)

    # Elementwise arithmetic.

    def binary_op(self, lhs: TensorHandle, rhs: TensorHandle, op: Callable[..., Array]) -> TensorHandle:
        """Upstream computes on bf16 bits, saturates i1 arithmetic (3.6), and types comparisons as their operands."""
        if op in COMPARISONS:
            return TensorHandle(op(wide(lhs), wide(rhs)), tl.int1)
        if lhs.data.dtype == np.bool_ and rhs.data.dtype == np.bool_:
            bit = op(lhs.data.astype(np.int8), rhs.data.astype(np.int8)) & 1
            return TensorHandle(bit.astype(np.bool_), lhs.dtype.scalar)
        return narrow(op(wide(lhs), wide(rhs)), lhs.dtype.scalar)

    def unary_op(self, arg: TensorHandle, op: Callable[[Array], Array]) -> TensorHandle:
        """Upstream computes on bf16 bits."""
        return narrow(op(wide(arg)), arg.dtype.scalar)

    def create_maximumf(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        """Upstream compares bf16 bits and leaves max(-0, +0) to the processor."""
        return self.binary_op(lhs, rhs, numerics.maximum)

    def create_minimumf(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        """Upstream compares bf16 bits and leaves min(-0, +0) to the processor."""
        return self.binary_op(lhs, rhs, numerics.minimum)

    def create_maxnumf(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        """Upstream propagates NaN (3.6)."""
        return self.binary_op(lhs, rhs, numerics.maximum_number)

    def create_minnumf(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        """Upstream propagates NaN (3.6)."""
        return self.binary_op(lhs, rhs, numerics.minimum_number)

    def create_clampf(self, arg: Any, lo: Any, hi: Any, propagate_nans: Any) -> TensorHandle:
        """Upstream propagates NaN in either mode (3.6) and clamps bf16 bits."""
        if propagate_nans == ir.PROPAGATE_NAN.NONE:
            return self.create_minnumf(self.create_maxnumf(arg, lo), hi)
        return self.create_minimumf(self.create_maximumf(arg, lo), hi)

    def create_umulhi(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        """Upstream sign-extends (3.6) and loops in Python over 64-bit elements."""
        operands = np.broadcast_arrays(lhs.data, rhs.data)
        return TensorHandle(numerics.multiply_high(*map(np.ascontiguousarray, operands)), lhs.dtype.scalar)

    def create_fma(self, x: TensorHandle, y: TensorHandle, z: TensorHandle) -> TensorHandle:
        """Upstream rounds twice (3.6) and computes on bf16 bits. In 3.6, f64 rounds through 80 bits."""
        target = z.dtype.scalar
        if target == tl.float64:
            operands = [np.ascontiguousarray(a) for a in np.broadcast_arrays(x.data, y.data, z.data)]
            if hasattr(native, "fma_fp64"):
                return TensorHandle(native.fma_fp64(*operands), target)
            a, b, c = (operand.astype(np.longdouble) for operand in operands)
            return narrow(a * b + c, target)
        exact = numerics.fma_exact(wide(x), wide(y), wide(z))
        return narrow(numerics.narrow_to_odd(exact) if target == tl.bfloat16 else exact, target)

    def create_rsqrt(self, arg: TensorHandle) -> TensorHandle:
        """Upstream rounds twice and reads bf16 bits."""
        return self.unary_op(arg, lambda x: 1.0 / np.sqrt(x.astype(np.float64)))

    def create_erf(self, arg: TensorHandle) -> TensorHandle:
        """Upstream calls `math.erf` once per element."""
        return self.unary_op(arg, lambda x: torch.erf(torch.from_numpy(np.array(x))).numpy())

    # Blocks.

    def create_dot(self, a: Any, b: Any, d: Any, input_precision: Any, max_num_imprecise_acc: Any) -> TensorHandle:
        """Upstream multiplies bf16 bits, and half precision without BLAS. TF32 is not modelled: f32 keeps 24 bits."""

        def operand(handle: TensorHandle) -> Array:
            if handle.dtype.scalar in FP8_TYPES:
                return _decode_fp8(handle)
            values = wide(handle)
            return values.astype(np.float32) if values.dtype == np.float16 else values

        accumulator = wide(d)
        compute = np.float32 if accumulator.dtype == np.float16 else accumulator.dtype
        product = np.matmul(operand(a), operand(b), dtype=compute)
        return narrow(product + accumulator, d.dtype.scalar)

    def create_histogram(self, data: TensorHandle, bins: int, mask: TensorHandle | None) -> TensorHandle:
        """Upstream counts a value equal to `bins` in the last bin (3.6)."""
        counted = (data.data >= 0) & (data.data < bins)
        if mask is not None:
            counted &= mask.data
        counts = np.bincount(data.data[counted].astype(np.int64), minlength=bins)
        return TensorHandle(counts.astype(np.int32), tl.int32)
