"""The op of `mlc_triton` for code that only the last-arriving program runs."""

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

from mlc_dialects.common.index_syntax import verify_address
from mlc_dialects.triton.types import PointerType, block_shape


@irdl_op_definition
class LastBlockOp(IRDLOperation):
    """Runs its body in the last of `count` programs that arrive at the counter pointer[index]: `if lib.is_last(...):`.

    The body sees all that those programs stored before. The counter is reset to 0.
    """

    name = "mlc_triton.last_block"
    pointer = operand_def(PointerType)
    indices = var_operand_def()
    index = prop_def(ArrayAttr[StringAttr])
    """The address, an index expression; d0, d1, ... are `indices`, which are scalars."""
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
            raise VerifyException(f"the counter is a pointer to i32, not {self.pointer.type}")
        if any(block_shape(i.type) for i in self.indices):
            raise VerifyException("a program arrives at one counter: the indices must be scalars")
        verify_address(self.index, self.indices)
