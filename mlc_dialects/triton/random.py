"""The op of `mlc_triton` that generates random bits."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mlc_dialects.triton.types import block_shape, block_type


@irdl_op_definition
class RandomOp(IRDLOperation):
    """Word `word` of Philox 4x32-10 with key `seed` and each lane's counter (Salmon et al., SC 2011)."""

    name = "mlc_triton.random"
    seed = operand_def()
    position = operand_def()
    word = prop_def(IntegerAttr.constr(i64))
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = (
        "$seed `,` $position `word` $word attr-dict `:` type($seed) `,` type($position) `->` type($result)"
    )

    def __init__(self, seed: SSAValue, position: SSAValue, word: int):
        super().__init__(
            operands=[seed, position],
            properties={"word": IntegerAttr(word, i64)},
            result_types=[block_type(block_shape(position.type), i32)],
        )
