"""mlc_compiler.triton_interpreter.launch: the functions of libdevice."""

import math
from collections.abc import Callable

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

from tests.unit.test_interpreter_numerics import BF16, BLOCK, INF, NAN, launch, same, values


@triton.jit
def device(x_ptr, out_ptr, NAME: tl.constexpr):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, getattr(libdevice, NAME)(tl.load(x_ptr + i)))


@triton.jit
def device_two(x_ptr, y_ptr, out_ptr, NAME: tl.constexpr):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, getattr(libdevice, NAME)(tl.load(x_ptr + i), tl.load(y_ptr + i)))


LIBDEVICE: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "tanh": torch.tanh,
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "tan": torch.tan,
    "sin": torch.sin,
    "cos": torch.cos,
    "asin": torch.asin,
    "acos": torch.acos,
    "atan": torch.atan,
    "asinh": torch.asinh,
    "acosh": torch.acosh,
    "atanh": torch.atanh,
    "exp": torch.exp,
    "exp2": torch.exp2,
    "expm1": torch.expm1,
    "log": torch.log,
    "log2": torch.log2,
    "log10": torch.log10,
    "log1p": torch.log1p,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "erf": torch.erf,
    "erfc": torch.erfc,
    "erfinv": torch.erfinv,
    "erfcx": torch.special.erfcx,
    "lgamma": torch.lgamma,
    "ceil": torch.ceil,
    "floor": torch.floor,
    "trunc": torch.trunc,
    "rint": torch.round,
    "nearbyint": torch.round,
    "abs": torch.abs,
    "j0": torch.special.bessel_j0,
    "j1": torch.special.bessel_j1,
    "y0": torch.special.bessel_y0,
    "y1": torch.special.bessel_y1,
    "cyl_bessel_i0": torch.special.i0,
    "cyl_bessel_i1": torch.special.i1,
    "normcdf": torch.special.ndtr,
    "normcdfinv": torch.special.ndtri,
}


@pytest.mark.parametrize("name", LIBDEVICE)
def test_libdevice(name: str) -> None:
    for dtype in (torch.float32, torch.float64):
        x = values(dtype)
        expected = LIBDEVICE[name](x)
        torch.testing.assert_close(launch(device, dtype, x, NAME=name), expected, rtol=3e-6, atol=1e-6, equal_nan=True)


def test_libdevice_of_bf16_rounds_once() -> None:
    x = values(BF16)
    same(launch(device, BF16, x, NAME="tanh"), x.float().tanh().to(BF16))


def test_libdevice_of_two() -> None:
    x, y = values(torch.float32), values(torch.float32, 1)
    for name, function in {
        "pow": torch.pow,
        "atan2": torch.atan2,
        "fmod": torch.fmod,
        "hypot": torch.hypot,
        "copysign": torch.copysign,
        "nextafter": torch.nextafter,
    }.items():
        actual = launch(device_two, torch.float32, x, y, NAME=name)
        torch.testing.assert_close(actual, function(x, y), equal_nan=True)
    n = torch.arange(-128, 128, dtype=torch.int32)
    torch.testing.assert_close(launch(device_two, torch.float32, x, n, NAME="ldexp"), torch.ldexp(x, n), equal_nan=True)


def test_libdevice_of_other_types() -> None:
    x = values(torch.float32)
    same(launch(device, torch.bool, x, NAME="isnan"), x.isnan())
    same(launch(device, torch.bool, x, NAME="isinf"), x.isinf())
    same(launch(device, torch.bool, x, NAME="isfinited"), x.isfinite())
    same(launch(device, torch.int32, x, NAME="signbit"), x.signbit().to(torch.int32))
    halves = torch.tensor([0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, -0.0, INF] * 32)
    same(launch(device, torch.float32, halves, NAME="round"), torch.tensor([1, -1, 2, 3, -3, 0.0, -0.0, INF] * 32))
    gamma = torch.tensor([0.5, -0.5, -1.5, 5.0, -1.0, 0.0, -0.0, INF] * 32)
    expected = torch.tensor([math.gamma(0.5), math.gamma(-0.5), math.gamma(-1.5), 24, NAN, INF, -INF, INF] * 32)
    torch.testing.assert_close(launch(device, torch.float32, gamma, NAME="tgamma"), expected, equal_nan=True)


def test_libdevice_unknown_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="libdevice.brev"):
        launch(device, torch.int32, torch.ones(BLOCK, dtype=torch.int32), NAME="brev")
