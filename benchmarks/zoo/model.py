"""What a model of the zoo is: how it is built, what it is called with, and what its loss is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from benchmarks.case import Arg

Build = Callable[[bool], nn.Module]
"""A module that gives one tensor; small, for a smoke test, where the argument is true."""
SPREAD = 0.1
"""Standard deviation of what is added to parameters that a model begins with all alike."""


@dataclass(frozen=True)
class Model:
    """An architecture at one size."""

    name: str
    """Says how many layers there are where they are fewer than usual."""
    library: str
    """Where it comes from: transformers, timm or zoo, which is this package."""
    build: Build
    args: tuple[Arg, ...]
    small: tuple[Arg, ...]
    """The inputs of a smoke test."""
    channels_last: bool = False
    """Weights and inputs of four dimensions are channels-last."""
    classes: int | None = None
    """The axis of the output that runs over classes: the loss is then cross entropy, and a mean of squares else."""

    def matches(self, pattern: str) -> bool:
        """True if the shell pattern matches the name, in whole or in part."""
        return fnmatchcase(self.name, pattern) or fnmatchcase(self.name, f"*{pattern}*")

    def make(self, device: str, tiny: bool = False) -> nn.Module:
        """The module in float32 with random weights, the same at every call on one kind of device; it has no dropout.

        ImportError where its library is missing, and whatever a version of the library raises that cannot build it.
        """
        torch.manual_seed(0)
        with torch.device(device):
            made = self.build(tiny)
        made = made.to(device)  # what a builder made of numpy arrays
        enliven(made)
        for part in made.modules():
            if isinstance(part, nn.Dropout):
                part.p = 0.0
            elif hasattr(part, "drop_prob"):  # of timm, which drops whole branches
                part.drop_prob = 0.0  # pyright: ignore
        return made.to(memory_format=torch.channels_last) if self.channels_last else made  # pyright: ignore

    def inputs(self, device: str, tiny: bool = False) -> list[torch.Tensor]:
        """Random inputs, floats in float32; the same at every call on one kind of device."""
        generator = torch.Generator(device).manual_seed(1)
        made = [a.make(device, generator) for a in (self.small if tiny else self.args)]
        if not self.channels_last:
            return made
        return [x.contiguous(memory_format=torch.channels_last) if x.ndim == 4 else x for x in made]

    def loss(self, output: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """What training makes smaller: a number in float32."""
        if self.classes is None:
            return functional.mse_loss(output.float(), labels)
        return functional.cross_entropy(output.movedim(self.classes, -1).flatten(0, -2).float(), labels.flatten())

    def labels(self, output: torch.Tensor) -> torch.Tensor:
        """Random labels for such an output."""
        generator = torch.Generator(output.device).manual_seed(2)
        if self.classes is None:
            return torch.randn(output.shape, device=output.device, generator=generator)
        shape = output.movedim(self.classes, -1).shape
        return torch.randint(0, shape[-1], shape[:-1], device=output.device, generator=generator)


class Called(nn.Module):
    """A module called with keywords, and the one tensor that is wanted of what it returns."""

    def __init__(self, module: nn.Module, names: tuple[str, ...], pick: str | None, constants: dict[str, Any]):
        super().__init__()
        self.module, self.names, self.pick, self.constants = module, names, pick, constants

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        found = self.module(**dict(zip(self.names, inputs, strict=True)), **self.constants)
        return found if self.pick is None else found[self.pick]


@torch.no_grad()
def enliven(module: nn.Module) -> None:
    """Makes parameters and running statistics that are all alike random, as training would.

    Norms are 1 and 0 at first, and scales of residual branches 0, which hides what an error in them does.
    """
    for value in module.parameters():
        if value.is_floating_point() and value.numel() > 1 and bool((value == value.flatten()[0]).all()):
            value.add_(torch.randn_like(value), alpha=SPREAD)
    for name, value in module.named_buffers():
        if name.endswith("running_mean"):
            value.normal_(0, SPREAD)
        elif name.endswith("running_var"):
            value.uniform_(0.5, 1.5)
