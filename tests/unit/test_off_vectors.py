"""Elements, lines and rows that vectors do not divide: what is done about them gives what eager does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils._pytree import tree_leaves

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import compile_imported
from tests.unit.test_end_to_end import DEVICES, poisoned

INF, NAN = float("inf"), float("nan")
FLAT = "elements a program"


def compared(function: Callable[..., Any], inputs: list[Tensor], said: str, tolerance: float = 0) -> None:
    """What the compiled function gives, into memory that is poisoned before, is what eager gives."""
    executable = compile_imported(import_callable(function, inputs))
    executable.host.__globals__["allocator"] = poisoned
    assert said in executable.source
    for found, wanted in zip(tree_leaves(executable(*inputs)), tree_leaves(function(*inputs)), strict=True):
        torch.testing.assert_close(found, wanted, equal_nan=True, rtol=tolerance, atol=tolerance)


def special(shape: tuple[int, ...], dtype: torch.dtype, device: str) -> Tensor:
    """Random numbers, with infinities, a NaN and a -0.0 at the ends."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))
    x.view(-1)[[0, 1, -1, -2]] = torch.tensor([INF, -0.0, NAN, -INF])
    return x.to(dtype).to(device)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
@pytest.mark.parametrize("shape", [(301, 1001), (1, 1024 * 264 + 1), (273, 991)], ids=str)
def test_odd_many_elements(shape: tuple[int, int], dtype: torch.dtype, device: str) -> None:
    """The last program has code of its own; nothing behind the elements is written."""
    x, row = special(shape, dtype, device), special(shape[1:], dtype, device)
    compared(lambda x, row: (torch.relu(x) - row, x > row), [x, row], "    else:\n")


@pytest.mark.parametrize("device", DEVICES)
def test_odd_rows_of_a_table(device: str) -> None:
    """A place is looked up for each element, and is still checked in the last program."""
    table, places = special((37, 1001), torch.bfloat16, device), torch.arange(301, device=device) * 5 % 37
    compared(lambda p, t: functional.embedding(p, t) * 2, [places, table], FLAT)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
@pytest.mark.parametrize("shape", [(257, 1003), (1003, 33), (9, 2049)], ids=str)
def test_odd_transposes(shape: tuple[int, int], dtype: torch.dtype, device: str) -> None:
    x, y = special(shape, dtype, device), special(shape[::-1], dtype, device)
    compared(lambda x, y: (x.t().contiguous(), x.t() + y), [x, y], "memory runs along both axes")


def extremes(shape: tuple[int, int], dtype: torch.dtype) -> Tensor:
    """Rows with an extreme at both ends, twice, of nothing else, of a NaN late and of two, of nothing but -inf."""
    x = torch.randint(-50, 50, shape, generator=torch.Generator().manual_seed(shape[1])).to(dtype)
    x[0, 0], x[0, -1], x[1, 5], x[1, -7] = 60, 60, -60, -60
    x[2] = 7
    if dtype.is_floating_point:
        x[3, -1], x[4, 9000], x[4, 17000] = NAN, NAN, NAN
        x[5], x[6], x[6, -3] = -INF, -INF, -1e30
    return x


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32, torch.int8], ids=str)
@pytest.mark.parametrize("columns", [20011, 32768])
def test_places_of_extremes_of_long_rows(columns: int, dtype: torch.dtype, device: str) -> None:
    """The first of equals, and of NaNs, whichever lane and block it is in."""
    x = extremes((8, columns), dtype).to(device)
    compared(lambda x: (x.argmax(-1), x.argmin(-1)), [x], "looped by")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int16], ids=str)
def test_places_of_extremes_of_few_rows(dtype: torch.dtype, device: str) -> None:
    """Many programs look for the extreme of a row, and then for its place."""
    x = extremes((7, 100003), dtype).to(device)
    compared(lambda x: (*torch.max(x, -1), x.argmin(-1)), [x], "_parts")


@pytest.mark.parametrize("device", DEVICES)
def test_places_of_extremes_down_columns(device: str) -> None:
    x = extremes((8, 20011), torch.float32).t().contiguous().to(device)
    compared(lambda x: (x.argmax(0), x.argmin(0)), [x], "down columns")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("step", [2, 3, 7])
def test_columns_that_share_sectors(step: int, device: str) -> None:
    x = torch.randn(500, 300 * step, generator=torch.Generator().manual_seed(step)).to(device)[:, ::step]
    compared(lambda x: (x.sum(0), x.amax(0)), [x], "down columns", 1e-4)


@pytest.mark.parametrize("device", DEVICES)
def test_rows_over_odd_lines(device: str) -> None:
    """Lines of 9 x 55 and of 333 between axes that are reduced: blocks lie within them, and the last begin early."""
    x = torch.randn(3, 7, 5, 9, 4, 55, generator=torch.Generator().manual_seed(0)).to(device)
    compared(lambda x: x.transpose(3, 4).contiguous().sum((0, 2, 3)), [x], "down columns", 1e-5)
    y = torch.randn(5, 40, 333, generator=torch.Generator().manual_seed(1)).to(device)
    compared(lambda y: torch.softmax(y, 1), [y], "(pid % 6)", 1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_parts_of_planes_are_parts_of_rows(device: str) -> None:
    """Groups of 16 planes of 55 x 55, cut after 40 lines of one: a place in memory is one number again."""
    x = torch.randn(3, 32, 55, 55, generator=torch.Generator().manual_seed(0)).to(device)
    executable = compile_imported(import_callable(lambda x: functional.group_norm(x, 2), [x]))
    assert "% 55" not in executable.source
    torch.testing.assert_close(executable(x)[0], functional.group_norm(x, 2), rtol=1e-5, atol=1e-5)
