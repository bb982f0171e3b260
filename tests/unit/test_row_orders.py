"""Rows that are reduced in the order in which a view reads them: how many kernels it takes, and what they give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils._pytree import tree_leaves

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.options import CompilerOptions
from tests.unit.test_end_to_end import DEVICES, poisoned


def norm(x: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:])


def windows(x: Tensor) -> Tensor:
    """[N, H, W, C] in windows of 4 x 4, one after another."""
    n, h, w, c = x.shape
    return x.view(n, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)


def with_statistics(x: Tensor) -> Any:
    """What training saves of each row comes in the rows' own order."""
    y, mean, rstd = torch.ops.aten.native_layer_norm(x, x.shape[-1:], None, None, 1e-5)
    return windows(torch.roll(y, (-2, -3), (1, 2))), mean, rstd


def turned_beside(x: Tensor, y: Tensor) -> Any:
    """One result in the order of the rows, one turned, and an input in both."""
    s = torch.softmax(y, -1)
    return x.t() + s + y.t(), y + s.t()


def parts_of_copies(x: Tensor) -> Tensor:
    """As many rows as x, each of the first two twice."""
    y = norm(x)
    return (y.expand(2, *y.shape)[:, :2] * 2).reshape(x.shape)


def pooled_in_both_orders(x: Tensor) -> Any:
    """Windows of an image, and of the same with its channels first."""
    planes = (x * 3 + 1).permute(0, 3, 1, 2)
    return x[:, ::2, ::2] + x[:, 1::2, 1::2], torch.maximum(planes[..., ::2, ::2], planes[..., 1::2, 1::2]) * 2


def sliced_in_both_orders(x: Tensor) -> Any:
    """Even and odd rows and columns, there and back."""
    turned = x.transpose(1, 2)
    return torch.exp(x[:, ::2]), turned[:, :, ::2] - turned.flip(1)[:, :, ::2], turned[:, :, 1::2] * 2


IMAGE = (2, 8, 8, 16)
ROWS = (4, 40)
CASES = [
    pytest.param(lambda x: windows(torch.roll(norm(x), (-2, -2), (1, 2))), [IMAGE], 1, id="rolled-windows"),
    pytest.param(with_statistics, [IMAGE], 1, id="windows-and-statistics"),
    pytest.param(lambda x, r: windows(norm(x)) + r, [IMAGE, (8, 16, 16)], 1, id="windows-and-residual"),
    pytest.param(lambda x: torch.roll(norm(torch.roll(x, 3, 2)), -3, 2), [IMAGE], 1, id="rolled-there-and-back"),
    pytest.param(lambda x: norm(x).transpose(1, 2).contiguous(), [(2, 5, 3, 24)], 1, id="heads"),
    pytest.param(lambda x: (norm(x), norm(x).transpose(0, 1) * 2), [(5, 3, 24)], 1, id="both-orders"),
    pytest.param(lambda x: torch.roll(torch.softmax(x, -1), 1, 0) * 3, [(7, 33)], 1, id="rolled-softmax"),
    pytest.param(lambda x: torch.roll(torch.softmax(x, -1), (1, 5), (0, 1)) * 3, [(7, 33)], 1, id="rolled-both-ways"),
    pytest.param(lambda x: norm(x).flip(0) + 1, [(7, 24)], 1, id="flipped"),
    pytest.param(pooled_in_both_orders, [IMAGE], 1, id="pooled-in-both-orders"),
    pytest.param(pooled_in_both_orders, [(1, 2, 2, 4)], 1, id="pooled-to-one-place"),
    pytest.param(sliced_in_both_orders, [IMAGE], 1, id="sliced-in-both-orders"),
    pytest.param(sliced_in_both_orders, [(1, 2, 2, 4)], 1, id="sliced-to-one-row"),
    pytest.param(lambda x: x.sum(-1).t().contiguous() + 1, [(5, 6, 32)], 1, id="sums-transposed"),
    pytest.param(lambda x: (x.sum(-1) * 2).t().contiguous() + 1, [(2, 3, 40000)], None, id="long-sums-transposed"),
    pytest.param(lambda x: norm(x).transpose(0, 1).contiguous(), [(2, 3, 40000)], None, id="long-rows"),
    pytest.param(parts_of_copies, [ROWS], 1, id="rows-twice"),
    pytest.param(lambda x: (parts_of_copies(x), x.mean(-1)), [ROWS], None, id="rows-twice-and-means"),
    pytest.param(lambda x: (norm(x).transpose(0, 1) * 2, norm(x).roll(1, 0) * 3), [(3, 5, 24)], 2, id="two-orders"),
    pytest.param(lambda x: norm(x)[1:].contiguous(), [(7, 24)], None, id="fewer-rows"),
    pytest.param(lambda x: x.sum(0).t().contiguous() * 2, [(16, 5, 32)], 2, id="sums-of-columns"),
    pytest.param(lambda x: norm(x).transpose(0, 1).contiguous(), [(5, 3, 4)], 2, id="rows-of-16-bytes"),
    pytest.param(lambda x: torch.softmax(x, -1).t().contiguous(), [(7, 33)], None, id="columns-become-rows"),
    pytest.param(turned_beside, [(33, 33), (33, 33)], None, id="turned-beside-its-input"),
    pytest.param(lambda x: x.cumsum(-1).transpose(0, 1).contiguous(), [(5, 3, 24)], None, id="scanned"),
    pytest.param(lambda x: windows(norm(x)) * norm(x).sum((0, 1, 2)), [IMAGE], None, id="sums-over-rows"),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function, shapes, launches", CASES)
def test_row_orders(
    function: Callable[..., Any], shapes: list[tuple[int, ...]], launches: int | None, device: str
) -> None:
    inputs = [torch.randn(s, device=device, generator=torch.Generator(device).manual_seed(7)) for s in shapes]
    executable = compile_imported(import_callable(function, inputs), CompilerOptions())
    executable.host.__globals__["allocator"] = poisoned
    if launches is not None:
        assert executable.source.count("@triton.jit") == launches
    wanted = tree_leaves(function(*(x.double() for x in inputs)))
    for got, exact in zip(tree_leaves(executable(*inputs)), wanted, strict=True):
        torch.testing.assert_close(got.double(), exact, rtol=2e-5, atol=2e-5)
