"""The op of `mlc_loop` for scans (inclusive prefixes) along a loop."""

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
"""Scan kinds, each with the element kinds it takes: f for floats, i for integers."""


@irdl_op_definition
class ScanOp(IRDLOperation):
    """The inclusive prefix: the combination of `input` in this iteration of the enclosing loop and in all earlier ones.

    argmax and argmin return the iteration of the extreme so far. The kinds are those of `mlc_tensor.scan`.
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
            raise VerifyException(f"no scan {self.kind.data!r}: use one of {', '.join(SCAN_KINDS)}")
        if not isinstance(self.parent_op(), LoopOp):
            raise VerifyException("must be in a loop, directly: it combines the iterations")
        wanted = i64 if self.kind.data.startswith("arg") else self.input.type
        if self.result.type != wanted:
            raise VerifyException(f"the result must be {wanted}, not {self.result.type}")
