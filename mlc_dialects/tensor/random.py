"""The op of `mlc_tensor` that makes random numbers: a function of a seed and of each element's place."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, TensorType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.op_building import checked_shape
from mlc_dialects.common.philox import WORDS
from mlc_dialects.common.types import element_type

CHANCE_DIGITS = 24
"""Random bits that are compared with a probability: as many as a float32 in [0, 1) has digits."""


@irdl_op_definition
class RandomOp(IRDLOperation):
    """32 random bits an element: word `word` of Philox 4x32-10 of the key seeds[index] and the element's position.

        %bits = mlc_tensor.random %seeds[2] word 0 : tensor<3xi64> -> tensor<4x8xi32>

    The position is the row-major one, so the numbers do not depend on how a kernel walks them. The op is
    pure: equal seeds give equal numbers, and who needs them twice computes them twice. Distributions are
    formulas of the bits.
    """

    name = "mlc_tensor.random"
    seeds = operand_def(TensorType)
    index = prop_def(IntegerAttr.constr(i64))
    word = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$seeds `[` $index `]` `word` $word attr-dict `:` type($seeds) `->` type($result)"

    def __init__(self, seeds: SSAValue | Operation, index: int, word: int, type_: Attribute):
        super().__init__(
            operands=[SSAValue.get(seeds)],
            properties={"index": IntegerAttr(index, i64), "word": IntegerAttr(word, i64)},
            result_types=[type_],
        )

    def verify_(self) -> None:
        shape = checked_shape(self.seeds.type)
        if element_type(self.seeds.type) != i64 or len(shape) != 1:
            raise VerifyException(f"takes a vector of i64 seeds, not {self.seeds.type}")
        count = shape[0].constant
        if count is not None and not 0 <= self.index.value.data < count:
            raise VerifyException(f"names seed {self.index.value.data} of {count}")
        if not 0 <= self.word.value.data < WORDS:
            raise VerifyException(f"a place has {WORDS} words; there is no word {self.word.value.data}")
        if element_type(self.result.type) != i32:
            raise VerifyException(f"gives i32, not {self.result.type}: distributions are formulas of the bits")
        checked_shape(self.result.type)
