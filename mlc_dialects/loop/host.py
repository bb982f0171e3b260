"""Ops of the host program: allocations, launches, views, and calls of PyTorch ops on buffers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect, Pure

from mlc_dialects.common.annotations import DONATED, argument_annotations
from mlc_dialects.common.index_syntax import index_attribute
from mlc_dialects.tensor.calls import verify_call
from mlc_support.index_expr import IndexExpr

_ATTENTION = ("flash", "efficient", "cudnn")
OWN_RESULTS = frozenset(
    (
        *("aten.mm.default", "aten.bmm.default", "aten.addmm.default", "aten.baddbmm.default", "aten.matmul.default"),
        *("mkldnn._linear_pointwise.default", "aten.convolution.default", "aten.convolution_backward.default"),
        "aten.scaled_dot_product_attention.default",
        *(f"aten._scaled_dot_product_{kind}_attention.default" for kind in _ATTENTION),
        *(f"aten._scaled_dot_product_{kind}_attention_backward.default" for kind in _ATTENTION),
    )
)
"""Calls of PyTorch that put each result into new memory, and keep nothing of what they are given."""


@irdl_op_definition
class AllocOp(IRDLOperation):
    """A new buffer with undefined content."""

    name = "mlc_loop.alloc"
    buffer = result_def()
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "attr-dict `:` type($buffer)"

    def __init__(self, type_: Attribute):
        super().__init__(result_types=[type_])


@irdl_op_definition
class CountersOp(IRDLOperation):
    """A buffer of zeros for the arrival counters of `mlc_loop.last_block`. Every launch leaves it zero again."""

    name = "mlc_loop.counters"
    buffer = result_def()
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "attr-dict `:` type($buffer)"

    def __init__(self, type_: Attribute):
        super().__init__(result_types=[type_])


@irdl_op_definition
class FlagsOp(IRDLOperation):
    """The inter-block flags of one kernel: a buffer that is zero at first and keeps its content between launches.

    Programs of `kernel` signal values in it and wait for them (`mlc_loop.signal`). Each launch uses a new epoch, so
    that the words of earlier launches count as not signalled.
    """

    name = "mlc_loop.flags"
    kernel = prop_def(SymbolRefAttr)
    buffer = result_def()
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "$kernel attr-dict `:` type($buffer)"

    def __init__(self, kernel: str, type_: Attribute):
        super().__init__(properties={"kernel": SymbolRefAttr(kernel)}, result_types=[type_])


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A buffer with content known at compile time."""

    name = "mlc_loop.constant"
    value = prop_def(DenseIntOrFPElementsAttr)
    buffer = result_def()
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($buffer)"

    def __init__(self, value: Attribute, type_: Attribute):
        super().__init__(properties={"value": value}, result_types=[type_])


@irdl_op_definition
class FreeOp(IRDLOperation):
    """The last use of `buffer`: the host program does not read it again."""

    name = "mlc_loop.free"
    buffer = operand_def()
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$buffer attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue):
        super().__init__(operands=[buffer])


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """Launches a kernel on buffers."""

    name = "mlc_loop.launch"
    kernel = prop_def(SymbolRefAttr)
    buffers = var_operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$kernel `(` $buffers `)` attr-dict `:` type($buffers)"

    def __init__(self, kernel: str, buffers: Sequence[SSAValue]):
        super().__init__(operands=[list(buffers)], properties={"kernel": SymbolRefAttr(kernel)})


@irdl_op_definition
class ViewOp(IRDLOperation):
    """The same memory with another shape and other strides, starting at element `offset`. Copies nothing."""

    name = "mlc_loop.view"
    input = operand_def()
    offset = prop_def(ArrayAttr[StringAttr])
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$input `offset` $offset attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, offset: IndexExpr, type_: Attribute):
        super().__init__(operands=[input], properties={"offset": index_attribute([offset])}, result_types=[type_])


def whole_buffer(buffer: SSAValue) -> SSAValue:
    """The buffer at the root of a chain of views."""
    while isinstance(buffer.owner, ViewOp):
        buffer = buffer.owner.input
    return buffer


def with_views(buffer: SSAValue) -> list[SSAValue]:
    """`buffer`, the views of it, and the views of those."""
    views = [use.operation.result for use in buffer.uses if isinstance(use.operation, ViewOp)]
    return [buffer, *(v for view in views for v in with_views(view))]


@irdl_op_definition
class CallOp(IRDLOperation):
    """A call of a PyTorch op on buffers, with the argument list of `mlc_tensor.extern`.

    The results have the sizes and strides of their types.
    """

    name = "mlc_loop.call"
    callee = prop_def(StringAttr)
    inputs = var_operand_def()
    arguments = opt_prop_def(ArrayAttr)
    keywords = opt_prop_def(DictionaryAttr)
    outputs = var_result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$callee `(` $inputs `)` (`args` $arguments^)? (`kwargs` $keywords^)? attr-dict `:`"
        " functional-type($inputs, $outputs)"
    )

    def __init__(
        self,
        callee: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        arguments: Attribute | None = None,
        keywords: Attribute | None = None,
    ):
        super().__init__(
            operands=[list(inputs)],
            result_types=[list(result_types)],
            properties={"callee": StringAttr(callee), "arguments": arguments, "keywords": keywords},
        )

    def verify_(self) -> None:
        verify_call(self.callee, self.arguments, self.keywords)


def owns_results(call: CallOp) -> bool:
    """True if the results of `call` have memory that no other value sees, and it keeps none of its operands."""
    return call.callee.data in OWN_RESULTS


def may_overwrite(function: FuncOp, root: SSAValue) -> bool:
    """True if nobody but the host program `function` sees the memory of a buffer that is no view, unless it returns it.

    So it is for what it allocates, for new results of calls, and for arguments that are donated to it.
    """
    if isinstance(root, BlockArgument):
        return DONATED in argument_annotations(function, root.index)
    return isinstance(root.owner, AllocOp) or (isinstance(root.owner, CallOp) and owns_results(root.owner))


HOST_OPS = (AllocOp, CountersOp, FlagsOp, ConstantOp, FreeOp, LaunchOp, ViewOp, CallOp)
