"""The op of `mlc_loop` that generates random bits."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure


@irdl_op_definition
class RandomOp(IRDLOperation):
    """Word `word` of Philox 4x32-10 with key `seed` and counter `position` (Salmon et al., SC 2011)."""

    name = "mlc_loop.random"
    seed = operand_def(i64)
    position = operand_def(i64)
    word = prop_def(IntegerAttr.constr(i64))
    result = result_def(i32)
    traits = traits_def(Pure())
    assembly_format = "$seed `,` $position `word` $word attr-dict"

    def __init__(self, seed: SSAValue, position: SSAValue, word: int):
        super().__init__(operands=[seed, position], properties={"word": IntegerAttr(word, i64)}, result_types=[i32])
