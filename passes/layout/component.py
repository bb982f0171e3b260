"""What changes layout together: convolutions and the ops between them, with the cost and the gain of the change.

The model, in bytes moved. A library convolution of 16-bit floats computes channels last: given
channels first it converts input, weight and result, each read and written once. That is the gain,
for convolutions of one group; others, and float32, run channels first as well. The cost is a
read and a write of each value that enters or leaves the component, save those that lie channels
last in memory already, frozen weights, which are converted once, and those that no dimension of
more than one element moves in.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, TensorType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.utils.hints import isa

from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.index_syntax import index_exprs
from mlc_dialects.tensor_calls import ExternOp, channels_first, channels_last
from mlc_dialects.tensor_ops import CastOp, ConstantOp, ReduceOp
from mlc_dialects.tensor_views import BroadcastOp, CatOp, PadOp, SliceOp
from mlc_dialects.types import Shape, element_type, is_half, shape_of
from mlc_support.index_maps import row_major_strides
from passes.frozen import Frozen
from passes.fusion.policy import human_bytes, value_bytes

CONVOLUTION = "aten.convolution.default"
POOLS = (
    "aten.max_pool2d_with_indices.default", "aten.avg_pool2d.default", "aten._adaptive_avg_pool2d.default",
    "aten.adaptive_max_pool2d.default", "aten.upsample_nearest2d.default", "aten.upsample_bilinear2d.default",
    "aten.upsample_nearest2d.vec", "aten.upsample_bilinear2d.vec",
)  # fmt: skip
"""Calls that give in the layout they are given; positions they tell count within one picture."""
RANK = 4


@dataclass(eq=False)
class Component:
    """Ops that change layout together, in program order."""

    function: func.FuncOp
    ops: dict[Operation, None] = field(default_factory=dict[Operation, None])

    @property
    def convolutions(self) -> list[ExternOp]:
        return [op for op in self.ops if isinstance(op, ExternOp) and op.callee.data == CONVOLUTION]

    def entering(self) -> list[SSAValue]:
        """Values of four dimensions that are made elsewhere; what repeats fewer elements is made again."""
        found = dict.fromkeys(v for op in self.ops for v in op.operands if v.owner not in self.ops)
        return [v for v in found if is_picture(v) and not isinstance(v.owner, BroadcastOp | ConstantOp)]

    def leaving(self) -> list[SSAValue]:
        """Results that are read elsewhere."""
        results = (v for op in self.ops for v in op.results if is_picture(v))
        return [v for v in results if any(use.operation not in self.ops for use in v.uses)]

    def gain(self) -> int:
        """Bytes that the library need not move."""
        return sum(2 * (value_bytes(c.inputs[0]) + value_bytes(c.inputs[1]) + value_bytes(c.outputs[0]))
                   for c in self.convolutions if _prefers_channels_last(c))  # fmt: skip

    def cost(self, frozen: Frozen) -> int:
        """Bytes that conversions at the boundary move."""
        entering = sum(2 * value_bytes(v) for v in self.entering() if not (_lies_last(v) or frozen(v) or _is_flat(v)))
        leaving = sum(2 * value_bytes(v) for v in self.leaving() if not (_leaves_last(v, self) or _is_flat(v)))
        return entering + leaving

    def verdict(self, frozen: Frozen) -> tuple[bool, str]:
        """Whether the change pays, and why."""
        gain, cost = self.gain(), self.cost(frozen)
        count = len(self.convolutions)
        saves = "1 convolution saves" if count == 1 else f"{count} convolutions save"
        return gain > cost, f"{saves} {human_bytes(gain)} of conversions, {human_bytes(cost)} at the boundary"


def components(function: func.FuncOp) -> list[Component]:
    """The components of a function, each grown from a convolution to the ops that it feeds."""
    found: list[Component] = []
    taken: set[Operation] = set()
    place = {op: i for i, op in enumerate(function.body.block.ops)}
    for op in place:
        if is_convolution(op) and op not in taken:
            ops = _grown(op)
            taken |= ops
            found.append(Component(function, dict.fromkeys(sorted(ops, key=place.__getitem__))))
    return found


def _grown(seed: Operation) -> set[Operation]:
    """The ops that convert with `seed`: its readers, and what makes their operands by one picture alone."""
    ops, work = {seed}, [seed]
    while work:
        op = work.pop()
        readers = [use.operation for v in op.results if is_picture(v) for use in v.uses]
        makers = [v.owner for v in op.operands if is_picture(v) and isinstance(v.owner, Operation)]
        for other in (*readers, *(m for m in makers if _is_single(m))):
            if other not in ops and converts(other):
                ops.add(other)
                work.append(other)
    return ops


def _is_single(op: Operation) -> bool:
    """True for an op of one picture: converting its operand costs what converting its result would."""
    pictures = {v for v in op.operands if is_picture(v) and not isinstance(v.owner, BroadcastOp | ConstantOp)}
    return is_convolution(op) or len(pictures) == 1


def converts(op: Operation) -> bool:
    """True for ops that have a meaning channels last."""
    if isinstance(op, ExternOp):
        return is_convolution(op) or (op.callee.data in POOLS and op.impure is None)
    if not op.results or not is_picture(op.results[0]):
        return False
    if isinstance(op, ReduceOp):
        return not op.kind.data.startswith("arg")
    return isinstance(op, ElementwiseOp | CastOp | CatOp | PadOp | SliceOp)


def is_convolution(op: Operation) -> bool:
    """A convolution of pictures."""
    known = isinstance(op, ExternOp) and op.callee.data == CONVOLUTION and op.impure is None
    return known and is_picture(op.operands[0])


def is_picture(value: SSAValue) -> bool:
    """True for a tensor [N, C, H, W]."""
    return isinstance(value.type, TensorType) and len(shape_of(value.type)) == RANK


def _prefers_channels_last(call: ExternOp) -> bool:
    groups = call.argument_list()[-1]
    single = isinstance(groups, IntegerAttr) and groups.value.data == 1
    return single and is_half(element_type(call.outputs[0].type))


def _is_flat(value: SSAValue) -> bool:
    """True if the conversion moves no element: channels or the picture are of size 1."""
    _, channels, height, width = shape_of(value.type)
    return channels.constant == 1 or (height.constant == 1 and width.constant == 1)


def _lies_last(value: SSAValue) -> bool:
    """True for an argument that is channels last in memory."""
    if not isinstance(value, BlockArgument) or not isinstance(function := value.owner.parent_op(), func.FuncOp):
        return False
    return _is_last(function.arg_attrs, value.index, shape_of(value.type))


def _leaves_last(value: SSAValue, component: Component) -> bool:
    """True if who reads `value` elsewhere is the caller, who wants it channels last."""
    uses = [use for use in value.uses if use.operation not in component.ops]
    attributes, shape = component.function.res_attrs, shape_of(value.type)
    return all(isinstance(u.operation, func.ReturnOp) and _is_last(attributes, u.index, shape) for u in uses)


def _is_last(attributes: ArrayAttr[DictionaryAttr] | None, position: int, shape: Shape) -> bool:
    strides = attributes.data[position].data.get("mlc.strides") if attributes is not None else None
    if not isa(strides, ArrayAttr[StringAttr]):
        return False
    triples = zip(index_exprs(strides), last_strides(shape), shape, strict=True)
    return all(a == b or size.constant == 1 for a, b, size in triples)


def last_strides(shape: Shape) -> Shape:
    """The strides of [N, C, H, W] that lies channels last in memory."""
    strides = row_major_strides([shape[d] for d in channels_last(RANK)])
    return tuple(strides[d] for d in channels_first(RANK))
