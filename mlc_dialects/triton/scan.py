"""Ops of `mlc_triton` that combine lanes in their order."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, traits_def, var_operand_def, var_result_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.loop.scan import SCAN_KINDS


def parts_of(kind: str) -> int:
    """How many values one element of a scan has: argmax and argmin work on values and indices."""
    return 2 if kind.startswith("arg") else 1


@irdl_op_definition
class ScanOp(IRDLOperation):
    """Each lane's combination with all before it, along the last dimension of a block.

    argmax and argmin take the values and their indices, and give both.
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
            raise VerifyException("gives blocks of the types it takes")


@irdl_op_definition
class CombineOp(IRDLOperation):
    """What a scan of `kind` makes of one element and the next: the first's values, then the second's."""

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
            raise VerifyException("combines values of one type, and gives that")


def _verify_kind(kind: str, count: int, elements: int) -> None:
    if kind not in SCAN_KINDS:
        raise VerifyException(f'no scan "{kind}": {", ".join(SCAN_KINDS)}')
    if count != elements * parts_of(kind):
        raise VerifyException(f"{kind} takes {elements * parts_of(kind)} value(s), found {count}")
