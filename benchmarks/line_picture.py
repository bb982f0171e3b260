"""Panels of lines as one SVG, without a library."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, GAP, COLUMNS = 340, 200, 46, 3
"""Of a panel, between panels, and how many stand side by side."""
FONT = 'font-family="sans-serif" font-size="11"'


@dataclass(frozen=True)
class Line:
    """One line of a panel: values at 0, 1, 2, ..."""

    name: str
    colour: str
    values: Sequence[float]


def picture(panels: Mapping[str, Sequence[Line]], across: str, up: str) -> str:
    """The SVG of panels by their titles, each with axes of its own; the first names the lines."""
    rows = -(-len(panels) // COLUMNS)
    size = (COLUMNS * (WIDTH + GAP) + GAP, rows * (HEIGHT + 2 * GAP))
    body = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" {FONT}>']
    body += ['<rect width="100%" height="100%" fill="white"/>']
    for k, (title, lines) in enumerate(panels.items()):
        x, y = GAP + k % COLUMNS * (WIDTH + GAP), GAP + k // COLUMNS * (HEIGHT + 2 * GAP)
        body += [f'<g transform="translate({x},{y})">', *_panel(title, lines, across, up, names=k == 0), "</g>"]
    return "\n".join([*body, "</svg>"]) + "\n"


def _panel(title: str, lines: Sequence[Line], across: str, up: str, names: bool) -> Iterator[str]:
    low, high = (f(v for line in lines for v in line.values) for f in (min, max))
    last, span = max(max(len(line.values) for line in lines) - 1, 1), (high - low) or 1.0
    yield f'<text x="0" y="-10" font-weight="bold">{html.escape(title)}</text>'
    yield f'<path d="M0 0V{HEIGHT}H{WIDTH}" fill="none" stroke="black"/>'
    yield f'<text x="{WIDTH}" y="{HEIGHT + 14}" text-anchor="end">{across} {last}</text>'
    yield from (
        f'<text x="-4" y="{at}" text-anchor="end">{value:.3g}</text>' for at, value in ((8, high), (HEIGHT, low))
    )
    yield f'<text x="-4" y="{HEIGHT // 2}" text-anchor="end">{up}</text>'
    for k, line in enumerate(lines):
        places = (f"{i / last * WIDTH:.1f},{HEIGHT - (v - low) / span * HEIGHT:.1f}" for i, v in enumerate(line.values))
        yield f'<polyline points="{" ".join(places)}" fill="none" stroke="{line.colour}" stroke-width="1.2"/>'
        if names:
            yield f'<text x="{WIDTH - 4}" y="{12 + 14 * k}" text-anchor="end" fill="{line.colour}">{line.name}</text>'
