"""Scans over parts of rows, by programs that tell each other what their parts come to: the numbers of eager."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from xdsl.context import Context

from lowering.interpreter.run import run
from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_runtime.host import Counters
from passes.loop.reduction.split_scan import SplitScanPass
from passes.loop.schedule.partition import PartitionRowsPass
from passes.loop.schedule.schedule import SchedulePass
from tests.unit.launching import at_once
from tests.unit.test_end_to_end import DEVICES
from tests.unit.test_loop_oracle import module_of


def cumsum(x: Tensor) -> Tensor:
    return torch.cumsum(x, -1)


def exclusive(x: Tensor) -> Tensor:
    mask = (x > 1).to(torch.float32)
    return torch.cumsum(mask, -1) - mask


def product(x: Tensor) -> Tensor:
    return torch.cumprod(1 + x / 1000, -1)


def sum_and_product(x: Tensor) -> tuple[Tensor, Tensor]:
    return cumsum(x), product(x)


def one_after_another(x: Tensor) -> Tensor:
    return cumsum(torch.roll(product(x), 1, -1))


def compiled_once(function: Callable[..., Any]) -> tuple[Callable[..., Any], list[Executable]]:
    """`function` compiled, and a list that its executables come into."""
    torch._dynamo.reset()
    seen: list[Executable] = []
    backend = partial(compile_graph_module, observe=lambda _, executable: seen.append(executable))
    return torch.compile(function, backend=backend, fullgraph=True), seen


@pytest.mark.sampled(4)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "function, kernels", [(cumsum, 1), (exclusive, 1), (product, 1), (sum_and_product, 1), (one_after_another, 2)]
)
@pytest.mark.parametrize("shape", [(3, 40000), (1, 65536), (5, 32771)])
def test_long_scans(function: Callable[[Tensor], Any], kernels: int, shape: tuple[int, int], device: str) -> None:
    """In one kernel, as close to float64 as sums of float32 in any order; each call finds what the last one left."""
    torch.manual_seed(0)
    compiled, seen = compiled_once(function)
    inputs = [torch.randn(shape, device=device) for _ in range(2)]
    results = [compiled(inputs[k]) for k in (0, 1, 0)]
    for k, got in zip((0, 1, 0), results, strict=True):
        torch.testing.assert_close(got, function(inputs[k].double()), rtol=1e-4, atol=2e-2, check_dtype=False)
    torch.testing.assert_close(results[0], results[2], rtol=0, atol=0)
    source = seen[-1].source
    assert source.count("@triton.jit") == source.count("lib.epoch(") == kernels


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.int64, torch.int32])
def test_types(dtype: torch.dtype, device: str) -> None:
    """Values of 64 bits are told in halves; halves are summed in float32, and integers wrap."""
    torch.manual_seed(0)
    compiled, seen = compiled_once(partial(torch.cumsum, dim=-1, dtype=dtype))
    x = torch.randn(2, 40000, device=device) if dtype.is_floating_point else torch.empty(0)
    if not dtype.is_floating_point:
        most = 2 ** (torch.iinfo(dtype).bits - 2)
        x = torch.randint(-most, most, (2, 40000), device=device, dtype=dtype)
    got = compiled(x.to(dtype))
    exact = {torch.float64: 1e-10, torch.bfloat16: 0.5 + 1e-2}.get(dtype, 0)
    wanted = x.to(dtype).cumsum(-1, dtype=torch.float64 if dtype.is_floating_point else dtype)
    torch.testing.assert_close(got.to(wanted.dtype), wanted, rtol=exact and 2**-8, atol=exact)
    assert seen[-1].source.count("lib.epoch(") == 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("columns", [64 * 33, 3109])
def test_rows_of_many_parts(columns: int, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """More of them than a program awaits at once go in groups."""
    monkeypatch.setattr("mlc_compiler.pipeline.PartitionRowsPass", lambda **_: PartitionRowsPass(part=64))
    compiled, seen = compiled_once(cumsum)
    for _ in range(2):
        x = torch.randint(-(2**62), 2**62, (2, columns), device=device)
        assert torch.equal(compiled(x), cumsum(x))
    assert seen[-1].source.count("lib.publish(") == 2


@pytest.mark.parametrize("device", DEVICES)
def test_nan_and_integers(device: str) -> None:
    """NaN from its place on, in all parts after it and in no other row; integers wrap."""
    compiled, _ = compiled_once(cumsum)
    x = torch.ones(3, 40000, device=device)
    x[0, 9000], x[1, 20000] = float("nan"), float("inf")
    torch.testing.assert_close(compiled(x), cumsum(x), equal_nan=True, rtol=0, atol=0)
    n = torch.randint(-(2**62), 2**62, (2, 40000), device=device)
    torch.testing.assert_close(compiled(n), cumsum(n), rtol=0, atol=0)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("extreme", [torch.cummax, torch.cummin])
def test_extremes(extreme: Callable[..., Any], device: str) -> None:
    """To the last bit, with NaN from its place on, and where all values so far are infinite."""
    compiled, seen = compiled_once(lambda x: extreme(x, -1).values)
    torch.manual_seed(0)
    x = torch.randn(3, 40001, device=device)
    x[0, 17000], x[1, :9000] = float("nan"), float("-inf")
    x[2] = torch.linspace(-1, 1, 40001, device=device)
    assert torch.equal(compiled(x).nan_to_num(7), extreme(x, -1).values.nan_to_num(7))
    assert seen[-1].source.count("lib.epoch(") == 1


SCAN = """
mlc_loop.kernel @scan(%x: memref<5x203xELEMENT>, %out: memref<5x203xELEMENT>) {
  mlc_loop.parallel %p = 0 to 5 {
    mlc_loop.parallel %r = 0 to 203 {
      %v = mlc_loop.load %x[%p, %r] : memref<5x203xELEMENT>
      %s = mlc_loop.scan "KIND" %v : ELEMENT -> ELEMENT
      mlc_loop.store %s, %out[%p, %r] : memref<5x203xELEMENT>
    }
  }
}
func.func @main(%x: memref<5x203xELEMENT>) -> memref<5x203xELEMENT> {
  %out = mlc_loop.alloc : memref<5x203xELEMENT>
  mlc_loop.launch @scan(%x, %out) : memref<5x203xELEMENT>, memref<5x203xELEMENT>
  func.return %out : memref<5x203xELEMENT>
}"""


@pytest.mark.parametrize("kind", ["add", "mul", "max", "min"])
@pytest.mark.parametrize("element", ["f32", "f64", "i32", "i64"])
def test_the_oracle_scans_parts(kind: str, element: str) -> None:
    """The same numbers as whole rows: all but the last bits of floats."""
    random = np.random.default_rng(0)
    x = random.normal(size=(5, 203)) if element[0] == "f" else random.integers(-9, 9, (5, 203))
    x = x.astype(f"{'float' if element[0] == 'f' else 'int'}{element[1:]}")
    text = SCAN.replace("ELEMENT", element).replace("KIND", kind)
    (wanted,) = run(module_of(text), [x])
    module = module_of(text)
    for step in (PartitionRowsPass(part=16), SplitScanPass(), SchedulePass()):
        step.apply(Context(), module)
    assert "mlc_loop.exclusive_prefix" in str(module)
    (got,) = run(module, [x])
    close = {"f32": 1e-5, "f64": 1e-12}.get(element, 0)
    np.testing.assert_allclose(got, wanted, rtol=close, atol=close)


def test_kernels_keep_their_own_words() -> None:
    """What one kernel tells no other sees, nor do those that count."""
    counters, device = Counters(), torch.device("cpu")
    words = counters.kept("a", 5, device)
    assert words.dtype == torch.int64 and words.tolist() == [0] * 5
    words[3] = 7
    assert counters.kept("a", 5, device).tolist() == [0, 0, 0, 7, 0]
    assert counters.kept("b", 5, device).tolist() == counters(5, device).tolist() == [0] * 5


@pytest.mark.parametrize("device", DEVICES)
def test_marks_wrap(device: str) -> None:
    """Launches are told apart by 32 bits."""
    compiled, seen = compiled_once(cumsum)
    x = torch.randint(-100, 100, (3, 40000), device=device)
    assert torch.equal(compiled(x), cumsum(x))
    words = seen[-1].host.__globals__["counters"].kept("cumsum", 1, x.device)
    programs = words[0].item()
    assert programs > 3
    words[0] = ((1 << 32) - 1) * programs
    for y in (x + 1, x - 1, x):
        assert torch.equal(compiled(y), cumsum(y))
    assert words[0] == ((1 << 32) + 2) * programs


@pytest.mark.gpu
@pytest.mark.parametrize(
    "shape", [(64, 1 << 18), (64, 1 << 20), (127, 40000), (7, 1000003), (1, 1 << 24), (1, 1 << 26)]
)
def test_every_call_gives_the_same(shape: tuple[int, int]) -> None:
    """200 calls in a row, to the last bit, and close to float64."""
    compiled, _ = compiled_once(cumsum)
    torch.manual_seed(0)
    x = torch.randn(shape, device="cuda")
    first = compiled(x)
    torch.testing.assert_close(first, cumsum(x.double()), rtol=1e-4, atol=5e-2, check_dtype=False)
    assert all(torch.equal(compiled(x), first) for _ in range(200))


@pytest.mark.gpu
def test_a_graph_replays_and_streams_keep_their_own_words() -> None:
    """Launches on several streams at once, and replays of a CUDA graph beside them."""
    compiled, _ = compiled_once(cumsum)
    x = torch.randint(-100, 100, (4, 1 << 20), device="cuda")
    wanted = cumsum(x)
    assert torch.equal(compiled(x), wanted)
    assert all(torch.equal(one, wanted) for one in at_once(compiled, x))
