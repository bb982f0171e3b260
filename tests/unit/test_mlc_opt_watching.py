"""mlc-opt: --trace-rewrites, --pass-statistics, --verify-semantics and --run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlc_dialects.tensor.elementwise import AddOp, SubOp
from mlc_support.rewriting import Rule, apply_rules, rule
from tools import mlc_opt, universe
from tools.semantics import shrink

SOURCE = """\
func.func @f(%x: tensor<4xf32>, %y: tensor<?x4xi32, ["N", "4"]>) -> (tensor<4xf32>, tensor<?x4xi32, ["N", "4"]>) {
  %a = mlc_tensor.neg %x : tensor<4xf32>
  %b = mlc_tensor.add %x, %a : tensor<4xf32>
  %c = mlc_tensor.add %y, %y : tensor<?x4xi32, ["N", "4"]>
  func.return %b, %c : tensor<4xf32>, tensor<?x4xi32, ["N", "4"]>
}
"""


@rule
def wrong(op: AddOp) -> SubOp:
    """x + y == x - y, which it is not"""
    return SubOp(*op.operands)


@dataclass(frozen=True)
class Wrong(ModulePass):
    """A pass that is wrong."""

    name = "wrong"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Do the damage."""
        rules: tuple[Rule, ...] = (wrong,)
        apply_rules(op, rules)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file of good IR; and `wrong` is a pass."""
    load = universe.load
    monkeypatch.setitem(universe.PASSES, "wrong", "t:Wrong")
    monkeypatch.setattr(universe, "load", lambda path: Wrong if path == "t:Wrong" else load(path))
    path = tmp_path / "in.mlir"
    path.write_text(SOURCE)
    return str(path)


def test_trace_names_rule_place_and_identity(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert mlc_opt.main([source, "-p", "simplify", "--trace-rewrites"]) == 0
    out, err = capsys.readouterr()
    assert "mlc_tensor.sub %x, %x" in out
    assert f"simplify: add_negated: mlc_tensor.add at {source}:3:3: x + -y == x - y" in err
    assert "simplify:      1 double" in err
    assert " ops -> " not in err


def test_statistics_count_ops_and_rules(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert mlc_opt.main([source, "-p", "simplify,cse", "--pass-statistics"]) == 0
    out, err = capsys.readouterr()
    assert "func.func" in out
    assert err.splitlines() == [
        "simplify: 5 ops -> 5 ops, 2 rewrites",
        "simplify:      1 add_negated",
        "simplify:      1 double",
        "cse: 5 ops -> 5 ops, 0 rewrites",
    ]


def test_semantics_of_good_passes(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert mlc_opt.main([source, "-p", "canonicalize,simplify,const-fold,cse,dce", "--verify-semantics"]) == 0
    assert capsys.readouterr().err == ""


def test_semantics_stop_at_the_first_wrong_pass(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert mlc_opt.main([source, "-p", "canonicalize,wrong,cse", "--verify-semantics"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "error: pass `wrong` changes the results of @f" in err
    assert "input 0:" in err
    assert " before:" in err
    assert "and after:" in err


def test_fast_math_is_seen(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    """x - x is NaN for NaN."""
    assert mlc_opt.main([source, "-p", "simplify{fast-math=true}", "--verify-semantics"]) == 1
    assert "pass `simplify` changes the results of @f" in capsys.readouterr().err


def test_semantics_go_through_the_loops(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    steps = "fuse,tensor-to-loop,approximate,linearize-axes,tile-transpose,online-reduction,split-reduction,schedule"
    assert mlc_opt.main([source, "-p", steps, "--verify-semantics"]) == 0
    assert capsys.readouterr().err == ""


def test_what_cannot_be_checked_is_said(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = "fuse,tensor-to-loop,linearize-axes,schedule,loop-to-triton"
    assert mlc_opt.main([source, "-p", steps, "--verify-semantics"]) == 0
    assert "verify-semantics: after loop-to-triton: @f is not checked" in capsys.readouterr().err
    path = tmp_path / "scalar.mlir"
    path.write_text("func.func @g(%x: f32) -> f32 {\n  func.return %x : f32\n}\n")
    assert mlc_opt.main([str(path), "-p", "cse", "--verify-semantics"]) == 0
    assert "verify-semantics: at the start: @g is not checked: expected a tensor type" in capsys.readouterr().err


def test_run_prints_inputs_and_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in.mlir"
    path.write_text(
        "func.func @g(%x: tensor<2xi32>) -> tensor<2xi32> {\n"
        "  %y = mlc_tensor.sub %x, %x : tensor<2xi32>\n  func.return %y : tensor<2xi32>\n}\n"
    )
    assert mlc_opt.main([str(path), "--run", "--seed", "3"]) == 0
    first = capsys.readouterr().out
    assert first.startswith("@g, seed 3\n  %x : tensor<2xi32> =\n    [")
    assert first.endswith("  result 0 : tensor<2xi32> =\n    [0, 0]\n")
    assert mlc_opt.main([str(path), "--run", "--seed", "3", "-p", "canonicalize"]) == 0
    assert capsys.readouterr().out == first
    assert mlc_opt.main([str(path), "--run", "--seed", "4"]) == 0
    assert capsys.readouterr().out != first


def test_run_needs_tensors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in.mlir"
    path.write_text("func.func @g(%x: f32) -> f32 {\n  func.return %x : f32\n}\n")
    assert mlc_opt.main([str(path), "--run"]) == 1
    assert "error: expected a tensor type, found f32" in capsys.readouterr().err


def test_shrink_keeps_what_fails() -> None:
    """One element of many matters."""
    inputs = [np.arange(100.0), np.arange(6).reshape(2, 3)]
    first, second = shrink(inputs, lambda values: values[0][37] == 37)
    assert first.nonzero()[0].tolist() == [37]
    assert not second.any()
    assert inputs[0][5] == 5


def test_run_takes_arrays_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One file an argument, on tensors and on the loops that come of them."""
    path, x, y = tmp_path / "in.mlir", tmp_path / "x.npy", tmp_path / "y.npy"
    path.write_text(
        "func.func @g(%x: tensor<2xbf16>, %y: tensor<2xbf16>) -> tensor<2xbf16> {\n"
        "  %z = mlc_tensor.sub %x, %y : tensor<2xbf16>\n  func.return %z : tensor<2xbf16>\n}\n"
    )
    np.save(x, np.array([5.0, 1.001], np.float32))
    np.save(y, np.array([2.0, 1.0], np.float32))
    for steps in ("cse", "fuse,tensor-to-loop,linearize-axes,schedule"):
        assert mlc_opt.main([str(path), "-p", steps, "--run", "--npy", str(x), "--npy", str(y)]) == 0
        out = capsys.readouterr().out
        assert out.startswith(f"@g, {x}, {y}\n")
        assert out.endswith("    [3., 0.]\n")
    np.save(y, np.array([2, 1]))
    assert mlc_opt.main([str(path), "--run", "--npy", str(x), "--npy", str(y)]) == 1
    assert "y.npy holds int64, and elements of type bf16 come as float32" in capsys.readouterr().err
    assert mlc_opt.main([str(path), "--run", "--npy", str(x)]) == 1
    assert "the function takes 2 inputs, found 1 files" in capsys.readouterr().err
