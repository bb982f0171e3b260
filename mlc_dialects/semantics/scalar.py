"""The meaning of scalar ops of `arith`, `math` and `mlc_loop`, on numpy arrays of independent scalars.

    result = evaluate_scalar(op, operands)

An op that is the scalar form of an entry of the elementwise table means that entry's reference
function; the few others (casts, comparisons, what only compositions use) have a line each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, i1, i64
from xdsl.ir import Attribute, Operation

from mlc_dialects.common.libdevice import LibdeviceOp
from mlc_dialects.common.philox import random_bits
from mlc_dialects.common.scalar_builder import ByKind, Libdevice
from mlc_dialects.common.types import is_byte_float
from mlc_dialects.loop.random import RandomOp
from mlc_dialects.semantics import byte_floats
from mlc_dialects.semantics.numerics import Array, Value, array_dtype, scalar_value, value_of, widened
from mlc_dialects.tensor.elementwise import OPS

Rule = Callable[[Operation, Sequence[Array]], Array]

_RELATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


def evaluate_scalar(op: Operation, operands: Sequence[Value]) -> Value:
    """`op` on each element of `operands`, which broadcast; NotImplementedError for an op without a meaning here."""
    if isinstance(op, arith.ConstantOp):
        return scalar_value(cast(FloatAttr | IntegerAttr, op.value), scalar_type(op.result.type))
    rule = SCALAR_RULES.get(type(op))
    if rule is None:
        raise NotImplementedError(op.name)
    # Vector code of numpy rounds elementary functions by the layout of their input: always the same one.
    arrays = [np.ascontiguousarray(widened(v)) if v.array.ndim else widened(v) for v in operands]
    with np.errstate(all="ignore"):
        return value_of(rule(op, arrays), scalar_type(op.results[0].type))


def scalar_type(type_: Attribute) -> Attribute:
    """The type that counts: an index is a 64-bit integer."""
    return i64 if isinstance(type_, IndexType) else type_


def _function(function: Callable[..., Array]) -> Rule:
    return lambda op, arrays: function(*arrays)


def _unsigned(array: Array) -> Array:
    """The bits of integers, read without a sign."""
    return array if array.dtype.kind in "bu" else array.view(f"u{array.dtype.itemsize}")


def _compare_integers(op: Any, arrays: Sequence[Array]) -> Array:
    predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    if predicate in ("eq", "ne"):
        return _RELATIONS[predicate](*arrays)
    if predicate[0] == "u":
        arrays = [_unsigned(a) for a in arrays]
    return _RELATIONS[predicate[1:]](*arrays)


def _compare_floats(op: Any, arrays: Sequence[Array]) -> Array:
    """An ordered predicate is false and an unordered one true where an operand is NaN."""
    predicate = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    nan = np.isnan(arrays[0]) | np.isnan(arrays[1])
    if predicate in ("ord", "uno"):
        return nan if predicate == "uno" else ~nan
    if predicate in ("true", "false"):
        return np.full_like(nan, predicate == "true")
    return np.where(nan, predicate[0] == "u", _RELATIONS[predicate[1:]](*arrays))


def _bitcast(op: Any, arrays: Sequence[Array]) -> Array:
    """The same bits in another type."""
    source, target = op.input.type, op.result.type
    bits = byte_floats.encoded(arrays[0], source) if is_byte_float(source) else arrays[0].astype(array_dtype(source))
    return byte_floats.decoded(bits, target) if is_byte_float(target) else bits.view(array_dtype(target))


def _sign_extended(op: Operation, arrays: Sequence[Array]) -> Array:
    """A boolean's only bit is its sign."""
    return -arrays[0].astype(np.int64) if arrays[0].dtype.kind == "b" else arrays[0]


def _truncated(op: Operation, arrays: Sequence[Array]) -> Array:
    """The low bits; to i1 the lowest."""
    return arrays[0] & 1 if scalar_type(op.results[0].type) == i1 else arrays[0]


def _table_rules() -> dict[type[Operation], Rule]:
    """The ops that are an entry of the elementwise table."""
    rules: dict[type[Operation], Rule] = {}
    for entry in OPS:
        if isinstance(entry.FUNCTION.scalar, ByKind):
            rules |= dict.fromkeys(entry.FUNCTION.scalar.ops(), _function(entry.FUNCTION.reference))
    return rules


_LIBDEVICE = {"fmod": np.fmod} | {
    e.FUNCTION.scalar.name: e.FUNCTION.reference for e in OPS if isinstance(e.FUNCTION.scalar, Libdevice)
}

SCALAR_RULES: dict[type[Operation], Rule] = _table_rules() | {
    arith.NegfOp: _function(np.negative),
    arith.RemSIOp: _function(np.fmod),
    arith.ShLIOp: _function(np.left_shift),
    arith.ShRSIOp: _function(np.right_shift),
    arith.MaxnumfOp: _function(np.fmax),
    arith.MinnumfOp: _function(np.fmin),
    arith.SelectOp: _function(np.where),
    arith.CmpiOp: _compare_integers,
    arith.CmpfOp: _compare_floats,
    arith.BitcastOp: _bitcast,
    arith.ExtFOp: _function(np.asarray),
    arith.TruncFOp: _function(np.asarray),
    arith.SIToFPOp: _sign_extended,
    arith.UIToFPOp: _function(_unsigned),
    arith.FPToSIOp: _function(np.asarray),
    arith.TruncIOp: _truncated,
    arith.ExtSIOp: _sign_extended,
    arith.ExtUIOp: _function(_unsigned),
    arith.IndexCastOp: _function(np.asarray),
    LibdeviceOp: lambda op, arrays: _LIBDEVICE[cast(LibdeviceOp, op).function.data](*arrays),
    # The product of two float32 is exact in float64; of float64 the last bit is off.
    math.FmaOp: _function(lambda x, y, z: x.astype(np.float64) * y + z),
    RandomOp: lambda op, arrays: random_bits(arrays[0], arrays[1], cast(RandomOp, op).word.value.data),
}
"""What each scalar op gives for arrays; the result is rounded or wrapped to its type afterwards."""
