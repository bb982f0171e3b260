"""What a cost model must know of a device, as data."""

from __future__ import annotations

from dataclasses import dataclass

from mlc_support.errors import MlcError


@dataclass(frozen=True)
class Device:
    """Rates and sizes of one GPU."""

    name: str
    cores: int
    """Streaming multiprocessors."""
    bandwidth: float
    """Of a copy in device memory, bytes a second read and written: what is reached, not the data sheet's."""
    l2_bandwidth: float
    l2_bytes: int
    flops: float
    """float32 operations a second, a fused multiply-add being two, without tensor cores."""
    launch_us: float
    """What one more kernel costs in a stream of kernels, in microseconds."""
    registers: int = 255
    """32-bit registers that one thread may have."""
    registers_per_core: int = 65536
    shared_bytes: int = 232448
    """Shared memory one program may have."""


DEVICES = {
    "h200": Device("NVIDIA H200", 132, 4.25e12, 9.0e12, 50 << 20, 60e12, 2.0),
    "h100": Device("NVIDIA H100", 132, 2.95e12, 8.0e12, 50 << 20, 60e12, 2.0),
    "a100": Device("NVIDIA A100", 108, 1.75e12, 5.0e12, 40 << 20, 19.5e12, 2.5, shared_bytes=166912),
    "generic": Device("a GPU", 80, 1.0e12, 3.0e12, 16 << 20, 20e12, 3.0, shared_bytes=101376),
}


def device_named(name: str) -> Device:
    """The device of that name. MlcError names those there are."""
    if name not in DEVICES:
        raise MlcError(f"no device {name!r}", hint=f"devices are {', '.join(DEVICES)}")
    return DEVICES[name]
