"""Neighbouring results in one iteration: bit for bit what each alone is, by kernels that run; and when it pays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor import import_callable
from mlc_compiler import pipeline
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to, steps_to
from mlc_dialects.loop.dialect import KernelOp
from mlc_support.errors import MlcError
from passes.loop.analysis.window_loads import loads_of, overlap_of, strided_axes
from passes.loop.restructure.unroll_and_jam import UnrollAndJamPass
from tests.unit.generated_kernels import compiled, compiled_ahead

H200 = CompilerOptions(device="h200")


def depthwise(kernel: int, stride: int) -> Callable[..., torch.Tensor]:
    """A depthwise convolution of channels-last images, as a sum of slices; with bias and relu."""

    def function(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        edge = kernel // 2
        padded = F.pad(x, (0, 0, edge, edge, edge, edge))
        rows, columns = ((n + 2 * edge - kernel) // stride + 1 for n in x.shape[1:3])
        total = torch.zeros(len(x), rows, columns, x.shape[3], device=x.device)
        for i in range(kernel):
            for j in range(kernel):
                tap = padded[:, i : i + (rows - 1) * stride + 1 : stride, j : j + (columns - 1) * stride + 1 : stride]
                total = torch.ops.prims.fma(tap.float(), w[i, j].float().expand(tap.shape), total)
        return torch.relu(total.to(x.dtype) + b)

    return function


def last(pool: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    """A pool of images channels-last."""
    return lambda x: pool(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)


def difference(x: torch.Tensor) -> torch.Tensor:
    """A stencil that reads no element beyond the border."""
    return x[:, 1:-1, 1:-1] * 4 - x[:, :-2, 1:-1] - x[:, 2:, 1:-1] - x[:, 1:-1, :-2] - x[:, 1:-1, 2:]


def gradient(x: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
    """Of an average pool."""
    images = x.permute(0, 3, 1, 2), g.permute(0, 3, 1, 2)
    return torch.ops.aten.avg_pool2d_backward(images[1], images[0], [3, 3], [2, 2], [1, 1], False, True, None)


CASES: dict[str, tuple[Callable[..., torch.Tensor], Sequence[tuple[int, ...]], tuple[int, int]]] = {
    "depthwise": (depthwise(3, 1), [(2, 6, 12, 16), (3, 3, 16), (16,)], (1, 4)),
    "depthwise, both axes": (depthwise(3, 1), [(1, 6, 12, 16), (3, 3, 16), (16,)], (2, 2)),
    "depthwise, odd": (depthwise(5, 1), [(1, 5, 9, 16), (5, 5, 16), (16,)], (1, 3)),
    "depthwise, stride 2": (depthwise(3, 2), [(1, 7, 16, 16), (3, 3, 16), (16,)], (1, 8)),
    "average": (last(lambda x: F.avg_pool2d(x, 3, 1, 1)), [(1, 6, 8, 16)], (1, 2)),
    "average, channels first": (lambda x: F.avg_pool2d(x, 3, 2, 1), [(2, 3, 12, 16)], (1, 3)),
    "gradient of an average": (gradient, [(1, 8, 8, 16), (1, 4, 4, 16)], (2, 2)),
    "maximum": (last(lambda x: F.max_pool2d(x, 3, 2, 1)), [(1, 8, 8, 16)], (1, 4)),
    "nearest": (last(lambda x: F.interpolate(x, scale_factor=2, mode="nearest")), [(1, 4, 4, 16)], (2, 2)),
    "stencil": (difference, [(2, 10, 8, 16)], (1, 4)),
}


def inputs(shapes: Sequence[tuple[int, ...]], dtype: torch.dtype) -> list[torch.Tensor]:
    """Random numbers, with a NaN, infinities and a negative zero."""
    generator = torch.Generator().manual_seed(0)
    found = [torch.randn(shape, generator=generator).to(dtype) for shape in shapes]
    found[0].view(-1)[[3, 40, 77, 90]] = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0]).to(dtype)
    return found


def bits(x: torch.Tensor) -> torch.Tensor:
    """NaN is itself here."""
    return torch.nan_to_num(x.float(), 7.25, 1e38, -1e38)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_each_result_is_what_it_is_alone(name: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    function, shapes, form = CASES[name]
    arguments, sources, found = inputs(shapes, dtype), list[str](), list[torch.Tensor]()
    for neighbours in ((1, 1), form):
        forced = lambda device, unroll=neighbours: UnrollAndJamPass(unroll=unroll, device=device)  # noqa: E731
        monkeypatch.setattr(pipeline, "UnrollAndJamPass", forced)
        found.append(compiled(function, sources, cpu="interpret")(*arguments))
    assert torch.equal(bits(found[0]), bits(found[1]))
    torch.testing.assert_close(found[1], function(*arguments), rtol=0.02, atol=0.02, equal_nan=True)
    assert "neighbours at once" not in sources[0] and "neighbours at once" in sources[-1]


def loops(function: Callable[..., Any], shapes: Sequence[tuple[int, ...]], dtype: torch.dtype) -> ModuleOp:
    """The kernels of a function, as the pass finds them."""
    with FakeTensorMode():
        imported = import_callable(function, [torch.empty(shape, dtype=dtype) for shape in shapes])
    module = lower_to(imported.module, "fused", H200)
    assert isinstance(module, ModuleOp)
    for step in steps_to("loop", H200, "fused"):
        if isinstance(step, UnrollAndJamPass):
            break
        step.apply(Context(), module)
    return module


def kernel_of(module: ModuleOp) -> KernelOp:
    """The kernel that has most to do."""
    return max((op for op in module.ops if isinstance(op, KernelOp)), key=lambda k: len(list(k.walk())))


LARGE = [(64, 56, 56, 144), (3, 3, 144), (144,)]


def test_windows_count_once() -> None:
    kernel = kernel_of(loops(depthwise(3, 1), LARGE, torch.bfloat16))
    assert strided_axes(kernel) == (0, 1, 2)  # not the channels
    assert loads_of(kernel, {}) == 9 + 9 + 1
    assert loads_of(kernel, {1: 1, 2: 4}) == 3 * 6 + 9 + 1
    assert overlap_of(kernel, {1: 1, 2: 4}) == pytest.approx(1 - 18 / 36)
    assert overlap_of(kernel, {0: 2}) == 0  # images share weights alone


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
def test_a_large_convolution_is_predicted_to_gain_by_a_third(dtype: torch.dtype) -> None:
    kernel, step = kernel_of(loops(depthwise(3, 1), LARGE, dtype)), UnrollAndJamPass(device="h200")
    us = {form.values["unroll"]: us for us, form in step.ranked(kernel)}
    assert step.chosen(kernel).values["unroll"] == min(us, key=lambda form: us[form])
    assert min(us.values()) < 0.67 * us[1, 1]


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (depthwise(3, 1), [(1, 14, 14, 64), (3, 3, 64), (64,)]),  # no longer than a launch
        (lambda x, y: x * 2 + y, [(64, 56, 56, 144), (144,)]),  # nothing overlaps
        (lambda x: x[:, 1:] + x[:, :-1], [(64, 57, 4096)]),  # memory bounds it
        (lambda x: x.sum(1), [(64, 56, 144)]),
    ],
)
def test_others_stay_as_they_are(function: Callable[..., Any], shapes: Sequence[tuple[int, ...]]) -> None:
    module = loops(function, shapes, torch.bfloat16)
    before = str(module)
    UnrollAndJamPass(device="h200").apply(Context(), module)
    assert str(module) == before


@pytest.mark.parametrize("form", [(1, 4), (1, 8), (2, 4)], ids=str)
def test_compiled_kernels_load_vectors_and_spill_nothing(form: tuple[int, int]) -> None:
    module = loops(depthwise(3, 1), LARGE, torch.bfloat16)
    kernel_of(module).decide(unroll=form, rows=512, columns=1, warps=2)
    steps = steps_to("triton", H200, "fused")
    first = next(k for k, step in enumerate(steps) if isinstance(step, UnrollAndJamPass))
    for step in steps[first:]:
        step.apply(Context(), module)
    source, (found,) = compiled_ahead(module, 90)
    loads, stores = (form[0] + 2) * (form[1] + 2) + 9 + 1, form[0] * form[1]
    assert "tl.fma(" in source
    assert (found.loads, found.vector_loads) == (loads, loads)
    assert (found.stores, found.vector_stores) == (stores, stores)
    assert found.spill_bytes == 0
    assert found.instructions < 250 * stores  # 496 for one result alone, without fused multiply-adds


def test_an_option_is_two_numbers() -> None:
    with pytest.raises(MlcError, match="unroll is 4"):
        UnrollAndJamPass(unroll=(4,)).apply(Context(), loops(depthwise(3, 1), LARGE, torch.bfloat16))
