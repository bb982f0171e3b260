"""The op of `mlc_loop` that combines an iteration's value with those of all earlier ones."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.loop.loops import LoopOp

SCAN_KINDS: dict[str, str] = {
    "add": "fi",
    "mul": "fi",
    "max": "fi",
    "min": "fi",
    "logaddexp": "f",
    "argmax": "fi",
    "argmin": "fi",
}
"""Kind of scan to the element kinds it takes."""


@irdl_op_definition
class ScanOp(IRDLOperation):
    """The combination of `input` in this iteration of the loop around and in all earlier ones, in their order.

    argmax and argmin give the iteration of the extreme so far. The kinds are those of `mlc_tensor.scan`.
    """

    name = "mlc_loop.scan"
    kind = prop_def(StringAttr)
    input = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$kind $input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, kind: str, input: SSAValue):
        super().__init__(
            operands=[input],
            properties={"kind": StringAttr(kind)},
            result_types=[i64 if kind.startswith("arg") else input.type],
        )

    def verify_(self) -> None:
        if self.kind.data not in SCAN_KINDS:
            raise VerifyException(f"{self.kind.data!r} is not a scan: one of {', '.join(SCAN_KINDS)}")
        if not isinstance(self.parent_op(), LoopOp):
            raise VerifyException("stands in a loop, whose iterations it combines")
        wanted = i64 if self.kind.data.startswith("arg") else self.input.type
        if self.result.type != wanted:
            raise VerifyException(f"result is {self.result.type} and must be {wanted}")
