"""Element types and sizes: what a tensor's type says, beside builtin `tensor<...>`.

A dynamic dimension has a name. The names stand in the encoding of the tensor type, one
entry a dimension, and may be expressions: `tensor<?x1024xf32, ["N", "1024"]>`,
`tensor<?xf32, ["N * 4"]>`. Two dimensions are equal when their expressions are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    BFloat16Type,
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    NoneAttr,
    Signedness,
    StringAttr,
    TensorType,
    bf16,
    f8E4M3FN,
    f8E5M2,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute

from mlc_dialects.common.byte_floats import BYTE_FLOATS
from mlc_support.index_expr import IndexExpr, integer
from mlc_support.index_parse import parse

ui8 = IntegerType(8, Signedness.UNSIGNED)

ElementType = Attribute
Shape = tuple[IndexExpr, ...]


@dataclass(frozen=True)
class DType:
    """What every level needs to know of an element type."""

    type: Attribute
    name: str
    torch_name: str
    triton_name: str
    numpy: np.dtype[np.generic] | None
    """None for floats that numpy lacks: the oracle keeps them in float32 and rounds."""
    bytes: int


DTYPES = (
    DType(i1, "i1", "bool", "int1", np.dtype(np.bool_), 1),
    DType(ui8, "ui8", "uint8", "uint8", np.dtype(np.uint8), 1),
    DType(i8, "i8", "int8", "int8", np.dtype(np.int8), 1),
    DType(i16, "i16", "int16", "int16", np.dtype(np.int16), 2),
    DType(i32, "i32", "int32", "int32", np.dtype(np.int32), 4),
    DType(i64, "i64", "int64", "int64", np.dtype(np.int64), 8),
    # Kernels hold 8-bit floats as bytes: no device has more for them than casts, and older ones do not know the types.
    DType(f8E4M3FN, "f8E4M3FN", "float8_e4m3fn", "int8", None, 1),
    DType(f8E5M2, "f8E5M2", "float8_e5m2", "int8", None, 1),
    DType(f16, "f16", "float16", "float16", np.dtype(np.float16), 2),
    DType(bf16, "bf16", "bfloat16", "bfloat16", None, 2),
    DType(f32, "f32", "float32", "float32", np.dtype(np.float32), 4),
    DType(f64, "f64", "float64", "float64", np.dtype(np.float64), 8),
)
"""The element types that mlc computes with. Others (complex, other 8-bit floats) only pass through extern calls."""

BY_TYPE = {d.type: d for d in DTYPES}
BY_NAME = {d.name: d for d in DTYPES}


def is_native(element: Attribute) -> bool:
    """True if kernels can load, store and compute `element`."""
    return element in BY_TYPE


# Asked at every op by every rule: a look-up of the class, since isinstance walks xDSL's abstract bases.
_HALVES = frozenset({Float16Type, BFloat16Type})
_BYTES = frozenset(map(type, BYTE_FLOATS))
_FLOATS = _HALVES | _BYTES | {Float32Type, Float64Type}


def is_float(element: Attribute) -> bool:
    return type(element) in _FLOATS


def is_half(element: Attribute) -> bool:
    """True for the 16-bit floats, whose arithmetic is done in float32 and rounded once."""
    return type(element) in _HALVES


def is_byte_float(element: Attribute) -> bool:
    """True for the 8-bit floats, which are moved, chosen and cast, and never computed with."""
    return type(element) in _BYTES


def is_bool(element: Attribute) -> bool:
    return element == i1


def is_signed(element: Attribute) -> bool:
    return isinstance(element, IntegerType) and element.signedness.data != Signedness.UNSIGNED


def kind_of(element: Attribute) -> str:
    """What ops ask of an element type: "b" booleans, "i" integers, "f" floats to compute with, "8" 8-bit floats."""
    return "b" if is_bool(element) else "8" if is_byte_float(element) else "f" if is_float(element) else "i"


def as_bits(element: Attribute) -> Attribute:
    """The type that kernels are given pointers to: bytes for 8-bit floats."""
    return i8 if is_byte_float(element) else element


@lru_cache
def storage(element: Attribute) -> Attribute:
    """The signless type that scalars of `element` have in kernels."""
    return IntegerType(element.width.data) if isinstance(element, IntegerType) else element


def byte_size(element: Attribute) -> int:
    """Bytes one element takes in memory."""
    if element in BY_TYPE:
        return BY_TYPE[element].bytes
    if isinstance(element, ComplexType):
        return 2 * byte_size(element.element_type)
    if isinstance(element, IntegerType):
        return -(-element.width.data // 8)
    if isinstance(element, AnyFloat):
        return -(-element.bitwidth // 8)
    raise ValueError(f"no size is known for {element}")


def tensor_type(shape: Sequence[IndexExpr | int], element: Attribute) -> TensorType[Attribute]:
    """The tensor type of `shape`, whose sizes may be expressions over named dimensions."""
    return _tensor_type(tuple(shape), element)


@lru_cache(maxsize=4096)  # a program has few types and many values, and to make a type takes longer than to make an op
def _tensor_type(shape: tuple[IndexExpr | int, ...], element: Attribute) -> TensorType[Attribute]:
    sizes = [integer(s) if isinstance(s, int) else s for s in shape]
    return TensorType(element, [_static(s) for s in sizes], size_names(sizes))


def size_names(sizes: Sequence[IndexExpr]) -> ArrayAttr[StringAttr] | NoneAttr:
    """The encoding that names dynamic sizes; NoneAttr when every size is a number."""
    if all(s.constant is not None for s in sizes):
        return NoneAttr()
    return ArrayAttr([StringAttr(str(s)) for s in sizes])


@lru_cache(maxsize=4096)
def shape_of(type_: Attribute) -> Shape:
    """The sizes of a tensor type. ValueError if a dynamic dimension has no name."""
    if not isinstance(type_, TensorType):
        raise ValueError(f"expected a tensor type, found {type_}")
    static = type_.get_shape()
    if not isinstance(type_.encoding, ArrayAttr):
        if DYNAMIC_INDEX in static:
            named = TensorType(type_.element_type, static, _example_names(static))
            raise ValueError(f"a dynamic dimension of {type_} has no name: write {named}")
        return tuple(integer(s) for s in static)
    names = [parse(n.data) if isinstance(n, StringAttr) else None for n in type_.encoding.data]
    if len(names) != len(static):
        raise ValueError(f"{type_} names {len(names)} sizes and has {len(static)} dimensions")
    sizes: list[IndexExpr] = []
    for size, name, entry in zip(static, names, type_.encoding.data, strict=True):
        if name is None or (name.constant if name.constant is not None else DYNAMIC_INDEX) != size:
            raise ValueError(f"the named sizes of {type_} disagree with its dimensions")
        if isinstance(entry, StringAttr) and entry.data != str(name):
            raise ValueError(f"types are compared as text: spell the size {entry.data!r} of {type_} {str(name)!r}")
        sizes.append(name)
    return tuple(sizes)


def _example_names(static: Sequence[int]) -> ArrayAttr[StringAttr]:
    """Names of the sizes of a type that has none: N is the dynamic one, or N0 and N2 those of dimensions 0 and 2."""
    several = list(static).count(DYNAMIC_INDEX) > 1
    names = (str(size) if size != DYNAMIC_INDEX else f"N{k}" if several else "N" for k, size in enumerate(static))
    return ArrayAttr([StringAttr(name) for name in names])


def element_type(type_: Attribute) -> Attribute:
    """The element type of a tensor type."""
    if not isinstance(type_, TensorType):
        raise ValueError(f"expected a tensor type, found {type_}")
    return type_.element_type


def with_shape(type_: Attribute, shape: Sequence[IndexExpr | int]) -> TensorType[Attribute]:
    """`type_` with another shape."""
    return tensor_type(shape, element_type(type_))


@lru_cache(maxsize=4096)
def with_element(type_: Attribute, element: Attribute) -> TensorType[Attribute]:
    """`type_` with another element type."""
    assert isinstance(type_, TensorType)
    return TensorType(element, type_.shape, type_.encoding)


def _static(size: IndexExpr) -> int:
    constant = size.constant
    return DYNAMIC_INDEX if constant is None else constant
