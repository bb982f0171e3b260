"""Ops of AOTAutograd's graphs that compute element by element, or only show elements at other places."""

from __future__ import annotations

import torch
from torch._ops import OpOverload
from torch.fx import Node

from lowering.fx_to_tensor.decompositions.random_ops import BITS

aten = torch.ops.aten
CASTS = (aten._to_copy.default, torch.ops.prims.convert_element_type.default, aten.detach.default)
VIEWS = (
    aten.view.default,
    aten._unsafe_view.default,
    aten.reshape.default,
    aten.expand.default,
    aten.unsqueeze.default,
    aten.squeeze.dim,
    aten.squeeze.dims,
    aten.clone.default,
    aten.alias.default,
)
"""Those that leave elements in row-major order, where there are as many of them behind as before."""
TURNED = (aten.transpose.int, aten.permute.default, aten.t.default)
CREATIONS = (aten.full.default, aten.scalar_tensor.default, torch.ops.prims.iota.default)
"""Those that fill a tensor with numbers, of what decompositions leave."""


def is_pointwise(node: Node) -> bool:
    """True for what is computed element by element, and for views; random bits are, from their seeds."""
    target = node.target
    pointwise = isinstance(target, OpOverload) and torch.Tag.pointwise in target.tags
    return pointwise or target in (*CASTS, *VIEWS, *TURNED, BITS)
