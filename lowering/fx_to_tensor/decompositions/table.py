"""Which ops are taken apart before import, and into what.

An op with a rule stays whole. Ops that draw random numbers stay whole as well, unless they
are known here (see `random_ops`). Formulas over native ops are preferred to
calls, so that norms, activations and losses fuse.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch._decomp import core_aten_decompositions, decomposition_table
from torch._ops import OperatorBase, OpOverload
from torch._prims_common import get_computation_dtype

from lowering.fx_to_tensor.decompositions import (
    borders,
    distances,
    foreach,
    pooling,
    random_ops,
    searches,
    selections,
    special_functions,
)
from lowering.fx_to_tensor.rules.all_rules import RULES

aten = torch.ops.aten

_ALSO = (
    "_softmax", "_log_softmax", "native_layer_norm", "native_group_norm", "gelu", "elu", "leaky_relu",
    "hardtanh", "native_batch_norm", "_native_batch_norm_legit", "_native_batch_norm_legit_functional",
    "_native_batch_norm_legit_no_training", "_batch_norm_with_update_functional", "batch_norm_backward",
    "linalg_vector_norm", "repeat", "addmv", "arange", "where", "logit", "_fused_rms_norm",
    "_fused_rms_norm_backward", "expm1", "erfc", "squeeze", "expand", "split_with_sizes", "native_dropout_backward",
    "log_sigmoid_forward", "copysign", "nan_to_num", "logaddexp", "logaddexp2", "diagonal_copy", "xlogy",
    "deg2rad", "rad2deg", "exp2", "sum_to_size", "_safe_softmax", "dist", "rrelu_with_noise_backward",
    "narrow_copy", "permute_copy", "unbind_copy",
    "_scaled_dot_product_flash_attention_for_cpu", "grid_sampler_2d", "channel_shuffle", "renorm", "trace",
    "multi_margin_loss", "multilabel_margin_loss_forward", "unfold_copy", "unfold_backward",
    "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "_upsample_nearest_exact1d",
    "_upsample_nearest_exact2d", "_upsample_nearest_exact3d", "upsample_linear1d", "upsample_bilinear2d",
    "upsample_trilinear3d", "upsample_bicubic2d", "reflection_pad1d", "reflection_pad2d", "reflection_pad3d",
    "replication_pad1d", "replication_pad2d", "replication_pad3d",
    "_unsafe_masked_index", "_unsafe_masked_index_put_accumulate", "im2col", "col2im", "max_unpool2d", "max_unpool3d",
    "tril_indices", "triu_indices",
)  # fmt: skip
"""Ops outside torch's core table that have a decomposition into native ops."""

_WHOLE = (
    "index_reduce", "baddbmm", "select_backward", "randperm",
)  # fmt: skip
"""Ops whose own kernel beats their decomposition."""

WITHOUT_GRADIENTS = ("_native_batch_norm_legit_no_training", "native_layer_norm")
"""Ops that stay whole where no gradient is wanted. Where one is, the partitioner must see of what they are made: the
backward computes the steps again that cost little."""

Table = dict[OperatorBase, Callable[..., Any]]


def decompositions(gradients: bool = True) -> Table:
    """Op to the function that computes it by simpler ones, for AOTAutograd, export and make_fx.

    With `gradients`, for graphs of which gradients may be wanted.
    """
    return {op: f for op, f in _table().items() if gradients or _packet(op) not in WITHOUT_GRADIENTS}


@cache
def _table() -> Table:
    """Made once: torch looks at every op it has to list its own decompositions, 0.15 s each time."""
    table: Table = dict(core_aten_decompositions())
    extra = {op: f for op, f in decomposition_table.items() if _packet(op) in _ALSO}
    table = {**table, **extra, **pooling.TABLE}
    return {op: function for op, function in table.items() if not _stays(op)} | _own()


def _stays(op: OperatorBase) -> bool:
    if not isinstance(op, OpOverload) or _packet(op) in WITHOUT_GRADIENTS:
        return False
    random = torch.Tag.nondeterministic_seeded in op.tags
    return random or str(op) in RULES or _packet(op) in _WHOLE


def _packet(op: OperatorBase) -> str:
    return op.overloadpacket.__name__ if isinstance(op, OpOverload) else ""


def _own() -> Table:
    return {
        **special_functions.TABLE,
        **random_ops.TABLE,
        **borders.TABLE,
        **distances.TABLE,
        **foreach.TABLE,
        **searches.TABLE,
        **selections.TABLE,
        aten.nll_loss_forward.default: _nll_loss_forward,
        aten.nll_loss_backward.default: _nll_loss_backward,
    }


def _hits(like: Tensor, target: Tensor, ignore_index: int) -> Tensor:
    """[N, C], true at each row's class: a comparison that fuses where a gather would not."""
    classes = torch.arange(like.shape[-1], device=like.device)
    wanted = target.unsqueeze(-1)
    return (classes == wanted) & (wanted != ignore_index)


def _nll_loss_forward(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> tuple[Tensor, Tensor]:
    """Minus the score of each row's class, and the sum of weights. Scores are [N, C] or [C]."""
    compute = get_computation_dtype(self.dtype)
    counted = target != ignore_index
    place = torch.where(counted, target, 0)
    scores = self.gather(-1, place.unsqueeze(-1)).squeeze(-1).to(compute)
    weights = torch.ones_like(scores) if weight is None else weight.to(compute).gather(-1, place.flatten())
    weights = torch.where(counted, weights.view_as(scores), 0)
    losses = torch.where(counted, -weights * scores, 0)
    if reduction == 0 and self.dim() > 1:
        return losses.to(self.dtype), self.new_zeros(())
    total = weights.sum()
    result = losses.sum()
    return (result / total if reduction == 1 else result).to(self.dtype), total.to(self.dtype)


def _nll_loss_backward(
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    total_weight: Tensor,
) -> Tensor:
    """The gradient of the scores: minus weight * grad at each row's class, 0 elsewhere."""
    hits = _hits(self, target, ignore_index)
    grad = grad_output / total_weight if reduction == 1 else grad_output
    if self.dim() == 2:
        grad = grad.unsqueeze(-1)
    scale = -grad if weight is None else -grad * weight
    return torch.where(hits, scale, 0).to(self.dtype)
