"""The machine that programs are compiled on and for."""

from __future__ import annotations

import torch

from passes.fusion.device import name_of

WITHOUT_GPU = "h200"
"""What costs are estimated for where there is no GPU, so that the answer is the same on every such machine."""


def gpu() -> str:
    """The entry of `passes.fusion.device.DEVICES` that describes the current GPU."""
    return name_of(torch.cuda.get_device_name()) if torch.cuda.is_available() else WITHOUT_GPU
