"""Real compilers of other environments, and what is shown of their answers before all have come."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from mlc_compiler.compare.comparison import Comparison, Graph, compare, compare_all
from mlc_compiler.peers.client import Failure
from mlc_compiler.peers.peer import Peer, installed
from mlc_compiler.peers.record import Kernel, Record
from mlc_support import progress
from mlc_support.errors import MlcError
from tests.unit.seven import FILE, seven
from tests.unit.test_compare import run
from tests.unit.test_progress import Terminal

OPS = ("amax", "sub", "exp", "sum", "div")


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """An XLA that makes one kernel of softmax, in every environment; a TVM that is not there."""

    def records(self: Peer, modules: Any, *rest: Any) -> list[Record | Failure]:
        if self.name == "tvm":
            return [Failure("tvm needs apache-tvm") for _ in modules]
        version = f"xla of {self.place or 'ours'}"
        return [Record("xla", version, "h200", (Kernel("k", "triton", OPS, code="HloModule"),), ()) for _ in modules]

    monkeypatch.setattr(Peer, "records", records)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A virtual environment, as far as it is looked at."""
    (tmp_path / "old" / "bin").mkdir(parents=True)
    (tmp_path / "old" / "bin" / "python").symlink_to(sys.executable)
    return tmp_path / "old"


def test_two_versions_of_a_compiler(answers: None, old: Path) -> None:
    comparison = compare("softmax", seven("softmax"), ("xla", "none"), ("xla", f"xla={old}"))
    assert [(row.label, row.version) for row in comparison.rows][1:3] == [
        ("xla", "xla of ours"),
        (f"xla ({old})", f"xla of {old}"),
    ]
    assert [row.policy for row in comparison.rows] == ["xla", "xla", "xla", "none"]


def test_a_knob_is_turned_in_every_version(answers: None, old: Path) -> None:
    knobs = {"real-xla": {"xla_gpu_x": "true"}}
    comparison = compare("softmax", seven("softmax"), (), ("xla", f"xla={old}"), knobs=knobs)
    turned = "xla_gpu_x=true"
    assert [row.label for row in comparison.rows] == ["xla", f"xla {turned}", f"xla ({old})", f"xla ({old}) {turned}"]


def test_the_worker_runs_in_that_environment(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def ask(worker: str, requests: list[Any], python: str) -> list[Failure]:
        asked.append(python)
        return [Failure("no module named 'jaxlib'")] * len(requests)

    monkeypatch.setattr("mlc_compiler.peers.peer.ask", ask)
    comparison = compare("softmax", seven("softmax"), ("none",), (f"xla={old}",))
    assert asked == [str(old / "bin" / "python")]
    assert comparison.failures == {f"xla ({old})": "no module named 'jaxlib'"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("xl", "no peer 'xl'\n  did you mean `xla`?"),
        ("xl=/nowhere", "no peer 'xl'"),
        ("xla=/nowhere", "'/nowhere' is no virtual environment: there is no /nowhere/bin/python"),
        ("xla=", "'' is no virtual environment"),
    ],
)
def test_no_such_compiler(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MlcError):
        installed(text)
    code, _, err = run(capsys, f"{FILE}:softmax", "--args", "8x8xf32", "--peers", "none", "--peer", text)
    assert code == 1 and err.startswith(f"error: {message}")


def test_what_is_known_before_all_have_answered(answers: None) -> None:
    known = list[Comparison]()
    graphs = [Graph("softmax", seven("softmax"))]
    compare_all(graphs, ("mlc",), ("xla", "tvm"), heard=lambda comparisons: known.extend(comparisons))
    assert [c.waiting for c in known] == [("xla", "tvm"), ("tvm",), ()]
    assert [len(c.rows) for c in known] == [1, 2, 2]
    assert [dict(c.failures) for c in known] == [{}, {}, {"tvm": "tvm needs apache-tvm"}]


def test_answers_on_a_terminal(
    answers: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    terminal, page = Terminal(), tmp_path / "page.html"
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    options = ["--policies", "mlc", "--peers", "xla,tvm", "--html", str(page)]
    code, out, _ = run(capsys, f"{FILE}:softmax", "--args", "512x1024xf32", *options)
    lines = [line.strip() for line in terminal.getvalue().replace("\r", "\n").splitlines() if line.strip()]
    assert code == 0 and "tvm: not asked: tvm needs apache-tvm" in out
    assert [line.split()[0] for line in lines] == ["asking", "xla:", "asking", "tvm:"]
    assert lines[1].startswith("xla: 1 kernels, 4.2 MB (") and lines[3].startswith("tvm: tvm needs apache-tvm (")
    assert '"waiting":[]' in page.read_text()


def test_nothing_is_said_where_there_is_no_terminal(answers: None, capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = run(capsys, f"{FILE}:softmax", "--args", "8x8xf32", "--policies", "mlc", "--peers", "xla")
    assert err == ""
