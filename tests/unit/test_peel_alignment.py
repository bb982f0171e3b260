"""Rows that begin anywhere: a body and an edge give what whole rows do, on the oracle and against eager."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional
from torch.utils._pytree import tree_leaves
from xdsl.context import Context
from xdsl.ir import Operation

from lowering.fx_to_tensor import import_callable
from lowering.interpreter.run import run_values
from mlc_compiler.execution.executable import compile_imported
from mlc_dialects.loop.dialect import LoopOp
from mlc_support.verification import verify_module
from passes.loop.restructure.peel_alignment import PeelAlignmentPass
from passes.loop.schedule.partition import PartitionRowsPass
from tests.unit.test_end_to_end import DEVICES, poisoned
from tests.unit.test_loop_oracle import module_of
from tests.unit.test_passes_random import RANDOM
from tools.semantics import close

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e5, 1e-40], np.float32)
STATISTICS = """
    %m, %s = mlc_loop.reduce softmax %r = 0 to {columns} -> f32, f32 {{
      %v = mlc_loop.load %x[%p, %r + {first}] : {x}
      mlc_loop.yield %v : f32
    }}
    %t, %q = mlc_loop.reduce welford %r = 0 to {columns} -> f32, f32 {{
      %v = mlc_loop.load %x[%p, %r + {first}] : {x}
      mlc_loop.yield %v : f32
    }}
    %a, %b, %c, %d = mlc_loop.reduce add, min, mul, max %r = 0 to {columns} -> f32, f32, f32, i64 {{
      %v = mlc_loop.load %x[%p, %r + {first}] : {x}
      %u = mlc_loop.load %w[{weight}] : {x}
      %vu = arith.mulf %v, %u : f32
      %column = mlc_loop.index [%r * 3 - %p] : i64
      mlc_loop.yield %vu, %v, %v, %column : f32, f32, f32, i64
    }}"""
RESULTS = ("m", "s", "t", "q", "a", "b", "c")


def kernel(rows: int, width: int, first: int, columns: int, weight: str) -> str:
    """Every kind of reduction over `columns` of the `width` of each row, from the `first` on, and a store for each."""
    x, stats = f"memref<{rows}x{width}xf32>", f"memref<{len(RESULTS)}x{rows}xf32>"
    types = f"{x}, {x}, {x}, {stats}, memref<{rows}xi64>"
    stores = [f"    mlc_loop.store %{name}, %stats[{k}, %p] : {stats}" for k, name in enumerate(RESULTS)]
    arguments = ", ".join(
        f"%{n}: {t}" for n, t in zip(("x", "w", "out", "stats", "places"), types.split(", "), strict=True)
    )
    return f"""
mlc_loop.kernel @k({arguments}) {{
  mlc_loop.parallel %p = 0 to {rows} {{{STATISTICS.format(columns=columns, first=first, x=x, weight=weight)}
{chr(10).join(stores)}
    mlc_loop.store %d, %places[%p] : memref<{rows}xi64>
    mlc_loop.parallel %r = 0 to {columns} {{
      %v = mlc_loop.load %x[%p, %r + {first}] : {x}
      %y = arith.subf %v, %m : f32
      mlc_loop.store %y, %out[%p, %r + {first}] : {x}
    }}
  }}
}}
func.func @main(%x: {x}, %w: {x}) -> ({x}, {stats}, memref<{rows}xi64>) {{
  %out = mlc_loop.alloc : {x}
  %stats = mlc_loop.alloc : {stats}
  %places = mlc_loop.alloc : memref<{rows}xi64>
  mlc_loop.launch @k(%x, %w, %out, %stats, %places) : {types}
  func.return %out, %stats, %places : {x}, {stats}, memref<{rows}xi64>
}}"""


@st.composite
def kernels(draw: st.DrawFn) -> tuple[str, list[Any], PeelAlignmentPass]:
    """A kernel, its inputs, some of them special, and a pass that peels short rows too."""
    rows, columns, vector = draw(st.integers(2, 5)), draw(st.integers(3, 40)), draw(st.sampled_from((2, 4, 8, 16)))
    first, more = draw(st.integers(0, 5)), draw(st.integers(0, 9))
    width = first + columns + more
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    x, w = (random.normal(2, 3, (rows, width)).astype(np.float32) for _ in range(2))
    if draw(st.booleans()):
        x[random.random(x.shape) < 0.03] = draw(st.sampled_from(list(SPECIAL)))
        x[0] = draw(st.sampled_from((-np.inf, -0.0, 1.0)))
    weight = draw(st.sampled_from((f"%p, %r + {first}", "0, %r")))
    peeling = PeelAlignmentPass(shortest=1, fewest=1, vector=vector)
    return kernel(rows, width, first, columns, weight), [x, w], peeling


@RANDOM
@given(kernels())
def test_oracle(drawn: tuple[str, list[Any], PeelAlignmentPass]) -> None:
    text, inputs, peeling = drawn
    module = module_of(text)
    with np.errstate(all="ignore"):
        wanted = run_values(module, inputs)
        peeling.apply(Context(), module)
        verify_module(module)
        found = run_values(module, inputs)
    for position, (new, old) in enumerate(zip(found, wanted, strict=True)):
        assert close(new, old), f"result {position}:\n{old.array}\nbecomes\n{new.array}\n{module}"


@pytest.mark.parametrize(
    "columns, vector, sizes",
    [(31, 16, {16, 15}), (30, 16, {30}), (17, 4, {12, 5}), (3, 2, {2, 1}), (9, 16, {8, 1}), (11, 16, {11})],
)
def test_cut(columns: int, vector: int, sizes: set[int]) -> None:
    """The body has as many whole vectors as lie in every row, wherever it begins; else a power of two, near enough."""
    module = module_of(kernel(3, columns, 0, columns, "%p, %r"))
    PeelAlignmentPass(shortest=1, fewest=1, vector=vector).apply(Context(), module)
    assert {_size(op) for op in module.walk() if isinstance(op, LoopOp)} - {3} == sizes - {3}


def _size(loop: Operation) -> int | None:
    assert isinstance(loop, LoopOp)
    return loop.size.constant


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1)


def log_softmax(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.log_softmax(x, -1), x.amax(-1)


def cross_entropy(x: torch.Tensor) -> torch.Tensor:
    target = torch.arange(len(x), device=x.device) * 131 % x.shape[1]
    return functional.cross_entropy(x.to(torch.promote_types(x.dtype, torch.float32)), target)


def layer_norm(x: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:])


def scaled(x: torch.Tensor) -> torch.Tensor:
    """A layer norm with weights, which every row reads from their first on."""
    weight = torch.arange(x.shape[1], device=x.device).to(x.dtype) / x.shape[1]
    return functional.layer_norm(x, x.shape[-1:]) * weight


def rms_norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return functional.rms_norm(x, x.shape[-1:], weight)


def weighted(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:], weight, weight)


@pytest.fixture(autouse=True)
def whole_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of rows begin where they are aligned. Registers hold whole rows, as is usual."""
    whole = PartitionRowsPass(margin=1 << 20, running=4)
    monkeypatch.setattr("mlc_compiler.pipeline.PartitionRowsPass", lambda **_: whole)
    monkeypatch.setattr("passes.loop.schedule.schedule.is_known", lambda _: False)  # the usual tiling


ALIGNED, POWER = "// 16) * 16", "row(s) in registers"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "function, shape, dtype, cut, offset",
    [
        pytest.param(softmax, (133, 4097), torch.bfloat16, ALIGNED, 0, id="softmax-bf16"),
        pytest.param(softmax, (133, 1031), torch.float32, ALIGNED, 3, id="softmax-f32"),
        pytest.param(softmax, (139, 6283), torch.float16, ALIGNED, 3, id="softmax-f16"),
        pytest.param(softmax, (1100, 515), torch.float64, ALIGNED, 0, id="softmax-f64"),
        pytest.param(log_softmax, (264, 16411), torch.bfloat16, ALIGNED, 0, id="log_softmax-bf16"),
        pytest.param(cross_entropy, (264, 16411), torch.bfloat16, ALIGNED, 3, id="cross_entropy-bf16"),
        pytest.param(layer_norm, (264, 16411), torch.float16, ALIGNED, 3, id="layer_norm-f16"),
        pytest.param(scaled, (133, 4097), torch.bfloat16, ALIGNED, 0, id="scaled-bf16"),
        pytest.param(rms_norm, (133, 4097), torch.bfloat16, POWER, 3, id="rms_norm-bf16"),
        pytest.param(rms_norm, (133, 4607), torch.float32, POWER, 0, id="rms_norm-f32"),
        pytest.param(rms_norm, (133, 5003), torch.float16, ALIGNED, 3, id="rms_norm-f16"),
        pytest.param(rms_norm, (133, 5007), torch.bfloat16, ALIGNED, 0, id="rms_norm-one-later-each-row"),
        pytest.param(weighted, (133, 10007), torch.float32, ALIGNED, 0, id="weighted-f32"),
    ],
)
def test_rows_begin_anywhere(
    function: Callable[..., Any], shape: tuple[int, int], dtype: torch.dtype, cut: str, offset: int, device: str
) -> None:
    """Of buffers that begin at 16 bytes, or `offset` elements behind; nothing around the results is written."""
    rows, columns = shape
    buffer = torch.randn(rows * columns + offset, generator=torch.Generator().manual_seed(columns)) * 3 + 1
    inputs = [buffer.to(dtype).to(device)[offset:].view(shape)]
    if function in (rms_norm, weighted):
        inputs.append(inputs[0][7] * 0.5)
    executable = compile_imported(import_callable(function, inputs))
    executable.host.__globals__["allocator"] = poisoned
    assert cut in executable.source and "down columns" not in executable.source
    exact = tree_leaves(function(*(x.double() for x in inputs)))
    rounded = {torch.bfloat16: 1e-2, torch.float16: 2e-3, torch.float32: 1e-5, torch.float64: 1e-12}[dtype]
    for found, wanted in zip(tree_leaves(executable(*inputs)), exact, strict=True):
        torch.testing.assert_close(found.double(), wanted, rtol=rounded, atol=rounded * float(wanted.abs().mean()))


@pytest.mark.parametrize("device", DEVICES)
def test_special_rows(device: str) -> None:
    """NaN and infinities at the edges and inside, and rows of nothing but -inf."""
    x = torch.randn(264, 16411, generator=torch.Generator().manual_seed(1))
    x[0], x[1, :16000], x[2, 0], x[3, -1], x[4, 5000] = (-torch.inf,) * 2 + (torch.nan, torch.inf, torch.nan)
    x[5, :-1], x[6, 1:], x[7, 20:] = (-torch.inf,) * 3
    x = x.to(device)
    executable = compile_imported(import_callable(log_softmax, [x]))
    assert ALIGNED in executable.source
    for found, wanted in zip(tree_leaves(executable(x)), log_softmax(x), strict=True):
        torch.testing.assert_close(found, wanted, equal_nan=True)
