"""What changes layout together: convolutions and the ops between them, with the cost and the gain of the change.

The model, in bytes that a copy moves in the same time. A library convolution by tensor cores computes channels last,
and so its gradients: given channels first it converts what it takes and gives, which takes it twice as long as a copy
does. That is the gain, for convolutions in types that tensor cores take, and for those of one channel a group; others
run channels first as well, and so do those of one place a side, which are products of matrices in either layout.

The cost is a read and a write of each value that enters or leaves the component, a quarter of it where a kernel reads
or writes the value anyway, only in another order. Free are those that lie channels last in memory already, which would
be converted otherwise; frozen weights, which are converted once; those that no dimension of more than one element moves
in; those that are permuted at the boundary anyway; and what is made of nothing or of fewer elements, which is made
channels last instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from mlc_dialects.common.annotations import ANY_LAYOUT, argument_annotations, promised_strides, result_annotations
from mlc_dialects.common.types import Shape, element_type, shape_of
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.ops import ConstantOp, IotaOp, MatmulOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ViewOp
from mlc_support.index_expr import integer
from mlc_support.index_maps import row_major_strides
from passes.tensor.frozen import Frozen
from passes.tensor.fusion.policy import human_bytes, value_bytes
from passes.tensor.layout.channels import (
    PICTURE,
    Channels,
    asked,
    groups,
    is_convolution,
    is_product,
    last,
    pictures,
)

LIBRARY_CONVERSION = 2
"""How many times as long as a copy a conversion of the library takes: 1.9 to 2.5, measured with cuDNN on an H200."""
FUSED_CONVERSION = 2
"""What is left of the bytes of a value where its conversion is part of a kernel: a quarter of a read and a write."""


@dataclass(eq=False)
class Component:
    """Ops that change layout together, in program order."""

    function: func.FuncOp
    channels: dict[SSAValue, Channels]
    """Where the values that change have their channels."""
    tensor_types: Collection[Attribute]
    """The element types that the library computes by tensor cores."""
    ops: dict[Operation, None] = field(default_factory=dict[Operation, None])

    @property
    def convolutions(self) -> list[ExternOp]:
        return [op for op in self.ops if isinstance(op, ExternOp) and is_convolution(op)]

    def order(self, value: SSAValue) -> tuple[int, ...]:
        """The permutation that brings `value` to channels last."""
        return last(self.channels[value], len(shape_of(value.type)))

    def entering(self) -> list[SSAValue]:
        """Values that change and are made elsewhere."""
        found = dict.fromkeys(v for op in self.ops for v in op.operands if v in self.channels)
        return [v for v in found if v.owner not in self.ops]

    def leaving(self) -> list[SSAValue]:
        """Results that change and are read elsewhere."""
        results = (v for op in self.ops for v in op.results if v in self.channels)
        return [v for v in results if any(use.operation not in self.ops for use in v.uses)]

    def gain(self) -> int:
        """Bytes that the library need not move, and that need not be moved for it."""
        calls = [c for c in self.convolutions if self._is_converted(c)]
        converted = sum(2 * LIBRARY_CONVERSION * value_bytes(v) for call in calls for v in pictures(call))
        last = [v for v in self.entering() if self._lies_last(v) and not self._is_flat(v)]
        return converted + sum(2 * value_bytes(v) for v in last)

    def cost(self, frozen: Frozen) -> int:
        """Bytes that conversions at the boundary move."""
        entering = sum(self._conversion(v, self._moved(v)) for v in self.entering() if not frozen(v))
        leaving = [v for v in self.leaving() if not (self._leaves_free(v) or self._is_flat(v))]
        return entering + sum(self._conversion(v, value_bytes(v)) for v in leaving)

    def verdict(self, frozen: Frozen) -> tuple[bool, str]:
        """Whether the change pays, and why."""
        gain, cost = self.gain(), self.cost(frozen)
        count = len(self.convolutions)
        saves = "1 convolution saves" if count == 1 else f"{count} convolutions save"
        why = f"{saves} conversions worth {human_bytes(gain)} of copies, {human_bytes(cost)} at the boundary"
        return gain > cost, why

    def _is_converted(self, call: ExternOp) -> bool:
        """True if the library converts what this convolution takes and gives, or computes it slower channels first."""
        if groups(call).value.data == 1:
            return element_type(call.inputs[0].type) in self.tensor_types and not is_product(call)
        one_channel = shape_of(call.inputs[1].type)[1].constant == 1
        return one_channel or element_type(call.inputs[0].type) in self.tensor_types

    def _conversion(self, value: SSAValue, size: int) -> int:
        """Bytes to convert `size` of a value: less where a kernel computes it, or all that read it on the other side.

        A kernel that computes what is read in both layouts writes it once more.
        """
        inside = value.owner in self.ops
        readers = {use.operation for use in value.uses}
        beyond = [r for r in readers if (r in self.ops) != inside]
        if _is_computed(value):
            return size if len(beyond) < len(readers) else size // FUSED_CONVERSION
        return size // FUSED_CONVERSION if all(map(_computes, beyond)) else 2 * size

    def _moved(self, value: SSAValue) -> int:
        """The bytes of an entering value that are converted."""
        if isinstance(value.owner, ConstantOp | IotaOp | RandomOp | PermuteOp) or self._lies_last(value):
            return 0
        if isinstance(value.owner, BroadcastOp):
            small = value.owner.input
            missing = [integer(1)] * (len(value.owner.shape) - len(value.owner.input_shape))
            return 0 if keeps_order((*missing, *value.owner.input_shape), self.order(value)) else value_bytes(small)
        return 0 if self._is_flat(value) else value_bytes(value)

    def _is_flat(self, value: SSAValue) -> bool:
        return keeps_order(shape_of(value.type), self.order(value))

    def _lies_last(self, value: SSAValue) -> bool:
        """True for an argument that is channels last in memory."""
        if not isinstance(value, BlockArgument) or value.owner.parent_op() is not self.function:
            return False
        return self._are_last(argument_annotations(self.function, value.index), value)

    def _leaves_free(self, value: SSAValue) -> bool:
        """True if who reads `value` elsewhere permutes it, or is the caller, who wants it channels last."""
        uses = [use for use in value.uses if use.operation not in self.ops]
        return all(
            isinstance(use.operation, PermuteOp)
            or (
                isinstance(use.operation, func.ReturnOp)
                and self._are_last(result_annotations(self.function, use.index), value)
            )
            for use in uses
        )

    def _are_last(self, annotations: Mapping[str, Attribute], value: SSAValue) -> bool:
        """True if an argument or result like `value` is channels last in memory."""
        strides = promised_strides(annotations)
        if ANY_LAYOUT in annotations:
            return True
        if strides is None:
            return False
        shape, order = shape_of(value.type), self.order(value)
        wanted = row_major_strides([shape[d] for d in order])
        pairs = zip((strides[d] for d in order), wanted, (shape[d] for d in order), strict=True)
        return all(a == b or size.constant == 1 for a, b, size in pairs)


def _is_computed(value: SSAValue) -> bool:
    """True for a result of a kernel, or a view of one: no argument, and no result of a call."""
    while isinstance(value.owner, ViewOp):
        value = value.owner.input
    return isinstance(value.owner, Operation) and not isinstance(value.owner, ExternOp | MatmulOp)


def _computes(reader: Operation) -> bool:
    """True for an op of a kernel, or a view that such ops alone read: no call, and not what leaves the function."""
    if isinstance(reader, ViewOp):
        return all(_computes(use.operation) for use in reader.results[0].uses)
    return not isinstance(reader, ExternOp | MatmulOp | func.ReturnOp)


def components(function: func.FuncOp, tensor_types: Collection[Attribute]) -> list[Component]:
    """The components of a function: what grows from its convolutions, apart where no value connects it."""
    channels, ops = _grown([op for op in function.body.block.ops if is_convolution(op)])
    found: list[Component] = []
    taken: dict[Operation, Component] = {}
    for op in [op for op in function.body.block.ops if op in ops]:
        if op not in taken:
            found.append(Component(function, channels, tensor_types))
            taken |= dict.fromkeys(_connected(op, ops, channels), found[-1])
        taken[op].ops[op] = None
    return found


def _grown(seeds: list[Operation]) -> tuple[dict[SSAValue, Channels], set[Operation]]:
    """The values and ops that convert with the convolutions: all readers that can, and what makes their operands
    by one tensor alone."""
    channels: dict[SSAValue, Channels] = {}
    ops: set[Operation] = set()
    work = [(op, op.operands[0], PICTURE) for op in reversed(seeds)]
    while work:
        op, value, place = work.pop()
        wanted = asked(op, value, place) if op not in ops else None
        if wanted is None or any(channels.get(v, c) != c for v, c in wanted):
            continue
        ops.add(op)
        channels |= wanted
        for v, c in wanted:
            if v.owner is op:
                work += [(use.operation, v, c) for use in v.uses]
            elif isinstance(v.owner, Operation) and _is_single(v.owner):
                work.append((v.owner, v, c))
    return channels, ops


def _is_single(op: Operation) -> bool:
    """True for an op of one tensor: converting its operand costs what converting its result would."""
    tensors = {v for v in op.operands if not is_made_again(v)}
    return is_convolution(op) or (len(tensors) <= 1 and not is_made_again(op.results[0]))


def is_made_again(value: SSAValue) -> bool:
    """True for what costs no more to make channels last than to make as it is."""
    return isinstance(value.owner, ConstantOp | BroadcastOp | IotaOp | RandomOp)


def _connected(start: Operation, ops: set[Operation], channels: dict[SSAValue, Channels]) -> set[Operation]:
    """The ops that share values with `start`, with those that share values with them, and so on."""
    found, work = {start}, [start]
    while work:
        for other in _neighbours(work.pop(), ops, channels):
            if other in ops and other not in found:
                found.add(other)
                work.append(other)
    return found


def _neighbours(op: Operation, ops: set[Operation], channels: dict[SSAValue, Channels]) -> Iterator[Operation]:
    for value in (*op.operands, *op.results):
        if value in channels and (value.owner in ops or not is_made_again(value)):
            yield from (use.operation for use in value.uses)
            if isinstance(value.owner, Operation):
                yield value.owner


def keeps_order(shape: Shape, order: tuple[int, ...]) -> bool:
    """True if the permutation moves no element of a tensor of this shape."""
    moved = [d for d in order if shape[d].constant != 1]
    return moved == sorted(moved)
