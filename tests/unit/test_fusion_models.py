"""The benchmark that says how much of whole models the real compilers are given; the compilers are played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import fusion_models
from benchmarks.fusion_coverage import Answer, load, save
from benchmarks.fusion_models import MODELS, asked, lines
from benchmarks.zoo import named
from mlc_compiler.peers import peer as peers
from mlc_compiler.peers.client import Failure
from mlc_compiler.peers.record import CUT, Cut, Kernel, Record

UNET = "diffusion U-Net, 3 levels"
"""A model that needs no library."""


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Compilers that make one kernel of what they are asked, but for TVM, which fails; what they were asked."""
    asked: list[dict[str, Any]] = []

    def ask(worker: str, requests: list[dict[str, Any]], python: str) -> list[Any]:
        asked.extend(requests)
        if "tvm" in worker:
            return [Failure("it fell over") for _ in requests]
        ops = [list(dict.fromkeys(name for edge in r["edges"] for name in edge)) for r in requests]
        return [{"version": "1", "kernels": [{"name": "k", "kind": "loop", "ops": o}], "verdicts": []} for o in ops]

    monkeypatch.setattr(peers, "ask", ask)
    monkeypatch.setattr(peers.Peer, "available", lambda self: None)
    return asked


def test_the_models_are_in_the_zoo() -> None:
    assert len(MODELS["inference"]) == 20 and len(MODELS["training"]) == 6
    for names in MODELS.values():
        assert [named(name).name for name in names] == list(names) and len({*names}) == len(names)


def test_a_model_is_given_to_each_compiler(played: list[dict[str, Any]], tmp_path: Path) -> None:
    """Nothing of this model is cut; a compiler that has no answer was compared on nothing, and says why."""
    file = tmp_path / "models.json"
    options = ["--tiny", "--cases", UNET, "--variants", "inference", "--processes", "0", "--json", str(file)]
    assert fusion_models.main(options) == 0
    (result,) = load(file)
    assert (result.model, result.variant, result.graphs, result.failure) == (UNET, "inference", 1, None)
    assert result.ops > 100 and len(played) == 3
    assert [result.share(name) for name in ("xla", "tvm", "inductor")] == [1.0, 0.0, 1.0]
    assert result.answers["tvm"].refused == ["it fell over"] and not result.answers["xla"].cuts
    assert "    refused: it fell over" in list(lines(result))
    save(file, [replace(result, model="ResNet-50")], {})
    assert fusion_models.main([*options, "--add"]) == 0
    assert [r.model for r in load(file)] == ["ResNet-50", UNET]


def test_cut_ops_are_counted_by_their_reason() -> None:
    """Views that are cut with a piece do not count: nobody computes them."""
    cuts = [
        Cut("a", "aten.sort", "", "none"),
        Cut("b", "aten.sort", "", "none"),
        Cut("view", "a piece", "", "it failed"),
    ]
    kernels = (Kernel("k", "loop", ("c", "else")), *(Kernel(c.callee, CUT, (c.op,)) for c in cuts))
    answer = Answer()
    for _ in range(2):
        fusion_models._note(answer, {"a", "b", "c", "d"}, Record("xla", "1", "h200", kernels, (), tuple(cuts)))
    assert (answer.compared, answer.placed, answer.kernels) == (4, 2, 2)
    assert answer.cuts == {"aten.sort: none": 4}


def test_a_model_that_cannot_be_traced_is_told(played: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise ValueError("no such weights")

    monkeypatch.setattr(fusion_models, "trace", fail)
    result = asked(("inference", UNET), ["xla"])
    assert result.failure and "no such weights" in result.failure and not played
    assert result.share("xla") == 0.0
