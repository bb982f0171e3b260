"""Pooling as reads at counted places: each window is a handful of shifted views, and its backward likewise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch._prims_common import get_computation_dtype, suggest_memory_format

from lowering.fx_to_tensor.decompositions.windows import (
    Axes,
    Regular,
    adaptive,
    counts,
    first_places,
    flat_places,
    is_small,
    padded,
    regular,
    row_major,
    taps,
    together,
    window_elements,
    window_lengths,
)

aten = torch.ops.aten


def maximum(x: Tensor, axes: Axes) -> tuple[Tensor, Tensor]:
    """The largest element of each window and its position: NaN wins, and of equals the first.

    Compared in float32 where elements have 16 bits, as devices do: so none is rounded between two comparisons.
    """
    if x.dtype.is_floating_point and (wide := get_computation_dtype(x.dtype)) != x.dtype:
        values, places = maximum(x.to(wide), axes)
        return values.to(x.dtype), places
    least = float("-inf") if x.dtype.is_floating_point else torch.iinfo(x.dtype).min
    if not is_small(axes):
        values, local = window_elements(x, axes, least).max(-1)
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
            best, where = value, first_places(axes, x).expand(value.shape).clone()
            continue
        wins = (value > best) | (value != value)
        best, where = torch.where(wins, value, best), torch.where(wins, place, where)
    assert best is not None and where is not None
    return best, where


def mean(x: Tensor, axes: Axes, divisor: Tensor | int) -> Tensor:
    """The sum of each window, divided."""
    wide = x.to(get_computation_dtype(x.dtype))
    if is_small(axes):
        total = sum(value for _, value in taps(wide, axes, 0))
        assert isinstance(total, Tensor)
    else:
        total = window_elements(wide, axes, 0).sum(-1)
    if not x.dtype.is_floating_point:
        return torch.div(total, divisor, rounding_mode="trunc")
    return (total / divisor).to(x.dtype)


def spread(
    grad: Tensor, axes: Axes, share: Callable[[Tensor, Callable[[Tensor, Any], Tensor]], Tensor] | None = None
) -> Tensor:
    """The gradient of the inputs: what each output that reads an input gives it, summed.

    `share(given, at)` makes of an output's gradient what one input gets; `at(y, fill)` reads another
    tensor of the outputs' shape at the same outputs.
    """
    wide = grad.to(get_computation_dtype(grad.dtype))
    inputs = counts([a.size for a in axes], grad)
    lows = [a.readers for a in axes]
    highs = [a.beyond for a in axes]
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
    own = row_major(axes, counts([a.size for a in axes], grad))
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
    return grad.to(get_computation_dtype(grad.dtype)) / divisor


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


TABLE: dict[OpOverload, Callable[..., Any]] = {
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
}
"""Pooling ops to the functions that compute them by simpler ones."""
