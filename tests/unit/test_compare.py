"""`mlc-compare`: the table, pairs, knobs, JSON, and one report for each mistake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mlc_compiler.compare.comparison import Comparison, compare
from mlc_compiler.compare.cost import kernel_cost
from mlc_compiler.compare.kernels import show
from mlc_compiler.compare.report import as_json
from mlc_compiler.compare.text import about_pair, as_text
from mlc_compiler.peers import peer as peers
from mlc_compiler.peers.client import Failure
from mlc_compiler.peers.record import Kernel, Record, Told
from mlc_support.errors import MlcError
from passes.common.device import device_named
from passes.tensor.fusion.decision import op_flops
from tests.unit.seven import FILE, seven
from tests.unit.test_exports import module_of
from tools.mlc_compare import main, parse_knobs

ROW, ALL = 512 * 4, 512 * 1024 * 4


@pytest.fixture
def softmax() -> Comparison:
    return compare("softmax", seven("softmax"), ("mlc", "none"), ())


@pytest.fixture
def xla(monkeypatch: pytest.MonkeyPatch) -> None:
    """An XLA that says of softmax what the real one does."""
    ops = ("amax", "sub", "exp", "sum", "div")
    told = (Told("exp", "sum", "priority-fusion: 3.79 us apart, 1.94 us fused", 1.85),)
    record = Record("xla", "xla 1", "h200", (Kernel("triton_softmax", "triton", ops, code="HloModule"),), told)
    asked = peers.PEERS["xla"]
    monkeypatch.setattr(type(asked), "records", lambda self, modules, *rest: [record for _ in modules])


def test_costs(softmax: Comparison) -> None:
    """Bytes are those of the plan; the time is the traffic's at the device's bandwidth, and a launch."""
    mlc, none = softmax.rows
    (cost,) = softmax.costs["mlc"]
    assert cost.bytes == 2 * ALL
    assert cost.us == pytest.approx(1e6 * 2 * ALL / 4.25e12 + 2.0)
    assert none.plan.kernels == 5 and softmax.predicted_us(none) > softmax.predicted_us(mlc)


def elementwise_chain(rows: int, between: int = 0) -> Comparison:
    """Kernels of one op each: exp of x, neg of another input of `between` rows if any, and abs of the exp."""
    x, y = f"tensor<{rows}x1024xf32>", f"tensor<{between or 1}x1024xf32>"
    middle, more = (f"%n = mlc_tensor.neg %y : {y}", ("%n", y)) if between else ("", ("%s", x))
    text = f"""func.func @chain(%x: {x}, %y: {y}) -> ({x}, {more[1]}) {{
      %e = mlc_tensor.exp %x : {x}
      {middle}
      %s = mlc_tensor.abs %e : {x}
      func.return %s, {more[0]} : {x}, {more[1]}
    }}"""
    return compare("chain", module_of(text), ("none",), ())


def test_l2_still_holds_what_was_just_written() -> None:
    """Of 512 rows, 2 MB, the second kernel reads what the first wrote at the rate of L2, and writes to memory."""
    comparison = elementwise_chain(512)
    first, second = comparison.costs["none"]
    assert (first.cached, second.cached) == (0, ALL) and first.bytes == second.bytes == 2 * ALL
    assert first.us == pytest.approx(1e6 * 2 * ALL / 4.25e12 + 2.0)
    assert second.us == pytest.approx(1e6 * max(ALL / 4.25e12, 2 * ALL / 9e12) + 2.0)


@pytest.mark.parametrize(("rows", "between", "held"), [
    (3200, 0, True), (3201, 0, False), (512, 2688, True), (512, 2689, False)
])  # fmt: skip
def test_l2_holds_it_until_half_of_it_is_moved(rows: int, between: int, held: bool) -> None:
    """50 MiB of an H200: 25 are moved by a kernel that reads and writes 3200 rows of 4 KiB, or by two together."""
    last = elementwise_chain(rows, between).costs["none"][-1]
    assert last.cached == (rows * 4096 if held else 0)


def test_an_input_is_held_as_well() -> None:
    """Each reader of x but the first: amax and sub of softmax."""
    costs = compare("softmax", seven("softmax"), ("none",), ()).costs["none"]
    assert [cost.cached for cost in costs] == [0, ALL + ROW, ALL, ALL, ALL + ROW]


def test_operations_of_a_product() -> None:
    comparison = compare("gelu", seven("gelu_linear"), ("none",), ())
    (product,) = (op for op in comparison.ops if op.name == "mlc_tensor.matmul")
    assert op_flops(product) == 2 * 512 * 1024 * 2048
    group = comparison.rows[0].plan.groups[0]
    assert kernel_cost(comparison.rows[0].plan, group, device_named("a100")).us > 100


def test_the_table(softmax: Comparison) -> None:
    lines = as_text(softmax).splitlines()
    assert lines[0] == "softmax: 7 ops on NVIDIA H200 (4.25 TB/s, 2 us a launch)"
    assert lines[2].split() == ["strategy", "kernels", "launches", "moved", "recomputed", "predicted", "measured", "by"]
    assert lines[3].split()[:6] == ["mlc", "real", "1", "1", "4.2", "MB"]
    assert "  amax -> sub: fused by mlc" in lines
    assert "    not by none: the policy fuses nothing (would save 2.49 us)" in lines


def test_a_pair(softmax: Comparison) -> None:
    lines = list(about_pair(softmax, "exp", "sum"))
    assert lines[:2] == ["exp and sum: one reads the other", "  mlc: one kernel"]
    assert lines[3] == "  none: apart" and "would save" in lines[4]


def test_a_pair_that_is_far_apart(softmax: Comparison) -> None:
    """The verdicts on the way between them stand for it."""
    lines = list(about_pair(softmax, "amax", "div"))
    assert lines[0] == "amax and div: by way of sub, exp"
    assert "    amax -> sub: the policy fuses nothing (would save 2.49 us)" in lines


def test_json(softmax: Comparison) -> None:
    data = as_json(softmax)
    assert json.loads(json.dumps(data)) == data
    assert_form(data)
    assert data["graph"]["ops"][0]["sources"] == [0] and data["graph"]["ops"][0]["op"] == "reduce max"
    assert data["strategies"][0]["groups"][0]["ops"] == ["amax", "sub", "exp", "sum", "div"]
    first = data["strategies"][1]["groups"][0]
    assert (first["reads"], first["writes"]) == ({"x": ALL}, {"amax": ROW})


FORM: dict[str, Any] = {
    "graph": {"name": str, "device": dict, "inputs": list, "ops": list},
    "strategies": [
        {
            "name": str,
            "label": str,
            "real": bool,
            "version": str,
            "device": str,
            "knobs": dict,
            "kernels": int,
            "launches": int,
            "bytes": int,
            "recomputed": int,
            "runs": [{"start": int, "period": int, "count": int}],
            "cuts": list,
            "groups": [
                {
                    "ops": list,
                    "kind": str,
                    "bytes": int,
                    "cached": int,
                    "flops": int,
                    "predicted_us": float,
                    "why": str,
                    "lines": list,
                    "duplicated": list,
                    "partial": list,
                    "reads": dict,
                    "writes": dict,
                }
            ],
            "predicted_us": float,
            "measured_us": (float, type(None)),
            "measured": (dict, type(None)),
            "remark": str,
        }
    ],
    "decisions": [
        {
            "producer": str,
            "consumer": str,
            "strategy": str,
            "fuse": bool,
            "why": str,
            "saves_us": (float, type(None)),
        }
    ],
    "failures": dict,
    "waiting": list,
}
"""What CI may rely on."""


def assert_form(data: Any, form: Any = FORM) -> None:
    """`data` has exactly the fields of the form, each of its type."""
    if isinstance(form, dict):
        assert set(data) == set(form)
        for key, inner in form.items():
            assert_form(data[key], inner)
    elif isinstance(form, list):
        assert data
        for entry in data:
            assert_form(entry, form[0])
    else:
        assert isinstance(data, form), (data, form)


def test_real_beside_ours(xla: None) -> None:
    comparison = compare("softmax", seven("softmax"), ("none",), ("xla",))
    none, real = comparison.rows
    assert (real.name, real.real, real.version, real.codes) == ("xla", True, "xla 1", ("HloModule",))
    assert real.plan.kernels == 1 and none.plan.kernels == 5
    assert "    priority-fusion: 3.79 us apart, 1.94 us fused (saves 1.85 us)" in about_pair(comparison, "exp", "sum")


def test_a_missing_compiler_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = peers.PEERS["tvm"]
    monkeypatch.setattr(type(asked), "records", lambda self, modules, *rest: [Failure("tvm needs apache-tvm")])
    comparison = compare("softmax", seven("softmax"), ("mlc",), ("tvm",))
    assert len(comparison.rows) == 1 and comparison.failures == {"tvm": "tvm needs apache-tvm"}
    assert "tvm: not asked: tvm needs apache-tvm" in as_text(comparison)


def test_ir_and_source_of_a_kernel(softmax: Comparison) -> None:
    plan = softmax.rows[0].plan
    shown = show(plan, plan.groups[0])
    assert "func.func @kernel(%x: tensor<512x1024xf32>)" in shown.ir
    assert shown.source.count("@triton.jit") == 1


GRAPH = """
func.func @rows(%x: tensor<?x64xf32, ["N", "64"]>) -> tensor<?x64xf32, ["N", "64"]> {
  %e = mlc_tensor.exp %x : tensor<?x64xf32, ["N", "64"]>
  %s = mlc_tensor.slice %e [N - 1, 0] step [-1, 1] : tensor<?x64xf32, ["N", "64"]> -> tensor<?x64xf32, ["N", "64"]>
  %n = mlc_tensor.neg %s : tensor<?x64xf32, ["N", "64"]>
  func.return %n : tensor<?x64xf32, ["N", "64"]>
}
"""
ALONE = ["--peers", "none", "--policies", "mlc,none"]


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `mlc-compare`."""
    code = main(argv)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_file_of_ir_with_shapes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.mlir"
    path.write_text(GRAPH)
    code, out, _ = run(capsys, str(path), "--shapes", "N=128", "--json", "-", *ALONE)
    assert code == 0
    data = json.loads(out)
    assert data["graph"]["inputs"] == [{"name": "x", "type": "tensor<128x64xf32>", "bytes": 128 * 64 * 4}]
    assert {s["bytes"] for s in data["strategies"]} == {2 * 128 * 64 * 4, 4 * 128 * 64 * 4}


def test_a_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    argv = [f"{FILE}:softmax", "--args", "512x1024xf32", "--pair", "exp,sum", "--json", str(out)]
    code, text, _ = run(capsys, *argv, *ALONE)
    assert code == 0 and "exp and sum: one reads the other" in text
    assert json.loads(out.read_text())["graph"]["name"] == "softmax"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nothing.mlir"], "no such file: nothing.mlir"),
        ([], "what is to be compared?\n  one of a graph, --model FILE.py:NAME, or --corpus DIR|FILE"),
        (["x.mlir", "--train"], "--train is for --model"),
        ([f"{FILE}:softmax", "--args", "Nx8xf32"], "the size N needs a number\n  for example --shapes N=512"),
        ([f"{FILE}:softmax"], f"{FILE}:softmax and its --args: missing a required argument: 'x'\n  give a type"),
        ([f"{FILE}:softmax", "--args", "f32,f32"], f"{FILE}:softmax and its --args: too many positional arguments"),
        (["x"], "'x' is no graph\n  give FILE.py:FUNCTION with --args, FILE.mlir, or FILE.jsonl.gz:REGION"),
        ([f"{FILE}:softmax", "--args", "8x8xf32", "--policies", "mcl"], "no policy 'mcl'\n  did you mean `mlc`?"),
        ([f"{FILE}:softmax", "--args", "8x8xf32", "--peers", "xl"], "no peer 'xl'\n  did you mean `xla`?"),
        ([f"{FILE}:softmax", "--args", "8x8xf32", "--pair", "exp,som"], "the graph has no op 'som'\n  did you mean"),
        ([f"{FILE}:softmax", "--args", "8x8xf32", "--pair", "exp"], "--pair 'exp' does not name two ops"),
        ([f"{FILE}:softmax", "--args", "8x8xf32", "--shapes", "N"], "--shapes 'N' is not NAME=NUMBER"),
        ([f"{FILE}:softmax", "--args", "8x8xf32", "--shapes", "N=4"], "no size is named 'N'\n  the inputs name none"),
        ([f"{FILE}:softmax", "--args", "8x8xf32", "--knob", "mlc=3"], "--knob 'mlc=3' is not STRATEGY.OPTION=VALUE"),
        ([f"{FILE}:softmax", "--args", "8x8xf32", "--knob", "real-tvm.d=3"], "no strategy in --knob 'real-tvm'"),
    ],
)  # fmt: skip
def test_mistakes(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    rest = [] if "--peers" in argv else ["--peers", "none"]
    code, _, err = run(capsys, *argv, *rest)
    assert code == 1 and err.startswith(f"error: {message}")


def test_knobs_of_the_policies() -> None:
    """Numbers, and phases to leave out; what they moved is told."""
    knobs = {"tvm": {"max-depth": "1"}, "xla": {"skip": "priority,diamonds"}}
    comparison = compare("softmax", seven("softmax"), ("xla", "tvm"), (), knobs=knobs)
    assert [row.label for row in comparison.rows] == [
        "xla emulated", "xla emulated skip=priority,diamonds", "tvm emulated", "tvm emulated max-depth=1"
    ]  # fmt: skip
    assert [row.plan.kernels for row in comparison.rows] == [1, 4, 4, 5]
    assert "sub -> exp: no longer fused" in as_text(comparison)


@pytest.mark.parametrize(
    ("option", "value", "message"), [("max-deep", "1", "no knob tvm.max-deep"), ("max-depth", "x", "is not a number")]
)
def test_knobs_that_do_not_exist(option: str, value: str, message: str) -> None:
    with pytest.raises(MlcError, match=message):
        compare("softmax", seven("softmax"), ("tvm",), (), knobs={"tvm": {option: value}})


def test_knobs_are_read() -> None:
    assert parse_knobs(["tvm.max-depth=8", "real-xla.a=b", "tvm.b=1"]) == {
        "tvm": {"max-depth": "8", "b": "1"},
        "real-xla": {"a": "b"},
    }


def test_a_knob_of_a_real_compiler() -> None:
    missing = peers.PEERS["tvm"].available()
    if missing:
        pytest.skip(missing)
    knobs = {"real-tvm": {"max-depth": "1"}}
    comparison = compare("softmax", seven("softmax"), (), ("tvm",), knobs=knobs)
    assert [row.plan.kernels for row in comparison.rows] == [4, 5]
    assert "tvm max-depth=1: 4 -> 5 kernels, 12.6 MB -> 16.8 MB, 9.7 -> 12.2 us" in as_text(comparison)
