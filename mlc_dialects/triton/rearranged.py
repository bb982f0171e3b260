"""Ops of `mlc_triton` that give the elements of blocks other places, or other lanes."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.triton.types import block_element, block_shape, block_type


def repeated_type(type_: Attribute, axis: int, count: int) -> TensorType[Attribute]:
    """The type of a block with so many times the elements along one dimension."""
    shape = list(block_shape(type_))
    shape[axis] *= count
    return TensorType(block_element(type_), shape)


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """A block of two dimensions with rows and columns exchanged."""

    name = "mlc_triton.transpose"
    input = operand_def()
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue):
        type_ = block_type(block_shape(input.type)[::-1], block_element(input.type))
        super().__init__(operands=[input], result_types=[type_])

    def verify_(self) -> None:
        source, target = block_shape(self.input.type), block_shape(self.result.type)
        alike = block_element(self.input.type) == block_element(self.result.type)
        if not alike or len(source) != 2 or target != source[::-1]:
            raise VerifyException(f"{self.result.type} is not the transpose of {self.input.type}")


@irdl_op_definition
class ByColumnOp(IRDLOperation):
    """The same block in another layout: lanes of one warp have all rows of a column."""

    name = "mlc_triton.by_column"
    T: ClassVar = VarConstraint("T", base(TensorType[Attribute]))
    input = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($result)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[input.type])

    def verify_(self) -> None:
        if len(block_shape(self.input.type)) != 2:
            raise VerifyException(f"{self.input.type} has no rows and columns")


@irdl_op_definition
class HalvesOp(IRDLOperation):
    """The left and the right half of a block of two dimensions."""

    name = "mlc_triton.halves"
    input = operand_def()
    left = result_def(TensorType)
    right = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($left) `,` type($right)"

    def __init__(self, input: SSAValue):
        rows, columns = block_shape(input.type)
        half = block_type((rows, columns // 2), block_element(input.type))
        super().__init__(operands=[input], result_types=[half, half])

    def verify_(self) -> None:
        source, element = block_shape(self.input.type), block_element(self.input.type)
        halved = len(source) == 2 and block_type((source[0], source[1] // 2), element)
        if not halved or source[1] % 2 or {self.left.type, self.right.type} != {halved}:
            raise VerifyException(f"{self.left.type} and {self.right.type} are not the halves of {self.input.type}")


@irdl_op_definition
class RepeatOp(IRDLOperation):
    """Each element of a block several times in a row along one dimension: `repeat %x axis 1 : 8x64 -> 8x128`."""

    name = "mlc_triton.repeat"
    axis = prop_def(IntegerAttr)
    input = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$input `axis` $axis attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, axis: int, count: int):
        properties = {"axis": IntegerAttr(axis, i64)}
        super().__init__(operands=[input], properties=properties, result_types=[repeated_type(input.type, axis, count)])

    @property
    def dimension(self) -> int:
        """The dimension along which elements are repeated."""
        return self.axis.value.data

    @property
    def count(self) -> int:
        """How often each element stands in the result."""
        return block_shape(self.result.type)[self.dimension] // block_shape(self.input.type)[self.dimension]

    def verify_(self) -> None:
        known = 0 <= self.dimension < len(block_shape(self.input.type)) == len(block_shape(self.result.type))
        if not known or self.result.type != repeated_type(self.input.type, self.dimension, self.count):
            raise VerifyException(
                f"{self.result.type} does not repeat elements of {self.input.type} along axis {self.dimension}"
            )


@irdl_op_definition
class InterleaveOp(IRDLOperation):
    """The elements of two blocks in turns along one dimension: one of `first`, one of `second`, and so on."""

    name = "mlc_triton.interleave"
    T: ClassVar = VarConstraint("T", base(TensorType[Attribute]))
    axis = prop_def(IntegerAttr)
    first = operand_def(T)
    second = operand_def(T)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$first `,` $second `axis` $axis attr-dict `:` type($first) `->` type($result)"

    def __init__(self, first: SSAValue, second: SSAValue, axis: int):
        properties = {"axis": IntegerAttr(axis, i64)}
        result = repeated_type(first.type, axis, 2)
        super().__init__(operands=[first, second], properties=properties, result_types=[result])

    def verify_(self) -> None:
        axis = self.axis.value.data
        known = 0 <= axis < len(block_shape(self.first.type)) and self.first.type == self.second.type
        if not known or self.result.type != repeated_type(self.first.type, axis, 2):
            raise VerifyException(f"{self.result.type} does not interleave two of {self.first.type} along axis {axis}")
