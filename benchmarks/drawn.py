"""Random small functions with their inputs, each a pure function of its name: `named("regret-17-204")`.

Families take turns. Ranks, sizes, types, memory orders and the ops themselves are random; the traffic of a call is
log-uniform between the bounds of `TRAFFIC`. What a family computes is in `benchmarks.drawn_families`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log
from random import Random
from typing import Any, TypeVar

import torch

from benchmarks.case import BF16, F16, F32, Arg, Shape

T = TypeVar("T")
TRAFFIC = (2**18, 2**29)
"""Bytes that a call moves at least and at most, about."""
TINY = (2**8, 2**12)
"""The same for smoke tests."""
NAME = re.compile(r"regret-(\d+)-(\d+)")


@dataclass(frozen=True)
class View:
    """An input out of its storage: the axes in another order, then a slice of one of them."""

    name: str
    axes: tuple[int, ...]
    cut: tuple[int, int, int, int] | None = None
    """Axis, start, stop and step."""

    def __call__(self, storage: torch.Tensor) -> torch.Tensor:
        x = storage.permute(self.axes)
        if self.cut is None:
            return x
        axis, *bounds = self.cut
        return x[(slice(None),) * axis + (slice(*bounds),)]


@dataclass(frozen=True)
class Computed:
    """A function that says what it computes."""

    text: str
    function: Callable[..., Any]

    def __call__(self, *values: torch.Tensor) -> Any:
        return self.function(*values)


class Draw:
    """The random choices of one case."""

    def __init__(self, random: Random, traffic: tuple[int, int]):
        self.random = random
        self.bytes = self.log_uniform(*traffic)
        self.dtype = self.pick((F32, F32, BF16, BF16, F16))

    def log_uniform(self, least: float, most: float) -> int:
        return round(exp(self.random.uniform(log(least), log(max(least, most)))))

    def pick(self, choices: Sequence[T]) -> T:
        return self.random.choice(choices)

    def chance(self, probability: float = 0.5) -> bool:
        return self.random.random() < probability

    def rank(self, least: int, most: int) -> int:
        return self.random.randint(least, most)

    def shape(self, rank: int, tensors: float = 2, least: int = 1, dtype: torch.dtype | None = None) -> Shape:
        """Random extents, so that this many tensors of the shape are the traffic. Half of them are multiples of 8."""
        elements = max(2.0, self.bytes / tensors / (dtype or self.dtype).itemsize)
        weights = [self.random.expovariate(1) + 0.15 for _ in range(rank)]
        return tuple(self._extent(max(least, elements ** (w / sum(weights)))) for w in weights)

    def _extent(self, size: float) -> int:
        unit = self.pick([u for u in (8, 16, 32, 64, 128) if 4 * u <= size] or [1])
        return round(size) if self.chance() else round(size / unit) * unit

    def arg(self, shape: Shape, dtype: torch.dtype | None = None, order: str | None = None, **options: Any) -> Arg:
        """An input of `shape` in this memory order, or in a random one."""
        return stored(self, shape, order or self.order(len(shape)), dtype or self.dtype, options)

    def order(self, rank: int) -> str:
        """A memory order for a tensor of this rank."""
        orders = ["sliced", "every other"] if rank else []
        orders += ["transposed"] * 2 if rank > 1 else []
        orders += ["channels-last"] * 3 if rank > 2 else []
        return self.pick(orders) if orders and self.chance() else "contiguous"

    def args(self, count: int, shape: Shape) -> list[Arg]:
        """Inputs of one shape, in most cases in one memory order."""
        order = self.order(len(shape))
        return [self.arg(shape, order=order if k == 0 or self.chance(0.7) else None) for k in range(count)]


def stored(draw: Draw, shape: Shape, order: str, dtype: torch.dtype, options: dict[str, Any]) -> Arg:
    """An input of `shape` out of a storage in which its axes lie in the order that is asked for."""
    axes = list(range(len(shape)))
    if order == "contiguous":
        return Arg(shape, dtype, **options)
    if order in ("sliced", "every other"):
        axis, step = draw.random.randrange(len(shape)), 2 if order == "every other" else 1
        start, rest = draw.random.randint(0, 8), draw.random.randint(0, 8)
        stop = start + step * (shape[axis] - 1) + 1
        storage = (*shape[:axis], stop + rest, *shape[axis + 1 :])
        return Arg(storage, dtype, view=View(order, tuple(axes), (axis, start, stop, step)), **options)
    inner = [0, *axes[2:], 1] if order == "channels-last" else [*axes[:-2], axes[-1], axes[-2]]
    view = View(order, tuple(inner.index(axis) for axis in axes))
    return Arg(tuple(shape[axis] for axis in inner), dtype, view=view, **options)


def described(function: Callable[..., Any], args: Sequence[Arg]) -> str:
    """What a drawn function computes, and of what."""
    text = function.text if isinstance(function, Computed) else "function"
    return f"{text}: {', '.join(map(_described, args))}"


def _described(arg: Arg) -> str:
    x = arg.view(torch.empty(arg.shape, device="meta")) if arg.view is not None else None
    shape, order = (arg.shape, "") if x is None else (tuple(x.shape), f" {getattr(arg.view, 'name', 'view')}")
    return f"{str(arg.dtype).removeprefix('torch.')} {'x'.join(map(str, shape)) or 'scalar'}{order}"
