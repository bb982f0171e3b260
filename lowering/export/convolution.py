"""The gradients of a convolution as convolutions."""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import SSAValue

from mlc_dialects.common.types import element_type, shape_of
from mlc_dialects.tensor.arguments import Arguments
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.composites import cast, wide
from mlc_dialects.tensor.convolution import BACKWARD, NAMES, Convolution, constant_sizes
from mlc_dialects.tensor.ops import ReduceOp
from mlc_dialects.tensor.views import PermuteOp, ReshapeOp, SliceOp


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
        wanted = constant_sizes(x)
        shape = [windows[d - found.spatial[0]] if d in found.spatial else n for d, n in enumerate(wanted)]
        return _first(turned.call(gradient, weight, shape), wanted)
    numbers = zip(found.spatial, found.stride, found.padding, found.dilation, strict=True)
    taken, given, taps = map(constant_sizes, (x, gradient, weight))
    more = tuple(
        taken[d] - ((given[d] - 1) * step - 2 * edge + apart * (taps[d] - 1) + 1) for d, step, edge, apart in numbers
    )
    return replace(found, transposed=True, more=more).call(gradient, weight, taken)


def _of_weight(found: Convolution, x: SSAValue, gradient: SSAValue, weight: SSAValue) -> SSAValue:
    """x and the gradient as if channels were a batch and the batch were channels; steps and dilation change places."""
    turned = replace(
        found, stride=found.dilation, dilation=found.stride, transposed=False, more=(0,) * len(found.stride)
    )
    windows, wanted = turned.windows(x, gradient), constant_sizes(weight)
    shape = [wanted[found.channels], *windows, wanted[0]] if found.channels_last else [wanted[1], wanted[0], *windows]
    order = _swapped(len(shape), found.channels)
    result = turned.call(_by_groups(found, x), PermuteOp(gradient, order).result, shape)
    cut = [wanted[d] if d in found.spatial else n for d, n in enumerate(shape)]
    return PermuteOp(_first(result, cut), order).result


def _first(value: SSAValue, shape: list[int]) -> SSAValue:
    """So many elements of each dimension from the start on."""
    start, step = [0] * len(shape), [1] * len(shape)
    return value if constant_sizes(value) == shape else SliceOp(value, start, step, shape).result


def _by_groups(found: Convolution, x: SSAValue) -> SSAValue:
    """x with a channel of each group in place of its batch, and group by group its batch in place of channels."""
    shape, channels = constant_sizes(x), found.channels
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
    shape = constant_sizes(gradient)
    dims = [d for d in range(len(shape)) if d != found.channels]
    total = ReduceOp("add", wide(gradient), dims).result
    return ReshapeOp(cast(total, element_type(gradient.type)), [shape[found.channels]]).result


def _swapped(rank: int, channels: int) -> list[int]:
    """The order in which the batch and the channels change places."""
    order = list(range(rank))
    order[0], order[channels] = channels, 0
    return order
