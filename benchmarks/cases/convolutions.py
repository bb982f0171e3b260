"""Blocks of convolutional networks: ResNet, MobileNet and ConvNeXt, in inference and in training.

Images are channels-last, as tensor cores have them, unless the name says NCHW.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, Arg, Case, cases, weights
from benchmarks.cases.layouts import nhwc, vectors
from benchmarks.cases.norms import layer_norm

Tensor = torch.Tensor
case = cases("convolutions")


def convolved(x: Tensor, w: Tensor) -> Tensor:
    """Padded to the size of its input; depthwise where the weights have one channel."""
    return F.conv2d(x, w, padding=w.shape[-1] // 2, groups=x.shape[1] if w.shape[1] == 1 else 1)


def normed(x: Tensor, w: Tensor, *norm: Tensor) -> Tensor:
    """A convolution and its batch norm: mean, variance, scale and shift; of the batch where the first two are left."""
    mean, var = norm[:-2] or (None, None)
    return F.batch_norm(convolved(x, w), mean, var, *norm[-2:], training=mean is None)


def split(of: tuple[Tensor, ...], count: int) -> list[tuple[Tensor, ...]]:
    """The parameters of so many convolutions, as many of each."""
    each = len(of) // count
    return [of[k * each : (k + 1) * each] for k in range(count)]


def conv_relu(x: Tensor, *parameters: Tensor) -> Tensor:
    return F.relu(normed(x, *parameters))


def basic(x: Tensor, *parameters: Tensor) -> Tensor:
    """ResNet-18 and 34."""
    a, b = split(parameters, 2)
    return F.relu(x + normed(F.relu(normed(x, *a)), *b))


def bottleneck(x: Tensor, *parameters: Tensor) -> Tensor:
    """ResNet-50."""
    a, b, c = split(parameters, 3)
    return F.relu(x + normed(F.relu(normed(F.relu(normed(x, *a)), *b)), *c))


def inverted(x: Tensor, *parameters: Tensor) -> Tensor:
    """MobileNetV2."""
    a, b, c = split(parameters, 3)
    return x + normed(F.relu6(normed(F.relu6(normed(x, *a)), *b)), *c)


def excited(x: Tensor, down: Tensor, up: Tensor, *parameters: Tensor) -> Tensor:
    """MobileNetV3: channels are weighed by what is in them."""
    a, b, c = split(parameters, 3)
    y = F.hardswish(normed(F.hardswish(normed(x, *a)), *b))
    weights = F.hardsigmoid(convolved(F.relu(convolved(y.mean((2, 3), keepdim=True), down)), up))
    return x + normed(y * weights, *c)


def convnext(x: Tensor, w: Tensor, b: Tensor, scale: Tensor, shift: Tensor, up: Tensor, c: Tensor, down: Tensor,
             d: Tensor, gamma: Tensor) -> Tensor:  # fmt: skip
    """Depthwise, then a norm, two linear layers and a scale over channels."""
    y = F.conv2d(x, w, b, padding=3, groups=x.shape[1]).permute(0, 2, 3, 1)
    y = F.linear(F.gelu(F.linear(layer_norm(y, scale, shift), up, c)), down, d)
    return x + (gamma * y).permute(0, 3, 1, 2)


def convolutions_alone(x: Tensor, *parameters: Tensor) -> Tensor:
    """Each convolution of the block on what the one before gives."""
    for w in parameters:
        x = convolved(x, w) if w.ndim == 4 and w.shape[1] in (1, x.shape[1]) else x
    return x


def convnext_alone(x: Tensor, w: Tensor, *parameters: Tensor) -> Tensor:
    up, down = (p for p in parameters if p.ndim == 2)
    y = F.conv2d(x, w, padding=3, groups=x.shape[1]).permute(0, 2, 3, 1)
    return F.linear(F.linear(y, up), down).permute(0, 3, 1, 2)


def kernels(out: int, channels: int, side: int) -> Arg:
    """Of a convolution; scaled so that its results are about as large as its inputs."""
    size = (channels * side * side) ** -0.5
    return Arg(
        (out, channels, side, side), BF16, view=lambda w: (w * size).contiguous(memory_format=torch.channels_last)
    )


def with_norm(kernel: Arg, training: bool = False) -> tuple[Arg, ...]:
    """The parameters of a convolution and its batch norm; in training the statistics are the batch's."""
    return (kernel, *vectors(2 if training else 4, kernel.shape[0]))


def block(name: str, function: Any, x: Arg, *parameters: Arg) -> Case:
    alone = convnext_alone if function is convnext else convolutions_alone
    return case(name, function, x, *parameters, beside={"products": alone})


def images(batch: int, channels: int, side: int, last: bool = True) -> tuple[Arg, str]:
    """Images, and what a name says of them."""
    shape = (batch, channels, side, side)
    text = f"{'x'.join(map(str, shape))} bf16"
    return (nhwc(BF16, *shape), text) if last else (Arg(shape, BF16), f"{text} NCHW")


def resnet(batch: int, channels: int, side: int, inner: int, training: bool = False, last: bool = True) -> Case:
    """A bottleneck, or a basic block where `inner` is as wide."""
    x, text = images(batch, channels, side, last)
    if inner == channels:
        made = with_norm(kernels(channels, channels, 3), training) * 2
        return block(f"basic block {text}", basic, x, *made)
    sizes = (inner, channels, 1), (inner, inner, 3), (channels, inner, 1)
    made = [p for size in sizes for p in with_norm(kernels(*size), training)]
    return block(f"bottleneck {text}", bottleneck, x, *made)


def mobilenet(batch: int, channels: int, side: int, inner: int, squeezed: int = 0, training: bool = False) -> Case:
    """An inverted residual, whose channels are weighed where there is a size to squeeze them to."""
    x, text = images(batch, channels, side)
    sizes = (inner, channels, 1), (inner, 1, 5 if squeezed else 3), (channels, inner, 1)
    made = [p for size in sizes for p in with_norm(kernels(*size), training)]
    if not squeezed:
        return block(f"inverted residual {text}", inverted, x, *made)
    squeeze = kernels(squeezed, inner, 1), kernels(inner, squeezed, 1)
    return block(f"inverted residual, excited {text}", excited, x, *squeeze, *made)


def convnext_block(batch: int, channels: int, side: int) -> Case:
    x, text = images(batch, channels, side)
    narrow, wide = vectors(4, channels, BF16), vectors(1, 4 * channels, BF16)
    bias, scale, shift, gamma = narrow
    up, down = weights(4 * channels, channels), weights(channels, 4 * channels)
    made = (kernels(channels, 1, 7), bias, scale, shift, up, *wide, down, bias, gamma)
    return block(f"ConvNeXt block {text}", convnext, x, *made)


def with_gradients(forward: Case) -> Case:
    """A step of training, with the gradients of images and all parameters."""
    return forward.backward(*range(len(forward.args)))


CASES = (
    block("conv, norm, relu 64x64x56x56 bf16", conv_relu, nhwc(BF16, 64, 64, 56, 56), *with_norm(kernels(64, 64, 3))),
    block("1x1, norm, relu 64x256x56x56 bf16", conv_relu, nhwc(BF16, 64, 256, 56, 56), *with_norm(kernels(64, 256, 1))),
    block(
        "depthwise, norm, relu 64x144x56x56 bf16",
        conv_relu,
        nhwc(BF16, 64, 144, 56, 56),
        *with_norm(kernels(144, 1, 3)),
    ),
    resnet(64, 64, 56, 64),
    resnet(64, 256, 56, 64),
    resnet(64, 256, 56, 64, last=False),
    resnet(64, 1024, 14, 256),
    mobilenet(64, 24, 56, 144),
    mobilenet(64, 40, 28, 240, squeezed=64),
    convnext_block(64, 96, 56),
    convnext_block(64, 384, 14),
)
BACKWARD = tuple(
    map(
        with_gradients,
        (
            resnet(64, 256, 56, 64, training=True),
            resnet(64, 1024, 14, 256, training=True),
            mobilenet(64, 24, 56, 144, training=True),
            convnext_block(64, 96, 56),
        ),
    )
)
