"""A decoder of today's kind, and how it is spread over several processes by PyTorch's own engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, ParallelStyle, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

Compile = Callable[[nn.Module], None]
"""Compiles a module where it stands, as `nn.Module.compile` does."""


@dataclass(frozen=True)
class Size:
    """Of a decoder and of what one process gives it."""

    layers: int = 4
    width: int = 2048
    inner: int = 5632
    heads: int = 16
    groups: int = 8
    words: int = 32000
    batch: int = 4
    length: int = 2048


TINY = Size(layers=2, width=32, inner=48, heads=4, groups=2, words=50, batch=2, length=8)


class Attention(nn.Module):
    """Causal, with rotary positions and heads of queries that share keys."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.head = size.width // size.heads
        self.q = nn.Linear(size.width, size.heads * self.head, bias=False)
        self.k = nn.Linear(size.width, size.groups * self.head, bias=False)
        self.v = nn.Linear(size.width, size.groups * self.head, bias=False)
        self.out = nn.Linear(size.heads * self.head, size.width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        q, k, v = (self._heads(project(x)) for project in (self.q, self.k, self.v))
        q, k = _turned(q, cos, sin), _turned(k, cos, sin)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.out(mixed.transpose(1, 2).flatten(2))

    def _heads(self, x: Tensor) -> Tensor:
        # As many heads as this process has: tensor parallelism gives it a part of them.
        return x.unflatten(-1, (-1, self.head)).transpose(1, 2)


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return (x * cos + torch.cat((-second, first), -1) * sin).to(x.dtype)


class Block(nn.Module):
    """Attention, then a gated feed-forward layer, each behind a norm and beside a residual."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.before = nn.RMSNorm(size.width)
        self.attention = Attention(size)
        self.between = nn.RMSNorm(size.width)
        self.gate = nn.Linear(size.width, size.inner, bias=False)
        self.up = nn.Linear(size.width, size.inner, bias=False)
        self.down = nn.Linear(size.inner, size.width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.attention(self.before(x), cos, sin)
        y = self.between(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Head(nn.Module):
    """What is made of the last block's result: the loss where the next words are given, else their scores."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(size.width)
        self.scores = nn.Linear(size.width, size.words, bias=False)

    def forward(self, x: Tensor, targets: Tensor | None) -> Tensor:
        if targets is None:
            return self.scores(self.norm(x[:, -1]))
        return F.cross_entropy(self.scores(self.norm(x)).flatten(0, 1).float(), targets.flatten())


class Decoder(nn.Module):
    """Words in, loss or scores of the last word out."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.embedding = nn.Embedding(size.words, size.width)
        self.blocks = nn.ModuleList(Block(size) for _ in range(size.layers))
        self.head = Head(size)
        half = size.width // size.heads // 2
        angles = torch.outer(torch.arange(size.length), 10000.0 ** (-torch.arange(half) / half)).repeat(1, 2)
        self.cos: Tensor
        self.sin: Tensor
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, words: Tensor, targets: Tensor | None = None) -> Tensor:
        x, length = self.embedding(words), words.shape[1]
        for block in self.blocks:
            x = block(x, self.cos[:length], self.sin[:length])
        return self.head(x, targets)

    def parts(self) -> Iterator[nn.Module]:
        """What is sharded, and then compiled, by itself."""
        yield from self.blocks
        yield self.head


def replicated(decoder: Decoder, mesh: DeviceMesh, compile: Compile) -> nn.Module:
    """DDP inside what is compiled: Dynamo cuts the graph where a bucket of gradients ends, which is then sent early."""
    wrapped = DistributedDataParallel(decoder, process_group=mesh.get_group(), gradient_as_bucket_view=True)
    compile(wrapped)
    return wrapped


def sharded(decoder: Decoder, mesh: DeviceMesh, compile: Compile) -> nn.Module:
    """FSDP2 by blocks, which compute in bfloat16; each is compiled by itself, as PyTorch's own trainers do."""
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for part in decoder.parts():
        compile(part)
        fully_shard(part, mesh=mesh, mp_policy=policy)
    fully_shard(decoder, mesh=mesh, mp_policy=policy)
    return decoder


def split(decoder: Decoder, mesh: DeviceMesh, compile: Compile) -> nn.Module:
    """Tensor parallelism: heads and inner columns are split, so that each block adds up twice over all processes."""
    columns, rows = ColwiseParallel(), RowwiseParallel()
    layers: dict[str, ParallelStyle] = {f"attention.{name}": columns for name in "qkv"}
    layers |= {"attention.out": rows, "gate": columns, "up": columns, "down": rows}
    for block in decoder.blocks:
        parallelize_module(block, mesh, layers)
    compile(decoder)
    return decoder
