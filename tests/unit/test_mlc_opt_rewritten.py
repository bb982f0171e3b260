"""mlc-opt --generate-checks and --reduce, on the inputs of FileCheck tests."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from mlc_support.errors import MlcError
from mlc_support.parsing import parse_module
from mlc_support.verification import verify_module
from tests.shell import run, run_lines
from tests.test_filecheck import ROOT
from tools.reduce import reduced
from tools.universe import context

_PLAIN = re.compile(r"mlc-opt %s (-p (?:\S+|'[^']+')(?: --split-input-file)?) \| filecheck %s$")
FILES = [path for path in sorted(ROOT.rglob("*.mlir")) if _PLAIN.match(run_lines(path)[0])][::5]


def name_of(path: Path) -> str:
    return path.name


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_generated_checks_hold(path: Path, tmp_path: Path) -> None:
    """They accept what they were made of, and not the input, which the passes of the test change."""
    match = _PLAIN.match(run_lines(path)[0])
    assert match is not None
    made = tmp_path / "made.mlir"
    for line in (f"mlc-opt %s {match[1]} --generate-checks -o {made}", f"mlc-opt {made} {match[1]} | filecheck {made}"):
        result = run(line, path, tmp_path)[-1]
        assert result.code == 0, result.report()
    assert run_lines(made) == [f"mlc-opt %s {shlex.join(shlex.split(match[1]))} | filecheck %s"]
    split = "--split-input-file" if "--split-input-file" in match[1] else ""
    assert run(f"mlc-opt {made} {split} | filecheck {made}", path, tmp_path)[-1].code != 0


def units(path: Path) -> list[ModuleOp]:
    """The modules of a file that are well."""
    found: list[ModuleOp] = []
    for piece in path.read_text(encoding="utf-8").split("// -----")[:2]:
        try:
            found.append(parse_module(context(), piece))
        except MlcError:  # wrong on purpose
            continue
    return found


@pytest.mark.parametrize("path", FILES[::4], ids=name_of)
def test_reduced_modules_keep_what_fails(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The op that the command asks for is left, in a module that is valid and no larger."""
    module = units(path)[0]
    ops = [op for op in module.walk() if op.name.startswith("mlc_") and not op.name.endswith((".yield", ".kernel"))]
    wanted = ops[len(ops) // 2].name
    small = parse_module(context(), reduced(module, f"! grep -q '{wanted}[ (]'"))
    verify_module(small)
    left = [op.name for op in small.walk()]
    assert wanted in left
    assert len(left) <= len(list(module.walk()))
    assert sum(1 for _ in small.ops) <= 2
    assert f"-> {len(left) - 1} ops" in capsys.readouterr().err
