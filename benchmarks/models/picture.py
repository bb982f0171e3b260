"""The picture of a run: how many times as fast as eager each model is, by backend."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.models.records import Run
from benchmarks.models.report import BASE, OURS, speedup
from benchmarks.plotting import plot
from benchmarks.report import mean

COLOURS = {"mlc": "tab:blue", "inductor": "tab:orange", "xla": "tab:green"}


def speeds(run: Run) -> dict[str, dict[str, float]]:
    """For each backend but eager, the speed of the models over that of eager; those without a figure are left out."""
    backends = dict.fromkeys(b for r in run.results for b in r.backends if b != BASE)
    return {b: {r.name: x for r in run.results if (x := speedup(r, b, BASE)) is not None} for b in backends}


def draw(run: Run, stem: Path) -> None:
    """Writes STEM.png: a row a model, those that mlc speeds up least at the top; nothing where nothing was timed."""
    found = {backend: values for backend, values in speeds(run).items() if values}
    path = stem.with_suffix(".png")
    if not found:
        print(f"no {path}: no model was timed beside {BASE}")
        return
    plot(path, lambda pyplot: _figure(found, run.environment.get("device", ""), pyplot))


def _figure(found: dict[str, dict[str, float]], title: str, pyplot: Any) -> Any:
    """The speeds of `speeds`, by matplotlib."""
    own = found.get(OURS, {})
    names = sorted({n for values in found.values() for n in values}, key=lambda n: (-own.get(n, 0.0), n))
    figure, rows = pyplot.subplots(figsize=(10, 2 + 0.3 * len(names)))
    for backend, values in found.items():
        label = f"{backend}, mean {mean(values.values()):.2f} ({len(values)} models)"
        rows.scatter(list(values.values()), [names.index(n) for n in values], label=label, color=COLOURS.get(backend))
    rows.axvline(1.0, color="black", linewidth=0.8)
    rows.set(xscale="log", xlabel=f"times as fast as {BASE}", yticks=range(len(names)), yticklabels=names)
    rows.grid(alpha=0.3)
    rows.legend()
    figure.suptitle(title)
    return figure
