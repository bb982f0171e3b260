"""What `mlc-opt` says of itself: one screen of help, passes in the order of the pipeline, examples, completion."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from itertools import chain
from pathlib import Path

import pytest
from xdsl.xdsl_opt_main import xDSLOptMain

from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import CPU, LEVELS, PIPELINE, stages_to, steps_to
from tools import completion, help, mlc_opt
from tools.ir_printing import difference, has_colours
from tools.options import LEVELS as TRANSLATE_LEVELS
from tools.options import MLC_OPT, MLC_TRANSLATE
from tools.pass_examples import example_of
from tools.universe import PASSES, STAGES, level_of, pass_factories

NOT_OURS = {"--frontend", "-f", "--parsing-diagnostics", "--shrink"}
"""Options of xDSL's driver that would say nothing here: every file is IR, `--split-input-file` goes on after an error
in the text as well, and `--reduce` needs no pass that asks for more."""


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The lines of stdout."""
    assert mlc_opt.main(list(arguments)) == 0
    return capsys.readouterr().out.splitlines()


def test_help_fits_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "--help")
    assert len(lines) <= 78
    assert max(map(len, lines)) <= 120
    words = set(chain.from_iterable(line.split() for line in lines))
    assert PASSES.keys() <= words
    assert {option.names[0] for group in MLC_OPT.values() for option in group} <= words
    assert "scf-parallel-loop-tiling" not in words


def test_passes_stand_in_the_order_of_the_pipeline() -> None:
    steps = [step.name for step in steps_to("triton", CompilerOptions(device="h200", freeze=True))]
    first = list(dict.fromkeys(name for name in steps if name in PASSES))
    assert first, "the pipeline has passes"
    assert [name for name in PASSES if name in first and level_of(name) != "any"] == [
        name for name in first if level_of(name) != "any"
    ]
    assert {level_of(name) for name in PASSES} == {"tensor", "loop", "cpu", "triton", "any"}


def test_stages_are_those_of_the_compiler() -> None:
    assert {"tensor", *STAGES} == {stage.level for stage in (*PIPELINE, CPU)}
    assert set(TRANSLATE_LEVELS) == set(LEVELS)
    for name, before in STAGES.items():
        assert ("tensor", *before, name) == tuple(stage.level for stage in stages_to(name))


def test_every_pass_has_a_sentence() -> None:
    for name in PASSES:
        text = help.summary(name)
        assert text.endswith((".", ":")) and len(text) > 20, name


def test_passes_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    ours = said(capsys, "--list-passes")
    every = said(capsys, "--list-passes=all")
    assert [line.split()[1] for line in ours] == list(pass_factories())
    assert every[: len(ours)] == ours
    assert "xDSL     scf-parallel-loop-tiling" in every
    assert mlc_opt.main(["--list-passes=ours-alone"]) == 1
    assert "--list-passes=ours-alone: not known" in capsys.readouterr().err


def test_targets_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "--list-targets")
    assert lines[0].startswith("triton ")
    assert "Python" in lines[0]
    assert {"mlir", "stablehlo", "relax", "aten"} <= {line.split()[0] for line in lines}


def test_a_pass_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    text = "\n".join(said(capsys, "--help-pass", "fuse"))
    assert text.startswith("fuse: groups ops into kernels")
    assert "  max-depth=int (default 256)\n      tvm: most ops of one group." in text
    assert "example, of tests/filecheck/passes/fuse.mlir:" in text
    before, _, after = text.partition("-p 'fuse'")
    assert "func.func @" in before and "mlc_tensor.fusion (" not in before.partition("example")[2]
    assert "mlc_tensor.fusion (" in after
    assert "options: none" in "\n".join(said(capsys, "--help-pass", "dce"))
    assert "parallel-loop-tile-sizes=" in "\n".join(said(capsys, "--help-pass", "scf-parallel-loop-tiling"))


def test_a_stage_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    text = "\n".join(said(capsys, "--help-pass", "fused"))
    assert "fused: a stage of the compiler, after simplified" in text
    assert "nested-reductions, cse, explicit-copies, fuse, cse" in text
    assert "policy=str (default mlc)" in text


def test_an_unknown_pass_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert mlc_opt.main(["--help-pass", "fues"]) == 1
    assert capsys.readouterr().err == "error: unknown pass `fues`\n  did you mean `fuse`?\n"


@pytest.mark.parametrize("name", PASSES)
def test_every_pass_has_an_example(name: str) -> None:
    example = example_of(name)
    assert example is not None
    assert example.before != example.after
    assert example.step.name == name


def test_options_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "--help-options")
    for option in chain.from_iterable(MLC_OPT.values()):
        assert any(line.startswith(f"  {option.spelled()} ") and option.help in line for line in lines), option.names


def test_options_of_xdsl_are_known() -> None:
    """A command line of `xdsl-opt` reads the same here."""

    class Driver(xDSLOptMain):
        def __init__(self) -> None:
            self.available_frontends, self.available_passes, self.available_targets = {}, {}, {}

    parser = argparse.ArgumentParser(add_help=False)
    Driver().register_all_arguments(parser)
    theirs = set(chain.from_iterable(action.option_strings for action in parser._actions))
    ours = {name for group in MLC_OPT.values() for option in group for name in option.names}
    assert theirs - ours == NOT_OURS


def test_versions(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = said(capsys, "--version")
    assert line.startswith("mlc ") and ", xdsl 0." in line and ", Python 3." in line


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("tool", "line", "found"),
    [
        ("mlc-opt", "mlc-opt -p simplif", {"simplified", "simplify"}),
        ("mlc-opt", "mlc-opt x.mlir -p simplify,horiz", {"simplify,horizontal-fusion"}),
        ("mlc-opt", "mlc-opt --print-ir-after-ch", {"--print-ir-after-change"}),
        ("mlc-opt", "mlc-opt --print-ir-after = horiz", {"horizontal-fusion"}),
        ("mlc-opt", "mlc-opt -t tri", {"triton"}),
        ("mlc-opt", "mlc-opt fi", set()),
        ("mlc-translate", "mlc-translate --to simp", {"simplified"}),
        ("mlc-translate", "mlc-translate --to stab", {"stablehlo"}),
    ],
)
def test_bash_completes(tool: str, line: str, found: set[str], tmp_path: Path) -> None:
    """The script, sourced in bash, and asked as bash asks; files are left to bash itself."""
    words = line.split()
    function = "_" + tool.replace("-", "_")
    ask = f'COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; {function}; printf "%s\\n" "${{COMPREPLY[@]}}"'
    script = tmp_path / "complete.bash"
    script.write_text(completion.script("bash") + "\n" + ask + "\n")
    result = subprocess.run(["bash", str(script)], capture_output=True, text=True, check=True)
    assert result.stderr == ""
    assert set(result.stdout.split()) == found


def test_other_shells_complete(capsys: pytest.CaptureFixture[str]) -> None:
    fish = said(capsys, "--completion", "fish")
    known = [*chain.from_iterable(MLC_OPT.values()), *MLC_TRANSLATE]
    assert len(fish) == len(known)
    assert any(line.startswith("complete -c mlc-opt -s p -l passes -x -a ") for line in fish)
    assert said(capsys, "--completion", "zsh")[0] == "autoload -U +X bashcompinit && bashcompinit"
    assert mlc_opt.main(["--completion", "basch"]) == 1
    assert "did you mean `bash`?" in capsys.readouterr().err


def test_a_difference_is_coloured_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert has_colours(Terminal())  # pyright: ignore[reportArgumentType]
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_colours(Terminal())  # pyright: ignore[reportArgumentType]
    assert difference("a\nb\n", "a\nc\n") == "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    assert "\033[31m-b\033[0m\n\033[32m+c\033[0m\n" in difference("a\nb\n", "a\nc\n", coloured=True)
