"""Attention written by hand at the sizes of models, forward and with gradients, and decoding with one query.

Smoke tests have short sequences of two blocks and what theirs leave, few heads, and a quarter of a head's size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from benchmarks.case import BF16, BOOL, F16, F32, Arg, Case, Shape, cases
from benchmarks.cases.attention_by_hand import (
    BESIDE,
    WINDOWS,
    biased,
    capped,
    causal,
    dropped,
    grouped,
    grouped_capped,
    grouped_query,
    grouped_query_capped,
    grouped_query_padded,
    grouped_sinks,
    in_float32,
    padded,
    plain,
    query_sloped,
    sloped,
    windowed,
)

CAUSAL = (causal, capped, sloped, grouped, grouped_capped, grouped_sinks)
HEADS = 2
"""Of keys, in a smoke test."""
PER_HEAD = (biased, grouped_sinks)
"""Those with a learned input that has an axis of heads: it has a gradient, and is cut with the heads."""


def brief(length: int) -> int:
    """The length of a sequence in a smoke test."""
    return length if length <= 128 else 128 + length % 64


def visible(function: Callable[..., torch.Tensor], length: int) -> float:
    """The share of the scores that the function's mask leaves."""
    if function is windowed:
        window = length // WINDOWS
        return window * (2 * length - window + 1) / 2 / length**2
    return (length + 1) / 2 / length if function in CAUSAL else 1.0


def attention(
    title: str,
    function: Callable[..., torch.Tensor],
    q: Shape,
    kv: Shape | None = None,
    dtype: torch.dtype = BF16,
    family: str = "attention",
    size_of_values: int | None = None,
) -> Case:
    """A case; shapes are batch, heads, length and size of a head, `kv` where it is not that of the queries."""
    kv = kv or q
    groups = q[1] // kv[1]
    few = HEADS * groups
    shapes = (q, few), (kv, HEADS), ((*kv[:3], size_of_values or kv[3]), HEADS)
    args = [Arg(s, dtype, small=(min(s[0], 2), heads, brief(s[2]), s[3] // 4)) for s, heads in shapes]
    text = {BF16: "bf16", F16: "f16"}[dtype]
    count = str(q[1]) if groups == 1 else f"{q[1]}/{kv[1]}"
    length = q[2] if q[2] > 1 else kv[2]
    name = f"{title} {q[0]}x{count}x{length}x{q[3]} {text}"
    return cases(family)(
        name,
        function,
        *args,
        *more_inputs(function, q, kv, few, dtype),
        rows=(0, 1, 2, 3) if function in (*PER_HEAD, sloped, query_sloped) else (0, 1, 2),
        axis=1,
        beside=BESIDE[function],
        repeatable=function is not dropped,
        visible=visible(function, q[2]),
    )


def more_inputs(
    function: Callable[..., torch.Tensor], q: Shape, kv: Shape, few: int, dtype: torch.dtype
) -> Sequence[Arg]:
    """What the function reads beside queries, keys and values; a smoke test has `few` heads of queries."""
    if function in (sloped, query_sloped):
        return (Arg((1, q[1], 1, 1), F32, small=(1, few, 1, 1), positive=True, view=lambda x: x / 16),)
    if function is biased:
        return (Arg((1, q[1], q[2], kv[2]), dtype, small=(1, few, brief(q[2]), brief(kv[2]))),)
    if function is grouped_sinks:
        return (Arg((1, q[1], 1, 1), dtype, small=(1, few, 1, 1)),)
    if function in (padded, grouped_query_padded):
        last_tenth = lambda x: (~x).byte().sort(-1).values.bool()  # noqa: E731
        return (Arg((q[0], 1, 1, kv[2]), BOOL, small=(min(q[0], 2), 1, 1, brief(kv[2])), view=last_tenth),)
    return ()


def backward(case: Case) -> Case:
    """With gradients of queries, keys, values, and what is learned beside them."""
    return case.backward(*range(4 if case.function in PER_HEAD else 3))


BOTH = (
    attention("plain", plain, (4, 32, 4096, 128)),
    attention("causal", causal, (4, 32, 4096, 128)),
    attention("causal, capped", capped, (4, 32, 4096, 128)),
    attention("causal, 512 keys", windowed, (4, 32, 4096, 128)),
    attention("causal", causal, (8, 16, 2048, 64)),
    attention("causal, sloped", sloped, (8, 16, 2048, 64)),
    attention("biased", biased, (16, 8, 1024, 64), dtype=F16),
    attention("causal, grouped", grouped, (4, 32, 2048, 128), (4, 8, 2048, 128)),
    attention("padded", padded, (16, 12, 512, 64)),
    attention("image", plain, (64, 12, 197, 64)),
    attention("dropped", dropped, (16, 12, 512, 64)),
    attention("causal, grouped, sinks", grouped_sinks, (2, 64, 4096, 64), (2, 8, 4096, 64)),
    attention("causal, grouped, capped", grouped_capped, (2, 16, 4096, 256), (2, 8, 4096, 256)),
    attention("plain", plain, (4, 8, 4096, 256)),
    attention("causal", causal, (1, 16, 16384, 128)),
    attention("causal, 2048 keys", windowed, (1, 16, 16384, 128)),
    attention("causal, grouped", grouped, (1, 64, 8192, 128), (1, 8, 8192, 128)),
    attention("causal, values of 128", causal, (2, 16, 4096, 192), size_of_values=128),
)
"""Timed forward, and forward with gradients."""
FORWARD = (
    attention("image", plain, (32, 16, 577, 64), dtype=F16),
    attention("text of 77 words", plain, (8, 10, 4096, 64), (8, 10, 77, 64), dtype=F16),
    attention("in float32", in_float32, (8, 16, 1024, 96)),
    attention("causal", causal, (32, 16, 512, 64)),
    attention("causal", causal, (8, 32, 2048, 80)),
    attention("causal, sloped", sloped, (1, 32, 8192, 128)),
    attention("causal, capped", capped, (1, 8, 16384, 128)),
)
CASES = (*BOTH, *FORWARD)
BACKWARD = tuple(map(backward, BOTH))
ONE_QUERY = tuple(
    attention(title, function, (batch, count, 1, 128), (batch, shared, keys, 128), family="decoding")
    for title, function, batch, count, shared, keys in (
        ("one query", grouped_query, 1, 32, 8, 4096),
        ("one query", grouped_query, 1, 32, 8, 131072),
        ("one query", grouped_query, 16, 32, 8, 8192),
        ("one query", grouped_query, 64, 32, 8, 2048),
        ("one query", plain, 16, 32, 32, 4096),
        ("one query, padded", grouped_query_padded, 32, 64, 8, 4096),
        ("one query, capped", grouped_query_capped, 1, 32, 8, 4096),
        ("one query, capped", grouped_query_capped, 1, 16, 8, 32768),
        ("one query, capped", grouped_query_capped, 16, 32, 8, 8192),
        ("one query, sloped", query_sloped, 1, 32, 32, 8192),
        ("one query, sloped", query_sloped, 8, 32, 32, 2048),
    )
)
