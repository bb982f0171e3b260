"""Equal layers of a model have one kernel, and each layer its own numbers."""

import pytest
import torch
from torch import nn
from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.options import CompilerOptions


class Layer(nn.Module):
    """A norm and a product, with weights of their own."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.linear = nn.LayerNorm(width), nn.Linear(width, width)
        nn.init.normal_(self.norm.weight)
        nn.init.normal_(self.norm.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.tanh(self.linear(self.norm(x)))


def kernels_of(layers: int, cpu: str) -> list[int]:
    """The kernels of the forward and the backward pass, both of which have eager's numbers."""
    torch.manual_seed(0)
    model, x = nn.Sequential(*(Layer(48) for _ in range(layers))), torch.randn(6, 48)
    seen: list[Executable] = []

    def keep(_: ModuleOp, executable: Executable) -> None:
        seen.append(executable)

    def backend(gm: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> object:
        return compile_graph_module(gm, inputs, options=CompilerOptions(cpu=cpu), observe=keep)

    torch._dynamo.reset()
    y, parameters = torch.compile(model, backend=backend)(x), [*model.parameters()]
    torch.testing.assert_close(y, model(x), rtol=1e-4, atol=1e-5)
    found, want = (torch.autograd.grad(z.square().sum(), parameters) for z in (y, model(x)))
    torch.testing.assert_close(found, want, rtol=1e-3, atol=1e-3)
    return [len(executable.kernels) for executable in seen]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("cpu", ["native", "interpret"])
def test_more_layers_have_no_more_kernels(cpu: str) -> None:
    few, many = kernels_of(3, cpu), kernels_of(6, cpu)
    assert len(few) == 2
    assert few == many
