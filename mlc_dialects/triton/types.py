"""The types of `mlc_triton`: pointers, and blocks as builtin tensors."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    TensorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import (
    irdl_attr_definition,
)

LANES = 32
"""Lanes (threads) of a warp."""
REGISTERS, REGISTERS_A_LANE = 1 << 16, 255
"""32-bit registers of a multiprocessor, and the most that one lane may have (CUDA, since compute capability 5.0)."""


def registers_a_lane(warps: int, programs: int = 1) -> int:
    """The registers that each lane may have where a multiprocessor runs so many programs, of so many warps, at once.

    A multiple of 8, as the hardware gives them.
    """
    return min(REGISTERS_A_LANE, REGISTERS // (LANES * warps * programs)) // 8 * 8


@irdl_attr_definition
class PointerType(ParametrizedAttribute, TypeAttribute):
    """A pointer to elements in device memory."""

    name = "mlc_triton.ptr"
    element: Attribute


def block_type(shape: Sequence[int], element: Attribute) -> Attribute:
    """The type of a block of `shape`; the scalar type for no dimensions."""
    return TensorType(element, list(shape)) if shape else element


def block_shape(type_: Attribute) -> tuple[int, ...]:
    """The sizes of a block; () for a scalar."""
    return tuple(type_.get_shape()) if isinstance(type_, TensorType) else ()


def block_element(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, TensorType) else type_
