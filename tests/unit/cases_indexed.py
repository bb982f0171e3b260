"""Functions that read and write where integer tensors say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F


def inputs(
    *shapes: Sequence[int], index: Sequence[int] = (20,), low: int = 0, high: int = 12, dtype: torch.dtype = torch.int64
) -> Callable[[], Sequence[torch.Tensor]]:
    """Float tensors of these shapes, then an index tensor with values in [low, high); the same at every call."""

    def make() -> Sequence[torch.Tensor]:
        generator = torch.Generator().manual_seed(0)
        floats = [torch.randn(list(s), generator=generator) for s in shapes]
        return [*floats, torch.randint(low, high, list(index), generator=generator).to(dtype)]

    return make


def halves(make: Callable[[], Sequence[torch.Tensor]]) -> Callable[[], Sequence[torch.Tensor]]:
    """The same in bfloat16."""
    return lambda: [x.bfloat16() if x.is_floating_point() else x for x in make()]


def special(make: Callable[[], Sequence[torch.Tensor]]) -> Callable[[], Sequence[torch.Tensor]]:
    """The same, with NaN of either sign, infinities and zeros of either sign among the first of each row."""
    values = torch.tensor([float("nan"), -float("nan"), float("inf"), -float("inf"), 0.0, -0.0])

    def spoilt() -> Sequence[torch.Tensor]:
        tensors = make()
        for position, x in enumerate(t for t in tensors if t.is_floating_point()):
            x[: len(values), position] = values
        return tensors

    return spoilt


def embedding_norm(t: torch.Tensor, w: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(F.embedding(i, t), (65,), w)


def embedding_gradient(g: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten.embedding_dense_backward(g, i, 12, 3, False)


def both(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    y = x * 2
    return y.index_add(0, i, y[i])


def put_columns(x: torch.Tensor, s: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, i] = s
    return y


def several(x: torch.Tensor, i: torch.Tensor) -> Any:
    return x[i, :, i % 5], x[:, i % 5, i % 7], x[i[:4, None], i[:3] % 5], x[..., i % 7], x[i % 9, 2:4]


GATHERS: dict[str, tuple[Callable[..., Any], Callable[[], Sequence[torch.Tensor]], int | None]] = {
    "embedding_norm": (embedding_norm, inputs((50, 65), (65,), index=(4, 9)), 1),
    "embedding_norm-bf16": (embedding_norm, halves(inputs((50, 65), (65,), index=(4, 9))), 1),
    "embedding_of_cast": (lambda t, i: F.embedding(i, t.bfloat16()).float() + 1, inputs((12, 33)), 1),
    "cross_entropy_of_classes": (lambda x, i: F.cross_entropy(x, i, reduction="none"), inputs((20, 37)), 1),
    "cross_entropy_mean": (lambda x, i: F.cross_entropy(x, i, ignore_index=3), inputs((20, 37)), 2),
    "cross_entropy_weighted": (lambda x, w, i: F.cross_entropy(x, i, w), inputs((20, 37), (37,)), 2),
    "rows": (lambda x, i: x[i] * 2, inputs((12, 7)), 1),
    "rows_from_end": (lambda x, i: x[i], inputs((12, 7), low=-12), 1),
    "rows_int32": (lambda x, i: x[i], inputs((12, 7), low=-12, dtype=torch.int32), 1),
    "several": (several, inputs((12, 5, 7)), None),
    "along": (lambda x, i: torch.gather(x, 1, i) + x[:, :3], inputs((12, 7), index=(12, 3), high=7), 1),
    "along_part": (lambda x, i: torch.gather(x, 0, i), inputs((12, 7), index=(5, 4)), 1),
    "along_taken": (lambda x, i: torch.take_along_dim(x, i, 1), inputs((12, 7), index=(12, 3), high=7), 1),
    "taken": (lambda x, i: torch.take(x.t(), i), inputs((12, 7), low=-84, high=84), 1),
    "of_rows": (lambda x, i: x.sum(1)[i] + x.softmax(1)[i, 0], inputs((12, 7)), 2),
    "of_one": (lambda x, i: x[i], inputs((1, 7), low=-1, high=1), 1),
    "of_none": (lambda x, i: (x[i[:0]], torch.gather(x, 0, i[:0, None])), inputs((12, 7)), None),
    "of_cat": (lambda x, i: torch.cat([x[i], x], 0).sum(1), inputs((12, 7)), 1),
    "of_padded": (lambda x, i: F.pad(x[i], (1, 2, 3, 0), value=2.0), inputs((12, 7)), 1),
    "long_rows": (lambda x, i: x[i].softmax(-1), inputs((3, 16411), index=(2,), high=3), None),
    "columns": (lambda x, i: x[:, i].sum(0), inputs((12, 7), high=7), 1),
    "split_rows": (lambda x, i: x[i].sum(), inputs((12, 700), index=(64,)), 2),
    "permuted": (lambda x, i: x.t()[:, i].t(), inputs((12, 7)), None),
    "through_index": (lambda x, i: x[i[i % 20]], inputs((12, 7)), 1),
}
"""Name to function, inputs and the most kernels."""

SCATTERS: dict[str, tuple[Callable[..., Any], Callable[[], Sequence[torch.Tensor]], int | None]] = {
    "added": (lambda x, s, i: x.index_add(0, i, s * 2), inputs((12, 7), (20, 7)), 2),
    "added-bf16": (lambda x, s, i: x.index_add(0, i, s * 2), halves(inputs((12, 7), (20, 7))), 3),
    "added_to_zeros": (lambda s, i: s.new_zeros(12, 7).index_add(0, i, s) + 1, inputs((20, 7)), 3),
    "added_in_place": (lambda x, s, i: (x * 2).index_add(1, i, s, alpha=0.5), inputs((7, 12), (7, 20)), 2),
    "added_rows": (lambda x, s, i: x.index_add(0, i, s.sum(1)), inputs((12,), (20, 7)), 2),
    "added_to_itself": (both, inputs((12, 7)), 3),
    "put": (lambda x, s, i: torch.index_put(x, (i,), s, accumulate=True), inputs((12, 7), (7,), low=-12), 2),
    "put_columns": (put_columns, inputs((7, 12), (1,), low=-12), 2),
    "masked": (lambda x: x.index_put((x > 0,), x.new_tensor(3.0)), lambda: [torch.arange(-9.0, 9)], 1),
    "scattered": (lambda x, s, i: x.scatter_add(1, i, s), inputs((12, 7), (12, 9), index=(12, 9), high=7), 2),
    "scattered_part": (lambda x, s, i: x.scatter_add(0, i, s), inputs((12, 7), (9, 9), index=(5, 4)), 2),
    "scattered_once": (lambda x, s, i: x.scatter(1, i, s) + 1, inputs((12, 7), (12, 1), index=(12, 1), high=7), 1),
    "mean": (
        lambda x, s, i: x.scatter_reduce(0, i, s, "mean", include_self=False),
        inputs((12, 7), (20, 7), index=(20, 7)),
        None,
    ),
    "filled": (lambda x, i: x.index_fill(1, i, 3.0), inputs((7, 12), low=-12), 2),
    "copied": (lambda x, s, i: x.index_copy(0, i[:1], s[:1]), inputs((12, 7), (20, 7)), 2),
    "gradient_of_embedding": (embedding_gradient, inputs((4, 5, 7), index=(4, 5)), 2),
    "amax": (
        lambda x, s, i: x.scatter_reduce(0, i, s, "amax", include_self=False),
        inputs((12, 7), (20, 7), index=(20, 7)),
        None,
    ),
    "amin": (lambda x, s, i: x.scatter_reduce(0, i, s, "amin"), special(inputs((12, 7), (20, 7), index=(20, 7))), None),
    "none": (lambda x, i: x.index_add(0, i[:0], x[:0]), inputs((12, 7)), None),
}
"""The same for what writes."""

INTEGERS: dict[str, Callable[..., Any]] = {
    "sum": lambda x, s, i: x.scatter_add(0, i, s),
    "amax": lambda x, s, i: x.scatter_reduce(0, i, s, "amax"),
    "amin": lambda x, s, i: x.scatter_reduce(0, i, s, "amin"),
}


def integers(dtype: torch.dtype) -> Callable[[], Sequence[torch.Tensor]]:
    """Integers that wrap when they are summed, and an index."""
    generator = torch.Generator().manual_seed(0)
    least, most = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    numbers = [torch.randint(least, most, s, generator=generator).to(dtype) for s in ((12, 7), (20, 7))]
    index = torch.randint(0, 12, (20, 7), generator=generator)
    return lambda: [*(n.clone() for n in numbers), index]
