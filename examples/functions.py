"""The functions that a reader of the fusion literature knows, with inputs for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F


@dataclass(frozen=True)
class Example:
    """A function, the shapes of its float inputs, and what makes it worth a look."""

    name: str
    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    point: str

    def inputs(self, device: str) -> list[torch.Tensor]:
        """Random inputs, the same at every call."""
        generator = torch.Generator().manual_seed(0)
        return [torch.randn(s, generator=generator).to(device) for s in self.shapes]


def relu_chain(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.relu(x * 2 + bias)


def normalise_by_sum(x: torch.Tensor) -> torch.Tensor:
    total = x.sum()
    return x / total


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=-1)


def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(x, (x.shape[-1],), weight, bias)


def linear_gelu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    h = x @ w + b
    return F.gelu(h)


def mean_squared_error(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return ((x - target) ** 2).mean()


def sin_and_cos(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.sin(x), torch.cos(x)


def gelu_by_hand(x: torch.Tensor) -> torch.Tensor:
    cdf = 0.5 * (1 + torch.erf(x * 0.7071067811865476))
    return x * cdf


def rms_norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    scale = torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + 1e-6)
    return x * scale * weight


def swiglu(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    return F.silu(gate) * x


EXAMPLES = (
    Example("relu(x*2 + bias)", relu_chain, ((256, 192), (192,)), "pointwise ops and a broadcast: one kernel"),
    Example("x / x.sum()", normalise_by_sum, ((256, 192),), "the sum needs the whole device: it stays apart"),
    Example("softmax", softmax, ((256, 192),), "two reductions and what follows them over the same rows"),
    Example(
        "layer norm",
        layer_norm,
        ((256, 192), (192,), (192,)),
        "mean, variance, scale and shift in one kernel",
    ),
    Example("gelu(x @ W + b)", linear_gelu, ((64, 96), (96, 128), (128,)), "a library product, then one kernel"),
    Example("mean((x - t)^2)", mean_squared_error, ((256, 192), (256, 192)), "pointwise ops inside a reduction"),
    Example("sin and cos", sin_and_cos, ((256, 192),), "siblings that read one input"),
    Example("gelu by hand", gelu_by_hand, ((256, 192),), "four ops, one kernel"),
    Example("RMS norm", rms_norm, ((256, 192), (192,)), "a reduction and its epilogue"),
    Example("SwiGLU", swiglu, ((256, 192), (256, 192)), "silu and a product"),
)
