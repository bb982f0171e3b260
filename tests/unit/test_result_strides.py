"""Results have the strides that eager gives them, also where several of them are one value."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from mlc_compiler.frontend.backend import compile_graph_module

COPIES: dict[str, Callable[[Tensor], tuple[Tensor, Tensor]]] = {
    "contiguous, and as it was": lambda x: (x.contiguous(), x.clone()),
    "as it was, and contiguous": lambda x: (x.clone(), x.contiguous()),
    "by a format": lambda x: (x.clone(memory_format=torch.contiguous_format), x.clone()),
    "flat": lambda x: (x.clone(), x.reshape(-1)),
    "computed": lambda x: ((x + 1).contiguous(), x + 1),
}


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize(
    "x",
    [torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last), torch.randn(4, 5).t(), torch.randn(4, 5)[:, ::2]],
    ids=["channels last", "transposed", "sliced"],
)
def test_copies_of_one_value(name: str, x: Tensor) -> None:
    torch.compiler.reset()
    found, wanted = (f(x) for f in (torch.compile(COPIES[name], backend=compile_graph_module), COPIES[name]))
    for given, expected in zip(found, wanted, strict=True):
        assert given.stride() == expected.stride()
        assert torch.equal(given, expected)


def test_rows_turned_round_beside_what_keeps_their_order() -> None:
    """One of two results goes through the rows the other way round: two kernels, or one that all can read."""

    def both(x: Tensor) -> tuple[Tensor, Tensor]:
        return x.softmax(1).flip(0), x * 2

    x = torch.randn(8, 8)
    torch.compiler.reset()
    for found, wanted in zip(torch.compile(both, backend=compile_graph_module)(x), both(x), strict=True):
        torch.testing.assert_close(found, wanted)
