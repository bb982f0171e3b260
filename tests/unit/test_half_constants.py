"""Constants of 16-bit floats that are small: Triton makes a bfloat16 of six decimals."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor import import_callable
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.kernels.aot import machine_code
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.kernel_requests import kernel_requests
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from tests.unit.test_end_to_end import DEVICES
from tests.unit.test_split_scan import compiled_once

NUMBERS = [1.27e-5, -4.6e-6, 3e-7]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("number", NUMBERS)
def test_compiled_constants(number: float, dtype: torch.dtype) -> None:
    """The constant of the compiled kernel is that of the program, rounded to its type."""
    wanted = torch.tensor(number, dtype=dtype).item()
    for function in chosen(number):
        assert any(found == pytest.approx(wanted, rel=1e-4) for found in constants(function, dtype)), function


def chosen(number: float) -> list[Callable[[Tensor], Tensor]]:
    """Two functions of a tensor that take a number: one computes with it, one only selects it."""
    return [lambda x: x.clamp_min(number), lambda x: torch.where(x.isnan(), number, x)]


def constants(function: Callable[[Tensor], Tensor], dtype: torch.dtype) -> list[float]:
    """The floats that Triton's IR of a function's kernel has."""
    with FakeTensorMode():
        imported = import_callable(function, [torch.empty(1 << 20, dtype=dtype)])
    lowered = lower_to(imported.module, "triton", CompilerOptions(device="h200"))
    assert isinstance(lowered, ModuleOp)
    (request,) = kernel_requests(lowered, write_source(module_source(lowered)))
    text = machine_code(replace(request, capability=90)).asm["ttir"]
    return [float(n) for n in re.findall(r"arith\.constant (?:dense<)?(-?[\d.]+[eE][+-]?\d+)", text)]


@pytest.mark.parametrize("device", DEVICES)
def test_rows_of_zeros(device: str) -> None:
    """The least norm that a row is divided by is a small constant: without it, 0 / 0 is NaN."""
    x = torch.randn(64, 1000, device=device).bfloat16()
    x[::3] = 0.0
    compiled, _ = compiled_once(F.normalize)
    torch.testing.assert_close(compiled(x), F.normalize(x))
