"""A call of the library, then a chain: convolutions and products of matrices with the pointwise ops that follow them.

All are drawn from a fixed seed: kind, sizes, type, and two to five steps. Channels first, as PyTorch has them, or
channels-last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, F32, Arg, Case, cases
from benchmarks.cases.layouts import channels_last

COUNT = 96
GROUPS = 4


def convolved(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, stride: int, groups: int) -> torch.Tensor:
    """A convolution of 1 to 3 dimensions, padded to the size of its input; depthwise where `groups` is 0."""
    convolution: Any = (F.conv1d, F.conv2d, F.conv3d)[x.ndim - 3]
    return convolution(x, w, b, stride=stride, padding=w.shape[-1] // 2, groups=groups or x.shape[1])


def transposed(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Twice the side."""
    return F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1)


def by_channel(y: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """A vector as it meets the channels of images, or the columns of matrices."""
    return v.view(-1, *[1] * (y.ndim - 2)) if y.ndim > 2 else v


def mean_of_places(y: torch.Tensor) -> torch.Tensor:
    return y.mean(tuple(range(2, y.ndim)), keepdim=True) if y.ndim > 2 else y.mean(-1, keepdim=True)


STEPS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "relu": lambda y, v: torch.relu(y),
    "gelu": lambda y, v: F.gelu(y),
    "silu": lambda y, v: F.silu(y),
    "hardswish": lambda y, v: F.hardswish(y),
    "sigmoid": lambda y, v: torch.sigmoid(y),
    "tanh": lambda y, v: torch.tanh(y),
    "mish": lambda y, v: F.mish(y),
    "leaky": lambda y, v: F.leaky_relu(y, 0.1),
    "clamp": lambda y, v: y.clamp(-1.0, 1.0),
    "twice": lambda y, v: y * 2.0,
    "scale": lambda y, v: y * by_channel(y, v),
    "shift": lambda y, v: y + by_channel(y, v),
    "itself": lambda y, v: y + torch.sigmoid(y) * y,
    "softmax": lambda y, v: torch.softmax(y, 1),
    "mean": lambda y, v: mean_of_places(y),
    "norm": lambda y, v: y * torch.rsqrt(y.square().mean(1, keepdim=True) + 1e-5),
}
"""Name to what it does to the result so far, with one number a channel."""


def chain(kind: Callable[..., torch.Tensor], steps: Sequence[str], *tensors: torch.Tensor) -> torch.Tensor:
    """`steps` behind a call of the library; the last tensor has a number for each channel of its result."""
    y = kind(*tensors[:-1])
    for step in steps:
        y = STEPS[step](y, tensors[-1])
    return y


def matrices(random: Random, dtype: torch.dtype) -> tuple[str, Callable[..., torch.Tensor], list[Arg]]:
    """A linear layer."""
    m, k, n = (random.choice(sizes) for sizes in ((512, 2048, 8192), (512, 768, 1024, 4096), (512, 1000, 3072, 4096)))
    args = [Arg((m, k), dtype), Arg((n, k), dtype), Arg((n,), dtype), Arg((n,), dtype)]
    return f"linear {m} x {k} x {n}", F.linear, args


def images(random: Random, dtype: torch.dtype) -> tuple[str, Callable[..., torch.Tensor], list[Arg]]:
    """A convolution: 1-D to 3-D, of 1 or 3 places a side, strided, grouped, depthwise or transposed."""
    kind = random.choice(("conv", "conv", "conv", "strided", "grouped", "depthwise", "transposed"))
    rank = random.choice((1, 2, 2, 2, 3)) if kind != "transposed" else 2
    batch, side = {1: (64, 1024), 2: (32, random.choice((28, 56, 112))), 3: (4, 28)}[rank]
    channels, out = random.choice((16, 64, 128)), random.choice((32, 64, 256))
    last = rank == 2 and random.random() < 0.5
    out = channels if kind == "depthwise" else out
    places = (random.choice((1, 3)) if kind != "transposed" else 3,) * rank
    each = {"grouped": channels // GROUPS, "depthwise": 1}.get(kind, channels)
    small = {"grouped": shrunk_channels(channels) // GROUPS}.get(kind)
    weights = (channels, out, *places) if kind == "transposed" else (out, each, *places)
    few = None if small is None else (shrunk_channels(out), small, *places)
    x = Arg((batch, channels, *[side] * rank), dtype, view=channels_last if last else None)
    function: Callable[..., torch.Tensor] = transposed
    if kind != "transposed":
        groups = {"grouped": GROUPS, "depthwise": 0}.get(kind, 1)
        function = partial(convolved, stride=2 if kind == "strided" else 1, groups=groups)
    name = f"{kind} {rank}-D {'x'.join(map(str, x.shape))} to {out}, {places[0]} a side{' NHWC' if last else ''}"
    return name, function, [x, Arg(weights, dtype, small=few), Arg((out,), dtype), Arg((out,), dtype)]


def shrunk_channels(channels: int) -> int:
    """What a smoke test makes of them."""
    return min(channels, 16)


def drawn(seed: int, count: int) -> tuple[Case, ...]:
    """As many, a third of them products of matrices; names tell all."""
    random, case = Random(seed), cases("chains")
    found: dict[str, Case] = {}
    while len(found) < count:
        dtype = random.choice((F32, BF16))
        name, kind, args = (matrices if random.random() < 1 / 3 else images)(random, dtype)
        steps = tuple(random.sample(list(STEPS), random.randint(2, 5)))
        name = f"{name} {'bf16' if dtype == BF16 else 'f32'}: {', '.join(steps)}"
        found[name] = case(name, partial(chain, kind, steps), *args)
    return tuple(found.values())


CASES = drawn(17, COUNT)
