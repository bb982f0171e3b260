"""The reference has everything that the code has; and the site is built from it without a warning."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path

import pytest
from xdsl.ir import Dialect

from mlc_compiler.options import CompilerOptions
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from tools.help import options_of
from tools.options import MLC_OPT, MLC_TRANSLATE
from tools.reference.dialects import dialect_page, examples
from tools.reference.markdown import prose, table
from tools.reference.options import ENVIRONMENT, options_page
from tools.reference.passes import passes_page
from tools.universe import DIALECTS, PASSES, STAGES, all_passes, load

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", DIALECTS)
def test_every_op_and_attribute_is_there(name: str) -> None:
    """Each with its docstring, and each op but an elementwise one with an example from a test."""
    dialect: Dialect = load(DIALECTS[name])
    page = dialect_page(name)
    for op in dialect.operations:
        assert op.__doc__, op.name
        head = f"| `{op.FUNCTION.name}` " if issubclass(op, ElementwiseOp) else f"### `{op.name}`\n"
        assert page.count(head) == 1, op.name
        assert op.name in examples() or issubclass(op, ElementwiseOp), op.name
    for attribute in dialect.attributes:
        assert attribute.__doc__ and f"### `{attribute.name}`\n" in page


def test_every_pass_option_and_rule_is_there() -> None:
    page = passes_page()
    sections = dict(re.findall(r"^### `(.*?)`\n(.*?)(?=^###? |\Z)", page, re.MULTILINE | re.DOTALL))
    assert sections.keys() == PASSES.keys()
    for name, section in sections.items():
        assert "Before, in `tests/filecheck/" in section
        for option in options_of(all_passes()[name]()):
            assert f"| `{option.name}` | " in section
            assert option.text, f"{name}: the option {option.name} does not say what it is"
    assert all(f"| `{stage}` |" in page for stage in STAGES)
    assert page.count("| `cancel_involution` |") == 1 and "Also rules of `canonicalize`" in sections["simplify"]


def test_every_choice_is_there() -> None:
    page = options_page()
    names = [f"| `{field.name}` | `" for field in fields(CompilerOptions)]
    options = [option for group in (*MLC_OPT.values(), MLC_TRANSLATE) for option in group]
    assert [name for name in (*names, *(f"| `{o.spelled()}` |" for o in options)) if name not in page] == []


def test_every_variable_of_the_environment_is_there() -> None:
    """Those that the packages name."""
    packages = ("mlc_support", "mlc_dialects", "passes", "lowering", "mlc_runtime", "mlc_compiler", "tools")
    files = [file for package in packages for file in (ROOT / package).rglob("*.py")]
    named = {name for file in files for name in re.findall(r'"(MLC_[A-Z_]+)"', file.read_text(encoding="utf-8"))}
    assert named == ENVIRONMENT.keys()


def test_docstrings_become_markdown() -> None:
    assert prose("e ** x * `a*b` [i]\n\n    a * b") == "e \\*\\* x \\* `a*b` \\[i\\]\n\n```text\na * b\n```"
    assert (
        prose("Sum:\n\n    s = a\n -> s = b\n\n    t\n\nx") == "Sum:\n\n```text\n   s = a\n-> s = b\n\n   t\n```\n\nx"
    )
    assert prose("one ` alone") == "one \\` alone" and prose("x < y `<`") == "x &lt; y `<`"
    assert table(("a", "b"), [("x | y", "two\nlines")]) == "| a | b |\n| --- | --- |\n| x \\| y | two lines |"
    assert table(("a",), []) == ""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("material") is None, reason="needs mkdocs-material: pip install '.[docs]'")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Every page in the menu, every link to something that is there."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site/reference/mlc_tensor.html").read_text(encoding="utf-8")
    assert "mlc_tensor.reduce" in page and "<table>" in page


def test_help_shows_what_options_are() -> None:
    told = CompilerOptions.__doc__ or ""
    assert told.startswith("What a caller may choose;")
    assert all(f"\n{field.name}: " in told for field in fields(CompilerOptions))
    assert "\nfast_math: Simplify also by rules that are wrong for NaN" in told
