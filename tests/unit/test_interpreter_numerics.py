"""mlc_compiler.triton_interpreter.launch: the arithmetic of the GPU, one repair after another."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from mlc_compiler import triton_library as lib
from mlc_compiler.triton_interpreter.launch import interpret

BLOCK = 256
INF, NAN = math.inf, math.nan
SPECIAL = [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 3.0]


def values(dtype: torch.dtype, seed: int = 0, special: bool = True) -> torch.Tensor:
    """BLOCK random values, the first ones special."""
    x = torch.randn(BLOCK, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 4
    if special:
        x[:64] = torch.tensor(SPECIAL).repeat(8) if seed % 2 else torch.tensor(SPECIAL).repeat_interleave(8)
    return x.to(dtype)


def same(actual: torch.Tensor, expected: torch.Tensor) -> None:
    """Bit for bit, signed zeros included, but any NaN for any NaN."""
    assert actual.dtype == expected.dtype
    if not actual.dtype.is_floating_point:
        assert torch.equal(actual, expected)
        return
    nan = actual.isnan()
    assert torch.equal(nan, expected.isnan())
    assert torch.equal(actual[~nan], expected[~nan])
    assert torch.equal(actual[~nan].signbit(), expected[~nan].signbit())


def launch(
    kernel: Any, out_type: torch.dtype, *inputs: torch.Tensor, size: int = BLOCK, **options: Any
) -> torch.Tensor:
    """The output of a one-program kernel."""
    out = torch.zeros(size, dtype=out_type)
    interpret(kernel)[(1,)](*inputs, out, **options)
    return out


@triton.jit
def binary(x_ptr, y_ptr, out_ptr, OP: tl.constexpr):
    i = tl.arange(0, 256)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    if OP == "add":
        r = x + y
    elif OP == "sub":
        r = x - y
    elif OP == "mul":
        r = x * y
    elif OP == "div":
        r = x / y
    elif OP == "floordiv":
        r = x // y
    elif OP == "rem":
        r = x % y
    elif OP == "shift":
        r = x >> y
    elif OP == "less":
        r = x < y
    elif OP == "unequal":
        r = x != y
    elif OP == "max":
        r = tl.maximum(x, y)
    elif OP == "max_nan":
        r = lib.max_nan(x, y)
    elif OP == "min_nan":
        r = lib.min_nan(x, y)
    elif OP == "min":
        r = tl.minimum(x, y)
    elif OP == "where":
        r = tl.where(x > y, x, y)
    elif OP == "umulhi":
        r = tl.umulhi(x, y)
    tl.store(out_ptr + i, r)


@triton.jit
def unary(x_ptr, out_ptr, OP: tl.constexpr):
    i = tl.arange(0, 256)
    x = tl.load(x_ptr + i)
    if OP == "abs":
        r = tl.abs(x)
    elif OP == "clamp":
        r = tl.clamp(x, -1.0, 1.0)
    elif OP == "clamp_nan":
        r = tl.clamp(x, -1.0, 1.0, propagate_nan=tl.PropagateNan.ALL)
    elif OP == "full":
        r = x + tl.full([256], 0.1, tl.bfloat16)
    elif OP == "rsqrt":
        r = tl.rsqrt(x)
    elif OP == "erf":
        r = tl.erf(x)
    tl.store(out_ptr + i, r)


@triton.jit
def fused(x_ptr, y_ptr, z_ptr, out_ptr):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, tl.fma(tl.load(x_ptr + i), tl.load(y_ptr + i), tl.load(z_ptr + i)))


@triton.jit
def cast(x_ptr, out_ptr):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(out_ptr.dtype.element_ty))


@triton.jit
def dot(a_ptr, b_ptr, out_ptr):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    tl.store(out_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), input_precision="ieee"))


@triton.jit
def atomic_add(x_ptr, out_ptr):
    i = tl.arange(0, 256)
    tl.atomic_add(out_ptr + i % 2, tl.load(x_ptr + i), mask=i < 6)


@triton.jit
def histogram(x_ptr, out_ptr):
    tl.store(out_ptr + tl.arange(0, 8), tl.histogram(tl.load(x_ptr + tl.arange(0, 256)), 8))


BF16 = torch.bfloat16
BINARY: dict[str, Callable[..., torch.Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "where": lambda x, y: torch.where(x > y, x, y),
}


@pytest.mark.parametrize("name", BINARY)
def test_bf16_binary_rounds_once(name: str) -> None:
    x, y = values(BF16), values(BF16, 1)
    same(launch(binary, BF16, x, y, OP=name), BINARY[name](x, y))


def test_bf16_comparisons() -> None:
    x, y = values(BF16), values(BF16, 1)
    same(launch(binary, torch.bool, x, y, OP="less"), x < y)
    same(launch(binary, torch.bool, x, y, OP="unequal"), x != y)
    same(launch(binary, torch.float32, x, y, OP="less"), (x < y).float())


@pytest.mark.parametrize("dtype", [BF16, torch.float16, torch.float32, torch.float64])
def test_max_and_min(dtype: torch.dtype) -> None:
    """+0 is above -0, in either order; NaN wins or loses as asked."""
    x, y = values(dtype), values(dtype, 1)
    zeros = (x == 0) & (y == 0)
    upper = torch.where(zeros, x + y, torch.maximum(x, y))
    lower = torch.where(zeros, -(-x - y), torch.minimum(x, y))
    same(launch(binary, dtype, x, y, OP="max_nan"), upper)
    same(launch(binary, dtype, x, y, OP="min_nan"), lower)
    same(launch(binary, dtype, x, y, OP="max"), torch.where(x.isnan(), y, torch.where(y.isnan(), x, upper)))
    same(launch(binary, dtype, x, y, OP="min"), torch.where(x.isnan(), y, torch.where(y.isnan(), x, lower)))


def test_bf16_unary() -> None:
    x = values(BF16)
    same(launch(unary, BF16, x, OP="abs"), x.abs())
    same(launch(unary, BF16, x, OP="full"), x + torch.tensor(0.1, dtype=BF16))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_clamp(dtype: torch.dtype) -> None:
    x = values(dtype)
    same(launch(unary, dtype, x, OP="clamp_nan"), x.clamp(-1, 1))
    same(launch(unary, dtype, x, OP="clamp"), torch.where(x.isnan(), -1.0, x.clamp(-1, 1)).to(dtype))


def test_unary_float32() -> None:
    x = values(torch.float32)
    same(launch(unary, torch.float32, x, OP="rsqrt"), (1 / x.double().sqrt()).float())
    torch.testing.assert_close(launch(unary, torch.float32, x, OP="erf"), x.erf(), equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_fma_rounds_once(dtype: torch.dtype) -> None:
    """(1 + e)(1 - e) - 1 is -e*e, which two roundings make 0."""
    step = torch.finfo(dtype).eps
    x, y, z = (torch.full((BLOCK,), value, dtype=dtype) for value in (1 + step, 1 - step, -1.0))
    same(launch(fused, dtype, x, y, z), torch.full((BLOCK,), -step * step).to(dtype))


def test_bf16_fma_rounds_once() -> None:
    """7 * 37 lies halfway between 258 and 260; f32 does not see that the addend breaks the tie."""
    x, y, z = (torch.full((BLOCK,), value, dtype=BF16) for value in (7.0, 37.0, -(2.0**-30)))
    same(launch(fused, BF16, x, y, z), torch.full((BLOCK,), 258.0, dtype=BF16))


ROUNDING = torch.tensor([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, -1 - 2**-8, 3.4e38, 1e-40, -1e-41, 2.0**-133])


@pytest.mark.parametrize("source", [torch.float16, torch.float32])
def test_casts_to_bf16(source: torch.dtype) -> None:
    """To nearest even, NaN kept, overflow to infinity, subnormals kept."""
    x = values(source)
    x[64:72] = ROUNDING.to(source)
    same(launch(cast, BF16, x), x.to(BF16))


@pytest.mark.parametrize("target", [torch.float16, torch.float32, torch.float64])
def test_casts_from_bf16(target: torch.dtype) -> None:
    x = values(BF16)
    same(launch(cast, target, x), x.to(target))


def test_casts_to_bf16_round_once() -> None:
    """Through f32, both would be ties that go to even; the GPU converts f64 and integers directly."""
    x = torch.full((BLOCK,), 1 + 2**-8 + 2**-40, dtype=torch.float64)
    same(launch(cast, BF16, x), torch.full((BLOCK,), 1 + 2**-7, dtype=BF16))
    n = torch.full((BLOCK,), 2**40 + 2**32 + 1)
    same(launch(cast, BF16, n), torch.full((BLOCK,), 2**40 + 2**33, dtype=BF16))
    same(launch(cast, BF16, torch.arange(-128, 128)), torch.arange(-128, 128).to(BF16))
    same(launch(cast, BF16, -n), torch.full((BLOCK,), -(2**40) - 2**33, dtype=BF16))


@pytest.mark.parametrize("fp8", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_casts_of_fp8(fp8: torch.dtype) -> None:
    """To nearest even and saturating; the way back is exact."""
    x = values(torch.float32)
    largest = torch.finfo(fp8).max
    expected = x.clamp(-largest, largest).to(fp8)
    actual = torch.zeros(BLOCK).to(fp8)
    interpret(cast)[(1,)](x, actual)
    same(actual.float(), expected.float())
    same(launch(cast, torch.float32, expected), expected.float())


@pytest.mark.parametrize("source", [torch.float32, torch.float64, BF16])
@pytest.mark.parametrize("target", [torch.int64, torch.int32, torch.int16, torch.uint8])
def test_float_to_int_saturates(source: torch.dtype, target: torch.dtype) -> None:
    x = values(source, special=False) * 30
    x[:5] = torch.tensor([2.75, -2.75, 1e30, -1e30, NAN])
    info, wide = torch.iinfo(target), target == torch.int64
    expected = x.double().trunc().nan_to_num(0).to(torch.int64)
    if target == torch.uint8:
        expected = expected.clamp(0, 65535)
        expected[2] = 65535
    else:
        expected = expected.clamp(info.min, info.max)
        expected[2], expected[3] = info.max, info.min
    expected[4] = info.min if wide or (source == torch.float64 and target != torch.uint8) else 0
    same(launch(cast, target, x), expected.to(target))


def test_integer_division_truncates() -> None:
    x = torch.tensor([7, -7, 7, -7, -(2**31), 5] + [3] * 250, dtype=torch.int32)
    y = torch.tensor([2, 2, -2, -2, -1, 7] + [-5] * 250, dtype=torch.int32)
    quotient = launch(binary, torch.int32, x, y, OP="floordiv")
    same(quotient[:4], torch.tensor([3, -3, -3, 3], dtype=torch.int32))
    assert quotient[4].item() == -(2**31)
    same(launch(binary, torch.int32, x, y, OP="rem")[:4], torch.tensor([1, -1, 1, -1], dtype=torch.int32))


def test_signedness() -> None:
    """Right shifts, comparisons and high products follow the type."""
    bits = torch.tensor([-8, 5, -1, 2**31 - 1] * 64, dtype=torch.int32)
    one = torch.ones(BLOCK, dtype=torch.int32)
    same(launch(binary, torch.int32, bits, one, OP="shift"), bits >> 1)
    unsigned = bits.view(torch.uint32)
    shifted = launch(binary, torch.uint32, unsigned, one.view(torch.uint32), OP="shift").view(torch.int32)
    same(shifted, ((bits.to(torch.int64) & 0xFFFFFFFF) >> 1).to(torch.int32))
    same(launch(binary, torch.bool, one.view(torch.uint32), unsigned, OP="less"), torch.tensor([True] * 4 * 64))
    high = launch(binary, torch.int32, bits, bits, OP="umulhi")
    same(high.to(torch.int64) & 0xFFFFFFFF, torch.tensor([((v & 0xFFFFFFFF) ** 2) >> 32 for v in bits.tolist()]))
    wide = bits.to(torch.int64) * 12345678901
    high = launch(binary, torch.int64, wide, wide, OP="umulhi")
    mask = 2**64 - 1
    assert [v & mask for v in high.tolist()] == [((v & mask) ** 2) >> 64 for v in wide.tolist()]


def test_int1_wraps() -> None:
    x, y = torch.tensor([True, True, False, False] * 64), torch.tensor([True, False] * 128)
    same(launch(binary, torch.bool, x, y, OP="add"), x ^ y)
    same(launch(binary, torch.bool, x, y, OP="sub"), x ^ y)
    same(launch(binary, torch.bool, x, y, OP="mul"), x & y)


@pytest.mark.parametrize("dtype", [BF16, torch.float16, torch.float32, torch.int8])
def test_dot(dtype: torch.dtype) -> None:
    a, b = values(dtype, special=False).view(16, 16), values(dtype, 1, special=False).view(16, 16)
    out = torch.int32 if dtype == torch.int8 else torch.float32
    expected = (a.double() @ b.double()).to(out).view(-1)
    torch.testing.assert_close(launch(dot, out, a, b), expected, rtol=1e-5, atol=1e-4)


def test_bf16_atomic_add() -> None:
    x = values(BF16, special=False)
    out = launch(atomic_add, BF16, x, size=2)
    same(out, torch.stack([(x[0] + x[2]) + x[4], (x[1] + x[3]) + x[5]]))


def test_histogram_drops_what_is_outside() -> None:
    x = torch.randint(0, 12, (BLOCK,), dtype=torch.int32)
    same(launch(histogram, torch.int32, x, size=8), torch.bincount(x, minlength=12)[:8].to(torch.int32))
