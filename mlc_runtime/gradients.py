"""Gradients in the memory of what they are computed from: torch.ops.mlc.product_behind and mlc.linear_gradients.

    forward     l.T = w @ x.T   behind free memory
    backward    d               in the memory of l, element by element
                dx = d @ w
                dw = d.T @ x    a chunk of classes after another, from the start of that memory on: what a chunk is
                                computed from is read before the gradients of others reach it

In the last layer of a language model d and dw are larger than all else, and take turns so. An element of dw is the sum
that one product makes, and rounds as often as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import torch
from torch import Tensor

from mlc_runtime.seeds import LIBRARY

LIBRARY.define("product_behind(Tensor lhs, Tensor rhs, int room) -> Tensor")
LIBRARY.define("linear_gradients(Tensor[] d, Tensor x, Tensor w, int chunk) -> (Tensor, Tensor)")

WHY_CALLED = {
    "mlc.product_behind.default": "the library's product, with memory before it for a gradient",
    "mlc.linear_gradients.default": "the library's products, one of them in the memory of what it is computed from",
}
"""By calls, why no kernel of a compiler computes them."""


def room_for(classes: int, tokens: int, width: int, chunk: int) -> int:
    """Elements to leave free before l for dw [classes, width] to grow behind the d that is still read.

    Before the last chunk is computed, dw has all classes, and d the classes of that chunk; before the first it is the
    other way round.
    """
    assert tokens <= width
    needed = classes * (width - tokens) + min(chunk, classes) * tokens
    return -(-needed // _ALIGNED) * _ALIGNED


_ALIGNED = 64
"""Elements: memory begins so that kernels and libraries load it by vectors."""


def product_behind(lhs: Tensor, rhs: Tensor, room: int) -> Tensor:
    """lhs @ rhs, which begins `room` elements behind the start of its memory."""
    shape = (lhs.shape[0], rhs.shape[1])
    result = lhs.new_empty(room + shape[0] * shape[1])[room:].view(shape)
    return torch.mm(lhs, rhs, out=result)


def linear_gradients(d: Sequence[Tensor], x: Tensor, w: Tensor, chunk: int) -> tuple[Tensor, Tensor]:
    """d @ w and d.T @ x, where d [tokens, classes] comes in pieces of tokens, whose memory nobody reads again.

    The second lies in the memory of the first piece, where that is large enough, and is computed by `chunk` classes.
    """
    dx = x.new_empty((x.shape[0], w.shape[1]))
    for piece, rows in zip(d, dx.split([len(p) for p in d]), strict=True):
        torch.mm(piece, w, out=rows)
    turned = [piece.t() for piece in d]
    dw = _over(turned[0], x.shape[1], chunk, joined=len(d) > 1)
    if dw is None:
        return dx, torch.mm(_joined(turned), x)
    for classes in range(0, len(dw), chunk):
        torch.mm(_joined([p[classes : classes + chunk] for p in turned]), x, out=dw[classes : classes + chunk])
    return dx, dw


def _gradients_alike(d: Sequence[Tensor], x: Tensor, w: Tensor, chunk: int) -> tuple[Tensor, Tensor]:
    """What `linear_gradients` gives, for tracing: whose memory it is only a run shows."""
    return x.new_empty((x.shape[0], w.shape[1])), x.new_empty((w.shape[0], x.shape[1]))


def _joined(pieces: Sequence[Tensor]) -> Tensor:
    """All tokens of a chunk, over which one product sums."""
    return pieces[0] if len(pieces) == 1 else torch.cat([*pieces], 1)


def _over(d: Tensor, width: int, chunk: int, joined: bool) -> Tensor | None:
    """[classes, width] from the start of the memory of `d` on; None where it has no place there."""
    classes, tokens = d.shape
    enough = d.untyped_storage().nbytes() >= classes * width * d.element_size()
    fits = enough and d.is_contiguous() and _fits(classes, tokens, width, chunk, d.storage_offset(), joined)
    return d.as_strided((classes, width), (width, 1), 0) if fits else None


@cache
def _fits(classes: int, tokens: int, width: int, chunk: int, first: int, copied: bool) -> bool:
    """True if no chunk of dw, written from the start on, reaches a class of d that is still read.

    d begins at the element `first`. Of a chunk that is `copied` before only the classes behind are still read.
    """
    for start in range(0, classes, chunk):
        end = min(start + chunk, classes)
        if end * width > first + (end if copied else start) * tokens:
            return False
    return True


LIBRARY.impl("product_behind", product_behind, "CompositeExplicitAutograd")
LIBRARY.impl("linear_gradients", linear_gradients, "CompositeExplicitAutograd")
LIBRARY.impl("linear_gradients", _gradients_alike, "Meta")
