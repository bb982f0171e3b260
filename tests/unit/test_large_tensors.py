"""Tensors of 2^31 elements and more: kernels count in 64 bits."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor import import_callable
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.kernels.aot import machine_code
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.kernel_requests import kernel_requests
from mlc_compiler.pipeline import lower_to

MANY = 2**31 + 64
OFFSET = re.compile(r"tt\.addptr .*, (?:tensor<[\dx]*x)?(i\d+)>? loc")
"""The type of what is added to a pointer."""


def offsets(function: Callable[..., torch.Tensor], *shape: int) -> set[str]:
    """The types of all offsets in the kernels of `function` of one tensor of bytes."""
    with FakeTensorMode():
        module = lower_to(import_callable(function, [torch.empty(shape, dtype=torch.int8)]).module, "triton")
    assert isinstance(module, ModuleOp)
    found: set[str] = set()
    for request in kernel_requests(module, write_source(module_source(module))):
        found.update(OFFSET.findall(machine_code(request).asm["ttir"]))
    return found


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda x: x + 1, (MANY,)),
        (lambda x: x.t() + 1, (MANY // 64, 64)),
        (lambda x: x.sum(1), (64, MANY // 64)),
        (lambda x: x.sum(0), (MANY // 64, 64)),
    ],
    ids=["pointwise", "transposed", "rows", "columns"],
)
def test_offsets_of_large_tensors_are_wide(function: Callable[..., torch.Tensor], shape: tuple[int, ...]) -> None:
    assert "i64" in offsets(function, *shape)


def test_offsets_of_small_tensors_are_narrow() -> None:
    assert offsets(lambda x: x + 1, 4096) == {"i32"}


@pytest.mark.gpu
def test_large_tensors_on_a_gpu() -> None:
    """The last elements, which 32 bits cannot count to."""
    torch._dynamo.reset()
    x = torch.zeros(MANY, dtype=torch.int8, device="cuda")
    x[-3:] = torch.tensor([1, 2, 3], dtype=torch.int8)
    found = torch.compile(lambda x: (x + 1, x.sum()), backend=compile_graph_module, fullgraph=True)(x)
    assert found[0][-4:].tolist() == [1, 2, 3, 4]
    assert found[0][:4].tolist() == [1, 1, 1, 1]
    assert found[1].item() == 6


@pytest.mark.gpu
def test_large_views_on_a_gpu() -> None:
    """An expanded tensor has as many elements without the memory."""
    torch._dynamo.reset()
    x = torch.arange(64, dtype=torch.int8, device="cuda").expand(MANY // 64, 64)
    found = torch.compile(lambda x: x + 1, backend=compile_graph_module, fullgraph=True)(x)
    assert torch.equal(found[-1], x[0] + 1)
