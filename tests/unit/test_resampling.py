"""Images of another size: the places that floats count are integers of a line, and gradients are sums over windows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.pipeline import lower_to
from mlc_dialects.tensor.gather_scatter import ScatterOp
from passes.tensor.digital_line import digital_line
from tests.unit.test_end_to_end import DEVICES

ORDERS = [torch.contiguous_format, torch.channels_last]
RESAMPLED: dict[str, Callable[[Tensor], Tensor]] = {
    "bilinear, twice": lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"),
    "bilinear, corners": lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=True),
    "bilinear, to 23 x 31": lambda x: F.interpolate(x, size=(23, 31), mode="bilinear"),
    "bilinear, to 3 x 7": lambda x: F.interpolate(x, size=(3, 7), mode="bilinear"),
    "bicubic": lambda x: F.interpolate(x, scale_factor=2.0, mode="bicubic"),
    "nearest, to 17 x 9": lambda x: F.interpolate(x, size=(17, 9), mode="nearest"),
    "nearest, exact": lambda x: F.interpolate(x, size=(17, 9), mode="nearest-exact"),
}


def image(order: torch.memory_format, device: str = "cpu") -> Tensor:
    torch.manual_seed(0)
    return torch.randn(2, 6, 8, 10, device=device).to(memory_format=order)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", RESAMPLED)
def test_as_in_float64(name: str, order: torch.memory_format, device: str) -> None:
    function, x = RESAMPLED[name], image(order, device)
    wanted = function(x.double())
    found = compile_imported(import_callable(function, [x]))(x)[0]
    assert (found - wanted).abs().max() <= 1.1 * (function(x) - wanted).abs().max() + 1e-6


@pytest.mark.parametrize("name", RESAMPLED)
def test_no_place_is_checked(name: str) -> None:
    module = import_callable(RESAMPLED[name], [image(torch.contiguous_format)]).module
    assert "checked" not in str(lower_to(module, "triton")).replace("unchecked", "")


@pytest.mark.parametrize("order", ORDERS)
def test_memory_order(order: torch.memory_format) -> None:
    """What goes along a line does not hide the order of the axes: neighbouring lanes read neighbours."""
    x = image(order)
    text = str(lower_to(import_callable(RESAMPLED["nearest, exact"], [x]).module, "loop"))
    assert ("%p mod 6," in text) == (order is torch.channels_last)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradient_of_what_is_repeated(dtype: torch.dtype, order: torch.memory_format, device: str) -> None:
    def gradient(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        leaf = x.clone().requires_grad_()
        out = function(leaf)
        weights = torch.arange(out.numel(), device=device).reshape(out.shape) % 7 - 3
        (out * weights.to(out.dtype)).sum().backward()
        assert leaf.grad is not None
        return leaf.grad

    def twice(x: Tensor) -> Tensor:
        return F.interpolate(x, scale_factor=(2.0, 3.0))

    torch.compiler.reset()
    x = image(order, device).to(dtype)
    found = gradient(torch.compile(twice, backend=compile_graph_module), x)
    torch.testing.assert_close(found, gradient(twice, x.double()).to(dtype), rtol=0, atol=0)


def test_gradient_of_what_is_repeated_has_no_atomics() -> None:
    def added(given: Tensor) -> Tensor:
        rows, columns = (torch.arange(2 * n) // 2 for n in (4, 5))
        return given.new_zeros(3, 4, 5).index_put([torch.arange(3)[:, None, None], rows[:, None], columns], given, True)

    given = torch.randn(3, 8, 10)
    imported = import_callable(added, [given])
    lower_to(simplified := imported.module.clone(), "simplified")
    assert not any(isinstance(op, ScatterOp) for op in simplified.walk())
    torch.testing.assert_close(compile_imported(imported)(given)[0], added(given))


def test_digital_lines() -> None:
    """A line is found for the numbers of any, between any ends, and no larger divisor than theirs is."""
    random = np.random.default_rng(0)
    for _ in range(300):
        ends = ((-9, 30), (-20, 20), (1, 20), (2, 40))
        factor, offset, divisor, count = (int(random.integers(*between)) for between in ends)
        whole = (factor * np.arange(count) + offset) // divisor
        for numbers in (whole, np.clip(whole, *sorted(random.choice(whole, 2)))):
            line = digital_line(numbers)
            assert line is not None and (numbers is not whole or line.divisor <= divisor)
            found = (line.factor * np.arange(count) + line.offset) // line.divisor
            assert np.array_equal(np.clip(found, numbers.min(), numbers.max()) if line.clamped else found, numbers)
    assert digital_line(np.array([0, 1, 4, 9])) is None
