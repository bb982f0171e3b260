"""What a launch of each kernel of a lowered module would ask Triton's compiler for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.kernels.aot import Request
from mlc_compiler.kernels.kernel_files import load_kernels
from mlc_dialects.common.types import BY_TYPE, DTYPES, as_bits
from mlc_dialects.triton.dialect import KernelOp
from mlc_dialects.triton.types import PointerType
from mlc_runtime.manifest import KernelEntry

POINTEES = {"i1": "i1", "ui8": "u8", "f16": "fp16", "bf16": "bf16", "f32": "fp32", "f64": "fp64"}
"""Triton's names of element types in signatures, where they are not ours."""
_POINTERS = {d.torch_name: "*" + POINTEES.get(d.name, d.name) for d in DTYPES}
"""Triton's types of pointers, by PyTorch's names of what they point to."""


def kernel_requests(module: ModuleOp, path: str | Path) -> Iterator[Request]:
    """One request for each kernel of `module`, whose text lies at `path`: pointers aligned to 16 bytes, sizes i64."""
    functions = load_kernels(path)
    for kernel in module.ops:
        if isinstance(kernel, KernelOp):
            yield kernel_request(kernel, functions[kernel.sym_name.data].arg_names, str(path))


def kernel_request(kernel: KernelOp, names: list[str], path: str) -> Request:
    """The request for one kernel, whose parameters are called `names`."""
    signature: dict[str, str] = {}
    for name, argument in zip(names, kernel.body.block.args, strict=True):
        signature[name] = "i64"
        if isinstance(argument.type, PointerType):
            element = BY_TYPE[as_bits(argument.type.element)].name
            signature[name] = "*" + POINTEES.get(element, element)
    aligned = tuple(name for name, kind in signature.items() if kind.startswith("*"))
    return Request(path, kernel.sym_name.data, signature, {}, aligned, kernel.launch_options)


def entry_request(kernel: KernelEntry, names: list[str], path: Path, capability: int, aligned: bool = True) -> Request:
    """The request for a kernel at `path`, whose parameters are called `names`: pointers aligned or not, sizes i64."""
    kinds = [*(_POINTERS[d] for d in kernel.dtypes), *["i64"] * kernel.sizes]
    pointers = tuple(names[: len(kernel.dtypes)]) if aligned else ()
    signature = dict(zip(names, kinds, strict=True))
    return Request(str(path), kernel.name, signature, {}, pointers, kernel.options, capability, kernel.may_widen)
