"""LLVM IR as functions of this process: LLVM's own optimiser and code generator, without another process.

Object code is kept on disk, by the hash of all that it depends on, and checked by a hash of its own.
"""

from __future__ import annotations

import ctypes
import hashlib
import sys
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import IO

from llvmlite import binding
from llvmlite.binding.ffi import ObjectRef
from llvmlite.binding.newpassmanagers import NewPassManager
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from lowering.loop_to_llvm.module import llvm_module
from mlc_compiler.kernels.cache import cache_folder, keep, read_bytes
from mlc_runtime.native import SUPPORT
from mlc_support.errors import MlcError

Address = int
"""Of a function."""


class MachineCode:
    """The compiled functions of a module; they live as long as this object."""

    def __init__(self, text: str):
        """`text` is LLVM IR. RuntimeError if LLVM cannot parse it."""
        machine = _target_machine()
        module = _parsed(text, machine)
        for name, address in called_functions(module).items():
            binding.add_symbol(name, address)
        key = _key(text)
        kept, made = _read(key), list[bytes]()
        if kept is None:
            _optimise(module, machine)
        self._engine = binding.create_mcjit_compiler(module, machine)
        self._engine.set_object_cache(lambda _, code: made.append(code), lambda _: kept)
        self._engine.finalize_object()
        self._engine.set_object_cache()
        for code in made:
            keep(_path(key), _digest(key, code) + code)
        self._module = module

    def address(self, name: str) -> Address:
        """Where the function `name` is."""
        return self._engine.get_function_address(name)


class AssemblyTarget(Target):
    """`-t asm`: the kernels of a module as assembly of this CPU."""

    name = "asm"
    level = "cpu"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(_target_machine().emit_assembly(optimised(str(llvm_module(module)))))


def optimised(text: str) -> binding.ModuleRef:
    """LLVM IR after LLVM's own passes, for this CPU."""
    machine = _target_machine()
    module = _parsed(text, machine)
    _optimise(module, machine)
    return module


@cache
def _target() -> binding.Target:
    """What LLVM generates code for here."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    if sys.platform == "linux":
        binding.load_library_permanently(SUPPORT)
    return binding.Target.from_default_triple()


LEVEL = 2
"""LLVM's passes are those of `-O2`: `-O3` unrolls more, compiles in 1.7 times the time, and kernels are no faster."""


@dataclass(frozen=True)
class CpuModel:
    """What LLVM generates code for: a CPU, or a level that many reach."""

    name: str
    features: str
    """As LLVM writes them: `+avx2,-avx512f`."""

    @staticmethod
    def here() -> CpuModel:
        """This CPU, and vectors as wide as it has them."""
        return CpuModel(binding.get_host_cpu_name(), f"{binding.get_host_cpu_features().flatten()},-prefer-256-bit")


@dataclass(frozen=True)
class Relocatable:
    """Machine code in an object file, to be linked into a shared library."""

    code: bytes
    externals: tuple[str, ...]
    """The functions of the process that it calls."""

    @staticmethod
    def of(text: str, cpu: CpuModel) -> Relocatable:
        """The code of LLVM IR. MlcError where it calls what this process lacks."""
        machine = _target().create_target_machine(
            cpu=cpu.name, features=cpu.features, opt=3, reloc="pic", codemodel="default"
        )
        module = _parsed(text, machine)
        externals = called_functions(module)
        _optimise(module, machine)
        return Relocatable(machine.emit_object(module), tuple(sorted(externals)))


def _target_machine() -> binding.TargetMachine:
    """This CPU; an engine takes it for itself."""
    cpu = CpuModel.here()
    return _target().create_target_machine(cpu=cpu.name, features=cpu.features, opt=3, jit=True)


def _parsed(text: str, machine: binding.TargetMachine) -> binding.ModuleRef:
    module = binding.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    return module


def called_functions(module: binding.ModuleRef) -> dict[str, Address]:
    """What kernels call of this process: of the C library, or of PyTorch's OpenMP, whose threads they use.

    MlcError where there is no such function: LLVM would crash.
    """
    process, addresses = ctypes.CDLL(None), dict[str, Address]()
    for function in module.functions:
        name = function.name
        if not function.is_declaration or name.startswith("llvm."):
            continue
        found = getattr(process, name, None)
        if found is None:
            kernels = sorted({f.name.removesuffix(".rows") for f in module.functions if _calls(f, name)})
            raise MlcError(
                f"llvm: no function {name} on this machine, which {', '.join(kernels)} calls",
                hint="give it a formula in lowering/loop_to_llvm, or link a library that has it",
            )
        addresses[name] = ctypes.cast(found, ctypes.c_void_p).value or 0
    return addresses


def _calls(function: binding.ValueRef, name: str) -> bool:
    instructions = (i for block in function.blocks for i in block.instructions)
    return any(i.opcode == "call" and [*i.operands][-1].name == name for i in instructions)


def _optimise(module: binding.ModuleRef, machine: binding.TargetMachine) -> None:
    options = binding.create_pipeline_tuning_options(speed_level=LEVEL)
    options.loop_vectorization = options.slp_vectorization = True
    options.loop_interleaving = options.loop_unrolling = True
    passes = binding.create_pass_builder(machine, options)
    manager = passes.getModulePassManager()
    manager.run(module, passes)
    if type(manager)._dispose is ObjectRef._dispose:  # llvmlite 0.46 to 0.50 free nothing: they inherit what does not
        NewPassManager._dispose(manager)


def _key(text: str) -> str:
    """The hash of all that object code depends on."""
    depends = (text, LEVEL, str(binding.llvm_version_info), *astuple(CpuModel.here()))
    return hashlib.sha256(repr(depends).encode()).hexdigest()


def _path(key: str) -> Path:
    return cache_folder() / f"mlc_{key[:20]}.o"


def _digest(key: str, code: bytes) -> bytes:
    """What stands before object code: damage changes the code, a renamed file has another key."""
    return hashlib.sha256(key.encode() + code).digest()


def _read(key: str) -> bytes | None:
    """Object code behind its hash; None where there is none, it was damaged, or it is of another text."""
    content = read_bytes(_path(key)) or b""
    digest, code = content[:32], content[32:]
    return code if digest == _digest(key, code) else None
