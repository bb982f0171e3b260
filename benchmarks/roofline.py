"""The roofline of a run: operations a second over operations a byte, under what the memory allows.

python -m benchmarks.roofline RESULTS.json STEM        # STEM.html, and STEM.png where matplotlib is installed
"""

from __future__ import annotations

import html
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cases import CASES
from benchmarks.plotting import plot
from benchmarks.records import Run, load, operations

COLOURS = {
    "eager": "#999999",
    "inductor": "#e69f00",
    "max-autotune": "#d55e00",
    "xla": "#56b4e9",
    "mlc": "#0072b2",
    "mlc-max-autotune": "#009e73",
}
PAGE = Path(__file__).with_name("roofline.html")


@dataclass(frozen=True)
class Point:
    """One case on one backend."""

    backend: str
    name: str
    intensity: float
    """Operations a byte, of the least bytes."""
    rate: float
    """Operations a second."""
    share: float
    """Of the copy bandwidth."""


def points(run: Run) -> Iterator[Point]:
    """What can be drawn; a case that only moves data counts as one operation for 64 bytes."""
    tiny = "--tiny" in run.command.split()
    cases = {c.name: c.tiny() if tiny else c for c in CASES}
    for result in run.results:
        count = operations(cases[result.name]) if result.name in cases else 0
        intensity = max(count / max(result.bytes, 1), 1 / 64)
        for backend, measured in result.backends.items():
            if measured.seconds is not None and measured.of_copy is not None:
                rate = intensity * result.bytes / measured.seconds
                yield Point(backend, f"{result.family}: {result.name}", intensity, rate, measured.of_copy)


def draw(run: Run, stem: Path) -> None:
    """Writes STEM.html, which needs nothing else, and STEM.png."""
    found = list(points(run))
    if not found:
        print("nothing to draw")
        return
    stem.with_suffix(".html").write_text(page(run, found))
    plot(stem.with_suffix(".png"), lambda pyplot: picture(run, found, pyplot))


def page(run: Run, found: list[Point]) -> str:
    """The picture as HTML with its data and its script inside."""
    data = {
        "copy": run.copy,
        "colours": COLOURS,
        "points": [[p.backend, p.name, p.intensity, p.rate, p.share] for p in found],
    }
    title = f"{run.environment['device']}, torch {run.environment['torch']}, Triton {run.environment['triton']}"
    text = json.dumps(data).replace("<", "\\u003c")
    return PAGE.read_text().replace("{{title}}", html.escape(title)).replace("{{data}}", text)


def picture(run: Run, found: list[Point], pyplot: Any) -> Any:
    """The same by matplotlib, and the share of the copy bandwidth beside it."""
    figure, (roof, bars) = pyplot.subplots(1, 2, figsize=(15, 7), width_ratios=(2, 1))
    ends = [min(p.intensity for p in found), max(p.intensity for p in found)]
    roof.plot(ends, [x * run.copy for x in ends], color="black", label=f"copy, {run.copy / 1e12:.2f} TB/s")
    shares: dict[str, list[float]] = {}
    for p in found:
        shares.setdefault(p.backend, []).append(p.share)
    for backend, values in shares.items():
        own = [p for p in found if p.backend == backend]
        colour = COLOURS.get(backend, "black")
        average = math.exp(sum(math.log(v) for v in values) / len(values))
        label = f"{backend}, mean {average:.2f}"
        roof.scatter([p.intensity for p in own], [p.rate for p in own], s=14, color=colour, label=label)
        bars.plot(sorted(values), [k / len(values) for k in range(len(values))], color=colour)
    roof.set(xscale="log", yscale="log", xlabel="operations a byte (least bytes)", ylabel="operations a second")
    roof.legend()
    bars.set(xlabel="fraction of the copy bandwidth", ylabel="fraction of the cases below it")
    bars.grid(alpha=0.3)
    figure.suptitle(f"{run.environment['device']}, {len(run.results)} cases")
    return figure


if __name__ == "__main__":
    draw(load(Path(sys.argv[1])), Path(sys.argv[2]))
