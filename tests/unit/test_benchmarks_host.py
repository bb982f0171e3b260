"""The benchmark of host times, on the CPU and in a moment."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch

from benchmarks import host, host_profile
from benchmarks.compiling import CACHES
from benchmarks.host import CASES, Measured, call_of, heading, host_seconds, line
from benchmarks.host_profile import compile_mlc
from tests.unit.test_end_to_end import DEVICES


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the benchmark changes for its process stays in it."""
    for name in CACHES:
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)
    monkeypatch.setattr(host, "WARM", 1)
    monkeypatch.setattr(host, "BATCHES", 2)
    monkeypatch.setattr(host, "QUEUE", 3)
    monkeypatch.setattr(host_profile, "CALLS", 3)


@pytest.mark.slow
def test_a_run_has_every_case_on_every_backend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new" / "host.json"
    assert host.main(["--backends", "eager,mlc", "--budget", "0", "--json", str(file), "--cases", "[pr]*"]) == 0
    written = json.loads(file.read_text())
    assert list(written["results"]) == [c.name for c in CASES[:4]]
    for found in written["results"].values():
        assert list(found) == ["eager", "mlc"]
        assert all(m["host_us"] > 0 and m["failure"] is None for m in found.values())
    text = capsys.readouterr().out
    assert "mlc / eager" in text and all(c.name in text for c in CASES[:4]) and "failed" not in text
    assert written["environment"]["torch"] == torch.__version__ and "--budget 0" in written["command"]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_cases_compile(case: host.Case, device: str) -> None:
    function, inputs = case.make(device)
    expected = call_of(case, function, function, inputs=inputs)()
    compiled, seen = compile_mlc(function, device)
    found = call_of(case, function, compiled, inputs=inputs)()
    assert len(seen) == 1 + case.gradients
    expected, found = (r if isinstance(r, tuple) else (r,) for r in (expected, found))
    assert [t.shape for t in found] == [t.shape for t in expected]
    assert all(p.grad is None for p in getattr(function, "parameters", list)())
    if device == "cuda":
        for ours, exact in zip(found, expected, strict=True):
            torch.testing.assert_close(ours, exact, rtol=1e-3, atol=1e-4)


def test_a_backend_that_fails_does_not_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(function: object) -> None:
        raise RuntimeError("no luck today")

    monkeypatch.setitem(host.BACKENDS, "inductor", broken)
    found = host.measure_case(CASES[0], "inductor", "cpu", 0)
    assert found.host_us is None and found.failure is not None and "no luck" in found.failure
    text = line("a case", {"eager": Measured(2.0), "inductor": found, "mlc": Measured(3.0)})
    assert "failed" in text and "1.50" in text and "no luck" in text


def test_ratios_have_titles() -> None:
    backends = ["eager", "inductor", "mlc"]
    text = line("a case", {b: Measured(k + 1.0) for k, b in enumerate(backends)}).split()
    assert text[2:] == ["1.0", "2.0", "3.0", "2.00", "3.00", "1.50"]
    assert heading(backends).split("  ")[-1].strip() == "mlc / inductor"


def test_batches_do_not_fill_the_queue() -> None:
    calls: list[int] = []
    seconds = host_seconds(lambda: calls.append(1), launches=2, budget=0)
    assert 0 < seconds < 1 and math.isfinite(seconds)
    assert len(calls) == 1 + 2 * (3 // 2)


@pytest.mark.slow
def test_the_profile_adds_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert host.main(["--profile", "--budget", "0", "--cases", "pointwise, 2*"]) == 0
    text = capsys.readouterr().out
    times = {what: float(us) for us, what in (row.split(None, 1) for row in text.splitlines()[1:7])}
    whole = times.pop("all of it")
    times.pop("a backend that computes nothing, to compare")
    assert len(times) == 4 and sum(times.values()) == pytest.approx(whole, abs=0.05)
    assert "function calls" in text


def test_unknown_cases_are_named() -> None:
    with pytest.raises(SystemExit, match="no case matches 'nothing'; there are pointwise, 1 input; "):
        host.main(["--cases", "nothing"])
