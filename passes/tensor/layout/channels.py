"""Where the channels of a value are, and what each op asks of the values around it.

Channels are a run of dimensions [begin, end): (1, 2) of a picture [N, C, H, W], (1, 3) of the groups
[N, G, C / G, H * W]. Channels last is the permutation that moves the run behind all other dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.annotations import CHANNELS_LAST
from mlc_dialects.common.types import Shape, shape_of
from mlc_dialects.iteration.indirect_index import expression
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.convolution import BACKWARD, CONVOLUTION
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, ReshapeOp, RollOp, SliceOp
from mlc_support.index_expr import product, variable

Channels = tuple[int, int]
"""The dimensions [begin, end)."""
PICTURE: Channels = (1, 2)
FOUR = 4
"""Channels of a group are computed by so many, where there are several."""
VOLUME = 5
RANKS = (4, VOLUME)
"""Dimensions of pictures: [N, C, H, W], and volumes: [N, C, D, H, W]."""
POOLS = (
    "aten.max_pool2d_with_indices.default", "aten.avg_pool2d.default", "aten._adaptive_avg_pool2d.default",
    "aten.adaptive_max_pool2d.default", "aten.upsample_nearest2d.default", "aten.upsample_bilinear2d.default",
    "aten.upsample_nearest2d.vec", "aten.upsample_bilinear2d.vec",
)  # fmt: skip
"""Calls that give in the layout they are given; positions they tell count within one picture."""

_SAME = (ElementwiseOp, CastOp, ReduceOp, ScanOp, CatOp, PadOp, SliceOp, RollOp)
"""Ops whose operands and results have their channels in one place."""


def last(channels: Channels, rank: int) -> tuple[int, ...]:
    """The permutation to channels last: dimension d of the result is dimension last[d] of the value."""
    begin, end = channels
    return (*range(begin), *range(end, rank), *range(begin, end))


def first(channels: Channels, rank: int) -> tuple[int, ...]:
    """The permutation back."""
    order = last(channels, rank)
    return tuple(order.index(d) for d in range(rank))


def is_convolution(op: Operation) -> bool:
    """A convolution of pictures or volumes, channels first, that the library computes channels last as well."""
    return is_call_of_convolution(op) and _is_picture(op.operands[0]) and not is_quicker_first(op)


def is_call_of_convolution(op: Operation) -> bool:
    """A convolution of any kind, or its gradients, channels first; how many groups it has is a number."""
    return _is_call(op, CONVOLUTION, BACKWARD) and isinstance(_groups(op), IntegerAttr)


def groups(call: Operation) -> IntegerAttr:
    """Into how many groups a convolution divides its channels."""
    count = _groups(call)
    assert isinstance(count, IntegerAttr)
    return count


def _groups(call: Operation) -> Attribute:
    assert isinstance(call, ExternOp)
    return call.argument_list()[-2 if call.callee.data == BACKWARD else -1]


def has_one_place(call: Operation) -> bool:
    """True for a convolution, not its gradients, of one place a side: products of matrices for each picture."""
    assert isinstance(call, ExternOp)
    places = shape_of(call.operands[1].type)[2:]
    return call.callee.data == CONVOLUTION and all(size.constant == 1 for size in places)


def is_product(call: Operation) -> bool:
    """True for a convolution of one place a side that takes all places, or those of one row: with no conversion.

    Measured with cuDNN on an H200: those that skip places of several rows take half of the time channels last.
    """
    if not has_one_place(call):
        return False
    places, taken = (shape_of(v.type)[2:] for v in (call.operands[0], call.results[0]))
    return places == taken or places[-2].constant == 1


def is_quicker_first(call: Operation) -> bool:
    """True for a convolution of groups that the library computes in less time channels first.

    Measured with cuDNN on an H200, of 1 to 5 places a side, in float32 and bfloat16. Pictures in groups of one channel,
    or of 4, 8, 16, 32 or 64, with as many in the result, take a fifth to four fifths of the time channels last. Groups
    of 2, 3 and 6, groups that give more channels than they take, and groups of several channels with one place a side
    take 1.1 to 17 times as long. Volumes in groups of several channels take as long, or an eighth in float32, unless a
    group gives other numbers of channels than it takes (1.25 times); in groups of one channel they take 2 to 10 times
    as long.
    """
    count = groups(call).value.data
    if count == 1:
        return False
    (taken, given) = (shape_of(v.type)[1].constant or 0 for v in _pair(call))
    each = taken // count
    if len(shape_of(call.operands[0].type)) == VOLUME:
        return taken != given or each == 1
    return taken != given or (each > 1 and (each % FOUR != 0 or has_one_place(call)))


def _pair(call: Operation) -> tuple[SSAValue, SSAValue]:
    """What a convolution takes, and what it gives or what stands for that in its backward pass."""
    assert isinstance(call, ExternOp)
    backward = call.callee.data == BACKWARD
    return (call.operands[1], call.operands[0]) if backward else (call.operands[0], call.results[0])


def pictures(call: Operation) -> list[SSAValue]:
    """The operands and results of a convolution that have channels: weights too."""
    return [v for v in (*call.operands, *call.results) if _is_picture(v)]


def _is_call(op: Operation, *names: str) -> bool:
    known = isinstance(op, ExternOp) and op.callee.data in names and op.impure is None
    return known and CHANNELS_LAST not in op.attributes


def asked(op: Operation, value: SSAValue, channels: Channels) -> list[tuple[SSAValue, Channels]] | None:
    """Where operands and results of `op` have their channels, if its `value` has them at `channels`.

    None if `op` has no meaning channels last. What is not named has no channels.
    """
    match op:
        case ExternOp():
            return _pictures(op) if channels == PICTURE else None
        case ReduceOp() if op.kind.data.startswith("arg") and len(op.reduced) > 1:
            return None  # positions count through all the dimensions, in their order
        case ReshapeOp():
            other = op.result if value == op.input else op.input
            moved = regrouped(channels, shape_of(value.type), shape_of(other.type))
            return [(value, channels), (other, moved)] if moved is not None else None
        case GatherOp():
            return _gathered(op, value, channels)
        case _ if _keeps_dimensions(op):
            return [(v, channels) for v in (*op.operands, *op.results)]
        case _:
            return None


def _pictures(op: ExternOp) -> list[tuple[SSAValue, Channels]] | None:
    """The operands and results of a call that are pictures; None if it is not known to compute channels last."""
    if not is_convolution(op) and not _is_call(op, *POOLS):
        return None
    return [(v, PICTURE) for v in pictures(op)]


def _keeps_dimensions(op: Operation) -> bool:
    """True if operands and results of `op` have their channels in one place."""
    return isinstance(op, _SAME) or (isinstance(op, BroadcastOp) and len(op.shape) == len(op.input_shape))


def regrouped(channels: Channels, source: Shape, target: Shape) -> Channels | None:
    """The dimensions of `target` that are the channels of `source`, under a reshape; None if it mixes them.

    reshape(x)'s dimensions before, of and behind the channels hold as many elements as x's.
    """
    begin, end = channels
    before, count = product(source[:begin]), product(source[begin:end])
    begins = [i for i in range(len(target)) if product(target[:i]) == before]
    for start in reversed(begins):
        for stop in range(start + 1, len(target) + 1):
            if product(target[start:stop]) == count:
                return start, stop
    return None


def _gathered(op: GatherOp, value: SSAValue, channels: Channels) -> list[tuple[SSAValue, Channels]] | None:
    """A gather that reads each channel at its own place: result[.., c, ..] is some input[.., c, ..]."""
    at = tuple(variable(f"i{d}", size) for d, size in enumerate(shape_of(op.result.type)))
    places = [expression(i, at) for i in op.indices]
    if value == op.input:
        read, given = channels, _run([at.index(p) if p in at else None for p in places[slice(*channels)]])
    else:
        read, given = _run([places.index(p) if p in places else None for p in at[slice(*channels)]]), channels
    if read is None or given is None:
        return None
    return [(op.input, read), *((v, given) for v in (*op.indices, op.result))]


def _run(dims: Sequence[int | None]) -> Channels | None:
    """[begin, end), where `dims` counts from begin to end."""
    start = dims[0]
    wanted = None if start is None else [*range(start, start + len(dims))]
    return (start, start + len(dims)) if start is not None and [*dims] == wanted else None


def _is_picture(value: SSAValue) -> bool:
    """True for a tensor [N, C, H, W] or [N, C, D, H, W]."""
    return isinstance(value.type, TensorType) and len(shape_of(value.type)) in RANKS
