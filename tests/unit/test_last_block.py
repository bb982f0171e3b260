"""What a last program adds up: numbers, one kernel, counters that are zero again; and the oracle's own checks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional
from xdsl.context import Context

from lowering.interpreter.run import run
from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_runtime.host import Counters
from mlc_support.errors import MlcError
from passes.loop.reduction.last_block import LastBlockPass
from passes.loop.reduction.split_reduction import SplitReductionPass
from passes.loop.schedule.partition import PartitionRowsPass
from passes.loop.schedule.schedule import SchedulePass
from tests.unit.launching import at_once
from tests.unit.test_end_to_end import DEVICES
from tests.unit.test_loop_oracle import module_of


def total(x: Tensor) -> Tensor:
    return x.sum()


def columns(x: Tensor) -> Tensor:
    return x.sum(0)


def moments(x: Tensor) -> tuple[Tensor, Tensor]:
    return torch.var_mean(x, 0)


def rows(x: Tensor) -> tuple[Tensor, Tensor]:
    return x.sum(1), x.abs().amax(1)


def row_loss(x: Tensor) -> Tensor:
    return functional.cross_entropy(x, torch.arange(len(x), device=x.device) % x.shape[1])


CASES = [
    pytest.param(total, (300, 1000), 1, id="total"),
    pytest.param(columns, (3000, 128), 1, id="columns"),
    pytest.param(columns, (3000, 100), 1, id="columns-that-fill-no-block"),
    pytest.param(moments, (3000, 128), 1, id="moments-of-columns"),
    pytest.param(rows, (5, 40000), 1, id="long-rows"),
    pytest.param(row_loss, (100, 50), 1, id="loss-several-rows-a-program"),
    pytest.param(row_loss, (520, 20000), 1, id="loss-of-long-rows"),
]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function, shape, kernels", CASES)
def test_the_last_program_adds_up(
    function: Callable[[Tensor], Any], shape: tuple[int, ...], kernels: int, device: str
) -> None:
    """As close to float64 as a sum in float32; the second and third run find the counters at zero."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    x = torch.randn(shape, device=device) * 2 + 3
    seen: list[Executable] = []
    backend = partial(compile_graph_module, observe=lambda _, executable: seen.append(executable))
    compiled = torch.compile(function, backend=backend, fullgraph=True)
    results = [compiled(x) for _ in range(3)]
    wanted = function(x.double())
    for got in results:
        torch.testing.assert_close(got, wanted, rtol=2e-6 * 4, atol=1e-6, check_dtype=False)
    torch.testing.assert_close(results[0], results[2], rtol=0, atol=0)
    assert seen[-1].source.count("@triton.jit") == kernels


@pytest.mark.parametrize("device", DEVICES)
def test_the_mean_of_split_rows_is_a_kernel_of_its_own(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel has one tail: here that of the parts of its rows."""
    monkeypatch.setattr("mlc_compiler.pipeline.PartitionRowsPass", lambda **_: PartitionRowsPass(part=4096))
    test_the_last_program_adds_up(row_loss, (20, 20000), 2, device)


@pytest.mark.gpu
def test_a_graph_replays_and_streams_do_not_share_counters() -> None:
    """A CUDA graph zeroes its own counters; launches on two streams at once count apart."""
    torch._dynamo.reset()
    x = torch.randn(4096, 4096, device="cuda")
    compiled = torch.compile(total, backend=compile_graph_module, fullgraph=True)
    wanted = compiled(x)
    assert all(torch.equal(one, wanted) for one in at_once(compiled, x))


def test_counters_are_shared_by_what_follows_each_other() -> None:
    counters, device = Counters(), torch.device("cpu")
    few = counters(3, device)
    assert few.dtype == torch.int32 and few.tolist() == [0, 0, 0]
    assert counters(2, device).data_ptr() == few.data_ptr()
    assert counters(5, device).tolist() == [0] * 5
    assert Counters()(3, device).data_ptr() != few.data_ptr()


SPLIT = """
mlc_loop.kernel @sum(%x: memref<4096x64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %p = 0 to 64 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<4096x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<64xf32>
  }
}
func.func @main(%x: memref<4096x64xf32>) -> memref<64xf32> {
  %out = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @sum(%x, %out) : memref<4096x64xf32>, memref<64xf32>
  func.return %out : memref<64xf32>
}"""


def test_the_oracle_runs_what_is_last() -> None:
    module = module_of(SPLIT)
    for step in (PartitionRowsPass(part=256), SplitReductionPass(), LastBlockPass(), SchedulePass()):
        step.apply(Context(), module)
    assert "mlc_loop.last_block" in str(module)
    x = np.random.default_rng(0).normal(size=(4096, 64)).astype(np.float32)
    (got,) = run(module, [x])
    np.testing.assert_allclose(got, x.astype(np.float64).sum(0), rtol=1e-4, atol=1e-4)


def test_the_oracle_counts() -> None:
    module = module_of(SPLIT)
    for step in (PartitionRowsPass(part=256), SplitReductionPass(), LastBlockPass()):
        step.apply(Context(), module)
    wrong = str(module).replace("of 16", "of 15")
    with pytest.raises(MlcError, match="16 iterations meet where 15 are expected"):
        run(module_of(wrong), [np.ones((4096, 64), np.float32)])


@pytest.mark.parametrize("device", DEVICES)
def test_a_block_of_all_columns(device: str) -> None:
    """Each program takes all rows of the second stage, though they meet at a counter of their own."""
    torch._dynamo.reset()
    x = torch.randint(-100, 100, (300_000, 64), dtype=torch.int8, device=device)
    found = torch.compile(columns, backend=compile_graph_module, fullgraph=True)(x)
    assert torch.equal(found, x.sum(0))
