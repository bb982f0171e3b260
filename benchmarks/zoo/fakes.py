"""Models without memory: the same modules, whose tensors are fake, to be traced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode

from benchmarks.zoo.model import Model


class NoRandomNumbers(TorchFunctionMode):
    """Zeros for random numbers: nobody will look at them, and those of a large model take seconds."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Sequence[type], args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        named = kwargs or {}
        if getattr(func, "__name__", "").endswith(("uniform_", "normal_")):  # of torch.nn.init, and of tensors
            value = args[0] if args else named["tensor"]
            with torch.no_grad():
                return value.zero_()
        return func(*args, **named)


def fake_module(model: Model, mode: FakeTensorMode, device: str, dtype: torch.dtype, tiny: bool = False) -> nn.Module:
    """The module with parameters of `dtype`, without memory.

    All numbers but random ones are made: some builders look at them.
    """
    with torch.device(device), NoRandomNumbers():
        module = model.build(tiny).to(device=device, dtype=dtype)
    if model.channels_last:
        module = module.to(memory_format=torch.channels_last)  # pyright: ignore
    known: dict[int, torch.Tensor] = {}  # tied weights stay tied
    for part in module.modules():
        for values in (part._parameters, part._buffers):
            for name, value in values.items():
                if value is not None:
                    values[name] = known.setdefault(id(value), mode.from_tensor(value))  # pyright: ignore
    return module


def fake_inputs(
    model: Model, mode: FakeTensorMode, device: str, dtype: torch.dtype, tiny: bool = False
) -> list[torch.Tensor]:
    """The inputs, floats as `dtype`."""
    made: list[torch.Tensor] = []
    with mode:
        for arg in model.small if tiny else model.args:
            value = torch.empty(arg.shape, dtype=dtype if arg.dtype.is_floating_point else arg.dtype, device=device)
            last = model.channels_last and value.ndim == 4
            made.append(value.contiguous(memory_format=torch.channels_last) if last else value)
    return made
