"""Scalar ops of `mlc_loop`: what upstream `arith` and `math` lack."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    Pure,
)
from xdsl.utils.exceptions import VerifyException

FUNCTION = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
"""How CUDA's device functions are named. Generated code calls them by that name."""


def verify_function(function: StringAttr) -> None:
    """VerifyException if no device function can have this name: a name of a file must not become other code."""
    if FUNCTION.fullmatch(function.data) is None:
        message = "a function of libdevice is named in small letters, digits and underscores, as fmod or ffs are"
        raise VerifyException(f"{message}; {function.data!r} is no such name")


@irdl_op_definition
class LibdeviceOp(IRDLOperation):
    """A call of CUDA's device function `function` on scalars of one float type."""

    name = "mlc_loop.libdevice"
    function = prop_def(StringAttr)
    inputs = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$function $inputs attr-dict `:` type($inputs) `->` type($result)"

    def __init__(self, function: str, inputs: Sequence[SSAValue]):
        super().__init__(
            operands=[list(inputs)],
            properties={"function": StringAttr(function)},
            result_types=[inputs[0].type],
        )

    def verify_(self) -> None:
        verify_function(self.function)
