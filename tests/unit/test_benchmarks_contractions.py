"""The benchmark of contractions: every case runs, forward and backward, and what is counted is right."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention import flex_attention

from benchmarks import accuracy, contractions
from benchmarks.accuracy import Units, errors
from benchmarks.backends import BESIDE, OTHER_RESULTS, applicable, on_backend
from benchmarks.case import BF16, Arg, Case, cases, differentiated
from benchmarks.cases import ATTENTION
from benchmarks.cases.attention_by_hand import dropped, plain
from benchmarks.contractions import CASES, COLUMNS, FAMILIES
from benchmarks.measuring import compiled, measured
from benchmarks.records import load, product_operations
from benchmarks.timing import tensors

OWN = [c for c in CASES if c.beside]


def named(name: str) -> Case:
    return next(c for c in CASES if c.name == name)


def in_float32(case: Case) -> tuple[Case, list[torch.Tensor]]:
    """At small sizes, where two spellings differ by rounding alone."""
    small = case.tiny()
    return small, [x.float() if x.is_floating_point() else x for x in small.make("cpu")]


def test_there_are_cases_of_every_kind() -> None:
    count = Counter(c.family for c in CASES)
    assert len(CASES) >= 60 and set(count) == set(FAMILIES)
    answering = {"decoding", "packed"}
    forward = {f for f in FAMILIES if not f.endswith("-backward")} - answering
    assert {f"{f}-backward" for f in forward} == set(FAMILIES) - forward - answering
    assert all(bool(c.gradients) == c.family.endswith("-backward") for c in CASES)
    lengths, sizes = ({c.args[0].shape[d] for c in ATTENTION} for d in (2, 3))
    assert {512, 16384} <= lengths and {64, 128, 256} <= sizes
    assert set(BESIDE) | {"eager", "inductor", "max-autotune", "xla", "mlc"} == set(COLUMNS)


@pytest.mark.parametrize("case", OWN, ids=lambda c: c.name)
def test_other_spellings_compute_the_same(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands beside a case has its results and gradients; the library's products alone run on its inputs."""
    monkeypatch.setattr(flex_attention, "_validate_device", lambda *_: None)  # no gradients on a CPU, it says
    small, inputs = in_float32(case)
    values = {b: on_backend(small, b)(*inputs) for b in applicable(small, ("library", "sdpa", "flex"))}
    same = {b: v for b, v in values.items() if b not in OTHER_RESULTS and case.repeatable}
    found = errors(small, inputs, same)
    assert values and all(tensors(v) for v in values.values())
    assert all(off < 2e-5 for off in found.values()), found


@pytest.mark.sampled(9)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_every_case_is_right_on_mlc(case: Case) -> None:
    """By the interpreter: results and gradients are about as near to float64 as eager's."""
    small = case.tiny()
    inputs = small.make("cpu")
    values = {b: on_backend(small, b)(*inputs) for b in ("eager", "mlc")}
    assert product_operations(case, "cpu") > 0
    if case.repeatable:
        found = errors(small, inputs, values)
        assert found["mlc"] <= 1.5 * found["eager"] + 1e-6


@pytest.mark.parametrize("gradients", [(), (0, 1, 2)])
def test_dropout_has_the_mean_of_attention_without_it(gradients: tuple[int, ...]) -> None:
    """Random cases are compared with nothing else, so this says that they are right."""
    case = cases("test")("test", dropped, *[(1, 2, 16, 8)] * 3, gradients=gradients)
    inputs, without = case.make("cpu"), replace(case, function=plain)
    exact = tensors(without.call(*inputs))
    draws = [tensors(case.call(*inputs)) for _ in range(2000)]
    for k, value in enumerate(exact):
        torch.testing.assert_close(torch.stack([d[k] for d in draws]).mean(0), value, atol=0.05, rtol=0.05)


def test_operations_are_those_of_the_products() -> None:
    m, k, n = 8192, 4096, 16384
    forward, backward = (named(f"linear, gelu {m} x {k} x {n} bf16{end}") for end in ("", ", backward"))
    assert product_operations(forward, "cpu") == 2 * m * k * n
    assert product_operations(backward, "cpu") == 3 * 2 * m * k * n
    assert product_operations(named("scores by a sum 8 x 256 x 16 x 128 f32"), "cpu") == 2 * 8 * 256 * 256 * 16 * 128
    whole = 4 * 32 * 4096**2 * 128 * 2
    assert product_operations(named("plain 4x32x4096x128 bf16"), "cpu") == 2 * whole
    assert product_operations(named("causal 4x32x4096x128 bf16, backward"), "cpu") == pytest.approx(3 * whole, rel=1e-3)
    keys = sum(min(i + 1, 512) for i in range(4096))
    windowed = product_operations(named("causal, 512 keys 4x32x4096x128 bf16"), "cpu")
    assert windowed == pytest.approx(2 * whole * keys / 4096**2, rel=1e-3)


def test_gradients_follow_the_result() -> None:
    """The last input is the gradient of the result, laid out as the result; bare products are their own."""
    case = cases("test")("test", lambda x, w: (x @ w).mT, (3, 4), (4, 5), gradients=(1,))
    x, w, upstream = case.make("cpu")
    assert upstream.shape == (5, 3) and upstream.stride() == (1, 5)
    result, gradient = tensors(case.call(x, w, upstream))
    torch.testing.assert_close(result, (x @ w).mT)
    torch.testing.assert_close(gradient, x.mT @ upstream.mT)
    products = differentiated(lambda x, w: (x @ w, 2 * w), (1,))
    torch.testing.assert_close(products(x, w, upstream)[-1], x.mT @ (x @ w) + 4 * w)


def test_the_reference_is_cut_until_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heads in halves, keys and values with the queries that share them; float32 where one does not fit."""
    small, inputs = in_float32(named("causal, grouped 4x32/8x2048x128 bf16, backward"))
    units, results = Units(small, inputs), {"eager": small.call(*inputs)}
    whole, seen = errors(small, inputs, results), list[tuple[int, torch.dtype]]()
    real = accuracy._errors

    def too_large(units: Units, step: int, dtype: torch.dtype, results: dict[str, object]) -> dict[str, float]:
        seen.append((step, dtype))
        if step > fits or dtype == wide:
            raise torch.OutOfMemoryError("no memory")
        return real(units, step, dtype, results)

    monkeypatch.setattr(accuracy, "_errors", too_large)
    fits, wide = 1, None
    assert units.count == 2 and errors(small, inputs, results) == pytest.approx(whole)
    assert seen == [(2, torch.float64), (1, torch.float64)]
    fits, wide = 1, torch.float64
    assert errors(small, inputs, results)["eager"] < 1e-6 and seen[-1] == (1, torch.float32)
    fits = 0
    with pytest.raises(torch.OutOfMemoryError):
        errors(small, inputs, results)


def test_a_backend_without_memory_does_not_end_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    calls = Counter[str]()

    def full(x: torch.Tensor) -> torch.Tensor:
        calls["full"] += 1
        if calls["full"] > 1:
            raise torch.OutOfMemoryError("no memory")
        return x + 1

    case = cases("test")("test", lambda x: x + 1, (4, 4), beside={"sdpa": full})
    result = measured(compiled(case, ("eager", "sdpa"), "cpu"), 1e9, "cpu", ())
    assert result.backends["sdpa"].failure == "OutOfMemoryError: no memory"
    assert result.backends["eager"].seconds and result.backends["eager"].error is not None


def test_runs_from_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.json"
    columns = "eager,library,sdpa,flex,mlc"
    options = ["--tiny", "--backends", columns, "--json", str(file)]
    contractions.main([*options, "--family", "attention,contractions", "--cases", "causal 8x16*"])
    contractions.main([*options, "--resume", "--cases", "norm, linear*"])
    run = load(file)
    assert "benchmarks.micro --family " in run.command and "--cases 'norm, linear*'" in run.command
    assert [sorted(r.backends) for r in run.results] == [
        ["eager", "flex", "mlc", "sdpa"], *[["eager", "library", "mlc"]] * 2,
    ]  # fmt: skip
    for result in run.results:
        for backend, found in result.backends.items():
            assert found.failure is None and found.seconds and found.wall_seconds and found.compile_seconds is not None
            assert (found.error is None) == (backend in OTHER_RESULTS)
    capsys.readouterr()
    contractions.main(["--show", str(file)])
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 4 + 3 + 3 and all(row.count("|") == head.count("|") for row in rows)


@pytest.mark.parametrize(
    "name",
    [
        "causal, grouped, sinks 2x64/8x4096x64 bf16, backward",
        "linear, gelu 2048 x 768 x 3072 bf16, backward",
        "linear, cross entropy 2048 x 2048 x 128256 bf16, backward",
        "linear, dropout, residual 8192 x 4096 x 1024 bf16",
        "bottleneck 64x1024x14x14 bf16, backward",
        "inverted residual, excited 64x40x28x28 bf16",
    ],
)
def test_xla_computes_the_same(name: str) -> None:
    """Where jax is installed: gradients, convolutions in their layout, and what a call allocates."""
    pytest.importorskip("jax")
    small, inputs = in_float32(named(name))
    run = on_backend(small, "xla")
    run(*inputs)
    values, exact = run(*inputs), tensors(small.call(*inputs))
    assert [v.shape for v in values] == [e.shape for e in exact] and values[0].stride() == exact[0].stride()
    assert run.peak_bytes() >= sum(v.nbytes for v in values)  # pyright: ignore[reportFunctionMemberAccess]
    if small.repeatable:
        assert errors(small, inputs, {"xla": values})["xla"] < 1e-4


@pytest.mark.slow
def test_inductor_compiles_a_step_of_training() -> None:
    case = cases("test")("test", lambda x, w: F.gelu(x @ w), Arg((8, 8), BF16), Arg((8, 8), BF16), gradients=(0, 1))
    inputs = case.make("cpu")
    found = errors(case, inputs, {"inductor": on_backend(case, "inductor")(*inputs)})
    assert found["inductor"] < 1e-2


def test_operations_are_counted_where_constants_are_made() -> None:
    """A region makes its constants on the device it is for, which need not be there: nothing is allocated."""
    case = cases("test")("test", lambda x, w: x @ w + torch.ones(16, device="cuda"), (4, 8), (8, 16))
    assert product_operations(case, "cuda") == 2 * 4 * 8 * 16
