"""What today's model of time makes of schedules that were measured before; no GPU is needed.

    python -m benchmarks.regret_again benchmarks/results/schedules_5555_h200.jsonl.gz [MORE ...] [--device h200]

Reads dumps of `benchmarks.regret --dump`, and predicts each schedule again. The report is that of `benchmarks.regret`,
with the times of then: the default is what the compiler would take today of the schedules that were timed. How many
kernels there are of which it would take another, which has no time, is printed as well.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import regret_report
from benchmarks.regret_kernels import Written
from benchmarks.regret_records import Drawing, Kernel, RegretRun, Tried
from passes.common.device import DEFAULT_DEVICE, DEVICES, device_named
from passes.loop.schedule.mapping import as_built, tiling_of
from passes.loop.schedule.model import predict
from passes.loop.schedule.schedule import SchedulePass
from passes.loop.schedule.workload import workload


def main(arguments: Sequence[str] | None = None) -> int:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("dumps", type=Path, nargs="+", help="files of `python -m benchmarks.regret --dump`")
    made.add_argument("--device", choices=DEVICES, default=DEFAULT_DEVICE, help="what they were measured on")
    options = made.parse_args(arguments)
    print(report(list(again(options.dumps, options.device))))
    return 0


def report(found: Sequence[tuple[Drawing, bool]]) -> str:
    """The report on what was measured, as if it had been chosen today."""
    unseen = sum(not is_timed for _, is_timed in found)
    text = regret_report.text(RegretRun("", {}, [drawing for drawing, _ in found]))
    return f"{text}\n{unseen} of {len(found)} kernels would have a schedule that was not timed"


def again(paths: Iterable[Path], device: str = DEFAULT_DEVICE) -> Iterator[tuple[Drawing, bool]]:
    """Each kernel of some dumps as a drawing of its own, and whether today's choice for it was timed."""
    for path in paths:
        for lines in groups(path):
            first = lines[0]
            kernel, is_timed = predicted(lines, device)
            yield Drawing(first["case"], first["family"], first["schedule"], 0, (kernel,)), is_timed


def groups(path: Path) -> Iterator[list[dict[str, Any]]]:
    """The lines of each kernel, the first of which has the kernel before it was scheduled."""
    found: list[dict[str, Any]] = []
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        for line in map(json.loads, lines):
            if "open" in line and found:
                yield found
                found = []
            if "open" not in line and not found:
                raise SystemExit(f"{path}: not a kernel before it was scheduled; measure again with --dump")
            found.append(line)
    if found:
        yield found


def predicted(lines: Sequence[dict[str, Any]], name: str) -> tuple[Kernel, bool]:
    """The schedules of a kernel with today's predictions, today's choice among them first, and whether it is there."""
    device, kernel = device_named(name), Written(lines[0]["open"]).kernel
    chosen, work = as_built(kernel, SchedulePass(device=name).chosen(kernel)[0], device), workload(kernel)
    tried: list[tuple[bool, Tried]] = []
    for line in lines:
        tiling = tiling_of(Written(line["text"]).kernel)
        own = Tried(
            line["schedule"], predict(work, tiling, device).us, line["seconds"], line["spills"], line["registers"]
        )
        tried.append((tiling != chosen, own))
    tried.sort(key=lambda pair: (pair[0], pair[1].predicted_us))
    return Kernel(lines[0]["kernel"], tuple(own for _, own in tried)), not tried[0][0]


if __name__ == "__main__":
    sys.exit(main())
