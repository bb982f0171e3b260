"""Results down columns, alone and beside row results (norm backwards in two kernels), against float64."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import Executable, compile_imported
from mlc_compiler.frontend.backend import compile_graph_module
from tests.unit.test_end_to_end import DEVICES


def layer_norm(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return functional.layer_norm(x, x.shape[-1:], w, b)


def rms_norm(x: Tensor, w: Tensor) -> Tensor:
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w


CASES = [
    pytest.param(layer_norm, (1000, 300), 2, id="layer_norm-1000x300"),
    pytest.param(layer_norm, (4, 250, 256), 2, id="layer_norm-4x250x256"),
    pytest.param(layer_norm, (37, 5000), 2, id="layer_norm-37x5000"),
    pytest.param(layer_norm, (150, 4097), 2, id="layer_norm-150x4097"),
    pytest.param(rms_norm, (1009, 512), 1, id="rms_norm-1009x512"),
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("norm, shape, weights", CASES)
def test_norm_backward(
    norm: Callable[..., Tensor], shape: tuple[int, ...], weights: int, dtype: torch.dtype, device: str
) -> None:
    """Two kernels give dx, dw and db; each as close to float64 as 16 or 32 bits and a sum in float32 allow."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    leaves = [torch.randn(s, device=device).to(dtype) for s in (shape, *[shape[-1:]] * weights)]
    upstream = torch.randn(shape, device=device).to(dtype)
    exact = [t.double().requires_grad_() for t in leaves]
    wanted = torch.autograd.grad(norm(*exact), exact, upstream.double())
    seen: list[Executable] = []
    backend = partial(compile_graph_module, observe=lambda _, executable: seen.append(executable))
    own = [t.requires_grad_() for t in leaves]
    got = torch.autograd.grad(torch.compile(norm, backend=backend, fullgraph=True)(*own), own, upstream)
    assert seen[-1].source.count("@triton.jit") == 2
    epsilon = torch.finfo(dtype).eps
    for ours, theirs in zip(got, wanted, strict=True):
        scale = theirs.abs().max().item()
        assert (ours.double() - theirs).abs().max().item() <= 4 * max(epsilon, 2e-6) * scale


DOWN: dict[str, Callable[[Tensor], Tensor]] = {
    "sum": lambda x: x.sum(0),
    "max": lambda x: x.amax(0),
    "variance": lambda x: x.var(0),
    "softmax": lambda x: torch.softmax(x, 0),
    "moments": lambda x: torch.cat([*torch.var_mean(x, 0)]),
    "two sums": lambda x: torch.stack([x.sum(0), (x * x).sum(0)]),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", [(4500, 261), (300, 1003)])
@pytest.mark.parametrize("name", DOWN)
def test_down_columns_that_begin_anywhere(name: str, shape: tuple[int, int], dtype: torch.dtype, device: str) -> None:
    """The last block of rows begins early, in parts of columns as well; every result is there, and one."""
    generator = torch.Generator().manual_seed(1)
    x = (torch.randn(shape, generator=generator) * 3 + 1).to(dtype)
    x[7, -1], x[9, 3] = float("nan"), float("nan") if name == "moments" else float("inf")  # eager's mean would be NaN
    exact = DOWN[name](x.double())
    program = compile_imported(import_callable(DOWN[name], [x.to(device)]))
    assert "tl.minimum(" in program.source
    (found,) = program(x.to(device))
    epsilon = torch.finfo(dtype).eps
    wanted = exact.to(dtype).double()  # what is too large for 16 bits is infinite
    scale = wanted.nan_to_num(0, 0, 0).abs().max().item()
    torch.testing.assert_close(
        found.cpu().double(), wanted, rtol=4 * epsilon, atol=4 * max(epsilon, 2e-6) * scale, equal_nan=True
    )
