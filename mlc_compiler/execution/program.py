"""Host programs on the device of their tensors, with launches of the kind that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
from torch.profiler import record_function
from triton import knobs

from mlc_runtime.host import current_device
from mlc_runtime.manifest import KernelEntry
from mlc_runtime.program import CPU, Place, Program


class Kinds(NamedTuple):
    """One host program with each kind of launches."""

    direct: Program
    through_triton: Program
    """Its launches call the hooks of Triton."""
    named: Program
    """Its launches are called by the user's lines in a profile of PyTorch."""


def placed(kinds: Kinds, place: Place, compile_kernels: Callable[[], None]) -> Program:
    """A program whose current device is that of its tensors, and which records no gradients.

    Launches are direct where nobody listens to them. Before the first call on a device `compile_kernels` runs there.
    """
    ready, direct = {CPU}, kinds.direct

    def run(arguments: list[Any]) -> Sequence[Any]:
        device = place(arguments)
        if device in ready and (device < 0 or (device == current_device() and not hooked())) and not profiled():
            if not torch.is_grad_enabled():
                return direct(arguments)
            _set_grad_enabled(False)
            try:
                return direct(arguments)
            finally:
                _set_grad_enabled(True)
        with torch.no_grad(), _on(device):
            if device not in ready:
                compile_kernels()
                ready.add(device)
            if device >= 0 and hooked():
                return kinds.through_triton(arguments)
            return kinds.named(arguments) if profiled() else direct(arguments)

    return run


def hooked() -> bool:
    """True while somebody listens to Triton's launches, as its profiler does."""
    runtime = knobs.runtime
    enter, leave = runtime.launch_enter_hook, runtime.launch_exit_hook
    return bool(getattr(enter, "calls", enter) or getattr(leave, "calls", leave))


_set_grad_enabled: Callable[[bool], None] = torch._C._set_grad_enabled  # pyright: ignore[reportPrivateUsage]
"""What `torch.no_grad` does, without its object: a call of a small kernel takes longer by a tenth with it."""
profiled: Callable[[], bool] = torch.autograd._profiler_enabled  # pyright: ignore[reportPrivateImportUsage]
"""True while PyTorch's profiler records."""


class Named:
    """A kernel whose launches are called `name` in a profile."""

    def __init__(self, kernel: Any, name: str):
        self._kernel, self._name = kernel, name

    @staticmethod
    def of(kernels: Mapping[str, Any], entries: Iterable[KernelEntry]) -> dict[str, Named]:
        """Kernels by the names of their functions, each called by its lines and that name."""
        return {entry.name: Named(kernels[entry.name], shown_name(entry)) for entry in entries}

    def __getitem__(self, grid: tuple[int, ...]) -> Named:
        return Named(self._kernel[grid], self._name)

    def __call__(self, *arguments: Any, **options: Any) -> None:
        with record_function(self._name):
            self._kernel(*arguments, **options)


def shown_name(kernel: KernelEntry) -> str:
    """The first of its lines, how many there are more, and its own name."""
    more = f" and {len(kernel.lines) - 1} more" if len(kernel.lines) > 1 else ""
    return f"{kernel.lines[0]}{more} [{kernel.name}]" if kernel.lines else kernel.name


def _on(device: int) -> AbstractContextManager[Any]:
    return torch.cuda.device(device) if device >= 0 else nullcontext()
