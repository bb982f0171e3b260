"""The machine that programs are compiled on and for, as far as passes ask about it.

PyTorch is loaded when a machine is asked about, and not before: `mlc-opt` compiles for one that it only knows the
name of, and starts without.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from mlc_support.cpu_info import cpu_info
from passes.common.device import DEFAULT_DEVICE, name_of

ZEN_5 = 26
"""AMD's number of that family."""


@dataclass(frozen=True)
class Machine:
    """What the pipeline decides by; the defaults are PyTorch's, and a GPU that is known by its name alone."""

    device: str = DEFAULT_DEVICE
    """An entry of `passes.common.device.DEVICES`."""
    running: int | None = None
    """Multiprocessors that run programs at once at least, of the GPU here; None for what the name promises."""
    tf32_convolutions: bool = True
    """The library may compute convolutions of float32 in TF32."""
    tf32_products: bool = False
    """The library may compute products of float32 matrices in TF32."""
    rounded_on_cpu: bool = False
    """On the CPU, the library may round the factors of products of float32 to TF32 or bfloat16."""
    onednn: float = 1.0
    """On the CPU, how many times as fast as the BLAS that PyTorch calls oneDNN multiplies matrices of float32."""


def this_machine(device: str | None = None) -> Machine:
    """The machine here, as PyTorch sees it and is set; programs are compiled for `device`, by default its GPU."""
    backends = _torch().backends
    return Machine(
        device or gpu(),
        running(),
        tf32_convolutions=backends.cudnn.conv.fp32_precision == "tf32",
        tf32_products=backends.cuda.matmul.fp32_precision == "tf32",
        rounded_on_cpu=backends.mkldnn.matmul.fp32_precision in ("tf32", "bf16"),
        onednn=onednn_speed(),
    )


def gpu() -> str:
    """The entry of `passes.common.device.DEVICES` that describes the current GPU."""
    cuda = _torch().cuda
    return name_of(cuda.get_device_name()) if cuda.is_available() else DEFAULT_DEVICE


def running() -> int | None:
    """The multiprocessors of the current GPU, which run as many programs at once at least; None where there is none.

    They may be fewer than its name promises: of a slice of a GPU (MIG), or of a smaller board of the same name.
    """
    cuda = _torch().cuda
    return cuda.get_device_properties().multi_processor_count if cuda.is_available() else None


def onednn_speed() -> float:
    """How many times as fast as the BLAS that PyTorch calls oneDNN multiplies matrices of float32 on this CPU.

    MKL takes its AVX2 code on CPUs of AMD, and oneDNN AVX-512 where there is some. A Zen 5 (family 26) has units for
    it: 2.2 was measured. A Zen 4 splits each instruction in two: 1.07 was measured.
    """
    backends = _torch().backends
    wide = backends.cpu.get_cpu_capability() == "AVX512"
    vendor, family = cpu_model()
    if not (wide and backends.mkl.is_available() and backends.mkldnn.is_available() and vendor == "AuthenticAMD"):
        return 1.0
    return 2.2 if family >= ZEN_5 else 1.07


def cpu_model() -> tuple[str, int]:
    """Who made this CPU, and the number of its family, as it says itself: "" and 0 where the system does not tell."""
    told = cpu_info()
    return told.get("vendor_id", ""), int(told.get("cpu family", 0))


def _torch() -> Any:
    return import_module("torch")
