"""Compiles generated kernels for an NVIDIA GPU that need not be there, and reads what they will use of it.

    request = Request("generated.py", "softmax", {"x_ptr": "*fp32", "out_ptr": "*fp32", "N": "i32"}, aligned=("x_ptr",))
    resources = compile_kernel(request)
    many = compile_many([request, ...])

Triton's wheel brings the assembler and the disassembler; no CUDA installation is needed. Interpreted launches in the
same process do not matter, since they change `triton.language` only while they last.
"""

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import get_ptxas
from triton.compiler import ASTSource
from triton.runtime.jit import JITFunction

from mlc_compiler.kernels.kernel_files import load_kernels
from mlc_dialects.triton.types import LANES, REGISTERS, registers_a_lane

CUOBJDUMP = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
INTERPRET = "TRITON_INTERPRET"
USAGE = re.compile(r"\b(REG|STACK|SHARED|LOCAL):(\d+)")
INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)")
SPILLED, MOST_WARPS = 128, 16
"""Bytes of a thread's stack from which on twice the warps, up to so many, are tried. 46 measured schedules where that
halves such a stack take 0.60 times as long with them."""
SPILLED_TOGETHER = 256
"""The same, from which on fewer programs run at once than were asked for: a kernel that spills 248 bytes to run in one
wave takes 0.70 of the time of two waves."""
SPILL = re.compile(r"(\d+) bytes spill (?:stores|loads)")
TARGET = re.compile(r"^\.target\s+(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Request:
    """One kernel to compile: a generated file, its function, and what a launch would specialise on."""

    source: str
    """Path of the generated file."""
    kernel: str
    signature: Mapping[str, str]
    """Every parameter -> '*fp32', '*bf16', 'i32', 'i64', 'fp32', ... or 'constexpr'."""
    constexprs: Mapping[str, Any] = field(default_factory=dict)
    """Values of the parameters that are 'constexpr'."""
    aligned: tuple[str, ...] = ()
    """Parameters that are multiples of 16: bytes for pointers, the value for integers."""
    options: Mapping[str, Any] = field(default_factory=lambda: {"num_warps": 4, "enable_fp_fusion": False})
    """What a launch says beside the arguments."""
    capability: int = 90
    """Compute capability, 90 for sm_90."""
    may_widen: bool = False
    """True if it may run with more warps than `options` say."""


@dataclass(frozen=True)
class Resources:
    """What a compiled kernel uses. Its code is disassembled when it is asked for: that takes half a second."""

    registers: int
    """32-bit registers of a thread."""
    spill_bytes: int
    """Bytes that a thread's code stores to and loads from its stack because registers ran out, loops counted once."""
    stack_bytes: int
    """Bytes of a thread's stack: room for spills, and for the tables of some libdevice functions."""
    shared_bytes: int
    """Shared memory of a block, static and dynamic."""
    warps: int
    compile_seconds: float
    """Wall time; near zero when Triton's cache on disk had the kernel."""
    cubin: bytes = field(repr=False)
    """The machine code."""

    @cached_property
    def code(self) -> tuple[str, ...]:
        """The name of each instruction, in order."""
        return tuple(INSTRUCTION.findall(_dump(self.cubin, "-sass")))

    @property
    def instructions(self) -> int:
        return len(self.code)

    @property
    def local_accesses(self) -> int:
        """Instructions that touch the stack, for whatever reason."""
        return self._count(r"(LDL|STL)\b") if self.stack_bytes else 0

    @property
    def loads(self) -> int:
        """Instructions that load from global memory, asynchronous copies to shared memory included."""
        return self._count(r"(LDG|LDGSTS)\b")

    @property
    def vector_loads(self) -> int:
        """Those of `loads` that move 128 bits for a thread."""
        return self._count(r"(LDG|LDGSTS)\..*\b128\b")

    @property
    def stores(self) -> int:
        """Instructions that store to global memory."""
        return self._count(r"STG\b")

    @property
    def vector_stores(self) -> int:
        """Those of `stores` that move 128 bits for a thread."""
        return self._count(r"STG\..*\b128\b")

    @property
    def tensor_core_instructions(self) -> int:
        """HMMA, IMMA, QGMMA, HGMMA and their like."""
        return self._count(r"(HMMA|IMMA|BMMA|DMMA|HGMMA|IGMMA|QGMMA)\b")

    def _count(self, pattern: str) -> int:
        return sum(1 for name in self.code if re.match(pattern, name))


class CompileError(ValueError):
    """A kernel that cannot be compiled: the request is wrong, or Triton refuses the source."""


def compile_kernel(request: Request) -> Resources:
    """Compiles in this process. Raises CompileError, which names the file and the kernel."""
    start = time.perf_counter()
    compiled = machine_code(request)
    return _resources(compiled, request.capability, time.perf_counter() - start)


def machine_code(request: Request) -> Any:
    """Triton's compiled kernel. Raises CompileError.

    Where a thread spills much, others with more room are compiled as well, one after another, and taken if they spill
    less. The schedule counts registers roughly.
    """
    compiled, stack = _compiled(request), None
    for spilled, share, options in _with_more_room(request):
        stack = _stack_bytes(compiled) if stack is None else stack
        if stack < spilled:
            continue
        try:
            roomier = _compiled(replace(request, options=options))
        except CompileError:  # what is compiled already will do
            break
        less = _stack_bytes(roomier)
        if less <= share * stack:
            compiled, stack = roomier, less
    return compiled


def _with_more_room(request: Request) -> Iterator[tuple[int, float, dict[str, Any]]]:
    """Options of launches that leave a thread more registers, from how many spilled bytes on, and which share is left.

    First with fewer programs on a multiprocessor at once, where they are told: each lane may have more. Then with twice
    the warps: each has half as much of a block to hold.
    """
    options, warps = {**request.options}, request.options["num_warps"]
    if "maxnreg" in options:
        for programs in range(REGISTERS // (LANES * warps * options["maxnreg"]) - 1, 0, -1):
            yield SPILLED_TOGETHER, 1.0, options | {"maxnreg": registers_a_lane(warps, programs)}
    while request.may_widen and warps < MOST_WARPS:
        warps *= 2
        yield SPILLED, 0.5, _with_warps(options, warps)


def _with_warps(options: Mapping[str, Any], warps: int) -> dict[str, Any]:
    """The options of a launch with so many warps, of which each lane can have fewer registers."""
    most = {"maxnreg": min(options["maxnreg"], registers_a_lane(warps))} if "maxnreg" in options else {}
    return {**options, "num_warps": warps, **most}


def _compiled(request: Request) -> Any:
    """Triton's compiled kernel. Raises CompileError."""
    place = f"kernel {request.kernel} of {request.source}"
    function = load_kernels(request.source).get(request.kernel)
    if not isinstance(function, JITFunction):
        why = f"set {INTERPRET} aside" if function is not None else "no such @triton.jit function"
        raise CompileError(f"{place}: {why}")
    _check_names(request, function.arg_names, place)
    try:
        return triton.compile(
            _source(function, request),
            target=GPUTarget("cuda", request.capability, LANES),
            options=dict(request.options),
        )
    except Exception as error:
        raise CompileError(f"{place}: {error}") from error


def compile_many(requests: Sequence[Request], processes: int | None = None) -> list[Resources]:
    """Compiles in up to `processes` fresh processes (None: one for each CPU), which live until this one ends.

    A script that calls this must do so under `if __name__ == "__main__"`, as ever with `multiprocessing`.
    Raises the CompileError of the first request that fails.
    """
    if not requests:
        return []
    with _compiling_environment():
        return list(_pool(processes or os.cpu_count() or 1).map(compile_kernel, requests))


@cache
def _pool(processes: int) -> ProcessPoolExecutor:
    """Workers that start anew, since forking a process with PyTorch's threads can hang."""
    return ProcessPoolExecutor(processes, mp_context=get_context("spawn"))


@contextmanager
def _compiling_environment() -> Generator[None, None, None]:
    """Without the flag under which Triton's decorator makes functions that cannot be compiled."""
    flag = os.environ.pop(INTERPRET, None)
    try:
        yield
    finally:
        if flag is not None:
            os.environ[INTERPRET] = flag


def _check_names(request: Request, names: Sequence[str], place: str) -> None:
    """CompileError unless the request speaks of the kernel's parameters."""
    for what in ("signature", "constexprs", "aligned"):
        if unknown := set(getattr(request, what)) - set(names):
            raise CompileError(f"{place}: {what} names {sorted(unknown)}; the parameters are {list(names)}")
    if missing := [name for name in names if name not in request.signature]:
        raise CompileError(f"{place}: signature lacks {missing}")
    constant = {name for name, kind in request.signature.items() if kind == "constexpr"}
    if valueless := sorted(constant - set(request.constexprs)):
        raise CompileError(f"{place}: constexprs lacks {valueless}")


def _source(function: JITFunction[Any], request: Request) -> ASTSource:
    """The kernel in the form that Triton's compiler takes: parameters by position."""
    names = function.arg_names
    return ASTSource(
        fn=function,
        signature={name: request.signature[name] for name in names},
        constexprs={(names.index(name),): value for name, value in request.constexprs.items()},
        attrs={(names.index(name),): [["tt.divisibility", 16]] for name in request.aligned},
    )


def _resources(compiled: Any, capability: int, seconds: float) -> Resources:
    """What the machine code says."""
    usage = _usage(compiled)
    return Resources(
        registers=usage["REG"],
        spill_bytes=_spill_bytes(compiled.asm["ptx"], capability) if usage["STACK"] else 0,
        stack_bytes=usage["STACK"],
        shared_bytes=compiled.metadata.shared,
        warps=compiled.metadata.num_warps,
        compile_seconds=seconds,
        cubin=compiled.asm["cubin"],
    )


def _usage(compiled: Any) -> dict[str, int]:
    """What a thread and a block use, by the names of cuobjdump."""
    return {name: int(value) for name, value in USAGE.findall(_dump(compiled.asm["cubin"], "-res-usage"))}


def _stack_bytes(compiled: Any) -> int:
    """A thread's stack; 0 where nothing can tell."""
    return _usage(compiled)["STACK"] if CUOBJDUMP.is_file() else 0


def _dump(cubin: bytes, what: str) -> str:
    """The output of cuobjdump for machine code."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        return _run(str(CUOBJDUMP), what, file.name)


def _spill_bytes(ptx: str, capability: int) -> int:
    """What the assembler says it spilled, which the machine code does not tell from other use of the stack."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ptx"
        path.write_text(ptx)
        target = f"--gpu-name={TARGET.findall(ptx)[0]}"
        report = _run(get_ptxas(capability).path, "-v", target, str(path), "-o", f"{path}.cubin")
    return sum(map(int, SPILL.findall(report)))


def _run(tool: str, *arguments: str) -> str:
    """All that a tool prints."""
    command = [tool, *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout
