"""Tensor descriptors of `mlc_triton`: matrices in memory, of which the copy engine of a GPU (TMA) loads blocks."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, TensorType, i32, i64
from xdsl.ir import ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.types import storage
from mlc_dialects.triton.types import PointerType, block_element, block_shape


@irdl_attr_definition
class DescriptorType(ParametrizedAttribute, TypeAttribute):
    """A tensor descriptor of a matrix, of which blocks of this type are loaded."""

    name = "mlc_triton.descriptor_of"
    block: TensorType


@irdl_op_definition
class DescriptorOp(IRDLOperation):
    """Describes the matrix of `rows` x `columns` elements from pointer[`first`] on, each row `step` after the last.

    Elements of a row follow each other. If the pointer is a multiple of 16 bytes, all rows begin at such.
    """

    name = "mlc_triton.descriptor"
    pointer = operand_def(PointerType)
    first = prop_def(IntegerAttr.constr(i64))
    rows = prop_def(IntegerAttr.constr(i64))
    columns = prop_def(IntegerAttr.constr(i64))
    step = prop_def(IntegerAttr.constr(i64))
    result = result_def(DescriptorType)
    traits = traits_def(Pure())
    assembly_format = (
        "$pointer `at` $first `:` type($pointer) `,` $rows `by` $columns `step` $step attr-dict `->` type($result)"
    )

    def __init__(self, pointer: SSAValue, first: int, shape: tuple[int, int], step: int, block: TensorType):
        numbers = {"first": first, "rows": shape[0], "columns": shape[1], "step": step}
        super().__init__(
            operands=[pointer],
            properties={name: IntegerAttr(number, i64) for name, number in numbers.items()},
            result_types=[DescriptorType(block)],
        )

    def verify_(self) -> None:
        assert isinstance(self.pointer.type, PointerType) and isinstance(self.result.type, DescriptorType)
        block = self.result.type.block
        if len(block_shape(block)) != 2 or storage(self.pointer.type.element) != block_element(block):
            raise VerifyException(f"{self.pointer.type} has no blocks of {block}: give two sizes and its element type")
        if self.step.value.data < self.columns.value.data:
            raise VerifyException(f"rows of {self.columns.value.data} elements cannot be {self.step.value.data} apart")


@irdl_op_definition
class DescriptorLoadOp(IRDLOperation):
    """Loads the block whose first element is in this row and column of the matrix; 0 beyond the end of either."""

    name = "mlc_triton.descriptor_load"
    descriptor = operand_def(DescriptorType)
    row = operand_def(i32)
    column = operand_def(i32)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$descriptor `[` $row `,` $column `]` attr-dict `:` type($descriptor) `->` type($result)"

    def __init__(self, descriptor: SSAValue, row: SSAValue, column: SSAValue):
        assert isinstance(descriptor.type, DescriptorType)
        super().__init__(operands=[descriptor, row, column], result_types=[descriptor.type.block])

    @property
    def pointer(self) -> SSAValue:
        """What the descriptor is made of."""
        assert isinstance(self.descriptor.owner, DescriptorOp)
        return self.descriptor.owner.pointer

    def verify_(self) -> None:
        assert isinstance(self.descriptor.type, DescriptorType)
        if self.result.type != self.descriptor.type.block:
            raise VerifyException(f"{self.descriptor.type} has no blocks of {self.result.type}")
        if not isinstance(self.descriptor.owner, DescriptorOp):
            raise VerifyException("the descriptor is the result of a mlc_triton.descriptor of the kernel")
