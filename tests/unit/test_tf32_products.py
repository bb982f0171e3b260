"""Products of float32 by generated kernels where PyTorch lets them be computed in TF32, and where it does not.

Triton's interpreter multiplies exactly: numbers are those of float32, and the text says what a GPU rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from passes.common.device import DEVICES
from passes.common.online_tiling import OnlineSizes, best_online_tiling
from passes.common.product_tiling import Sizes, best_tiling, predicted_us
from tests.unit.generated_kernels import ARCHITECTURES, adds_parts, ahead_of_time, compiled

ROUNDED = 'input_precision="tf32"'


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(q @ k.mT * 0.125, -1) @ v


Function = Callable[..., Any]
Shapes = Sequence[tuple[int, ...]]
HEADS, LONG = [(2, 40, 32)] * 3, [(4, 8, 1024, 64)] * 3
CASES: dict[str, tuple[Function, Shapes, Shapes, int]] = {
    "bare": (lambda x, w: x @ w, [(50, 70), (70, 90)], [(4096, 4096)] * 2, 1),
    "gelu": (lambda x, w, b: F.gelu(F.linear(x, w, b)), [(50, 70), (90, 70), (90,)], [(4096, 4096)] * 2 + [(4096,)], 1),
    "silu": (lambda x, w, b: F.silu(F.linear(x, w, b)), [(50, 70), (90, 70), (90,)], [(4096, 4096)] * 2 + [(4096,)], 1),
    "gates": (lambda x, w, v: F.silu(x @ w) * (x @ v), [(50, 70), (70, 90), (70, 90)], [(2048, 2048)] * 3, 2),
    "few rows": (lambda x, w: x @ w.t(), [(16, 64), (96, 64)], [(16, 4096), (4096, 4096)], 1),
    "attention": (attention, HEADS, LONG, 2),
    "wide heads": (attention, [(2, 40, 128)] * 3, [(4, 8, 1024, 128)] * 3, 2),
}
"""A function, the shapes that are interpreted, those that are compiled, and how many products it has."""


@pytest.fixture(autouse=True)
def tf32() -> Iterator[None]:
    before = torch.backends.cuda.matmul.fp32_precision
    torch.backends.cuda.matmul.fp32_precision = "tf32"
    yield
    torch.backends.cuda.matmul.fp32_precision = before


def inputs(shapes: Shapes) -> list[Tensor]:
    torch.manual_seed(0)
    return [torch.randn(shape) for shape in shapes]


@pytest.mark.parametrize("name", CASES)
def test_kernels_multiply_in_tf32(name: str) -> None:
    function, shapes, _, dots = CASES[name]
    sources: list[str] = []
    given = inputs(shapes)
    found = compiled(function, sources, cpu="interpret")(*given)
    (source,) = sources
    assert "ops.aten" not in source and (source.count("tl.dot("), source.count(ROUNDED)) == (dots, dots)
    torch.testing.assert_close(found, function(*given), rtol=1e-4, atol=1e-4)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("device, capability", ARCHITECTURES)
@pytest.mark.parametrize("name", CASES)
def test_tensor_cores_compute_it_and_nothing_is_spilled(name: str, device: str, capability: int) -> None:
    function, _, shapes, _ = CASES[name]
    source, kernels = ahead_of_time(function, [(shape, torch.float32) for shape in shapes], device, capability)
    multiply = [used for used in kernels if used.tensor_core_instructions]
    assert len(multiply) == len(kernels) - adds_parts(source)
    assert all((used.spill_bytes, used.stack_bytes) == (0, 0) for used in kernels)


def test_by_default_products_are_the_librarys_which_rounds() -> None:
    sources: list[str] = []
    compiled(attention, sources, cpu="interpret", products="quicker")(*inputs(HEADS))
    assert ROUNDED not in sources[0]


def test_the_setting_decides() -> None:
    torch.backends.cuda.matmul.fp32_precision = "ieee"
    sources: list[str] = []
    compiled(lambda x, w: x @ w, sources, cpu="interpret")(*inputs([(50, 70), (70, 90)]))
    assert "tl.dot(" not in sources[0]
    compiled(attention, sources, cpu="interpret")(*inputs(HEADS))
    assert sources[1].count('input_precision="ieee"') == 2 and ROUNDED not in sources[1]


def test_sums_that_a_program_spells_stay_exact() -> None:
    sources: list[str] = []
    x, w = inputs([(32, 48), (48, 64)])
    spelled = lambda x, w: (x[:, :, None] * w).sum(1)  # noqa: E731
    torch.testing.assert_close(compiled(spelled, sources, cpu="interpret")(x, w), spelled(x, w))
    assert "tl.dot(" not in sources[0]


def test_gradients() -> None:
    x, w = (t.requires_grad_() for t in inputs([(48, 48), (48, 48)]))
    function = lambda x, w: torch.relu(x @ w).sum()  # noqa: E731
    sources: list[str] = []
    compiled(function, sources, cpu="interpret")(x, w).backward()
    found = [x.grad, w.grad]
    x.grad = w.grad = None
    function(x, w).backward()
    torch.testing.assert_close(found, [x.grad, w.grad], rtol=1e-4, atol=1e-4)
    assert sum(source.count(ROUNDED) for source in sources) == 3


@pytest.mark.parametrize("device", DEVICES)
def test_the_model_counts_bytes_and_the_rate_of_tf32(device: str) -> None:
    """Large products take about twice the time of 16 bits; attention in TF32 is quicker than without tensor cores."""
    target = DEVICES[device]

    def us(sizes: Sizes) -> float:
        tiling = best_tiling(sizes, target)
        assert tiling is not None and tiling.fits(sizes, target)
        return predicted_us(tiling, sizes, target)

    ratio = us(Sizes(4096, 4096, 4096, element_bytes=4)) / us(Sizes(4096, 4096, 4096))
    assert 1.6 < ratio < 2.6
    heads = OnlineSizes(64, 2048, 2048, (64,), 64, element_bytes=4)
    assert best_online_tiling(heads, target) is not None
