"""The benchmark of whole models: what of it needs no GPU."""

from __future__ import annotations

import json
import os
import signal
import time
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from benchmarks.models import __main__ as models
from benchmarks.models import crew
from benchmarks.models.crew import Crew, running_seconds
from benchmarks.models.picture import draw, speeds
from benchmarks.models.profile import rows, side_by_side
from benchmarks.models.records import Job, Measured, Result, Run, load
from benchmarks.models.report import heading, line, speedup, summary
from benchmarks.models.subject import Subject, distance
from benchmarks.models.worker import GO, READY
from benchmarks.zoo import TIMED, diffusion, named
from benchmarks.zoo.model import Model

LARGE = ("VGG-16 with batch norm", "CLIP B/32, 4 and 4 layers", "Whisper small encoder, 4 layers")
"""They take seconds at any size."""
BROKEN = Model("a model that is not in the zoo", "zoo", lambda _: torch.nn.Identity(), (), ())
OWN = [m.name for m in diffusion.MODELS]


def job(model: str, folder: Path, *, train: bool = False, backends: tuple[str, ...] = ("eager",)) -> Job:
    return Job(model, backends, train, "default", "cpu", True, str(folder / "caches"))


def test_the_zoo_is_large_and_its_names_are_its_own() -> None:
    assert len(TIMED) >= 30
    assert len({m.name for m in TIMED}) == len(TIMED)
    assert {m.library for m in TIMED} == {"transformers", "timm", "zoo"}
    assert any(m.channels_last for m in TIMED)


@pytest.mark.parametrize("model", [m for m in TIMED if m.name not in LARGE], ids=lambda m: m.name)
def test_models_are_built_and_give_numbers_that_differ(model: Model) -> None:
    if model.library != "zoo":
        pytest.importorskip(model.library)
    made = model.make("cpu", tiny=True).eval()
    with torch.no_grad():
        output = made(*model.inputs("cpu", tiny=True))
    assert output.isfinite().all() and output.std() > 1e-3
    loss = model.loss(output.requires_grad_(), model.labels(output))
    (gradient,) = torch.autograd.grad(loss, output)
    assert loss.isfinite() and gradient.abs().max() > 0


def test_no_parameter_of_a_model_is_constant() -> None:
    """Else an error in what multiplies it, or in what is added, does not show."""
    for value in named(OWN[1]).make("cpu", tiny=True).parameters():
        assert value.numel() == 1 or value.std() > 0


@pytest.mark.parametrize("train", [False, True])
def test_a_subject_gives_the_same_at_each_call_and_float32_is_near(train: bool, tmp_path: Path) -> None:
    subject = Subject(job(OWN[0], tmp_path, train=train))
    call = subject.call("eager")
    first, exact = call(), subject.exact()
    assert len(first) == (1 if not train else 1 + len(list(named(OWN[0]).make("cpu", True).parameters())))
    assert distance(call(), first) == 0
    assert 0 < distance(first, exact) < 0.05
    assert all(t.dtype == torch.float32 for t in exact)


def test_distance_counts_what_is_not_a_number() -> None:
    x, nan = torch.tensor([3.0, 4.0]), torch.tensor([3.0, float("nan")])
    assert distance([x * 1.1], [x]) == pytest.approx(0.1)
    assert distance([nan], [x]) == float("inf") and distance([nan], [nan]) == 0
    with pytest.raises(ValueError, match="expected 1 tensors"):
        distance([x, x], [x])


@pytest.mark.slow
def test_a_run_has_every_model_and_names_what_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In processes of their own: mlc compiles, is right, and a model that nobody can build stops no other."""
    monkeypatch.delenv("TORCHINDUCTOR_COMPILE_THREADS", raising=False)
    file = tmp_path / "models.json"
    monkeypatch.setattr(models, "select", lambda _: [named(OWN[0]), BROKEN])
    command = ["--tiny", "--backends", "eager,mlc", "--json", str(file), "--processes", "2", "--warm"]
    assert models.main(command) == 0
    monkeypatch.delenv("TORCHINDUCTOR_COMPILE_THREADS")
    run = load(file)
    good, bad = sorted(run.results, key=lambda r: r.name != OWN[0])
    eager, own = good.backends["eager"], good.backends["mlc"]
    assert own.failure is None and eager.error is not None and own.error is not None
    assert own.error < 2 * eager.error and own.first_s is not None and own.first_s > 0
    assert own.warm_s is not None and own.warm_s > 0  # a busy machine may make the second process the slower one
    assert all("StopIteration" in str(m.failure) for m in bad.backends.values())
    text = capsys.readouterr().out
    assert OWN[0] in text and f"failed: {BROKEN.name} on mlc: StopIteration" in text


def test_the_budget_ends_a_run_and_names_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models.main(["--tiny", "--backends", "eager", "--cases", OWN[0], "--budget", "0", "--processes", "1"])
    assert f"the time was up before: {OWN[0]}" in capsys.readouterr().out


def dies(connection: object, job: Job, cores: tuple[int, ...]) -> None:
    """A process that comes to no good."""
    os.kill(os.getpid(), signal.SIGKILL)


def takes_turns(connection: object, job: Job, cores: tuple[int, ...]) -> None:
    """Says when it was alone, and when others ran: a process that only counts."""
    connection.send(READY)  # pyright: ignore
    assert connection.recv() == GO  # pyright: ignore
    start = time.monotonic()
    time.sleep(0.3)
    span = (start, time.monotonic())
    connection.send(({"eager": Measured(wall_ms=start, host_ms=span[1])}, {}))  # pyright: ignore


@pytest.mark.slow
def test_a_process_that_dies_is_a_failure_of_its_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "work", dies)
    (result,) = Crew([job(OWN[0], tmp_path)], 1, time.monotonic() + 60).results()
    assert result.backends["eager"].failure == "its process ended with exit code -9"


@pytest.mark.slow
def test_one_model_is_timed_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_COMPILE_THREADS", "1")
    monkeypatch.setattr(crew, "work", takes_turns)
    found = list(Crew([job(name, tmp_path) for name in OWN[:2]], 2, time.monotonic() + 100).results())
    spans = sorted((r.backends["eager"].wall_ms or 0, r.backends["eager"].host_ms or 0) for r in found)
    assert len(spans) == 2
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


def only_the_first_ends(connection: object, job: Job, cores: tuple[int, ...]) -> None:
    """The process with warm caches never says a word."""
    while job.warm:
        time.sleep(1)
    connection.send(({"eager": Measured(wall_ms=1.0)}, {"eager": (0.0, 2.0)}))  # pyright: ignore


@pytest.mark.slow
def test_what_the_cold_process_found_outlives_the_warm_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the time is up before the second process has ended, and where it dies."""
    monkeypatch.setattr(crew, "work", only_the_first_ends)
    found, seconds = [], 2.0
    while not found and seconds < 200:  # a busy machine takes its time to begin
        seconds *= 3
        slow = Crew([job(OWN[0], tmp_path)], 1, time.monotonic() + seconds, warm=True)
        found = [*slow.results()]
    (result,) = found
    assert result.backends["eager"] == Measured(wall_ms=1.0, first_s=2.0) and not slow.unfinished()
    monkeypatch.setattr(crew, "work", dies)
    (result,) = Crew([job(OWN[0], tmp_path)], 1, time.monotonic() + 60, warm=True).results()
    assert result.backends["eager"].failure is not None


def test_pauses_are_no_time_to_the_first_result() -> None:
    assert running_seconds((10, 20), [(0, 5), (8, 11), (12, 13), (19, 30)]) == 10 - 1 - 1 - 1
    assert running_seconds((10, 20), []) == 10


def result(name: str, eager: float, inductor: float, mlc: float, failure: str | None = None) -> Result:
    own = Measured(mlc, mlc / 2, mlc / 4, 3.0, 2**20, 7, 2e-2) if failure is None else Measured(failure=failure)
    other = Measured(inductor, inductor / 2, inductor / 4, 6.0, 2**21, 8, 1e-2)
    return Result(
        name, {"eager": Measured(eager, eager / 2, eager / 4, 0.1, 2**21, 9, 1e-2), "inductor": other, "mlc": own}
    )


def test_the_report_puts_the_worst_first_and_hides_no_failure(tmp_path: Path) -> None:
    results = [
        result("good", 4, 2, 1),
        result("bad", 4, 2, 3),
        result("worse", 4, 2, 8),
        result("gone", 4, 2, 1, "Oh: no"),
    ]
    assert speedup(results[0], "mlc", "inductor") == 2 and speedup(results[3], "mlc", "eager") is None
    text = summary(results, ["later"])
    assert "inductor / mlc" in text and "wall 0.69 (3)" in text and "first 2.00 (3)" in text
    assert text.index("0.25  worse") < text.index("0.67  bad") and "good:" not in text.split("less accurate")[0]
    assert "behind inductor in 2 of 3" in text and "behind eager in 1 of 3" in text
    assert "failed: gone on mlc: Oh: no" in text and "the time was up before: later" in text
    backends = ("eager", "inductor", "mlc")
    first, second = heading(backends).splitlines()
    assert len(first) == len(second) == len(line(results[0], backends))
    assert "mlc failed: Oh: no" in line(results[3], backends)
    run = Run("command", {"torch": "2"}, results)
    run.save(tmp_path / "run.json")
    assert (
        load(tmp_path / "run.json") == run and json.loads((tmp_path / "run.json").read_text())["command"] == "command"
    )


def test_the_picture_has_what_was_timed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run("command", {"device": "a device"}, [result("good", 4, 2, 1), result("gone", 4, 2, 1, "Oh: no")])
    assert speeds(run) == {"inductor": {"good": 2.0, "gone": 2.0}, "mlc": {"good": 4.0}}
    draw(Run("command", {}), tmp_path / "none")
    assert "no model was timed" in capsys.readouterr().out and not list(tmp_path.iterdir())
    pytest.importorskip("matplotlib")
    draw(run, tmp_path / "speeds")
    assert (tmp_path / "speeds.png").stat().st_size > 10000


def test_profiles_stand_side_by_side() -> None:
    found = rows([("a", 1.0), ("b", 5.0), ("a", 2.0)])
    assert found == [("b", 1, 5.0), ("a", 2, 3.0)]
    lines = side_by_side({"eager": found, "mlc": found[:1]}, lambda b, rows: f"{b}: {len(rows)}")
    assert lines[0].split() == ["eager:", "2", "mlc:", "1"]
    assert lines[1].split() == ["5.0", "1", "x", "b"] * 2 and lines[2].split() == ["3.0", "2", "x", "a"]


def test_wrong_names_end_with_what_there_is() -> None:
    with pytest.raises(SystemExit, match="no model matches 'nothing'; there are BERT"):
        models.main(["--tiny", "--cases", "nothing"])
