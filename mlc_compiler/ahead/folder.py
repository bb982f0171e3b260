"""Compiles an exported program into a folder, which `mlc_runtime.load` reads without the compiler."""

from __future__ import annotations

import ast
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch.export import ExportedProgram
from xdsl.dialects import func
from xdsl.dialects.builtin import StringAttr

from lowering.fx_to_tensor import Imported, import_exported
from lowering.host.header import HEADER
from mlc_compiler import machine
from mlc_compiler.ahead.cpu_code import NATIVE, check_cpu, cpu_target, write_library
from mlc_compiler.ahead.signature import Signature
from mlc_compiler.execution.executable import generate, with_weights
from mlc_compiler.execution.freezing import mark_frozen
from mlc_compiler.execution.target import target_for
from mlc_compiler.frontend.guards import guard_arguments
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.programs import Generated
from mlc_compiler.options import CompilerOptions
from mlc_compiler.stopwatch import Stopwatch
from mlc_dialects.common.annotations import DEVICE
from mlc_dialects.tensor.calls import ExternOp
from mlc_runtime.folder import FORMAT, HOST, MANIFEST, WEIGHTS, digest_of, file_entry
from mlc_runtime.weights import write_weights
from mlc_support.errors import MlcError
from mlc_support.walks import walk
from passes.common.device import DEVICES
from passes.tensor.freeze import SUFFIX

CPU = "cpu"


def compile_folder(
    program: ExportedProgram,
    folder: str | Path,
    options: CompilerOptions | None = None,
    *,
    device: str | None = None,
    cpu: str = NATIVE,
) -> str:
    """Compiles an exported program into `folder`; gives the digest of what it wrote.

    `device` is "cpu", or a GPU of `passes.common.device`, which need not be there; None is where the program was
    exported. `cpu` is the CPU that code is for: this one, or a level such as "x86-64-v3". MlcError says what cannot be
    compiled, and where `folder` is anything but a model folder, which is replaced.
    """
    target_path = Path(folder)
    check_place(target_path)
    check_cpu(cpu)
    imported = import_exported(program)
    gpu = _gpu_of(imported, device)
    chosen = replace(options or CompilerOptions(), cpu="native", device=gpu)
    if gpu is None and imported.device.type != CPU:
        raise MlcError(f"the program was exported on {imported.device}", hint="move the model to the CPU and export it")
    if gpu is not None and chosen.freeze:
        hint = "leave freeze out, or freeze the weights before the export"
        raise MlcError("freeze computes weights on the device, which need not be here", hint=hint)
    signature = Signature.of(program, imported)
    imported = _on_gpu(imported) if gpu is not None and imported.device.type == CPU else imported
    with tempfile.TemporaryDirectory(dir=target_path.resolve().parent, prefix=f".{target_path.name}.") as scratch:
        made = Path(scratch) / "model"
        made.mkdir()
        digest = _write(made, imported, signature, chosen, gpu, cpu)
        _put(made, target_path.resolve(), Path(scratch) / "old")
    return digest


def _write(
    folder: Path, imported: Imported, signature: Signature, options: CompilerOptions, gpu: str | None, cpu: str
) -> str:
    (function,) = (op for op in imported.module.ops if isinstance(op, func.FuncOp))
    name, target = function.sym_name.data, target_for(imported.device, options)
    if options.freeze:
        frozen = mark_frozen(function, imported.constants)
    else:
        frozen = [False] * len(imported.constants)
        count = len(function.body.block.args)
        guard_arguments(imported, range(count - len(frozen), count))
    made = generate(imported, options, target, name, Stopwatch(), None, None)
    generated, settle = made.program, made.settle
    source, manifest = write_source(generated.source), generated.manifest
    names = list(signature.constants)
    if (split := manifest.hosts.get(name + SUFFIX)) is not None:
        loaded = target.load(generated, source, imported.objects, False)
        imported = with_weights(imported, frozen, settle, loaded.program(split))
        names = [n for n, is_frozen in zip(names, frozen, strict=True) if not is_frozen]
        names += [f"frozen.{k}" for k in range(len(imported.constants) - len(names))]
    (folder / HOST).write_text(_host_text(generated, [manifest.hosts[name].name]), encoding="utf-8")
    if gpu is None:
        code = write_library(folder, _constant(generated.source, "KERNELS"), manifest, cpu)
        where = cpu_target(cpu)
    else:
        triton_code: Any = import_module("mlc_compiler.ahead.gpu_code")
        code, where = triton_code.write_cubins(folder, source, manifest, gpu), triton_code.gpu_target(gpu)
    tensors = {n: t.detach() for n, t in zip(names, imported.constants, strict=True)}
    data = {
        "format": FORMAT,
        "mlc": version("mlc"),
        "torch": str(torch.__version__),
        "target": where,
        "program": manifest.to_data(),
        "main": name,
        **signature.data,
        "operators": [*signature.operators],
        "constants": names,
        "weights": write_weights(folder / WEIGHTS, tensors),
        "code": code,
    }
    return _seal(folder, data)


def _seal(folder: Path, data: dict[str, Any]) -> str:
    """Writes the manifest, with the hashes of all files."""
    data["files"] = {path.name: file_entry(path) for path in sorted(folder.iterdir())}
    data = json.loads(json.dumps(data))
    data["digest"] = digest_of(data)
    (folder / MANIFEST).write_text(json.dumps(data, indent=1), encoding="utf-8")
    return data["digest"]


def _gpu_of(imported: Imported, device: str | None) -> str | None:
    """The GPU to compile for; None for the CPU."""
    if device is None:
        device = CPU if imported.device.type == CPU else machine.gpu()
    if device != CPU and device not in DEVICES:
        raise MlcError(f"no device {device!r}", hint=f"devices are {', '.join((CPU, *DEVICES))}")
    return None if device == CPU else device


def _on_gpu(imported: Imported) -> Imported:
    """A program that was exported on the CPU, for a GPU. MlcError where calls make tensors on the CPU."""
    for op in walk(imported.module):
        if isinstance(op, ExternOp) and "torch.device(" in f"{op.arguments}{op.keywords}":
            hint = "export the model on a GPU"
            raise MlcError(f"{op.callee.data} makes a tensor on the CPU, where the program was exported", hint=hint)
        if isinstance(op, func.FuncOp) and DEVICE in op.attributes:
            op.attributes[DEVICE] = StringAttr("cuda")
    return replace(imported, device=torch.device("cuda"))


def _host_text(generated: Generated, names: Sequence[str]) -> str:
    """The host programs of a generated file alone."""
    lines = generated.source.splitlines()
    functions = [f for f in ast.parse(generated.source).body if isinstance(f, ast.FunctionDef) and f.name in names]
    texts = ["\n".join(lines[f.lineno - 1 : f.end_lineno]) for f in functions]
    return "\n\n".join((HEADER, *texts)) + "\n"


def _constant(source: str, name: str) -> str:
    """The text that a generated file calls `name`."""
    assigned = (s for s in ast.parse(source).body if isinstance(s, ast.Assign))
    (value,) = (s.value for s in assigned if isinstance(s.targets[0], ast.Name) and s.targets[0].id == name)
    return str(ast.literal_eval(value))


def check_place(folder: Path) -> None:
    """MlcError unless `folder` can be made, or is a model folder that is replaced: before the work, not after."""
    parent = folder.resolve().parent
    if not parent.is_dir():
        raise MlcError(f"no such folder: {parent}", hint="make it, or write elsewhere")
    if os.path.lexists(folder) and not (folder.is_dir() and (folder / MANIFEST).is_file()):
        raise MlcError(f"{folder} is there already and is no model folder", hint="name another, or take it away")
    try:
        tempfile.TemporaryDirectory(dir=parent).cleanup()
    except OSError as error:
        raise MlcError(f"no folder can be made in {parent}: {error.strerror}", hint="write elsewhere") from error


def _put(made: Path, folder: Path, old: Path) -> None:
    """Gives what was made its name, in place of what had it."""
    if folder.exists():
        folder.rename(old)
    made.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
