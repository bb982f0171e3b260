"""Every FileCheck test under `tests/filecheck`, in this process: one pytest test a file.

`lit tests/filecheck` runs the same files, a process for each command.
"""

from pathlib import Path

import pytest

from tests.shell import run, run_lines

ROOT = Path(__file__).parent / "filecheck"
FILES = sorted(path for path in ROOT.rglob("*") if path.suffix in (".mlir", ".py") and run_lines(path))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_filecheck(path: Path, tmp_path: Path) -> None:
    """Each RUN line of the file succeeds."""
    for line in run_lines(path):
        results = run(line, path, tmp_path)
        if results[-1].code != 0:
            steps = "\n\n".join(dict.fromkeys(result.report() for result in results))
            pytest.fail(f"RUN: {line}\n\n{steps}", pytrace=False)
