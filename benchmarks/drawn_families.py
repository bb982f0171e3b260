"""What a random function may compute: one function a family, which draws the ops and the inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.case import BOOL, F32, I64, Arg, Case, Shape, wide
from benchmarks.cases.losses import cross_entropy
from benchmarks.cases.norms import layer_norm, layer_norm_backward, rms_norm, rms_norm_backward, softmax_backward
from benchmarks.cases.regions import batch_norm_relu
from benchmarks.cases.regions_backward import batch_norm_backward, clip, gelu_bias_backward
from benchmarks.drawn import NAME, TRAFFIC, Computed, Draw

Made = tuple[Computed, Sequence[Arg]]
Step = tuple[str, Callable[..., Any]]

STEPS: tuple[Step, ...] = (
    ("relu", torch.relu),
    ("abs", torch.abs),
    ("x/2 + 1", lambda x: x * 0.5 + 1),
    ("sigmoid", torch.sigmoid),
    ("tanh", torch.tanh),
    ("gelu", F.gelu),
    ("silu", F.silu),
    ("square", torch.square),
    ("rsqrt(|x| + 1)", lambda x: torch.rsqrt(x.abs() + 1)),
    ("exp(-|x|)", lambda x: torch.exp(-x.abs())),
)
MIXED: tuple[Step, ...] = (
    ("+", torch.add),
    ("*", torch.mul),
    ("-", torch.sub),
    ("max", torch.maximum),
)
REDUCED: tuple[Step, ...] = (
    ("sum", lambda x, dims: wide(x).sum(dims).to(x.dtype)),
    ("sum of squares", lambda x, dims: wide(x).square().sum(dims)),
    ("mean", lambda x, dims: wide(x).mean(dims).to(x.dtype)),
    ("max", lambda x, dims: x.amax(dims)),
    ("variance", lambda x, dims: wide(x).var(dims, unbiased=False)),
    ("norm", lambda x, dims: wide(x).square().sum(dims).sqrt()),
    ("logsumexp", lambda x, dims: torch.logsumexp(wide(x), dims)),
    ("count above 1", lambda x, dims: (x > 1).sum(dims)),
    ("mean and variance", lambda x, dims: (wide(x).mean(dims), wide(x).var(dims, unbiased=False))),
)


def chain(draw: Draw, least: int, most: int) -> Step:
    """Elementwise ops one after another, and how they read."""
    steps = [draw.pick(STEPS) for _ in range(draw.rank(least, most))]

    def run(x: torch.Tensor) -> torch.Tensor:
        for _, step in steps:
            x = step(x)
        return x

    return ", ".join(text for text, _ in steps) or "plain", run


def broadcast_shape(draw: Draw, shape: Shape) -> Shape:
    """Of an input that is the same along some axes."""
    return tuple(1 if draw.chance() else n for n in shape)


def pointwise(draw: Draw) -> Made:
    count = draw.rank(1, 3)
    shape, (text, first) = draw.shape(draw.rank(1, 5), count + 1), chain(draw, 1, 4)
    args, mixed = draw.args(count, shape), [draw.pick(MIXED) for _ in range(count - 1)]
    if draw.chance(0.4):
        args.append(draw.arg(broadcast_shape(draw, shape), order="contiguous"))
        mixed.append(draw.pick(MIXED))
    if draw.chance(0.3):
        args.append(draw.arg(shape, BOOL))
        mixed.append(("where", lambda y, keep: torch.where(keep, y * 1.25, 0)))

    def run(x: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        y = first(x)
        for (_, mix), other in zip(mixed, others, strict=True):
            y = mix(y, other)
        return y

    return Computed("; ".join((text, *(t for t, _ in mixed))), run), args


def reduction(draw: Draw, shape: Shape, dims: tuple[int, ...]) -> Made:
    """Of a chain, or of the product of two inputs."""
    (text, reduce), count = draw.pick(REDUCED), draw.rank(1, 2)
    before, first = chain(draw, 0, 2)

    def run(x: torch.Tensor, *others: torch.Tensor) -> Any:
        y = first(x)
        for other in others:
            y = y * other
        return reduce(y, dims)

    return Computed(f"{text} over {list(dims)} ({before})", run), draw.args(count, shape)


def row_reduction(draw: Draw) -> Made:
    shape = draw.shape(draw.rank(2, 4), 1.5, least=2)
    return reduction(draw, shape, (len(shape) - 1,))


def column_reduction(draw: Draw) -> Made:
    return reduction(draw, draw.shape(draw.rank(2, 3), 1.5, least=2), (0,))


def axes_reduction(draw: Draw) -> Made:
    """Over the middle, or over several axes."""
    shape = draw.shape(draw.rank(3, 5), 1.5, least=2)
    count = draw.rank(1, len(shape) - 1)
    among = range(1, len(shape) - 1) if count == 1 else range(len(shape))
    return reduction(draw, shape, tuple(sorted(draw.random.sample(among, count))))


def full_reduction(draw: Draw) -> Made:
    shape = draw.shape(draw.rank(1, 4), 1.5)
    return reduction(draw, shape, tuple(range(len(shape))))


def row_norm(draw: Draw) -> Made:
    shape = draw.shape(draw.rank(2, 4), 2, least=2)
    text, function, weights = draw.pick(
        (
            ("softmax", lambda x: torch.softmax(x, -1), 0),
            ("log_softmax", lambda x: torch.log_softmax(x, -1), 0),
            ("layer norm", layer_norm, 2),
            ("rms norm", rms_norm, 1),
            ("normalize", lambda x: F.normalize(x, dim=-1), 0),
        )
    )
    vectors = [draw.arg(shape[-1:], order="contiguous")] * weights
    if draw.chance(0.4):
        return Computed(f"residual + {text}", lambda x, r, *w: (x + r, function(x + r, *w))), [
            *draw.args(2, shape),
            *vectors,
        ]
    return Computed(text, function), [draw.arg(shape), *vectors]


def other_norm(draw: Draw) -> Made:
    """Along an axis that is not the last."""
    shape = draw.shape(draw.rank(2, 4), 2, least=2)
    dim = draw.random.randrange(len(shape) - 1)

    def standardize(x: torch.Tensor) -> torch.Tensor:
        f = wide(x)
        scale = torch.rsqrt(f.var(dim, keepdim=True, unbiased=False) + 1e-5)
        return ((f - f.mean(dim, keepdim=True)) * scale).to(x.dtype)

    text, function = draw.pick((("softmax", lambda x: torch.softmax(x, dim)), ("standardize", standardize)))
    return Computed(f"{text} along {dim}", function), [draw.arg(shape)]


def backward(draw: Draw) -> Made:
    """Rows of gradients beside sums of rows or of columns."""
    shape = draw.shape(2, 3, least=2)
    text, function, weights = draw.pick(
        (
            ("layer norm backward", layer_norm_backward, 1),
            ("rms norm backward", rms_norm_backward, 1),
            ("gelu and bias gradient", gelu_bias_backward, 0),
            ("softmax backward", softmax_backward, 0),
            ("sums of rows and columns", lambda x, y: ((x * y).sum(0), (x * y).sum(1)), 0),
            ("scale gradient", lambda x, y: (x * torch.sigmoid(y), wide(x * y).sum(0).to(x.dtype)), 0),
        )
    )
    return Computed(text, function), [*draw.args(2, shape), *[draw.arg(shape[-1:], order="contiguous")] * weights]


def scan(draw: Draw) -> Made:
    shape = draw.shape(draw.rank(1, 3), 2)
    dim = draw.pick((-1, -1, draw.random.randrange(len(shape))))
    before, first = chain(draw, 0, 2)
    text, function = draw.pick(
        (
            ("cumsum", lambda x: wide(first(x)).cumsum(dim).to(x.dtype)),
            ("exclusive count", lambda x: (x > 0).to(F32).cumsum(dim) - 1),
        )
    )
    return Computed(f"{text} along {dim} ({before})", function), [draw.arg(shape)]


def search(draw: Draw) -> Made:
    shape = draw.shape(draw.rank(1, 4), 1.2)
    dim = draw.pick((-1, -1, draw.random.randrange(len(shape))))
    text, function = draw.pick(
        (
            ("argmax", lambda x: x.argmax(dim)),
            ("argmin", lambda x: x.argmin(dim)),
            ("max with its index", lambda x: tuple(x.max(dim))),
        )
    )
    return Computed(f"{text} along {dim}", function), [draw.arg(shape)]


def permute(draw: Draw) -> Made:
    shape, (text, function) = draw.shape(draw.rank(2, 5), 2), chain(draw, 0, 1)
    axes = draw.random.sample(range(len(shape)), len(shape))
    if draw.chance(0.3):
        other = draw.arg(tuple(shape[a] for a in axes), order="contiguous")
        added = Computed(f"permute {axes} ({text}) + y", lambda x, y: function(x).permute(axes) + y)
        return added, [draw.arg(shape), other]
    return Computed(f"permute {axes} ({text})", lambda x: function(x).permute(axes).contiguous()), [draw.arg(shape)]


def broadcast(draw: Draw) -> Made:
    """Small inputs, a large result."""
    shape, (text, function) = draw.shape(draw.rank(2, 4), 1), chain(draw, 0, 2)
    mix, dim = draw.pick(MIXED), draw.random.randrange(len(shape))
    one = tuple(1 if k == dim else n for k, n in enumerate(shape))
    other = tuple(n if k == dim else 1 for k, n in enumerate(shape))
    if draw.chance(0.3):
        return Computed(f"expand ({text})", lambda x: function(x).expand(shape).contiguous()), [draw.arg(one)]
    return Computed(f"x {mix[0]} y ({text})", lambda x, y: function(mix[1](x, y))), [draw.arg(one), draw.arg(other)]


def embedding_norm(tokens: torch.Tensor, table: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return rms_norm(F.embedding(tokens, table), w)


def gather(draw: Draw) -> Made:
    """Rows or elements at places that are data."""
    rows, columns = draw.shape(2, 2, least=2)
    table = max(2, round(rows * draw.random.uniform(0.1, 1.5)))
    index = Arg((rows,), I64, high=table)
    places = Arg((columns, rows), I64, high=table)
    text, function, args = draw.pick(
        (
            ("embedding * 2", lambda i, t: F.embedding(i, t) * 2, [index, (table, columns)]),
            ("embedding + rms norm", embedding_norm, [index, (table, columns), (columns,)]),
            ("columns at places", lambda i, t: t[:, i] + 1, [index, (columns, table)]),
            ("elements along rows", lambda i, t: torch.gather(t, 1, i), [places, (columns, table)]),
        )
    )
    return Computed(text, function), [a if isinstance(a, Arg) else draw.arg(a) for a in args]


def join(draw: Draw) -> Made:
    """Concatenate, pad, flip or roll."""
    shape, (text, function) = draw.shape(draw.rank(1, 4), 2), chain(draw, 0, 2)
    dim, by = draw.random.randrange(len(shape)), draw.rank(1, 5)
    kind = draw.pick(("concatenate", "concatenate", "pad", "flip", "roll"))
    if kind == "concatenate":
        count = draw.rank(2, 4)
        sizes = [max(1, round(shape[dim] * draw.random.uniform(0.2, 1.5) / count)) for _ in range(count)]
        args = [draw.arg((*shape[:dim], size, *shape[dim + 1 :])) for size in sizes]
        return Computed(f"concatenate along {dim} ({text})", lambda *x: function(torch.cat(x, dim))), args
    padding = [0, 0] * (len(shape) - 1 - dim) + [by, draw.rank(0, 5)]
    moved = {
        "pad": lambda x: F.pad(function(x), padding),
        "flip": lambda x: function(x) + x.flip(dim),
        "roll": lambda x: torch.roll(function(x), by, dim),
    }
    return Computed(f"{kind} along {dim} ({text})", moved[kind]), [draw.arg(shape)]


def statistics(draw: Draw) -> Made:
    """Of the channels [N, C, ...], as batch norm has them, forward and backward."""
    shape = draw.shape(draw.rank(3, 5), 2.5, least=2)
    vector = Arg(shape[1:2], F32, positive=True)
    others = tuple(d for d in range(len(shape)) if d != 1)
    text, function, images, vectors = draw.pick(
        (
            ("batch norm forward", batch_norm_relu, 1, 4),
            ("batch norm backward", batch_norm_backward, 3, 3),
            ("channel statistics", lambda x: (wide(x).mean(others), wide(x).var(others, unbiased=False)), 1, 0),
            ("channel sums", lambda dy, y: wide(torch.where(y > 0, dy, 0)).sum(others).to(dy.dtype), 2, 0),
        )
    )
    return Computed(text, function), [*draw.args(images, shape), *[vector] * vectors]


def quantize(draw: Draw) -> Made:
    """To and from 8 bits, and masks."""
    shape = draw.shape(draw.rank(1, 4), 1.5, least=2)
    eighth, scale = draw.arg(shape, torch.int8, high=100), draw.arg(shape[-1:], order="contiguous", positive=True)

    def rows(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        bound = wide(x).abs().amax(-1, keepdim=True).clamp_min(1e-6) / 127
        return torch.round(wide(x) / bound).to(torch.int8), bound

    text, function, args = draw.pick(
        (
            ("from 8 bits", lambda x, s: x.to(s.dtype) * s, [eighth, scale]),
            ("to 8 bits", lambda x: torch.round(x * 16).clamp(-127, 127).to(torch.int8), [draw.arg(shape)]),
            ("rows to 8 bits", rows, [draw.arg(shape)]),
            ("sum of 8 bits", lambda x: x.sum(-1), [eighth]),
            ("count of a mask", lambda m: m.sum(-1), [draw.arg(shape, BOOL)]),
            ("mask of a bound", lambda x, m: (x > 0.5) & m, [draw.arg(shape), draw.arg(shape, BOOL)]),
        )
    )
    return Computed(text, function), args


def loss(draw: Draw) -> Made:
    rows, columns = draw.shape(2, 1.5, least=2)
    shape = (rows, columns)
    text, function, args = draw.pick(
        (
            ("cross entropy", cross_entropy, [draw.arg(shape), Arg((rows,), I64, high=columns)]),
            ("mean squared error", lambda x, y: (wide(x) - wide(y)).square().mean(), draw.args(2, shape)),
            ("clipped gradient", clip, [draw.arg(shape)]),
        )
    )
    return Computed(text, function), args


FAMILIES: dict[str, Callable[[Draw], Made]] = {
    "pointwise": pointwise,
    "row reduction": row_reduction,
    "row norm": row_norm,
    "column reduction": column_reduction,
    "axes reduction": axes_reduction,
    "permute": permute,
    "channel statistics": statistics,
    "backward": backward,
    "scan": scan,
    "broadcast": broadcast,
    "full reduction": full_reduction,
    "concatenate and pad": join,
    "norm along another axis": other_norm,
    "search": search,
    "gather": gather,
    "quantize": quantize,
    "loss": loss,
}


def drawn(seed: int, index: int, traffic: tuple[int, int] = TRAFFIC) -> Case:
    """Case `index` of those that `seed` gives."""
    family = tuple(FAMILIES)[index % len(FAMILIES)]
    function, args = FAMILIES[family](Draw(Random(f"{seed}-{index}"), traffic))
    return Case(family, f"regret-{seed}-{index}", function, tuple(args))


def named(name: str, traffic: tuple[int, int] = TRAFFIC) -> Case:
    """The case of that name; ValueError if it is none."""
    found = NAME.fullmatch(name)
    if found is None:
        raise ValueError(f"{name!r} is no name of a drawn case, as regret-17-204 is")
    return drawn(int(found[1]), int(found[2]), traffic)
