"""The machine that programs are compiled on and for."""

from __future__ import annotations

import torch

from passes.common.device import device_named, name_of

WITHOUT_GPU = "h200"
"""What costs are estimated for where there is no GPU, so that the answer is the same on every such machine."""


def gpu() -> str:
    """The entry of `passes.common.device.DEVICES` that describes the current GPU."""
    return name_of(torch.cuda.get_device_name()) if torch.cuda.is_available() else WITHOUT_GPU


def multiprocessors() -> int:
    """How many the current GPU has, or that which stands in for one: so many programs at least run at once."""
    if torch.cuda.is_available():
        return torch.cuda.get_device_properties().multi_processor_count
    return device_named(WITHOUT_GPU).cores
