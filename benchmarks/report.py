"""The text of a run: a line a case, geometric means, the worst ratios first, and what moved since another run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from benchmarks.records import Measured, Result

OURS, THEIRS = "mlc", "inductor"
NAME = 52
MOVED = 0.03
"""A change of time below this is noise."""


def mean(values: Iterable[float]) -> float:
    """The geometric mean; NaN of nothing."""
    logs = [math.log(max(v, 1e-12)) for v in values]
    return math.exp(sum(logs) / len(logs)) if logs else float("nan")


def markdown(rows: Iterable[Sequence[str]]) -> str:
    """A table; the first row has the titles."""
    head, *body = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *body))


def heading(backends: Sequence[str]) -> str:
    """The titles of `line`'s columns: fractions of the copy bandwidth, then what is said of mlc alone."""
    titles = "".join(f"{b[:12]:>13}" for b in backends)
    return f"{'fraction of the copy bandwidth':{NAME}}{'MB':>7}{titles}{'x inductor':>12}{'launches':>9}{'error':>10}"


def line(result: Result, backends: Sequence[str]) -> str:
    """One case."""
    shares = "".join(f"{_share(result.backends.get(b)):>13}" for b in backends)
    own = result.backends.get(OURS, Measured())
    ratio = speedup(result)
    return (
        f"{result.name:{NAME}}{result.bytes / 1e6:>7.0f}{shares}"
        f"{'-' if ratio is None else f'{ratio:.2f}':>12}"
        f"{'-' if own.launches is None else own.launches:>9}"
        f"{'-' if own.error is None else f'{own.error:.1e}':>10}"
    )


def _share(measured: Measured | None) -> str:
    if measured is None:
        return "-"
    return "failed" if measured.of_copy is None else f"{measured.of_copy:.3f}"


def speedup(result: Result, ours: str = OURS, theirs: str = THEIRS) -> float | None:
    """Their time over ours; None if one is not known."""
    times = [result.backends[b].seconds if b in result.backends else None for b in (theirs, ours)]
    return None if times[0] is None or times[1] is None else times[0] / times[1]


def summary(results: Sequence[Result]) -> str:
    """Geometric means by family, then what a reader must look at."""
    if not results:
        return "no results"
    backends = list(dict.fromkeys(b for r in results for b in r.backends))
    families = list(dict.fromkeys(r.family for r in results))
    parts = [heading(backends).replace("fraction of the copy bandwidth", "geometric means" + " " * 15)]
    for family in families:
        parts.append(_mean_line(family, [r for r in results if r.family == family], backends))
    parts.append(_mean_line("all", results, backends))
    for other in [b for b in backends if b not in (OURS, "eager")]:
        parts += _against(results, other)
    parts += _accuracy(results)
    parts += [f"failed: {r.name} on {b}: {m.failure}" for r in results for b, m in r.backends.items() if m.failure]
    return "\n".join(parts)


def _mean_line(name: str, results: Sequence[Result], backends: Sequence[str]) -> str:
    def share(backend: str) -> str:
        known = [m.of_copy for r in results if (m := r.backends.get(backend)) is not None and m.of_copy is not None]
        return f"{mean(known):.3f}" if known else "-"

    ratios = [x for r in results if (x := speedup(r)) is not None]
    title = f"{name} ({len(results)})"
    return (
        f"{title:{NAME}}{sum(r.bytes for r in results) / 1e6:>7.0f}"
        + "".join(f"{share(b):>13}" for b in backends)
        + f"{mean(ratios) if ratios else '-':>12{'.2f' if ratios else ''}}"
    )


def _against(results: Sequence[Result], other: str) -> list[str]:
    """Speed, time to compile and the worst cases next to another backend."""
    ratios = sorted((x, r.name) for r in results if (x := speedup(r, theirs=other)) is not None)
    if not ratios:
        return []
    behind = [f"  {x:.2f}  {name}" for x, name in ratios if x < 0.97]
    parts = [
        f"{mean(x for x, _ in ratios):.2f} times the speed of {other}; behind it in {len(behind)} of {len(ratios)}"
    ]
    compiled = _compile_ratio(results, other)
    if compiled is not None:
        parts.append(f"{compiled:.2f} times its seconds to compile")
    return [*parts, *behind]


def _compile_ratio(results: Sequence[Result], other: str) -> float | None:
    pairs = [(r.backends.get(OURS, Measured()), r.backends.get(other, Measured())) for r in results]
    known = [o.compile_seconds / t.compile_seconds for o, t in pairs if o.compile_seconds and t.compile_seconds]
    return mean(known) if known else None


def _accuracy(results: Sequence[Result]) -> list[str]:
    """The cases where mlc is further from float64 than eager."""

    def worse(result: Result) -> bool:
        own, eager = result.backends.get(OURS, Measured()).error, result.backends.get("eager", Measured()).error
        return own is not None and eager is not None and own > 1.1 * eager and own > 1e-12

    found = [r for r in results if worse(r)]
    return [
        f"less accurate than eager: {r.name}: {r.backends[OURS].error:.1e}, eager {r.backends['eager'].error:.1e}"
        for r in found
    ]


def comparison(new: Sequence[Result], old: Sequence[Result], backend: str = OURS) -> str:
    """What moved on `backend` since `old`: time and share, launches, error; slower cases first."""
    before = {r.name: r.backends.get(backend, Measured()) for r in old}
    pairs = [(r, before[r.name], r.backends.get(backend, Measured())) for r in new if r.name in before]
    ratios = [(b.seconds / a.seconds, r, b, a) for r, b, a in pairs if b.seconds and a.seconds]
    moved = sorted((x for x in ratios if abs(x[0] - 1) > MOVED), key=lambda x: x[0])
    lines = [f"{backend} since then: {mean(x for x, *_ in ratios):.3f} times as fast over {len(ratios)} cases"]
    lines += [f"  {x:5.2f}  {r.name:{NAME}}{b.of_copy:.3f} -> {a.of_copy:.3f}" for x, r, b, a in moved]
    lines += [_changed("launches", r, b.launches, a.launches, str) for r, b, a in pairs if b.launches != a.launches]
    lines += [_changed("error", r, b.error, a.error, "{:.1e}".format) for r, b, a in pairs if _differ(b.error, a.error)]
    lines += [f"  now fails  {r.name}: {a.failure}" for r, b, a in pairs if a.failure and not b.failure]
    lines += [f"  new        {r.name}" for r in new if r.name not in before]
    return "\n".join(lines)


def _differ(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is not after
    return abs(after - before) > 0.1 * max(before, after, 1e-12)


def _changed(what: str, result: Result, before: object, after: object, text: Callable[..., str]) -> str:
    old, new = ("-" if v is None else text(v) for v in (before, after))
    return f"  {what:9}  {result.name:{NAME}}{old} -> {new}"
