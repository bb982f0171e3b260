"""`mlc-compare --corpus` and `--policy`: many graphs in one table, and a strategy from a file of the user's."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest

from lowering.export.stablehlo import stablehlo_text
from mlc_compiler.compare.comparison import compare
from mlc_compiler.compare.overview import ORDERS, Line, Totals, as_overview, ordered, totals
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_support.errors import MlcError
from passes.tensor.fusion.plan import judge
from tests.unit.seven import FILE, seven
from tests.unit.test_compare_models import run
from tests.unit.test_exports import module_of
from tools.corpus import entries
from tools.mlc_opt import main as mlc_opt

NAMED = """func.func @rows(%x: tensor<?x64xf32, ["N", "64"]>) -> tensor<?x64xf32, ["N", "64"]> {
  %n = mlc_tensor.neg %x : tensor<?x64xf32, ["N", "64"]>
  func.return %n : tensor<?x64xf32, ["N", "64"]>
}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two graphs as files, one that has no sizes, and two regions, the first of which is found five times."""
    made = tmp_path / "graphs"
    (made / "inner").mkdir(parents=True)
    (made / "chain.mlir").write_text(str(seven("chain")))
    (made / "inner" / "softmax.mlir").write_text(str(seven("softmax")))
    (made / "named.mlir").write_text(NAMED)
    found = [{"name": "mse", "text": str(seven("mse")), "count": 5}, {"name": "div", "text": str(seven("div_sum"))}]
    with gzip.open(made / "regions.jsonl.gz", "wt") as lines:
        lines.write("".join(json.dumps(entry) + "\n" for entry in found))
    return made


def test_the_table(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    json_file, csv_file = tmp_path / "out.json", tmp_path / "out.csv"
    options = ["--policies", "mlc,tvm,none", "--json", str(json_file), "--csv", str(csv_file), "--sort", "bytes"]
    code, out, err = run(capsys, "--corpus", str(folder), *options)
    assert code == 0, err
    table, *rest = out.split("\n\n")
    assert table.splitlines()[0].split() == ["graph", "times", "ops", "differ", "mlc", "tvm", "emulated", "none"]
    assert {line.split()[0] for line in table.splitlines()[1:]} == {"chain", "inner/softmax", "mse", "div", "named"}
    assert rest[1] == "mlc: not asked of named: the size N needs a number\n"
    data = json.loads(json_file.read_text())
    times = {graph["graph"]: graph["times"] for graph in data["graphs"]}
    assert times == {"chain": 1, "inner/softmax": 1, "mse": 5, "div": 1, "named": 1}
    rows = list(csv.DictReader(csv_file.read_text().splitlines()))
    assert len(rows) == 4 * 3
    mlc = next(t for t in data["totals"] if t["strategy"] == "mlc")
    mine = [row for row in rows if row["strategy"] == "mlc"]
    assert mlc["bytes"] == sum(int(row["bytes"]) * int(row["times"]) for row in mine) and mlc["graphs"] == 4
    largest = [max(s["bytes"] for s in g["strategies"]) for g in data["graphs"] if g["strategies"]]
    assert largest == sorted(largest, reverse=True)


def test_shapes_for_a_corpus(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Graphs that do not name the size are left as they are."""
    code, out, err = run(capsys, "--corpus", str(folder), "--policies", "mlc", "--shapes", "N=128", "--json", "-")
    assert code == 0, err
    graphs = {graph["graph"]: graph for graph in json.loads(out)["graphs"]}
    assert graphs["named"]["strategies"][0]["bytes"] == 2 * 128 * 64 * 4 and not graphs["named"]["failures"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["absent"], "no such file or folder: absent"),
        (["{folder}/inner/empty"], "has no graphs"),
        (["{folder}", "--pair", "a,b"], "--pair is for one graph, and a corpus has many"),
        (["{folder}/broken.jsonl.gz"], "broken.jsonl.gz holds no regions"),
    ],
)
def test_mistakes(argv: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "inner" / "empty").mkdir()
    (folder / "broken.jsonl.gz").write_bytes(b"no gzip")
    argv = [part.replace("{folder}", str(folder)) for part in argv]
    code, _, err = run(capsys, "--corpus", *argv, "--policies", "none")
    assert code == 1 and message in err


def test_a_graph_that_cannot_be_read_costs_itself(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "chain.mlir").write_text("func.func @f(")
    code, out, _ = run(capsys, "--corpus", str(folder), "--policies", "none")
    assert code == 0 and "mlc: not asked of chain: " in out and "inner/softmax" in out


def test_stablehlo_in_a_corpus(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside graphs of ours; what is no StableHLO costs itself."""
    (folder / "softmax.stablehlo.mlir").write_text(stablehlo_text(seven("softmax")))
    (folder / "wrong.stablehlo.mlir").write_text(str(seven("mse")))
    code, out, _ = run(capsys, "--corpus", str(folder), "--policies", "mlc,none")
    lines = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line}
    assert code == 0 and lines["softmax"] == lines["inner/softmax"] and lines["wrong"][-1] == "-"


def test_entries_of_one_file(folder: Path) -> None:
    assert [(e.name, e.times) for e in entries(folder / "regions.jsonl.gz")] == [("mse", 5), ("div", 1)]
    assert [e.name for e in entries(folder / "chain.mlir")] == ["chain"]


def line(name: str, edges: int, disputed: int, **moved: int) -> Line:
    made = {k: Totals(k, n, n, n, float(n), 0) for k, n in moved.items()}
    return Line(name, 2, 10, edges, disputed, made, {})


LINES = [line("b", 10, 1, mlc=5, xla=50), line("a", 10, 9, mlc=10, xla=10), line("c", 0, 0, mlc=20)]


ORDERED = {"differ": "abc", "bytes": "bca", "time": "bca", "launches": "bca", "name": "abc", "ops": "bac"}


@pytest.mark.parametrize(("by", "names"), ORDERED.items())
def test_orders(by: str, names: str) -> None:
    assert "".join(found.graph for found in ordered(LINES, by)) == names
    assert by == "name" or by in ORDERS
    assert as_overview(LINES, by, most=2).splitlines()[3] == "and 1 more: --csv FILE has them all"


def test_an_order_that_does_not_exist() -> None:
    with pytest.raises(MlcError, match="no order 'byts'"):
        ordered(LINES, "byts")


def test_totals_count_what_a_strategy_has_planned() -> None:
    """Each graph as often as it is found; a strategy that lacks one says so."""
    mlc, xla = totals(LINES)
    assert (mlc.bytes, mlc.graphs) == (2 * 35, 3) and (xla.bytes, xla.graphs) == (2 * 60, 2)
    assert "2 of 3" in as_overview(LINES)


# ---------------------------------------------------------------- a policy from a file

POLICY = """
from __future__ import annotations

from dataclasses import dataclass

from mlc_dialects.iteration.iterate import is_free
from passes.tensor.fusion.policy import Candidate, FusionPolicy, Verdict, saved


@dataclass(frozen=True)
class Pairs(FusionPolicy):
    most: int = 2

    def judge(self, candidate: Candidate) -> Verdict:
        few = sum(not is_free(op) for op in candidate.ops) <= self.most
        return Verdict(few, saved(candidate) if few else "more than a pair")


class Nothing:
    pass
"""


@pytest.fixture
def policy(tmp_path: Path) -> str:
    path = tmp_path / "my.py"
    path.write_text(POLICY)
    return f"{path}:Pairs"


def test_a_policy_of_the_users(policy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the others, under its own name, with its reasons; the policies of --policies stay."""
    argv = [f"{FILE}:softmax", "--args", "512x1024xf32", "--policies", "mlc,none", "--policy", policy]
    code, out, err = run(capsys, *argv)
    assert code == 0, err
    rows = [row.split()[:3] for row in out.split("\n\n")[1].splitlines()[1:]]
    assert rows == [["mlc", "real", "1"], ["none", "real", "5"], ["Pairs", "real", "3"]]
    assert "    not by Pairs: more than a pair" in out


def test_it_is_a_policy_everywhere(policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For the compiler, and as an option of the pass."""
    fused = str(lower_to(seven("softmax"), "fused", CompilerOptions(policy=policy)))
    assert fused.count("mlc_tensor.fusion") == 3
    path = tmp_path / "softmax.mlir"
    path.write_text(str(seven("softmax")))
    assert mlc_opt([str(path), "-p", f'fuse{{policy="{policy}"}}']) == 0
    assert capsys.readouterr().out.count("mlc_tensor.fusion") == 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Pears", "my.py has no fusion policy 'Pears', a subclass of FusionPolicy"),
        ("Nothing", "my.py has no fusion policy 'Nothing', a subclass of FusionPolicy"),
    ],
)
def test_no_such_policy(policy: str, name: str, message: str) -> None:
    with pytest.raises(MlcError, match=message) as raised:
        judge(policy.replace("Pairs", name), "h200")
    assert "Pairs" in (raised.value.hint or "")


def test_a_file_that_fails(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("1 / 0\n")
    with pytest.raises(MlcError, match=r"importing .*bad.py failed: ZeroDivisionError"):
        judge(f"{tmp_path}/bad.py:Any", "h200")
    with pytest.raises(MlcError, match="no such file"):
        judge(f"{tmp_path}/absent.py:Any", "h200")


def test_results_that_are_no_tensors() -> None:
    """A call may give nothing for one of its results, or a number: every strategy plans it, and it moves no bytes."""
    t = "tensor<8x8xf32>"
    module = module_of(f"""
func.func @f(%x: {t}) -> {t} {{
  %n, %g = mlc_tensor.extern "aten.pair.default"(%x) : ({t}) -> (none, {t})
  %i = mlc_tensor.extern "aten.item.default"(%x) : ({t}) -> (i1)
  %r = mlc_tensor.exp %g : {t}
  func.return %r : {t}
}}""")
    for row in compare("f", module, peers=()).rows:
        calls = [group for group in row.plan.groups if group.kind == "extern"]
        assert {row.plan.bytes(group) for group in calls} - {256} == {512}, row.label  # a call that nobody reads may go
