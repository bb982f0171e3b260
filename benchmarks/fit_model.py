"""Fits the constants of the model of time to measured schedules: `Fitted` in passes/loop/schedule/model.py.

    python -m benchmarks.regret --seed 7 --dump 7.jsonl.gz
    python -m benchmarks.fit_model 7.jsonl.gz [MORE ...] [--device h200] [--rounds 12] [--hold 4]

Prints the table that fits best, and what the model chooses with it: the geometric mean of measured time over the best
of each kernel, and the worst choices. Every `--hold`th kernel is left out of the fit and reported by itself. The search
goes along one constant after another, in steps of its logarithm.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from benchmarks.regret_kernels import Written
from passes.common.device import DEFAULT_DEVICE, DEVICES, Device, device_named
from passes.loop.schedule.demand import Demand, demand
from passes.loop.schedule.mapping import tiling_of
from passes.loop.schedule.model import FITTED, Fitted, prediction
from passes.loop.schedule.tiling import Tiling
from passes.loop.schedule.workload import Workload, workload

NAMES = [field.name for field in fields(Fitted)]
REGRET_WEIGHT = 3.0
"""What a wrong choice counts over a wrong prediction, both as logarithms."""
SHARPNESS = 15.0
"""How sharply the soft choice of the loss takes the least predicted time: its exponent."""
SLOW = 1.5
"""How much less a schedule counts that is slow beside the best of its kernel: an exponent."""
MOST_ERROR = 1.5
"""The greatest logarithm of an error: what is beyond is another matter."""
STAY = 0.003
"""What moving a constant by a factor of e costs."""
FIRST_STEP, GROW, SHRINK = 0.3, 1.3, 0.5
"""Steps of a constant's logarithm."""


@dataclass(frozen=True)
class Timed:
    """A schedule with its measured time."""

    tiling: Tiling
    asked: Demand
    us: float
    spills: int = 0
    registers: int = 0


@dataclass(frozen=True)
class Kernel:
    """A kernel under some schedules."""

    name: str
    work: Workload
    timed: tuple[Timed, ...]

    @property
    def best(self) -> Timed:
        """The fastest."""
        return min(self.timed, key=lambda t: t.us)

    def predicted(self, fitted: Fitted, device: Device) -> list[float]:
        """Microseconds of each schedule."""
        return [prediction(t.asked, self.work, t.tiling, device, fitted).us for t in self.timed]

    def picked(self, fitted: Fitted, device: Device) -> tuple[Timed, float]:
        """What the model takes, and the time that it expects."""
        us = self.predicted(fitted, device)
        place = min(range(len(us)), key=us.__getitem__)
        return self.timed[place], us[place]


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    device = device_named(options.device)
    kernels = list(read(options.dumps, device))
    held = kernels[options.hold - 1 :: options.hold] if options.hold else []
    trained = [kernel for kernel in kernels if kernel not in held]
    fitted = fit(trained, device, options.rounds)
    print("\n".join(f"    {name}: float = {value:.3g}" for name, value in asdict(fitted).items()))
    for title, group in (("fitted to", trained), ("held back", held)):
        for which, table in (("before", FITTED), ("after", fitted)):
            if group:
                print(f"{title}, {which}: {report(group, table, device)}")
    print("\n".join(worst(kernels, fitted, device, options.worst)))
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("dumps", type=Path, nargs="+", help="files of `python -m benchmarks.regret --dump`")
    made.add_argument("--device", choices=DEVICES, default=DEFAULT_DEVICE, help="what they were measured on")
    made.add_argument("--rounds", type=int, default=12, help="how often the search goes through the constants")
    made.add_argument("--hold", type=int, default=4, help="every such kernel is left out of the fit; 0: none")
    made.add_argument("--worst", type=int, default=20, help="how many of the worst choices to list")
    return made


def read(paths: Iterable[Path], device: Device) -> Iterator[Kernel]:
    """The kernels of some dumps with at least two measured schedules each."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for path in paths:
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
            for line in map(json.loads, lines):
                if line["seconds"] is not None:
                    groups.setdefault((line["case"], line["kernel"]), []).append(line)
    for (case, name), lines in groups.items():
        if len(lines) > 1:
            yield kernel_of(f"{case} {name}", lines, device)


def kernel_of(name: str, lines: Sequence[dict[str, Any]], device: Device) -> Kernel:
    """One kernel from the lines of its schedules."""
    scheduled = [Written(line["text"]).kernel for line in lines]
    work, timed = workload(scheduled[0]), list[Timed]()
    for line, kernel in zip(lines, scheduled, strict=True):
        tiling = tiling_of(kernel)
        asked = demand(work, tiling, device)
        timed.append(Timed(tiling, asked, 1e6 * line["seconds"], line["spills"], line["registers"]))
    return Kernel(name, work, tuple(timed))


def fit(kernels: Sequence[Kernel], device: Device, rounds: int, start: Fitted = FITTED) -> Fitted:
    """The constants of the least loss, searched from `start` along one after another."""
    steps = dict.fromkeys(NAMES, FIRST_STEP)
    best, least = start, loss(start, kernels, device, start)
    for name in NAMES * rounds:
        for step in (steps[name], -steps[name]):
            tried = replace(best, **{name: getattr(best, name) * math.exp(step)})
            found = loss(tried, kernels, device, start)
            if found < least:
                best, least = tried, found
                steps[name] = GROW * step
                break
        else:
            steps[name] *= SHRINK
    return best


def loss(fitted: Fitted, kernels: Sequence[Kernel], device: Device, start: Fitted) -> float:
    """Mean error of the prediction and mean regret of the choice, as logarithms, and how far the constants moved."""
    moved = sum(math.log(getattr(fitted, name) / getattr(start, name)) ** 2 for name in NAMES)
    total = sum(map(sum, (_losses(kernel, fitted, device) for kernel in kernels)))
    return total / len(kernels) + STAY * moved


def _losses(kernel: Kernel, fitted: Fitted, device: Device) -> tuple[float, float]:
    """The error of a kernel's prediction, slow schedules counting less, and the regret of a soft choice."""
    us, least = kernel.predicted(fitted, device), kernel.best.us
    regret = [math.log(t.us / least) for t in kernel.timed]
    errors = [min(MOST_ERROR, abs(math.log(p / t.us))) for p, t in zip(us, kernel.timed, strict=True)]
    chosen = [(min(us) / p) ** SHARPNESS for p in us]
    return weighed(errors, [math.exp(-SLOW * r) for r in regret]), REGRET_WEIGHT * weighed(regret, chosen)


def weighed(values: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted mean."""
    return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)


def report(kernels: Sequence[Kernel], fitted: Fitted, device: Device) -> str:
    """How well the model chooses and predicts."""
    picks = [(kernel.picked(fitted, device), kernel.best.us) for kernel in kernels]
    mean = math.exp(sum(math.log(timed.us / best) for (timed, _), best in picks) / len(picks))
    close = sum(abs(math.log(us / timed.us)) < math.log(1.25) for (timed, us), _ in picks)
    slow = sum(timed.us > 1.5 * best for (timed, _), best in picks)
    return (
        f"{len(picks)} kernels, choice {mean:.3f} times the best, {slow} beyond 1.5 times, "
        f"{close / len(picks):.0%} predicted within 1.25 times"
    )


def worst(kernels: Sequence[Kernel], fitted: Fitted, device: Device, most: int) -> list[str]:
    """The choices that lose most, a line each."""
    rows: list[tuple[float, str]] = []
    for kernel in kernels:
        (timed, us), best = kernel.picked(fitted, device), kernel.best
        shown = f"{_shown(timed)} ({us:.1f} expected) instead of {_shown(best)}"
        rows.append((timed.us / best.us, f"{timed.us / best.us:.2f} {kernel.name}: {shown}"))
    return [text for _, text in sorted(rows, reverse=True)[:most]]


def _shown(timed: Timed) -> str:
    t = timed.tiling
    spills = f", {timed.spills} spilled" if timed.spills else ""
    return f"[{t.rows}, {t.columns}, {t.warps} warps, {t.stages} stages] {timed.us:.1f} us{spills}"


if __name__ == "__main__":
    sys.exit(main())
