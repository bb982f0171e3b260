"""collectives-in-place: processes reduce what nobody reads again in its own memory.

    %a = call "_c10d_functional.all_reduce.default"(%g)         -> call "_c10d_functional.all_reduce_.default"(%g)
    free %g
    %w = call "_c10d_functional.wait_tensor.default"(%a)

PyTorch copies the operand of a functional collective, and then sends the copy. So a gradient that is reduced over
processes is read and written once more, and has memory twice. The result of the call is then the operand's tensor.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlc_dialects.common.buffers import buffer_shape, buffer_strides
from mlc_dialects.loop.host import CallOp, whole_buffer
from mlc_dialects.loop.host_memory import dies_at
from mlc_dialects.tensor.collectives import IN_PLACE
from mlc_support.index_maps import row_major_strides


@dataclass(frozen=True)
class CollectivesInPlacePass(ModulePass):
    """Lets collectives write over operands that die there, and that are contiguous, as the libraries ask."""

    name = "collectives-in-place"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in (f for f in op.ops if isinstance(f, FuncOp) and f.body.blocks):
            order = {op: place for place, op in enumerate(function.body.block.ops)}
            for call in [c for c in order if isinstance(c, CallOp) and c.callee.data in IN_PLACE]:
                (operand,), (result,) = call.inputs, call.outputs
                contiguous = buffer_strides(operand.type) == row_major_strides(buffer_shape(operand.type))
                if contiguous and operand.type == result.type and dies_at(function, whole_buffer(operand), call, order):
                    call.callee = StringAttr(IN_PLACE[call.callee.data])
