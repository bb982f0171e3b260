"""What kernels do with 8-bit floats: move, choose and cast them.

PyTorch does arithmetic with some of them in some calls, on some devices: those calls stay calls, also where it refuses.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.fx import Node
from xdsl.dialects.builtin import NoneType

from lowering.fx_to_tensor.sizes import ELEMENT_OF
from mlc_dialects.common.types import is_byte_float

_VIEWS = "alias detach view _unsafe_view reshape view_copy unsqueeze contiguous permute t flip expand stack clone"
_MADE = (
    "zeros zeros_like new_zeros ones ones_like new_ones full full_like new_full scalar_tensor index_select embedding"
)
_OTHERS = (
    "squeeze.default", "squeeze.dim", "squeeze.dims", "transpose.int", "slice.Tensor", "select.int", "split.Tensor",
    "split_with_sizes.default", "unbind.int", "cat.default", "constant_pad_nd.default", "slice_scatter.default",
    "select_scatter.default", "index.Tensor", "where.self", "_to_copy.default", "copy.default", "fill.Scalar",
    "lift_fresh_copy.default", "empty.memory_format", "index_put.default",
)  # fmt: skip
MOVES = frozenset(
    {f"aten.{name}.default" for name in f"{_VIEWS} {_MADE}".split()}
    | {f"aten.{name}" for name in _OTHERS}
    | {"prims.convert_element_type.default"}
)
"""The calls that kernels compute with 8-bit floats."""


def has_byte_floats(node: Node, outs: Iterable[Any]) -> bool:
    """True for a call that reads or gives 8-bit floats."""
    values = [*outs, *(n.meta.get("val") for n in node.all_input_nodes)]
    return any(isinstance(v, torch.Tensor) and is_byte_float(ELEMENT_OF.get(v.dtype, NoneType())) for v in values)
