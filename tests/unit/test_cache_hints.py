"""Hints to the cache: they change what stays there, not what is loaded, nor results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from mlc_compiler import pipeline
from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module
from passes.loop.locality.cache_hints import CacheHintsPass
from passes.loop.schedule.partition import PartitionRowsPass
from tests.unit.changed_pipeline import behind_the_schedule
from tests.unit.test_end_to_end import DEVICES

FIRST, LAST = 'eviction_policy="evict_first"', 'eviction_policy="evict_last"'


def randn(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(5)) * 3


def rms_norm(x: Tensor, w: Tensor) -> Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * w


def two_rows(x: Tensor, y: Tensor) -> Tensor:
    return torch.softmax(x, -1) - y * torch.softmax(x, -1).amax(-1, keepdim=True)


def both_halves(x: Tensor) -> Tensor:
    gate, value = x.chunk(2, -1)
    return functional.silu(gate) * value


def in_place(x: Tensor, y: Tensor) -> Tensor:
    x = x.clone()
    return x.add_(y)


CASES = [
    pytest.param(rms_norm, (randn(130, 250), randn(250)), (0, 1), id="weights-are-shared"),
    pytest.param(two_rows, (randn(40, 1000), randn(40, 1000)), (0, 2), id="several-loops-over-a-row"),
    pytest.param(both_halves, (randn(64, 600),), (0, 2), id="parts-of-a-buffer"),
    pytest.param(in_place, (randn(64, 300), randn(64, 300)), (0, 2), id="elements"),
    pytest.param(lambda x: x.t().contiguous() * 2, (randn(130, 190),), (0, 1), id="tiles"),
    pytest.param(lambda x, y: torch.cat([x, y], -1), (randn(64, 300), randn(64, 500)), (0, 2), id="conditions"),
    pytest.param(lambda x: (x.square().sum(-1), x.amax(-1)), (randn(130, 1100),), (1, 0), id="only-read"),
    pytest.param(lambda x: x / x.sum(), (randn(300, 900),), (0, 1), id="read-by-the-next"),
    pytest.param(lambda x: x + x.flip(-1), (randn(64, 600),), (0, 0), id="read-twice"),
    pytest.param(lambda x, y: x * y, (randn(16, 64, 64), randn(64, 64)), (0, 0), id="much-is-shared"),
    pytest.param(lambda x, i: x[i] * 2, (randn(90, 600), torch.arange(88, -1, -1)), (0, 0), id="lookups"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function, inputs, hints", CASES)
def test_hints_change_no_result(
    function: Callable[..., Any], inputs: tuple[Tensor, ...], hints: tuple[int, int], device: str
) -> None:
    """As many loads with and without hints, so many of them with each, and the same bits."""
    inputs = tuple(x.to(device) for x in inputs)
    found: list[Any] = []
    sources: list[str] = []
    for cache in (1 << 40, 8 << 10):
        seen: list[Executable] = []
        backend = partial(compile_graph_module, observe=lambda _, executable, seen=seen: seen.append(executable))
        parts = patch.object(pipeline, "PartitionRowsPass", lambda **_: PartitionRowsPass(part=4096))
        with behind_the_schedule(CacheHintsPass(cache=cache)), parts:
            torch._dynamo.reset()
            found.append(torch.compile(function, backend=backend, fullgraph=True)(*inputs))
        sources.append(seen[-1].source)
    assert len({source.count("tl.load(") for source in sources}) == 1
    assert [(source.count(FIRST), source.count(LAST)) for source in sources] == [(0, 0), hints]
    torch.testing.assert_close(found[0], found[1], rtol=0, atol=0)
    torch.testing.assert_close(found[1], function(*inputs))
