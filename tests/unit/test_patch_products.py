"""patch-products: the numbers of a convolution, and no call of one."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor import import_callable
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.loop.host import CallOp
from mlc_dialects.loop.host_memory import peak_bytes
from mlc_support.verification import verify_module
from passes.tensor.patch_products import PatchProductsPass
from tests.unit.torch_oracle import Oracle


class Embedding(nn.Module):
    """What a vision transformer begins with."""

    def __init__(self, convolution: nn.Module, width: int) -> None:
        super().__init__()
        self.convolution, self.norm = convolution, nn.LayerNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.convolution(x).flatten(2).transpose(1, 2))


CASES = {
    "sound": (nn.Conv1d(1, 8, 16, 16), (2, 1, 64)),
    "pictures": (nn.Conv2d(3, 8, (4, 8), (4, 8), bias=False), (2, 3, 8, 16)),
    "films": (nn.Conv3d(3, 8, (2, 4, 4), (2, 4, 4), bias=False), (1, 3, 4, 8, 12)),
}


@pytest.mark.parametrize("name", CASES)
def test_same_numbers(name: str) -> None:
    """Sums are of the same terms; the order may differ."""
    torch.manual_seed(0)
    convolution, shape = CASES[name]
    x = torch.randn(shape).to(torch.bfloat16)
    imported = import_callable(convolution.to(torch.bfloat16), (x,))
    expected = Oracle(imported)(x)
    PatchProductsPass().apply(Context(), imported.module)
    verify_module(imported.module)
    biased = convolution.bias is not None
    assert ("aten.convolution" in str(imported.module)) == biased  # a bias that no kernel adds stays in the call
    for found, wanted in zip(Oracle(imported)(x), expected, strict=True):
        torch.testing.assert_close(found, wanted, rtol=2e-2, atol=2e-2)


def test_one_copy_of_the_picture() -> None:
    """Beside the rows of patches there is the result; the weights lie as they are."""
    model = Embedding(nn.Conv2d(3, 64, 8, 8), 64).to(torch.bfloat16)
    x = torch.randn(2, 3, 64, 64).to(torch.bfloat16)
    module = lower_to(import_callable(model, (x,)).module, "triton", CompilerOptions(products="library"))
    assert isinstance(module, ModuleOp)
    (calls,) = [
        [op.callee.data for op in f.walk() if isinstance(op, CallOp)] for f in module.ops if f.name == "func.func"
    ]
    assert calls == ["aten.mm.default"]
    (function,) = [f for f in module.ops if f.name == "func.func"]
    assert peak_bytes(function) == 2 * (x.numel() + 2 * 64 * 64)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("products", ["quicker", "generated"])
def test_patches_are_multiplied_by_tensor_cores(products: str) -> None:
    """Whoever computes them: the rows of patches are no view that strides express, and their sum has several axes."""
    model = Embedding(nn.Conv2d(3, 384, 16, 16), 384).to(torch.bfloat16)
    with FakeTensorMode(allow_non_fake_inputs=True):
        x = torch.empty(64, 3, 224, 224, dtype=torch.bfloat16)
        module = import_callable(model, (x,)).module
    text = str(lower_to(module, "triton", CompilerOptions(products=products, device="h200")))
    assert ("aten.mm" in text) != ("mlc_triton.dot" in text)
    assert ("aten.mm" in text) == (products == "quicker")
