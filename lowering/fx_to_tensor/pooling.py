"""Pooling as reads at counted places: each window is a handful of shifted views, and its backward likewise.

Along one dimension output o combines inputs place(o, k), k = 0, 1, ..., and input h is read by the outputs
reader(h, t), t = 0, 1, .... Both are arithmetic on counted numbers, which the compiler keeps as index
expressions. What a window has beyond the edge is padding: tensors are padded so that every place exists.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch._prims_common import suggest_memory_format

aten = torch.ops.aten

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
    return aten.constant_pad_nd(x, pads, value) if any(pads) else x


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


def windows(x: Tensor, axes: Axes, fill: Any) -> Tensor:
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
    flat: Tensor | None = None
    for axis, o, k in zip(axes, counts([a.out for a in axes], like), ks, strict=True):
        place = axis.place(o, k) - axis.low
        flat = place if flat is None else flat * axis.size + place
    assert flat is not None
    return flat


def maximum(x: Tensor, axes: Axes) -> tuple[Tensor, Tensor]:
    """The largest element of each window and its position: NaN wins, and of equals the first."""
    least = float("-inf") if x.dtype.is_floating_point else torch.iinfo(x.dtype).min
    if not is_small(axes):
        values, local = windows(x, axes, least).max(-1)
        found: list[Tensor] = []
        for axis in reversed(axes):
            found.insert(0, local % axis.taps)
            local = local // axis.taps
        return values, flat_places(axes, found, x)
    best: Tensor | None = None
    where: Tensor | None = None
    for ks, value in taps(x, axes, least):
        place = flat_places(axes, ks, x)
        if best is None or where is None:
            best, where = value, _first_places(axes, x).expand(value.shape).clone()
            continue
        wins = (value > best) | (value != value)
        best, where = torch.where(wins, value, best), torch.where(wins, place, where)
    assert best is not None and where is not None
    return best, where


def _first_places(axes: Axes, like: Tensor) -> Tensor:
    """The position of the first element of each window that is not padding."""
    flat: Tensor | None = None
    for axis, o in zip(axes, counts([a.out for a in axes], like), strict=True):
        start = axis.place(o, 0) - axis.low
        if isinstance(axis, Regular) and axis.low:
            start = torch.where(start < 0, start % axis.dilation, start)
        flat = start if flat is None else flat * axis.size + start
    assert flat is not None
    return flat


def mean(x: Tensor, axes: Axes, divisor: Tensor | int) -> Tensor:
    """The sum of each window, divided."""
    wide = x.to(torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x
    if is_small(axes):
        total = sum(value for _, value in taps(wide, axes, 0))
        assert isinstance(total, Tensor)
    else:
        total = windows(wide, axes, 0).sum(-1)
    if not x.dtype.is_floating_point:
        return torch.div(total, divisor, rounding_mode="trunc")
    return (total / divisor).to(x.dtype)


def window_lengths(axes: Axes, like: Tensor, include_padding: bool) -> Tensor | int:
    """How many elements each window counts."""
    sizes = [a.lengths(o, include_padding) for a, o in zip(axes, counts([a.out for a in axes], like), strict=True)]
    return prod(sizes)  # pyright: ignore[reportArgumentType, reportCallIssue]


def spread(
    grad: Tensor, axes: Axes, share: Callable[[Tensor, Callable[[Tensor, Any], Tensor]], Tensor] | None = None
) -> Tensor:
    """The gradient of the inputs: what each output that reads an input gives it, summed.

    `share(given, at)` makes of an output's gradient what one input gets; `at(y, fill)` reads another
    tensor of the outputs' shape at the same outputs.
    """
    wide = grad.to(torch.float32) if grad.dtype in (torch.float16, torch.bfloat16) else grad
    inputs = counts([a.size for a in axes], grad)
    lows = [a.readers for a in axes]
    highs = [_beyond(a) for a in axes]
    total: Tensor | None = None
    for ts in product(*(range(a.readers) for a in axes)):
        readers = tuple(a.reader(h, t) for a, h, t in zip(axes, inputs, ts, strict=True))

        def at(y: Tensor, fill: Any, readers: tuple[Tensor, ...] = readers) -> Tensor:
            return padded(y, lows, highs, fill)[(..., *readers)]

        reads = together([a.reads(h, t) for a, h, t in zip(axes, inputs, ts, strict=True)])
        assert reads is not None
        given = at(wide, 0)
        part = torch.where(reads, given if share is None else share(given, at), 0)
        total = part if total is None else total + part
    assert total is not None
    return total.to(grad.dtype)


def _beyond(axis: Axis) -> int:
    """Outputs to be made up after the last, so that every reader exists."""
    farthest = max(int(axis.reader(axis.size - 1, t)) for t in range(axis.readers))
    return max(0, farthest + 1 - axis.readers - axis.out)


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


def _as_laid_out(x: Tensor, result: Tensor) -> Tensor:
    """`result` in the memory format of the pool's input, as eager gives it."""
    if x.dim() not in (4, 5):
        return result
    return result.contiguous(memory_format=suggest_memory_format(x))


def max_pool(rank: int, x: Tensor, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1,
             ceil_mode: bool = False) -> Any:  # fmt: skip
    axes = regular(x, rank, kernel, stride, padding, dilation, ceil_mode)
    if axes is None or x.dtype == torch.bool:
        return NotImplemented
    values, indices = maximum(x, axes)
    return _as_laid_out(x, values), _as_laid_out(x, indices)


def max_pool_backward(rank: int, grad: Tensor, x: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any,
                      ceil_mode: bool, indices: Tensor) -> Any:  # fmt: skip
    axes = regular(x, rank, kernel, stride, padding, dilation, ceil_mode)
    if axes is None:
        return NotImplemented
    if any(isinstance(a, Regular) and a.dilation != 1 for a in axes):
        zeros = grad.new_zeros(x.shape).flatten(-rank)
        return zeros.scatter_add(-1, indices.flatten(-rank), grad.flatten(-rank)).reshape(x.shape)
    return _as_laid_out(x, chosen(grad, axes, indices))


def chosen(grad: Tensor, axes: Axes, indices: Tensor) -> Tensor:
    """The gradient of the inputs that `indices` say were the largest."""
    own: Tensor | None = None
    for axis, h in zip(axes, counts([a.size for a in axes], grad), strict=True):
        own = h if own is None else own * axis.size + h
    return spread(grad, axes, lambda given, at: torch.where(at(indices, -1) == own, given, 0))


def avg_pool(rank: int, x: Tensor, kernel: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
             count_include_pad: bool = True, divisor_override: int | None = None) -> Any:  # fmt: skip
    axes = regular(x, rank, kernel, stride, padding, 1, ceil_mode)
    if axes is None:
        return NotImplemented
    return _as_laid_out(x, mean(x, axes, divisor_override or window_lengths(axes, x, count_include_pad)))


def avg_pool_backward(rank: int, grad: Tensor, x: Tensor, kernel: Any, stride: Any, padding: Any, ceil_mode: bool,
                      count_include_pad: bool, divisor_override: int | None) -> Any:  # fmt: skip
    axes = regular(x, rank, kernel, stride, padding, 1, ceil_mode)
    if axes is None:
        return NotImplemented
    divisor = divisor_override or window_lengths(axes, x, count_include_pad)
    return _as_laid_out(x, spread(_divided(grad, divisor), axes).to(x.dtype))


def _divided(grad: Tensor, divisor: Tensor | int) -> Tensor:
    wide = grad.to(torch.float32) if grad.dtype in (torch.float16, torch.bfloat16) else grad
    return wide / divisor


def adaptive(x: Tensor, outs: Sequence[int]) -> list[Axis] | None:
    sizes = x.shape[-len(outs) :]
    if _unknown([*sizes, *outs]):
        return None
    return [Adaptive.of(n, out) for n, out in zip(sizes, outs, strict=True)]


def adaptive_avg_pool(x: Tensor, output_size: Sequence[int]) -> Any:
    axes = adaptive(x, output_size)
    return NotImplemented if axes is None else _as_laid_out(x, mean(x, axes, window_lengths(axes, x, False)))


def adaptive_avg_pool_backward(rank: int, grad: Tensor, x: Tensor) -> Any:
    axes = adaptive(x, grad.shape[-rank:])
    if axes is None:
        return NotImplemented
    return _as_laid_out(x, spread(_divided(grad, window_lengths(axes, x, False)), axes).to(x.dtype))


def adaptive_max_pool(x: Tensor, output_size: Sequence[int]) -> Any:
    axes = adaptive(x, output_size)
    return NotImplemented if axes is None else maximum(x, axes)


def adaptive_max_pool_backward(rank: int, grad: Tensor, x: Tensor, indices: Tensor) -> Any:
    axes = adaptive(x, grad.shape[-rank:])
    return NotImplemented if axes is None else chosen(grad, axes, indices)


def replication_pad_backward(grad: Tensor, x: Tensor, padding: Sequence[int]) -> Tensor:
    """Each input gets the gradients of all places that repeat it."""
    rank = len(padding) // 2
    places: list[Tensor | None] = [None] * (x.dim() - rank)
    for dim, (low, high) in enumerate(zip(padding[::2][::-1], padding[1::2][::-1], strict=True)):
        size = x.shape[dim - rank]
        place = torch.arange(-low, size + high, device=grad.device).clamp(0, size - 1)
        places.append(place.reshape([-1 if d == dim else 1 for d in range(rank)]))
    return aten.index_put(grad.new_zeros(x.shape), places, grad, accumulate=True)


def table() -> dict[OpOverload, Callable[..., Any]]:
    """Pooling ops to the functions that compute them by simpler ones."""
    return {
        aten.max_pool2d_with_indices.default: partial(max_pool, 2),
        aten.max_pool3d_with_indices.default: partial(max_pool, 3),
        aten.max_pool2d_with_indices_backward.default: partial(max_pool_backward, 2),
        aten.max_pool3d_with_indices_backward.default: partial(max_pool_backward, 3),
        aten.avg_pool2d.default: partial(avg_pool, 2),
        aten.avg_pool3d.default: partial(avg_pool, 3),
        aten.avg_pool2d_backward.default: partial(avg_pool_backward, 2),
        aten.avg_pool3d_backward.default: partial(avg_pool_backward, 3),
        aten._adaptive_avg_pool2d.default: adaptive_avg_pool,
        aten._adaptive_avg_pool3d.default: adaptive_avg_pool,
        aten._adaptive_avg_pool2d_backward.default: partial(adaptive_avg_pool_backward, 2),
        aten._adaptive_avg_pool3d_backward.default: partial(adaptive_avg_pool_backward, 3),
        aten.adaptive_max_pool2d.default: adaptive_max_pool,
        aten.adaptive_max_pool3d.default: adaptive_max_pool,
        aten.adaptive_max_pool2d_backward.default: partial(adaptive_max_pool_backward, 2),
        aten.adaptive_max_pool3d_backward.default: partial(adaptive_max_pool_backward, 3),
        aten.replication_pad1d_backward.default: replication_pad_backward,
        aten.replication_pad2d_backward.default: replication_pad_backward,
        aten.replication_pad3d_backward.default: replication_pad_backward,
    }
