"""Runs Triton kernels on the CPU, on Triton's interpreter, with the results that a GPU would give.

    kernels = load_kernels("generated.py")                    # real JITFunctions
    interpret(kernels["softmax"])[(rows,)](x, out, n, num_warps=4)
    portable(kernels["softmax"])[(rows,)](x, out, n)          # compiled for CUDA tensors, interpreted for CPU tensors

No environment variable is read and it does not matter who imported Triton first. `triton.language` changes only during
a launch, so other kernels of the process compile as ever; launches of several threads wait for each other, and no
kernel may be compiled by another thread during a launch.
"""

import inspect
import itertools
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, fields
from functools import cache, partial
from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl
from triton.backends.nvidia.compiler import CUDAOptions
from triton.language.extra import cuda, libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.runtime import interpreter as upstream
from triton.runtime.jit import JITFunction, mangle_type
from triton.tools.tensor_descriptor import TensorDescriptor

from mlc_compiler import triton_arithmetic, triton_library
from mlc_compiler.kernels.kernel_files import load_kernels
from mlc_compiler.triton_interpreter import libdevice as interpreter_libdevice
from mlc_compiler.triton_interpreter.builder import GpuLikeBuilder, numpy_type
from mlc_compiler.triton_interpreter.coroutines import leave, run_in_turns
from mlc_compiler.triton_interpreter.reductions import Reductions
from mlc_compiler.triton_interpreter.rewrite import Runtime, rewritten
from mlc_compiler.triton_interpreter.shapes import QuickSemantic, init_block_type, init_tensor
from mlc_runtime.descriptors import aligned_buffers, descriptor_memory

__all__ = ["InterpretedKernel", "interpret", "load_kernels", "portable"]

Grid = Sequence[int] | Callable[[Mapping[str, Any]], Sequence[int]]
BUILDER = GpuLikeBuilder()
SEMANTIC = QuickSemantic(BUILDER)
RUNTIME = Runtime(SEMANTIC)
LAUNCH_OPTIONS = frozenset(field.name for field in fields(CUDAOptions)) | {"stream", "warmup"}
"""What `kernel[grid](...)` takes besides the kernel's arguments; an interpreted launch ignores it."""
REPLACED: Mapping[str, Callable[..., Any]] = {
    "reciprocal": lambda x: 1.0 / x,
    "inverse": lambda x: 1.0 / x,
    "quotient": lambda x, d: x / d,
    "rounded_to_bfloat16": lambda x: x.to(tl.bfloat16).to(tl.float32),
    "pause": leave,
}
"""Helpers of the library that are not for programs one after the other, as the interpreter can run them."""
_LAUNCHES = threading.RLock()
_MISSING = object()


@dataclass(frozen=True)
class Patch:
    """One attribute as it is during a launch, and before and after it."""

    owner: Any
    name: str
    during: Any
    otherwise: Any

    def apply(self) -> None:
        """Enter the launch."""
        setattr(self.owner, self.name, self.during)

    def undo(self) -> None:
        """Leave the launch."""
        if self.otherwise is _MISSING:
            delattr(self.owner, self.name)
        else:
            setattr(self.owner, self.name, self.otherwise)


class _Recorder(upstream._LangPatchScope):
    """Upstream's patch scope, which notes its patches instead of applying them."""

    def __init__(self) -> None:
        self.found: dict[tuple[int, str], Patch] = {}

    def set_attr(self, obj: Any, name: str, value: Any) -> None:
        """Note a patch; a later one of the same attribute wins."""
        self.found[id(obj), name] = Patch(obj, name, value, vars(obj).get(name, _MISSING))


def _call(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls the Python function of a helper, with the compiled meaning."""
    return rewritten(function, RUNTIME)(*args, **kwargs)


def _call_helper(self: Any, *args: Any, **kwargs: Any) -> Any:
    """`JITFunction.__call__` inside of a launch; outside of kernels upstream's raises."""
    return _call(self.fn, *args, **kwargs)


def _bind(builtin: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin of triton.language, given the interpreter's semantics instead of the compiler's."""

    def call(*args: Any, **kwargs: Any) -> Any:
        kwargs["_semantic"] = SEMANTIC
        return builtin(*args, **kwargs)

    return call


def _method(helper: Any) -> Callable[..., Any]:
    """x.sum() and its like: a JITFunction in a class does not bind `x` (3.9)."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return _call(helper.fn, *args, **kwargs)

    return call


@cache
def _patches() -> tuple[Patch, ...]:
    """Everything that a launch changes, worked out once."""
    recorder = _Recorder()
    for owner in (tl, tl.core, tl.math, tl.tensor, tl.core.tensor_descriptor_base):
        for name, member in inspect.getmembers(owner, tl.core.is_builtin):
            recorder.set_attr(owner, name, _bind(member))
    for name, member in inspect.getmembers(tl.tensor, lambda member: isinstance(member, JITFunction)):
        recorder.set_attr(tl.tensor, name, _method(member))
    upstream._patch_lang_tensor(tl.tensor, recorder)
    upstream._patch_lang_core(tl, recorder)
    upstream._patch_lang_core(tl.core, recorder)
    reductions = Reductions(BUILDER, _call)
    for module in (tl, tl.core):
        recorder.set_attr(module, "range", RUNTIME.range)
        recorder.set_attr(module, "static_range", RUNTIME.static_range)
        recorder.set_attr(module, "reduce", reductions.reduce)
        recorder.set_attr(module, "associative_scan", reductions.associative_scan)
    recorder.set_attr(upstream, "interpreter_builder", BUILDER)
    recorder.set_attr(upstream, "_get_np_dtype", numpy_type)
    recorder.set_attr(upstream, "interpreter_semantic", SEMANTIC)
    recorder.set_attr(tl.tensor, "__init__", init_tensor)
    recorder.set_attr(tl.block_type, "__init__", init_block_type)
    recorder.set_attr(JITFunction, "__call__", _call_helper)
    recorder.set_attr(cuda, "gdc_wait", lambda: None)  # launches follow each other
    for name, plain in REPLACED.items():
        for module in (triton_library, triton_arithmetic):
            recorder.set_attr(module, name, plain)
    recorder.set_attr(upstream.InterpretedFunction, "__call__", _call_helper)
    known = interpreter_libdevice.implementations(SEMANTIC)
    for module in (libdevice, cuda_libdevice):
        for name, _ in inspect.getmembers(module, inspect.isfunction):
            recorder.set_attr(module, name, known.get(name) or interpreter_libdevice.refusal(name))
    return tuple(recorder.found.values())


@contextmanager
def _interpreting(storages: Sequence[tuple[int, int]] | None) -> Generator[None, None, None]:
    """The state of a launch; numpy's warnings about overflow and NaN say nothing about a kernel."""
    with _LAUNCHES, np.errstate(all="ignore"):
        BUILDER.set_storages(storages)
        for patch in _patches():
            patch.apply()
        try:
            yield
        finally:
            for patch in _patches():
                patch.undo()


@cache
def _pointer_type(dtype: torch.dtype) -> Any:
    """The type of a pointer to elements of a PyTorch type."""
    return tl.str_to_ty(mangle_type(torch.empty(0, dtype=dtype)), None)


def _scalar(value: Any, dtype: tl.dtype) -> Any:
    """A scalar tensor."""
    return tl.tensor(upstream.TensorHandle(np.array([value], numpy_type(dtype)), dtype), dtype)


def _device_value(value: Any, storages: list[tuple[int, int]]) -> Any:
    """An argument as the kernel sees it: a pointer, or a scalar of the type a compiled launch would choose.

    Upstream leaves floats as Python numbers, which bend to the type of the other operand; a GPU gets an f32.
    """
    if isinstance(value, torch.Tensor):
        if value.device.type != "cpu":
            raise TypeError(f"an interpreted kernel takes CPU tensors, not one on {value.device}")
        storage = value.untyped_storage()
        storages.append((storage.data_ptr(), storage.data_ptr() + storage.nbytes()))
        return _scalar(value.data_ptr(), _pointer_type(value.dtype))
    if isinstance(value, bool):
        return _scalar(value, tl.int1)
    if isinstance(value, int):
        return _scalar(value, tl.int32 if -(2**31) <= value < 2**31 else tl.int64 if value < 2**63 else tl.uint64)
    if isinstance(value, float):
        return _scalar(value, tl.float32)
    if isinstance(value, tuple):
        return tl.tuple([_device_value(part, storages) for part in value])
    if isinstance(value, TensorDescriptor):
        _device_value(value.base, storages)
        return upstream._implicit_cvt(value)
    return value


def _annotated(annotation: Any) -> tl.dtype | None:
    """The scalar type that a parameter's annotation demands, such as tl.int64, if any."""
    name = annotation if isinstance(annotation, str) else getattr(annotation, "name", "")
    found = getattr(tl, name.removeprefix("tl."), None) if name else None
    return annotation if isinstance(annotation, tl.dtype) else found if isinstance(found, tl.dtype) else None


class InterpretedKernel:
    """A kernel that is launched as a JITFunction is, on CPU tensors: kernel[grid](*args, **options)."""

    def __init__(self, fn: Any, check_bounds: bool) -> None:
        self.fn = fn.fn
        self.check_bounds = check_bounds
        self.signature = inspect.signature(self.fn)
        parameters = self.signature.parameters.items()
        self.constexprs = {name for name, p in parameters if "constexpr" in str(p.annotation)}
        self.annotated = {name: dtype for name, p in parameters if (dtype := _annotated(p.annotation))}

    def __getitem__(self, grid: Grid) -> Callable[..., None]:
        """The launch of a grid: up to three sizes, or a function from the arguments' names and values to them."""
        return partial(self.run, grid)

    def run(self, grid: Grid, *args: Any, **kwargs: Any) -> None:
        """Runs every program in turn, the last axis fastest; a grid with a zero size runs none.

        Raises what the kernel raises, TypeError for wrong arguments, IndexError for an address outside of them.
        """
        options = {name for name in kwargs if name in LAUNCH_OPTIONS and name not in self.signature.parameters}
        bound = self.signature.bind(*args, **{name: kwargs[name] for name in kwargs if name not in options})
        bound.apply_defaults()
        sizes = tuple(grid(bound.arguments) if callable(grid) else grid)
        if not 1 <= len(sizes) <= 3 or min(sizes) < 0:
            raise ValueError(f"grid {sizes} of kernel {self.fn.__name__}: one to three sizes, none negative")
        sizes += (1,) * (3 - len(sizes))
        storages: list[tuple[int, int]] = []
        with _interpreting(storages if self.check_bounds else None):
            values = {name: self._value(name, value, storages) for name, value in bound.arguments.items()}
            BUILDER.set_storages(storages if self.check_bounds else None)
            self._run_programs(sizes, values)

    def _value(self, name: str, value: Any, storages: list[tuple[int, int]]) -> Any:
        """One argument as the kernel sees it."""
        if name in self.constexprs or value is None:
            return tl.core._unwrap_if_constexpr(value)
        if name in self.annotated and isinstance(value, (int, float)):
            return tl.cast(_device_value(value, storages), self.annotated[name])
        return _device_value(value, storages)

    def _run_programs(self, sizes: tuple[int, ...], values: Mapping[str, Any]) -> None:
        """The loop over the grid. A program that awaits others is left, and gone on with after those behind it."""
        function = partial(rewritten(self.fn, RUNTIME), **values)
        BUILDER.set_grid_dim(*sizes)
        try:
            run_in_turns(function, itertools.product(*map(range, sizes)), lambda place: BUILDER.set_grid_idx(*place))
        except Exception as error:
            error.add_note(f"in program {tuple(BUILDER.grid_idx)} of grid {sizes} of kernel {self.fn.__name__}")
            raise


def interpret(fn: Any, *, check_bounds: bool = True) -> InterpretedKernel:
    """`fn`, a `@triton.jit` function, to be launched on CPU tensors.

    `check_bounds` raises IndexError for a load or store outside of the storages of the tensor arguments; turn it off
    for kernels that load pointers from memory.
    """
    return InterpretedKernel(fn, check_bounds)


def _as_bits(value: Any) -> Any:
    """An argument of a generated kernel: 8-bit floats are bytes there."""
    is_byte_float = isinstance(value, torch.Tensor) and value.dtype in (torch.float8_e4m3fn, torch.float8_e5m2)
    return value.view(torch.int8) if is_byte_float else value


class _Portable:
    """A kernel that is launched where its tensors are."""

    def __init__(self, fn: Any, described: Sequence[int]) -> None:
        self.compiled, self.interpreted = fn, interpret(fn)
        self._described = described

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        """kernel[grid](*args, **options)"""
        return partial(self._launch, grid)

    def _launch(self, grid: Any, *args: Any, **kwargs: Any) -> Any:
        values = (*args, *kwargs.values())
        given = [_as_bits(value) for value in aligned_buffers(args, self._described)]
        if not any(isinstance(value, torch.Tensor) and value.is_cuda for value in values):
            return self.interpreted[grid](*given, **kwargs)
        launch = partial(self.compiled[grid], *given, **kwargs)
        if not self._described:
            return launch()
        context = copy_context()
        context.run(triton.set_allocator, lambda size, alignment, stream: descriptor_memory(size))
        return context.run(launch)


def portable(fn: Any, described: Sequence[int] = ()) -> Any:
    """`fn`, compiled when an argument is a CUDA tensor and interpreted otherwise: portable(fn)[grid](*args).

    Of the arguments at the positions `described` the kernel makes tensor descriptors.
    """
    return _Portable(fn, described)
