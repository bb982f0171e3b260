"""Kernels for a GPU as machine code, compiled by Triton without one."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mlc_compiler.kernels.aot import machine_code
from mlc_compiler.kernels.kernel_files import load_kernels
from mlc_compiler.kernels.kernel_requests import entry_request
from mlc_compiler.kernels.launcher import cubin_of
from mlc_runtime.manifest import Manifest
from mlc_support.errors import MlcError
from passes.common.device import DEVICES


def gpu_target(device: str) -> dict[str, Any]:
    """Where the code for a device of `passes.common.device` runs, as the manifest has it."""
    return {"kind": "cuda", "device": device, "capability": [*DEVICES[device].capability]}


def write_cubins(folder: Path, source: Path, manifest: Manifest, device: str) -> dict[str, Any]:
    """Writes the kernels of a generated file into the folder, each twice: for pointers that are aligned, and for any.

    Gives what the manifest says of them. MlcError for a kernel that only Triton can launch.
    """
    functions, (major, minor) = load_kernels(source), DEVICES[device].capability
    names, capability = {name: function.arg_names for name, function in functions.items()}, 10 * major + minor
    jobs = [
        (kernel, kind, entry_request(kernel, names[kernel.name], source, capability, kind == "aligned"))
        for kernel in manifest.kernels
        for kind in ("aligned", "unaligned")
    ]
    with ThreadPoolExecutor() as pool:
        compiled = [*pool.map(machine_code, (request for _, _, request in jobs))]
    entries: dict[str, dict[str, Any]] = {}
    for (kernel, kind, _), made in zip(jobs, compiled, strict=True):
        file = f"{kernel.name}.{kind}.cubin"
        (folder / file).write_bytes(made.asm["cubin"])
        entries.setdefault(kernel.name, {})[kind] = _entry(kernel.name, file, made)
    return {"kernels": entries}


def _entry(kernel: str, file: str, compiled: Any) -> Mapping[str, Any]:
    cubin = cubin_of(compiled)
    if cubin is None:
        raise MlcError(f"kernel {kernel} needs a launch by Triton", hint="run this model by torch.compile instead")
    return {"file": file, "name": cubin.name, "warps": cubin.warps, "shared": cubin.shared, "scratch": cubin.scratch}
