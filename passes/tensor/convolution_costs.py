"""How long convolutions take: by the library, and by kernels of ours."""

from __future__ import annotations

from mlc_dialects.common.types import element_type, is_half, shape_of
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.convolution import Convolution
from mlc_support.index_expr import product
from mlc_support.powers import power_mean
from passes.common.device import WIDEST_BYTES, Device
from passes.common.product_parts import product_parts
from passes.common.product_tiling import LEAST, Sizes, best_tiling
from passes.tensor.epilogues import epilogue_of
from passes.tensor.fusion.decision import elements_of, value_bytes
from passes.tensor.product_costs import ALONE, library_us, tensor_rate

CALL_US = 3.0
"""Of the library: what a call takes besides, microseconds; what follows is fitted to that."""
LIBRARY_BLOCKS = {(128, 256): 1.0, (128, 128): 0.95, (128, 64): 0.7, (64, 64): 0.56, (256, 32): 0.42}
"""Places and channels of a block of the library's kernels, and what these reach of the rate of the largest.

Fitted with `convolution_share` and `RARE` to 48 convolutions on an H200 and to a VGG-16, which it predicts within 20 %
mostly.
"""
RARE = 1.5
"""Times as long take convolutions of other than 1 or 3 places a side, of strides beyond 1, or of groups."""
APART = 4.0
"""Times as long take those of patches, which do not overlap. In a SegFormer four of them, of 2 x 2 and 4 x 4 places,
are predicted to take 10 us each, on either side; on an H200 the four took the library 0.26 ms longer."""

LAID_OUT_SHARE = 1 / 16
"""Of the bandwidth, at which the library changes the layout of pictures for groups of channels that are no power of
two, and back. Measured on an H200, of groups of 24, 40, 48 and 56: 1/14 to 1/40."""

DEPTHWISE_SHARE, LIBRARY_DEPTHWISE_SHARE = 0.29, 0.2
"""Of the rate of float32, what convolutions of single channels reach: by kernels of ours, and by the library."""
DEPTHWISE_POWER = 1.7
"""Of the mean of their operations and traffic, which overlap in part. Measured on an H200, windows of 3 to 7 a side."""


def convolution_sizes(op: ExternOp, device: Device) -> Sizes | None:
    """The sizes of a convolution as the products that a kernel of ours computes; None where none can.

    Their rows are the places of the result; the summed axis goes through the channels of each place of the window. Each
    group of channels has a product of its own.
    """
    x, weight, result = op.inputs[0], op.inputs[1], op.results[0]
    element, shape, groups = element_type(result.type), shape_of(weight.type), Convolution.of(op).groups
    places, window = product(shape_of(result.type)[:-1]).constant, product(shape[1:-1]).constant
    outputs, channels = shape[0].constant, shape[-1].constant
    if not is_half(element) or tensor_rate(element, device, False) is None:
        return None
    if not (outputs and channels and places and window) or min(outputs // groups, window * channels) < LEAST:
        return None
    read, run = value_bytes(x) + value_bytes(weight), channels if window > 1 else 0
    whole = window == groups == 1 and elements_of(x) == places * channels  # of each place all channels, of all places
    sizes = Sizes(
        places, outputs // groups, window * channels, batch=groups, row_step=outputs, element_bytes=2, run=run,
        read=read, described=whole,
    )  # fmt: skip
    return sizes if channels * sizes.element_bytes % WIDEST_BYTES == 0 and best_tiling(sizes, device) else None


def is_quicker_convolution(op: ExternOp, sizes: Sizes, device: Device) -> bool:
    """True if a kernel of ours is predicted to take less time than the library, and the kernel behind it."""
    behind = epilogue_of(op.results[0], device)
    fused = sizes if behind is None else behind.told(sizes)
    ours = product_parts(fused, device)
    library = _library_us(op, sizes, device) + _laid_out_us(op, device)
    most = ALONE * library if behind is None else library + behind.spared_us
    return ours is not None and ours.us < most


def _library_us(op: ExternOp, sizes: Sizes, device: Device) -> float:
    """Microseconds of the library, by the blocks that take it least, in waves that are all as long."""
    found, (_, *places, _) = Convolution.of(op), shape_of(op.inputs[1].type)
    sides = [size.constant for size in places]
    is_rare = found.groups > 1 or max(found.stride) > 1 or any(side not in (1, 3) for side in sides)
    is_patch = sides == [*found.stride] and max(found.stride) > 1
    shares = (_filled(sizes, rows, columns, device) * share for (rows, columns), share in LIBRARY_BLOCKS.items())
    slower = APART if is_patch else RARE if is_rare else 1.0
    share = device.convolution_share * max(shares) / slower
    return library_us(sizes, device, share, CALL_US)


def _filled(sizes: Sizes, rows: int, columns: int, device: Device) -> float:
    """Of the work of whole waves of blocks, the share that gives results."""
    blocks = sizes.batch * -(-sizes.m // rows) * -(-sizes.n // columns)
    places = -(-blocks // device.multiprocessors) * device.multiprocessors * rows * columns
    return sizes.batch * sizes.m * sizes.n / places


def _laid_out_us(op: ExternOp, device: Device) -> float:
    """Microseconds that the library takes to lay out pictures for its kernels of groups, and the result as before."""
    channels = shape_of(op.inputs[1].type)[-1].constant or 0
    moved = value_bytes(op.inputs[0]) + value_bytes(op.results[0])
    is_taken = Convolution.of(op).groups == 1 or channels & (channels - 1) == 0
    return 0.0 if is_taken else device.traffic_us(moved, moved) / LAID_OUT_SHARE


def is_quicker_depthwise(op: ExternOp, device: Device) -> bool:
    """The same of a convolution of single channels, which tensor cores do not compute."""
    ours = _depthwise_us(op, device, DEPTHWISE_SHARE)
    library = _depthwise_us(op, device, LIBRARY_DEPTHWISE_SHARE) + CALL_US
    behind = epilogue_of(op.results[0], device)
    return ours < library + (0.0 if behind is None else behind.gained_us(op.results[0], device))


def _depthwise_us(op: ExternOp, device: Device, share: float) -> float:
    """Microseconds at a share of the rate of float32."""
    x, weight, result = op.inputs[0], op.inputs[1], op.results[0]
    moved = value_bytes(x) + value_bytes(result)
    places = elements_of(weight) // max(1, shape_of(x.type)[-1].constant or 1)
    flops_us = device.arithmetic_us(2 * elements_of(result) * places) / share
    return power_mean((flops_us, device.traffic_us(moved, moved)), DEPTHWISE_POWER) + device.launch_us
