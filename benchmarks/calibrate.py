"""Measures a GPU and prints its entry for `passes/common/device.py`.

    python -m benchmarks.calibrate [--json FILE]
    TRITON_INTERPRET=1 python -m benchmarks.calibrate --tiny     # without a GPU: a smoke test, its rates mean nothing

Sizes and limits come from the driver; rates are measured, medians of repetitions. What neither tells (float32 units,
L1, blocks of a multiprocessor, the data sheet's bandwidth, features) is taken from the entry that the GPU's name has,
"generic" for one not known: the provenance of the new entry says so. Run it on a quiet GPU.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, replace
from typing import Any

import torch
import triton
from triton.runtime.jit import JITFunction

from benchmarks.calibrate_kernels import chase, copy_again, exponentiate, multiply_add, nothing
from benchmarks.json_files import file_to_write
from benchmarks.timing import copy_bandwidth
from mlc_compiler.timing.clock import measure
from passes.common.device import DEVICES, Device, device_named, name_of

VERSION = 1
"""Of these measurements: a change of what they mean counts on."""
BLOCK, WARPS = 1024, 4
"""Elements and warps of a program: each lane has 8 chains of arithmetic that do not wait for each other."""
UNROLLED = 16
"""Operations of a step of the arithmetic kernels, so that the loop itself is little beside them."""
PROPERTIES = {
    "multiprocessors": "multi_processor_count",
    "memory_bytes": "total_memory",
    "l2_bytes": "L2_cache_size",
    "shared_per_multiprocessor": "shared_memory_per_multiprocessor",
    "shared_per_block": "shared_memory_per_block_optin",
    "shared_static": "shared_memory_per_block",
    "registers_per_multiprocessor": "regs_per_multiprocessor",
    "lanes": "warp_size",
}
"""Fields of a Device, and what PyTorch calls them; which of them there are depends on its version."""


@dataclass(frozen=True)
class Bench:
    """Where is measured, and how much."""

    known: Device
    """The entry that the GPU's name has, with what the driver tells."""
    where: str = "cuda"
    tiny: bool = False

    def size(self, full: int, tiny: int) -> int:
        """A size, or a small one for a smoke test."""
        return tiny if self.tiny else full

    def seconds(self, run: Callable[[], Any]) -> float:
        """What `run` takes, the first time left out: it compiles."""
        run()
        return measure(run, self.where).seconds

    def empty(self, count: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.empty(count, dtype=dtype, device=self.where)


def measured_bandwidth(bench: Bench) -> float:
    """Bytes a second, read and written, of a copy several times as large as L2."""
    return copy_bandwidth(bench.where, bench.size(16384, 64))


def measured_l2_bandwidth(bench: Bench) -> float:
    """Bytes a second, read and written, of copying again and again what a quarter of L2 holds."""
    blocks = bench.size(bench.known.l2_bytes // 8 // (4 * BLOCK), 4)
    repeats = bench.size(256, 2)
    source, target = bench.empty(blocks * BLOCK).zero_(), bench.empty(blocks * BLOCK)
    seconds = bench.seconds(lambda: copy_again[(blocks,)](source, target, blocks, repeats, BLOCK, num_warps=WARPS))
    return 2 * 4 * BLOCK * blocks * repeats / seconds


def measured_latency_ns(bench: Bench) -> float:
    """Nanoseconds of a load from device memory, of one lane that follows pointers from line to line in random order."""
    steps = bench.size(20000, 8)
    chain, end = pointers(bench), bench.empty(1, torch.int64)
    seconds = bench.seconds(lambda: chase[(1,)](chain, end, steps, num_warps=1))
    return 1e9 * seconds / (steps + 1)


def pointers(bench: Bench) -> torch.Tensor:
    """One cycle through all lines of a buffer of sixteen times L2; what is no line's first element is never read."""
    stride = bench.known.line_bytes // 8
    lines = bench.size(16 * bench.known.l2_bytes // bench.known.line_bytes, 16)
    order = torch.randperm(lines, device=bench.where)
    chain = bench.empty(lines * stride, torch.int64).zero_()
    chain[order * stride] = order.roll(-1) * stride
    return chain


def measured_launch_us(bench: Bench) -> float:
    """Microseconds that one more kernel takes in a stream of kernels that do nothing.

    All are queued while the GPU is held up: so few that the host needs less than that (`benchmarks.timing`).
    """
    count, target = bench.size(128, 2), bench.empty(1)

    def run() -> None:
        for _ in range(count):
            nothing[(1,)](target, num_warps=1)

    return 1e6 * bench.seconds(run) / count


def measured_flops(bench: Bench) -> float:
    """float32 operations a second of fused multiply-adds, two for each."""
    return 2 * _arithmetic(bench, multiply_add, bench.size(1024, 1))


def measured_special_rate(bench: Bench) -> float:
    """Special functions a second, of ex2."""
    return _arithmetic(bench, exponentiate, bench.size(256, 1))


def _arithmetic(bench: Bench, kernel: Any, steps: int) -> float:
    """Operations a second where every multiprocessor holds as many programs as it can."""
    programs = bench.size(bench.known.multiprocessors * bench.known.warps_per_multiprocessor // WARPS, 2)
    target = bench.empty(programs * BLOCK)
    options = {"num_warps": WARPS, "enable_fp_fusion": True}
    seconds = bench.seconds(lambda: kernel[(programs,)](target, steps, UNROLLED, BLOCK, **options))
    return programs * BLOCK * steps * UNROLLED / seconds


def measured_tensor_flops(bench: Bench) -> dict[str, float]:
    """Operations a second of a square product, by operand."""
    rates = {name: _product(bench, dtype) for name, dtype in (("bf16", torch.bfloat16), ("f16", torch.float16))}
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")  # tf32
    try:
        return rates | {"tf32": _product(bench, torch.float32)}
    finally:
        torch.set_float32_matmul_precision(before)


def _product(bench: Bench, dtype: torch.dtype) -> float:
    size = bench.size(8192, 32)
    a, b = (torch.randn(size, size, device=bench.where).to(dtype) for _ in range(2))
    out = torch.empty_like(a)
    return 2 * size**3 / bench.seconds(lambda: torch.matmul(a, b, out=out))


BY_TORCH: dict[str, Callable[[Bench], Any]] = {
    "bandwidth": measured_bandwidth,
    "tensor_flops": measured_tensor_flops,
}
BY_TRITON: dict[str, Callable[[Bench], Any]] = {
    "l2_bandwidth": measured_l2_bandwidth,
    "dram_latency_ns": measured_latency_ns,
    "launch_us": measured_launch_us,
    "flops": measured_flops,
    "special_rate": measured_special_rate,
}
"""Fields of a Device, and what measures them."""


def told(properties: Any, known: Device) -> dict[str, Any]:
    """What a GPU's driver tells of it, as fields of a Device; `known` stands for what this PyTorch does not pass on."""
    found = {field: getattr(properties, name) for field, name in PROPERTIES.items() if hasattr(properties, name)}
    lanes = getattr(properties, "max_threads_per_multi_processor", known.lanes_per_multiprocessor)
    found |= {"name": properties.name, "capability": (properties.major, properties.minor)}
    found |= {"warps_per_multiprocessor": lanes // known.lanes}
    if hasattr(properties, "clock_rate"):  # in kHz
        found["clock_ghz"] = properties.clock_rate / 1e6
    return found


def calibrated(bench: Bench, driver: Sequence[str], base: str) -> Device:
    """The device as measured. `driver` are the fields that the driver told, `base` is the entry that gave the rest."""
    can_run = bench.where == "cuda" or not isinstance(nothing, JITFunction)
    found: dict[str, Any] = {}
    for field, measurement in {**BY_TORCH, **(BY_TRITON if can_run else {})}.items():
        found[field] = shortened(measurement(bench))
        print(f"{field}: {found[field]}", flush=True)
    if not can_run:
        print(f"left out: {', '.join(BY_TRITON)}; with TRITON_INTERPRET=1 they run without a GPU")
    return replace(bench.known, **found, provenance=provenance(sorted(found), driver, base))


def provenance(measured: Sequence[str], driver: Sequence[str], base: str) -> str:
    """Where each figure of an entry comes from."""
    versions = f"torch {torch.__version__}, triton {triton.__version__}"
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    asked = f"told by the driver: {', '.join(sorted(driver))}; " if driver else ""
    by = f"benchmarks.calibrate {VERSION} on {day} ({versions})"
    return f"measured by {by}: {', '.join(measured)}; {asked}all else as in the entry {base}"


def shortened(value: Any) -> Any:
    """Three digits of each rate: what a repetition of the measurement would find, too."""
    if isinstance(value, dict):
        return {key: shortened(rate) for key, rate in value.items()}
    return float(f"{value:.3g}")


def entry(device: Device) -> str:
    """The Python text of a device; fields with their default values are left out."""
    lines = []
    for field in fields(Device):
        value = getattr(device, field.name)
        if field.default is MISSING or value != field.default:
            lines.append(f"    {field.name}={_text(value)},")
    return "\n".join(["Device(", *lines, ")"])


def _text(value: Any) -> str:
    """A value of a field as a person would write it."""
    match value:
        case str():
            pieces = textwrap.wrap(value, 100, drop_whitespace=False, break_long_words=False) or [""]
            return "\n    ".join(json.dumps(piece, ensure_ascii=False) for piece in pieces)
        case frozenset():
            names = ", ".join(json.dumps(name) for name in sorted(value))
            return "frozenset({" + "\n    ".join(textwrap.wrap(names, 90, break_on_hyphens=False)) + "})"
        case dict():
            return "{" + ", ".join(f"{json.dumps(key)}: {_text(rate)}" for key, rate in value.items()) + "}"
        case float() if value >= 1e9:
            return f"{value / 1e12:.15g}e12"
        case int() if value >= 1 << 20 and value % (1 << 20) == 0:
            return f"{value >> 20} << 20"
        case int() if value >= 1 << 10 and value % (1 << 10) == 0:
            return f"{value >> 10} << 10"
        case _:
            return repr(value)


def written(device: Device) -> dict[str, Any]:
    """The device for JSON, with what was measured and when."""
    plain = asdict(device) | {"features": sorted(device.features), "bytes_in_flight": device.bytes_in_flight}
    return {"version": VERSION, "torch": torch.__version__, "triton": triton.__version__, "device": plain}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=file_to_write, help="where to write the figures")
    parser.add_argument("--tiny", action="store_true", help="small sizes, for a smoke test; without a GPU on the CPU")
    options = parser.parse_args(arguments)
    has_gpu = torch.cuda.is_available()
    if not has_gpu and not options.tiny:
        raise SystemExit("no CUDA device here; --tiny runs every measurement at small sizes on the CPU")
    base = name_of(torch.cuda.get_device_name()) if has_gpu else "generic"
    facts = told(torch.cuda.get_device_properties(), DEVICES[base]) if has_gpu else {}
    known = replace(device_named(base), **facts)
    device = calibrated(Bench(known, "cuda" if has_gpu else "cpu", options.tiny), list(facts), base)
    print(entry(device))
    if options.json is not None:
        options.json.write_text(json.dumps(written(device), indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
