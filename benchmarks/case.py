"""What a case of the benchmark is: a function, and the shape, type and layout of each input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

import torch

Shape = tuple[int, ...]
BF16, F16, F32, I64, BOOL = torch.bfloat16, torch.float16, torch.float32, torch.int64, torch.bool
TINY = 16
"""Extents above this shrink to it, plus what they leave when divided by it, in a smoke test."""


@dataclass(frozen=True)
class Arg:
    """One input. Floats are drawn from a normal distribution, integers from [0, high), booleans are true 9 in 10."""

    shape: Shape
    dtype: torch.dtype = F32
    high: int = 1000
    small: Shape | None = None
    """The shape in a smoke test, where the rule of `shrunk` does not fit the function."""
    positive: bool = False
    """Absolute values, for variances and the like."""
    view: Callable[[torch.Tensor], torch.Tensor] | None = None
    """Applied to the tensor of `shape`: what makes an input strided, transposed or broadcast."""

    def make(self, device: str, generator: torch.Generator | None = None) -> torch.Tensor:
        """A random tensor."""
        options: dict[str, Any] = {"device": device, "generator": generator}
        if self.dtype == BOOL:
            value = torch.rand(self.shape, **options) < 0.9
        elif self.dtype.is_floating_point:
            value = torch.randn(self.shape, dtype=self.dtype, **options)
            value = value.abs_() if self.positive else value
        else:
            high = min(self.high, torch.iinfo(self.dtype).max)
            value = torch.randint(0, high, self.shape, dtype=self.dtype, **options)
        return value if self.view is None else self.view(value)

    def tiny(self) -> Arg:
        """The same input with short extents; equal extents stay equal."""
        return replace(self, shape=self.small or tuple(map(shrunk, self.shape)), high=min(self.high, TINY))


@dataclass(frozen=True)
class Case:
    """A function of tensors, and what it is called with."""

    family: str
    name: str
    function: Callable[..., Any] = field(compare=False)
    args: tuple[Arg, ...]
    rows: tuple[int, ...] = ()
    """Inputs whose first axis runs with that of every output, so that a piece of one gives a piece of the other."""

    def make(self, device: str = "cuda", seed: int = 0) -> list[torch.Tensor]:
        """Random inputs; the same at every call on one kind of device."""
        generator = torch.Generator(device).manual_seed(seed)
        return [a.make(device, generator) for a in self.args]

    def tiny(self) -> Case:
        """The case at sizes for a smoke test."""
        return replace(self, args=tuple(a.tiny() for a in self.args))

    def matches(self, pattern: str) -> bool:
        """True if the shell pattern matches the name, in whole or in part."""
        return fnmatchcase(self.name, pattern) or fnmatchcase(self.name, f"*{pattern}*")


def shrunk(extent: int) -> int:
    """A short extent that divides by 16 when `extent` does, and otherwise leaves what it leaves."""
    return extent if extent <= TINY else TINY + extent % TINY


def cases(family: str) -> Callable[..., Case]:
    """Makes cases of one family: `case(name, function, *shapes_or_args, dtype=, rows=)`."""

    def case(
        name: str,
        function: Callable[..., Any],
        *args: Shape | Arg,
        dtype: torch.dtype = F32,
        rows: tuple[int, ...] = (),
    ) -> Case:
        made = tuple(a if isinstance(a, Arg) else Arg(a, dtype) for a in args)
        return Case(family, name, function, made, rows)

    return case


def wide(x: torch.Tensor) -> torch.Tensor:
    """`x` in the precision that norms and losses compute in: float32 at least."""
    return x if x.dtype == torch.float64 else x.float()
