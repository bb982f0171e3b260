"""Logs and traces of a compilation, and how `backend="mlc"` is found."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from mlc_compiler import logs
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.frontend.known_graphs import KnownGraph
from mlc_support.errors import MlcError

ROOT = Path(__file__).parents[2]
PROGRAM = """
import torch, mlc_compiler
def model(x):
    y = torch.exp(x) * 2
    return torch.sort(y).values
torch.compile(model, backend="mlc")(torch.randn(8))
"""


def run_program(tmp_path: Path, text: str = PROGRAM, **environment: str) -> str:
    """What a program prints on stderr that runs in another process, in which mlc is not installed."""
    (tmp_path / "program.py").write_text(text)
    hidden = (  # an installed mlc is found by its finder or by a .pth file; a checkout needs neither
        "import importlib.metadata as m, runpy, sys; own = m.MetadataPathFinder.find_distributions\n"
        "m.MetadataPathFinder.find_distributions = classmethod(lambda cls, context=m.DistributionFinder.Context(): "
        "(d for d in own(context) if d.name != 'mlc'))\n"
        f"runpy.run_path({str(tmp_path / 'program.py')!r})"
    )
    told = {**os.environ, "PYTHONPATH": str(ROOT), "MLC_CACHE_DIR": str(tmp_path / "cache"), **environment}
    done = subprocess.run([sys.executable, "-c", hidden], env=told, capture_output=True, text=True, check=True)
    return done.stderr


@pytest.mark.slow
def test_torch_logs_and_trace_carry_programs(tmp_path: Path) -> None:
    """In a process of its own, since PyTorch reads its settings when it is imported."""
    shown = run_program(tmp_path, MLC_CPU="native", TORCH_LOGS="mlc,output_code", TORCH_TRACE=str(tmp_path / "trace"))
    assert ": pointwise, " in shown and "program.py:4  y = torch.exp(x) * 2" in shown
    assert "aten.sort.default, no kernel: no rule makes kernels of it" in shown
    assert "[__output_code] def inference(arguments):" in shown
    (trace,) = (tmp_path / "trace").iterdir()
    payloads: dict[str, str] = {}
    for line in trace.read_text().splitlines():
        if line.startswith("V"):
            name = json.loads(line.partition("] ")[2]).get("artifact", {}).get("name", "")
        else:
            payloads[name] = payloads.get(name, "") + line.removeprefix("\t") + "\n"
    ours = {name: text for name, text in payloads.items() if name.startswith("mlc_inference_")}
    assert {name.removeprefix("mlc_inference_") for name in ours} >= {"tensor", "fused", "cpu", "source", "kernels"}
    assert "mlc_tensor.fusion" in ours["mlc_inference_fused"] and "mlc_loop.kernel" in ours["mlc_inference_cpu"]
    (kernel,) = json.loads(ours["mlc_inference_kernels"])["kernels"]
    assert kernel["lines"] == ["program.py:4  y = torch.exp(x) * 2"] and kernel["bytes"] == 64


def test_an_import_registers_the_backend(tmp_path: Path) -> None:
    program = (
        "import sys, mlc\nassert 'torch' not in sys.modules\n"
        "import torch._dynamo.backends.registry as registry\n"
        "assert registry.lookup_backend('mlc') is mlc.compile_graph_module\n"
    )
    assert run_program(tmp_path, program) == ""


@pytest.mark.slow
def test_a_backend_is_registered_after_pytorch_has_looked(tmp_path: Path) -> None:
    program = (
        "import torch._dynamo.backends.registry as registry\n"
        "try:\n    registry.lookup_backend('mlc')\n    raise SystemExit('it is installed')\n"
        "except Exception: pass\n"
        "import mlc_compiler\nregistry.lookup_backend('mlc')\n"
    )
    assert run_program(tmp_path, program) == ""


@pytest.fixture
def quiet() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    logs.listen("")


def compiled(monkeypatch: pytest.MonkeyPatch, choice: str) -> None:
    monkeypatch.setenv("MLC_LOG", choice)

    def chain(x: torch.Tensor) -> Any:
        return torch.softmax(x, -1) * 2

    torch.compile(chain, backend=compile_graph_module)(torch.randn(3, 4))


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("choice", ["fusion", "kernels, cache", "all", ""])
def test_mlc_log_shows_the_areas_it_names(
    choice: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled(monkeypatch, choice)
    shown = capsys.readouterr().err
    areas = {line.removeprefix("mlc ").partition(":")[0] for line in shown.splitlines() if line.startswith("mlc ")}
    assert areas == ({*logs.AREAS} if choice == "all" else {*filter(None, choice.replace(" ", "").split(","))})
    assert not areas & {"fusion", "kernels"} or "    test_logs.py:" in shown
    assert shown or not choice


@pytest.mark.usefixtures("quiet")
def test_a_log_ends_with_its_choice(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    logs.listen("all")
    assert logs.heard() and logs.heard(["cache"])
    logs.listen("")
    assert not logs.heard() and not any(logs.log_of(area).handlers for area in logs.AREAS)
    compiled(monkeypatch, "")
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("quiet")
def test_the_cache_says_what_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("MLC_CACHE_PROGRAMS", "1")
    monkeypatch.setattr(KnownGraph, "of", staticmethod(lambda *_: None))  # which would be found before
    for expected in ("no equal graph is known", "the program of an equal graph is used"):
        torch._dynamo.reset()
        compiled(monkeypatch, "cache")
        assert expected in capsys.readouterr().err


def test_an_unknown_log_is_named() -> None:
    with pytest.raises(MlcError, match="no log 'fusions'") as caught:
        logs.listen("fusions,cache")
    assert "did you mean `fusion`" in caught.value.render()


@pytest.mark.usefixtures("quiet")
def test_set_logs_of_pytorch(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCH_LOGS", raising=False)
    torch._logging.set_logs(modules={"mlc": logging.INFO})
    try:
        compiled(monkeypatch, "")
        assert any("reduction" in record.getMessage() for record in caplog.records)
    finally:
        torch._logging.set_logs()
