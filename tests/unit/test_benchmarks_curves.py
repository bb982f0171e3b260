"""Losses of short trainings: what is compared, said, written and drawn."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

from benchmarks import curves
from benchmarks.cpu_cases import Block
from benchmarks.curves import LINES, MODELS, Curves, Run, smooth


def test_curves_are_compared_by_means_of_steps() -> None:
    steady = [2.0] * 40
    noisy = [2.1 if k % 2 else 1.9 for k in range(40)]
    assert Curves("c", {"eager": steady, "mlc": noisy}).apart("mlc") < 0.01
    assert Curves("c", {"eager": steady, "mlc": [2.0] * 20 + [2.2] * 20}).apart("mlc") > 0.05
    assert smooth([1.0, 3.0]) == [2.0]


@pytest.mark.parametrize("name", MODELS)
def test_a_model_learns_from_its_batches(name: str) -> None:
    subject, random = MODELS[name], torch.Generator().manual_seed(0)
    x, y = subject.batch(random)
    logits = subject.make(0.0)(x).flatten(0, -2)
    assert logits.shape[0] == y.numel() and int(y.max()) < logits.shape[1]
    again, _ = subject.batch(random)
    assert not torch.equal(x, again)


def test_the_picture_has_a_panel_a_training_and_is_the_same_each_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    losses = {"mlc": [1.0] * 30, "eager": [2.0, 1.0] * 15}
    drops = losses | {"eager, another seed": [1.5] * 30}
    run = Run("c", {}, [Curves(f"a < b {k}", drops if k == 4 else losses) for k in range(5)])
    for name in ("one.svg", "two.svg"):
        curves.plot(tmp_path / name, lambda pyplot: curves.figure(run, pyplot))
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    root = ElementTree.parse(tmp_path / "one.svg").getroot()
    said = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [text for text in said if text in LINES] == list(LINES)
    assert {f"a < b {k}" for k in range(5)} <= {*said} and said.count("loss") == 5


def test_dropout_takes_no_random_numbers_where_there_is_none() -> None:
    """A layer begins with the same weights whatever its dropout; without, it is a function of its input."""

    def layer(dropout: float, spelled: bool = False) -> Block:
        torch.manual_seed(3)
        return Block(16, 2, spelled, dropout=dropout)

    x = torch.randn(2, 4, 16)
    plain, dropping = layer(0.0), layer(0.5)
    assert all(map(torch.equal, plain.parameters(), dropping.parameters()))
    assert torch.equal(plain(x), plain(x)) and torch.equal(plain(x), dropping.eval()(x))
    for spelled in (False, True):
        some = layer(0.5, spelled)
        assert not torch.equal(some(x), some(x))
        attention = some.attention
        assert not torch.equal(attention(x), attention(x))


def test_curves_are_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, run = tmp_path / "c.json", Run("python -m benchmarks.curves", {"device": "CPU"})
    run.results += [Curves("plain", {"eager": [1.0, 1.0], "mlc": [1.0, 1.1]})]
    run.results += [Curves("drops", {"eager": [1.0], "mlc": [1.0], "eager, another seed": [1.2]})]
    curves.write_json(path, curves.asdict(run))
    assert curves.main(["--show", str(path), "--picture", str(tmp_path / "c.svg")]) == 0
    said = capsys.readouterr().out
    assert "without dropout: mlc at most 5.00 % from eager: plain" in said and "another seed at most 20.00 %" in said
    assert (tmp_path / "c.svg").exists() or "matplotlib is not installed" in said


@pytest.mark.slow
def test_a_short_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "curves.json"
    assert curves.main(["--steps", "3", "--cases", "ResNet, dropout*, float32", "--json", str(path)]) == 0
    (result,) = Run.load(path).results
    assert {*result.losses} == {"eager", "mlc", "eager, another seed"} and all(
        len(v) == 3 for v in result.losses.values()
    )
    assert 0 < result.apart("mlc") < 0.2
