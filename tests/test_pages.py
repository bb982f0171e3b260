"""Every page of the documentation does what it says: one test for each journey through pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from tests.pages import ROOT, Reader

JOURNEYS = (
    # A new user: from the clone to a fused kernel, an own pass with its test, rules, an own policy, op and target.
    ("docs/start.md", *(f"docs/write/{page}.md" for page in ("pass", "rule", "policy", "op", "target"))),
)
WITH_CODE = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "examples/plugin/README.md"]
ALONE = [str(page.relative_to(ROOT)) for page in WITH_CODE if str(page.relative_to(ROOT)) not in sum(JOURNEYS, ())]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """A reader in a fresh clone; the environment is as it was when it is done."""
    before = dict(os.environ)
    torch._dynamo.reset()
    yield Reader.in_clone(tmp_path, os.environ)
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.parametrize("journey", [*JOURNEYS, *((page,) for page in ALONE)], ids=lambda pages: Path(pages[0]).stem)
def test_a_page_is_true(journey: tuple[str, ...], reader: Reader) -> None:
    for page in journey:
        reader.read(ROOT / page)
