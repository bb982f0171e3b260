"""`mlc-compare --measure`: each strategy in its process, its results beside those of mlc, and a reason for no time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch

from mlc_compiler.compare import measure
from mlc_compiler.compare.comparison import Comparison, Strategy, compare
from mlc_compiler.compare.measure import measured, measured_all
from mlc_compiler.compare.overview import as_overview, line_of, totals
from mlc_compiler.compare.report import as_json
from mlc_compiler.compare.text import as_text
from mlc_compiler.peers import client
from mlc_compiler.peers import peer as peers
from mlc_compiler.peers.client import Answer, Failure, ask
from mlc_compiler.peers.record import Cut, Kernel, Record
from mlc_compiler.pipeline import lower_to
from mlc_compiler.timing.results import numbers, off, worst
from tests.unit.seven import FILE, seven
from tests.unit.test_export_dropout import attention
from tests.unit.test_exports import module_of
from tools.mlc_compare import main
from tools.mlc_translate import import_target

ROWS = """func.func @rows(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<64x32xf32> -> tensor<64x1xf32>
  %e = mlc_tensor.exp %x : tensor<64x32xf32>
  %b = mlc_tensor.broadcast %s : tensor<64x1xf32> -> tensor<64x32xf32>
  %r = mlc_tensor.add %e, %b : tensor<64x32xf32>
  func.return %r : tensor<64x32xf32>
}"""


def record(peer: str) -> Record:
    """What a compiler says that has made one kernel of it."""
    return Record(peer, f"{peer} 1", "h200", (Kernel("k", "loop", ("s", "e", "r")),), ())


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real compilers that say so; nobody is asked."""
    monkeypatch.setattr(peers.Peer, "records", lambda self, modules, *rest: [record(self.name) for _ in modules])


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The workers answer in this process."""

    def answered(worker: str, requests: Sequence[dict[str, Any]], **how: Any) -> list[Answer]:
        try:
            return [import_module(worker).answer(request) for request in requests]
        except ImportError as error:
            return [Failure(str(error))] * len(requests)

    monkeypatch.setattr(measure, "ask", answered)


def rows_of(policies: Sequence[str] = ("mlc", "none", "tvm"), peers: Sequence[str] = ()) -> Comparison:
    return compare("rows", module_of(ROWS), policies, peers)


def by_label(comparison: Comparison) -> dict[str, Strategy]:
    return {row.label: row for row in comparison.rows}


def test_policies_and_emulations_on_the_cpu(inside: None) -> None:
    """Each is built and run by mlc, computes what mlc does, and stands with its time in the table."""
    comparison = measured(rows_of(), "cpu")
    for row in comparison.rows:
        assert row.measured is not None and (row.measured.us or 0) > 0 and row.measured.off == 0.0
        assert row.measured.kernels == row.plan.kernels and not row.remark
    text = as_text(comparison)
    assert "measured on this CPU, by wall time" in text
    assert f"{comparison.rows[1].measured.us:.1f} us" in text  # pyright: ignore
    assert as_json(comparison)["strategies"][2]["measured"]["kernels"] == comparison.rows[2].plan.kernels


def test_without_a_row_of_mlc_its_results_are_there(inside: None) -> None:
    (row,) = measured(rows_of(("none",)), "cpu").rows
    assert row.measured is not None and row.measured.off == 0.0


def test_seeds_are_inputs_of_all(tmp_path: Path, inside: None) -> None:
    """Dropout drops the same for every strategy."""
    file = tmp_path / "dropped.py"
    file.write_text("import torch.nn.functional as F\n\ndef dropped(x):\n    return F.dropout(x, 0.5) * 2\n")
    module = lower_to(import_target(f"{file}:dropped", "64x32xf32").module, "simplified")
    comparison = measured(compare("dropped", module, ("mlc", "none"), ()), "cpu")  # pyright: ignore
    assert [row.measured.off for row in comparison.rows if row.measured is not None] == [0.0, 0.0]


def dropping(real: Sequence[str]) -> Comparison:
    """A graph with attention whose weights the library drops."""
    return compare("dropping", attention(0.25), ("mlc", "none"), real)


def test_what_draws_for_itself_is_not_compared(inside: None) -> None:
    for row in measured(dropping(()), "cpu").rows:
        assert row.measured is not None and row.measured.us and row.measured.off is None
        assert row.remark == f"its results were not compared: {measure.RANDOM}"


def test_xla_draws_of_seeds_that_are_inputs(real: None, inside: None) -> None:
    pytest.importorskip("jaxlib", reason="needs the compare extra")
    row = by_label(measured(dropping(("xla",)), "cpu"))["xla"]
    assert row.measured is not None and row.measured.us, row.remark


@pytest.mark.slow
def test_inductor_on_the_cpu(real: None, inside: None) -> None:
    """What it compiles itself."""
    row = by_label(measured(rows_of(("mlc",), ("inductor",)), "cpu"))["inductor"]
    assert row.measured is not None and (row.measured.us or 0) > 0 and row.measured.off == 0.0, row.remark


def test_xla_on_the_cpu(real: None, inside: None) -> None:
    pytest.importorskip("jaxlib", reason="needs the compare extra")
    row = by_label(measured(rows_of(("mlc",), ("xla",)), "cpu"))["xla"]
    assert row.measured is not None and (row.measured.us or 0) > 0 and row.measured.off == 0.0, row.remark


def test_no_device_of_jax_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jaxlib", reason="needs the compare extra")
    if torch.cuda.is_available():
        pytest.skip("there is one")
    worker = import_module("mlc_compiler.timing.xla_worker")
    with pytest.raises(RuntimeError, match="has no cuda device: pip install"):
        worker.device_of("cuda")

    def refused(name: str) -> None:
        raise AssertionError

    monkeypatch.setattr("jax.devices", refused)
    with pytest.raises(RuntimeError, match=r"\(AssertionError\)"):
        worker.device_of("cuda")


@pytest.mark.slow
def test_processes_of_their_own(real: None) -> None:
    """From end to end: what is not installed costs only its row."""
    rows = by_label(measured(rows_of(("mlc", "tvm"), ("xla",)), "cpu"))
    assert all(rows[label].measured.off == 0.0 for label in ("mlc", "tvm emulated"))  # pyright: ignore
    xla = rows["xla"].measured
    assert xla is not None and (xla.us is not None or "No module named 'jax'" in xla.why), xla


def answers(monkeypatch: pytest.MonkeyPatch, found: Mapping[str, Answer]) -> None:
    """Workers that say this, by the end of their name."""
    fine = {"us": 7.0, "off": 0.0, "device": "NVIDIA H100 80GB HBM3"}

    def answered(worker: str, requests: Sequence[dict[str, Any]], **how: Any) -> list[Answer]:
        return [found.get(worker.rpartition(".")[2], fine)] * len(requests)

    monkeypatch.setattr(measure, "ask", answered)


def test_a_crash_costs_one_row(real: None, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, {"xla_worker": Failure("the process ended with -11: Fatal Python error")})
    comparison = measured(rows_of(("mlc",), ("xla", "tvm", "inductor")), "cpu")
    rows = by_label(comparison)
    assert rows["mlc"].measured.us == rows["inductor"].measured.us == 7.0  # pyright: ignore
    text = as_text(comparison)
    assert "xla: not measured: the process ended with -11: Fatal Python error" in text
    assert f"tvm: not measured: {measure.UNTUNED}" in text
    assert "predicted for NVIDIA H200: --device h100 predicts for what was measured on" in text


def test_a_wrong_result_is_told(real: None, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, {"inductor_worker": {"us": 3.0, "off": 0.25, "device": "NVIDIA H200"}})
    comparison = measured(rows_of(("mlc",), ("inductor",)), "cpu")
    text = as_text(comparison)
    assert "3.0 us wrong" in text
    assert "inductor: wrong: 25.0% of the elements of a result are not as mlc has them" in text
    last = as_json(comparison)["strategies"][-1]
    assert (last["measured"]["wrong"], last["measured_us"]) == (True, 3.0)


def test_what_is_split_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, {"mlc_worker": {"us": 3.0, "off": 0.0, "kernels": 9, "device": "NVIDIA H200"}})
    (row,) = measured(rows_of(("tvm",)), "cpu").rows
    assert row.remark == "measured as 9 kernels for 2 groups: no single loop nest computes some of them"


def test_a_cut_graph_has_no_program(real: None, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, {})
    cut = Record("xla", "1", "h200", (), (), (Cut("s", "aten.x.default", "", "aten.x has no export to StableHLO"),))
    monkeypatch.setattr(peers.Peer, "records", lambda self, modules, *rest: [cut for _ in modules])
    row = by_label(measured(rows_of(("mlc",), ("xla",)), "cpu"))["xla"]
    why = "not measured: it has no program of the whole graph: aten.x has no export to StableHLO"
    assert row.remark == why


def test_knobs_of_policies_are_predicted_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, {})
    rows = measured(compare("rows", module_of(ROWS), ("tvm",), (), knobs={"tvm": {"max-depth": "1"}}), "cpu").rows
    assert [row.remark for row in rows] == ["", f"not measured: {measure.KNOBS}"]


def test_each_program_has_one_process_for_all_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def answered(worker: str, requests: Sequence[dict[str, Any]], **how: Any) -> list[Answer]:
        asked.append(len(requests))
        return [{"us": float(k), "off": 0.0, "device": ""} for k, _ in enumerate(requests)]

    monkeypatch.setattr(measure, "ask", answered)
    found = measured_all([rows_of(("mlc", "none")), rows_of(("none",))], "cpu")
    assert asked == [2, 2]
    assert [[row.measured.us for row in c.rows] for c in found] == [[0.0, 0.0], [1.0]]  # pyright: ignore
    lines = [line_of(c) for c in found]
    assert [t.measured_us for t in totals(lines)] == [0.0, 1.0]
    assert as_overview(lines).splitlines()[-1].split()[-3:] == ["1.0", "us", "0"]


HANGS = """
import time
from mlc_compiler.peers.worker import serve

def answer(request):
    time.sleep(request["seconds"])
    return {}

serve(answer)
"""


@pytest.mark.slow
def test_what_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hanging_worker.py").write_text(HANGS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(client, "SECONDS_TO_START", 5)
    assert ask("hanging_worker", [{"seconds": 60}], seconds=1) == [Failure("no answer in 6 s")]


def test_measuring_needs_a_device(capsys: pytest.CaptureFixture[str]) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is one")
    code = main([f"{FILE}:softmax", "--args", "8x8xf32", "--measure", "--peers", "none", "--policies", "mlc"])
    assert code == 1 and capsys.readouterr().err.startswith("error: --measure needs a CUDA device")


def test_what_counts_as_the_same() -> None:
    x = numbers((64, 64), torch.bfloat16, 0, "cpu")
    assert torch.equal(x, numbers((64, 64), torch.bfloat16, 0, "cpu"))
    assert worst([x * 1.01], [x]) == 0.0 and worst([x + 1], [x]) > 0.5 and worst([], [x]) == 1.0
    flags = numbers((64,), torch.bool, 1, "cpu")
    assert off(flags, flags) == 0.0 and off(~flags, flags) == 1.0
    assert off(x.float(), x) == 1.0 and off(x[:0], x[:0]) == 0.0


@pytest.fixture
def as_users_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the choice of tests, which interpret Triton where tensors are on the CPU."""
    monkeypatch.delenv("MLC_CPU", raising=False)


@pytest.mark.gpu
@pytest.mark.usefixtures("as_users_have_it")
def test_measured_beside_predicted() -> None:
    """Every strategy runs, and gives what mlc gives."""
    policies = ("mlc", "none", "xla", "tvm", "inductor")
    names = ("softmax", "gelu_linear", "mse")
    for comparison in measured_all([compare(name, seven(name), policies, ("inductor",)) for name in names]):
        for row in comparison.rows:
            assert row.measured is not None and (row.measured.us or 0) > 0 and not row.measured.wrong, row.remark


@pytest.mark.gpu
@pytest.mark.usefixtures("as_users_have_it")
def test_xla_on_the_gpu(real: None) -> None:
    """jax compiles for CUDA and runs beside PyTorch, or says what is missing."""
    graphs = [compare(name, seven(name), ("mlc",), ("xla",)) for name in ("softmax", "gelu_linear")]
    for comparison in measured_all(graphs):
        row = by_label(comparison)["xla"]
        assert row.measured is not None
        if row.measured.us is None:
            assert "No module named" in row.measured.why or "has no cuda device: pip install" in row.measured.why
            pytest.skip(row.measured.why)
        assert row.measured.us > 0 and not row.measured.wrong, row.remark
