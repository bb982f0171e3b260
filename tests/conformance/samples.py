"""Samples of torch's op database: which ones are tried, and how they are called."""

from __future__ import annotations

import importlib.util
import sys
import types
import unittest
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch

if importlib.util.find_spec("expecttest") is None:  # torch's test utilities derive a class from it, no more
    sys.modules["expecttest"] = types.SimpleNamespace(TestCase=unittest.TestCase, ACCEPT=False)  # pyright: ignore

from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo
from torch.utils._pytree import tree_leaves, tree_map_only

for _module in [m for n, m in sys.modules.items() if n.startswith("torch.testing._internal")]:
    if hasattr(_module, "wrapper_set_seed"):  # Dynamo cannot trace it, and every call here is seeded anyway
        _module.wrapper_set_seed = lambda op, *args, **kwargs: op(*args, **kwargs)

SURVEYED = 64
"""Samples of an op among which the ones to try are chosen."""


@dataclass(frozen=True)
class Sample:
    """One call of an op: function(*args, **kwargs)."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    process: Callable[[Any], Any]
    """What of the result has a gradient that does not depend on a choice of sign or phase."""

    def tensors(self) -> list[torch.Tensor]:
        return [t for t in tree_leaves((self.args, self.kwargs)) if isinstance(t, torch.Tensor)]

    def copy(self, dtype: Callable[[torch.dtype], torch.dtype] = lambda dtype: dtype) -> Sample:
        """The call on copies of the tensors, which lie in memory as the originals do; `dtype` maps their types."""

        def copied(tensor: torch.Tensor) -> torch.Tensor:
            clone = _clone(tensor.detach()).to(dtype(tensor.dtype))
            return clone.requires_grad_(tensor.requires_grad)

        args, kwargs = tree_map_only(torch.Tensor, copied, (self.args, self.kwargs))
        convert = {d: dtype(d) for d in (torch.float32, torch.float16, torch.bfloat16, torch.complex64)}
        args, kwargs = tree_map_only(torch.dtype, lambda d: convert.get(d, d), (args, kwargs))
        return Sample(self.function, args, kwargs, self.process)

    def on_cpu(self) -> Sample:
        """The call on copies in the memory of the host."""
        args, kwargs = tree_map_only(torch.Tensor, lambda t: t.detach().cpu(), (self.args, self.kwargs))
        return Sample(self.function, args, kwargs, self.process)

    def __call__(self) -> Any:
        return self.function(*self.args, **self.kwargs)


def _clone(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.layout != torch.strided or tensor.numel() == 0:
        return tensor.clone()
    extent = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    memory = torch.zeros(extent, dtype=tensor.dtype, device=tensor.device)
    overlaps = any(s == 0 and n > 1 for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    clone = memory.as_strided(tensor.shape, tensor.stride())
    if overlaps:
        narrow = [slice(0, 1) if s == 0 else slice(None) for s in tensor.stride()]
        clone[tuple(narrow)] = tensor[tuple(narrow)]
    else:
        clone.copy_(tensor)
    return clone.conj() if tensor.is_conj() else clone


def op_named(name: str) -> OpInfo:
    """The op that `full_name` names."""
    return next(op for op in op_db if full_name(op) == name)


def full_name(op: OpInfo) -> str:
    """The op's name, and its variant after a dot."""
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def samples(op: OpInfo, device: str, dtype: torch.dtype, count: int, backward: bool) -> list[Sample]:
    """`count` calls that differ in kind where the op has such, the first one again on strided views."""
    torch.manual_seed(0)
    given = list(islice(op.sample_inputs(device, dtype, requires_grad=backward), SURVEYED))
    chosen = _various(given, count)
    dense = all(t.layout == torch.strided for s in chosen[:1] for t in tree_leaves(s.input) if hasattr(t, "layout"))
    if chosen and dense and not backward:
        chosen.append(chosen[0].noncontiguous())
    return [_sample(op, s) for s in chosen]


def _sample(op: OpInfo, sample: Any) -> Sample:
    return Sample(op.get_op(), (sample.input, *sample.args), dict(sample.kwargs), sample.output_process_fn_grad)


def _various(given: Sequence[Any], count: int) -> list[Any]:
    """One of each kind first, then evenly spread ones, in their order."""
    first_of_kind: dict[Any, int] = {}
    for position, sample in enumerate(given):
        first_of_kind.setdefault(_kind(sample), position)
    places = list(first_of_kind.values())[:count]
    step = max(1, len(given) // max(count, 1))
    places += [p for p in range(0, len(given), step) if p not in places]
    return [given[p] for p in sorted(places[:count])]


def _kind(sample: Any) -> tuple[Any, ...]:
    """What sets samples apart: ranks, emptiness, broadcasting, layout, options."""
    tensors = [t for t in tree_leaves((sample.input, sample.args, sample.kwargs)) if isinstance(t, torch.Tensor)]
    return (
        any(t.numel() == 0 for t in tensors),
        any(t.dim() == 0 for t in tensors),
        len({t.shape for t in tensors}) > 1,
        all(t.layout != torch.strided or t.is_contiguous() for t in tensors),
        len(tensors),
        tuple(sorted(sample.kwargs)),
    )
