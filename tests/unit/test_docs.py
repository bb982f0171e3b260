"""What the documentation lists is what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from benchmarks.tables import TABLES
from mlc_compiler.machine import Machine
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import PIPELINE
from tools.universe import PASSES

ROOT = Path(__file__).parents[2]


def test_the_design_lists_the_pipeline() -> None:
    """Every pass in its order, those of all options included."""
    diagram = (ROOT / "docs/design.md").read_text(encoding="utf-8").partition("## The pipeline")[2].split("```")[1]
    told = [text for text in re.findall(r"^   │  (?:passes:|       ) (.*)$", diagram, re.MULTILINE)]
    options = CompilerOptions(freeze=True, mode="max-autotune")
    passes = [step.name for stage in PIPELINE for step in stage.passes(options, Machine())]
    assert [name for text in told for name in text.rstrip(",").split(", ")] == passes


def test_the_folders_of_the_documentation_exist() -> None:
    """In the table of folders of docs/design.md and in the headings of docs/path.md."""
    table = (ROOT / "docs/design.md").read_text(encoding="utf-8").partition("## The folders")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    headings = re.findall(r"^## \d+\. (.*)$", (ROOT / "docs/path.md").read_text(encoding="utf-8"), re.MULTILINE)
    folders = [name for text in (*cells, *headings) for name in re.findall(r"`([a-z_]+(?:/[a-z_]*)*)`", text)]
    assert len(folders) > 20
    assert [name for name in folders if name != "mlc_tensor" and not (ROOT / name).is_dir()] == []


def test_the_readme_is_short() -> None:
    """Who has never heard of mlc reads it to the end."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120


def test_tables_of_measurements_are_printed() -> None:
    """Each table that benchmarks.tables prints stands on a page, under the command that prints it."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    told = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert [name for name in TABLES if f"<!-- printed by: python -m benchmarks.tables {name} -->" not in told] == []


def test_passes_begin_with_their_name() -> None:
    """`name: what it does` is how the file of a pass begins."""
    for name, path in PASSES.items():
        file = ROOT / (path.partition(":")[0].replace(".", "/") + ".py")
        assert file.read_text(encoding="utf-8").startswith(f'"""{name}: '), file


def test_what_make_is_told_to_do_is_a_target() -> None:
    """In the README, in CONTRIBUTING.md, in the pages, and in the check of a change."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    texts = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / ".ci/run", *(ROOT / "docs").rglob("*.md")]
    told = [
        name for p in texts for name in re.findall(r"(?:`|^|exec )make ([a-z-]+)", p.read_text("utf-8"), re.MULTILINE)
    ]
    assert {"test", "check", "test-all", "golden"} <= {*told} <= targets


def test_both_ends_of_what_pytorch_may_be_are_tested() -> None:
    """The versions of `make oldest` and `make newest` are the first and the last that pyproject.toml allows."""
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    (torch,) = (told for told in asked if re.match(r"torch\b", told))
    first, beyond = map(int, re.findall(r"2\.(\d+)", torch))
    tested = re.findall(r"^(?:OLDEST|NEWEST) := (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert tested == [f"torch==2.{first}.*", f"torch==2.{beyond - 1}.*"]


def test_the_version_of_the_project_has_its_changes() -> None:
    """The first entry of CHANGELOG.md is of the version that pyproject.toml has."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    entries = re.findall(r"^## (\S+?),? ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert entries[0] == version
