"""What was measured of drawn kernels is predicted anew from dumps; no GPU is needed."""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import pytest

from benchmarks import fit_model, regret, regret_again
from benchmarks.drawn import TRAFFIC
from benchmarks.regret_again import again, report
from benchmarks.regret_kernels import Prepared, Source, prepare
from benchmarks.regret_records import RegretRun
from mlc_compiler.tuning.measuring import Trial
from passes.common.device import device_named

RECORDED = Path(__file__).parents[2] / "benchmarks/results/schedules_5555_h200.jsonl.gz"
FEW = 40
"""Schedules that a test reads of those recorded."""


@pytest.fixture(scope="module")
def made() -> Prepared:
    """Sums of rows under some schedules."""
    found = prepare("regret-17-1", 6, Source(TRAFFIC))
    assert found.failure is None
    return found


def dumped(made: Prepared, path: Path) -> Path:
    """A dump with made-up times: the last schedule is the fastest, and the first spills."""
    options = argparse.Namespace(dump=path, json=None, tiny=False, kernels=1, budget=60)
    trials = [[Trial(1e-5 * (len(g) - k), 7 if k == 0 else 0) for k in range(len(g))] for g in made.kernels.values()]
    regret.fill(RegretRun("a test", {}), [made], Source(TRAFFIC), options, lambda asked: trials)
    return path


def test_todays_choice_comes_first(made: Prepared, tmp_path: Path) -> None:
    """Each schedule keeps what was measured of it; only the prediction is new."""
    for (drawing, is_timed), group in zip(
        again([dumped(made, tmp_path / "dump.jsonl")]), made.kernels.values(), strict=True
    ):
        (kernel,) = drawing.kernels
        assert is_timed and drawing.family == "row reduction" and kernel.tried[0].spills == 7
        assert [t.predicted_us for t in kernel.tried] == pytest.approx([w.predicted_us for w in group])
        assert sorted(t.seconds or 0 for t in kernel.tried) == pytest.approx(
            [1e-5 * (k + 1) for k in range(len(group))]
        )


def test_what_was_not_timed_is_counted(made: Prepared, tmp_path: Path) -> None:
    """Without the line of today's choice the least predicted time counts."""
    path = dumped(made, tmp_path / "dump.jsonl")
    first, second, *rest = map(json.loads, path.read_text().splitlines())
    path.write_text("\n".join(json.dumps(line) for line in (second | {"open": first["open"]}, *rest)) + "\n")
    found = list(again([path]))
    assert not found[0][1] and len(found[0][0].kernels[0].tried) == len(rest) + 1
    assert "1 of 1 kernels would have a schedule that was not timed" in report(found)


def test_what_is_recorded_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The dumps of the repository, by this and by fit_model; a default is never quicker than the best."""
    path = tmp_path / "some.jsonl"
    with gzip.open(RECORDED, "rt") as lines:
        path.write_text("".join(line for _, line in zip(range(FEW), lines, strict=False)))
    assert regret_again.main([str(path)]) == 0
    shown = capsys.readouterr().out
    assert f"{FEW} schedules" in shown and "default / best: 1." in shown
    assert sum(len(kernel.timed) for kernel in fit_model.read([path], device_named("h200"))) == FEW


def test_a_dump_without_kernels_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text('{"case": "a", "kernel": "k"}\n')
    with pytest.raises(SystemExit, match="measure again with --dump"):
        list(again([path]))
