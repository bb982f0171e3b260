"""The in-process shell, and that `lit` finds and runs what it finds and runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.shell import run, run_lines
from tests.test_filecheck import FILES, ROOT


@pytest.fixture
def ir(tmp_path: Path) -> Path:
    path = tmp_path / "a.mlir"
    run_line = "// RUN: mlc-opt %s \\\n// RUN:   | filecheck %s\n"
    path.write_text(run_line + "// CHECK: @f\nfunc.func @f() {\n  func.return\n}\n")
    return path


def code(line: str, path: Path) -> int:
    return run(line, path, path.parent)[-1].code


def test_lines_are_joined(ir: Path) -> None:
    assert run_lines(ir) == ["mlc-opt %s | filecheck %s"]
    assert code(run_lines(ir)[0], ir) == 0


def test_failures_are_failures(ir: Path) -> None:
    assert code("mlc-opt %s | filecheck %s --check-prefix=NONE", ir) != 0
    assert code("mlc-opt absent.mlir", ir) != 0
    assert code("mlc-opt absent.mlir | cat", ir) != 0
    assert code("not mlc-opt %s", ir) != 0
    assert code("not mlc-opt absent.mlir", ir) == 0
    assert code("mlc-opt absent.mlir && mlc-opt %s", ir) != 0
    assert code("false", ir) != 0


def test_two_per_cents_are_one(ir: Path) -> None:
    assert run("echo %%s %%t 100%%", ir, ir.parent)[-1].stdout == b"%s %t 100%\n"


def test_redirections(ir: Path) -> None:
    assert code("mlc-opt - < %s > %t && filecheck %s < %t", ir) == 0
    results = run("not mlc-opt absent.mlir 2>&1", ir, ir.parent)
    assert b"error: no such file" in results[-1].stdout
    assert results[-1].stderr == b""
    assert "no such file" in results[-1].report()


def lit(*args: str) -> subprocess.CompletedProcess[str]:
    command = "import sys; from lit.main import main; sys.exit(main())"
    arguments = [sys.executable, "-c", command, *args]
    return subprocess.run(arguments, capture_output=True, text=True, cwd=ROOT.parents[1])


def test_lit_finds_the_same_tests() -> None:
    lines = lit("--show-tests", str(ROOT)).stdout.splitlines()
    found = {line.split("::")[1].strip() for line in lines if "::" in line}
    assert found == {str(path.relative_to(ROOT)) for path in FILES}


def test_lit_runs_them() -> None:
    result = lit("-v", str(ROOT / "tools" / "split-input.mlir"))
    assert result.returncode == 0, result.stdout + result.stderr
