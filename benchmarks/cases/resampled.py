"""Images of another size: what decoders of segmentation, detection and diffusion models enlarge, and its gradients.

A few cases have hand-picked sizes, those of `drawn` come from a fixed seed: how they interpolate, by how much, the
size, type and memory order.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, F32, Arg, Case, cases
from benchmarks.cases.layouts import channels_last, log_size, nhwc

MODES: dict[str, dict[str, Any]] = {
    "nearest": {"mode": "nearest"},
    "nearest, exact": {"mode": "nearest-exact"},
    "bilinear": {"mode": "bilinear"},
    "bilinear, corners": {"mode": "bilinear", "align_corners": True},
    "bicubic": {"mode": "bicubic"},
}
DIFFERENTIATED = ("nearest", "bilinear")
"""Modes of which gradients are measured."""
DRAWN_BYTES = 4e6, 64e6
"""Of the image that is read."""
SMALL = (2, 6, 16, 20)
"""The image in a smoke test."""


def resampled(x: torch.Tensor, scale: float, mode: str) -> torch.Tensor:
    return F.interpolate(x, scale_factor=scale, recompute_scale_factor=True, **MODES[mode])


def activated(x: torch.Tensor) -> torch.Tensor:
    """What stands before the next convolution of a decoder."""
    return F.silu(F.interpolate(x, scale_factor=2.0, mode="bilinear"))


resampling = cases("resampled")


def case(mode: str, scale: float, dtype: torch.dtype, last: bool, *shape: int) -> Case:
    """One image, channels first or `last`, by one mode."""
    text = f"{mode}, {scale:g} times, {str(dtype).removeprefix('torch.')} {'NHWC' if last else 'NCHW'}"
    image = Arg(shape, dtype, small=SMALL, view=channels_last if last else None)
    return resampling(f"{text} {'x'.join(map(str, shape))}", partial(resampled, scale=scale, mode=mode), image)


def drawn(seed: int, count: int) -> tuple[Case, ...]:
    """Images of random sizes, each by a mode in turn; a third of what has gradients is measured with them."""
    random = Random(seed)

    def one(k: int) -> Case:
        mode = [*MODES][k % len(MODES)]
        scale = random.choice((0.5, 1.5, 2.0, 2.0, 3.0, 4.0, round(random.uniform(1.1, 4.0), 2)))
        dtype, side, channels = random.choice((BF16, F32)), log_size(random, 12, 200), log_size(random, 16, 512)
        batch = max(1, round(log_size(random, *DRAWN_BYTES) / (side * side * channels * dtype.itemsize)))
        made = case(mode, scale, dtype, random.random() < 0.5, batch, channels, side, side)
        return made.backward(0) if mode in DIFFERENTIATED and random.random() < 0.33 else made

    return tuple(map(one, range(count)))


PLAIN = (16, 64, 128, 128)
CASES = (
    *(case(mode, 2.0, dtype, last, *PLAIN) for mode in MODES for dtype in (BF16, F32) for last in (False, True)),
    *(case(mode, 2.0, BF16, last, *PLAIN).backward(0) for mode in DIFFERENTIATED for last in (False, True)),
    resampling("bilinear, silu, bfloat16 NHWC 16x64x128x128", activated, nhwc(BF16, *PLAIN)),
    *drawn(31, 20),
)
