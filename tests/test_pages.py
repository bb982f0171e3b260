"""Every page of the documentation does what it says: one test for each journey through pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch.torch_version import TorchVersion

from tests.pages import ROOT, PageError, Reader

JOURNEYS = (
    # A new user: from the clone to a fused kernel, an own pass with its test, rules, an own policy, op and target.
    (
        "docs/start.md",
        *(f"docs/write/{page}.md" for page in ("pass", "rule", "policy", "op", "target")),
        "examples/plugin/README.md",
    ),
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


@pytest.mark.parametrize(
    "journey",
    [*(pytest.param(journey, marks=pytest.mark.slow) for journey in JOURNEYS), *((page,) for page in ALONE)],
    ids=lambda pages: Path(pages[0]).stem,
)
def test_a_page_is_true(journey: tuple[str, ...], reader: Reader) -> None:
    if "docs/schedule.md" in journey and TorchVersion(torch.__version__) < "2.13":
        pytest.skip("it shows a cast to 8 bits that saturates, and PyTorch's gave NaN")
    for page in journey:
        reader.read(ROOT / page)


def page_of(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page with this text."""
    monkeypatch.setattr("tests.pages.ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(text)
    return page


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("```console\n$ echo one\ntwo\n```\n", "page.md:1: \\$ echo one\nexit code 0; printed:\none\n\n.*\n  two"),
        ("```console\n$ echo one; echo\none\n...\ntwo\n```\n", "exit code"),
        ("```console\n$ false\n```\n", "exit code 1"),
        ("```console\n$ true\nerror: it should fail\n```\n", "exit code 0"),
        ("```console\nno command\n```\n", "a console begins with `\\$ `"),
        ("text\n\n```mlir\nfunc.func @f()\n```\n", "page.md:3: ```mlir is no console, python, text, and no file"),
        ("```text\nnever closed\n", "a block is not closed"),
        ("<!-- printed by: echo a -->\n\n| b |\n", "page.md:1: \\$ echo a"),
    ],
)  # fmt: skip
def test_what_is_not_so_is_found(
    text: str, problem: str, tmp_path: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PageError, match=problem):
        reader.read(page_of(text, tmp_path, monkeypatch))


def test_what_is_so_passes(tmp_path: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Elisions in and between lines, files, Python that shares names, and blocks that need what is not installed."""
    text = (
        '```text title="sub/a.txt"\none\ntwo three\nfour\n```\n'
        "```console\n$ cat sub/a.txt\n...\ntwo ...\n...\n$ cat sub/a.txt | grep one > b.txt && cat b.txt\none\n```\n"
        "```python\nx = 1\n```\n```python\nassert x == 1\n```\n"
        "<!-- needs: no_such_module -->\n\n```console\n$ false\n```\n"
        "<!-- printed by: echo '| a |' -->\n\n| a |\n"
    )
    reader.read(page_of(text, tmp_path, monkeypatch))
    with pytest.raises(AssertionError):
        reader.read(page_of("```python\nassert x == 2\n```\n", tmp_path, monkeypatch))
