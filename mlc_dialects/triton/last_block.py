"""The op of `mlc_triton` for what the last program to get there does."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i32, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, NoTerminator
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.triton.types import PointerType, block_shape


@irdl_op_definition
class LastBlockOp(IRDLOperation):
    """Runs its body in the last of `count` programs that count at pointer[index], a scalar: `if lib.is_last(...):`.

    The body sees what all of them have stored before. The counter is 0 again when the kernel ends.
    """

    name = "mlc_triton.last_block"
    pointer = operand_def(PointerType)
    indices = var_operand_def()
    index = prop_def(ArrayAttr[StringAttr])
    """The place, an expression whose d0, d1, ... are `indices`."""
    count = prop_def(IntegerAttr)
    body = region_def("single_block")
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), NoTerminator())

    def __init__(self, pointer: SSAValue, indices: Sequence[SSAValue], index: ArrayAttr[StringAttr], count: int):
        super().__init__(
            operands=[pointer, list(indices)],
            properties={"index": index, "count": IntegerAttr(count, i64)},
            regions=[Region(Block())],
        )

    def verify_(self) -> None:
        assert isinstance(self.pointer.type, PointerType)
        if self.pointer.type.element != i32:
            raise VerifyException(f"counts through a pointer to i32, not {self.pointer.type}")
        if any(block_shape(i.type) for i in self.indices):
            raise VerifyException("a program counts once, at one place: the indices are scalars")
