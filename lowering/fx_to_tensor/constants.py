"""Small tensors of a graph as constants in the IR."""

from __future__ import annotations

import math

import torch
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation

from lowering.fx_to_tensor.sizes import ELEMENT_OF
from mlc_dialects.common.types import is_native, storage, tensor_type, ui8
from mlc_dialects.tensor.ops import ConstantOp

LARGEST = 16
"""Elements of the largest tensor that is written into the IR."""


def constant_op(tensor: torch.Tensor) -> Operation | None:
    """`tensor` as `mlc_tensor.constant`, None where it has to stay a tensor.

    Large ones, parameters and dense inf or NaN (which dense text does not keep) do.
    """
    element = ELEMENT_OF.get(tensor.dtype)
    if element is None or not is_native(element) or tensor.requires_grad or tensor.numel() > LARGEST:
        return None
    if tensor.layout != torch.strided or isinstance(tensor, torch.nn.Parameter) or tensor.is_meta:
        return None
    values = tensor.detach().cpu().flatten().tolist()
    if len(set(map(str, values))) == 1:
        return ConstantOp.splat(values[0], list(tensor.shape), element)
    if not values or element == ui8 or not all(math.isfinite(v) for v in values):
        return None
    type_ = tensor_type(list(tensor.shape), storage(element))
    return ConstantOp(DenseIntOrFPElementsAttr.from_list(type_, values), type_)  # pyright: ignore[reportArgumentType, reportCallIssue]
