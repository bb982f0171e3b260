"""`aten._foreach_*`, which optimizers call with lists of tensors: the op itself on each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

aten = torch.ops.aten

ALIKE = (
    "abs", "acos", "add", "addcdiv", "addcmul", "asin", "atan", "ceil", "clamp_max", "clamp_min", "cos", "cosh", "div",
    "erf", "erfc", "exp", "expm1", "floor", "frac", "lerp", "lgamma", "log", "log10", "log1p", "log2", "mul", "neg",
    "pow", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "sub", "tan", "tanh", "trunc",
)  # fmt: skip
"""Those that are `torch.<name>` of each."""
SINGLE: dict[str, Callable[..., Tensor]] = {
    **{name: getattr(torch, name) for name in ALIKE},
    "copy": aten.copy,
    "maximum": torch.clamp_min,
    "minimum": torch.clamp_max,
    "norm": torch.linalg.vector_norm,
}
KEYWORDS = {"alpha": "alpha", "value": "value", "dtype": "dtype"}
"""What the op of one tensor takes by keyword, whatever that of lists does."""


def _overloads(name: str) -> list[OpOverload]:
    """The functional overloads of `_foreach_<name>`; none that takes the numbers of all tensors as one tensor."""
    packet = getattr(aten, f"_foreach_{name}", None)
    found = [getattr(packet, overload) for overload in packet.overloads()] if packet is not None else []
    return [op for op in found if not op._schema.is_mutable and not _in_one_tensor(op)]


def _in_one_tensor(op: OpOverload) -> bool:
    return any(a.name == "scalars" and a.type.kind() == "TensorType" for a in op._schema.arguments)


def _each(op: OpOverload, function: Callable[..., Tensor]) -> Callable[..., list[Tensor]]:
    """`function` on the first elements of the lists that `op` takes, on the second ones, and so on."""
    arguments = op._schema.arguments
    keywords = KEYWORDS if function not in (torch.addcmul, torch.addcdiv) else KEYWORDS | {"scalars": "value"}

    def decomposed(*given: Any, **named: Any) -> list[Tensor]:
        values: dict[str, Any] = {a.name: a.default_value for a in arguments}
        values |= dict(zip(values, given, strict=False)) | named
        lists = {a.name for a in arguments if a.type.kind() == "ListType"}
        results: list[Tensor] = []
        for k in range(max(len(values[name]) for name in lists)):
            own = {name: value[k] if name in lists else value for name, value in values.items()}
            by_name = {keywords[name]: value for name, value in own.items() if name in keywords}
            results.append(function(*(v for name, v in own.items() if name not in keywords), **by_name))
        return results

    return decomposed


TABLE = {op: _each(op, function) for name, function in SINGLE.items() for op in _overloads(name)}
"""Decompositions, op by op."""
