"""Rows that several programs do together, each awaiting what the others tell: the numbers of float64."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils._pytree import tree_leaves
from xdsl.context import Context

from lowering.fx_to_tensor import import_callable
from lowering.interpreter.run import run
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.triton_interpreter.coroutines import leave, run_in_turns
from passes.loop.reduction.cooperative_reduction import CooperativeReductionPass
from passes.loop.schedule.partition import PartitionRowsPass
from passes.loop.schedule.schedule import SchedulePass
from tests.unit.generated_kernels import ahead_of_time
from tests.unit.launching import at_once
from tests.unit.test_end_to_end import DEVICES
from tests.unit.test_loop_oracle import module_of
from tests.unit.test_split_scan import compiled_once


def softmax(x: Tensor) -> Tensor:
    return torch.softmax(x.flatten(2), -1)


def normed(x: Tensor) -> Tensor:
    return F.relu(F.batch_norm(x, None, None, training=True))


def with_statistics(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    y, mean, rstd = torch.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5)
    return y, mean, rstd


def one_after_another(x: Tensor) -> Tensor:
    rows = x.flatten(2)
    scaled = rows / rows.abs().amax(-1, keepdim=True)
    return scaled / (1 + scaled.square().sum(-1, keepdim=True))


def first_needed_last(x: Tensor) -> tuple[Tensor, Tensor]:
    """What the first stage reduces for the variance no other stage needs before the last."""
    rows = x.flatten(1)
    e = torch.exp(rows - rows.amax(-1, keepdim=True))
    scaled = e / e.sum(-1, keepdim=True)
    return rows.var(-1, unbiased=False), scaled - scaled.mean(-1, keepdim=True)


@pytest.fixture(autouse=True)
def short_rows_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a few thousand columns are shared, for the interpreter's sake."""
    monkeypatch.setattr(
        "mlc_compiler.pipeline.PartitionRowsPass", lambda **_: PartitionRowsPass(part=1000, exchange="flags")
    )


@pytest.mark.sampled(7)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("function", [softmax, normed, with_statistics, one_after_another])
@pytest.mark.parametrize("shape", [(4, 3, 64, 40), (6, 2, 56, 56), (1, 5, 64, 128)])
def test_rows(function: Callable[..., Any], shape: tuple[int, ...], dtype: torch.dtype, device: str) -> None:
    """One kernel; each call finds what the last one told."""
    torch.manual_seed(0)
    compiled, seen = compiled_once(function)
    inputs = [(3 * torch.randn(shape, device=device) + k).to(dtype) for k in range(2)]
    results = [compiled(inputs[k]) for k in (0, 1, 0)]
    close = {torch.float32: 2e-5, torch.float64: 1e-11, torch.bfloat16: 2e-2, torch.float16: 4e-3}[dtype]
    for k, got in zip((0, 1, 0), results, strict=True):
        torch.testing.assert_close(got, function(inputs[k].double()), rtol=close, atol=close, check_dtype=False)
    torch.testing.assert_close(results[0], results[2], rtol=0, atol=0)
    source = seen[-1].source
    if dtype.itemsize >= 4 or function is not one_after_another:  # a maximum of 16-bit numbers has 16 bits: not told
        assert source.count("@triton.jit") == source.count("lib.epoch(") == 1


def with_running_statistics(x: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
    return F.relu(F.batch_norm(x, mean, variance, training=True)) + 1


@pytest.mark.sampled(9)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("function", [normed, with_statistics])
@pytest.mark.parametrize("channels", [3, 16, 24, 64, 72])
def test_strided_rows(function: Callable[..., Any], channels: int, dtype: torch.dtype, device: str) -> None:
    """Channels last: blocks of rows signal and wait; some overlap, where no block divides the channels."""
    torch.manual_seed(channels)
    compiled, seen = compiled_once(function)
    x = torch.randn(5, channels, 25, 20, device=device).mul(3).add(1).to(dtype)
    x = x.to(memory_format=torch.channels_last)
    results = [compiled(x) for _ in range(3)]
    close = {torch.float32: 2e-5, torch.float64: 1e-11, torch.bfloat16: 2e-2}[dtype]
    torch.testing.assert_close(results[0], function(x.double()), rtol=close, atol=close, check_dtype=False)
    for again in results[1:]:
        torch.testing.assert_close(again, results[0], rtol=0, atol=0)
    source = seen[-1].source
    assert source.count("@triton.jit") == source.count("lib.epoch(") == 1


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("channels", [24, 32])
def test_strided_rows_update_their_statistics_once(channels: int, device: str) -> None:
    compiled, seen = compiled_once(with_running_statistics)
    torch.manual_seed(0)
    x = torch.randn(4, channels, 25, 20, device=device).to(memory_format=torch.channels_last)
    ours = [torch.zeros(channels, device=device), torch.ones(channels, device=device)]
    exact = [kept.double() for kept in ours]
    for _ in range(3):
        torch.testing.assert_close(
            compiled(x, *ours), with_running_statistics(x.double(), *exact), rtol=2e-5, atol=2e-5, check_dtype=False
        )
        torch.testing.assert_close(ours, exact, rtol=1e-5, atol=1e-6, check_dtype=False)
    assert seen[-1].source.count("lib.epoch(") == 1


@pytest.mark.parametrize("device, capability", [("h200", 90), ("a100", 80)])
@pytest.mark.parametrize("shape, dtype", [((32, 64, 28, 28), torch.bfloat16), ((32, 24, 28, 28), torch.float32)])
def test_strided_rows_compiled_ahead_of_time(
    shape: tuple[int, ...], dtype: torch.dtype, device: str, capability: int
) -> None:
    """One kernel without spills, whose loads are wide."""
    source, (kernel,) = ahead_of_time(
        with_statistics, [(shape, dtype)], device, capability, memory_format=torch.channels_last
    )
    assert source.count("lib.epoch(") == 1
    assert kernel.spill_bytes == 0 and kernel.vector_loads > 0 and kernel.vector_stores > 0


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(4, 64, 40), (3, 4100)])
def test_results_of_an_early_stage_that_the_last_stores(shape: tuple[int, ...], device: str) -> None:
    compiled, seen = compiled_once(first_needed_last)
    torch.manual_seed(0)
    x = torch.randn(shape, device=device)
    torch.testing.assert_close(compiled(x), first_needed_last(x.double()), rtol=1e-5, atol=1e-6, check_dtype=False)
    assert "lib.epoch(" in seen[-1].source


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_not_finite(device: str) -> None:
    """As with eager on the CPU, and in its row alone; infinities among the columns of the shift, or behind them."""
    x = torch.randn(4, 5, 64, 40, device=device)
    x[0, 0, 0, 0], x[3, 1, 60, 3], x[0, 2, 0, 5], x[2, 3, 1, 1] = (
        float("nan"),
        float("nan"),
        float("inf"),
        float("-inf"),
    )
    for function in (softmax, normed, with_statistics):
        compiled, seen = compiled_once(function)
        wanted = function(x.cpu())
        for found, true in zip(tree_leaves(compiled(x)), tree_leaves(wanted), strict=True):
            torch.testing.assert_close(found.cpu(), true, equal_nan=True, rtol=1e-4, atol=1e-5)
        assert "lib.publish(" in seen[-1].source


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("away", [0.0, 100.0, -3000.0])
def test_variances_far_from_zero(away: float, device: str) -> None:
    """As close to float64 as eager, or than a few roundings: even if the first columns are far from the others."""
    torch.manual_seed(0)
    x = torch.randn(8, 3, 40, 40, device=device) + away
    x[0, 1, :20] += 300
    x[0, 2] = x[0, 2, 0, 0]
    compiled, seen = compiled_once(with_statistics)
    assert "lib.publish(" in (compiled(x), seen[-1].source)[1]
    exact, eager = with_statistics(x.double()), with_statistics(x)
    for ours, theirs, true in zip(compiled(x), eager, exact, strict=True):
        off = (theirs - true).abs().max()
        assert (ours - true).abs().max() <= 4 * off + 5e-6 * true.abs().max()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype, away", [(torch.float32, 1e4), (torch.float32, 1e6), (torch.bfloat16, 200.0)])
@pytest.mark.parametrize("shape", [(32, 2, 56, 56), (64, 2, 17, 56), (1, 3, 1, 65536), (1, 2, 1024, 1024)])
def test_variances_of_what_is_much_larger(shape: tuple[int, ...], dtype: torch.dtype, away: float, device: str) -> None:
    """In parts of many planes or of one row, held or not: as close to float64 as sums of small numbers."""
    torch.manual_seed(0)
    x = (torch.randn(shape, device=device) + away).to(dtype)
    compiled, seen = compiled_once(lambda x: with_statistics(x.to(torch.float32)))
    ((_, mean, rstd), (_, true_mean, true_rstd)) = compiled(x), with_statistics(x.double())
    assert "lib.publish(" in seen[-1].source
    torch.testing.assert_close(rstd, true_rstd, rtol=3e-7, atol=0, check_dtype=False)
    torch.testing.assert_close(mean, true_mean, rtol=2e-7, atol=0, check_dtype=False)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(4, 4100), (4, 32, 28, 28), (3, 20, 7, 36)])
def test_rows_that_rise_and_begin_elsewhere(shape: tuple[int, ...], device: str) -> None:
    """What the columns are shifted by is from all over the row, their numbers included; what is summed up is stored."""

    def function(x: Tensor) -> tuple[Tensor, ...]:
        rows = x.flatten(1)
        rising = rows + 20000 + torch.arange(rows.shape[1], device=x.device) / 1024
        variance, mean = torch.var_mean(rising, 1, keepdim=True, correction=0)
        return torch.rsqrt(variance + 1e-5), (rising - mean) * torch.rsqrt(variance + 1e-5), rising

    torch.manual_seed(0)
    x = torch.randn(shape, device=device)
    x.flatten(1)[:, : x[0].numel() // 40] -= 30
    compiled, seen = compiled_once(function)
    found, eager = compiled(x), function(x)
    assert "lib.publish(" in seen[-1].source
    exact = torch.rsqrt(eager[2].double().var(1, keepdim=True, correction=0) + 1e-5)
    torch.testing.assert_close(found[0], exact, rtol=3e-7, atol=0, check_dtype=False)
    torch.testing.assert_close(found[1], eager[1], rtol=1e-5, atol=4e-3)


STEPS: tuple[Callable[[Tensor, tuple[int, ...]], Tensor], ...] = (
    lambda x, over: x - x.mean(over, keepdim=True),
    lambda x, over: x / (1 + x.abs().amax(over, keepdim=True)),
    lambda x, over: x * torch.rsqrt(x.var(over, keepdim=True, unbiased=False) + 1e-3),
    lambda x, over: torch.exp(x - x.amax(over, keepdim=True)) / 8,
    lambda x, over: x / (1 + x.square().sum(over, keepdim=True)),
    lambda x, over: x + x.amin(over, keepdim=True),
    lambda x, over: torch.relu(x),
)
RESULTS: tuple[Callable[[Tensor, tuple[int, ...]], Tensor], ...] = (
    lambda x, over: x.square().sum(over),
    lambda x, over: x.var(over, unbiased=False),
    lambda x, over: x.amax(over),
)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("seed", range(12))
def test_chains(seed: int, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of reductions and what follows them, some of them results, in parts of many lengths."""
    choose = random.Random(seed).choice
    ask = PartitionRowsPass(part=choose([64, 200, 600]), exchange="flags", most=choose([2, 4, 32]))
    own = partial(CooperativeReductionPass, resident=choose([16, 8192]))
    monkeypatch.setattr("mlc_compiler.pipeline.PartitionRowsPass", lambda **_: ask)
    monkeypatch.setattr("passes.loop.schedule.partition.CooperativeReductionPass", own)
    shape, over = choose([((3, 2048), (1,)), ((3, 4, 16, 40), (0, 2, 3)), ((3, 2, 28, 28), (1, 2, 3))])
    steps = [choose(STEPS) for _ in range(3)]
    results = [(choose(range(4)), choose(RESULTS)) for _ in range(2)]

    def function(x: Tensor) -> list[Tensor]:
        values = list(accumulate(steps, lambda value, step: step(value, over), initial=x))
        return [values[-1], *(result(values[k], over) for k, result in results)]

    x = torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(device) * 2 + seed % 3
    found = compile_imported(import_callable(function, [x]))(x)
    torch.testing.assert_close(tree_leaves(found), function(x.double()), rtol=2e-5, atol=2e-5, check_dtype=False)


NORM = """
mlc_loop.kernel @norm(%x: memref<5x240xELEMENT>, %out: memref<5x240xELEMENT>) {
  mlc_loop.parallel %p = 0 to 5 {
    %a, %b = mlc_loop.reduce KINDS %r = 0 to 240 -> ELEMENT, ELEMENT {
      %v = mlc_loop.load %x[%p, %r] : memref<5x240xELEMENT>
      mlc_loop.yield YIELDED
    }
    mlc_loop.parallel %r = 0 to 240 {
      %v = mlc_loop.load %x[%p, %r] : memref<5x240xELEMENT>
      %y = arith.SUB %v, %a : ELEMENT
      %z = arith.SUB %y, %b : ELEMENT
      mlc_loop.store %z, %out[%p, %r] : memref<5x240xELEMENT>
    }
  }
}
func.func @main(%x: memref<5x240xELEMENT>) -> memref<5x240xELEMENT> {
  %out = mlc_loop.alloc : memref<5x240xELEMENT>
  mlc_loop.launch @norm(%x, %out) : memref<5x240xELEMENT>, memref<5x240xELEMENT>
  func.return %out : memref<5x240xELEMENT>
}"""


@pytest.mark.parametrize("kinds", ["welford", "softmax", "add, max", "mul, min"])
@pytest.mark.parametrize("element", ["f32", "f64", "i32", "i64"])
def test_the_oracle_does_parts(kinds: str, element: str) -> None:
    """The same numbers as whole rows: all but the last bits of floats."""
    if element[0] == "i" and "," not in kinds:
        pytest.skip("pairs are of floats")
    random = np.random.default_rng(0)
    x = random.normal(size=(5, 240)) if element[0] == "f" else random.integers(-9, 9, (5, 240))
    x = x.astype(f"{'float' if element[0] == 'f' else 'int'}{element[1:]}")
    values = f"%v, %v : {element}, {element}" if "," in kinds else f"%v : {element}"
    text = NORM.replace("SUB", "subf" if element[0] == "f" else "subi").replace("KINDS", kinds)
    text = text.replace("YIELDED", values).replace("ELEMENT", element)
    (wanted,) = run(module_of(text), [x])
    module = module_of(text)
    for step in (
        PartitionRowsPass(part=80, exchange="flags"),
        CooperativeReductionPass(few=64),
        SchedulePass(),
    ):
        step.apply(Context(), module)
    assert str(module).count("mlc_loop.signal") == 2
    assert ("reduce add, add" in str(module)) == (kinds == "welford")
    (got,) = run(module, [x])
    close = {"f32": 1e-5, "f64": 1e-12}.get(element, 0)
    np.testing.assert_allclose(got, wanted, rtol=close, atol=close)


def test_turns() -> None:
    """A program goes on where it was, after those behind it; one that waits for ever is an error."""
    done: list[int] = []
    here: list[int] = []

    def program() -> None:
        own = here[-1]
        while len(done) < own:
            leave()
        done.append(own)

    run_in_turns(program, [3, 0, 2, 1], here.append)
    assert done == [0, 1, 2, 3]
    done.clear()
    with pytest.raises(RuntimeError, match="1 programs await what none of them tells"):
        run_in_turns(program, [0, 7], here.append)


@pytest.mark.gpu
@pytest.mark.parametrize("shape", [(64, 256, 56, 56), (16, 40, 112, 112), (2, 300, 256, 256)])
def test_every_call_gives_the_same(shape: tuple[int, ...]) -> None:
    """100 calls in a row, to the last bit, and close to float64."""
    compiled, seen = compiled_once(normed)
    torch.manual_seed(0)
    x = torch.randn(shape, device="cuda")
    first = compiled(x)
    torch.testing.assert_close(first, normed(x.double()), rtol=1e-4, atol=1e-4, check_dtype=False)
    assert all(torch.equal(compiled(x), first) for _ in range(100))
    assert seen[-1].source.count("lib.epoch(") == 1


@pytest.mark.gpu
def test_a_graph_replays_and_streams_keep_their_own_words() -> None:
    """Launches on several streams at once, and replays of a CUDA graph beside them, none of which waits for ever."""
    compiled, _ = compiled_once(normed)
    x = torch.randn(32, 128, 56, 56, device="cuda")
    wanted = compiled(x)
    assert all(torch.equal(one, wanted) for one in at_once(compiled, x))
