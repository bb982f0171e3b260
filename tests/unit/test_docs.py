"""What the documentation lists is what there is."""

from __future__ import annotations

import re
from pathlib import Path

from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import PIPELINE
from tools.universe import PASSES

ROOT = Path(__file__).parents[2]


def test_the_readme_lists_the_pipeline() -> None:
    """Every pass in its order, those of all options included."""
    diagram = (ROOT / "README.md").read_text(encoding="utf-8").partition("## The path of a program")[2].split("```")[1]
    told = [text for text in re.findall(r"^   │  (?:passes:|       ) (.*)$", diagram, re.MULTILINE)]
    options = CompilerOptions(freeze=True)
    passes = [step.name for stage in PIPELINE for step in stage.passes(options)]
    assert [name for text in told for name in text.rstrip(",").split(", ")] == passes


def test_passes_begin_with_their_name() -> None:
    """`name: what it does` is how the file of a pass begins."""
    for name, path in PASSES.items():
        file = ROOT / (path.partition(":")[0].replace(".", "/") + ".py")
        assert file.read_text(encoding="utf-8").startswith(f'"""{name}: '), file
