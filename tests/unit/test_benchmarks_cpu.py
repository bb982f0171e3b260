"""The benchmark of the CPU target, from end to end with one small function."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from benchmarks import cpu
from benchmarks.cpu_records import Measured, Result, Run, ratio

pytest.importorskip("llvmlite")


def test_a_run_is_measured_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "ROUNDS", 1)
    monkeypatch.setattr(cpu, "fresh_caches", lambda: tmp_path)  # folders of the whole process
    before, kept = torch.get_num_threads(), tmp_path / "cpu.json"
    try:
        told = ["--cases", "sums of rows, 256 kB", "--threads", "1", "--backends", "eager,mlc", "--json", str(kept)]
        assert cpu.main(told) == 0
    finally:
        torch.set_num_threads(before)
    (result,) = Run.load(kept).results
    assert (result.kind, result.name, result.threads) == ("functions", "sums of rows, 256 kB", 1)
    assert all(m.failure is None and m.seconds and m.error and m.error < 1e-6 for m in result.backends.values())


def test_ratios_of_what_is_known() -> None:
    measured = {
        "eager": Measured(4.0, error=1e-7),
        "mlc": Measured(2.0),
        "inductor": Measured(),
    }
    result = Result("functions", "some", 1, measured)
    assert ratio(result, "eager", "seconds") == 2
    assert ratio(result, "eager", "error") is None
    assert ratio(result, "inductor", "seconds") is None
    assert ratio(result, "another", "seconds") is None


def test_no_case_ends_the_run() -> None:
    with pytest.raises(SystemExit, match="no case matches 'nothing'"):
        cpu.main(["--cases", "nothing"])
