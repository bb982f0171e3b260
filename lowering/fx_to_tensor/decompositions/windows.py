"""Windows: which inputs each output of a pool combines, along each dimension, and the other way round.

Along one dimension output o combines inputs place(o, k), k = 0, 1, ..., and input h is read by the outputs
reader(h, t), t = 0, 1, .... Both are arithmetic on counted numbers, which the compiler keeps as index
expressions. What a window has beyond the edge is padding: tensors are padded so that every place exists.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import torch
from torch import Tensor

Place = Tensor | int

UNROLLED = 32
"""Windows of up to this many elements are combined one by one, larger ones by a reduction."""


@dataclass(frozen=True)
class Axis(ABC):
    """One pooled dimension of `size` inputs and `out` outputs, windows of up to `taps` inputs."""

    size: int
    out: int
    taps: int
    low: int
    """Padding before the first input."""
    readers: int
    """How many outputs at most may read one input."""

    @property
    def high(self) -> int:
        """Padding after the last input, for the window that reaches farthest."""
        last = max(int(self.place(o, self.taps - 1)) for o in (0, self.out - 1))
        return max(0, last + 1 - self.low - self.size)

    @property
    def beyond(self) -> int:
        """Outputs to be made up after the last, so that every reader exists."""
        farthest = max(int(self.reader(self.size - 1, t)) for t in range(self.readers))
        return max(0, farthest + 1 - self.readers - self.out)

    def first(self, o: Tensor) -> Tensor:
        """The first input of output o's window that is not padding."""
        return self.place(o, 0) - self.low

    @abstractmethod
    def place(self, o: Place, k: Place) -> Any:
        """The k-th input of output o's window, counted from the start of the padding."""

    @abstractmethod
    def inside(self, o: Tensor, k: Tensor | int) -> Tensor | None:
        """False where o's window has fewer than k + 1 inputs; None if all have."""

    @abstractmethod
    def reader(self, h: Place, t: int) -> Any:
        """The t-th output that may read input h, counted from `readers` outputs before the first."""

    @abstractmethod
    def reads(self, h: Tensor, t: int) -> Tensor:
        """True if that output, if there is one, reads input h."""

    @abstractmethod
    def lengths(self, o: Tensor, include_padding: bool) -> Tensor | int:
        """How many elements the window of output o has."""


@dataclass(frozen=True)
class Regular(Axis):
    """Windows of one size, `stride` apart, their elements `dilation` apart; `edge` is padding that counts."""

    stride: int
    dilation: int
    edge: int

    @staticmethod
    def of(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> Regular:
        """The geometry that PyTorch gives these arguments."""
        room = size + 2 * padding - dilation * (kernel - 1) - 1
        out = (room + (stride - 1 if ceil_mode else 0)) // stride + 1
        if ceil_mode and (out - 1) * stride >= size + padding:
            out -= 1
        return Regular(size, out, kernel, padding, -(-kernel // stride), stride, dilation, padding)

    def first(self, o: Tensor) -> Tensor:
        start = super().first(o)
        return torch.where(start < 0, start % self.dilation, start) if self.low else start

    def place(self, o: Place, k: Place) -> Any:
        return o * self.stride + k * self.dilation

    def inside(self, o: Tensor, k: Tensor | int) -> Tensor | None:
        return None

    def reader(self, h: Place, t: int) -> Any:
        return (h + self.low) // self.stride + (self.readers - t)

    def reads(self, h: Tensor, t: int) -> Tensor:
        return (h + self.low) % self.stride < self.taps - t * self.stride

    def lengths(self, o: Tensor, include_padding: bool) -> Tensor | int:
        edge = self.edge if include_padding else 0
        if (self.out - 1) * self.stride + self.taps <= self.size + self.low + edge and edge == self.low:
            return self.taps
        start = o * self.stride - self.low
        return (start + self.taps).clamp(max=self.size + edge) - start.clamp(min=-edge)


@dataclass(frozen=True)
class Adaptive(Axis):
    """Windows [floor(o * size / out), ceil((o + 1) * size / out))."""

    @staticmethod
    def of(size: int, out: int) -> Adaptive:
        windows = [(o * size // out, -((o + 1) * size // -out)) for o in range(out)]
        taps = max((end - start for start, end in windows), default=1)
        readers = max((sum(start <= h < end for start, end in windows) for h in range(size)), default=1)
        return Adaptive(size, out, taps, 0, readers)

    def place(self, o: Place, k: Place) -> Any:
        return (o * self.size) // self.out + k

    def inside(self, o: Tensor, k: Tensor | int) -> Tensor | None:
        lengths = self.lengths(o, False)
        return k < lengths if isinstance(lengths, Tensor) else None

    def reader(self, h: Place, t: int) -> Any:
        return (h * self.out) // self.size + (self.readers + t)

    def reads(self, h: Tensor, t: int) -> Tensor:
        return (((h * self.out) // self.size + t) * self.size) // self.out <= h

    def lengths(self, o: Tensor, include_padding: bool) -> Tensor | int:
        if self.size % self.out == 0:
            return self.size // self.out
        return ((o + 1) * self.size + (self.out - 1)) // self.out - (o * self.size) // self.out


Axes = Sequence[Axis]


def counts(sizes: Sequence[int], like: Tensor) -> list[Tensor]:
    """0, 1, ... along each of the last dimensions, to be broadcast."""
    rank = len(sizes)
    return [
        torch.arange(n, device=like.device).reshape([-1 if d == dim else 1 for d in range(rank)])
        for dim, n in enumerate(sizes)
    ]


def padded(x: Tensor, lows: Sequence[int], highs: Sequence[int], value: Any) -> Tensor:
    """`value` around the last dimensions of x."""
    pads = [p for pair in zip(reversed(lows), reversed(highs), strict=True) for p in pair]
    return torch.ops.aten.constant_pad_nd(x, pads, value) if any(pads) else x


def together(conditions: Sequence[Tensor | None]) -> Tensor | None:
    """Where all conditions that are given are true."""
    result: Tensor | None = None
    for condition in conditions:
        if condition is not None:
            result = condition if result is None else result & condition
    return result


def taps(x: Tensor, axes: Axes, fill: Any) -> Iterator[tuple[tuple[int, ...], Tensor]]:
    """Each element (k0, k1, ...) of the windows, for all outputs at once; `fill` where a window ends before."""
    whole = padded(x, [a.low for a in axes], [a.high for a in axes], fill)
    outs = counts([a.out for a in axes], x)
    for ks in product(*(range(a.taps) for a in axes)):
        places = [a.place(o, k) for a, o, k in zip(axes, outs, ks, strict=True)]
        value = whole[(..., *places)]
        inside = together([a.inside(o, k) for a, o, k in zip(axes, outs, ks, strict=True)])
        yield ks, value if inside is None else torch.where(inside, value, fill)


def window_elements(x: Tensor, axes: Axes, fill: Any) -> Tensor:
    """[..., out0, out1, ..., elements of the window]"""
    rank = len(axes)
    whole = padded(x, [a.low for a in axes], [a.high for a in axes], fill)
    outs = counts([a.out for a in axes] + [1] * rank, x)[:rank]
    inner = counts([1] * rank + [a.taps for a in axes], x)[rank:]
    value = whole[(..., *(a.place(o, k) for a, o, k in zip(axes, outs, inner, strict=True)))]
    inside = together([a.inside(o, k) for a, o, k in zip(axes, outs, inner, strict=True)])
    value = value if inside is None else torch.where(inside, value, fill)
    return value.flatten(-rank)


def is_small(axes: Axes) -> bool:
    return prod(a.taps for a in axes) <= UNROLLED


def flat_places(axes: Axes, ks: Sequence[Tensor | int], like: Tensor) -> Tensor:
    """The row-major position among the inputs of element (k0, k1, ...) of each window."""
    outs = counts([a.out for a in axes], like)
    return row_major(axes, (a.place(o, k) - a.low for a, o, k in zip(axes, outs, ks, strict=True)))


def first_places(axes: Axes, like: Tensor) -> Tensor:
    """The row-major position of the first element of each window that is not padding."""
    outs = counts([a.out for a in axes], like)
    return row_major(axes, (a.first(o) for a, o in zip(axes, outs, strict=True)))


def row_major(axes: Axes, places: Iterable[Tensor]) -> Tensor:
    """One number for the inputs at `places` along each dimension."""
    flat: Tensor | None = None
    for axis, place in zip(axes, places, strict=True):
        flat = place if flat is None else flat * axis.size + place
    assert flat is not None
    return flat


def window_lengths(axes: Axes, like: Tensor, include_padding: bool) -> Tensor | int:
    """How many elements each window counts."""
    sizes = [a.lengths(o, include_padding) for a, o in zip(axes, counts([a.out for a in axes], like), strict=True)]
    return prod(sizes)  # pyright: ignore[reportArgumentType, reportCallIssue]


def regular(
    x: Tensor, rank: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> list[Axis] | None:
    """The axes of a pool over the last `rank` dimensions; None where a size is not known."""
    if _unknown(x.shape[-rank:]):
        return None
    kernels, strides, paddings, dilations = (_each(v, rank) for v in (kernel, stride or kernel, padding, dilation))
    each = zip(x.shape[-rank:], kernels, strides, paddings, dilations, strict=True)
    return [Regular.of(n, k, s, p, d, ceil_mode) for n, k, s, p, d in each]


def _each(value: Any, rank: int) -> list[int]:
    values = [value] if isinstance(value, int) else list(value)
    return values * rank if len(values) == 1 else values


def _unknown(sizes: Sequence[Any]) -> bool:
    """True for what windows cannot be laid out over: sizes that are not known, and nothing."""
    return any(isinstance(n, torch.SymInt) or n == 0 for n in sizes)


def adaptive(x: Tensor, outs: Sequence[int]) -> list[Axis] | None:
    sizes = x.shape[-len(outs) :]
    if _unknown([*sizes, *outs]):
        return None
    return [Adaptive.of(n, out) for n, out in zip(sizes, outs, strict=True)]
