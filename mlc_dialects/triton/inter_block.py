"""Inter-block flags of `mlc_triton`: running programs of one launch pass each other values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.index_syntax import verify_address
from mlc_dialects.loop.inter_block import can_signal
from mlc_dialects.triton.types import PointerType, block_element, block_shape, block_type


@irdl_op_definition
class EpochOp(IRDLOperation):
    """What marks the flags of this launch of so many programs, and of no other: `epoch = lib.epoch(flags, 8192)`.

    Word 0 of `pointer` counts the programs that were done (`mlc_triton.done`) in this launch and all before it.
    """

    name = "mlc_triton.epoch"
    pointer = operand_def(PointerType)
    programs = prop_def(IntegerAttr.constr(i64))
    epoch = result_def(i64)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$pointer `of` $programs attr-dict `:` type($pointer)"

    def __init__(self, pointer: SSAValue, programs: int):
        super().__init__(operands=[pointer], properties={"programs": IntegerAttr(programs, i64)}, result_types=[i64])

    def verify_(self) -> None:
        _verify_words(self.pointer)


@irdl_op_definition
class DoneOp(IRDLOperation):
    """Counts this program in word 0 of `pointer`, behind all that needs the epoch of its launch: `lib.done(flags)`."""

    name = "mlc_triton.done"
    pointer = operand_def(PointerType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$pointer attr-dict `:` type($pointer)"

    def __init__(self, pointer: SSAValue):
        super().__init__(operands=[pointer])

    def verify_(self) -> None:
        _verify_words(self.pointer)


@irdl_op_definition
class SignalOp(IRDLOperation):
    """Writes a value and the epoch into the flag pointer[index], unless the condition is false: `lib.publish(...)`.

    A value is a scalar, or each element of a block whose index is a block too. One of 64 bits takes the next word too.
    """

    name = "mlc_triton.signal"
    pointer = operand_def(PointerType)
    indices = var_operand_def()
    value = operand_def()
    epoch = operand_def(i64)
    condition = opt_operand_def()
    index = prop_def(ArrayAttr[StringAttr])
    """The address, an index expression; d0, d1, ... are `indices`."""
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$pointer $index `(` $indices `)` `=` $value `epoch` $epoch (`if` $condition^ `:` type($condition))? attr-dict"
        " `:` type($pointer) `,` type($value) `,` type($indices)"
    )

    def __init__(
        self,
        pointer: SSAValue,
        indices: Sequence[SSAValue],
        index: ArrayAttr[StringAttr],
        value: SSAValue,
        epoch: SSAValue,
        condition: SSAValue | None = None,
    ):
        super().__init__(operands=[pointer, list(indices), value, epoch, condition], properties={"index": index})

    def verify_(self) -> None:
        _verify_words(self.pointer)
        shape = block_shape(self.value.type)
        if not can_signal(block_element(self.value.type)):
            raise VerifyException(f"signals values of 32 or 64 bits, not {block_element(self.value.type)}")
        if any(block_shape(i.type) not in ((), shape) for i in self.indices):
            raise VerifyException("each index is a scalar, or a block of the shape of the value")
        if self.condition is not None and self.condition.type != block_type(shape, i1):
            raise VerifyException("the condition is of i1, of the shape of the value")
        verify_address(self.index, self.indices)


@irdl_op_definition
class WaitOp(IRDLOperation):
    """The values of the flags pointer[index], as soon as all of them have this epoch: `lib.awaited(...)`.

    Where the mask is false, no flag is read. The op counts as pure, because each flag is written once a launch: two
    waits for the same flags return the same values.
    """

    name = "mlc_triton.wait"
    pointer = operand_def(PointerType)
    indices = var_operand_def()
    mask = operand_def()
    epoch = operand_def(i64)
    index = prop_def(ArrayAttr[StringAttr])
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = (
        "$pointer $index `(` $indices `)` `mask` $mask `epoch` $epoch attr-dict `:` type($pointer) `,` type($mask) `,`"
        " type($indices) `->` type($result)"
    )

    def __init__(
        self,
        pointer: SSAValue,
        indices: Sequence[SSAValue],
        index: ArrayAttr[StringAttr],
        mask: SSAValue,
        epoch: SSAValue,
        type_: Attribute,
    ):
        super().__init__(
            operands=[pointer, list(indices), mask, epoch], properties={"index": index}, result_types=[type_]
        )

    def verify_(self) -> None:
        _verify_words(self.pointer)
        if not can_signal(block_element(self.result.type)) or block_shape(self.mask.type) != block_shape(
            self.result.type
        ):
            raise VerifyException("the result is a block of values of 32 or 64 bits, of the shape of the mask")
        verify_address(self.index, self.indices)


def _verify_words(pointer: SSAValue) -> None:
    assert isinstance(pointer.type, PointerType)
    if pointer.type.element != i64:
        raise VerifyException(f"flags are words of i64, not {pointer.type}")
