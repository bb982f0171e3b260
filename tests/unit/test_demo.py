"""What the demo prints of a level is a file that mlc-opt reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples import demo
from examples.functions import EXAMPLES
from tools.mlc_opt import main


def test_printed_ir_can_be_pasted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of every level but the source: mlc-opt prints it again as it was."""
    demo.show(EXAMPLES[0], "cpu", False, demo.Clock())
    levels = capsys.readouterr().out.partition("--- why")[0].split("\n--- ")[1:]
    assert [text.partition("\n")[0] for text in levels] == [*demo.LEVELS]
    for text in levels[:-1]:
        level, _, ir = text.partition("\n")
        (tmp_path / "in.mlir").write_text(ir)
        assert main([str(tmp_path / "in.mlir")]) == 0
        assert capsys.readouterr().out.strip() == ir.strip(), level
