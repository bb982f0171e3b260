"""What an import gives: the module, the tensors it closes over, and what its caller gets back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._pytree import TreeSpec, tree_unflatten
from xdsl.dialects.builtin import ModuleOp

from mlc_runtime.outputs import ConstantOutput, OutputSpec, ResultOutput, SizeOutput

__all__ = ["ConstantOutput", "Imported", "OutputSpec", "ResultOutput", "SizeOutput"]


@dataclass(frozen=True)
class Imported:
    """A graph as `mlc_tensor`.

    `module` holds one `func.func`. Its arguments are the inputs of the graph and then
    `constants`: parameters, buffers and tensor attributes, which the caller appends to
    every call. `objects` are the Python objects that extern calls name as `objects[i]`.
    `outputs` says how the graph's outputs come from the function's results; with `spec`
    they are the leaves of a nested structure.
    """

    module: ModuleOp
    constants: tuple[torch.Tensor, ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    objects: tuple[Any, ...] = field(default=(), repr=False)
    spec: TreeSpec | None = field(default=None, repr=False)
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    """Where its kernels run."""

    def rebuild(self, flat: list[Any]) -> Any:
        """The user's own return value out of the flat list of outputs."""
        return flat if self.spec is None else tree_unflatten(flat, self.spec)

    def of_outputs(self, of_results: Sequence[Any]) -> tuple[Any, ...]:
        """What belongs to each output, of what belongs to each result of the function; None where it is no result."""
        return tuple(of_results[o.index] if isinstance(o, ResultOutput) else None for o in self.outputs)
