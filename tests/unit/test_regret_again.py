"""What was measured of drawn kernels is found again, and predicted anew; no GPU is needed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import fit_model, regret_again
from benchmarks.drawn import TRAFFIC
from benchmarks.regret_again import form, predict_again, predicted, report
from benchmarks.regret_kernels import prepare
from benchmarks.regret_records import Drawing, Kernel, RegretRun, Tried
from passes.common.device import device_named

STRANGE = 'warps 4 index 32 why "as asked for"; blocks p 3'
"""No tiling has blocks of three rows."""


@pytest.fixture(scope="module")
def drawing() -> Drawing:
    """Two sums of rows with made-up times: the last is the fastest, and the first spills."""
    made = prepare("regret-17-1", 6, TRAFFIC)
    assert made.failure is None
    kernels = tuple(
        Kernel(name, tuple(Tried(w.why, 1.0, 1e-5 * (len(group) - k), 7 if k == 0 else 0) for k, w in enumerate(group)))
        for name, group in made.kernels.items()
    )
    return Drawing(made.name, "row reduction", "", 1 << 20, kernels)


def test_recorded_schedules_are_found(drawing: Drawing) -> None:
    """Each keeps what was measured of it; only the prediction is new, and what the compiler takes comes first."""
    again = predict_again(drawing)
    for old, new in zip(drawing.kernels, again.drawing.kernels, strict=True):
        assert old.name == new.name and new.tried[0].why == old.tried[0].why
        assert {replace(t, predicted_us=1.0) for t in new.tried} == set(old.tried)
        assert all(t.predicted_us is not None and t.predicted_us != 1.0 for t in new.tried)
        assert len(again.texts[new.name]) == len(new.tried)
    assert again.unseen == 0


def test_what_is_not_taken_today_is_left_out(drawing: Drawing) -> None:
    (kernel, *_) = drawing.kernels
    others = (Tried(STRANGE, 1.0, 1e-9), *kernel.tried[1:])
    again = predict_again(replace(drawing, kernels=(replace(kernel, tried=others),)))
    (found,) = again.drawing.kernels
    assert len(found.tried) == len(kernel.tried) - 1 and again.unseen == 1
    assert not predict_again(replace(drawing, kernels=(replace(kernel, tried=others[:2]),))).drawing.kernels
    assert not predict_again(replace(drawing, kernels=(replace(kernel, name="other"),))).drawing.kernels


def test_a_name_that_is_none_is_a_failure(drawing: Drawing) -> None:
    (again,) = predicted([replace(drawing, name="regret-17")], 0)
    assert again.drawing.failure is not None and not again.drawing.kernels


def test_schedules_are_told_apart_by_warps_and_blocks() -> None:
    one = 'warps 4 index 32 why "1 row(s) in registers"; blocks p 1, r 64'
    assert form(one) == form('warps 4 index 32 uncapped why "as asked for; variances"; blocks p 1, r 64')
    assert form(one) != form(one.replace("warps 4", "warps 8")) and form(one) != form(one.replace("r 64", "r 32"))


def test_the_command_line(drawing: Drawing, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report says what is predicted today, and the dump is what fit_model reads."""
    results, dump = tmp_path / "results.json", tmp_path / "dump.jsonl"
    RegretRun("a test", {}, [drawing]).save(results)
    assert regret_again.main([str(results), "--dump", str(dump)]) == 0
    count = len(drawing.kernels)
    assert f"{count} of {count} kernels have two of the recorded schedules" in capsys.readouterr().out
    kernels = list(fit_model.read([dump], device_named("h200")))
    assert [len(k.timed) for k in kernels] == [len(k.tried) for k in drawing.kernels]
    assert kernels[0].timed[0].spills == 7
    assert json.loads(dump.read_text().splitlines()[0])["family"] == "row reduction"


def test_nothing_found_is_said() -> None:
    assert "0 of 0 kernels" in report(RegretRun("a test", {}), [])
