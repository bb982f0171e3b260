"""The table of many graphs as a page: `assets/` with the lines put in."""

from __future__ import annotations

from collections.abc import Sequence

from mlc_compiler.compare.overview import Line, as_data
from mlc_compiler.page.page import render


def as_corpus_page(name: str, lines: Sequence[Line]) -> str:
    """The HTML text: one line a graph, sorted by any column, and the totals of each strategy."""
    return render("mlc_compiler.compare.corpus_page", f"{name} · mlc-compare", {"name": name, **as_data(lines)})
