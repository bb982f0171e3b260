"""Convolutions by generated kernels: the numbers of float64, one kernel with all that follows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from lowering.fx_to_tensor import import_callable
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from tests.unit.generated_kernels import ARCHITECTURES, DEVICES, ahead_of_time, compiled

LAST = torch.channels_last


@dataclass(frozen=True)
class Case:
    """A function of pictures x, weights w, a bias b and a norm of 4.

    `size` are N, C, H, W, O and places a side; `groups` are those of the channels.
    """

    function: Callable[..., Any]
    size: tuple[int, int, int, int, int, int] = (2, 32, 6, 5, 16, 3)
    kernels: int = 1
    groups: int = 1


def _normed(x: Tensor, w: Tensor, norm: tuple[Tensor, ...]) -> Tensor:
    mean, var, scale, shift = norm
    return F.batch_norm(F.conv2d(x, w, padding=1), mean, var, scale, shift)


def _residual(x: Tensor, w: Tensor, b: Tensor, *norm: Tensor) -> Tensor:
    return F.relu(_normed(x, w, norm) + x[:, : w.shape[0]])


CASES = {
    "bare": Case(lambda x, w, b, *n: F.conv2d(x, w)),
    "padded": Case(lambda x, w, b, *n: F.conv2d(x, w, padding=1)),
    "bias": Case(lambda x, w, b, *n: F.conv2d(x, w, b, padding=1)),
    "bias, activation": Case(lambda x, w, b, *n: F.silu(F.conv2d(x, w, b, padding=1))),
    "norm, activation": Case(lambda x, w, b, *n: F.relu(_normed(x, w, n))),
    "norm, residual": Case(_residual),
    "two strides": Case(lambda x, w, b, *n: F.relu(F.conv2d(x, w, b, stride=(2, 1), padding=(1, 2)))),
    "dilated": Case(lambda x, w, b, *n: F.conv2d(x, w, padding=2, dilation=2) * 2),
    "five places": Case(lambda x, w, b, *n: F.conv2d(x, w, b, stride=3, padding=2), (1, 32, 9, 11, 48, 5)),
    "one place": Case(lambda x, w, b, *n: F.relu(F.conv2d(x, w, b)), (2, 24, 5, 7, 40, 1)),
    "one place, two strides": Case(lambda x, w, b, *n: F.relu(F.conv2d(x, w, b, stride=2)), (2, 64, 5, 7, 40, 1)),
    "an edge that nobody reads": Case(lambda x, w, b, *n: F.relu(F.conv2d(x, w, stride=2)), (2, 32, 6, 6, 16, 3)),
    "groups": Case(lambda x, w, b, *n: F.relu(F.conv2d(x, w, b, padding=1, groups=3)), (2, 48, 6, 5, 48, 3), groups=3),
    "groups of no whole step": Case(
        lambda x, w, b, *n: F.silu(F.conv2d(x, w, b, stride=2, groups=2)), (2, 48, 7, 5, 48, 3), groups=2
    ),
    "activation before": Case(lambda x, w, b, *n: F.conv2d(F.relu(x), w, padding=1)),
}


DEPTHWISE = {
    "3x3": ((2, 24, 8, 12, 24, 3), {"padding": 1}),
    "5x5, two strides": ((1, 16, 13, 9, 16, 5), {"padding": 2, "stride": 2}),
    "dilated": ((2, 8, 10, 10, 8, 3), {"padding": 2, "dilation": 2}),
    "no edge": ((1, 16, 7, 8, 16, 3), {}),
}


def inputs(device: str, dtype: torch.dtype, size: tuple[int, ...], groups: int = 1) -> list[Tensor]:
    torch.manual_seed(0)
    n, c, h, w, o, k = size
    x = torch.randn(n, c, h, w, device=device).to(dtype).to(memory_format=LAST)
    c //= groups
    weight = (torch.randn(o, c, k, k, device=device) * (c * k * k) ** -0.5).to(dtype).to(memory_format=LAST)
    mean, var = torch.randn(o, device=device), torch.rand(o, device=device) + 0.5
    return [x, weight, torch.randn(o, device=device).to(dtype), mean, var, mean + 1, var]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_numbers(name: str, where: tuple[str, str | None], dtype: torch.dtype) -> None:
    device, cpu = where
    case = CASES[name]
    given, sources = inputs(device, dtype, case.size, case.groups), list[str]()
    found, eager = compiled(case.function, sources, cpu=cpu)(*given), case.function(*given)
    assert (found.shape, found.dtype, found.stride()) == (eager.shape, eager.dtype, eager.stride())
    (source,) = sources
    assert "ops.aten" not in source
    assert (source.count("@triton.jit"), source.count("tl.dot(")) == (case.kernels, 1)
    exact = case.function(*(x.double() for x in given))
    error, allowed = ((y.double() - exact).abs().max().item() for y in (found, eager))
    assert error <= 2 * allowed + 1e-3  # on a CPU eager rounds once behind the bias, on a GPU twice


@pytest.mark.sampled(5)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("name", DEPTHWISE)
def test_channels_by_themselves(name: str, where: tuple[str, str | None], dtype: torch.dtype) -> None:
    """One kernel, with what follows; neither slower nor less exact than a library's sum in float32."""
    device, cpu = where
    size, options = DEPTHWISE[name]
    x, _, b, *_ = inputs(device, dtype, size)
    w = torch.randn(size[1], 1, size[5], size[5], device=device).to(dtype)

    def function(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
        return F.silu(F.conv2d(x, w, b, groups=w.shape[0], **options))

    sources: list[str] = []
    found, eager = compiled(function, sources, cpu=cpu)(x, w, b), function(x, w, b)
    assert (found.shape, found.dtype, found.stride()) == (eager.shape, eager.dtype, eager.stride())
    assert "ops.aten" not in sources[0] and "tl.dot(" not in sources[0]
    exact = function(x.double(), w.double(), b.double())
    error, allowed = ((y.double() - exact).abs().max().item() for y in (found, eager))
    assert error <= 2 * allowed + (1e-6 if dtype == torch.float32 else 1e-3)


@pytest.mark.parametrize("norm", [True, False])
def test_windows_are_no_part_of_what_reduces_or_repeats_them(norm: bool) -> None:
    """There neighbours would share no loads: a norm of channels, and a product of matrices, read the result."""
    with FakeTensorMode():
        x, w = (torch.empty(s, dtype=torch.bfloat16) for s in ((64, 96, 56, 56), (96, 1, 3, 3)))
        v = torch.empty(96, 96, dtype=torch.bfloat16)
        x = x.contiguous(memory_format=LAST)

    def function(x: Tensor, w: Tensor, v: Tensor) -> Tensor:
        y = F.relu(F.conv2d(x, w, padding=1, groups=96)).permute(0, 2, 3, 1)
        return F.layer_norm(y, (96,)) if norm else F.relu(y @ v)

    with FakeTensorMode(allow_non_fake_inputs=True):
        module = import_callable(function, (x, w, v)).module
    text = str(lower_to(module, "fused", CompilerOptions(device="h200")))
    assert "aten.convolution" not in text
    assert text.count("mlc_tensor.fusion") == 2


def test_large_windows_of_single_channels_are_called() -> None:
    """Straight code of so many places would take long to compile."""
    x, w = torch.randn(1, 8, 16, 16).to(memory_format=LAST), torch.randn(8, 1, 7, 7)
    sources: list[str] = []
    compiled(lambda x, w: F.conv2d(x, w, padding=3, groups=8) * 2, sources, cpu="interpret")(x, w)
    assert "ops.aten.convolution" in sources[0]


def test_groups_do_not_meet() -> None:
    """NaN in one group of channels reaches no result of another: none is multiplied by zeros for them."""
    x, w, b, *_ = inputs("cpu", torch.bfloat16, (1, 48, 6, 5, 48, 3), 3)
    x[0, 20] = torch.nan
    function = CASES["groups"].function
    found, eager = compiled(function, [], cpu="interpret")(x, w, b), function(x, w, b)
    assert torch.equal(found.isnan(), eager.isnan())
    assert found.isnan().any(dim=(0, 2, 3)).tolist() == [16 <= channel < 32 for channel in range(48)]


@pytest.mark.parametrize(("device", "capability"), ARCHITECTURES)
def test_groups_compiled_ahead_of_time(device: str, capability: int) -> None:
    """No spills, and vectors of 16 bytes, of 24 channels a group."""
    bf16 = torch.bfloat16
    given = [((32, 72, 28, 28), bf16), ((72, 24, 3, 3), bf16), ((72,), bf16)]
    source, (kernel,) = ahead_of_time(CASES["groups"].function, given, device, capability, memory_format=LAST)
    assert source.count("tl.dot(") == 1 and kernel.spill_bytes == 0
    assert kernel.tensor_core_instructions > 0 and kernel.vector_loads > 0


def test_norm_of_a_persistent_kernel_spills_nothing() -> None:
    """What a norm reads of each channel waits in no register while the next block is multiplied."""
    bf16 = torch.bfloat16
    given = [((64, 216, 56, 56), bf16), ((216, 216, 1, 1), bf16), *[((216,), bf16)] * 4]
    source, (kernel,) = ahead_of_time(
        lambda x, w, *n: F.relu(F.batch_norm(F.conv2d(x, w), *n)), given, "h200", 90, memory_format=LAST
    )
    assert "tl.make_tensor_descriptor" in source and kernel.spill_bytes == 0


SHAPES = {"3x3": (32, 64, 28, 28, 128, 3), "1x1": (32, 256, 28, 28, 64, 1), "many channels": (8, 512, 14, 14, 512, 3)}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("device", "capability"), ARCHITECTURES)
@pytest.mark.parametrize("size", SHAPES)
@pytest.mark.parametrize("name", ["bias, activation", "norm, residual"])
def test_compiled_ahead_of_time(name: str, size: str, device: str, capability: int) -> None:
    """No spills, and vectors of 16 bytes for the factors."""
    n, c, h, w, o, k = SHAPES[size]
    if name == "norm, residual" and (c < o or k == 1):
        pytest.skip("the residual is the picture's first channels")
    bf16, f32 = torch.bfloat16, torch.float32
    given = [((n, c, h, w), bf16), ((o, c, k, k), bf16), ((o,), bf16), *[((o,), f32)] * 4]
    source, kernels = ahead_of_time(CASES[name].function, given, device, capability, memory_format=LAST)
    assert source.count("tl.dot(") == 1
    assert all(kernel.spill_bytes == 0 for kernel in kernels)
    assert max(kernel.tensor_core_instructions for kernel in kernels) > 0
    assert max(kernel.vector_loads for kernel in kernels) > 0


def test_weights_that_lie_otherwise_are_copied() -> None:
    """By a kernel of its own, where they are read often; channels of a place are then read in vectors."""
    x, w, b, *_ = inputs("cpu", torch.bfloat16, (16, 64, 28, 28, 64, 3))
    module = import_callable(CASES["bias, activation"].function, (x, w.contiguous(), b)).module
    text = str(lower_to(module, "fused", CompilerOptions(products="generated", device="h200")))
    assert text.count("mlc_tensor.fusion") == 2
    x, w, b, *_ = inputs("cpu", torch.bfloat16, (2, 32, 6, 5, 16, 3))
    function = CASES["bias, activation"].function
    found = compiled(function, [], cpu="interpret")(x, w.contiguous(), b)
    torch.testing.assert_close(found, function(x, w, b), rtol=2e-2, atol=2e-2)


def test_what_stands_before_a_window_is_computed_once() -> None:
    """Each of nine places would compute it again, and no copy engine would bring the factor meanwhile."""
    with FakeTensorMode():
        x = torch.empty(64, 64, 224, 224, dtype=torch.bfloat16).to(memory_format=LAST)
        w = torch.empty(64, 64, 3, 3, dtype=torch.bfloat16).to(memory_format=LAST)
        s = torch.empty(64, 1, 1, dtype=torch.bfloat16)
        module = import_callable(lambda x, w, s: F.relu(F.conv2d(F.relu((x - s) * s), w, padding=1)), (x, w, s)).module
    text = str(lower_to(module, "fused", CompilerOptions(products="generated", device="h200")))
    assert text.count("mlc_tensor.fusion") == 2


def test_padding_is_no_arithmetic() -> None:
    """What lies beyond the edges is masked as it is loaded: the predicted times differ little."""
    times: list[float] = []
    for padding in (0, 1):
        with FakeTensorMode():
            x = torch.empty(64, 128, 56 - 2 * padding, 56, dtype=torch.bfloat16).to(memory_format=LAST)
            w = torch.empty(256, 128, 3, 3, dtype=torch.bfloat16).to(memory_format=LAST)
            module = import_callable(lambda x, w, p=padding: F.conv2d(x, w, padding=(p, 0)), (x, w)).module
        text = str(lower_to(module, "loop", CompilerOptions(products="generated", device="h200")))
        times += [float(us) for us in re.findall(r"([\d.]+) us predicted", text)]
    assert len(times) == 2 and times[1] < 1.05 * times[0]


def test_infinities_and_nan() -> None:
    """They reach the results whose windows hold them, and no others."""
    x, w, b, *_ = inputs("cpu", torch.bfloat16, (1, 32, 8, 8, 16, 3))
    x[0, 3, 2, 5], x[0, 7, 6, 1] = torch.nan, torch.inf
    function = CASES["bias"].function
    found, eager = compiled(function, [], cpu="interpret")(x, w, b), function(x, w, b)
    assert torch.equal(found.isnan(), eager.isnan())
    assert torch.equal(found.isinf(), eager.isinf())


def test_two_readers_share_one_sum() -> None:
    """What the caller keeps is written by the kernel that computes what follows."""
    x, w, *_ = inputs("cpu", torch.bfloat16, (2, 32, 6, 5, 16, 3))

    def function(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        y = F.conv2d(x, w, padding=1)
        return y, F.gelu(y)

    sources: list[str] = []
    found, eager = compiled(function, sources, cpu="interpret")(x, w), function(x, w)
    torch.testing.assert_close(found, eager, rtol=2e-2, atol=2e-2)
    assert (sources[0].count("@triton.jit"), sources[0].count("tl.dot(")) == (1, 1)


def test_statistics_of_a_batch_stay_behind_the_library() -> None:
    """A norm that needs all of the result cannot join it; one of known statistics can, and is spared a kernel."""
    x, w, _, *norm = inputs("cpu", torch.bfloat16, (32, 64, 56, 56, 256, 1))

    def text(training: bool) -> str:
        module = import_callable(
            lambda x, w, *n: F.batch_norm(F.conv2d(x, w), *n, training=training), (x, w, *norm[:2])
        ).module
        return str(lower_to(module, "fused", CompilerOptions(device="h200")))

    assert "aten.convolution" in text(training=True)
    assert "aten.convolution" not in text(training=False)


@pytest.mark.parametrize("groups", [1, 16])
def test_sizes_that_vary(groups: int) -> None:
    """Numbers of pictures, and of their rows and columns; no picture at all."""

    def function(x: Tensor, w: Tensor) -> Tensor:
        return F.relu(F.conv2d(x, w, padding=1, groups=groups))

    torch.manual_seed(0)
    w = torch.randn(16, 16 // groups, 3, 3).bfloat16().to(memory_format=LAST)
    found = compiled(function, [], dynamic=True, cpu="interpret", products="quicker")
    for n, h, v in ((2, 6, 9), (3, 7, 5)):
        x = torch.randn(n, 16, h, v).bfloat16().to(memory_format=LAST)
        torch.testing.assert_close(found(x, w), function(x, w), rtol=2e-2, atol=2e-2)
    empty = torch.randn(0, 16, 6, 9).bfloat16().to(memory_format=LAST)
    given = compiled(function, [], cpu="interpret")(empty, w)
    assert (given.shape, given.dtype) == ((0, 16, 6, 9), torch.bfloat16)
