# pyright: basic, reportMissingParameterType=false
# Triton types kernels by what they are called with.
"""The library's helpers that are assembly on a GPU: the numbers, there and on the interpreter."""

import pytest
import torch
import triton
import triton.language as tl

from mlc_compiler import triton_library as lib
from mlc_compiler.triton_interpreter.launch import portable

DEVICES = ("cpu", pytest.param("cuda", marks=pytest.mark.gpu))
SIZE = 1 << 16


@triton.jit
def rounded(x_ptr, out_ptr):
    r = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(out_ptr + r, lib.rounded_to_bfloat16(tl.load(x_ptr + r)))


@triton.jit
def inverted(x_ptr, out_ptr):
    r = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(out_ptr + r, lib.reciprocal(tl.load(x_ptr + r)))


@triton.jit
def rightly_inverted(x_ptr, out_ptr):
    r = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(out_ptr + r, lib.inverse(tl.load(x_ptr + r)))


@triton.jit
def by_tanh(x_ptr, out_ptr):
    r = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(out_ptr + r, lib.tanh(tl.load(x_ptr + r)))


@triton.jit
def by_erf(x_ptr, out_ptr):
    r = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(out_ptr + r, lib.erf(tl.load(x_ptr + r)))


@triton.jit
def of_numbers(x_ptr, out_ptr):
    tl.store(out_ptr, lib.tanh(tl.load(x_ptr)))
    tl.store(out_ptr + 1, lib.erf(tl.load(x_ptr)))


FUNCTIONS = {"tanh": (by_tanh, torch.tanh), "erf": (by_erf, torch.erf)}


def bits(seed: int) -> torch.Tensor:
    """float32 of any bits: all exponents, denormals, infinities, NaN, and ties between two bfloat16s."""
    draw = torch.randint(-(2**31), 2**31, (SIZE,), generator=torch.Generator().manual_seed(seed), dtype=torch.int64)
    draw[: SIZE // 4] = (draw[: SIZE // 4] & ~0xFFFF) | 0x8000
    draw[SIZE // 4 : SIZE // 2] &= ~0x7F800000
    found = draw.to(torch.int32).view(torch.float32)
    found[:8] = torch.tensor([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 3.4e38, -3.4e38, 1e-45])
    return found


@pytest.mark.parametrize("device", DEVICES)
def test_rounded_to_bfloat16_is_two_casts(device: str) -> None:
    x = bits(1).to(device)
    found = torch.full_like(x, 7.0)
    portable(rounded)[(SIZE // 1024,)](x, found)
    expected = x.to(torch.bfloat16).float()
    torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(found.signbit() & ~x.isnan(), expected.signbit() & ~x.isnan())


@pytest.mark.parametrize("device", DEVICES)
def test_a_reciprocal_is_off_by_a_unit_at_the_most(device: str) -> None:
    x = bits(2).to(device)
    x = torch.where((x.abs() >= 2.0**-126) & (x.abs() <= 2.0**126), x, 1.5)
    found = torch.full_like(x, 7.0)
    portable(inverted)[(SIZE // 1024,)](x, found)
    true = 1 / x.double()
    assert bool(((found.double() - true).abs() <= true.abs() * 2.0**-23).all())


@pytest.mark.parametrize("device", DEVICES)
def test_a_reciprocal_of_infinity_is_zero(device: str) -> None:
    x = torch.full((1024,), float("inf"), device=device)
    found = torch.full_like(x, 7.0)
    portable(inverted)[(1,)](x, found)
    assert bool((found == 0).all())


@pytest.mark.parametrize("device", DEVICES)
def test_an_inverse_is_rounded_to_nearest(device: str) -> None:
    """Of any bits, with denormal, infinite and zero inverses."""
    x = torch.cat([bits(5), torch.linspace(1, 4, SIZE)]).to(device)
    found = torch.full_like(x, 7.0)
    portable(rightly_inverted)[(x.numel() // 1024,)](x, found)
    expected = 1 / x
    assert torch.equal(found.isnan(), x.isnan())
    differs = (found != expected) & ~x.isnan()
    assert int(differs.sum()) <= 1 and bool((expected[differs].abs() < 2.0**-126).all())
    assert torch.equal(found.signbit()[~x.isnan()], x.signbit()[~x.isnan()])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_without_branches_is_off_by_two_units_at_the_most(name: str, device: str) -> None:
    """All exponents, and numbers close together where one polynomial follows the other."""
    kernel, exact = FUNCTIONS[name]
    near = torch.linspace(-5, 5, SIZE)
    x = torch.cat([bits(3), near, torch.rand(SIZE, generator=torch.Generator().manual_seed(4)) * 1.2]).to(device)
    found = torch.full_like(x, 7.0)
    portable(kernel)[(x.numel() // 1024,)](x, found)
    true = exact(x.double())
    unit = torch.exp2(torch.floor(torch.log2(true.abs())) - 23).clamp_min(2.0**-149)
    unit = torch.where(true == 0, 2.0**-149, unit)
    assert torch.equal(found.isnan(), x.isnan())
    off = ((found.double() - true).abs() / unit)[~x.isnan()]
    assert off.max().item() <= 2
    assert torch.equal(found.signbit()[~x.isnan()], x.signbit()[~x.isnan()])


@pytest.mark.parametrize("device", DEVICES)
def test_a_function_without_branches_takes_a_number(device: str) -> None:
    x = torch.tensor([-0.75], device=device)
    found = torch.full((2,), 7.0, device=device)
    portable(of_numbers)[(1,)](x, found)
    torch.testing.assert_close(found, torch.cat([torch.tanh(x), torch.erf(x)]))
