"""The driver: whose passes run, what is checked, what is written, how it fails."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.target import Target

from mlc_support.errors import MlcError
from tools import mlc_opt, universe

SOURCE = """\
func.func @f(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  %z = arith.mulf %y, %y : f32
  func.return %z : f32
}
"""


@dataclass(frozen=True)
class Mark(ModulePass):
    """Writes its option on the module."""

    name = "mark"

    text: str = "here"
    times: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Set an attribute."""
        op.attributes["mark"] = StringAttr(self.text * self.times)


@dataclass(frozen=True)
class OurCse(Mark):
    """Stands in for the pass of mlc that xDSL has too."""

    name = "cse"


@dataclass(frozen=True)
class Break(ModulePass):
    """Breaks the module, or itself, in one of several ways."""

    name = "break"

    how: str = "order"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Do the damage."""
        match self.how:
            case "order":
                block = op.body.block.first_op.regions[0].block
                first = block.first_op
                first.detach()
                block.insert_op_after(first, block.first_op)
            case "verify":
                op.body.block.first_op.regions[0].block.last_op.operands = ()
            case "diagnostic":
                raise PassFailedException("cannot do that")
            case "mlc":
                raise MlcError("not this", None, "try another")
            case _:
                raise KeyError("oops")


@dataclass(frozen=True)
class Names(Target):
    """Prints the names of the functions."""

    name = "names"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """One name a line."""
        for op in module.body.block.ops:
            output.write(f"{op.properties['sym_name']}\n")


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes and a target that need no other part of mlc."""
    made = {"t:Mark": Mark, "t:OurCse": OurCse, "t:Break": Break, "t:Names": Names}
    monkeypatch.setattr(universe, "PASSES", {"mark": "t:Mark", "cse": "t:OurCse", "break": "t:Break"})
    monkeypatch.setattr(universe, "TARGETS", {"names": "t:Names"})
    monkeypatch.setattr(universe, "load", made.__getitem__)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file of good IR."""
    path = tmp_path / "in.mlir"
    path.write_text(SOURCE)
    return path


def fails(capsys: pytest.CaptureFixture[str], *args: str | Path) -> str:
    """Run, expect one report and nothing on stdout, and give the report."""
    assert mlc_opt.main([str(arg) for arg in args]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert "Traceback" not in err
    return err


def test_a_pass_runs_with_its_options(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mlc_opt.main([str(source), "-p", 'mark{text="a" times=2}']) == 0
    assert 'mark = "aa"' in capsys.readouterr().out


def test_our_pass_wins_over_one_of_xdsl(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mlc_opt.main([str(source), "-p", "cse,licm"]) == 0
    assert 'mark = "here"' in capsys.readouterr().out


def test_a_target_prints(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mlc_opt.main([str(source), "-t", "names"]) == 0
    assert capsys.readouterr().out == '"f"\n'


def test_mistakes_on_the_command_line(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean `mark`?" in fails(capsys, source, "-p", "marc")
    assert "no option `txt`" in fails(capsys, source, "-p", 'mark{txt="a"}')
    assert "did you mean `text`?" in fails(capsys, source, "-p", 'mark{txt="a"}')
    assert "options: text (str), times (int)" in fails(capsys, source, "-p", "mark{times=many}")
    assert "expected pass name" in fails(capsys, source, "-p", "mark,,mark")
    assert "did you mean `names`?" in fails(capsys, source, "-t", "name")
    assert "no such file" in fails(capsys, source.parent / "absent.mlir")
    assert "is a directory" in fails(capsys, source.parent)
    assert "unrecognized arguments" in fails(capsys, source, "--quickly")


def test_a_pass_that_breaks_the_module_is_named(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = fails(capsys, source, "-p", "mark,break,mark")
    assert "after pass `break`: arith.mulf: %y is used before its definition" in report
    assert "in.mlir:3:3  %z = arith.mulf %y, %y : f32" in report
    assert "after pass `break`: func.return: " in fails(capsys, source, "-p", "break{how=verify}")


def test_a_pass_that_fails_is_named(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "error: break: cannot do that" in fails(capsys, source, "-p", "break{how=diagnostic}")
    assert "error: not this\n  try another" in fails(capsys, source, "-p", "break{how=mlc}")
    assert "internal: pass `break` raised KeyError" in fails(capsys, source, "-p", "break{how=bug}")
    with pytest.raises(KeyError):
        mlc_opt.main([str(source), "-p", "break{how=bug}", "--traceback"])


def test_output_is_whole_or_absent(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.mlir"
    fails(capsys, source, "-p", "break", "-o", target)
    assert os.listdir(tmp_path) == ["in.mlir"]
    assert mlc_opt.main([str(source), "-o", str(target)]) == 0
    good = target.read_text()
    assert "@f" in good
    fails(capsys, source, "-p", "break", "-o", target)
    assert target.read_text() == good
    assert sorted(os.listdir(tmp_path)) == ["in.mlir", "out.mlir"]
    assert "no such folder" in fails(capsys, source, "-o", tmp_path / "none" / "out.mlir")


def test_output_to_a_device_leaves_the_device(source: Path) -> None:
    assert mlc_opt.main([str(source), "-o", os.devnull]) == 0
    assert Path(os.devnull).is_char_device()


def test_output_keeps_permissions_and_links(source: Path, tmp_path: Path) -> None:
    real, link = tmp_path / "real.mlir", tmp_path / "link.mlir"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert mlc_opt.main([str(source), "-o", str(link)]) == 0
    assert link.is_symlink()
    assert "@f" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640


def test_unverified_runs_leave_the_process_alone(source: Path) -> None:
    before = Attribute.__post_init__
    assert mlc_opt.main([str(source), "-p", "break", "--disable-verify", "-o", os.devnull]) == 0
    assert Attribute.__post_init__ is before


def test_text_output_is_input_again(source: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "1.mlir", tmp_path / "2.mlir"
    for flags in ([], ["--print-op-generic"], ["--print-debuginfo"]):
        assert mlc_opt.main([str(source), *flags, "-o", str(first)]) == 0
        assert mlc_opt.main([str(first), *flags, "-o", str(second)]) == 0
        if "--print-debuginfo" not in flags:
            assert first.read_text() == second.read_text()
