"""Our generic form goes through upstream `mlir-opt` unharmed, where one is installed.

Upstream knows neither our dialects nor our sizes: ops are unregistered, encodings and memory
spaces are attributes like any other. What comes back must be the module that went in.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer
from xdsl.universe import XDSL_UNIVERSE

from mlc_support.parsing import parse_module
from tests.shell import run_lines
from tools.universe import dialect_factories

ROOT = Path(__file__).parents[1] / "filecheck" / "dialects"
FILES = sorted(
    path for path in ROOT.glob("*.mlir") if not any("not mlc-opt" in r or "-diagnostics" in r for r in run_lines(path))
)


@cache
def mlir_opt() -> tuple[str, int] | None:
    """The newest `mlir-opt` on PATH, with its major version."""
    folders = [Path(p) for p in os.environ.get("PATH", "").split(os.pathsep) if p]
    names = {f.name for folder in folders if folder.is_dir() for f in folder.glob("mlir-opt*")}
    found: list[tuple[int, str]] = []
    for name in names:
        if re.fullmatch(r"mlir-opt(-\d+)?", name) and (path := shutil.which(name)):
            text = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
            if version := re.search(r"version (\d+)", text):
                found.append((int(version[1]), path))
    return (max(found)[1], max(found)[0]) if found else None


def read(text: str, name: str) -> ModuleOp:
    """The module in `text`, with every dialect known."""
    context = Context()
    for dialect, factory in (XDSL_UNIVERSE.all_dialects | dialect_factories()).items():
        context.register_dialect(dialect, factory)
    module = parse_module(context, text, name)
    module.verify()
    return module


def generic(module: ModuleOp, version: int) -> str:
    """The generic form; before LLVM 17 properties were attributes."""
    output = StringIO()
    Printer(output, print_generic_format=True, print_properties_as_attributes=version < 17).print_op(module)
    return output.getvalue()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_generic_form_survives_mlir_opt(path: Path) -> None:
    """What `mlir-opt` prints is, read again, the module we gave it."""
    tool = mlir_opt()
    if tool is None:
        pytest.skip("no mlir-opt on PATH")
    command, version = tool
    module = read(path.read_text(encoding="utf-8"), path.name)
    flags = ["--allow-unregistered-dialect", "--mlir-print-op-generic"]
    result = subprocess.run(
        [command, *flags], input=generic(module, version), capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert anonymous(read(result.stdout, "mlir-opt")) == anonymous(module)


def anonymous(module: ModuleOp) -> str:
    """The text of a module without the names of its values: `mlir-opt` keeps none."""
    for op in module.walk():
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)):
            value.name_hint = None
    return str(module)
