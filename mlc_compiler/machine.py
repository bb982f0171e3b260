"""The machine that programs are compiled on and for."""

from __future__ import annotations

from typing import Any

import torch

from passes.common.device import DEFAULT_DEVICE, name_of


def gpu() -> str:
    """The entry of `passes.common.device.DEVICES` that describes the current GPU."""
    return name_of(torch.cuda.get_device_name()) if torch.cuda.is_available() else DEFAULT_DEVICE


def running() -> int | None:
    """The multiprocessors of the current GPU, which run as many programs at once at least; None where there is none.

    They may be fewer than its name promises: of a slice of a GPU (MIG), or of a smaller board of the same name.
    """
    return torch.cuda.get_device_properties().multi_processor_count if torch.cuda.is_available() else None


def tf32_convolutions() -> bool:
    """True if PyTorch lets its library compute convolutions of float32 in TF32, as it does by default."""
    settings: Any = torch.backends.cudnn
    return settings.conv.fp32_precision == "tf32"


def tf32_products() -> bool:
    """True if PyTorch lets its library compute products of float32 matrices in TF32: not unless it is told to."""
    settings: Any = torch.backends.cuda.matmul
    return settings.fp32_precision == "tf32"
