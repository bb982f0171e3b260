"""Where the device's time goes in one model: kernels and library calls of each backend, side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from benchmarks.compiling import failure
from benchmarks.models.records import Job
from benchmarks.models.subject import Call, Subject
from benchmarks.models.worker import WARM, device_events

WIDTH = 62
SHOWN = 25
Row = tuple[str, int, float]
"""A name, how often it was, and the microseconds of all of them."""


def profiled(job: Job) -> str:
    """Two tables for people: the most expensive kernels, then PyTorch's ops that run on the device."""
    subject = Subject(job)
    kernels: dict[str, list[Row]] = {}
    calls: dict[str, list[Row]] = {}
    lines: list[str] = []
    for backend in job.backends:
        try:
            call = subject.call(backend)
            for _ in range(WARM):
                call()
            kernels[backend], calls[backend] = kernels_of(call), library_calls(call)
        except Exception as error:
            lines.append(f"{backend} failed: {failure(error)}")
    title = "{} of one call: {:.0f} us in {} kernels"
    lines += side_by_side(kernels, lambda b, rows: title.format(b, sum(r[2] for r in rows), sum(r[1] for r in rows)))
    lines += ["", *side_by_side(calls, lambda b, rows: f"{b}: PyTorch's ops, {sum(r[2] for r in rows):.0f} us")]
    return "\n".join(lines)


def kernels_of(call: Call) -> list[Row]:
    """The kernels, copies and fills of one call by name, the most expensive first."""
    return rows((e.name, e.time_range.elapsed_us()) for e in device_events(call))


def library_calls(call: Call) -> list[Row]:
    """PyTorch's ops that took time on the device themselves, by name and shapes of inputs."""
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True) as trace:
        call()
        torch.cuda.synchronize()
    averages: Sequence[Any] = trace.key_averages(group_by_input_shape=True)
    on_host = [a for a in averages if a.key.startswith("aten::") and a.self_device_time_total > 0]
    found = [
        (f"{a.key.removeprefix('aten::')} {_shapes(a.input_shapes)}", a.count, a.self_device_time_total)
        for a in on_host
    ]
    return sorted(found, key=lambda row: -row[2])


def _shapes(shapes: Any) -> str:
    return " ".join("x".join(map(str, s)) for s in shapes if s)


def rows(times: Any) -> list[Row]:
    """Names with microseconds, those of one name added up."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for name, microseconds in times:
        found[name].append(microseconds)
    return sorted(((n, len(t), sum(t)) for n, t in found.items()), key=lambda row: -row[2])


def side_by_side(columns: Mapping[str, Sequence[Row]], title: Callable[[str, Sequence[Row]], str]) -> list[str]:
    """A column a backend, `SHOWN` rows of each."""
    lines = ["  ".join(f"{title(b, found):{WIDTH}}" for b, found in columns.items())]
    for parts in zip_longest(*(found[:SHOWN] for found in columns.values())):
        lines.append("  ".join(_row(row) for row in parts))
    return lines


def _row(row: Row | None) -> str:
    if row is None:
        return " " * WIDTH
    name, count, microseconds = row
    return f"{microseconds:9.1f} {count:4} x {name[: WIDTH - 17]:{WIDTH - 17}}"
