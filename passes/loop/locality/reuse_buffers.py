"""reuse-buffers: a kernel, or a collective, writes a result into the memory of a buffer that dies there.

    %a = call "aten.mm.default"(%x, %w)               %a = call "aten.mm.default"(%x, %w)
    %b = alloc                                 ->     launch @gelu(%a, %bias, %a)
    launch @gelu(%a, %bias, %b)                       return %a
    free %a
    return %b

Programs need less memory so: of two activations beside each other one is left. The kernel stays as it is; that it gets
one buffer for two arguments is safe where `overwrite_refusal` says so. A buffer of another shape is seen through a
view. An argument is overwritten only if it is donated, as what a forward pass keeps for its backward pass is.

    %s = call "_c10d_functional.all_reduce.default"(%g)         -> call "_c10d_functional.all_reduce_.default"(%g)
    free %g

PyTorch copies the operand of a functional collective, and then sends the copy. Libraries ask that what they write over
is contiguous. The result of the call is the operand's tensor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.common.buffers import buffer_element, buffer_shape, buffer_strides
from mlc_dialects.loop.dialect import KernelOp, LoadOp
from mlc_dialects.loop.host import AllocOp, CallOp, FreeOp, LaunchOp, ViewOp, whole_buffer, with_views
from mlc_dialects.loop.host_memory import dies_at
from mlc_dialects.tensor.collectives import IN_PLACE
from mlc_support.index_expr import integer, product
from mlc_support.index_maps import row_major_strides
from passes.common.device import DevicePass
from passes.common.launches import kernels_by_name
from passes.loop.analysis.coalescing import buffer_bytes
from passes.loop.analysis.overwriting import overwrite_refusal


@dataclass(frozen=True)
class ReuseBuffersPass(DevicePass):
    """Launches scheduled kernels with results in buffers that they are the last to read.

    Who overwrites a buffer waits for all others that read it.
    """

    name = "reuse-buffers"
    small: int | None = None
    """Kernels on fewer bytes are not made to wait: horizontal fusion may have one launch for them. None is what memory
    moves in the time of a launch."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = kernels_by_name(op)
        small = self.target.bytes_a_launch if self.small is None else self.small
        for function in (f for f in op.ops if isinstance(f, FuncOp) and f.body.blocks):
            plan = _Plan.of(function, kernels, small)
            for step in plan.order:
                if isinstance(step, LaunchOp) and step.kernel.string_value() in kernels:  # else of another level
                    plan.reuse(step)
                elif isinstance(step, CallOp) and step.callee.data in IN_PLACE:
                    plan.send_in_place(step)


@dataclass(frozen=True)
class _Plan:
    """The memory of one host program."""

    function: FuncOp
    kernels: Mapping[str, KernelOp]
    small: int
    order: Mapping[Operation, int]

    @staticmethod
    def of(function: FuncOp, kernels: Mapping[str, KernelOp], small: int) -> _Plan:
        return _Plan(function, kernels, small, {op: place for place, op in enumerate(function.body.block.ops)})

    def reuse(self, launch: LaunchOp) -> None:
        """Puts each result of a launch into an operand that dies there, if one can hold it."""
        for result in [b for b in launch.buffers if isinstance(b.owner, AllocOp)]:
            operand = next(self._places(launch, result), None) if self._begins(launch, result) else None
            if operand is not None:
                _overwrite(launch, operand, result)

    def send_in_place(self, call: CallOp) -> None:
        """Has a collective write over its operand, if that dies there and is contiguous."""
        (operand,), (result,) = call.inputs, call.outputs
        contiguous = buffer_strides(operand.type) == row_major_strides(buffer_shape(operand.type))
        dies = dies_at(self.function, whole_buffer(operand), call, self.order)
        if contiguous and operand.type == result.type and dies:
            call.callee = StringAttr(IN_PLACE[call.callee.data])

    def _begins(self, launch: LaunchOp, result: SSAValue) -> bool:
        """True if the launch is the first to use the buffer `result`."""
        users = [use.operation for value in with_views(result) for use in value.uses]
        return all(op is launch or self.order[op] > self.order[launch] for op in users)

    def _places(self, launch: LaunchOp, result: SSAValue) -> Iterator[SSAValue]:
        """The operands of a launch in whose memory its `result` may lie."""
        kernel = self.kernels[launch.kernel.string_value()]
        inside = dict(zip(launch.buffers, kernel.buffers, strict=True))
        roots = [whole_buffer(b) for b in launch.buffers]
        for operand, root in zip(launch.buffers, roots, strict=True):
            alone = operand is not result and roots.count(root) == 1 and roots.count(result) == 1
            dies = alone and dies_at(self.function, root, launch, self.order)
            fits = dies and _same_size(root, result) and not self._waits(launch, root)
            if fits and overwrite_refusal(kernel, inside[operand], inside[result]) is None:
                yield operand

    def _waits(self, launch: LaunchOp, root: SSAValue) -> bool:
        """True if a launch would have to wait for another one, whose results it does not use, to overwrite `root`."""
        users = [use.operation for value in with_views(root) for use in value.uses]
        others = [op for op in users if isinstance(op, LaunchOp) and op is not launch]
        own = {whole_buffer(b) for b in launch.buffers}
        is_small = 0 < buffer_bytes(root) < self.small
        return is_small and any(own.isdisjoint(self._written(other)) for other in others)

    def _written(self, launch: LaunchOp) -> set[SSAValue]:
        """The memory that a launch writes."""
        inside = self.kernels[launch.kernel.string_value()].buffers
        stored = [any(not isinstance(use.operation, LoadOp) for use in b.uses) for b in inside]
        return {whole_buffer(b) for b, is_stored in zip(launch.buffers, stored, strict=True) if is_stored}


def _same_size(root: SSAValue, result: SSAValue) -> bool:
    """True if buffers have equally many elements of one type."""
    a, b = root.type, result.type
    if not isinstance(a, MemRefType) or buffer_element(a) != buffer_element(b):
        return False
    return product(buffer_shape(a)) == product(buffer_shape(b))


def _overwrite(launch: LaunchOp, operand: SSAValue, result: SSAValue) -> None:
    """Replaces `result` by the memory of `operand`, which is freed when that was."""
    root = whole_buffer(operand)
    for op in [use.operation for use in root.uses if isinstance(use.operation, FreeOp)]:
        Rewriter.erase_op(op)
    for op in [use.operation for use in result.uses if isinstance(use.operation, FreeOp)]:
        if isinstance(root, BlockArgument):
            Rewriter.erase_op(op)  # who prints the program says when it lets go of arguments
        else:
            op.operands = [root]
    place = operand
    if operand.type != result.type:
        view = ViewOp(operand, integer(0), result.type)
        view.location, view.result.name_hint = launch.location, result.name_hint
        Rewriter.insert_op(view, InsertPoint.before(launch))
        place = view.result
    allocation = result.owner
    assert isinstance(allocation, AllocOp)
    result.replace_all_uses_with(place)
    Rewriter.erase_op(allocation)
