"""The text of a run: a line a model, geometric means, and the worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from benchmarks.models.records import Measured, Result
from benchmarks.report import mean

OURS, THEIRS, BASE = "mlc", "inductor", "eager"
NAME = 44
BEHIND = 0.97
"""A ratio of speeds below this is worth a line."""
LESS_ACCURATE = 1.1
"""An error above this multiple of eager's is, too."""
FIGURES: tuple[tuple[str, str, str], ...] = (
    ("wall ms", "wall_ms", ".2f"), ("device ms", "device_ms", ".2f"), ("host ms", "host_ms", ".2f"),
    ("first s", "first_s", ".1f"), ("warm s", "warm_s", ".1f"), ("kernels", "launches", "d"),
    ("peak MB", "peak_bytes", ".0f"), ("error", "error", ".1e"),
)  # fmt: skip
"""Title, field of `Measured` and format of each figure; the columns of a figure are the backends."""


def heading(backends: Sequence[str]) -> str:
    """Two lines of titles for `line`."""
    wide = 9 * len(backends)
    first = " " * NAME + "".join(f"{title:>{wide}} |" for title, _, _ in FIGURES) + f"{OURS + ' speed over':>22}"
    names = "".join(f"{b[:8]:>9}" for b in backends)
    return f"{first}\n{'':{NAME}}" + f"{names} |" * len(FIGURES) + f"{BASE:>11}{THEIRS:>11}"


def line(result: Result, backends: Sequence[str]) -> str:
    """One model, and below it what failed."""
    found = [result.backends.get(b, Measured()) for b in backends]
    text = f"{result.name[:NAME]:{NAME}}"
    for _, name, form in FIGURES:
        text += "".join(f"{_figure(m, name, form):>9}" for m in found) + " |"
    ratios = [speedup(result, OURS, other) for other in (BASE, THEIRS)]
    text += "".join(f"{'-' if r is None else f'{r:.2f}':>11}" for r in ratios)
    return text + "".join(f"\n  {b} failed: {m.failure}" for b, m in result.backends.items() if m.failure)


def _figure(found: Measured, name: str, form: str) -> str:
    value = getattr(found, name)
    if value is None:
        return "failed" if found.failure and name == "wall_ms" else "-"
    return format(value / 2**20 if name == "peak_bytes" else value, form)


def speedup(result: Result, ours: str, theirs: str, name: str = "wall_ms") -> float | None:
    """Their figure over ours; None if one is not known."""
    pair = [getattr(result.backends.get(b, Measured()), name) for b in (theirs, ours)]
    return pair[0] / pair[1] if pair[0] and pair[1] else None


def summary(results: Sequence[Result], unfinished: Sequence[str] = ()) -> str:
    """Geometric means of ratios, the worst models, errors and failures."""
    lines = [f"{len(results)} models; geometric means of ratios:"]
    for ours, theirs in ((THEIRS, BASE), (OURS, BASE), (OURS, THEIRS)):
        lines.append(f"  {theirs + ' / ' + ours:18}" + ", ".join(_means(results, ours, theirs)))
    for other in (THEIRS, BASE):
        lines += _behind(results, other)
    lines += _inaccurate(results)
    lines += [f"failed: {r.name} on {b}: {m.failure}" for r in results for b, m in r.backends.items() if m.failure]
    if unfinished:
        lines.append(f"the time was up before: {'; '.join(unfinished)}")
    return "\n".join(lines)


def _means(results: Iterable[Result], ours: str, theirs: str) -> list[str]:
    texts: list[str] = []
    for title, name, _ in FIGURES:
        ratios = [x for r in results if (x := speedup(r, ours, theirs, name)) is not None]
        if ratios:
            texts.append(f"{title.split()[0]} {mean(ratios):.2f} ({len(ratios)})")
    return texts or ["nothing to compare"]


def _behind(results: Sequence[Result], other: str) -> list[str]:
    """The models on which ours is slower, with what is slower of them: the device or the host."""
    ratios = sorted(((x, r) for r in results if (x := speedup(r, OURS, other)) is not None), key=lambda pair: pair[0])
    slow = [(x, r) for x, r in ratios if x < BEHIND]
    lines = [f"behind {other} in {len(slow)} of {len(ratios)}"] if ratios else []
    for ratio, result in slow:
        parts = [(title, speedup(result, OURS, other, name)) for title, name, _ in FIGURES[1:3]]
        why = ", ".join(f"{title.split()[0]} {x:.2f}" for title, x in parts if x is not None)
        lines.append(f"  {ratio:.2f}  {result.name}: {why}")
    return lines


def _inaccurate(results: Sequence[Result]) -> list[str]:
    error: Callable[[Result, str], float | None] = lambda r, b: r.backends.get(b, Measured()).error  # noqa: E731
    lines: list[str] = []
    for result in results:
        own, eager = error(result, OURS), error(result, BASE)
        if own is not None and eager is not None and own > LESS_ACCURATE * eager:
            lines.append(f"less accurate than eager: {result.name}: {own:.1e}, eager {eager:.1e}")
    return lines
