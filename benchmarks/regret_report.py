"""The text and the picture of a run of `benchmarks.regret`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.plotting import plot
from benchmarks.regret_records import INFINITE, Drawing, Kernel, RegretRun, Tried
from benchmarks.report import mean

NEAR = 1.25
"""A prediction off by no more than this factor is a good one."""
SHOWN = 20
"""Kernels that are shown, those with most regret first."""
TAIL = 0.02
"""The share of the kernels that is the tail."""
INACCURATE = 2.0
"""An error that is so many times eager's is shown."""
Found = tuple[Drawing, Kernel, float]
"""A measured kernel and its regret."""


def measured(results: Sequence[Drawing]) -> list[Found]:
    """The kernels of which at least one schedule ran, most regret first."""
    found = [(d, k, regret) for d in results for k in d.kernels if (regret := k.regret) is not None]
    return sorted(found, key=lambda f: -f[2])


def predictions(results: Sequence[Drawing]) -> list[tuple[float, float]]:
    """Predicted and measured seconds of every schedule that has both."""
    tried = [t for d in results for k in d.kernels for t in k.tried]
    return [(t.predicted_us * 1e-6, t.seconds) for t in tried if t.predicted_us is not None and t.seconds is not None]


def near(pairs: Sequence[tuple[float, float]]) -> float:
    """The share of predictions that are within a factor of `NEAR`."""
    return sum(1 / NEAR <= p / m <= NEAR for p, m in pairs) / len(pairs) if pairs else float("nan")


def text(run: RegretRun) -> str:
    """The whole report."""
    found = measured(run.results)
    counted = f"{len(run.results)} functions, {len(found)} measured kernels"
    schedules = sum(len(k.tried) for d in run.results for k in d.kernels)
    parts = [f"{counted}, {schedules} schedules; {len(run.redrawn)} drawn in vain"]
    if not found:
        return parts[0]
    parts += _overall(found, run.results)
    parts += ["", *_families(found, run.results), "", f"most regret, of {len(found)} kernels:"]
    parts += [line for f in found[:SHOWN] for line in _kernel(*f)]
    parts += _failures(run.results)
    return "\n".join(parts)


def worst(ratios: Sequence[float]) -> Sequence[float]:
    """The worst of them, which come first: `TAIL` of all, and one at least."""
    return ratios[: max(1, math.ceil(TAIL * len(ratios)))]


def _overall(found: Sequence[Found], results: Sequence[Drawing]) -> list[str]:
    ratios = [r for _, _, r in found if r < INFINITE]
    stuck = len(found) - len(ratios)
    tail = worst(ratios)
    parts = [f"default / best: {mean(ratios):.3f} (geometric mean)"]
    shares = ", ".join(f"{sum(r <= b for r in ratios) / len(found):.0%} within {b}" for b in (1.02, 1.05, 1.1, 1.25))
    parts.append(f"kernels by default / best: {shares}")
    if ratios:
        parts.append(f"the worst {TAIL:.0%}: from {tail[-1]:.2f} to {tail[0]:.2f}, mean {mean(tail):.2f}")
    if stuck:
        parts.append(f"{stuck} kernels whose default cannot run")
    spilling = sum(k.tried[0].spills > 0 for _, k, _ in found)
    parts.append(f"{spilling} defaults spill registers")
    if (shared := _of_copy(results)) is not None:
        parts.append(f"whole functions: {shared:.3f} of the speed of a copy of the least bytes (geometric mean)")
    if pairs := predictions(results):
        off = [p / m for p, m in pairs]
        parts.append(f"predictions: {near(pairs):.0%} of {len(pairs)} within {NEAR} of the measured time")
        parts.append(f"predicted / measured: {mean(off):.2f} (geometric mean), {median(off):.2f} (median)")
    return parts


def _of_copy(results: Sequence[Drawing]) -> float | None:
    """The geometric mean of the time of a copy over that of the function."""
    shares = [d.copy_seconds / d.seconds for d in results if d.seconds and d.copy_seconds]
    return mean(shares) if shares else None


def _families(found: Sequence[Found], results: Sequence[Drawing]) -> list[str]:
    lines = [f"{'family':24}{'kernels':>8}{'default/best':>14}{'worst':>8}{'of copy':>9}{f'within {NEAR}':>13}"]
    for family in dict.fromkeys(d.family for d in results):
        own, drawn = [r for d, _, r in found if d.family == family], [d for d in results if d.family == family]
        ratios, pairs, share = [r for r in own if r < INFINITE], predictions(drawn), _of_copy(drawn)
        lines.append(
            f"{family:24}{len(own):>8}{mean(ratios):>14.3f}{max(own, default=math.nan):>8.2f}"
            f"{'-' if share is None else f'{share:.2f}':>9}{f'{near(pairs):.0%}' if pairs else '-':>13}"
        )
    return lines


def _kernel(drawing: Drawing, kernel: Kernel, regret: float) -> list[str]:
    """What a person looks at to see why the default is not the best."""
    return [
        f"  {regret:6.2f}  {drawing.name} {kernel.name}  ({drawing.family}: {drawing.text})",
        f"          default {_tried(kernel.tried[0])}",
        f"          best    {_tried(kernel.best)}",
    ]


def _tried(tried: Tried) -> str:
    seconds = "cannot run" if tried.seconds is None else f"{tried.seconds * 1e6:.1f} us"
    predicted = "" if tried.predicted_us is None else f", predicted {tried.predicted_us:.1f} us"
    spills = f", {tried.spills} registers spill" if tried.spills else ""
    return f"{seconds}{predicted}{spills}: {tried.why}"


def _failures(results: Sequence[Drawing]) -> list[str]:
    """What did not run, and what is less accurate than eager."""
    lines = [f"failed: {d.name} ({d.text}): {d.failure}" for d in results if d.failure]
    for d in results:
        if d.error is not None and d.eager_error is not None and d.error > INACCURATE * d.eager_error + 1e-6:
            lines.append(f"inaccurate: {d.name} ({d.text}): {d.error:.1e}, eager {d.eager_error:.1e}")
    return lines


def draw(run: RegretRun, stem: Path) -> None:
    """Writes STEM.png: predicted against measured times, and how the regret is spread."""
    plot(stem.with_suffix(".png"), lambda pyplot: _figure(run, pyplot))


def _figure(run: RegretRun, pyplot: Any) -> Any:
    figure, (scatter, spread) = pyplot.subplots(1, 2, figsize=(14, 6))
    if pairs := predictions(run.results):
        scatter.scatter([m for _, m in pairs], [p for p, _ in pairs], s=6, alpha=0.4)
        ends = [min(m for _, m in pairs), max(m for _, m in pairs)]
        for factor in (1 / NEAR, 1, NEAR):
            scatter.plot(
                ends, [factor * e for e in ends], color="black", linewidth=0.8, alpha=1 if factor == 1 else 0.4
            )
        scatter.set(xscale="log", yscale="log")
    scatter.set(xlabel="measured seconds", ylabel="predicted seconds", title=f"{len(pairs)} schedules")
    ratios = [r for _, _, r in measured(run.results) if r < INFINITE]
    spread.hist([min(r, 2.0) for r in ratios], bins=[1 + 0.02 * k for k in range(51)])
    spread.set(xlabel="default / best (2 and more in the last bin)", ylabel="kernels", title=f"{len(ratios)} kernels")
    figure.suptitle(run.environment.get("device", ""))
    return figure
