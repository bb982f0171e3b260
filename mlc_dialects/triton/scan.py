"""Ops of `mlc_triton` for scans along the lanes of a block."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, traits_def, var_operand_def, var_result_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.loop.scan import SCAN_KINDS


def parts_of(kind: str) -> int:
    """The number of values of one scanned element: 2 for argmax and argmin, which scan values with their indices."""
    return 2 if kind.startswith("arg") else 1


@irdl_op_definition
class ScanOp(IRDLOperation):
    """The inclusive prefix of each lane along the last dimension of a block.

    argmax and argmin take the values and their indices, and return both.
    """

    name = "mlc_triton.scan"
    kind = prop_def(StringAttr)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$kind $inputs attr-dict `:` functional-type($inputs, $outputs)"

    def __init__(self, kind: str, inputs: Sequence[SSAValue]):
        super().__init__(
            operands=[list(inputs)],
            properties={"kind": StringAttr(kind)},
            result_types=[[v.type for v in inputs]],
        )

    def verify_(self) -> None:
        _verify_kind(self.kind.data, len(self.inputs), 1)
        if [v.type for v in self.inputs] != [v.type for v in self.outputs]:
            raise VerifyException("each result has the type of its input")


@irdl_op_definition
class CombineOp(IRDLOperation):
    """One step of a scan of `kind`: combines an element with the next. Inputs: values of the first, then the second."""

    name = "mlc_triton.combine"
    kind = prop_def(StringAttr)
    inputs = var_operand_def()
    outputs = var_result_def()
    traits = traits_def(Pure())
    assembly_format = "$kind $inputs attr-dict `:` functional-type($inputs, $outputs)"

    def __init__(self, kind: str, first: Sequence[SSAValue], second: Sequence[SSAValue]):
        super().__init__(
            operands=[[*first, *second]],
            properties={"kind": StringAttr(kind)},
            result_types=[[v.type for v in second]],
        )

    def verify_(self) -> None:
        _verify_kind(self.kind.data, len(self.inputs), 2)
        types = [v.type for v in self.inputs]
        if types != 2 * [v.type for v in self.outputs]:
            raise VerifyException("both elements and the result must have the same types")


def _verify_kind(kind: str, count: int, elements: int) -> None:
    if kind not in SCAN_KINDS:
        raise VerifyException(f'no scan "{kind}": use one of {", ".join(SCAN_KINDS)}')
    if count != elements * parts_of(kind):
        raise VerifyException(f"{kind} takes {elements * parts_of(kind)} value(s), found {count}")
