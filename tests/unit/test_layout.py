"""Channels last from end to end: the numbers and the strides of eager, conversions at the boundary alone."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor import import_callable
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.common.annotations import CHANNELS_LAST
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.views import PermuteOp

pytestmark = pytest.mark.usefixtures("machine_code")
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


class Residual(nn.Module):
    """Two convolutions around a shortcut, a concatenation, pooling, a mean over the picture."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(8, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.second = nn.Conv2d(16, 16, 3, padding=1, bias=False)
        self.last = nn.Conv2d(32, 8, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a = F.relu(self.norm(self.first(x)))
        b = torch.cat([F.silu(self.second(a) + a), a], 1)
        c = self.last(F.max_pool2d(F.pad(b, (0, 1, 0, 1)), 2))
        return c, c.float().mean((2, 3))


def chain() -> nn.Module:
    return nn.Sequential(nn.Conv2d(8, 16, 3), nn.GELU(), nn.Conv2d(16, 8, 3), nn.AvgPool2d(2))


MODELS: dict[str, Callable[[], nn.Module]] = {
    "residual": Residual,
    "chain": chain,
    "single": lambda: nn.Sequential(nn.Conv2d(8, 16, 3)),
    "transposed": lambda: nn.Sequential(nn.ConvTranspose2d(8, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3)),
}


def compiled(model: nn.Module, freeze: bool) -> Callable[..., Any]:
    torch._dynamo.reset()
    backend = partial(compile_graph_module)
    return torch.compile(model, backend=backend, fullgraph=True, options={"freeze": freeze})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("freeze", [False, True], ids=["plain", "frozen"])
@pytest.mark.parametrize("last", [False, True], ids=["first", "last"])
@pytest.mark.parametrize("name", MODELS)
def test_results_are_eager_s(name: str, last: bool, freeze: bool, device: str) -> None:
    """Inputs of either layout; results lie as eager's do."""
    torch.manual_seed(0)
    model = MODELS[name]().eval().to(device, torch.bfloat16)
    x = torch.randn(2, 8, 12, 10, device=device).to(torch.bfloat16)
    if last:
        x = x.to(memory_format=torch.channels_last)
        model.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]
    with torch.no_grad():
        found, eager, exact = compiled(model, freeze)(x), model(x), deepcopy(model).double()(x.double())
    for got, plain, wanted in zip(*map(_leaves, (found, eager, exact)), strict=True):
        assert got.shape == plain.shape and got.dtype == plain.dtype
        assert got.stride() == plain.stride()
        error, allowed = ((y.double() - wanted).abs().max().item() for y in (got, plain))
        assert error <= 3 * allowed + 1e-2


def _leaves(value: Any) -> list[torch.Tensor]:
    return list(value) if isinstance(value, tuple) else [value]


def test_gradients() -> None:
    """A training step; what the backward pass reads leaves the component."""
    torch.manual_seed(0)
    model = chain().to(torch.bfloat16)
    other = deepcopy(model)
    x = torch.randn(2, 8, 12, 10).to(torch.bfloat16)
    compiled(model, False)(x).float().square().sum().backward()
    other(x).float().square().sum().backward()
    for got, wanted in zip(model.parameters(), other.parameters(), strict=True):
        assert got.grad is not None and wanted.grad is not None
        torch.testing.assert_close(got.grad, wanted.grad, rtol=5e-2, atol=5e-1)


def simplified(model: nn.Module, x: torch.Tensor) -> ModuleOp:
    module = lower_to(import_callable(model.eval(), (x,)).module, "simplified", CompilerOptions(canonicalize=True))
    assert isinstance(module, ModuleOp)
    return module


def test_conversions_stand_at_the_boundary() -> None:
    """One for the input, one for each weight of 3 x 3 (1 x 1 is a reshape), one for the result that is a picture."""
    module = simplified(Residual().to(torch.bfloat16), torch.randn(32, 8, 12, 10).to(torch.bfloat16))
    calls = [op for op in module.walk() if isinstance(op, ExternOp)]
    assert len(calls) == 3 and all(CHANNELS_LAST in op.attributes for op in calls)
    assert sum(isinstance(op, PermuteOp) for op in module.walk()) == 4


@pytest.mark.parametrize("tf32", [False, True])
def test_float32_by_tensor_cores(tf32: bool) -> None:
    """Channels last where PyTorch lets the library round to TF32; else it would gain nothing."""
    with torch.backends.cudnn.flags(allow_tf32=tf32):
        module = simplified(chain(), torch.randn(32, 8, 12, 10))
    assert any(isinstance(op, PermuteOp) for op in module.walk()) == tf32


KINDS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "audio": (
        lambda: nn.Sequential(nn.Conv1d(8, 16, 5, 2, 2), nn.GELU(), nn.Conv1d(16, 8, 3, dilation=2)),
        (2, 8, 31),
    ),
    "audio-transposed": (
        lambda: nn.Sequential(nn.ConvTranspose1d(8, 16, 4, 2, 1, output_padding=1), nn.ReLU(), nn.Conv1d(16, 8, 1)),
        (2, 8, 15),
    ),
    "volumes": (lambda: nn.Sequential(nn.Conv3d(8, 16, 3), nn.SiLU(), nn.Conv3d(16, 8, 1)), (2, 8, 6, 7, 5)),
    "volumes-transposed": (
        lambda: nn.Sequential(nn.ConvTranspose3d(8, 16, 2, 2), nn.ReLU(), nn.Conv3d(16, 8, 3)),
        (2, 8, 3, 4, 5),
    ),
    "grouped": (
        lambda: nn.Sequential(nn.Conv2d(8, 16, 1), nn.ReLU(), nn.Conv2d(16, 16, 3, groups=4), nn.Conv2d(16, 8, 1)),
        (2, 8, 9, 7),
    ),
    "groups of two": (
        lambda: nn.Sequential(nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3, groups=8), nn.Conv2d(16, 8, 3)),
        (2, 8, 11, 9),
    ),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("freeze", [False, True], ids=["plain", "frozen"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("name", KINDS)
def test_every_kind(name: str, dtype: torch.dtype, freeze: bool, device: str) -> None:
    """One to three dimensions, either direction, groups: the numbers and the strides of eager."""
    torch.manual_seed(0)
    make, shape = KINDS[name]
    model, x = make().eval().to(device, dtype), torch.randn(shape, device=device).to(dtype)
    for given in (x, x.transpose(1, -1).contiguous().transpose(1, -1)):
        with torch.no_grad():
            found, eager = compiled(model, freeze)(given), model(given)
            wanted = deepcopy(model).double()(given.double())
        assert found.shape == eager.shape and found.dtype == eager.dtype
        assert found.stride() == eager.stride()
        error, allowed = ((y.double() - wanted).abs().max().item() for y in (found, eager))
        # PyTorch lets convolutions of float32 be rounded to TF32 on a GPU, which eager need not have chosen.
        rounding = 1e-2 if dtype == torch.bfloat16 else 1e-3 if device == "cuda" else 1e-5
        assert error <= 3 * allowed + rounding


@pytest.mark.parametrize("name", KINDS)
def test_which_lie_last(name: str) -> None:
    """All but convolutions of groups of two channels."""
    make, shape = KINDS[name]
    module = simplified(make().to(torch.bfloat16), torch.randn((32, *shape[1:])).to(torch.bfloat16))
    calls = [op for op in module.walk() if isinstance(op, ExternOp)]
    last = [CHANNELS_LAST in op.attributes for op in calls]
    assert last == {"groups of two": [True, False, True], "grouped": [True] * 3}.get(name, [True, True])
