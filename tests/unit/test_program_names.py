"""Values of a program may be called like the functions that its generated text calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mlc_compiler.frontend.backend import compile_graph_module

NAMED: dict[str, tuple[Callable[..., Any], tuple[Tensor, ...]]] = {
    "an op": (lambda z: z * 2j + torch.complex(z.real, z.imag), (torch.randn(4, dtype=torch.complex64),)),
    "an argument": (lambda complex: complex * 2j, (torch.randn(4, dtype=torch.complex64),)),
    "a number": (lambda float, range: float.clamp(max=torch.inf) + range, (torch.randn(4), torch.randn(4))),
}


@pytest.mark.parametrize("name", NAMED)
def test_as_eager(name: str) -> None:
    function, arguments = NAMED[name]
    torch.compiler.reset()
    torch.testing.assert_close(torch.compile(function, backend=compile_graph_module)(*arguments), function(*arguments))
