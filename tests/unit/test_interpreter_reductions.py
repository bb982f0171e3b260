"""mlc_compiler.triton_interpreter.launch: reductions and scans with the combiners of mlc_compiler.triton_library."""

import operator
import time

import pytest
import torch
import triton
import triton.language as tl

from mlc_compiler import triton_library as lib
from mlc_compiler.triton_interpreter.launch import interpret

NAN = float("nan")


@triton.jit
def reduce_all(x_ptr, out_ptr, COMBINE: tl.constexpr, SIZE: tl.constexpr):
    tl.store(out_ptr, tl.reduce(tl.load(x_ptr + tl.arange(0, SIZE)), 0, COMBINE))


@triton.jit
def reduce_matrix(x_ptr, out_ptr, AXIS: tl.constexpr, KEEP: tl.constexpr):
    at = tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :]
    x = tl.load(x_ptr + at)
    if AXIS is None and KEEP:
        tl.store(out_ptr + tl.zeros([1, 1], tl.int32), tl.reduce(x, AXIS, lib.add, keep_dims=True))
    elif AXIS is None:
        tl.store(out_ptr, tl.reduce(x, AXIS, lib.add))
    elif KEEP:
        tl.store(out_ptr + at, x + tl.reduce(x, AXIS, lib.add, keep_dims=True))
    else:
        r = tl.reduce(x, AXIS, lib.add)
        tl.store(out_ptr + tl.arange(0, r.shape[0]), r)


@triton.jit
def larger(value_x, index_x, value_y, index_y):
    """The larger (value, index) pair: NaN beats every number, the smaller index wins a tie."""
    nan_x, nan_y = value_x != value_x, value_y != value_y
    equal = (value_x == value_y) | (nan_x & nan_y)
    better = ((value_x > value_y) & (nan_y == 0)) | (nan_x & (nan_y == 0))
    wins = better | (equal & (index_x < index_y))
    return tl.where(wins, value_x, value_y), tl.where(wins, index_x, index_y)


@triton.jit
def arg_reduce(x_ptr, value_ptr, index_ptr, COMBINE: tl.constexpr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    value, index = tl.reduce((tl.load(x_ptr + i), i), 0, COMBINE)
    tl.store(value_ptr, value)
    tl.store(index_ptr, index)


@triton.jit
def linear(a, b, c, d):
    """x -> a x + b, then x -> c x + d; not commutative."""
    return a * c, b * c + d


@triton.jit
def compose(a_ptr, b_ptr, out_ptr, REVERSE: tl.constexpr):
    i = tl.arange(0, 16)
    _, b = tl.associative_scan((tl.load(a_ptr + i), tl.load(b_ptr + i)), 0, linear, reverse=REVERSE)
    tl.store(out_ptr + i, b)


@triton.jit
def scan(x_ptr, out_ptr, COMBINE: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :]
    tl.store(out_ptr + at, tl.associative_scan(tl.load(x_ptr + at), AXIS, COMBINE, reverse=REVERSE))


@triton.jit
def triton_max(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 8))
    value, index = tl.max(x, 0, return_indices=True)
    tl.store(out_ptr, tl.max(x, 0))
    tl.store(out_ptr + 1, value)
    tl.store(out_ptr + 2, index)


def reduced(x: torch.Tensor, combine: object) -> torch.Tensor:
    """All of x, combined."""
    out = torch.zeros((), dtype=x.dtype)
    interpret(reduce_all)[(1,)](x, out, combine, x.numel())
    return out


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_max_and_min_keep_nan(dtype: torch.dtype) -> None:
    x = torch.randn(512).to(dtype)
    assert torch.equal(reduced(x, lib.max_nan), x.max()) and torch.equal(reduced(x, lib.min_nan), x.min())
    x[300] = NAN
    assert reduced(x, lib.max_nan).isnan() and reduced(x, lib.min_nan).isnan()


def test_sums_and_products() -> None:
    x = torch.rand(256) + 0.5
    torch.testing.assert_close(reduced(x, lib.add), x.sum())
    torch.testing.assert_close(reduced(x, lib.mul), x.prod())
    integers = torch.randint(-(2**31), 2**31 - 1, (64,), dtype=torch.int32)
    assert torch.equal(reduced(integers, lib.add), integers.sum().to(torch.int32))
    ones = torch.full((512,), 1.0, dtype=torch.bfloat16)
    assert reduced(ones, lib.add).item() == 512


def test_logical_and_bitwise() -> None:
    flags = torch.zeros(64, dtype=torch.bool)
    assert not reduced(flags, lib.logical_or) and reduced(~flags, lib.logical_and)
    flags[17] = True
    assert reduced(flags, lib.logical_or) and not reduced(~flags, lib.logical_and)
    x = torch.randint(-1000, 1000, (32,), dtype=torch.int64)
    cases = {lib.bitwise_or: operator.or_, lib.bitwise_and: operator.and_, lib.bitwise_xor: operator.xor}
    for combine, function in cases.items():
        expected = x[0].item()
        for value in x[1:].tolist():
            expected = function(expected, value)
        assert reduced(x, combine).item() == expected


@pytest.mark.parametrize("axis", [0, 1, -1, -2, None])
@pytest.mark.parametrize("keep", [False, True])
def test_axis_and_kept_dimensions(axis: int | None, keep: bool) -> None:
    x, out = torch.randint(-9, 9, (8, 4)).float(), torch.zeros(32)
    interpret(reduce_matrix)[(1,)](x, out, axis, keep)
    if axis is None:
        assert out[0] == x.sum()
    elif keep:
        assert torch.equal(out.view(8, 4), x + x.sum(axis, keepdim=True))
    else:
        assert torch.equal(out[: x.sum(axis).numel()], x.sum(axis))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32])
def test_arg_reductions(dtype: torch.dtype) -> None:
    """As torch: the first of equals, and the first NaN before all."""
    cases = [torch.randn(64) * 100, torch.tensor([1.0, 3.0, 3.0, -2.0, -2.0, 0.0, 3.0, -2.0])]
    if dtype.is_floating_point:
        cases += [
            torch.tensor([1.0, NAN, 9.0, NAN]),
            torch.tensor([-0.0, 0.0, -0.0, 0.0]),
            torch.full((4,), NAN),
            torch.full((4,), -float("inf")),
            torch.tensor([5.0, 2.0, 1.0, NAN]),
        ]
    for x in (case.to(dtype) for case in cases):
        value, index = torch.zeros((), dtype=dtype), torch.zeros((), dtype=torch.int32)
        interpret(arg_reduce)[(1,)](x, value, index, larger, x.numel())
        expected = torch.max(x, 0)
        assert index.item() == expected.indices.item()
        assert torch.equal(value, expected.values) or (value.isnan() and expected.values.isnan())


@pytest.mark.parametrize("reverse", [False, True])
def test_scan_of_pairs(reverse: bool) -> None:
    a, b, out = torch.rand(16), torch.randn(16), torch.zeros(16)
    interpret(compose)[(1,)](a, b, out, reverse)
    expected, state = [], 0.0
    for i in reversed(range(16)) if reverse else range(16):
        state = state * a[i].item() + b[i].item()
        expected.append(state)
    torch.testing.assert_close(out, torch.tensor(expected[::-1] if reverse else expected))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scans(axis: int) -> None:
    x, out = torch.randint(-9, 9, (8, 4)).float(), torch.zeros(8, 4)
    interpret(scan)[(1,)](x, out, lib.add, axis, False)
    assert torch.equal(out, x.cumsum(axis))
    interpret(scan)[(1,)](x, out, lib.add, axis, True)
    assert torch.equal(out, x.flip(axis).cumsum(axis).flip(axis))
    x[3, 2] = NAN
    interpret(scan)[(1,)](x, out, lib.max_nan, axis, False)
    assert torch.equal(out.nan_to_num(99), x.cummax(axis).values.nan_to_num(99))


def test_max_of_triton_drops_nan() -> None:
    out = torch.zeros(3)
    interpret(triton_max)[(1,)](torch.tensor([1.0, NAN, 5.0, 5.0, NAN, 2.0, -1.0, 5.0]), out)
    assert out[0].item() == 5.0


def test_custom_combiner_is_fast() -> None:
    """One call per level and not per element: 65536 elements in far less than a second."""
    x, value, index = torch.randn(65536), torch.zeros(()), torch.zeros((), dtype=torch.int32)
    start = time.process_time()
    interpret(arg_reduce)[(1,)](x, value, index, larger, 65536)
    assert index.item() == x.argmax().item() and time.process_time() - start < 2
