"""Rules for tensors made from numbers, and for products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from lowering.fx_to_tensor.call import Call, NotNative, Operand, rule, wide
from mlc_dialects.common.types import element_type, is_bool, is_float, is_half, shape_of, tensor_type
from mlc_dialects.tensor.ops import IotaOp, MatmulOp
from mlc_dialects.tensor.random import RandomOp
from mlc_support.index_expr import IndexExpr, integer


@rule(
    "zeros.default", "zeros_like.default", "new_zeros.default", "zero.default",
    "empty.memory_format", "empty_like.default", "empty_strided.default", "empty_permuted.default",
    "new_empty.default", "new_empty_strided.default", "_efficientzerotensor.default",
)  # fmt: skip
def _zeros(call: Call, *arguments: Any) -> SSAValue:
    """Uninitialised memory is read as zeros too."""
    return call.full(0, call.shape, call.element)


@rule("ones.default", "ones_like.default", "new_ones.default")
def _ones(call: Call, *arguments: Any) -> SSAValue:
    return call.full(1, call.shape, call.element)


@rule("full.default", "full_like.default", "fill.Scalar", "fill.Tensor", "new_full.default")
def _full(call: Call, like: Any, value: Any, *arguments: Any) -> SSAValue:
    """new_full has a size between the tensor and the value."""
    chosen: Operand = arguments[0] if isinstance(value, Sequence) else value
    return call.operand(chosen, call.element, call.shape)


@rule("scalar_tensor.default")
def _scalar_tensor(call: Call, value: Operand, *arguments: Any) -> SSAValue:
    return call.operand(value, call.element, ())


@rule("mlc.random_bits.default")
def _random_bits(call: Call, seeds: SSAValue, index: int, size: Any, word: int) -> SSAValue:
    return call.op(RandomOp(seeds, index, word, tensor_type(call.shape, i32)))


@rule("prims.iota.default")
def _iota(call: Call, length: Any, start: Any, step: Any, *arguments: Any) -> SSAValue:
    """start + step * i, in i64 where the type is narrower."""
    if is_bool(call.element):
        raise NotNative("booleans do not count")
    compute = call.element if is_float(call.element) else i64
    index = call.op(IotaOp(0, tensor_type(call.shape, compute)))
    if _is_not(step, 1):
        index = call.apply("mul", index, step, element=compute)
    if _is_not(start, 0):
        index = call.apply("add", index, start, element=compute)
    return call.cast(index, call.element)


def _is_not(value: Any, number: int) -> bool:
    return (value.constant if isinstance(value, IndexExpr) else value) != number


def _product(call: Call, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    if not is_float(element_type(lhs.type)) or element_type(lhs.type) != element_type(rhs.type):
        raise NotNative("only floats of one type have a matrix product")
    left, right = shape_of(lhs.type), shape_of(rhs.type)
    if left[-1] != right[-2] or left[:-2] != right[:-2]:
        raise NotNative("the sizes do not show that the inner or batch dimensions agree")
    return call.op(MatmulOp(lhs, rhs))


@rule("mm.default", "bmm.default")
def _matmul(call: Call, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    return _product(call, lhs, rhs)


@rule("addmm.default", "baddbmm.default")
def _addmm(call: Call, bias: SSAValue, lhs: SSAValue, rhs: SSAValue, beta: Any = 1, alpha: Any = 1) -> SSAValue:
    """beta * bias + alpha * (lhs @ rhs); beta == 0 ignores the bias, NaN included.

    The library adds the bias to the product's accumulator and rounds once. A product that is a
    tensor of halves has been rounded before, so that halves are left to the library.
    """
    element = wide(call.element)
    if is_half(call.element) and (alpha != 1 or beta != 0):
        raise NotNative("the product of halves would be rounded before the bias is added")
    result = _product(call, lhs, rhs)
    if alpha != 1:
        result = call.apply("mul", result, alpha, element=element)
    if beta == 0:
        return call.cast(result, call.element)
    addend = bias if beta == 1 else call.apply("mul", bias, beta, element=element)
    plain = alpha == 1 and beta == 1
    total = call.apply("add", result, addend, element=call.element if plain else element)
    return call.cast(total, call.element)


@rule("mv.default")
def _mv(call: Call, matrix: SSAValue, vector: SSAValue) -> SSAValue:
    column = call.reshape(vector, [*shape_of(vector.type), integer(1)])
    return call.reshape(_product(call, matrix, column), call.shape)


@rule("dot.default")
def _dot(call: Call, x: SSAValue, y: SSAValue) -> SSAValue:
    row = call.reshape(x, [integer(1), *shape_of(x.type)])
    column = call.reshape(y, [*shape_of(y.type), integer(1)])
    return call.reshape(_product(call, row, column), ())
