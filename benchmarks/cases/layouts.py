"""Inputs that are not row after row: channels-last images and videos, transposed tensors, slices of larger ones.

The operations are those of convolutional networks, vision transformers and U-Nets. A few cases have hand-picked sizes,
those of `drawn` come from a fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log
from random import Random
from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, BOOL, F16, F32, Arg, Case, Shape, cases, wide
from benchmarks.cases.movement import rotate
from benchmarks.cases.norms import batch_norm, batch_norm_inference, group_norm_silu, layer_norm, rms_norm, softmax
from benchmarks.cases.regions import batch_norm_add_relu, batch_norm_relu, squeeze, squeeze_excite
from benchmarks.cases.regions_backward import batch_norm_backward, squeeze_excite_backward

View = Callable[[torch.Tensor], torch.Tensor]
DRAWN_BYTES = 8e6, 256e6
"""Of the one image of a drawn case."""


def channels_last(x: torch.Tensor) -> torch.Tensor:
    """An image [N, C, H, W] or a video [N, C, T, H, W] with its channels beside each other."""
    return x.contiguous(memory_format=torch.channels_last if x.ndim == 4 else torch.channels_last_3d)


def nhwc(dtype: torch.dtype, *shape: int) -> Arg:
    """Channels-last images or videos of this shape."""
    return Arg(shape, dtype, view=channels_last)


def viewed(dtype: torch.dtype, shape: Shape, view: View, small: Shape | None = None) -> Arg:
    """A view of a tensor of `shape`."""
    return Arg(shape, dtype, small=small, view=view)


def vectors(count: int, channels: int, dtype: torch.dtype = F32) -> tuple[Arg, ...]:
    """So many vectors of positive values, one a channel."""
    return (Arg((channels,), dtype, positive=True),) * count


def bias_gelu(x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.gelu(x + b[:, None, None])


def scale_shift(x: torch.Tensor, s: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.relu(x * s[:, None, None] + b[:, None, None])


def residual_relu(x: torch.Tensor, r: torch.Tensor) -> torch.Tensor:
    return torch.relu(x + r)


def dropout(x: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    return torch.where(keep, x * (1 / 0.9), 0)


def channel_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Layer norm over the channels of images, as ConvNeXt has it."""
    return layer_norm(x.permute(0, 2, 3, 1), w, b).permute(0, 3, 1, 2)


def channel_norm_by_hand(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The same as its authors wrote it for the other memory order."""
    f = wide(x)
    centred = f - f.mean(1, keepdim=True)
    y = centred / torch.sqrt(centred.square().mean(1, keepdim=True) + 1e-6)
    return (w[:, None, None] * y + b[:, None, None]).to(x.dtype)


def channel_sums(dy: torch.Tensor) -> torch.Tensor:
    """The gradient of a bias."""
    return dy.sum([d for d in range(dy.ndim) if d != 1])


def relu_channel_sums(dy: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    dx = torch.where(y > 0, dy, 0)
    return dx, channel_sums(dx)


def spatial_mean(x: torch.Tensor) -> torch.Tensor:
    """Global average pooling."""
    return x.mean(tuple(range(2, x.ndim)))


def quantize(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """8-bit integers with a scale a channel."""
    return torch.round(wide(x) / scale[:, None, None]).clamp(-128, 127).to(torch.int8)


def normalize_pixels(x: torch.Tensor, mean: torch.Tensor, deviation: torch.Tensor) -> torch.Tensor:
    """Bytes of images to the floats that a network reads, in rows of one channel."""
    return ((x * (1 / 255) - mean[:, None, None]) / deviation[:, None, None]).contiguous()


def temporal_shift(x: torch.Tensor) -> torch.Tensor:
    """An eighth of the channels [N, C, T, H, W] comes from the next frame, an eighth from the last."""
    eighth = x.shape[1] // 8
    ahead = F.pad(x[:, :eighth, 1:], (0, 0, 0, 0, 0, 1))
    behind = F.pad(x[:, eighth : 2 * eighth, :-1], (0, 0, 0, 0, 1, 0))
    return torch.cat([ahead, behind, x[:, 2 * eighth :]], 1)


def skip_connection(x: torch.Tensor, skip: torch.Tensor) -> torch.Tensor:
    """What a U-Net's decoder reads: twice as large an image beside that of its encoder."""
    return torch.cat([F.interpolate(x, scale_factor=2.0, mode="nearest"), skip], 1)


def swiglu(x: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
    return F.silu(g) * x


def log_size(random: Random, least: float, most: float) -> int:
    """A whole number whose logarithm is uniform between those of the bounds."""
    return round(exp(random.uniform(log(least), log(most))))


def drawn_image(random: Random, dtype: torch.dtype) -> Shape:
    """Images of a random number of channels and a random side: what is left of a random size is the batch."""
    side, channels = log_size(random, 7, 160), log_size(random, 24, 1024)
    batch = log_size(random, *DRAWN_BYTES) / (side * side * channels * dtype.itemsize)
    return max(2, round(batch)), channels, side, side


def drawn(seed: int, count: int) -> tuple[Case, ...]:
    """Operations in turn, each on channels-last images of a random size and type."""
    random = Random(seed)

    def one(k: int) -> Case:
        name, function, parts, is_by_row = DRAWN[k % len(DRAWN)]
        dtype = random.choice((BF16, F16, F32))
        shape = drawn_image(random, dtype)
        kinds = {"image": nhwc(dtype, *shape), "plain": Arg(shape, dtype), "keep": nhwc(BOOL, *shape)}
        args = [kinds[part] if part in kinds else vectors(1, shape[1])[0] for part in parts.split()]
        rows = tuple(i for i, a in enumerate(args) if len(a.shape) > 1) if is_by_row else ()
        size = f"{str(dtype).removeprefix('torch.')} {'x'.join(map(str, shape))}"
        return layout(f"drawn: {name} {size}", function, *args, rows=rows)

    return tuple(map(one, range(count)))


DRAWN: tuple[tuple[str, Callable[..., Any], str, bool], ...] = (
    ("silu", F.silu, "image", True),
    ("batch norm + relu forward", batch_norm_relu, "image vector vector vector vector", False),
    ("channel sums", channel_sums, "image", False),
    ("residual + relu, one NCHW", residual_relu, "image plain", True),
    ("batch norm + relu backward", batch_norm_backward, "image image image vector vector vector", False),
    ("global average pooling", spatial_mean, "image", True),
    ("dropout", dropout, "image keep", True),
    ("softmax over channels", lambda x: torch.softmax(x, 1), "image", True),
    ("scale, shift and relu", scale_shift, "image vector vector", True),
    ("to rows of one channel", lambda x: x.contiguous(), "image", True),
)
"""Name, function, inputs, and whether a piece of the batch gives that piece of the results."""

layout = cases("layouts")
HEADS = Arg((8, 2048, 32, 64), BF16, view=lambda x: x.transpose(1, 2))
FRAME = (slice(None), slice(None), slice(1, -1), slice(1, -1))

CASES = (
    # Pointwise.
    layout("silu bf16 NHWC 64x256x56x56", F.silu, nhwc(BF16, 64, 256, 56, 56), rows=(0,)),
    layout("silu f32 NHWC 8x3x1024x1024", F.silu, nhwc(F32, 8, 3, 1024, 1024), rows=(0,)),
    layout("bias + gelu f16 NHWC 64x384x28x28", bias_gelu, nhwc(F16, 64, 384, 28, 28), Arg((384,), F16), rows=(0,)),
    layout("bias + gelu bf16 NHWC 57x81x57x57", bias_gelu, nhwc(BF16, 57, 81, 57, 57), Arg((81,), BF16), rows=(0,)),
    layout("residual + relu bf16 NHWC 128x1024x14x14", residual_relu, *[nhwc(BF16, 128, 1024, 14, 14)] * 2, rows=(0, 1)),
    layout("residual + relu f32 NHWC 256x512x7x7", residual_relu, *[nhwc(F32, 256, 512, 7, 7)] * 2, rows=(0, 1)),
    layout("scale, shift and relu f32 NHWC 64x128x56x56", scale_shift, nhwc(F32, 64, 128, 56, 56), *vectors(2, 128), rows=(0,)),
    layout("scale, shift and relu f16 NHWC 333x81x27x27", scale_shift, nhwc(F16, 333, 81, 27, 27), *vectors(2, 81, F16), rows=(0,)),
    layout("dropout f16 NHWC 32x320x64x64", dropout, nhwc(F16, 32, 320, 64, 64), nhwc(BOOL, 32, 320, 64, 64), rows=(0, 1)),
    # Batch norm.
    layout("batch norm + relu forward bf16 NHWC 64x256x56x56", batch_norm_relu, nhwc(BF16, 64, 256, 56, 56), *vectors(4, 256)),
    layout("batch norm + relu forward f32 NHWC 64x64x112x112", batch_norm_relu, nhwc(F32, 64, 64, 112, 112), *vectors(4, 64)),
    layout("batch norm + relu forward f16 NHWC 256x2048x7x7", batch_norm_relu, nhwc(F16, 256, 2048, 7, 7), *vectors(4, 2048)),
    layout("batch norm + relu forward bf16 NHWC 100x81x27x27", batch_norm_relu, nhwc(BF16, 100, 81, 27, 27), *vectors(4, 81)),
    layout("batch norm + add + relu bf16 NHWC 128x512x28x28", batch_norm_add_relu, *[nhwc(BF16, 128, 512, 28, 28)] * 2, *vectors(2, 512, BF16)),
    layout("batch norm + relu backward bf16 NHWC 64x256x56x56", batch_norm_backward, *[nhwc(BF16, 64, 256, 56, 56)] * 3, *vectors(3, 256)),
    layout("batch norm + relu backward f16 NHWC 128x1024x14x14", batch_norm_backward, *[nhwc(F16, 128, 1024, 14, 14)] * 3, *vectors(3, 1024)),
    layout("batch norm + relu backward f32 NHWC 31x96x57x57", batch_norm_backward, *[nhwc(F32, 31, 96, 57, 57)] * 3, *vectors(3, 96)),
    layout("batch norm inference + relu bf16 NHWC 128x512x28x28", batch_norm_inference, nhwc(BF16, 128, 512, 28, 28), *vectors(4, 512, BF16), rows=(0,)),
    # Squeeze-excite.
    layout("silu + squeeze f16 NHWC 128x288x28x28", squeeze, nhwc(F16, 128, 288, 28, 28), rows=(0,)),
    layout("squeeze-excite + residual bf16 NHWC 64x256x56x56", squeeze_excite, nhwc(BF16, 64, 256, 56, 56), Arg((64, 256), BF16), nhwc(BF16, 64, 256, 56, 56), rows=(0, 1, 2)),
    layout("squeeze-excite + residual f32 NHWC 64x672x14x14", squeeze_excite, nhwc(F32, 64, 672, 14, 14), Arg((64, 672)), nhwc(F32, 64, 672, 14, 14), rows=(0, 1, 2)),
    layout("squeeze-excite backward bf16 NHWC 64x240x28x28", squeeze_excite_backward, *[nhwc(BF16, 64, 240, 28, 28)] * 2, Arg((64, 240), BF16), rows=(0, 1, 2)),
    # Other norms and softmax.
    layout("group norm + silu bf16 NHWC 16x320x64x64", group_norm_silu, nhwc(BF16, 16, 320, 64, 64), rows=(0,)),
    layout("group norm + silu f16 NHWC 8x128x256x256", group_norm_silu, nhwc(F16, 8, 128, 256, 256), rows=(0,)),
    layout("instance norm f32 NHWC 16x64x128x128", lambda x: F.instance_norm(x), nhwc(F32, 16, 64, 128, 128), rows=(0,)),
    layout("layer norm over channels bf16 NHWC 64x192x56x56", channel_norm, nhwc(BF16, 64, 192, 56, 56), *vectors(2, 192, BF16), rows=(0,)),
    layout("layer norm over channels f32 NHWC 64x768x14x14", channel_norm, nhwc(F32, 64, 768, 14, 14), *vectors(2, 768), rows=(0,)),
    layout("layer norm over channels bf16 NCHW 64x96x56x56", channel_norm, Arg((64, 96, 56, 56), BF16), *vectors(2, 96, BF16), rows=(0,)),
    layout("layer norm over channels by hand f16 NHWC 64x384x28x28", channel_norm_by_hand, nhwc(F16, 64, 384, 28, 28), *vectors(2, 384, F16), rows=(0,)),
    layout("softmax over channels f32 NHWC 16x19x512x512", lambda x: torch.softmax(x, 1), nhwc(F32, 16, 19, 512, 512), rows=(0,)),
    layout("log_softmax over channels bf16 NHWC 8x150x256x256", lambda x: F.log_softmax(x, 1), nhwc(BF16, 8, 150, 256, 256), rows=(0,)),
    layout("argmax over channels f16 NHWC 8x81x257x257", lambda x: x.argmax(1), nhwc(F16, 8, 81, 257, 257), rows=(0,)),
    # Sums and pooling.
    layout("channel sums bf16 NHWC 64x256x56x56", channel_sums, nhwc(BF16, 64, 256, 56, 56)),
    layout("channel sums f32 NHWC 32x3x512x512", channel_sums, nhwc(F32, 32, 3, 512, 512)),
    layout("relu backward + channel sums f16 NHWC 128x512x27x27", relu_channel_sums, *[nhwc(F16, 128, 512, 27, 27)] * 2),
    layout("global average pooling bf16 NHWC 256x2048x7x7", spatial_mean, nhwc(BF16, 256, 2048, 7, 7), rows=(0,)),
    layout("global average pooling f32 NHWC 64x1280x14x14", spatial_mean, nhwc(F32, 64, 1280, 14, 14), rows=(0,)),
    layout("max pooling 3x3 bf16 NHWC 64x64x112x112", lambda x: F.max_pool2d(x, 3, 2, 1), nhwc(BF16, 64, 64, 112, 112), rows=(0,)),
    layout("max pooling 2x2 f32 NHWC 16x128x128x128", lambda x: F.max_pool2d(x, 2), nhwc(F32, 16, 128, 128, 128), rows=(0,)),
    layout("average pooling 2x2 f16 NHWC 64x256x56x56", lambda x: F.avg_pool2d(x, 2), nhwc(F16, 64, 256, 56, 56), rows=(0,)),
    layout("average pooling 3x3 bf16 NHWC 64x128x57x57", lambda x: F.avg_pool2d(x, 3, 1, 1), nhwc(BF16, 64, 128, 57, 57), rows=(0,)),
    # Movement.
    layout("concatenate channels bf16 NHWC", lambda x, y: torch.relu(torch.cat([x, y], 1)), nhwc(BF16, 32, 320, 64, 64), nhwc(BF16, 32, 640, 64, 64), rows=(0, 1)),
    layout("concatenate 4 channels f32 NHWC", lambda *x: torch.cat(x, 1), *(nhwc(F32, 64, c, 27, 27) for c in (128, 32, 81, 3)), rows=(0, 1, 2, 3)),
    layout("pad f16 NHWC 32x128x112x112", lambda x: F.pad(x, (1, 1, 1, 1)), nhwc(F16, 32, 128, 112, 112), rows=(0,)),
    layout("upsample nearest bf16 NHWC 16x320x32x32", lambda x: F.interpolate(x, scale_factor=2.0, mode="nearest"), nhwc(BF16, 16, 320, 32, 32), rows=(0,)),
    layout("upsample + skip connection f16 NHWC", skip_connection, viewed(F16, (16, 256, 32, 32), channels_last, (16, 16, 8, 8)), nhwc(F16, 16, 128, 64, 64), rows=(0, 1)),
    layout("pixel shuffle f32 NHWC 16x48x256x256", lambda x: F.pixel_shuffle(x, 4), nhwc(F32, 16, 48, 256, 256), rows=(0,)),
    layout("pixel unshuffle bf16 NHWC 16x64x128x128", lambda x: F.pixel_unshuffle(x, 2), nhwc(BF16, 16, 64, 128, 128), rows=(0,)),
    layout("NHWC beside NCHW bf16 64x256x56x56", residual_relu, nhwc(BF16, 64, 256, 56, 56), Arg((64, 256, 56, 56), BF16), rows=(0, 1)),
    layout("NCHW beside NHWC f32 128x81x27x27", residual_relu, Arg((128, 81, 27, 27), F32), nhwc(F32, 128, 81, 27, 27), rows=(0, 1)),
    layout("NHWC to NCHW f16 64x128x56x56", lambda x: x.contiguous(), nhwc(F16, 64, 128, 56, 56), rows=(0,)),
    layout("NCHW to NHWC f32 64x3x384x384", channels_last, Arg((64, 3, 384, 384)), rows=(0,)),
    layout("bytes to normalised NCHW f32 64x3x224x224", normalize_pixels, viewed(torch.uint8, (64, 224, 224, 3), lambda x: x.permute(0, 3, 1, 2)), *vectors(2, 3), rows=(0,)),
    layout("cast and scale to bf16 NHWC 64x192x56x56", lambda x, s: (x * s[:, None, None]).to(s.dtype), nhwc(F32, 64, 192, 56, 56), *vectors(1, 192, BF16), rows=(0,)),
    layout("quantise to 8 bits bf16 NHWC 64x256x28x28", quantize, nhwc(BF16, 64, 256, 28, 28), *vectors(1, 256), rows=(0,)),
    # Videos.
    layout("silu bf16 NTHWC 4x128x16x56x56", F.silu, nhwc(BF16, 4, 128, 16, 56, 56), rows=(0,)),
    layout("batch norm + relu f16 NTHWC 8x64x16x56x56", batch_norm, nhwc(F16, 8, 64, 16, 56, 56)),
    layout("group norm + silu f32 NTHWC 2x128x9x60x90", group_norm_silu, nhwc(F32, 2, 128, 9, 60, 90), rows=(0,)),
    layout("global average pooling bf16 NTHWC 16x432x16x12x12", spatial_mean, nhwc(BF16, 16, 432, 16, 12, 12), rows=(0,)),
    layout("temporal shift f16 NTHWC 8x256x8x28x28", temporal_shift, nhwc(F16, 8, 256, 8, 28, 28), rows=(0,)),
    # Slices.
    layout("residual + relu of an interior bf16 64x128x56x56", residual_relu, viewed(BF16, (64, 128, 58, 58), lambda x: x[FRAME]), Arg((64, 128, 56, 56), BF16), rows=(0, 1)),
    layout("silu of an interior f32 NHWC 32x64x112x112", F.silu, viewed(F32, (32, 64, 114, 114), lambda x: channels_last(x)[FRAME]), rows=(0,)),
    layout("gelu of every other column f16 32768x2048", F.gelu, viewed(F16, (32768, 4096), lambda x: x[..., ::2]), rows=(0,)),
    layout("layer norm of q of a fused qkv bf16 16384x1024", layer_norm, viewed(BF16, (16384, 3072), lambda x: x.chunk(3, -1)[0], (16, 48)), *[Arg((1024,), BF16)] * 2, rows=(0,)),
    layout("rms norm of k heads of a fused qkv bf16", rms_norm, viewed(BF16, (8192, 3, 24, 128), lambda x: x[:, 1]), Arg((128,), BF16), rows=(0,)),
    layout("swiglu of the halves of one product bf16", swiglu, *(viewed(BF16, (8192, 2 * 5632), lambda x, k=k: x.chunk(2, -1)[k]) for k in (0, 1)), rows=(0, 1)),
    layout("silu of half the channels bf16 NHWC 64x128x56x56", F.silu, viewed(BF16, (64, 256, 56, 56), lambda x: channels_last(x).chunk(2, 1)[1]), rows=(0,)),
    layout("channel sums of half the channels f32 NCHW 64x96x57x57", channel_sums, viewed(F32, (64, 192, 57, 57), lambda x: x.narrow(1, x.shape[1] // 2, x.shape[1] // 2))),
    # Transposed.
    layout("rotary of transposed heads bf16 8x32x2048x64", rotate, HEADS, *[Arg((2048, 64), BF16)] * 2, rows=(0,)),
    layout("heads to rows f16 16x16x1024x64", lambda x: x.transpose(1, 2).flatten(2).contiguous(), Arg((16, 16, 1024, 64), F16), rows=(0,)),
    layout("layer norm of a permuted input f32 577x64x768", layer_norm, viewed(F32, (577, 64, 768), lambda x: x.transpose(0, 1)), Arg((768,)), Arg((768,)), rows=(0,)),
    layout("layer norm of flattened images bf16 64x196x768", layer_norm, viewed(BF16, (64, 768, 14, 14), lambda x: x.flatten(2).transpose(1, 2)), Arg((768,), BF16), Arg((768,), BF16), rows=(0,)),
    layout("softmax of transposed scores bf16 8x16x1024x1000", softmax, viewed(BF16, (8, 16, 1000, 1024), lambda x: x.transpose(-1, -2)), rows=(0,)),
    layout("bias + gelu of a transposed product f16 4096x8192", lambda x, b: F.gelu(x + b), viewed(F16, (8192, 4096), torch.t), Arg((8192,), F16), rows=(0,)),
    *drawn(20, 20),
)  # fmt: skip
