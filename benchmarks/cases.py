"""The memory-bound cases: small functions of the kinds that a model's time goes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

Shape = tuple[int, ...]
BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32


@dataclass(frozen=True)
class Case:
    """A function, and the shape and type of each input."""

    family: str
    name: str
    function: Callable[..., Any]
    inputs: tuple[tuple[Shape, torch.dtype], ...]

    def make(self) -> list[torch.Tensor]:
        """Random inputs on the GPU; integers are drawn from [0, 1000)."""
        return [
            torch.randn(s, device="cuda", dtype=d)
            if d.is_floating_point
            else torch.randint(0, 1000, s, device="cuda", dtype=d)
            for s, d in self.inputs
        ]


def case(family: str, name: str, function: Callable[..., Any], *shapes: Shape, dtype: torch.dtype = F32) -> Case:
    """A case whose inputs all have one type."""
    return Case(family, name, function, tuple((s, dtype) for s in shapes))


SQUARE = (8192, 8192)

ELEMENTWISE = (
    case("elementwise", "relu(x*2 + 1) f32", lambda x: torch.relu(x * 2 + 1), SQUARE),
    case("elementwise", "relu(x*2 + bias) f32", lambda x, b: torch.relu(x * 2 + b), SQUARE, (8192,)),
    case("elementwise", "gelu by hand f32", lambda x: 0.5 * x * (1 + torch.erf(x * 0.7071067811865476)), SQUARE),
    case("elementwise", "silu(x*1.5) - x/4 f32", lambda x: F.silu(x * 1.5) - x / 4, SQUARE),
    case("elementwise", "(x + y) * 0.5 f32", lambda x, y: (x + y) * 0.5, SQUARE, SQUARE),
    case("elementwise", "sin and cos f32", lambda x: (torch.sin(x), torch.cos(x)), SQUARE),
    case("elementwise", "tanh(a*x + y) * x f32", lambda x, y: torch.tanh(0.7 * x + y) * x, SQUARE, SQUARE),
    case("elementwise", "relu(x*2 + 1) * x bf16", lambda x: torch.relu(x * 2 + 1) * x, (65536, 4096), dtype=BF16),
    case("elementwise", "bias + gelu bf16", lambda x, b: F.gelu(x + b), (16384, 16384), (16384,), dtype=BF16),
    case("elementwise", "swiglu bf16", lambda x, g: F.silu(g) * x, (16384, 11008), (16384, 11008), dtype=BF16),
    case("elementwise", "mul_add 4097 columns", lambda x, y: x * y + 1, (16000, 4097), (16000, 4097)),
    case("elementwise", "transposed add f32", lambda x, y: x.t() + y, SQUARE, SQUARE),
)


def rms_norm(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    f = x if x.dtype == torch.float64 else x.float()
    return (f * torch.rsqrt(f.square().mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * w


def rms_norm_residual(x: torch.Tensor, r: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h = x + r
    return h, rms_norm(h, w)


def layer_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(x, (x.shape[-1],), w, b)


def layer_norm_backward(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> Any:
    f = x if x.dtype == torch.float64 else x.float()
    mean = f.mean(-1, keepdim=True)
    rstd = torch.rsqrt(f.var(-1, keepdim=True, unbiased=False) + 1e-5)
    return torch.ops.aten.native_layer_norm_backward(dy, x, [x.shape[-1]], mean, rstd, w, w, [True, True, True])


def softmax_backward(dy: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten._softmax_backward_data(dy, y, -1, y.dtype)


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1)


NORMS = (
    case("softmax", "softmax bf16 65536x4096", softmax, (65536, 4096), dtype=BF16),
    case("softmax", "softmax f32 65536x1024", softmax, (65536, 1024)),
    case("softmax", "softmax f16 262144x512", softmax, (262144, 512), dtype=F16),
    case("softmax", "softmax bf16 8192x32768", softmax, (8192, 32768), dtype=BF16),
    case("softmax", "softmax bf16 2048x131072", softmax, (2048, 131072), dtype=BF16),
    case("softmax", "softmax f32 50000x1000", softmax, (50000, 1000)),
    case("softmax", "log_softmax bf16 4096x50257", lambda x: F.log_softmax(x, -1), (4096, 50257), dtype=BF16),
    case("softmax", "softmax backward bf16", softmax_backward, (65536, 4096), (65536, 4096), dtype=BF16),
    case("norm", "layer norm bf16 65536x4096", layer_norm, (65536, 4096), (4096,), (4096,), dtype=BF16),
    case("norm", "layer norm f32 131072x768", layer_norm, (131072, 768), (768,), (768,)),
    case("norm", "rms norm bf16 65536x4096", rms_norm, (65536, 4096), (4096,), dtype=BF16),
    case(
        "norm", "rms norm + residual bf16", rms_norm_residual, (32768, 4096), (32768, 4096), (4096,), dtype=BF16
    ),
    case("norm", "group norm + silu bf16", lambda x: F.silu(F.group_norm(x, 32)), (32, 512, 64, 64), dtype=BF16),
    case("norm", "layer norm backward bf16", layer_norm_backward, (16384, 4096), (16384, 4096), (4096,), dtype=BF16),
    case(
        "norm", "batch norm training + relu bf16",
        lambda x: F.relu(F.batch_norm(x, None, None, training=True)), (64, 256, 56, 56), dtype=BF16,
    ),
)  # fmt: skip

REDUCTIONS = (
    case("reduction", "sum of all f32", lambda x: x.sum(), SQUARE),
    case("reduction", "sum of rows f32", lambda x: x.sum(1), SQUARE),
    case("reduction", "sum of columns f32", lambda x: x.sum(0), SQUARE),
    case("reduction", "sum of columns bf16", lambda x: x.sum(0), (65536, 4096), dtype=BF16),
    case("reduction", "mean((x-t)^2) f32", lambda x, t: ((x - t) ** 2).mean(), SQUARE, SQUARE),
    case("reduction", "amax and mean f32", lambda x: (x.abs().amax(), x.mean()), SQUARE),
    case("reduction", "row max and sum f32", lambda x: (x.amax(1), x.sum(1)), (65536, 2048)),
    case("reduction", "variance of columns f32", lambda x: x.var(0), SQUARE),
    case("reduction", "x / x.sum() f32", lambda x: x / x.sum(), SQUARE),
    case("reduction", "argmax of rows f32", lambda x: x.argmax(-1), (65536, 2048)),
    case("reduction", "middle axis f32", lambda x: x.sum(1), (256, 1024, 512)),
    case("reduction", "short rows f32", lambda x: x.sum(1), (4194304, 32)),
    case("reduction", "bias gradient bf16", lambda dy: dy.sum((0, 1)), (64, 1024, 4096), dtype=BF16),
)

MOVEMENT = (
    case("movement", "transpose f32", lambda x: x.t().contiguous(), SQUARE),
    case("movement", "heads to rows bf16", lambda x: x.transpose(1, 2).reshape(32, 2048, 4096), (32, 32, 2048, 128), dtype=BF16),
    case("movement", "concatenate 3 f32", lambda x, y, z: torch.cat([x, y, z], 1), (8192, 4096), (8192, 2048), (8192, 1024)),
    case("movement", "pad and relu f32", lambda x: F.relu(F.pad(x, (3, 5, 2, 0))), SQUARE),
    case("movement", "slice and scale f32", lambda x: x[:, ::2] * 2, SQUARE),
    case("movement", "channel shuffle bf16", lambda x: x.view(64, 8, 32, 56, 56).transpose(1, 2).reshape(64, 256, 56, 56) * 2, (64, 256, 56, 56), dtype=BF16),
    case("movement", "broadcast column f32", lambda x, c: x * c, SQUARE, (8192, 1)),
)  # fmt: skip


def cross_entropy(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(logits if logits.dtype == torch.float64 else logits.float(), target)


LOSSES = (
    Case("loss", "cross entropy bf16 8192x32000", cross_entropy, (((8192, 32000), BF16), ((8192,), torch.int64))),
    case("loss", "binary cross entropy f32", F.binary_cross_entropy_with_logits, SQUARE, SQUARE),
    case("loss", "smooth l1 f32", F.smooth_l1_loss, SQUARE, SQUARE),
)

CASES = (*ELEMENTWISE, *NORMS, *REDUCTIONS, *MOVEMENT, *LOSSES)
