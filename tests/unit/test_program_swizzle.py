"""Orders of programs: what they move, and that results stay the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional

from lowering.fx_to_tensor import import_callable
from mlc_compiler import pipeline
from mlc_compiler.execution.executable import Executable, compile_imported
from mlc_compiler.frontend.backend import compile_graph_module
from passes.loop.locality.program_swizzle import Axis, Nest, ProgramSwizzlePass, Touched
from passes.loop.restructure.tile_transpose import TileTransposePass
from passes.loop.schedule.schedule import SchedulePass
from tests.unit.changed_pipeline import behind_the_schedule
from tests.unit.small_blocks import SmallBlocksPass
from tests.unit.test_end_to_end import DEVICES

OUTER, INNER = Axis("o", 8, 1024), Axis("i", 1024, 1)


def masked(s: Tensor, bias: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask[:, None, None, :], s * 0.125 + bias, -10000.0)


def softmax(s: Tensor, bias: Tensor) -> Tensor:
    return torch.softmax(s + bias, -1)


def for_heads(s: Tensor, bias: Tensor) -> Tensor:
    return s * bias[:, None]


def looked_up(tokens: Tensor, table: Tensor) -> Tensor:
    return functional.embedding(tokens, table) * 2


def looked_up_rows(tokens: Tensor, table: Tensor) -> Tensor:
    rows = functional.embedding(tokens, table)
    return rows - rows.amax(-1, keepdim=True)


def randn(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(7))


TOKENS = torch.randint(0, 90, (4, 500), generator=torch.Generator().manual_seed(8))
MASK = torch.rand((4, 64), generator=torch.Generator().manual_seed(9)) < 0.7
TURNS, PLACES, LEAVES = "turn = tl.program_id(0)", "pid_r = tl.program_id(0)", 'eviction_policy="evict_first")'
CASES = [
    pytest.param(masked, (randn(4, 8, 32, 64), randn(8, 32, 64), MASK), TURNS, id="flat"),
    pytest.param(softmax, (randn(3, 4, 7, 1024), randn(4, 7, 1024)), TURNS, id="rows"),
    pytest.param(softmax, (randn(3, 8, 16, 64), randn(8, 16, 64)), TURNS, id="several-rows-a-program"),
    pytest.param(for_heads, (randn(3, 4, 128, 64), randn(3, 128, 64)), TURNS, id="an-axis-in-the-middle"),
    pytest.param(looked_up, (TOKENS, randn(90, 256)), PLACES, id="tiles"),
    pytest.param(looked_up, (TOKENS, randn(90, 200)), PLACES, id="tiles-with-masks"),
    pytest.param(looked_up_rows, (TOKENS, randn(90, 250)), LEAVES, id="rows-looked-up"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function, inputs, sign", CASES)
def test_results_are_those_of_the_plain_order(
    function: Callable[..., Any], inputs: tuple[Tensor, ...], sign: str, device: str
) -> None:
    torch._dynamo.reset()
    inputs = tuple(x.to(device) for x in inputs)
    found: list[Tensor] = []
    tiles = sign is PLACES
    schedule = partial(SchedulePass, rows=64, columns=64, warps=4) if tiles else SchedulePass
    transpose = partial(TileTransposePass, tile="stored") if tiles else TileTransposePass
    for cache, there in ((20 << 20, False), (48 << 10, True)):
        seen: list[Executable] = []
        backend = partial(compile_graph_module, observe=lambda _, executable, seen=seen: seen.append(executable))
        with (
            behind_the_schedule(ProgramSwizzlePass(cache=cache)),
            patch.multiple(pipeline, SchedulePass=schedule, TileTransposePass=transpose),
        ):
            torch._dynamo.reset()
            found.append(torch.compile(function, backend=backend, fullgraph=True)(*inputs))
        assert (sign in seen[-1].source) == there
    assert torch.equal(*found)
    torch.testing.assert_close(found[0], function(*inputs))


def test_what_is_shared_comes_again_unless_the_cache_keeps_it() -> None:
    """x[o, i] + y[i]: 8 KB of y are read for each of 8 o, with 8 KB of x in between."""
    x = Touched(8, 8 * 8192, frozenset({OUTER, INNER}), frozenset({OUTER, INNER}))
    y = Touched(8, 8192, frozenset({INNER}), frozenset({INNER}))
    nest = Nest({}, {}, (x, y))
    assert nest.moved((INNER, OUTER), 10000) == 8 * 8192 + 8 * 8192
    assert nest.moved((INNER, OUTER), 20000) == 8 * 8192 + 8192
    assert nest.moved((OUTER, INNER), 10000) == 8 * 8192 + 8192


def test_what_is_looked_up_comes_again_unless_the_cache_keeps_the_table() -> None:
    """table[token[i], o]: a table of 64 KB, of which an o is 8 KB, each place of it looked up 16 times."""
    tokens = Axis("t", 1024, 1)
    table = Touched(128, 65536, frozenset({OUTER}), frozenset({OUTER, tokens}))
    nest = Nest({}, {}, (table,))
    assert nest.moved((OUTER, tokens), 10000) == 1024 * 8 * 128
    assert nest.moved((tokens, OUTER), 10000) == 65536
    assert nest.moved((OUTER, tokens), 70000) == 65536


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.sampled_from((2, 3, 4, 8)), min_size=2, max_size=4),
    st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=3),
    st.sampled_from((lambda x: x, lambda x: x.sum(-1), lambda x: x - x.amax(-1, keepdim=True), lambda x: x.sum(0))),
)
def test_any_order_gives_the_same(shape: list[int], shared: list[list[bool]], last: Callable[[Tensor], Tensor]) -> None:
    """Small blocks in whatever order there is, for sums of whole numbers that are the same along some axes."""

    def function(*parts: Tensor) -> Tensor:
        return last(sum(parts[1:], parts[0]))

    shapes = [shape, *([1 if same else n for n, same in zip(shape, one, strict=False)] for one in shared)]
    inputs = [(randn(*s) * 10).round() for s in shapes]
    with (
        behind_the_schedule(ProgramSwizzlePass(cache=1, worth=-1000)),
        patch.object(pipeline, "SchedulePass", SmallBlocksPass),
    ):
        found = compile_imported(import_callable(function, inputs))(*inputs)
    assert torch.equal(torch.as_tensor(found[0]), function(*inputs))
