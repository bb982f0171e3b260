"""The text of a run over the corpus: geometric means, shares of slow regions, and the worst with what they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.records import Measured, Result
from benchmarks.regions import Region
from benchmarks.report import OURS, THEIRS, mean

BASE = "eager"
BEHIND = 0.9
"""Regions that are slower than this, relative to another backend, are counted."""
FAR = 10
"""An error of so many times the least of the others is wrong, where it is not that of PyTorch's own ops as well."""
ROUNDING = 1.1
"""Errors that differ by less are those of one rounding, as of a sum that the program keeps in bfloat16."""
TINY = 1e-6
"""An error below this is none."""
FIGURES = (("device", "seconds"), ("host", "host_seconds"), ("kernels", "launches"))
OP = re.compile(r"^    .*?mlc_tensor\.(\w+)(.*)$", re.MULTILINE)
PLAIN = ("reduce", "constant", "broadcast", "reshape", "cast")
"""Ops that say little of what a region is."""


def text_of(region: str) -> str:
    """What a region is, in a line: its types, its reductions, how many ops there are of what else, and its strides."""
    header = next(line for line in region.splitlines() if "func.func" in line)
    types = re.findall(r"tensor<([\w]+)>", header.partition("->")[0])
    ops = OP.findall(region)
    reductions = [f"{rest.split()[0]} {_dims(rest)}" for name, rest in ops if name == "reduce"]
    others = Counter(name for name, _ in ops if name not in PLAIN)
    parts = [" ".join(dict.fromkeys(types)) or "scalars"]
    parts += [f"reduces {', '.join(dict.fromkeys(reductions))}"] if reductions else []
    parts += [", ".join(f"{count} {name}" for name, count in others.most_common(5))] if others else []
    parts += ["strided"] if "mlc.strides" in header else []
    return "; ".join(parts)


def _dims(rest: str) -> str:
    found = re.search(r"dims \[[\d, ]*\]", rest)
    return found.group() if found else ""


def summary(results: Sequence[Result], regions: Sequence[Region], worst: int) -> str:
    """Means, then the `worst` slowest regions, wrong results and failures."""
    known = {r.name: r for r in regions}
    backends = dict.fromkeys(b for r in results for b in r.backends)
    lines = [line for b in backends for line in _backend(results, b)]
    lines += [line for other in backends if other != OURS for line in _beside(results, other)]
    lines += _slowest(results, known, worst)
    lines += [f"wrong: {_name(r, known)}: {why}" for r in results if (why := wrong(r))]
    failures = Counter(f"{b}: {m.failure}" for r in results for b, m in r.backends.items() if m.failure)
    lines += [f"failed {count} times on {text}" for text, count in failures.most_common()]
    return "\n".join(lines)


def _backend(results: Sequence[Result], backend: str) -> list[str]:
    found = [m for r in results if (m := r.backends.get(backend)) is not None and m.of_copy and m.seconds]
    if not found:
        return []
    host = mean(1e6 * (m.host_seconds or 0) for m in found)
    device = mean(1e6 * (m.seconds or 0) for m in found)
    counts = [m.launches for m in found if m.launches]
    kernels = f", {mean(counts):.2f} kernels" if counts else ""
    share = mean(m.of_copy or 0 for m in found)
    return [f"{backend}: {share:.2f} of the copy, {device:.1f} us, host {host:.1f} us{kernels} ({len(found)} regions)"]


def _beside(results: Sequence[Result], other: str) -> list[str]:
    """Ours beside another backend."""
    lines: list[str] = []
    for title, key in FIGURES:
        ratios = [x for r in results if (x := ratio(r, other, key)) is not None]
        slow = sum(x < BEHIND for x in ratios)
        if ratios:
            lines.append(
                f"{title}: {other} takes {mean(ratios):.2f} times what {OURS} does, "
                f"under {BEHIND} of it in {slow} of {len(ratios)}"
            )
    return lines


def ratio(result: Result, other: str, key: str = "seconds") -> float | None:
    """A figure of another backend over ours; None if one is not known."""
    pair = [getattr(result.backends.get(b, Measured()), key) for b in (other, OURS)]
    return pair[0] / pair[1] if pair[0] and pair[1] else None


def _slowest(results: Sequence[Result], known: Mapping[str, Region], worst: int) -> list[str]:
    """Beside Inductor, or beside eager where that was not measured."""
    other = THEIRS if any(THEIRS in r.backends for r in results) else BASE
    pairs = [(x, r) for r in results if (x := ratio(r, other)) is not None]
    ranked = sorted(pairs, key=lambda pair: (pair[0], pair[1].name))
    lines = [f"the slowest beside {other}:"] if ranked else []
    for x, result in ranked[:worst]:
        own, theirs = result.backends[OURS], result.backends[other]
        share = f"{own.of_copy:.2f} of the copy" if own.of_copy else "no share of the copy"
        lines.append(f"  {x:.2f}  {_name(result, known)}: {_times(own)}, {other} {_times(theirs)}; {share}")
    return lines


def _times(measured: Measured) -> str:
    kernels = "" if measured.launches is None else f" in {measured.launches} kernels"
    return f"{1e6 * (measured.seconds or 0):.0f} us{kernels}"


def wrong(result: Result) -> str:
    """Why the result of ours is not what it should be; empty where it is."""
    errors = {b: m.error for b, m in result.backends.items() if m.error is not None}
    own = errors.pop(OURS, None)
    if own is None or not errors or own <= max(TINY, FAR * min(errors.values()), ROUNDING * errors.get(BASE, 0)):
        return ""
    return f"error {own:.1e}, " + ", ".join(f"{b} {x:.1e}" for b, x in errors.items())


def _name(result: Result, known: Mapping[str, Region]) -> str:
    region = known.get(result.name)
    what = f", {region.programs[0]}; {text_of(region.text)}" if region is not None else ""
    return f"{result.name} ({result.family}, {result.bytes / 1e6:.1f} MB{what})"
