"""Frozen parameters: the results of eager, batch norm gone, and clear words where they cannot be frozen."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
import torch
from torch import nn
from torch._dynamo.exc import BackendCompilerFailed

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import Executable, compile_imported
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.options import CompilerOptions
from mlc_support.errors import MlcError

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def trained(*layers: nn.Module) -> nn.Sequential:
    """The layers in inference, batch norms with statistics that are not those of the start."""
    model = nn.Sequential(*layers).eval()
    for layer in model.modules():
        if isinstance(layer, nn.BatchNorm1d | nn.BatchNorm2d):
            assert layer.running_mean is not None and layer.running_var is not None
            layer.running_mean.normal_()
            layer.running_var.uniform_(0.5, 2)
            nn.init.normal_(layer.weight)
            nn.init.normal_(layer.bias)
    return model


class Transposed(nn.Module):
    """A weight that is turned, scaled and cast: all of it once."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 8))
        self.steps = nn.Buffer(torch.arange(8).float())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ (self.weight.T / 8**0.5).exp() + self.steps[:6].sin()


CASES: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "convolution and batch norm": (
        lambda: trained(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU()), (2, 3, 8, 8),
    ),
    "without a bias": (
        lambda: trained(nn.Conv2d(4, 8, 3, bias=False, groups=2), nn.BatchNorm2d(8)), (2, 4, 8, 8),
    ),
    "linear and batch norm": (lambda: trained(nn.Linear(16, 8), nn.BatchNorm1d(8)), (4, 16)),
    "batch norm first": (lambda: trained(nn.BatchNorm2d(3), nn.Conv2d(3, 4, 3)), (2, 3, 8, 8)),
    "transposed": (Transposed, (4, 8)),
    "layer norm": (lambda: trained(nn.Linear(8, 8), nn.LayerNorm(8), nn.GELU()), (4, 8)),
}  # fmt: skip


def compiled(model: nn.Module, seen: list[Executable], **options: Any) -> Callable[..., Any]:
    torch._dynamo.reset()
    backend = partial(compile_graph_module, observe=lambda _, executable: seen.append(executable))
    return torch.compile(model, backend=backend, fullgraph=True, options={"freeze": True}, **options)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_results_are_eager_s(name: str, dtype: torch.dtype, device: str) -> None:
    """Up to rounding, with the strides of eager, for two inputs."""
    build, shape = CASES[name]
    model = build().to(device, dtype)
    exact = deepcopy(model).to(torch.float64)
    run = compiled(model, [])
    with torch.no_grad():
        for seed in range(2):
            x = torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(device, dtype)
            found, eager, wanted = run(x), model(x), exact(x.double())
            assert found.stride() == eager.stride() and found.dtype == eager.dtype
            error, allowed = ((y.double() - wanted).abs().max().item() for y in (found, eager))
            assert error <= 3 * allowed + (1e-2 if dtype == torch.bfloat16 else 1e-5)


def test_batch_norm_is_gone() -> None:
    """The call is a convolution and one kernel for relu; the weights are an argument, not text."""
    seen: list[Executable] = []
    model = trained(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
    with torch.no_grad():
        compiled(model, seen)(torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last))
    main = seen[0].source.split("def inference_weights")[0]
    assert main.count("convolution") == 1
    assert main.count("[(") == 1, main
    assert len(seen[0].imported.constants) == 2


def test_no_call_copies_a_weight() -> None:
    """A linear layer with a bias is a call, whose weight is transposed in memory as the parameter is."""
    seen: list[Executable] = []
    model = trained(nn.Linear(16, 8), nn.ReLU()).to(torch.bfloat16)
    with torch.no_grad():
        compiled(model, seen)(torch.randn(4, 16, dtype=torch.bfloat16))
    (line,) = [line for line in seen[0].source.splitlines() if "torch.addmm" in line]
    assert "with_layout" not in line


def test_sizes_may_vary() -> None:
    """A batch of named size."""
    model = trained(nn.Linear(16, 8), nn.BatchNorm1d(8))
    run = compiled(model, [], dynamic=True)
    with torch.no_grad():
        for count in (3, 5):
            x = torch.randn(count, 16)
            torch.testing.assert_close(run(x), model(x), rtol=1e-4, atol=1e-4)


def test_what_the_model_writes_is_not_frozen() -> None:
    """Batch norm in training, without gradients, keeps its statistics."""
    model = trained(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).train()
    models = [model, deepcopy(model)]
    run = compiled(models[0], [])
    with torch.no_grad():
        for _ in range(3):
            x = torch.randn(2, 3, 8, 8)
            torch.testing.assert_close(run(x), models[1](x), rtol=1e-4, atol=1e-4)
    for found, wanted in zip(models[0].buffers(), models[1].buffers(), strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)


def test_exported_programs() -> None:
    """The same through the importer of modules."""
    model = trained(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))
    x = torch.randn(2, 3, 8, 8)
    with torch.no_grad():
        run = compile_imported(import_callable(model, (x,)), CompilerOptions(freeze=True))
        torch.testing.assert_close(run(x)[0], model(x), rtol=1e-4, atol=1e-4)


def test_gradients_are_refused() -> None:
    """With words that say what to do."""
    model = trained(nn.Linear(4, 4))
    with pytest.raises(BackendCompilerFailed, match="freeze: gradients are wanted") as caught:
        compiled(model, [])(torch.randn(2, 4))
    assert "torch.no_grad()" in str(caught.value)


def test_changed_parameters_are_noticed() -> None:
    """Written in place after the model was compiled."""
    linear = nn.Linear(4, 4)
    model = trained(linear, nn.BatchNorm1d(4))
    run = compiled(model, [])
    with torch.no_grad():
        run(torch.randn(2, 4))
        linear.weight.mul_(2)
        with pytest.raises(MlcError, match="weight has changed since the model was compiled"):
            run(torch.randn(2, 4))


def test_declined_rules_leave_no_use_behind() -> None:
    """A shift that no rule folds is read by the program alone: it can be split off."""
    model = trained(nn.BatchNorm2d(3), nn.ReLU())
    with torch.no_grad():
        x = torch.randn(2, 3, 4, 4)
        torch.testing.assert_close(compiled(model, [])(x), model(x))
