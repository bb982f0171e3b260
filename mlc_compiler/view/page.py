"""Graphs as one page of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlc_compiler.page.page import render


def as_page(title: str, graphs: Sequence[Mapping[str, Any]], breaks: Sequence[tuple[str, int]] = ()) -> str:
    """The page of graphs as `graph.as_data` has them, and of the reasons for graph breaks, each with its number."""
    data = {"title": title, "graphs": list(graphs), "breaks": [list(entry) for entry in breaks]}
    return render("mlc_compiler.view", f"{title} · mlc-view", data)
