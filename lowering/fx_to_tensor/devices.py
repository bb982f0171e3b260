"""The device that the kernels of a graph run on, and which values of the graph are for kernels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node
from torch.utils._pytree import tree_leaves
from xdsl.dialects.builtin import NoneType

from lowering.fx_to_tensor.sizes import ELEMENT_OF
from mlc_dialects.common.types import is_native


@dataclass(frozen=True)
class MainDevice:
    """That of the first tensor of a graph that is not on the CPU."""

    device: torch.device

    @staticmethod
    def of(nodes: Iterable[Node]) -> MainDevice:
        vals = (v for n in nodes for v in tree_leaves(n.meta.get("val")) if isinstance(v, torch.Tensor))
        found = (v.device for v in vals if v.device.type not in ("cpu", "meta"))
        return MainDevice(next(found, torch.device("cpu")))

    def has(self, val: Any) -> bool:
        """True for a tensor there, of a type that kernels know."""
        return _has_native_type(val) and val.device == self.device

    def computes(self, val: Any) -> bool:
        """True for what its kernels compute: a tensor there, or a number."""
        return isinstance(val, float | bool) or self.has(val)

    def copies(self, node: Node) -> bool:
        """True for a call that writes a tensor there to another of its shape and type."""
        fakes: list[Any] = [n.meta.get("val") for n in node.all_input_nodes]
        if node.target is not torch.ops.aten.copy_.default or len(fakes) != 2 or not all(map(self.has, fakes)):
            return False
        place, value = fakes
        return place.shape == value.shape and place.dtype == value.dtype


def is_host_scalar(val: Any) -> bool:
    """True for a tensor of rank 0 on the CPU."""
    return _has_native_type(val) and val.device.type == "cpu" and val.dim() == 0


def is_host_number(node: Node, val: Any) -> bool:
    """True for a scalar of the host that is made of numbers: kernels hold it as a constant."""
    made = not any(isinstance(n.meta.get("val"), torch.Tensor) for n in node.all_input_nodes)
    return made and is_host_scalar(val)


def _has_native_type(val: Any) -> bool:
    dense = isinstance(val, torch.Tensor) and val.layout == torch.strided
    return dense and is_native(ELEMENT_OF.get(val.dtype, NoneType()))
