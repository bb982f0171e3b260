"""Losses and their gradients, and optimizer steps."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, F32, I64, Arg, cases, wide

SQUARE = (8192, 8192)


def cross_entropy(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(wide(logits), target)


def cross_entropy_backward(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The gradient of the mean loss."""
    p = torch.softmax(wide(logits), -1)
    hit = target[:, None] == torch.arange(logits.shape[-1], device=logits.device)
    return ((p - hit.to(p.dtype)) / logits.shape[0]).to(logits.dtype)


def kl_divergence(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Of two rows of logits, as distillation has it."""
    return F.kl_div(F.log_softmax(x, -1), F.log_softmax(y, -1), reduction="batchmean", log_target=True)


def adamw(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor) -> Any:
    """Step 10 with the usual constants; moments in the parameters' type, gradients in any."""
    d = g.to(p.dtype)
    m = m * 0.9 + d * 0.1
    v = v * 0.999 + d * d * 0.001
    step = (m / (1 - 0.9**10)) / ((v / (1 - 0.999**10)).sqrt() + 1e-8)
    return p * (1 - 1e-3 * 0.01) - 1e-3 * step, m, v


def adamw_of_many(*given: torch.Tensor) -> list[Any]:
    """Parameters, gradients, first and second moments, as many of each."""
    count = len(given) // 4
    return [adamw(*(given[k * count + i] for k in range(4))) for i in range(count)]


def momentum(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    m = m * 0.9 + g
    return p - 0.01 * m, m


def entropy_args(rows: int, classes: int) -> tuple[Arg, Arg]:
    return Arg((rows, classes), BF16), Arg((rows,), I64, high=min(classes, 1000))


loss = cases("loss")
step = cases("optimizer")
FLAT = (8192, 8192)
LAYER = ((1024,), (3072, 1024), (3072,), (1024, 1024), (1024,), (1024,), (4096, 1024), (4096,), (1024, 4096), (1024,))
"""The parameters of a transformer's layer."""
MOMENTS = tuple(Arg(shape, F32, positive=True) for shape in LAYER)

CASES = (
    loss("cross entropy bf16 8192x32000", cross_entropy, *entropy_args(8192, 32000)),
    loss("cross entropy bf16 8192x128256", cross_entropy, *entropy_args(8192, 128256)),
    loss("cross entropy backward bf16 8192x32000", cross_entropy_backward, *entropy_args(8192, 32000)),
    loss("binary cross entropy f32", F.binary_cross_entropy_with_logits, SQUARE, Arg(SQUARE, F32, positive=True)),
    loss("smooth l1 f32", F.smooth_l1_loss, SQUARE, SQUARE),
    loss("kl divergence f32 16384x4096", kl_divergence, (16384, 4096), (16384, 4096)),
    step("adamw step f32", adamw, FLAT, FLAT, FLAT, Arg(FLAT, F32, positive=True)),
    step("adamw step, bf16 gradients", adamw, FLAT, Arg(FLAT, BF16), FLAT, Arg(FLAT, F32, positive=True)),
    step("adamw step of a layer f32", adamw_of_many, *LAYER, *LAYER, *LAYER, *MOMENTS),
    step("momentum step f32", momentum, FLAT, FLAT, FLAT),
)
