"""Blocks of real models, as graphs for comparing fusion strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

from benchmarks.fusion_corpus import CorpusGraph, resized
from lowering.fx_to_tensor import import_callable
from mlc_compiler.pipeline import lower_to


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.softmax(q @ k.transpose(-1, -2) * 0.125, dim=-1) @ v


def causal_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return torch.softmax(q @ k.transpose(-1, -2) * 0.125 + mask, dim=-1) @ v


def mlp(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, u: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return x + F.gelu(x @ w + b) @ u + c


def swiglu(x: torch.Tensor, gate: torch.Tensor, up: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
    return (F.silu(x @ gate) * (x @ up)) @ down


def residual_norm(x: torch.Tensor, y: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
    h = x + y
    return h, F.layer_norm(h, (h.shape[-1],), w, b)


def rms_norm(x: torch.Tensor, y: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    h = x + y
    return h, h * torch.rsqrt((h * h).mean(-1, keepdim=True) + 1e-6) * w


def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


def log_softmax_loss(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return -(target * F.log_softmax(x, dim=-1)).sum(-1).mean()


def group_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.silu(F.group_norm(x, 8, w, b))


def batch_norm(x: torch.Tensor, m: torch.Tensor, v: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.relu(F.batch_norm(x, m, v, w, b))


def softcap(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(50.0 * torch.tanh(x / 50.0), dim=-1)


def adam(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return p - 1e-3 * m / (v.sqrt() + 1e-8), m, v


BLOCKS: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "attention": (attention, ((8, 256, 64),) * 3),
    "causal-attention": (causal_attention, (*((8, 256, 64),) * 3, (256, 256))),
    "mlp": (mlp, ((512, 256), (256, 1024), (1024,), (1024, 256), (256,))),
    "swiglu": (swiglu, ((512, 256), (256, 768), (256, 768), (768, 256))),
    "residual-norm": (residual_norm, ((512, 1024), (512, 1024), (1024,), (1024,))),
    "rms-norm": (rms_norm, ((512, 1024), (512, 1024), (1024,))),
    "rotary": (rotary, ((512, 128), (512, 128), (512, 128))),
    "log-softmax-loss": (log_softmax_loss, ((512, 1024), (512, 1024))),
    "group-norm": (group_norm, ((8, 64, 32, 32), (64,), (64,))),
    "batch-norm": (batch_norm, ((8, 64, 32, 32), (64,), (64,), (64,), (64,))),
    "softcap": (softcap, ((1024, 512),)),
    "adam": (adam, ((1024, 1024),) * 4),
}


def blocks() -> Iterator[CorpusGraph]:
    """Each block, simplified as the compiler has it before fusion."""
    yield from map(block, BLOCKS)


def block(name: str, elements: int | None = None) -> CorpusGraph:
    """One block; with `elements`, its batch is as large as gives its first input so many elements."""
    function, shapes = BLOCKS[name]
    batch = shapes[0][0]
    extent = resized(batch, prod(shapes[0]), elements)
    sized = [(extent, *s[1:]) if s[0] == batch else s for s in shapes]
    with FakeTensorMode():
        inputs = [torch.empty(s) for s in sized]
    module = import_callable(function, inputs).module
    lower_to(module, "simplified")
    return CorpusGraph(name, module)
