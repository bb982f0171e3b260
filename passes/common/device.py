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

    def traffic_us(self, traffic: int, size: int) -> float:
        """Microseconds that `traffic` bytes take, of a value of `size` bytes: half of L2 holds what was written."""
        held = 2 * size <= self.l2_bytes
        return 1e6 * traffic / (self.l2_bandwidth if held else self.bandwidth)

    def arithmetic_us(self, flops: int) -> float:
        """Microseconds that so many float32 operations take."""
        return 1e6 * flops / self.flops


DEVICES = {
    "h200": Device("NVIDIA H200", 132, 4.25e12, 9.0e12, 50 << 20, 60e12, 2.0),
    "h100": Device("NVIDIA H100", 132, 2.95e12, 8.0e12, 50 << 20, 60e12, 2.0),
    "a100": Device("NVIDIA A100", 108, 1.75e12, 5.0e12, 40 << 20, 19.5e12, 2.5, shared_bytes=166912),
    "generic": Device("a GPU", 80, 1.0e12, 3.0e12, 16 << 20, 20e12, 3.0, shared_bytes=101376),
}


def name_of(product: str) -> str:
    """The entry of DEVICES for a GPU as its driver calls it ("NVIDIA H100 80GB HBM3"); "generic" for one not known."""
    words = product.lower().replace("-", " ").split()
    return next((name for name in DEVICES if name in words), "generic")


def device_named(name: str) -> Device:
    """The device of that name. MlcError names those there are."""
    if name not in DEVICES:
        raise MlcError(f"no device {name!r}", hint=f"devices are {', '.join(DEVICES)}")
    return DEVICES[name]
