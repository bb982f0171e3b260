"""Buffer types: builtin memrefs, whose sizes and strides may be expressions over named sizes.

A buffer of static row-major layout is a plain `memref<4x8xf32>`. Other strides stand in
`strided<...>`. Where a size or stride is not a number the memory space of the type, a dictionary,
spells them out: `memref<?x8xf32, strided<[?, 1]>, {sizes = ["N", "8"], strides = ["16", "1"]}>`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
)
from xdsl.ir import Attribute

from mlc_dialects.common.index_syntax import index_attribute, index_exprs
from mlc_dialects.common.types import Shape
from mlc_support.index_expr import IndexExpr, integer
from mlc_support.index_maps import row_major_strides


def buffer_type(
    shape: Sequence[IndexExpr], element: Attribute, strides: Sequence[IndexExpr] | None = None
) -> MemRefType[Any]:
    """The type of a buffer; `strides` in elements, row-major where None."""
    strides = row_major_strides(shape) if strides is None else tuple(strides)
    static = [DYNAMIC_INDEX if s.constant is None else s.constant for s in shape]
    contiguous = tuple(strides) == row_major_strides(shape)
    layout = NoneAttr() if contiguous else StridedLayoutAttr([s.constant for s in strides])
    named = any(s.constant is None for s in (*shape, *strides))
    names = {"sizes": index_attribute(shape), "strides": index_attribute(strides)}
    return MemRefType(element, static, layout, DictionaryAttr(names) if named else NoneAttr())


def buffer_shape(type_: Attribute) -> Shape:
    """The sizes of a buffer."""
    memref = _memref(type_)
    if (named := _named(memref, "sizes")) is not None:
        return named
    return tuple(integer(s) for s in memref.get_shape())


def buffer_strides(type_: Attribute) -> Shape:
    """The strides of a buffer, in elements."""
    memref = _memref(type_)
    if (named := _named(memref, "strides")) is not None:
        return named
    if isinstance(memref.layout, StridedLayoutAttr):
        strides = memref.layout.get_strides()
        return tuple(integer(s) for s in strides if s is not None)
    return row_major_strides(buffer_shape(memref))


def buffer_element(type_: Attribute) -> Attribute:
    return cast(Attribute, _memref(type_).element_type)


def buffer_offset(type_: Attribute, index: Sequence[IndexExpr]) -> IndexExpr:
    """How many elements after the start of a buffer the element at `index` lies."""
    return _offset(tuple(index), buffer_strides(type_))


@lru_cache(maxsize=4096)
def _offset(index: Shape, strides: Shape) -> IndexExpr:
    total = integer(0)
    for position, stride in zip(index, strides, strict=True):
        total = total + position * stride
    return total


def _named(memref: MemRefType[Any], key: str) -> Shape | None:
    if not isinstance(memref.memory_space, DictionaryAttr):
        return None
    names = memref.memory_space.data.get(key)
    return index_exprs(cast(ArrayAttr[StringAttr], names)) if names is not None else None


def _memref(type_: Attribute) -> MemRefType[Any]:
    if not isinstance(type_, MemRefType):
        raise ValueError(f"expected a memref, found {type_}")
    return type_
