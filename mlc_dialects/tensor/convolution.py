"""What a call of `aten.convolution`, or of its gradients, says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute, SSAValue

from mlc_dialects.common.annotations import CHANNELS_LAST
from mlc_dialects.common.types import element_type, shape_of, tensor_type
from mlc_dialects.tensor.arguments import Arguments
from mlc_dialects.tensor.calls import ExternOp, OperandAttr

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
            (constant_sizes(x)[d] + 2 * edge - apart * (constant_sizes(weight)[d] - 1) - 1) // step + 1
            for d, step, edge, apart in numbers
        ]


def constant_sizes(value: SSAValue) -> list[int]:
    """The shape of a value, whose sizes are numbers."""
    return [size.constant for size in shape_of(value.type) if size.constant is not None]


def _attributes(entries: Sequence[int]) -> Attribute:
    return ArrayAttr([IntegerAttr(n, i64) for n in entries])
