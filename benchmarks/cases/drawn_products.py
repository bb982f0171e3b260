"""Products of matrices and convolutions drawn by seed, with what follows them: models of their time are fitted to these.

Rows, columns and depths are log-uniform; most columns and depths are multiples of 32, as in programs. Images are channels
last. What follows is nothing, a bias and an activation, or a residual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from math import exp, log
from random import Random
from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, Arg, Case, weights
from benchmarks.cases.contractions import gates, linear_gelu
from benchmarks.cases.convolutions import kernels
from benchmarks.cases.layouts import nhwc

Tensor = torch.Tensor
FLOPS, BYTES = 3e11, (1e6, 4e8)
"""Operations that a case does at most; bytes that it moves at least and at most."""


def linear(x: Tensor, w: Tensor) -> Tensor:
    return F.linear(x, w)


def linear_relu(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.relu(F.linear(x, w, b))


def linear_residual(x: Tensor, w: Tensor, b: Tensor, r: Tensor) -> Tensor:
    return F.linear(x, w, b) + r


class Convolved:
    """A convolution of some stride, padded so that a stride of 1 keeps the size, and what follows."""

    def __init__(self, stride: int, follows: str, groups: int = 1):
        self.stride, self.follows, self.groups = stride, follows, groups

    def bare(self, x: Tensor, w: Tensor, *more: Tensor) -> Tensor:
        return F.conv2d(x, w, stride=self.stride, padding=w.shape[-1] // 2, groups=self.groups)

    def __call__(self, x: Tensor, w: Tensor, *more: Tensor) -> Tensor:
        y = self.bare(x, w)
        if self.follows == "bare":
            return y
        return F.relu(y + more[0][:, None, None] + (more[1] if self.follows == "residual" else 0))


FOLLOWING: dict[str, Callable[..., Tensor]] = {
    "bare": linear, "gelu": linear_gelu, "relu": linear_relu, "residual": linear_residual,
}  # fmt: skip


def drawn_products(seed: int, count: int) -> list[Case]:
    """So many cases: the same for each seed, and two products of matrices for one convolution."""
    return list(islice(_cases(Random(seed)), count))


def drawn_groups(seed: int, count: int) -> list[Case]:
    """So many convolutions of groups of channels, as ResNeXt and RegNet have them: the same for each seed."""
    return _drawn(_grouped, seed, count)


def _drawn(one: Callable[[Random], Iterator[Case]], seed: int, count: int) -> list[Case]:
    """So many of the cases that `one` gives, one or none a time."""
    random = Random(seed)
    found: list[Case] = []
    while len(found) < count:
        found += one(random)
    return found


def _grouped(random: Random) -> Iterator[Case]:
    """A convolution of groups; none where it does or moves too much or too little."""
    batch, side, places = 2 ** random.randint(0, 7), random.randint(7, 112), random.choice((3, 3, 3, 5))
    width = random.choice((4, 8, 16, 24, 32, 40, 48, 56, 64))
    groups, stride = 4 * round(_size(random, 64, 1600) / (4 * width)) or 3, random.choice((1, 1, 1, 2))
    channels, out = groups * width, (side - 1) // stride + 1
    result = batch * channels * out**2
    if _is_fit(2 * result * width * places**2, 2 * (batch * channels * side**2 + result)):
        follows = random.choice(("bare", "relu"))
        args = (nhwc(BF16, batch, channels, side, side), kernels(channels, width, places), Arg((channels,), BF16))
        name = f"{places}x{places} / {stride} {follows} {batch} x {groups} * {width} x {side} x {side}"
        function = Convolved(stride, follows, groups)
        yield Case("drawn groups", name, function, args[: 2 + (follows == "relu")], beside={"products": function.bare})


def drawn_rows(seed: int, count: int) -> list[Case]:
    """So many products of few rows, as layers of language models have them that decode: the same for each seed."""
    return _drawn(_few_rows, seed, count)


def _few_rows(random: Random) -> Iterator[Case]:
    """A product of few rows; none where it moves too much or too little."""
    m, n, k = _size(random, 2, 256), _size(random, 512, 2**15, 128), _size(random, 512, 2**14, 128)
    follows = random.choice((*FOLLOWING, "gated"))
    is_gated = follows == "gated"
    case = _gated("drawn rows", m, n, k) if is_gated else _linear("drawn rows", follows, m, n, k)
    yield from () if case is None else (case,)


def _gated(family: str, m: int, n: int, k: int) -> Case | None:
    """Two products of which one gates the other; None where they do or move too much or too little."""
    if not _is_fit(4 * m * n * k, 4 * n * k):
        return None
    args = (Arg((m, k), BF16), weights(n, k), weights(n, k))
    beside = {"products": lambda x, w, v: F.linear(x, w) + F.linear(x, v)}
    return Case(family, f"linear gated {m} x {k} x {n}", gates, args, beside=beside)


def drawn_batches(seed: int, count: int) -> list[Case]:
    """So many batches of products, as heads, experts and chunks of sequences have them: the same for each seed."""
    return _drawn(_batched, seed, count)


def _batched(random: Random) -> Iterator[Case]:
    """A batch of products; none where it does or moves too much or too little."""
    batch = round(exp(random.uniform(log(2), log(512))))
    m, n, k = (_size(random, 32, 2048, unit) for unit in (1, 32, 32))
    follows = random.choice(list(BATCHES))
    if _is_fit(2 * batch * m * n * k, 2 * batch * (m * k + n * k + m * n)):
        more = {"scale, mask": (Arg((m, n), BF16),), "bias, gelu": (Arg((batch, 1, n), BF16),)}.get(follows, ())
        args = (Arg((batch, m, k), BF16), Arg((batch, n, k), BF16), *more)
        name = f"batch {follows} {batch} x {m} x {k} x {n}"
        beside = {"products": lambda x, w, *more: torch.bmm(x, w.mT)}
        yield Case("drawn batches", name, BATCHES[follows], args, beside=beside)


BATCHES: dict[str, Callable[..., Tensor]] = {
    "bare": lambda x, w: torch.bmm(x, w.mT),
    "silu": lambda x, w: F.silu(torch.bmm(x, w.mT)),
    "scale, mask": lambda x, w, b: torch.bmm(x, w.mT) * 0.125 + b,
    "bias, gelu": lambda x, w, b: F.gelu(torch.bmm(x, w.mT) + b),
}


def _cases(random: Random) -> Iterator[Case]:
    turn = 0
    while True:
        case = _convolution(random) if turn % 3 == 2 else _product(random)
        if case is not None:
            turn += 1
            yield case


def _product(random: Random) -> Case | None:
    """A product of m x k and k x n; None where it does or moves too much or too little."""
    m, n, k = _size(random, 16, 2**17), _size(random, 32, 2**14, 32), _size(random, 32, 2**14, 32)
    return _linear("drawn products", random.choice(list(FOLLOWING)), m, n, k)


def _linear(family: str, follows: str, m: int, n: int, k: int) -> Case | None:
    """A linear layer; None where it does or moves too much or too little."""
    more = {"bare": (), "residual": (Arg((n,), BF16), Arg((m, n), BF16))}.get(follows, (Arg((n,), BF16),))
    if not _is_fit(2 * m * n * k, 2 * (m * k + n * k + m * n * (2 if follows == "residual" else 1))):
        return None
    beside = {"products": lambda x, w, *more: F.linear(x, w)}
    args = (Arg((m, k), BF16), weights(n, k), *more)
    return Case(family, f"linear {follows} {m} x {k} x {n}", FOLLOWING[follows], args, beside=beside)


def _convolution(random: Random) -> Case | None:
    batch, side, places = 2 ** random.randint(0, 7), random.randint(7, 112), random.choice((1, 1, 3, 3, 5))
    unit = 8 if places == 1 else 32
    inner, outer = (_size(random, 16 if places == 1 else 32, 1024, unit) for _ in range(2))
    stride = random.choice((1, 1, 1, 2))
    out = (side - 1) // stride + 1
    follows = random.choice(("bare", "relu", "residual"))
    result = batch * outer * out**2
    flops = 2 * result * inner * places**2
    if not _is_fit(flops, 2 * (batch * inner * side**2 + result * (2 if follows == "residual" else 1))):
        return None
    function = Convolved(stride, follows)
    x, w = nhwc(BF16, batch, inner, side, side), kernels(outer, inner, places)
    more = () if follows == "bare" else (Arg((outer,), BF16), nhwc(BF16, batch, outer, out, out))
    args: tuple[Any, ...] = (x, w, *more[: 1 + (follows == "residual")])
    name = f"{places}x{places} / {stride} {follows} {batch} x {inner} x {side} x {side} to {outer}"
    return Case("drawn convolutions", name, function, args, beside={"products": function.bare})


def _size(random: Random, least: int, most: int, unit: int = 1) -> int:
    """Log-uniform; four in five are multiples of `unit`, others of 8."""
    size = exp(random.uniform(log(least), log(most)))
    unit = unit if unit == 1 or random.random() < 0.8 else 8
    return max(least, round(size / unit) * unit)


def _is_fit(flops: int, moved: int) -> bool:
    return flops <= FLOPS and BYTES[0] <= moved <= BYTES[1]
