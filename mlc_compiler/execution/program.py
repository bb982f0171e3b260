"""Host programs on the device of their tensors, with launches of the kind that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from triton import knobs

from mlc_runtime.host import current_device
from mlc_runtime.program import CPU, Place, Program


def placed(direct: Program, through_triton: Program, place: Place, compile_kernels: Callable[[], None]) -> Program:
    """A program whose current device is that of its tensors, and which records no gradients.

    `direct` and `through_triton` are the same host program with two kinds of launches; the second kind calls the hooks
    of Triton's launches, and runs while there are any. Before the first call on a device `compile_kernels` runs there.
    """
    ready = {CPU}

    def run(arguments: list[Any]) -> Sequence[Any]:
        device = place(arguments)
        if device in ready and (device < 0 or (device == current_device() and not hooked())):
            if not torch.is_grad_enabled():
                return direct(arguments)
            with torch.no_grad():
                return direct(arguments)
        with torch.no_grad(), _on(device):
            if device not in ready:
                compile_kernels()
                ready.add(device)
            return through_triton(arguments) if device >= 0 and hooked() else direct(arguments)

    return run


def hooked() -> bool:
    """True while somebody listens to Triton's launches, as its profiler does."""
    runtime = knobs.runtime
    enter, leave = runtime.launch_enter_hook, runtime.launch_exit_hook
    return bool(getattr(enter, "calls", enter) or getattr(leave, "calls", leave))


def _on(device: int) -> AbstractContextManager[Any]:
    return torch.cuda.device(device) if device >= 0 else nullcontext()
