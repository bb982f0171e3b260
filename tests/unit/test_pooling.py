"""Pools and their gradients, taken apart into reads at counted places, against eager: values, positions, strides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch._ops import OpOverload

from lowering.fx_to_tensor.decompositions import pooling
from mlc_compiler.options import CompilerOptions
from tests.unit.cases import Case
from tests.unit.test_end_to_end import compiled

aten = torch.ops.aten
TABLE = pooling.TABLE


def image(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    x = (torch.randn(shape, generator=generator) * 9).to(dtype)
    if dtype.is_floating_point and x.numel() > 9:
        x.view(-1)[7], x.view(-1)[5] = float("nan"), -float("inf")
    return x


def agree(op: OpOverload, *arguments: Any) -> Any:
    """The function of the table and eager give the same; returns eager's result."""
    eager, ours = op(*arguments), TABLE[op](*arguments)
    pairs = zip(eager, ours, strict=True) if isinstance(eager, tuple) else [(eager, ours)]
    for theirs, mine in pairs:
        torch.testing.assert_close(mine, theirs, equal_nan=True)
        assert mine.stride() == theirs.stride()
    return eager


WINDOWS: dict[str, tuple[Any, ...]] = {
    "plain": ([2, 2], [2, 2], [0, 0]),
    "overlapping": ([3, 3], [2, 2], [1, 1]),
    "uneven": ([3, 2], [1, 3], [1, 0]),
    "apart": ([2, 2], [4, 3], [0, 1]),
    "no stride": ([3, 3], [], [0, 0]),
    "large": ([7, 6], [2, 1], [3, 2]),
}


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("name", WINDOWS)
def test_max_pool(name: str, ceil_mode: bool) -> None:
    x = image(2, 3, 11, 9).nan_to_num(3)
    kernel, stride, padding = WINDOWS[name]
    values, indices = agree(aten.max_pool2d_with_indices.default, x, kernel, stride, padding, [1, 1], ceil_mode)
    arguments = (x, kernel, stride, padding, [1, 1], ceil_mode, indices)
    agree(aten.max_pool2d_with_indices_backward.default, torch.rand_like(values), *arguments)


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("count_include_pad", [False, True])
@pytest.mark.parametrize("name", WINDOWS)
def test_avg_pool(name: str, ceil_mode: bool, count_include_pad: bool) -> None:
    x = image(2, 3, 11, 9)
    kernel, stride, padding = WINDOWS[name]
    arguments = (kernel, stride, padding, ceil_mode, count_include_pad, 5 if name == "apart" else None)
    values = agree(aten.avg_pool2d.default, x, *arguments)
    agree(aten.avg_pool2d_backward.default, torch.rand_like(values), x, *arguments)


@pytest.mark.parametrize("size", [(4, 5), (1, 1), (11, 3), (13, 9), (11, 9)])
def test_adaptive_pools(size: tuple[int, int]) -> None:
    x = image(2, 3, 11, 9).nan_to_num(3)
    mean = agree(aten._adaptive_avg_pool2d.default, x, size)
    agree(aten._adaptive_avg_pool2d_backward.default, torch.rand_like(mean), x)
    values, indices = agree(aten.adaptive_max_pool2d.default, x, size)
    agree(aten.adaptive_max_pool2d_backward.default, torch.rand_like(values), x, indices)


def test_three_dimensions_and_no_batch() -> None:
    x = image(3, 5, 6, 7).nan_to_num(3)
    values, indices = agree(aten.max_pool3d_with_indices.default, x, [2, 3, 2], [1, 2, 2], [1, 1, 0], [1, 1, 1], True)
    arguments = (x, [2, 3, 2], [1, 2, 2], [1, 1, 0], [1, 1, 1], True, indices)
    agree(aten.max_pool3d_with_indices_backward.default, torch.rand_like(values), *arguments)
    agree(aten.avg_pool3d.default, x, [2, 3, 2], [1, 2, 2], [1, 1, 0], True, False, None)
    agree(aten._adaptive_avg_pool3d.default, x, [2, 4, 7])


def test_dilated_windows() -> None:
    x = image(2, 3, 11, 9).nan_to_num(3)
    values, indices = agree(aten.max_pool2d_with_indices.default, x, [3, 2], [2, 1], [1, 1], [2, 3], False)
    arguments = (x, [3, 2], [2, 1], [1, 1], [2, 3], False, indices)
    agree(aten.max_pool2d_with_indices_backward.default, torch.rand_like(values), *arguments)


def test_nan_wins_and_padding_never_does() -> None:
    agree(aten.max_pool2d_with_indices.default, image(1, 2, 8, 8), [3, 3], [2, 2], [1, 1], [1, 1], False)
    nothing = torch.full((1, 1, 4, 4), -float("inf"))
    agree(aten.max_pool2d_with_indices.default, nothing, [2, 2], [2, 2], [1, 1], [1, 1], False)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.int8])
def test_types(dtype: torch.dtype) -> None:
    x = image(2, 3, 8, 8, dtype=dtype)
    agree(aten.max_pool2d_with_indices.default, x, [2, 2], [2, 2], [0, 0], [1, 1], False)
    if dtype.is_floating_point:
        agree(aten.avg_pool2d.default, x, [2, 2], [2, 2], [0, 0], False, True, None)


def test_memory_formats() -> None:
    x = image(2, 3, 8, 8).nan_to_num(3).to(memory_format=torch.channels_last)
    values, indices = agree(aten.max_pool2d_with_indices.default, x, [2, 2], [2, 2], [0, 0], [1, 1], False)
    grad = torch.rand_like(values)
    agree(aten.max_pool2d_with_indices_backward.default, grad, x, [2, 2], [2, 2], [0, 0], [1, 1], False, indices)
    agree(aten.avg_pool2d.default, x, [2, 2], [2, 2], [0, 0], False, True, None)


def corners(x: torch.Tensor) -> torch.Tensor:
    """The position of the first element of each window of 2 x 2, in images of 8 x 8."""
    steps = torch.arange(4, device=x.device) * 2
    return (steps[:, None] * 8 + steps).expand(2, 3, 4, 4).contiguous()


FUSED: dict[str, Callable[..., Any]] = {
    "max_pool": lambda x: F.max_pool2d(x.relu(), 2) + 1,
    "avg_pool": lambda x: F.avg_pool2d(x * 2, 2, 1, 1).relu(),
    "adaptive": lambda x: F.adaptive_avg_pool2d(x, (3, 4)) * 2,
    "gradient of max": lambda x: aten.max_pool2d_with_indices_backward(
        x[:, :, :4, :4], x, [2, 2], [2, 2], [0, 0], [1, 1], False, corners(x)
    ),
    "upsampled": lambda x: F.interpolate(x, scale_factor=2, mode="nearest").relu(),
    "bilinear": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear") * 2,
    "reflected": lambda x: F.pad(x, (2, 1, 1, 2), mode="reflect").relu(),
    "shuffled": lambda x: F.pixel_shuffle(x.reshape(2, 4, 6, 8), 2) + 1,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FUSED)
def test_one_kernel(name: str) -> None:
    """A pool and the functions around it are one kernel, and no coordinate is written to memory."""
    x = image(2, 3, 8, 8).nan_to_num(3)
    case = Case(f"one kernel: {name}", FUSED[name], lambda: [x])
    executable, found = compiled(case, [x], CompilerOptions(verify=True))
    torch.testing.assert_close(found[0], FUSED[name](x))
    assert len(executable.kernels) == 1 and "torch.ops" not in executable.source, executable.source
