"""Losses of short trainings: what is compared, said, written and drawn."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

from benchmarks import curves
from benchmarks.curves import MODELS, Curves, Run, smooth
from benchmarks.line_picture import Line, picture


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


def test_the_picture_is_an_svg_with_every_line() -> None:
    panels = {f"a < b {k}": [Line("one", "red", [1.0, 2.0]), Line("two", "blue", [2.0])] for k in range(4)}
    root = ElementTree.fromstring(picture(panels, "step", "loss"))
    assert len(root.findall(".//{*}polyline")) == 8
    assert "a < b 3" in [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]


def test_curves_are_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, run = tmp_path / "c.json", Run("python -m benchmarks.curves", {"device": "CPU"})
    run.results += [Curves("plain", {"eager": [1.0, 1.0], "mlc": [1.0, 1.1]})]
    run.results += [Curves("drops", {"eager": [1.0], "mlc": [1.0], "eager, another seed": [1.2]})]
    curves.write_json(path, curves.asdict(run))
    assert curves.main(["--show", str(path), "--picture", str(tmp_path / "c.svg")]) == 0
    said = capsys.readouterr().out
    assert "without dropout: mlc at most 5.00 % from eager: plain" in said and "another seed at most 20.00 %" in said
    assert (tmp_path / "c.svg").read_text().startswith("<svg")


@pytest.mark.slow
def test_a_short_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "curves.json"
    assert curves.main(["--steps", "3", "--cases", "ResNet, dropout*, float32", "--json", str(path)]) == 0
    (result,) = Run.load(path).results
    assert {*result.losses} == {"eager", "mlc", "eager, another seed"} and all(
        len(v) == 3 for v in result.losses.values()
    )
    assert 0 < result.apart("mlc") < 0.2
