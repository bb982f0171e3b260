"""Parts of rows of which the last is shorter: programs with whole parts need no masks; results against eager."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from lowering.fx_to_tensor import import_callable
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.loop.dialect import KernelOp, ParallelOp
from mlc_dialects.loop.whole_parts import of_whole_parts, part_end
from mlc_support.index_expr import integer, variable
from tests.unit.cases import Case
from tests.unit.test_end_to_end import DEVICES, check, compiled
from tests.unit.test_loop_oracle import module_of

NAN, POSITIVE = float("nan"), float("inf")
ODD = 1_500_007
"""Elements that no power of two divides, of more parts than an H200 has multiprocessors."""


def special(at: int, value: float) -> torch.Tensor:
    x = torch.randn(ODD, generator=torch.Generator().manual_seed(1)) - 3
    x[at] = value
    return x


def clipped(x: torch.Tensor) -> torch.Tensor:
    return x * (1 / (x.norm() + 1e-6)).clamp(max=1.0)


def extremes(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x.amax(), x.argmax(), x.amin(), (x > 0).any()


def moments(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.mean(), x.var()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", [clipped, extremes, moments])
@pytest.mark.parametrize("x", [special(0, 5.0), special(ODD - 1, 40.0), special(ODD - 3, NAN), special(7, POSITIVE)])
def test_like_eager(function: Callable[..., Any], x: torch.Tensor, device: str) -> None:
    """The shorter part has the largest element, or NaN; or all behind it would show."""
    case = Case(function.__name__, function, lambda: [x])
    inputs = [x.to(device)]
    _, found = compiled(case, inputs, CompilerOptions())
    check(case, found, inputs)


@pytest.mark.parametrize("function", [clipped, moments])
def test_the_kernels_are_peeled(function: Callable[..., Any]) -> None:
    imported = import_callable(function, [special(0, 1.0)])
    text = str(lower_to(imported.module, "triton", CompilerOptions(device="h200")))
    assert "scf.if %whole" in text


PARTS = """
mlc_loop.kernel @k(%x: memref<4101xf32>, %out: memref<17xf32>) {{
  mlc_loop.parallel %q = 0 to 17 {{
    %s = mlc_loop.reduce add %k = 0 to 256 -> f32 {{
      %i = mlc_loop.index [{place}] : i64
      %zero = arith.constant {bound} : i64
      %inside = arith.cmpi {sign}, %i, %zero : i64
      %v = mlc_loop.load %x[%q * 256 + %k] if %inside : memref<4101xf32>
      mlc_loop.yield if %inside %v : f32
    }}
    mlc_loop.store %s, %out[%q] : memref<17xf32>
  }}
}}"""


def rows_of(place: str = "%q * 256 + %k - 4101", bound: int = 0, sign: str = "slt") -> ParallelOp:
    (kernel,) = module_of(PARTS.format(place=place, bound=bound, sign=sign)).ops
    assert isinstance(kernel, KernelOp)
    return kernel.rows


@pytest.mark.parametrize("place, bound", [("%q * 256 + %k - 4101", 0), ("%q * 256 + %k", 4101)])
def test_the_end_of_the_last_part(place: str, bound: int) -> None:
    """The last iteration of part 15 is the 4095th element, that of part 16 the 4351st, of 4101."""
    end = part_end(rows_of(place, bound))
    assert end is not None and end == variable("d0") * 256 + 255 - 4101
    assert [end.substitute({"d0": integer(q)}).constant for q in (15, 16)] == [-6, 250]


@pytest.mark.parametrize(
    "changed",
    [
        {"sign": "sgt"},
        {"place": "%k * 2 + %q"},
        {"place": "%k - 200"},
        {"place": "%q * 256 - 4101"},
        {"place": "%q * 256 - %k"},
        {"place": "(%q * 256 + %k) mod 4000"},
    ],
    ids=str,
)
def test_other_conditions_are_no_ends(changed: dict[str, Any]) -> None:
    assert part_end(rows_of(**changed)) is None


def test_whole_parts_have_no_condition() -> None:
    rows = rows_of()
    before = str(rows)
    text = str(of_whole_parts(rows))
    assert " if " not in text and "cmpi" not in text and "mlc_loop.index" not in text
    assert "mlc_loop.load" in text and "mlc_loop.yield" in text
    assert str(rows) == before
