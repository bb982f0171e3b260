"""The benchmark: its cases mean what they say, and it runs from end to end at small sizes."""

from __future__ import annotations

from argparse import ArgumentTypeError
from math import prod
from pathlib import Path

import pytest
import torch

from benchmarks import micro, report, roofline
from benchmarks.accuracy import Units, errors
from benchmarks.backends import available
from benchmarks.case import BF16, Arg, Case, cases, shrunk
from benchmarks.cases import AWKWARD, CASES, CHAINS, LAYOUTS, MICRO, PINNED, REGIONS
from benchmarks.cases.layouts import drawn, nhwc
from benchmarks.json_files import file_to_write
from benchmarks.records import Measured, Result, Run, load
from benchmarks.timing import environment, least_bytes, tensors
from tests.golden_kernels import committed, read

NAMED = (
    "softmax bf16 65536x4096", "softmax bf16 8192x32768", "softmax bf16 2048x131072", "bias + erf-gelu bf16",
    "cross entropy bf16 8192x128256", "layer norm backward bf16 16384x4096", "group norm + silu bf16",
    "batch norm training + relu bf16", "embedding + layer norm bf16", "rms norm bf16 65536x4096",
    "rms norm + residual bf16", "sum of columns bf16", "variance of columns f32", "cumsum f32 65536x1024",
    "rotary q and k bf16", "adamw step f32",
)  # fmt: skip


def doubles(case: Case) -> list[torch.Tensor]:
    return [x.double() if x.is_floating_point() else x for x in case.make("cpu")]


def test_the_cases_that_are_asked_for_are_there() -> None:
    names = [c.name for c in CASES]
    assert len(set(names)) == len(names)
    assert len(MICRO) >= 60 and len(REGIONS) >= 30 and len(AWKWARD) >= 12 and len(LAYOUTS) >= 60
    assert len(CHAINS) >= 80
    assert set(NAMED) <= set(names)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_float64_goes_through_and_rows_are_rows(case: Case) -> None:
    """The reference is computed in float64 throughout, and a piece of the inputs gives that piece of the outputs."""
    tiny = case.tiny()
    inputs = doubles(tiny)
    whole = tensors(tiny.call(*inputs))
    assert whole and all(t.dtype == torch.float64 or not t.is_floating_point() for t in whole)
    assert sum(x.numel() for x in inputs) < 2_000_000
    if case.rows and case.repeatable:
        units, piece = Units(tiny, inputs), range(1, 2)
        part = tensors(tiny.call(*units.cut_inputs(piece)))
        for p, w in zip(part, whole, strict=True):
            torch.testing.assert_close(p, units.cut(w, piece))


def test_shrinking_keeps_what_16_leaves() -> None:
    assert [shrunk(n) for n in (3, 16, 56, 4096, 4097, 50257)] == [3, 16, 24, 16, 17, 17]


def test_least_bytes_count_broadcast_elements_once() -> None:
    x = torch.zeros(4, 1).expand(4, 8)
    assert least_bytes([x], torch.zeros(2, 2)) == 4 * 4 + 4 * 4


@pytest.mark.parametrize(
    "arg, read",
    [
        (nhwc(BF16, 2, 3, 5, 7), 2 * 3 * 5 * 7),
        (nhwc(BF16, 2, 3, 4, 5, 7), 2 * 3 * 4 * 5 * 7),
        (Arg((4, 8), BF16, view=torch.t), 4 * 8),
        (Arg((4, 9), BF16, view=lambda x: x[:, ::2]), 4 * 5),
        (Arg((2, 3, 6, 7), BF16, view=lambda x: x[:, :, 1:-1, 1:-1]), 2 * 3 * 4 * 5),
        (Arg((4, 9), BF16, view=lambda x: x.chunk(3, 1)[1]), 4 * 3),
        (Arg((4, 1, 3), BF16, view=lambda x: x.expand(-1, 5, -1)), 4 * 3),
    ],
)
def test_least_bytes_of_a_view_are_the_elements_it_reads(arg: Arg, read: int) -> None:
    x = arg.make("cpu")
    assert least_bytes([x], torch.zeros(x.shape, dtype=BF16)) == 2 * read + 2 * x.numel()


def test_layouts_are_not_plain_rows() -> None:
    """Each case reads or writes something that does not lie row after row; what is drawn is large enough, and fixed."""
    for case in LAYOUTS:
        values = [*case.tiny().make("cpu"), *tensors(case.tiny().function(*case.tiny().make("cpu")))]
        assert not all(x.is_contiguous() for x in values) or "heads to rows" in case.name, case.name
    random = [c for c in LAYOUTS if c.name.startswith("drawn")]
    again = drawn(20, 20)
    assert [(c.name, [a.shape for a in c.args]) for c in random] == [(c.name, [a.shape for a in c.args]) for c in again]
    images = [c.args[0] for c in random]
    assert all(7e6 < prod(a.shape) * a.dtype.itemsize < 3e8 for a in images)
    assert {a.dtype for a in images} == {torch.bfloat16, torch.float16, torch.float32}


def test_errors_by_pieces_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    function = lambda x, w: torch.softmax(x, -1) * w  # noqa: E731
    case = cases("test")("test", function, (64, 8), (8,), rows=(0,))
    inputs = case.make("cpu")
    off = {"close": function(*inputs) * 1.001, "nan": function(*inputs) * float("nan")}
    whole = errors(case, inputs, off)
    assert whole["close"] == pytest.approx(1e-3, rel=1e-2) and whole["nan"] == float("inf")
    monkeypatch.setattr("benchmarks.accuracy.PIECE_BYTES", 8 * 8 * 5)
    assert errors(case, inputs, off) == pytest.approx(whole)
    found = errors(case, inputs, {"wrong": torch.zeros(3), "two": (inputs[0], inputs[0]), "right": function(*inputs)})
    assert found["wrong"] == found["two"] == float("inf") and found["right"] < 1e-6


def test_runs_from_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Small sizes on the CPU: numbers for both backends, a file, and a second run that has nothing left to do."""
    file, stem = tmp_path / "out.json", tmp_path / "roofline"
    options = ["--tiny", "--backends", "eager,mlc", "--processes", "0", "--json", str(file)]
    micro.main([*options, "--cases", "rms norm*bf16*", "--family", "norm"])
    run = load(file)
    assert [r.name for r in run.results] == [
        c.name for c in MICRO if c.family == "norm" and c.matches("rms norm*bf16*")
    ]
    for result in run.results:
        own, eager = result.backends["mlc"], result.backends["eager"]
        assert own.seconds and own.of_copy and own.failure is None
        assert own.error is not None and own.error < 1e-2 and (eager.error is None or eager.error < 1e-2)
    capsys.readouterr()
    command = [*options, "--cases", "rms norm bf16*", "--resume", "--compare", str(file), "--picture", str(stem)]
    micro.main(command)
    printed = capsys.readouterr().out
    assert f"1.000 times as fast over {len(run.results)} cases" in printed
    assert all(p.intensity < 1000 for p in roofline.points(load(file))), "operations are those of the small sizes"
    page = stem.with_suffix(".html").read_text()
    assert "{{" not in page and "rms norm bf16 65536x4096" in page


def result(name: str, inductor: float, mlc: float, error: float = 1e-7) -> Result:
    times = {"eager": Measured(1.0, 0.1, error=1e-7), "inductor": Measured(inductor, 0.5 / inductor)}
    return Result("family", name, 1000, {**times, "mlc": Measured(mlc, 0.5 / mlc, error=error, launches=1)})


def test_the_summary_puts_the_worst_first() -> None:
    text = report.summary([result("good", 1.0, 0.5), result("bad", 1.0, 2.0), result("worse", 1.0, 4.0, error=1e-3)])
    assert "0.63 times the speed of inductor; behind it in 2 of 3" in text
    assert text.index("0.25  worse") < text.index("0.50  bad")
    assert "less accurate than eager: worse" in text


def test_the_comparison_says_what_moved() -> None:
    old, new = [result("same", 1, 1), result("faster", 1, 1)], [result("same", 1, 1.01), result("faster", 1, 0.5)]
    text = report.comparison([*new, result("new", 1, 1)], old)
    assert "2.00  faster" in text and "new        new" in text and "  same" not in text


def test_wrong_names_end_with_what_there_is() -> None:
    with pytest.raises(SystemExit, match="no backend magic; there are eager, inductor"):
        micro.main(["--tiny", "--backends", "magic"])
    with pytest.raises(SystemExit, match="no family nothing; families are"):
        micro.select("norm,nothing", "*")
    with pytest.raises(SystemExit, match="no case matches 'nothing'; families are"):
        micro.select("norm", "nothing")


def test_files_that_cannot_be_used_end_before_anything_is_measured(tmp_path: Path) -> None:
    options = ["--tiny", "--backends", "eager", "--cases", "rms norm bf16*", "--processes", "0"]
    broken, other = tmp_path / "broken.json", tmp_path / "other.json"
    broken.write_text("{}")
    Run("command", environment("cpu") | {"torch": "1.0"}, 1.0, []).save(other)
    for wrong, why in (
        (["--compare", str(tmp_path / "none.json")], "cannot read .*none.json: No such file"),
        (["--compare", str(broken)], "broken.json does not hold"),
        (["--json", str(broken), "--resume"], "broken.json does not hold"),
        (["--json", str(other), "--resume"], "other.json was measured with torch 1.0"),
    ):
        with pytest.raises(SystemExit, match=why):
            micro.main([*options, *wrong])
    micro.main([*options, "--json", str(tmp_path / "new" / "folder.json")])
    assert len(load(tmp_path / "new" / "folder.json").results) == 1


def test_several_processes_share_the_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each has every second case; joined they are one run, in the order of the cases, that can be compared."""
    files = [tmp_path / f"{k}.json" for k in (1, 2)]
    options = ["--tiny", "--backends", "eager", "--processes", "0", "--cases", "rms norm*bf16*", "--family", "norm"]
    for k in (2, 1):
        micro.main([*options, "--part", f"{k}/2", "--json", str(files[k - 1])])
    names = [c.name for c in MICRO if c.family == "norm" and c.matches("rms norm*bf16*")]
    assert [r.name for r in load(files[0]).results] == names[::2] and len(names) > 2
    joined = tmp_path / "joined.json"
    capsys.readouterr()
    micro.main(["--join", str(files[1]), str(files[0]), "--json", str(joined), "--compare", str(files[0])])
    run = load(joined)
    assert [r.name for r in run.results] == names and f"norm ({len(names)})" in capsys.readouterr().out
    assert run.command.count("--part") == 2 and run.environment == load(files[0]).environment
    assert run.copy == pytest.approx(sum(load(f).copy for f in files) / 2)
    for wrong in ("0/2", "3/2", "1"):
        with pytest.raises(SystemExit):
            micro.main([*options, "--part", wrong])


def test_where_results_go_is_checked_before_the_work(tmp_path: Path) -> None:
    assert file_to_write(str(tmp_path / "new" / "a.json")).parent.is_dir()
    (tmp_path / "file").touch()
    for impossible in (tmp_path / "file" / "a.json", tmp_path):
        with pytest.raises(ArgumentTypeError, match="written"):
            file_to_write(str(impossible))


def test_xla_without_jax_is_left_out_aloud(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert available(["eager", "xla", "mlc"]) == ["eager", "mlc"]
    assert "xla is left out: jax is not installed" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="jax is not installed"):
        available(["xla"])


def test_views_make_the_layout() -> None:
    made = Arg((8, 4), view=torch.t).make("cpu")
    assert made.shape == (4, 8) and made.stride() == (1, 4)


@pytest.mark.parametrize(
    "name",
    [
        "softmax f32 65536x1024",
        "pad and relu f32",
        "embedding bf16",
        "cumsum of columns f32",
        "permute rows bf16",
        "take along columns f32",
        "cross entropy bf16 8192x32000",
    ],
)
def test_xla_computes_the_same(name: str) -> None:
    """Where jax is installed."""
    pytest.importorskip("jax")
    from benchmarks.xla import Compiled

    case = next(c for c in CASES if c.name == name).tiny()
    inputs = case.make("cpu")
    compiled = Compiled(case.function)
    assert errors(case, inputs, {"xla": compiled(*inputs)})["xla"] < 1e-2
    assert errors(case, inputs, {"xla": compiled(*inputs)})["xla"] < 1e-2


def test_xla_has_a_rule_for_every_op() -> None:
    """Where jax is installed: no case is lost to an op that has become one of the compiler's own."""
    pytest.importorskip("jax")
    from benchmarks.xla import evaluate

    missing = {
        op.name
        for family in {case.family for case in PINNED}
        for text in committed()[family].values()
        for op in read(text).walk()
        if op.name.startswith("mlc_tensor.") and evaluate.dispatch(type(op)) is evaluate.dispatch(object)
    }
    assert missing == set()
