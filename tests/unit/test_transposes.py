"""Permutations, and what is computed beside them, element for element as eager has them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from mlc_compiler.frontend.backend import compile_graph_module
from tests.unit.test_end_to_end import DEVICES

SEVEN = (2, 3, 4, 3, 2, 5, 16)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "function, shapes",
    [
        pytest.param(lambda x: x.t() + 1, [(70, 130)], id="matrix"),
        pytest.param(lambda x: x.t() * 2, [(9, 300)], id="short-rows"),
        pytest.param(lambda x: x.t() * 2, [(300, 9)], id="short-columns"),
        pytest.param(lambda x: x.t() * 2, [(300, 3)], id="three-columns"),
        pytest.param(lambda x: x.permute(0, 2, 4, 6, 1, 3, 5).contiguous() + 1, [SEVEN], id="seven-axes"),
        pytest.param(lambda x: x.permute(6, 5, 4, 3, 2, 1, 0).contiguous() + 1, [SEVEN], id="seven-axes-reversed"),
        pytest.param(lambda x: x.permute(0, 2, 3, 1).contiguous(), [(2, 24, 8, 8)], id="channels-last"),
        pytest.param(lambda x: x.permute(0, 2, 3, 1).contiguous(), [(2, 20, 7, 7)], id="channels-last-7x7"),
        pytest.param(lambda x, y: x.transpose(1, 2) + y, [(3, 64, 40), (40, 64)], id="batch-and-broadcast"),
        pytest.param(lambda x, y: x.transpose(0, 1) * y, [(64, 50), (50, 1)], id="number-a-row"),
        pytest.param(lambda x, y: torch.cat([x.t(), y], 0), [(64, 50), (30, 64)], id="concatenated"),
        pytest.param(lambda x: torch.roll(x.t(), 3, 0) * 2, [(64, 50)], id="rolled"),
    ],
)
def test_transposes(function: Callable[..., Tensor], shapes: list[tuple[int, ...]], device: str) -> None:
    torch._dynamo.reset()
    inputs = [torch.randn(s, device=device, generator=torch.Generator(device).manual_seed(7)) for s in shapes]
    got = torch.compile(function, backend=compile_graph_module, fullgraph=True)(*inputs)
    assert torch.equal(got, function(*inputs))
