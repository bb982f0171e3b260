"""tensor-to-loop: each fusion becomes a kernel, each function a host program on buffers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from lowering.host.block import HostBlock
from lowering.host.layout import Order, Place, channels_last_strides, permuted_buffer, view_of
from lowering.tensor_to_loop.free_strides import fits_result, result_strides
from lowering.tensor_to_loop.host_kernels import HostKernels
from mlc_dialects.common.annotations import (
    ALIAS,
    CHANNELS_LAST,
    KERNEL,
    OPERAND_STRIDES,
    STRIDES,
    SYMBOLS,
    TOLD,
    VIEW,
    argument_annotations,
    listed_strides,
    promised_strides,
    result_annotations,
)
from mlc_dialects.common.buffers import buffer_strides, buffer_type
from mlc_dialects.common.index_syntax import index_attribute, is_size_name
from mlc_dialects.common.types import Shape, element_type, is_native, shape_of
from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.loop.host import CallOp
from mlc_dialects.loop.host import ConstantOp as BufferConstantOp
from mlc_dialects.tensor.calls import ExternOp, FusionOp, OperandAttr, SizeAttr, channels_first, channels_last
from mlc_dialects.tensor.ops import ConstantOp, MatmulOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import integer
from mlc_support.locations import location_of

COPY_STRIDED = "prims.copy_strided.default"
"""(tensor, strides): a copy with these strides, in elements."""


@dataclass(frozen=True)
class TensorToLoopPass(ModulePass):
    """Lowers functions on tensors to kernels and host programs.

    The outputs of a group get new buffers. A view becomes a view of a buffer if strides can express it, else a copy.
    Results have the strides that the function promises. What is a host program already stays.
    """

    name = "tensor-to-loop"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, func.FuncOp) and function.body.blocks and not _is_lowered(function):
                HostProgram(op, function).lower()


def _is_lowered(function: func.FuncOp) -> bool:
    """True for a function on buffers."""
    return any(op.name.startswith("mlc_loop.") for op in function.body.block.ops)


class HostProgram:
    """The host program of one function, written op by op into a new block."""

    def __init__(self, module: ModuleOp, function: func.FuncOp):
        self._function = function
        self._old = function.body.block
        self._host = HostBlock()
        self._kernels = HostKernels(module, function, self._host)
        self._buffers = self._host.buffers
        self._kept: dict[int, SSAValue] = {}
        self._given: set[SSAValue] = set()

    @property
    def buffers(self) -> Mapping[SSAValue, SSAValue]:
        """Where the values of the function as it was are found, once it is lowered."""
        return self._buffers

    def lower(self) -> None:
        """Replaces the function's body."""
        for position, argument in enumerate(self._old.args):
            type_ = argument.type
            if isinstance(type_, TensorType):
                self._check_sizes(type_)
                type_ = _buffer_of(type_, promised_strides(argument_annotations(self._function, position)))
            self._host.argument(argument, type_)
        for op in self._old.ops:
            self._lower_op(op)
        self._function.body.detach_block(self._old)
        block = self._host.block
        self._function.body.add_block(block)
        self._host.add_frees()
        last = block.last_op
        assert last is not None
        inputs = [a.type for a in block.args]
        self._function.function_type = FunctionType.from_lists(inputs, list(last.operand_types))

    def _check_sizes(self, type_: Attribute) -> None:
        for name in sorted(v.name for size in shape_of(type_) for v in size.variables()):
            if not is_size_name(name):
                raise MlcError(
                    f"tensor-to-loop: a size cannot be called {name}: generated kernels use that name",
                    location=location_of(self._function),
                    hint="p, r, d0, g0, ... are indices; call it N",
                )

    def _lower_op(self, op: Operation) -> None:
        match op:
            case func.ReturnOp():
                results = [self._returned(v, i) for i, v in enumerate(op.operands)]
                self._host.add(func.ReturnOp(*results), op)
            case FusionOp():
                bindings: dict[SSAValue, SSAValue] = dict(zip(op.body.block.args, op.inputs, strict=True))
                self._kernels.compute(op, dict.fromkeys(op.body.block.ops), bindings, op.yielded)
            case ExternOp():
                self._extern(op)
            case MatmulOp():
                self._matmul(op)
            case ConstantOp() if isinstance(op.value, DenseIntOrFPElementsAttr):
                self._host.define(op.result, self._host.add(BufferConstantOp(op.value, _buffer_of(op.result.type)), op))
            case _ if is_free(op):
                if op.results[0] not in self._buffers:
                    self._free_op(op)
            case _ if op.name.startswith("mlc_tensor."):
                self._compute(op)
            case _:
                raise MlcError(f"tensor-to-loop: no lowering for {op.name}", location=location_of(op))

    def _compute(self, op: Operation) -> None:
        """A kernel for one op."""
        self._kernels.compute(op, {op}, {v: v for v in op.operands}, op.results)

    def _free_op(self, op: Operation) -> None:
        """A view of the operand's buffer if strides can express it, else a kernel that copies."""
        source = self._buffers[op.operands[0]] if op.operands else None
        place = None if source is None else view_of(op, Place.of(source.type))
        if source is None or place is None:
            self._compute(op)
            return
        (result,) = op.results
        view = self._host.view(source, place.offset, _buffer_of(result.type, place.strides), op)
        self._host.define(result, view)

    def _matmul(self, op: MatmulOp) -> None:
        callee = {2: "aten.mm.default", 3: "aten.bmm.default"}.get(len(shape_of(op.result.type)), "aten.matmul.default")
        call = CallOp(callee, [self._buffers[op.lhs], self._buffers[op.rhs]], [_buffer_of(op.result.type)])
        self._host.define(op.result, self._host.add(call, op))

    def _extern(self, op: ExternOp) -> None:
        inputs = [self._buffers[v] for v in op.inputs]
        if op.impure is not None:
            self._keep_results(op, {self._host.root(b) for b in inputs})
        if KERNEL not in op.attributes:
            self._call(op, inputs)
        elif len(inputs) == 1:  # a tensor written to itself
            self._buffers[op.outputs[0]] = inputs[0]
        elif self._host.root(inputs[0]) is self._host.root(inputs[1]):
            self._call(op, inputs)
        else:
            self._kernels.overwrite(inputs[0], op.inputs[1], op)
            self._buffers |= dict.fromkeys(op.outputs, inputs[0])

    def _call(self, op: ExternOp, inputs: list[SSAValue]) -> None:
        """A PyTorch call. One that is channels-last takes and returns permuted views, in PyTorch's order."""
        last = CHANNELS_LAST in op.attributes
        types = [
            _buffer_of(v.type, listed_strides(op, STRIDES, k)) if isinstance(v.type, TensorType) else v.type
            for k, v in enumerate(op.outputs)
        ]
        if last:
            inputs = [self._permuted(b, channels_first, op) for b in inputs]
            types = [permuted_buffer(t, channels_first) for t in types]
        call = CallOp(op.callee.data, inputs, types, op.arguments, op.keywords)
        call.attributes |= {k: v for k, v in op.attributes.items() if k in (SYMBOLS, TOLD, OPERAND_STRIDES)}
        if last:
            call.attributes[OPERAND_STRIDES] = ArrayAttr([channels_last_strides(b.type) for b in inputs])
        self._host.add(call, op)
        for result, output in zip(op.outputs, call.outputs, strict=True):
            buffer = self._permuted(output, channels_last, op) if last else output
            self._host.define(result, buffer)
            if VIEW in op.attributes and inputs:
                self._host.looks_at(buffer, inputs[0])

    def _permuted(self, buffer: SSAValue, order: Order, origin: Operation) -> SSAValue:
        """A view of a buffer with permuted dimensions, if it has four or more; else the buffer."""
        type_ = permuted_buffer(buffer.type, order)
        if type_ == buffer.type:
            return buffer
        view = self._host.view(buffer, integer(0), type_, origin)
        view.name_hint = buffer.name_hint
        return view

    def _keep_results(self, call: ExternOp, read: Collection[SSAValue]) -> None:
        """Copies results that share memory which `call` may overwrite."""
        writes = call.callee.data.split(".")[-2:][0].endswith("_")
        last = self._old.last_op
        for position, value in enumerate(last.operands if isinstance(last, func.ReturnOp) else ()):
            root = self._root_of_value(value)
            written = root in read and (writes or isinstance(root, BlockArgument))
            if written and position not in self._kept and not self._is_alias(position):
                self._lower_views(value)
                self._kept[position] = self._copied(value, position)

    def _root_of_value(self, value: SSAValue) -> SSAValue | None:
        """The buffer that holds a value, or that a view not lowered yet will show; None if it is not computed yet."""
        while value not in self._buffers:
            if not isinstance(value.owner, Operation) or not is_free(value.owner) or not value.owner.operands:
                return None
            value = value.owner.operands[0]
        return self._host.root(self._buffers[value])

    def _lower_views(self, value: SSAValue) -> None:
        """Lowers the views that lead to a value, unless they are lowered already."""
        if value not in self._buffers and isinstance(value.owner, Operation):
            self._lower_views(value.owner.operands[0])
            self._free_op(value.owner)

    def _is_alias(self, position: int) -> bool:
        return ALIAS in result_annotations(self._function, position)

    def _returned(self, value: SSAValue, position: int) -> SSAValue:
        """The buffer of a result, copied if it lacks the promised strides or its memory belongs to another value."""
        buffer = self._kept.get(position, self._buffers[value])
        if position in self._kept or not isinstance(value.type, TensorType):
            return buffer
        root, alias = self._host.root(buffer), self._is_alias(position)
        if alias and isinstance(buffer, BlockArgument):
            return buffer
        shape = shape_of(value.type)
        shared = not alias and (isinstance(root, BlockArgument) or root in self._given)
        annotations = result_annotations(self._function, position)
        if not shared and fits_result(buffer_strides(buffer.type), shape, annotations):
            self._given.add(root)
            return buffer
        return self._copied(value, position)

    def _result_strides(self, value: SSAValue, position: int) -> Shape:
        return result_strides(shape_of(value.type), result_annotations(self._function, position))

    def _copied(self, value: SSAValue, position: int) -> SSAValue:
        """A new buffer for result `position`; PyTorch copies what kernels cannot load."""
        assert self._old.last_op is not None
        strides = self._result_strides(value, position)
        if is_native(element_type(value.type)):
            return self._kernels.copy(value, strides, self._old.last_op)
        buffer = self._buffers[value]
        arguments = ArrayAttr(
            [OperandAttr(StringAttr("0")), ArrayAttr([SizeAttr(StringAttr(str(s))) for s in strides])]
        )
        call = CallOp(COPY_STRIDED, [buffer], [_buffer_of(value.type, strides)], arguments)
        call.attributes[OPERAND_STRIDES] = ArrayAttr([index_attribute(buffer_strides(buffer.type))])
        self._host.add(call, self._old.last_op)
        return call.outputs[0]


def _buffer_of(type_: Attribute, strides: Shape | None = None) -> Attribute:
    """The buffer type of a tensor type."""
    return buffer_type(shape_of(type_), element_type(type_), strides)
