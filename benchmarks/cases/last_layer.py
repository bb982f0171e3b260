"""The last linear layer of a language model and the cross entropy behind it: the logits are larger than all else."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, I64, Arg, Case, cases, weights
from benchmarks.cases.contractions import linear_alone
from benchmarks.cases.losses import cross_entropy

CLASSES = 128256
"""Of Llama 3."""
CAP = 30.0


def loss(x: torch.Tensor, w: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return cross_entropy(F.linear(x, w), target)


def capped_loss(x: torch.Tensor, w: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Gemma 2."""
    return cross_entropy(CAP * torch.tanh(F.linear(x, w) / CAP), target)


def case(title: str, function: Callable[..., torch.Tensor], tokens: int, features: int) -> Case:
    name = f"{title} {tokens} x {features} x {CLASSES} bf16"
    target = Arg((tokens,), I64, high=CLASSES)
    return cases("last-layer")(
        name,
        function,
        Arg((tokens, features), BF16),
        weights(CLASSES, features),
        target,
        beside={"products": linear_alone},
    )


CASES = (
    case("linear, cross entropy", loss, 2048, 4096),
    case("linear, cross entropy", loss, 8192, 4096),
    case("linear, capped, cross entropy", capped_loss, 4096, 3584),
)
BACKWARD = (
    case("linear, cross entropy", loss, 2048, 2048).backward(0, 1),
    *(forward.backward(0, 1) for forward in CASES),
)
