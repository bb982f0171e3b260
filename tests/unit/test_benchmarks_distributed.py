"""The benchmark of several GPUs, in its small form: two processes on gloo."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.distributed import Measured, line, union


def test_spans_that_touch_are_one() -> None:
    assert list(union(iter([(5.0, 6.0), (0.0, 2.0), (1.0, 3.0), (1.5, 1.75), (3.0, 4.0)]))) == [(0.0, 4.0), (5.0, 6.0)]
    assert not list(union(iter(())))


def test_a_line_tells_the_speed_beside_inductor() -> None:
    found = [Measured("c", "inductor", ms=3.0), Measured("c", "mlc", ms=2.0), Measured("c", "eager", failure="no")]
    assert "1.50x inductor" in line(found[1], found)
    assert line(found[2], found).endswith("no")


@pytest.mark.slow
def test_two_processes_train_and_answer(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    here = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--rdzv-backend", "c10d"]
    what = ["-m", "benchmarks.distributed", "--device", "cpu", "--tiny", "--backends", "eager,mlc", "--json", str(file)]
    cases = ["--cases", "FSDP2*|*512 words"]
    subprocess.run([*here, "--rdzv-endpoint", "localhost:0", *what, *cases], check=True, cwd=Path(__file__).parents[2])
    told = json.loads(file.read_text())
    assert told["processes"] == 2
    results = [Measured(**r) for r in told["results"]]
    assert [m.backend for m in results] == ["eager", "mlc"] * 2
    assert all(m.ms > 0 and not m.failure for m in results)
    pairs = zip(results[::2], results[1::2], strict=True)  # of bfloat16, which kernels round elsewhere
    assert all(math.isclose(a.result, b.result, rel_tol=2e-3) for a, b in pairs)
