"""Elementary functions of the CPU target against float64, over all of float32, in units in the last place."""

from __future__ import annotations

import ctypes
import io
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from llvmlite import binding
from xdsl.context import Context

from lowering.loop_to_llvm.elementary import ERRORS, ERRORS_DOUBLE, FUNCTIONS
from lowering.loop_to_llvm.module import llvm_module
from mlc_compiler.cpu.machine_code import AssemblyTarget, MachineCode
from mlc_dialects.common.scalar_builder import Libdevice
from mlc_dialects.tensor.elementwise import OPS
from mlc_support.errors import MlcError
from tests.unit.test_loop_oracle import module_of

Array = np.ndarray[Any, Any]

STEP = 997
"""Every so many bit patterns are tried: a prime, so that mantissas and exponents mix."""
CHUNK = 1 << 16
"""Elements of a kernel's buffers."""
FLOATS = {"f32": np.float32, "f64": np.float64}


def _torch(function: Callable[..., torch.Tensor]) -> Callable[..., Array]:
    return lambda *arrays: function(*(torch.from_numpy(array) for array in arrays)).numpy()


def _erfcx(x: Array) -> Array:
    """PyTorch's is off by 500 units of float64 where x < 0."""
    power = np.exp(x.astype(np.longdouble) ** 2)
    return np.where(x < 0, 2 * power - _torch(torch.special.erfcx)(np.abs(x)), _torch(torch.special.erfcx)(x))


EXACT: dict[str, Callable[..., Array]] = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atan2": np.arctan2, "atanh": np.arctanh, "cos": np.cos, "cosh": np.cosh, "erf": _torch(torch.erf),
    "erfc": _torch(torch.erfc), "erfcx": _erfcx, "erfinv": _torch(torch.erfinv),
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "fmod": np.fmod, "hypot": np.hypot,
    "lgamma": _torch(torch.lgamma), "log": np.log, "log10": np.log10, "log1p": np.log1p, "log2": np.log2,
    "normcdfinv": _torch(torch.special.ndtri), "pow": np.power, "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin,
    "sinh": np.sinh, "tan": np.tan, "tanh": np.tanh,
}  # fmt: skip
"""The functions in float64, which NumPy and PyTorch compute to a few of its units."""
BINARY = ("atan2", "fmod", "hypot", "pow")
BRANCHES = (
    0.0, 2.0**-149, 2.0**-126, 2.0**-27, 2.0**-14, 2.0**-10, 0.25, 0.4142, 0.5, 0.52, 0.625, 0.5**0.5, 0.9966, 1.0,
    2.0**0.5, 1.5, 2.0, 3.0, 4.0, 5.0, 9.382, 10.06, 10.2, 88.02969, 88.722839, 89.415985, 90.0, 103.97208, 105.0,
    126.0, 127.0, 128.0, 149.0, 150.0, 160.0, 2.0**17, 2.0**22, 2.0**23, 2.0**24, 2.0**31, 2.0**50, 2.0**51,
    2.0**63, 2.0**76, 2.0**102, 3.4028234663852886e38, float("inf"), float("nan"),
)  # fmt: skip
"""Where formulas, ranges and representations change."""


def test_the_table_has_every_function() -> None:
    rules = [op.FUNCTION.scalar for op in OPS]
    names = {rule.name for rule in rules if isinstance(rule, Libdevice)} | {"fmod"} | {*FUNCTIONS.values()}
    assert names == {*ERRORS} == {*EXACT}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", sorted({*EXACT} - {*BINARY}))
def test_float32(name: str) -> None:
    patterns = np.arange(0, 2**32, STEP, dtype=np.uint64).astype(np.uint32).view(np.float32)
    check(name, "f32", ERRORS[name], np.concatenate([patterns, edges()]))


@pytest.mark.parametrize("name", BINARY)
def test_float32_of_two(name: str) -> None:
    random = np.random.default_rng(0)
    patterns = random.integers(0, 2**32, (2, 1 << 19), dtype=np.uint32).view(np.float32)
    near = random.normal(0, 10, (2, 1 << 19)).astype(np.float32)
    integers = random.integers(-20, 20, (2, 1 << 12)).astype(np.float32)
    crossed = np.stack(np.meshgrid(edges(1), edges(1))).reshape(2, -1)
    check(name, "f32", ERRORS[name], *np.concatenate([patterns, near, integers, crossed], axis=1))


@pytest.mark.parametrize("name", ERRORS_DOUBLE)
def test_float64(name: str) -> None:
    """PyTorch's float64 is off by up to three units itself."""
    random = np.random.default_rng(0)
    patterns = random.integers(0, 2**63, 1 << 18, dtype=np.uint64).view(np.float64)
    near = np.concatenate([random.uniform(-1, 1, 1 << 18), random.normal(0, 10, 1 << 18)])
    with np.errstate(invalid="ignore"):  # of signalling NaN
        wide = edges().astype(np.float64)
    ends = np.concatenate([1 - np.exp2(-random.uniform(0, 53, 1 << 12)), wide, -patterns])
    check(name, "f64", ERRORS_DOUBLE[name] + 3, np.concatenate([patterns, near, ends]))


@pytest.mark.parametrize("narrow", ["bf16", "f16"])
def test_16_bits_are_converted_exactly(narrow: str) -> None:
    """To float32 every pattern; from float32 to nearest, ties to even, with denormals, infinities and NaN."""
    dtype = {"bf16": torch.bfloat16, "f16": torch.float16}[narrow]
    patterns = np.arange(1 << 16, dtype=np.uint16)
    halves = torch.from_numpy(patterns).view(dtype)
    wide = run(cast_kernel("extf", narrow, "f32"), [patterns], np.float32)
    same(wide, halves.float().numpy())
    between = wide[np.isfinite(wide)].view(np.uint32)
    offsets = (0, 1, 0x0FFF, 0x1000, 0x1001, 0x7FFF, 0x8000, 0x8001)
    ties = np.concatenate([between + np.uint32(k) for k in offsets])
    singles = np.concatenate([ties, np.arange(0, 2**32, STEP, dtype=np.uint64).astype(np.uint32)]).view(np.float32)
    found = run(cast_kernel("truncf", "f32", narrow), [singles], np.uint16)
    wanted = torch.from_numpy(singles).to(dtype)
    same(torch.from_numpy(found).view(dtype).float().numpy(), wanted.float().numpy())


@pytest.mark.parametrize("narrow", ["bf16", "f16"])
def test_16_bits_compute_in_float32(narrow: str) -> None:
    dtype = {"bf16": torch.bfloat16, "f16": torch.float16}[narrow]
    patterns = np.arange(1 << 16, dtype=np.uint16)
    x = torch.from_numpy(patterns).view(dtype)
    for name, function in (("exp", torch.exp), ("sin", torch.sin), ("erfinv", torch.erfinv)):
        found = run(function_kernel(name, narrow, 1), [patterns], np.uint16)
        wide = run(function_kernel(name, "f32", 1), [x.float().numpy()], np.float32)
        rounded = torch.from_numpy(wide).to(dtype).float()
        same(torch.from_numpy(found).view(dtype).float().numpy(), rounded.numpy())
        exact = function(x.double()).to(torch.float32).to(dtype).float()
        assert torch.isclose(rounded, exact, rtol=torch.finfo(dtype).eps, atol=1e-7, equal_nan=True).all()


@pytest.mark.parametrize("name", sorted({*ERRORS} - {"lgamma"}))
def test_formulas_become_vectors(name: str) -> None:
    """The loop of a formula calls nothing, and works on wide registers where the CPU has them."""
    text = io.StringIO()
    AssemblyTarget().emit(Context(), module_of(kernel_text("k", f'"{name}"', "f32", "f32", arity(name))), text)
    called = set(re.findall(r"\b(\w+)@PLT", text.getvalue()))
    assert called <= {"GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads"}
    if binding.get_host_cpu_features().get("avx2"):
        assert re.search("[yz]mm", text.getvalue())


def test_a_function_that_is_nowhere_is_an_error() -> None:
    with pytest.raises(MlcError, match="no function cyl_bessel_i0f on this machine, which bessel_i0 calls"):
        MachineCode(str(llvm_module(module_of(kernel_text("bessel_i0", '"cyl_bessel_i0"', "f32", "f32", 1)))))


# What the tests share.


def edges(neighbours: int = 3) -> Array:
    """Both signs of `BRANCHES`, with so many numbers on each side."""
    whole = np.array(BRANCHES, dtype=np.float32).view(np.uint32).astype(np.int64)
    near = np.unique((whole[:, None] + np.arange(-neighbours, neighbours + 1)).clip(0, 0x7FC00000))
    return np.concatenate([near, near + 0x80000000]).astype(np.uint32).view(np.float32)


def arity(name: str) -> int:
    return 2 if name in BINARY else 1


def check(name: str, kind: str, bound: float, *operands: Array) -> None:
    """A kernel is within `bound` units of float64; NaN, infinities and signs of zero are the same."""
    found = run(function_kernel(name, kind, len(operands)), operands, FLOATS[kind])
    with np.errstate(all="ignore"):
        exact = EXACT[name](*(v.astype(np.float64) for v in operands))
        wanted = exact.astype(FLOATS[kind])
        is_number = np.isfinite(wanted) & np.isfinite(found)
        units = np.abs(found - exact) / np.spacing(np.abs(wanted))
    units[~is_number] = 0
    worst = int(np.argmax(units))
    at = [v[worst] for v in operands]
    assert units[worst] <= bound, f"{name}{at}: {found[worst]} for {exact[worst]}, {units[worst]:.3f} units"
    is_zero = (wanted == 0) & (found == 0)
    others = is_zero | ~is_number
    same(found[others], wanted[others], [v[others] for v in operands])


def same(found: Array, wanted: Array, operands: Any = None) -> None:
    """Equal numbers with equal signs, and NaN where there is NaN."""
    equal = (found == wanted) & (np.signbit(found) == np.signbit(wanted)) | np.isnan(found) & np.isnan(wanted)
    if not equal.all():
        first = int(np.argmin(equal))
        at = first if operands is None else [v[first] for v in operands]
        raise AssertionError(f"{(~equal).sum()} differ; at {at}: {found[first]}, not {wanted[first]}")


def run(code: MachineCode, operands: Any, result: Any) -> Array:
    """A kernel `k` on arrays of any one length."""
    count = len(operands[0])
    padded = [np.resize(v, -(-count // CHUNK) * CHUNK) for v in operands]
    out = np.empty(padded[0].shape, result)
    kinds = [ctypes.c_void_p] * (len(operands) + 2) + [ctypes.c_int64]
    function, failed = ctypes.CFUNCTYPE(None, *kinds)(code.address("kernel.k")), ctypes.c_int64(0)
    for begin in range(0, len(out), CHUNK):
        places = [v.ctypes.data + begin * v.itemsize for v in (*padded, out)]
        function(*places, ctypes.addressof(failed), 1)
    return out[:count]


@cache
def function_kernel(name: str, kind: str, arity: int) -> MachineCode:
    return MachineCode(str(llvm_module(module_of(kernel_text("k", f'"{name}"', kind, kind, arity)))))


def cast_kernel(op: str, source: str, target: str) -> MachineCode:
    text = kernel_text("k", "", source, target, 1)
    text = text.replace("mlc_loop.libdevice  %v0 :", f"arith.{op} %v0 :").replace(f"-> {target}", f"to {target}")
    return MachineCode(str(llvm_module(module_of(text))))


def kernel_text(kernel: str, name: str, source: str, target: str, arity: int) -> str:
    """A kernel that applies a function to each element."""
    size = f"memref<{CHUNK}x"
    names = [f"%v{k}" for k in range(arity)]
    lines = [
        f"mlc_loop.kernel @{kernel}({', '.join(f'%x{k}: {size}{source}>' for k in range(arity))}, "
        f"%out: {size}{target}>) warps 4 index 64 {{",
        f"mlc_loop.parallel %i = 0 to {CHUNK} {{",
        *(f"%v{k} = mlc_loop.load %x{k}[%i] : {size}{source}>" for k in range(arity)),
        f"%r = mlc_loop.libdevice {name} {', '.join(names)} : {', '.join([source] * arity)} -> {target}",
        f"mlc_loop.store %r, %out[%i] : {size}{target}>",
        "}",
        "}",
    ]
    return "\n".join(lines)
