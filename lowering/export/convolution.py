"""What a call of `aten.convolution` says, and the gradients of one as convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute, SSAValue

from lowering.export.arguments import Arguments
from mlc_dialects.common.annotations import CHANNELS_LAST
from mlc_dialects.common.types import element_type, shape_of, tensor_type
from mlc_dialects.tensor.calls import ExternOp, OperandAttr
from mlc_dialects.tensor.composites import cast, wide
from mlc_dialects.tensor.ops import ReduceOp
from mlc_dialects.tensor.views import PermuteOp, ReshapeOp, SliceOp

CONVOLUTION = "aten.convolution.default"
BACKWARD = "aten.convolution_backward.default"
_NAMES = ("stride", "padding", "dilation", "transposed", "output_padding", "groups")
NAMES = {CONVOLUTION: ("x", "weight", "bias", *_NAMES), BACKWARD: ("gradient", "x", "weight", "bias_sizes", *_NAMES)}


@dataclass(frozen=True)
class Convolution:
    """An entry for each spatial dimension. Operands are x, the weight, and a bias if any."""

    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    transposed: bool
    more: tuple[int, ...]
    """Of a transposed one: so many elements more at the end of its result."""
    groups: int
    channels_last: bool

    @staticmethod
    def of(op: ExternOp) -> Convolution:
        """What a call of a convolution or of its gradients says."""
        given = Arguments(op, NAMES[op.callee.data])
        stride, padding, dilation, more = map(given.integers, ("stride", "padding", "dilation", "output_padding"))
        last = CHANNELS_LAST in op.attributes
        return Convolution(
            stride, padding, dilation, bool(given.number("transposed")), more, int(given.number("groups")), last
        )

    @property
    def spatial(self) -> range:
        """The dimensions of a picture that are not its batch and its channels."""
        return range(1, 1 + len(self.stride)) if self.channels_last else range(2, 2 + len(self.stride))

    @property
    def channels(self) -> int:
        """The dimension of channels."""
        return 1 + len(self.stride) if self.channels_last else 1

    def call(self, x: SSAValue, weight: SSAValue, sizes: Sequence[int]) -> SSAValue:
        """The call of it, whose result has these sizes."""
        operands: list[Attribute] = [OperandAttr(StringAttr(place)) for place in "01"]
        before, after = map(_attributes, (self.stride, self.padding, self.dilation)), _attributes(self.more)
        transposed, groups = IntegerAttr(int(self.transposed), i1), IntegerAttr(self.groups, i64)
        arguments = [*operands, UnitAttr(), *before, transposed, after, groups]
        made = ExternOp(CONVOLUTION, [x, weight], [tensor_type(sizes, element_type(x.type))], arguments)
        if self.channels_last:
            made.attributes[CHANNELS_LAST] = UnitAttr()
        return made.outputs[0]

    def windows(self, x: SSAValue, weight: SSAValue) -> list[int]:
        """How many there are of each spatial dimension, where it is not transposed."""
        numbers = zip(self.spatial, self.stride, self.padding, self.dilation, strict=True)
        return [
            (_sizes(x)[d] + 2 * edge - apart * (_sizes(weight)[d] - 1) - 1) // step + 1
            for d, step, edge, apart in numbers
        ]


def gradients(op: ExternOp) -> list[SSAValue | None] | None:
    """Of x, the weight and the bias, as many as are asked for: convolutions, and a sum."""
    found, given = Convolution.of(op), Arguments(op, (*NAMES[BACKWARD], "output_mask"))
    operands = given.values("gradient", "x", "weight")
    if operands is None or any(size.constant is None for v in operands for size in shape_of(v.type)):
        return None
    gradient, x, weight = operands
    wanted = given.integers("output_mask")
    pair = (gradient, x) if found.transposed else (x, gradient)
    return [
        _of_input(found, gradient, x, weight) if wanted[0] else None,
        _of_weight(found, *pair, weight) if wanted[1] else None,
        _of_bias(found, gradient) if wanted[2] else None,
    ]


def _of_input(found: Convolution, gradient: SSAValue, x: SSAValue, weight: SSAValue) -> SSAValue:
    """The convolution the other way around; where a transposed one adds a stride, there are windows beyond x."""
    if found.transposed:
        turned = replace(found, transposed=False, more=(0,) * len(found.stride))
        windows = turned.windows(gradient, weight)
        wanted = _sizes(x)
        shape = [windows[d - found.spatial[0]] if d in found.spatial else n for d, n in enumerate(wanted)]
        return _first(turned.call(gradient, weight, shape), wanted)
    numbers = zip(found.spatial, found.stride, found.padding, found.dilation, strict=True)
    more = tuple(
        _sizes(x)[d] - ((_sizes(gradient)[d] - 1) * step - 2 * edge + apart * (_sizes(weight)[d] - 1) + 1)
        for d, step, edge, apart in numbers
    )
    return replace(found, transposed=True, more=more).call(gradient, weight, _sizes(x))


def _of_weight(found: Convolution, x: SSAValue, gradient: SSAValue, weight: SSAValue) -> SSAValue:
    """x and the gradient as if channels were a batch and the batch were channels; steps and dilation change places."""
    turned = replace(
        found, stride=found.dilation, dilation=found.stride, transposed=False, more=(0,) * len(found.stride)
    )
    windows, wanted = turned.windows(x, gradient), _sizes(weight)
    shape = [wanted[found.channels], *windows, wanted[0]] if found.channels_last else [wanted[1], wanted[0], *windows]
    order = _swapped(len(shape), found.channels)
    result = turned.call(_by_groups(found, x), PermuteOp(gradient, order).result, shape)
    cut = [wanted[d] if d in found.spatial else n for d, n in enumerate(shape)]
    return PermuteOp(_first(result, cut), order).result


def _first(value: SSAValue, shape: list[int]) -> SSAValue:
    """So many elements of each dimension from the start on."""
    start, step = [0] * len(shape), [1] * len(shape)
    return value if _sizes(value) == shape else SliceOp(value, start, step, shape).result


def _by_groups(found: Convolution, x: SSAValue) -> SSAValue:
    """x with a channel of each group in place of its batch, and group by group its batch in place of channels."""
    shape, channels = _sizes(x), found.channels
    apart = [*shape[:channels], found.groups, shape[channels] // found.groups, *shape[channels + 1 :]]
    order = list(range(len(apart)))
    order.remove(0)
    order.insert(channels, 0)  # the batch behind the groups
    order.remove(channels + 1)
    order.insert(0, channels + 1)  # and the channels of a group before all
    turned = PermuteOp(ReshapeOp(x, apart).result, order).result
    joined = list(shape)
    joined[0], joined[channels] = shape[channels] // found.groups, found.groups * shape[0]
    return ReshapeOp(turned, joined).result


def _of_bias(found: Convolution, gradient: SSAValue) -> SSAValue:
    """The sum over all but the channels."""
    shape = _sizes(gradient)
    dims = [d for d in range(len(shape)) if d != found.channels]
    total = ReduceOp("add", wide(gradient), dims).result
    return ReshapeOp(cast(total, element_type(gradient.type)), [shape[found.channels]]).result


def _swapped(rank: int, channels: int) -> list[int]:
    """The order in which the batch and the channels change places."""
    order = list(range(rank))
    order[0], order[channels] = channels, 0
    return order


def _sizes(value: SSAValue) -> list[int]:
    """The shape of a value, whose sizes are numbers."""
    return [size.constant for size in shape_of(value.type) if size.constant is not None]


def _attributes(entries: Sequence[int]) -> Attribute:
    return ArrayAttr([IntegerAttr(n, i64) for n in entries])
