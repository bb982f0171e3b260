"""The benchmark of schedules on random kernels: what is drawn, how it is lowered, and the report; no GPU is needed."""

from __future__ import annotations

import argparse
import gzip
import json
import math
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from random import Random

import pytest
import torch

from benchmarks import regret, regret_report
from benchmarks.accuracy import errors
from benchmarks.case import BF16, F16, F32, Arg, Case
from benchmarks.drawn import TINY, TRAFFIC, Computed, Draw, View, described
from benchmarks.drawn_families import FAMILIES, Made, drawn, named
from benchmarks.records import imported
from benchmarks.regret_kernels import Source, Written, prepare, prepared
from benchmarks.regret_records import INFINITE, Drawing, Kernel, RegretRun, Tried, load
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.tuning.measuring import Trial, launch_of
from mlc_dialects.loop.dialect import KernelOp

SEED = 17
SMALL = Source(TINY)
ALL = [drawn(SEED, k) for k in range(300)]


def shapes(case: Case) -> list[tuple[int, ...]]:
    """Of the inputs as the function gets them."""
    made = ((a, torch.empty(a.shape, device="meta")) for a in case.args)
    return [tuple((x if a.view is None else a.view(x)).shape) for a, x in made]


def test_a_name_says_what_is_drawn() -> None:
    """The same inputs and the same function each time; another seed gives others."""
    for case in ALL[:34]:
        again = named(case.name)
        assert (again.name, again.family, again.args) == (case.name, case.family, case.args)
        assert described(again.function, again.args) == described(case.function, case.args)
    assert [shapes(drawn(18, k)) for k in range(20)] != [shapes(c) for c in ALL[:20]]
    small, again = named("regret-17-4", TINY), named("regret-17-4", TINY)
    values = zip(small.make("cpu"), again.make("cpu"), strict=True)
    assert all(torch.equal(x, y) and x.stride() == y.stride() for x, y in values)
    torch.testing.assert_close(small.function(*small.make("cpu")), again.function(*again.make("cpu")))


@pytest.mark.parametrize("name", ["regret-17", "softmax", "regret-17-x", "regret-1-2-3"])
def test_other_names_are_none(name: str) -> None:
    with pytest.raises(ValueError, match="regret-17-204"):
        named(name)


def test_what_is_drawn_is_of_every_kind() -> None:
    """Families, types, memory orders, ranks, odd and round sizes."""
    families = Counter(c.family for c in ALL)
    assert set(families) == set(FAMILIES) and min(families.values()) >= 15
    args = [a for c in ALL for a in c.args]
    assert {F32, BF16, F16, torch.int8, torch.bool, torch.int64} <= {a.dtype for a in args}
    orders = Counter(a.view.name for a in args if isinstance(a.view, View))
    assert set(orders) == {"channels-last", "transposed", "sliced", "every other"} and min(orders.values()) > 20
    assert {len(shape) for c in ALL for shape in shapes(c)} == {1, 2, 3, 4, 5}
    extents = [n for c in ALL for n in shapes(c)[0] if n > 8]
    assert len(extents) / 4 < sum(n % 2 for n in extents) + sum(n % 8 == 0 for n in extents)
    assert min(sum(n % 2 for n in extents), sum(n % 8 == 0 for n in extents)) > len(extents) / 8


def test_traffic_is_spread_between_its_bounds() -> None:
    moved = sorted(regret.least_bytes(c) for c in ALL)
    assert TRAFFIC[0] / 4 < moved[0] and moved[-1] < 4 * TRAFFIC[1]
    quarters = [math.log2(moved[k]) for k in (75, 150, 225)]
    assert quarters[0] < 22.5 < quarters[1] < 25.5 < quarters[2] < 28


@pytest.mark.parametrize("order", ["contiguous", "transposed", "channels-last", "sliced", "every other"])
def test_an_order_keeps_the_shape(order: str) -> None:
    for seed in range(20):
        made = Draw(Random(seed), TINY).arg((3, 5, 4), F32, order)
        x = made.make("cpu")
        assert x.shape == (3, 5, 4)
        dense = {"contiguous": (20, 4, 1), "transposed": (20, 1, 5), "channels-last": (20, 1, 5)}
        if order in dense:
            assert x.stride() == dense[order]
        elif order == "every other":
            assert any(s == 2 * t for s, t in zip(x.stride(), torch.empty(made.shape).stride(), strict=True))
        else:
            assert x.stride() == torch.empty(made.shape).stride()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("index", range(20))
def test_what_is_drawn_has_schedules(index: int) -> None:
    """Every family becomes kernels with schedules that are ready to launch, the compiler's own first."""
    made = prepare(f"regret-3-{index}", 3, SMALL)
    assert made.failure is None and made.kernels and made.path is not None and made.path.exists()
    for name, group in made.kernels.items():
        assert 1 <= len(group) <= 3 and len({w.text for w in group}) == len(group)
        assert all(w.kernel.sym_name.data == name and w.kernel.warps is not None for w in group)
        assert group[0].why.startswith("warps ") and "blocks " in group[0].why
        assert all(size > 0 for size in launch_of(group[0].kernel, "h200").grid)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("index", [0, 2, 3, 5, 6, 7, 8, 11, 12, 13, 15])
def test_what_is_drawn_is_compiled_right(index: int) -> None:
    """On Triton's interpreter, against float64 beside eager."""
    case = named(f"regret-5-{index}", TINY)
    inputs = case.make("cpu")
    compiled = compile_imported(imported(case))
    found = errors(case, inputs, {"mlc": compiled(*inputs), "eager": case.function(*inputs)})
    assert found["mlc"] <= 2 * found["eager"] + 1e-6


def test_candidates_have_predictions() -> None:
    prepared_ = prepare("regret-17-2", 4, SMALL)
    assert prepared_.kernels and prepared_.failure is None
    assert all(w.predicted_us and w.predicted_us > 0 for group in prepared_.kernels.values() for w in group)


def test_what_pytorch_computes_is_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    for function, why in ((lambda x: x.sort(-1), "PyTorch computes a part"), (lambda x: x.t(), "no kernel")):
        made: Made = Computed("nothing", function), [Arg((8, 8))]
        monkeypatch.setitem(FAMILIES, "pointwise", lambda draw, m=made: m)
        assert why in (prepare("regret-1-0", 2, SMALL).failure or "")
    monkeypatch.setitem(FAMILIES, "pointwise", lambda draw: 1 / 0)
    cases = prepared((f"regret-1-{k}" for k in count()), 2, SMALL, 0)
    run = RegretRun("command", {})
    regret.fill(run, cases, SMALL, options(kernels=2), None)
    assert run.redrawn == {"regret-1-0": "ZeroDivisionError: division by zero"}
    assert [r.name for r in run.results] == ["regret-1-1", "regret-1-2"]


@pytest.mark.slow
def test_processes_give_what_one_gives() -> None:
    names = ["regret-3-1", "regret-3-2"]
    assert list(prepared(iter(names), 2, SMALL, 1)) == list(prepared(iter(names), 2, SMALL, 0))


def options(**given: object) -> argparse.Namespace:
    return argparse.Namespace(**{"tiny": True, "json": None, "dump": None, "budget": 1e9, "kernels": 1, **given})


class Times:
    """The second schedule takes half as long as the first, the third cannot run."""

    def __call__(self, asked: Sequence[Sequence[Sequence[KernelOp]]]) -> list[list[Trial]]:
        each = (Trial(2e-6, 0, 40), Trial(1e-6, 4, 255), Trial(INFINITE))
        return [[each[min(k, 2)] for k in range(len(group))] for group in asked]


def test_what_is_measured_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    run, dump = RegretRun("command", {"device": "none"}), tmp_path / "dump.jsonl"
    cases = prepared((f"regret-3-{k}" for k in count()), 3, SMALL, 0)
    regret.fill(run, cases, SMALL, options(kernels=3, dump=dump, json=tmp_path / "out.json"), Times())
    lines = [json.loads(line) for line in dump.read_text().splitlines()]
    assert len(lines) == sum(len(k.tried) for d in run.results for k in d.kernels)
    for drawing in run.results:
        for kernel in [k for k in drawing.kernels if len(k.tried) > 1]:
            assert kernel.regret == 2 and kernel.best.registers == 255 and kernel.tried[-1].seconds in (1e-6, None)
    line = lines[1]
    assert (line["candidate"], line["seconds"], line["spills"]) == (1, 1e-6, 4) and line["predicted_us"] > 0
    assert Written(line["text"]).kernel.sym_name.data == line["kernel"]


def test_the_budget_ends_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    run = RegretRun("command", {})
    regret.fill(
        run, prepared((f"regret-3-{k}" for k in count()), 1, SMALL, 0), SMALL, options(kernels=99, budget=0.0), None
    )
    assert len(run.results) == 1 and "0 s were over after 1 functions" in capsys.readouterr().out


def test_runs_without_a_gpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Drawn, lowered and written down; the file says the same again."""
    file, dump = tmp_path / "new" / "out.json", tmp_path / "dump.jsonl.gz"
    sizes = ["--dry", "--tiny", "--kernels", "3", "--processes", "0", "--candidates", "2", "--seed", "3"]
    regret.main([*sizes, "--json", str(file), "--dump", str(dump)])
    printed = capsys.readouterr().out
    run = load(file)
    assert [d.name for d in run.results] == ["regret-3-0", "regret-3-1", "regret-3-2"] and "3 functions" in printed
    assert "--seed 3" in run.command and run.environment["torch"] == torch.__version__
    with gzip.open(dump, "rt") as text:
        assert len(text.readlines()) == sum(len(k.tried) for d in run.results for k in d.kernels)
    regret.main(["--show", str(file)])
    assert capsys.readouterr().out in printed


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_measuring_needs_a_gpu() -> None:
    with pytest.raises(SystemExit, match="--dry draws and lowers"):
        regret.main(["--kernels", "1"])


def drawing(name: str, *seconds: float | None, predicted: Sequence[float | None] = (), **more: object) -> Drawing:
    """A function of one kernel, whose schedules took so long."""
    pairs = zip(seconds, predicted or [None] * len(seconds), strict=True)
    kernel = Kernel("k", tuple(Tried(f"reason {k}", p, s) for k, (s, p) in enumerate(pairs)))
    return Drawing(name, str(more.pop("family", "scan")), f"text of {name}", 1000, (kernel,), **more)  # type: ignore[arg-type]


def test_the_report_says_where_regret_is() -> None:
    results = [
        drawing("good", 1e-6, 2e-6, seconds=2e-6, copy_seconds=1e-6),
        drawing("bad", 4e-6, 1e-6, 3e-6, family="row norm", seconds=1e-6, copy_seconds=1e-6),
        drawing("stuck", None, 1e-6),
        drawing("dead", None, None),
    ]
    found = regret_report.text(RegretRun("c", {}, results, {"regret-0-9": "why"}))
    assert "4 functions, 3 measured kernels, 9 schedules; 1 drawn in vain" in found
    assert "default / best: 2.000 (geometric mean)" in found and "33% within 1.02" in found
    assert "the worst 2%: from 4.00 to 4.00" in found and "1 kernels whose default cannot run" in found
    assert "0.707 of the speed of a copy" in found and "predictions" not in found
    worst = found.index("inf  stuck"), found.index("4.00  bad"), found.index("1.00  good")
    assert worst == tuple(sorted(worst)) and "default cannot run: reason 0" in found
    assert "default 4.0 us: reason 0" in found and "best    1.0 us: reason 1" in found


def test_the_report_judges_predictions_and_errors() -> None:
    results = [
        drawing("a", 1e-6, 2e-6, predicted=(1.2, 1.0)),
        drawing("b", 1e-6, None, predicted=(0.8, 5.0), error=1e-2, eager_error=1e-3),
        drawing("c", 1e-6, failure="Error: no", error=1e-3, eager_error=1e-3),
    ]
    found = regret_report.text(RegretRun("c", {}, results))
    assert "predictions: 67% of 3 within 1.25 of the measured time" in found
    assert "inaccurate: b" in found and "inaccurate: c" not in found and "failed: c (text of c): Error: no" in found
    assert regret_report.near([(1.25, 1.0), (0.8, 1.0), (1.26, 1.0), (0.79, 1.0)]) == 0.5


def test_nothing_measured_is_one_line() -> None:
    assert regret_report.text(RegretRun("c", {})).count("\n") == 0


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    results = [drawing("a", 1e-6, None, predicted=(1.2, None), seconds=1.0, error=float("inf")), drawing("b", 2.0)]
    run = RegretRun("command", {"torch": "2"}, results, {"regret-0-1": "why"})
    run.save(tmp_path / "out.json")
    assert load(tmp_path / "out.json") == run and not list(tmp_path.glob("*.partial"))


def test_the_picture_is_drawn_where_matplotlib_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RegretRun("c", {"device": "none"}, [drawing("a", 1e-6, 2e-6, predicted=(1.2, 1.0)), drawing("b", 3e-6)])
    with monkeypatch.context() as without:
        without.setattr("importlib.util.find_spec", lambda name: None)
        regret_report.draw(run, tmp_path / "p")
    assert "matplotlib is not installed" in capsys.readouterr().out and not list(tmp_path.iterdir())
    pytest.importorskip("matplotlib")
    regret_report.draw(run, tmp_path / "p")
    assert (tmp_path / "p.png").stat().st_size > 1000
