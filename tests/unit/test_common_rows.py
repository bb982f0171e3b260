"""Rows that have a table of biases in common, taken one after another by a program: the numbers are those of eager."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import Tensor

from mlc_compiler import pipeline
from passes.loop.restructure.persistent_rows import PersistentRowsPass
from tests.unit.generated_kernels import DEVICES, compiled

WINDOWS, HEADS, SIDE = 12, 2, 10


def softmax_of_windows(x: Tensor, places: Tensor, table: Tensor) -> Tensor:
    """Scores of attention in windows, with a bias that is looked up for each pair of places."""
    bias = table[places.view(-1)].view(SIDE, SIDE, HEADS).permute(2, 0, 1)
    return torch.softmax(x.to(bias.dtype) + bias, -1).to(x.dtype)


def stored_for_each_image(x: Tensor, places: Tensor, table: Tensor) -> Tensor:
    """What does not depend on the image is computed once, and stored for each."""
    bias = table[places.view(-1)].view(SIDE, SIDE, HEADS).permute(2, 0, 1)
    return torch.log(bias.exp() + 1).expand(WINDOWS, HEADS, SIDE, SIDE).contiguous()


CASES = [
    *[(softmax_of_windows, *form) for form in [(1, 1), (20, 1), (5, 4), (10, 4), (15, 8)]],
    *[(stored_for_each_image, *form) for form in [(25, 8), (50, 16), (150, 8), (12, 1)]],
]
"""Programs, and rows at once: all biases, some or none are the same in all rounds."""


@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("function, programs, block", CASES)
def test_any_number_of_programs(
    function: Callable[..., Tensor],
    programs: int,
    block: int,
    where: tuple[str, str | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With special values among the scores; negative places count from the end of the table."""
    device, cpu = where
    monkeypatch.setattr(pipeline, "PersistentRowsPass", partial(PersistentRowsPass, programs=programs, block=block))
    generator = torch.Generator().manual_seed(programs + block)
    x = torch.randn(WINDOWS, HEADS, SIDE, SIDE, generator=generator).bfloat16().to(device)
    x[3, 1, 2, :] = -torch.inf
    x[4, 0, 1, 5], x[5, 1, 9, 0], x[6, 0, 0, 0] = torch.inf, torch.nan, -0.0
    places = torch.randint(-19, 19, (SIDE, SIDE), generator=generator).to(device)
    table = torch.randn(19, HEADS, generator=generator).to(device)
    sources: list[str] = []
    found = compiled(function, sources, cpu=cpu)(x, places, table)
    exact = function(x.double(), places, table.double())
    tolerance = torch.finfo(found.dtype).eps
    torch.testing.assert_close(found.double(), exact.double(), atol=tolerance, rtol=tolerance, equal_nan=True)
    assert "persistent programs" in sources[0]


def test_what_rows_have_in_common_leaves_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a round, the loop loads the scores alone, and those ahead: the first are loaded before it."""
    monkeypatch.setattr(pipeline, "PersistentRowsPass", partial(PersistentRowsPass, programs=5, block=4))
    x, places = torch.randn(WINDOWS, HEADS, SIDE, SIDE).bfloat16(), torch.randint(0, 19, (SIDE, SIDE))
    sources: list[str] = []
    compiled(softmax_of_windows, sources, cpu="interpret")(x, places, torch.randn(19, HEADS))
    before, loop = sources[0].split("for turn in")
    assert before.count("tl.load") == 3 and loop.count("tl.load") == 1
