"""The LLVM types of scalars, and constants of them."""

from __future__ import annotations

import struct

from llvmlite import ir
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    i1,
)
from xdsl.ir import Attribute

from mlc_dialects.common.types import is_byte_float
from mlc_support.errors import MlcError

I1, I8, I16, I32, I64 = (ir.IntType(width) for width in (1, 8, 16, 32, 64))
HALF, FLOAT, DOUBLE = ir.HalfType(), ir.FloatType(), ir.DoubleType()
POINTER, VOID = ir.PointerType(), ir.VoidType()
_FLOATS = {Float16Type: HALF, Float32Type: FLOAT, Float64Type: DOUBLE}


def llvm_type(element: Attribute) -> ir.Type:
    """The type of a scalar. bfloat16 and 8-bit floats are their bits: few CPUs have arithmetic for LLVM's own types."""
    if isinstance(element, BFloat16Type):
        return I16
    if is_byte_float(element):
        return I8
    if isinstance(element, IndexType):
        return I64
    if isinstance(element, IntegerType):
        return ir.IntType(element.width.data)
    for kind, found in _FLOATS.items():
        if isinstance(element, kind):
            return found
    raise MlcError(f"llvm: no type for scalars of {element}")


def memory_type(element: Attribute) -> ir.Type:
    """The type of an element in memory, where a boolean is a byte."""
    return I8 if element == i1 else llvm_type(element)


def is_bfloat(element: Attribute) -> bool:
    return isinstance(element, BFloat16Type)


def is_narrow(element: Attribute) -> bool:
    """True for floats of 16 bits, which are computed with as float32."""
    return is_bfloat(element) or isinstance(element, Float16Type)


def constant(value: FloatAttr | IntegerAttr, element: Attribute) -> ir.Constant:
    """A scalar constant."""
    if isinstance(value, IntegerAttr):
        width = llvm_type(element).width
        return ir.Constant(llvm_type(element), value.value.data & ((1 << width) - 1))
    number = float(value.value.data)
    if is_byte_float(element):
        return ir.Constant(I8, value.type.pack([number])[0])
    if is_bfloat(element):
        return ir.Constant(I16, struct.unpack("<I", struct.pack("<f", number))[0] >> 16)
    return ir.Constant(llvm_type(element), number)
