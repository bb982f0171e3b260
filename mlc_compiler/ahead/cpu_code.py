"""Kernels for CPUs as a shared library."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from mlc_runtime.manifest import Manifest
from mlc_runtime.native import cpu_flags
from mlc_support.errors import MlcError

LINKERS = (("cc", "-nostdlib"), ("gcc", "-nostdlib"), ("clang", "-nostdlib"), ("ld",), ("ld.lld",))
"""What makes a shared library of an object file, with its options, in the order they are looked for."""

NATIVE = "native"
_V2 = ("cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2")
_V3 = (*_V2, "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe")
LEVELS: Mapping[str, tuple[str, ...]] = {
    "x86-64-v2": _V2,
    "x86-64-v3": _V3,
    "x86-64-v4": (*_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}
"""The levels of the x86-64 psABI, with the extensions that they add, by the names of the Linux kernel."""

_ALIKE = """
ssse3 popcnt avx avx2 fma fma4 xop f16c bmi2 tbm movbe adx aes gfni vaes vpclmulqdq cx16
avx512f avx512bw avx512cd avx512dq avx512vl avx512vbmi avx512ifma sve sve2 bf16 i8mm
"""
KERNEL_NAMES = {name: name for name in _ALIKE.split()} | {
    "sse3": "pni", "sse4.1": "sse4_1", "sse4.2": "sse4_2", "bmi": "bmi1", "lzcnt": "abm", "pclmul": "pclmulqdq",
    "sha": "sha_ni", "sahf": "lahf_lm", "avxvnni": "avx_vnni", "avx512vnni": "avx512_vnni",
    "avx512vbmi2": "avx512_vbmi2", "avx512bitalg": "avx512_bitalg", "avx512vpopcntdq": "avx512_vpopcntdq",
    "avx512bf16": "avx512_bf16", "avx512fp16": "avx512_fp16",
    "neon": "asimd", "fullfp16": "asimdhp", "dotprod": "asimddp", "lse": "atomics",
}  # fmt: skip
"""LLVM's name of each extension that generated code may use, and the kernel's."""


def check_cpu(cpu: str) -> None:
    """MlcError for a CPU that has no name here."""
    known = (NATIVE, *LEVELS)
    if cpu not in known:
        raise MlcError(f"no CPU {cpu!r}", hint=f"it is one of {', '.join(known)}")
    if cpu != NATIVE and platform.machine() not in ("x86_64", "AMD64"):
        raise MlcError(f"{cpu} is for x86-64, and this machine is {platform.machine()}", hint=f"leave it {NATIVE}")


def cpu_target(cpu: str) -> dict[str, Any]:
    """Where the code for `cpu` runs, as the manifest has it."""
    model = _machine_code().CpuModel.here()
    enabled = {f[1:] for f in model.features.split(",") if f.startswith("+")}
    here = sorted({KERNEL_NAMES[f] for f in enabled if f in KERNEL_NAMES} & cpu_flags())
    return {
        "kind": "cpu",
        "system": platform.system(),
        "machine": platform.machine(),
        "cpu": model.name if cpu == NATIVE else cpu,
        "features": here if cpu == NATIVE else sorted(LEVELS[cpu]),
    }


def write_library(folder: Path, ir: str, manifest: Manifest, cpu: str) -> dict[str, Any]:
    """Writes the kernels of LLVM IR into the folder; gives what the manifest says of them.

    The name of the file holds a hash of it: a process that has loaded a library keeps it by its path.
    """
    if not manifest.kernels:
        return {}
    machine_code, symbol = _machine_code(), import_module("lowering.loop_to_llvm.module").symbol
    model = machine_code.CpuModel.here() if cpu == NATIVE else machine_code.CpuModel(cpu, "-prefer-256-bit")
    made = machine_code.Relocatable.of(ir, model)
    library = linked(made.code)
    name = f"kernels_{hashlib.sha256(library).hexdigest()[:16]}.so"
    (folder / name).write_bytes(library)
    symbols = {k.name: symbol(k.name) for k in manifest.kernels}
    return {"file": name, "externals": [*made.externals], "symbols": symbols}


def linked(code: bytes) -> bytes:
    """The shared library of an object file. MlcError where there is no linker, or it fails."""
    with tempfile.TemporaryDirectory() as scratch:
        source, library = Path(scratch) / "kernels.o", Path(scratch) / "kernels.so"
        source.write_bytes(code)
        command = [*_linker(), "-shared", "-o", str(library), str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise MlcError(f"{command[0]} cannot link the kernels: {done.stderr.strip()}")
        return library.read_bytes()


def _linker() -> list[str]:
    for name, *options in LINKERS:
        if found := shutil.which(name):
            return [found, *options]
    names = ", ".join(name for name, *_ in LINKERS)
    hint = f"install one of {names}: it is needed where a model is compiled, and not where it runs"
    raise MlcError("no linker, which makes a shared library of the kernels", hint=hint)


def _machine_code() -> Any:
    return import_module("mlc_compiler.cpu.machine_code")  # LLVM takes time to load
