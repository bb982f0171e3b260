"""Ops of `mlc_triton` by which programs tell each other values while they run."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i1, i32, i64
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

from mlc_dialects.loop.inter_block import can_signal
from mlc_dialects.triton.types import PointerType, block_element, block_shape


@irdl_op_definition
class BlockIdOp(IRDLOperation):
    """How many of `programs` have started before this one, and the launch's mark: `q, epoch = lib.ticket(flags, 8192)`.

    The first word that `pointer` points to counts them.
    """

    name = "mlc_triton.block_id"
    pointer = operand_def(PointerType)
    programs = prop_def(IntegerAttr.constr(i64))
    number = result_def(i32)
    epoch = result_def(i64)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$pointer `of` $programs attr-dict `:` type($pointer)"

    def __init__(self, pointer: SSAValue, programs: int):
        super().__init__(
            operands=[pointer], properties={"programs": IntegerAttr(programs, i64)}, result_types=[i32, i64]
        )

    def verify_(self) -> None:
        _verify_words(self.pointer)


@irdl_op_definition
class SignalOp(IRDLOperation):
    """Tells a scalar to programs that await it, if the condition is true or there is none.

    In the word pointer[index], and the next if the scalar has 64 bits.
    """

    name = "mlc_triton.signal"
    pointer = operand_def(PointerType)
    indices = var_operand_def()
    value = operand_def()
    epoch = operand_def(i64)
    condition = opt_operand_def(i1)
    index = prop_def(ArrayAttr[StringAttr])
    """The place, an expression whose d0, d1, ... are `indices`."""
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$pointer $index `(` $indices `)` `=` $value `mark` $mark (`if` $condition^)? attr-dict `:` type($pointer) `,`"
        " type($value) `,` type($indices)"
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
        if not can_signal(self.value.type) or any(block_shape(i.type) for i in self.indices):
            raise VerifyException("tells one scalar of 32 or 64 bits, at one place")


@irdl_op_definition
class WaitOp(IRDLOperation):
    """The values that programs of this launch publish in the words pointer[index], where the mask is true.

    Pure, since a word is told once a launch: two that await the same words give the same.
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
        "$pointer $index `(` $indices `)` `mask` $mask `mark` $mark attr-dict `:` type($pointer) `,` type($mask) `,`"
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
            raise VerifyException("gives a block of values of 32 or 64 bits, as large as its mask")


def _verify_words(pointer: SSAValue) -> None:
    assert isinstance(pointer.type, PointerType)
    if pointer.type.element != i64:
        raise VerifyException(f"programs tell each other words of i64, not through {pointer.type}")
