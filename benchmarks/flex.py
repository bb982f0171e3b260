"""PyTorch's flex_attention, as a case describes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.attention.flex_attention import AuxRequest, BlockMask, create_block_mask, flex_attention

Factory = Callable[..., Callable[..., torch.Tensor]]


@dataclass(frozen=True)
class Flex:
    """What stands between the products of attention, given the inputs behind queries, keys and values.

    `score(*more)` changes a score: `(score, b, h, i, j) -> score`. `visible(length, *more)` says which are no mask's:
    `(b, h, i, j) -> bool`. Indices are those of batch, head of queries, query and key. `last(result, lse, *more)`
    changes what comes out, by the logarithms of the sums of exponentials. `by_batch`: what is visible differs from
    batch to batch.
    """

    score: Factory | None = None
    visible: Factory | None = None
    last: Callable[..., torch.Tensor] | None = None
    by_batch: bool = False


def compile_flex(flex: Flex) -> Callable[..., torch.Tensor]:
    """Attention as a function of queries, keys, values and more, by flex_attention.

    Compiled by Inductor on a GPU. Blocks that a mask hides are found once, at the first call.
    """
    masks: list[BlockMask | None] = []

    def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: BlockMask | None, *more: torch.Tensor) -> Any:
        score = None if flex.score is None else flex.score(*more)
        options: dict[str, Any] = {"score_mod": score, "block_mask": mask, "enable_gqa": q.shape[1] != k.shape[1]}
        if flex.last is None:
            return flex_attention(q, k, v, **options)
        result, sums = flex_attention(q, k, v, **options, return_aux=AuxRequest(lse=True))
        return flex.last(result, sums.lse, *more)  # pyright: ignore[reportAttributeAccessIssue]

    compiled = torch.compile(attend, dynamic=False)

    def call(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *more: torch.Tensor) -> torch.Tensor:
        if not masks:
            masks.append(None if flex.visible is None else _blocks(flex, flex.visible, q, k, more))
        return (compiled if q.is_cuda else attend)(q, k, v, masks[0], *more)

    return call


def _blocks(flex: Flex, visible: Factory, q: torch.Tensor, k: torch.Tensor, more: Sequence[torch.Tensor]) -> BlockMask:
    """The blocks that have anything visible."""
    batch, _, length, _ = q.shape
    return create_block_mask(
        visible(length, *more), batch if flex.by_batch else None, None, length, k.shape[2], device=q.device
    )
