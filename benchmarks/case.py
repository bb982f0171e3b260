"""What a case of the benchmark is: a function, and the shape, type and layout of each input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

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

    def empty(self, device: str) -> torch.Tensor:
        """A tensor of this shape, type and layout, with no values: what a fake tensor is made from."""
        value = torch.empty(self.shape, dtype=self.dtype, device=device)
        return value if self.view is None else self.view(value)

    def tiny(self) -> Arg:
        """The same input with short extents; equal extents stay equal."""
        return replace(self, shape=self.small or tuple(map(shrunk, self.shape)), high=min(self.high, TINY))


def weights(out: int, features: int, dtype: torch.dtype = BF16) -> Arg:
    """Those of a linear layer, scaled so that its results are about as large as its inputs."""
    return Arg((out, features), dtype, view=lambda w: w * features**-0.5)


@dataclass(frozen=True)
class Case:
    """A function of tensors, and what it is called with."""

    family: str
    name: str
    function: Callable[..., Any] = field(compare=False)
    args: tuple[Arg, ...]
    rows: tuple[int, ...] = ()
    """Inputs that can be cut along `axis` together with every output: a piece of them gives a piece of the outputs.

    Extents there may be multiples of the least, as heads of queries are of heads of keys.
    """
    axis: int = 0
    gradients: tuple[int, ...] = ()
    """Inputs whose gradients are computed as well, from a random gradient of the result, which is one more input."""
    beside: Mapping[str, Any] = field(default_factory=dict[str, Any], compare=False)
    """What else computes it, or its products alone: by the names in `benchmarks.backends.BESIDE`."""
    repeatable: bool = True
    """False if the function draws random numbers, so that no two results can be compared."""
    visible: float = 1.0
    """The share of the products' operations that no mask hides."""

    def inputs(self) -> tuple[Arg, ...]:
        """The arguments, and the gradient of the result where gradients are computed."""
        return (*self.args, self._gradient_of_result()) if self.gradients else self.args

    def make(self, device: str = "cuda", seed: int = 0) -> list[torch.Tensor]:
        """Random inputs; the same at every call on one kind of device."""
        generator = torch.Generator(device).manual_seed(seed)
        return [a.make(device, generator) for a in self.inputs()]

    def call(self, *inputs: torch.Tensor) -> Any:
        """What the case computes of its inputs: the result, then the gradients."""
        return differentiated(self.function, self.gradients)(*inputs)

    def tiny(self) -> Case:
        """The case at sizes for a smoke test."""
        return replace(self, args=tuple(a.tiny() for a in self.args))

    def backward(self, *gradients: int) -> Case:
        """The case with gradients of these inputs."""
        return replace(self, family=f"{self.family}-backward", name=f"{self.name}, backward", gradients=gradients)

    def _gradient_of_result(self) -> Arg:
        """As the result lies in memory on the device at hand."""
        device = "cuda" if torch.cuda.is_available() else "cpu"
        with FakeTensorMode():
            result = self.function(*(a.empty(device) for a in self.args))
        order = sorted(range(result.ndim), key=lambda d: -result.stride(d))
        back = [order.index(d) for d in range(result.ndim)]
        return Arg(tuple(result.shape[d] for d in order), result.dtype, view=lambda x: x.permute(back))

    def matches(self, pattern: str) -> bool:
        """True if the shell pattern matches the name, in whole or in part."""
        return fnmatchcase(self.name, pattern) or fnmatchcase(self.name, f"*{pattern}*")


def differentiated(function: Callable[..., Any], gradients: Sequence[int]) -> Callable[..., Any]:
    """`function` followed by the gradients of these inputs; the last input is the gradient of the result.

    A result of another shape, such as that of products without the loss behind them, is its own gradient.
    """
    if not gradients:
        return function

    def step(*inputs: torch.Tensor) -> Any:
        *given, upstream = inputs
        wanted = [given[k].detach().requires_grad_() for k in gradients]
        for k, x in zip(gradients, wanted, strict=True):
            given[k] = x
        result = function(*given)
        several = result if isinstance(result, tuple) else (result,)
        values = [r.detach() for r in several]
        upstreams = [upstream if upstream.shape == v.shape else v for v in values]
        return *values, *torch.autograd.grad(several, wanted, upstreams, allow_unused=True)

    return step


def shrunk(extent: int) -> int:
    """A short extent that divides by 16 when `extent` does, and otherwise leaves what it leaves."""
    return extent if extent <= TINY else TINY + extent % TINY


def cases(family: str) -> Callable[..., Case]:
    """Makes cases of one family: `case(name, function, *shapes_or_args, dtype=)`, and any field of a case."""

    def case(
        name: str, function: Callable[..., Any], *args: Shape | Arg, dtype: torch.dtype = F32, **options: Any
    ) -> Case:
        made = tuple(a if isinstance(a, Arg) else Arg(a, dtype) for a in args)
        return Case(family, name, function, made, **options)

    return case


def wide(x: torch.Tensor) -> torch.Tensor:
    """`x` in the precision that norms and losses compute in: float32 at least."""
    return x if x.dtype == torch.float64 else x.float()
