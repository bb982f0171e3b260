"""What a call of `aten.convolution` says."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr
from xdsl.ir import Attribute

from mlc_dialects.common.annotations import CHANNELS_LAST
from mlc_dialects.tensor.calls import ExternOp


@dataclass(frozen=True)
class Convolution:
    """A convolution forwards, an entry for each spatial dimension. Operands are x, the weight, and a bias if any."""

    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int
    channels_last: bool

    @staticmethod
    def of(op: ExternOp) -> Convolution | None:
        """What `op` says; None for a transposed convolution."""
        stride, padding, dilation, (transposed,), _, (groups,) = map(_integers, op.argument_list()[3:9])
        if transposed:
            return None
        return Convolution(stride, padding, dilation, groups, CHANNELS_LAST in op.attributes)


def _integers(attribute: Attribute) -> tuple[int, ...]:
    """A number, or a list of them."""
    entries = attribute.data if isinstance(attribute, ArrayAttr) else [attribute]
    return tuple(e.value.data for e in entries if isinstance(e, IntegerAttr))
