"""Pictures by matplotlib, which nothing else needs."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

SETTINGS = {
    "svg.hashsalt": "mlc",
    "svg.fonttype": "none",
    "font.sans-serif": ["DejaVu Sans"],
    "path.simplify_threshold": 0.5,
}
"""An SVG is small, and the same each time it is drawn: nothing in it is random, letters are text, lines are thinned."""
UNDATED = {"Date": None, "Creator": None}


def plot(path: Path, figure: Callable[[Any], Any]) -> None:
    """Writes what `figure` draws with `matplotlib.pyplot`; says so where matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        print(f"no {path}: matplotlib is not installed")
        return
    import matplotlib  # noqa: PLC0415  only pictures need it

    matplotlib.use("Agg")
    from matplotlib import pyplot  # noqa: PLC0415

    with pyplot.rc_context(SETTINGS):
        drawn = figure(pyplot)
        metadata = UNDATED if path.suffix == ".svg" else None
        drawn.savefig(path, dpi=120, bbox_inches="tight", metadata=metadata)
        pyplot.close(drawn)
