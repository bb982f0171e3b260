"""Kernels for a GPU as machine code, compiled by Triton without one."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mlc_compiler.kernels.aot import Request, machine_code
from mlc_compiler.kernels.kernel_files import load_kernels
from mlc_compiler.kernels.kernel_requests import POINTEES
from mlc_dialects.common.types import DTYPES
from mlc_runtime.manifest import KernelEntry, Manifest
from mlc_support.errors import MlcError
from passes.common.device import DEVICES

_POINTERS = {d.torch_name: "*" + POINTEES.get(d.name, d.name) for d in DTYPES}
"""Triton's types of pointers, by PyTorch's names of what they point to."""


def gpu_target(device: str) -> dict[str, Any]:
    """Where the code for a device of `passes.common.device` runs, as the manifest has it."""
    return {"kind": "cuda", "device": device, "capability": [*DEVICES[device].capability]}


def write_cubins(folder: Path, source: Path, manifest: Manifest, device: str) -> dict[str, Any]:
    """Writes the kernels of a generated file into the folder, each twice: for pointers that are aligned, and for any.

    Gives what the manifest says of them. MlcError for a kernel that only Triton can launch.
    """
    functions = load_kernels(source)
    jobs = [
        (kernel, kind, _request(kernel, functions[kernel.name].arg_names, source, device, kind == "aligned"))
        for kernel in manifest.kernels
        for kind in ("aligned", "unaligned")
    ]
    with ThreadPoolExecutor() as pool:
        compiled = [*pool.map(machine_code, (request for _, _, request in jobs))]
    entries: dict[str, dict[str, Any]] = {}
    for (kernel, kind, _), made in zip(jobs, compiled, strict=True):
        file = f"{kernel.name}.{kind}.cubin"
        (folder / file).write_bytes(made.asm["cubin"])
        entries.setdefault(kernel.name, {})[kind] = _entry(kernel.name, file, made.metadata)
    return {"kernels": entries}


def _request(kernel: KernelEntry, names: list[str], source: Path, device: str, aligned: bool) -> Request:
    kinds = [*(_POINTERS[d] for d in kernel.dtypes), *["i64"] * kernel.sizes]
    major, minor = DEVICES[device].capability
    return Request(
        str(source),
        kernel.name,
        dict(zip(names, kinds, strict=True)),
        {},
        tuple(names[: len(kernel.dtypes)]) if aligned else (),
        kernel.options.get("num_warps", 4),
        kernel.options.get("maxnreg"),
        10 * major + minor,
    )


def _entry(kernel: str, file: str, metadata: Any) -> Mapping[str, Any]:
    alone = (metadata.num_ctas, metadata.launch_cooperative_grid, metadata.launch_pdl) == (1, False, False)
    if not alone or metadata.profile_scratch_size:
        raise MlcError(f"kernel {kernel} needs a launch by Triton", hint="run this model by torch.compile instead")
    numbers = {"warps": metadata.num_warps, "shared": metadata.shared, "scratch": metadata.global_scratch_size}
    return {"file": file, "name": metadata.name, **numbers}
