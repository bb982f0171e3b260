"""Attention written by hand, as models spell it, and the same by PyTorch's fused attention and by flex_attention.

What stands between the two products differs from model to model.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.case import wide
from benchmarks.flex import Flex

Tensor = torch.Tensor
CAP = 30.0
WINDOWS = 8
"""A sliding window is as long as this part of the sequence."""
RATE = 0.1
"""Of dropout."""


def scaled(q: Tensor, k: Tensor) -> Tensor:
    """The scores, divided by the root of the size of a head."""
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5


def distance(q: Tensor, k: Tensor) -> Tensor:
    """How far behind its row each key is; negative for those that come later."""
    return torch.arange(q.shape[-2], device=q.device)[:, None] - torch.arange(k.shape[-2], device=q.device)


def repeated(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Keys and values once for each head of queries that shares them."""
    groups = q.shape[1] // k.shape[1]
    return k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)


def plain(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k).softmax(-1) @ v


def causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k).masked_fill(distance(q, k) < 0, -torch.inf).softmax(-1) @ v


def capped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Gemma 2."""
    scores = CAP * torch.tanh(scaled(q, k) / CAP)
    return scores.masked_fill(distance(q, k) < 0, -torch.inf).softmax(-1) @ v


def windowed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Mistral."""
    behind = distance(q, k)
    hidden = (behind < 0) | (behind >= q.shape[-2] // WINDOWS)
    return scaled(q, k).masked_fill(hidden, -torch.inf).softmax(-1) @ v


def sloped(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """ALiBi: a bias that grows with the distance, at a slope for each head."""
    behind = distance(q, k)
    scores = scaled(q, k) - slopes * behind
    return scores.masked_fill(behind < 0, -torch.inf).softmax(-1).to(v.dtype) @ v


def biased(q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
    """T5 and Swin: a learned number for each pair of positions."""
    return (scaled(q, k) + bias).softmax(-1) @ v


def grouped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Llama: several heads of queries share one of keys and values."""
    return causal(q, *repeated(q, k, v))


def grouped_capped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Gemma 2 with all that it has."""
    return capped(q, *repeated(q, k, v))


def grouped_sinks(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    """gpt-oss: in each head one more score, which has no value."""
    k, v = repeated(q, k, v)
    scores = scaled(q, k).masked_fill(distance(q, k) < 0, -torch.inf)
    both = torch.cat([scores, sinks.expand(*scores.shape[:-1], 1)], -1)
    return both.softmax(-1)[..., :-1] @ v


def grouped_query(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Decoding: one query looks at all keys there are."""
    return plain(q, *repeated(q, k, v))


def grouped_query_padded(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor) -> Tensor:
    """Decoding where the caches of one batch are filled up to places of their own."""
    return padded(q, *repeated(q, k, v), hidden)


def grouped_query_capped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Decoding with Gemma 2."""
    k, v = repeated(q, k, v)
    return (CAP * torch.tanh(scaled(q, k) / CAP)).softmax(-1) @ v


def query_sloped(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """Decoding with ALiBi: the query stands at the last key."""
    behind = torch.arange(k.shape[-2] - 1, -1, -1, device=q.device)
    return (scaled(q, k) - slopes * behind).softmax(-1).to(v.dtype) @ v


def dropped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """BERT in training."""
    return F.dropout(scaled(q, k).softmax(-1), RATE) @ v


def padded(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor) -> Tensor:
    """BERT: sequences of one batch end at places of their own."""
    return scaled(q, k).masked_fill(hidden, -torch.inf).softmax(-1) @ v


def in_float32(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Scores widened before their softmax."""
    return wide(scaled(q, k)).softmax(-1).to(v.dtype) @ v


def earlier(length: int, *more: Tensor) -> Callable[..., Tensor]:
    return lambda b, h, i, j: i >= j


def near(length: int, *more: Tensor) -> Callable[..., Tensor]:
    window = length // WINDOWS
    return lambda b, h, i, j: (i >= j) & (i - j < window)


def filled(length: int, hidden: Tensor) -> Callable[..., Tensor]:
    return lambda b, h, i, j: ~hidden[b, 0, 0, j]


def cap(*more: Tensor) -> Callable[..., Tensor]:
    return lambda score, b, h, i, j: CAP * torch.tanh(score / CAP)


def slope(slopes: Tensor) -> Callable[..., Tensor]:
    return lambda score, b, h, i, j: score - slopes[0, h, 0, 0] * (i - j)


def bias_of_pair(bias: Tensor) -> Callable[..., Tensor]:
    return lambda score, b, h, i, j: score + bias[0, h, i, j]


def less_sinks(result: Tensor, lse: Tensor, sinks: Tensor) -> Tensor:
    """The share of the exponentials that is not the sink's."""
    return (result * torch.sigmoid(lse.unsqueeze(-1) - sinks)).to(result.dtype)


sdpa = F.scaled_dot_product_attention


def sdpa_windowed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    behind = distance(q, k)
    return sdpa(q, k, v, attn_mask=(behind >= 0) & (behind < q.shape[-2] // WINDOWS))


def sdpa_sloped(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    behind = distance(q, k)
    bias = (-slopes * behind).masked_fill(behind < 0, -torch.inf)
    return sdpa(q, k, v, attn_mask=bias.to(q.dtype).expand(q.shape[0], -1, -1, -1))


def sdpa_biased(q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
    return sdpa(q, k, v, attn_mask=bias.expand(q.shape[0], -1, -1, -1))


def sdpa_padded(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor) -> Tensor:
    return sdpa(q, k, v, attn_mask=~hidden, enable_gqa=q.shape[1] != k.shape[1])


sdpa_causal = partial(sdpa, is_causal=True)
BESIDE: dict[Callable[..., Tensor], dict[str, Any]] = {
    plain: {"sdpa": sdpa, "flex": Flex()},
    in_float32: {"sdpa": sdpa, "flex": Flex()},
    causal: {"sdpa": sdpa_causal, "flex": Flex(visible=earlier)},
    capped: {"flex": Flex(cap, earlier)},
    grouped_query_capped: {"flex": Flex(cap)},
    query_sloped: {},
    windowed: {"sdpa": sdpa_windowed, "flex": Flex(visible=near)},
    sloped: {"sdpa": sdpa_sloped, "flex": Flex(slope, earlier)},
    biased: {"sdpa": sdpa_biased, "flex": Flex(bias_of_pair)},
    padded: {"sdpa": sdpa_padded, "flex": Flex(visible=filled, by_batch=True)},
    dropped: {"sdpa": partial(sdpa, dropout_p=RATE)},
    grouped: {"sdpa": partial(sdpa_causal, enable_gqa=True), "flex": Flex(visible=earlier)},
    grouped_capped: {"flex": Flex(cap, earlier)},
    grouped_sinks: {"flex": Flex(visible=earlier, last=less_sinks)},
    grouped_query: {"sdpa": partial(sdpa, enable_gqa=True), "flex": Flex()},
    grouped_query_padded: {"sdpa": sdpa_padded, "flex": Flex(visible=filled, by_batch=True)},
}
"""The same attention by PyTorch's own, where it can, and by flex_attention."""
