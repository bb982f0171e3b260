"""Tensors that are channels last or otherwise permuted in memory: results and strides as eager has them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils._pytree import tree_leaves

from lowering.fx_to_tensor import import_callable
from mlc_compiler import pipeline
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.pipeline import lower_to
from passes.loop.restructure.tile_transpose import TileTransposePass
from tests.unit.test_end_to_end import DEVICES

SPECIAL = (float("nan"), float("inf"), -float("inf"), -0.0, 1e-40)
IMAGE, OTHER, VIDEO = (2, 24, 5, 7), (2, 9, 5, 7), (2, 6, 3, 5, 4)
LAST, FIRST = (0, 2, 3, 1), (0, 1, 2, 3)


def batch_norm(x: Tensor, w: Tensor) -> Tensor:
    return F.batch_norm(x, None, None, w, w * 2, training=True)


def both_ways(x: Tensor) -> Any:
    """A result for each axis."""
    return x.mean((2, 3)), x.sum(2), x.amax(1), x.sum((0, 2, 3)), x.sum()


def windows(x: Tensor) -> Tensor:
    """Two maxima of a window, of which one lies outside."""
    return F.max_pool2d(x, 3, 2, 1) + F.max_pool2d(x, (1, 2), 2, (0, 1))[..., :4]


CASES = [
    pytest.param(lambda x: F.silu(x), [(IMAGE, LAST)], id="silu"),
    pytest.param(lambda x: F.silu(x) * 2, [(VIDEO, (0, 2, 3, 4, 1))], id="five-axes"),
    pytest.param(lambda x: F.relu(x) + 1, [(OTHER, (1, 3, 0, 2))], id="any-order"),
    pytest.param(lambda x, b: F.gelu(x + b[:, None, None]), [(IMAGE, LAST), ((24,), (0,))], id="bias"),
    pytest.param(lambda x, y: x * 2 + y, [(IMAGE, LAST), (IMAGE, FIRST)], id="both-orders"),
    pytest.param(lambda x, y: y - x, [(IMAGE, LAST), (IMAGE, FIRST)], id="both-orders-turned"),
    pytest.param(lambda x: (x + 1).contiguous(), [(IMAGE, LAST)], id="to-contiguous"),
    pytest.param(lambda x: (x + 1).contiguous(memory_format=torch.channels_last), [(IMAGE, FIRST)], id="to-last"),
    pytest.param(lambda x: x[:, 1:-1, 1:-1, 1:-1] * 2, [(IMAGE, LAST)], id="slice"),
    pytest.param(lambda x: x[:, :, ::2, 1::3] + x[:, :, 1:4, :2], [(IMAGE, LAST)], id="strided-slice"),
    pytest.param(lambda x: x.flip(1) + x.roll((2, 3), (2, 1)), [(IMAGE, LAST)], id="flip-and-roll"),
    pytest.param(lambda x, y: torch.cat([x, y, x], 1) + 1, [(IMAGE, LAST), (OTHER, LAST)], id="cat"),
    pytest.param(lambda x: F.pad(x, (1, 2, 0, 1, 3, 2), value=2.0) + 1, [(IMAGE, LAST)], id="pad"),
    pytest.param(windows, [(IMAGE, LAST)], id="max-pool"),
    pytest.param(lambda x: F.avg_pool2d(x, 3, 2, 1) * 2, [(IMAGE, LAST)], id="avg-pool"),
    pytest.param(lambda x: F.interpolate(x, scale_factor=2) + 1, [(IMAGE, LAST)], id="nearest"),
    pytest.param(lambda x: F.pixel_shuffle(x, 2) + 1, [(IMAGE, LAST)], id="pixel-shuffle"),
    pytest.param(lambda x: x[:, torch.tensor([3, 1, 1], device=x.device)] + 1, [(IMAGE, LAST)], id="gather"),
    pytest.param(lambda x: torch.softmax(x, 1), [(IMAGE, LAST)], id="softmax-channels"),
    pytest.param(lambda x: torch.softmax(x, 3) + x, [(IMAGE, LAST)], id="softmax-width"),
    pytest.param(batch_norm, [(IMAGE, LAST), ((24,), (0,))], id="batch-norm"),
    pytest.param(lambda x, w: F.group_norm(x, 4, w, w), [(IMAGE, LAST), ((24,), (0,))], id="group-norm"),
    pytest.param(lambda x: F.layer_norm(x, x.shape[1:]), [(IMAGE, LAST)], id="layer-norm"),
    pytest.param(both_ways, [(IMAGE, LAST)], id="reductions"),
    pytest.param(lambda x: (x.argmax(1), x.flatten(1).argmin(1), x.argmax(2)), [(IMAGE, LAST)], id="argmax"),
    pytest.param(lambda x: (x.cumsum(1), x.cumsum(2) + 1), [(IMAGE, LAST)], id="scans"),
    pytest.param(lambda x: torch.arange(x.numel(), device=x.device).view(x.shape) + x, [(IMAGE, LAST)], id="numbers"),
    pytest.param(lambda x: (x * 2).flatten(1) + 1, [(IMAGE, LAST)], id="flatten"),
]


def tensor(shape: Sequence[int], order: Sequence[int], seed: int, device: str = "cpu") -> Tensor:
    """Random numbers, in memory without gaps, the axes in `order`."""
    own = [shape[d] for d in order]
    values = torch.randn(own, generator=torch.Generator().manual_seed(seed))
    return values.permute([order.index(d) for d in range(len(shape))]).to(device)


def check(function: Callable[..., Any], inputs: Sequence[Tensor]) -> None:
    """Compiled, the function gives what eager gives, in the same strides."""
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=compile_graph_module, fullgraph=True)
    for got, wanted in zip(tree_leaves(compiled(*inputs)), tree_leaves(function(*inputs)), strict=True):
        assert got.stride() == wanted.stride()
        torch.testing.assert_close(got, wanted, rtol=1e-5, atol=1e-5, equal_nan=True)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function, inputs", CASES)
def test_memory_orders(
    function: Callable[..., Any], inputs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]], device: str
) -> None:
    if device == "cuda" and "pixel_shuffle" in function.__code__.co_names:
        pytest.skip("its CUDA kernel gives row-major results, where its meta function promises channels last")
    check(function, [tensor(*like, seed=k, device=device) for k, like in enumerate(inputs)])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["silu", "both-orders", "cat", "max-pool", "reductions", "argmax", "slice"])
def test_special_numbers(name: str) -> None:
    """NaN, infinities, -0.0 and a denormal, here and there."""
    values: Any = next(case.values for case in CASES if case.id == name)
    function, likes = values
    inputs = [tensor(*like, seed=k) for k, like in enumerate(likes)]
    for x in inputs:
        flat = x.as_strided((x.numel(),), (1,))
        flat[::7] = torch.tensor(SPECIAL).repeat(flat[::7].numel())[: flat[::7].numel()]
    check(function, inputs)


def chain(x: Tensor, w: Tensor) -> Any:
    """What lies between kernels and calls is seen by neither caller nor eager."""
    y = F.silu(x)
    z = y / y.sum((0, 2, 3), keepdim=True)
    return F.silu(F.conv2d(z, w)), z.mean((1, 2, 3)), torch.softmax(z + y, 1).flatten(1)


def step(p: Tensor, g: Tensor, m: Tensor) -> Tensor:
    """Writes two of its arguments."""
    m.mul_(0.9).add_(g)
    return p.sub_(m * 0.1)


def test_between_kernels_and_calls() -> None:
    check(chain, [tensor(IMAGE, LAST, 0), tensor((4, 24, 3, 3), LAST, 1)])


@pytest.mark.parametrize("orders", [(LAST, LAST, LAST), (LAST, FIRST, LAST), (FIRST, LAST, LAST)])
def test_arguments_are_written(orders: Sequence[Sequence[int]]) -> None:
    inputs = [tensor(IMAGE, order, k) for k, order in enumerate(orders)]
    wanted = [x.clone() for x in inputs]
    torch._dynamo.reset()
    torch.compile(step, backend=compile_graph_module, fullgraph=True)(*inputs)
    step(*wanted)
    for got, exact in zip(inputs, wanted, strict=True):
        torch.testing.assert_close(got, exact)


def test_a_call_reads_what_it_is_given() -> None:
    """Nothing is copied in front of a convolution."""
    text = lower_to(import_callable(chain, [tensor(IMAGE, LAST, 0), tensor((4, 24, 3, 3), LAST, 1)]).module, "source")
    assert isinstance(text, str)
    (call,) = (line for line in text.splitlines() if "convolution.default" in line)
    assert "with_layout" not in call


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(6))
def test_every_input_in_an_order_of_its_own(seed: int) -> None:
    """Sums, numbers for each channel and planes, of three inputs and two results."""
    orders = list(itertools.permutations(range(4)))
    picked = random.Random(seed).choices(orders, k=3)

    def function(x: Tensor, y: Tensor, z: Tensor) -> Any:
        s = x * 2 + y - z
        return s, s / s.abs().sum((1, 3), keepdim=True), (s * x).mean((0, 2))

    check(function, [tensor((3, 4, 5, 2), order, k) for k, order in enumerate(picked)])


def source(function: Callable[..., Any], *inputs: Tensor) -> str:
    """The kernels of a function."""
    text = lower_to(import_callable(function, list(inputs)).module, "source")
    assert isinstance(text, str)
    return text[text.index("@triton.jit") :]


@pytest.mark.parametrize(
    "function, shape, order",
    [
        pytest.param(lambda x: F.silu(x), IMAGE, LAST, id="pointwise"),
        pytest.param(lambda x: F.silu(x), VIDEO, (0, 2, 3, 4, 1), id="five-axes"),
        pytest.param(lambda x: x * 2, VIDEO, (3, 1, 4, 0, 2), id="any-order"),
        pytest.param(lambda x: x.sum(), IMAGE, LAST, id="sum"),
        pytest.param(lambda x: x.sum((0, 2, 3)), IMAGE, (1, 3, 0, 2), id="statistics"),
        pytest.param(lambda x: x.sum((1, 2, 3)), IMAGE, LAST, id="rows"),
    ],
)
def test_nothing_is_divided(function: Callable[..., Any], shape: Sequence[int], order: Sequence[int]) -> None:
    """Axes that lie next to each other in memory are one."""
    text = source(function, tensor(shape, order, 0))
    assert not any(f"{index} //" in text for index in ("p", "r", "q", "lanes"))


def test_tiles_as_of_a_transpose(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two orders meet, whichever the result has, tiles are possible; so small a tensor would have none."""
    monkeypatch.setattr(pipeline, "TileTransposePass", partial(TileTransposePass, tile="stored"))
    x, y = tensor((2, 64, 8, 16), LAST, 0), tensor((2, 64, 8, 16), FIRST, 1)
    transposed = source(lambda y: y.permute(0, 2, 3, 1).contiguous() + 1, y)
    assert "tl.program_id(1)" in transposed
    assert "tl.program_id(1)" in source(lambda x, y: x + y, x, y)
    assert "tl.program_id(1)" in source(lambda x, y: y + x, x, y)
    assert "tl.program_id(1)" in source(lambda x: (x + 1).contiguous(), x)
