"""A comparison as one page of HTML that needs nothing else: `assets/` with the data put in."""

from __future__ import annotations

from typing import Any

from mlc_compiler.compare.comparison import Comparison
from mlc_compiler.compare.kernels import show
from mlc_compiler.compare.repeats import kernel_key
from mlc_compiler.compare.report import as_json
from mlc_compiler.page.page import render

MOST_SHOWN = 400
"""Lowering each takes some milliseconds."""


def as_page(*comparisons: Comparison, most_shown: int = MOST_SHOWN) -> str:
    """The HTML text: graph, groups, roofline, and each kernel's IR, source and reasons; several graphs, one at a time.

    `most_shown` kernels, over all strategies, get their IR and source.
    """
    share = most_shown // len(comparisons)
    graphs = [as_json(comparison) | {"texts": _texts(comparison, share)} for comparison in comparisons]
    title = ", ".join(comparison.name for comparison in comparisons)
    return render("mlc_compiler.compare", f"{title} · mlc-compare", {"graphs": graphs})


def _texts(comparison: Comparison, most_shown: int) -> dict[str, Any]:
    """IR and source of each distinct kernel, once, and which one each kernel of each strategy has.

    Beside them stand the whole programs that real compilers wrote, and of which each kernel is a part.
    """
    wholes: dict[str, int] = {}
    shown: list[dict[str, str]] = []
    place: dict[Any, int] = {}
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in comparison.rows:
        entries: list[dict[str, Any]] = []
        for position, group in enumerate(row.plan.groups):
            key = kernel_key(group)
            if key not in place and len(shown) < most_shown:
                text = show(row.plan, group)
                place[key] = len(shown)
                shown.append({"ir": text.ir, "source": text.source})
            code, whole = (given[position] if position < len(given) else "" for given in (row.codes, row.programs))
            part_of = wholes.setdefault(whole, len(wholes)) if whole else None
            entries.append({"text": place.get(key), "code": code, "whole": part_of})
        rows[row.label] = entries
    return {"shown": shown, "kernels": rows, "wholes": list(wholes)}
