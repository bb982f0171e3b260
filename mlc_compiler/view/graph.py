"""A recording as plain data: what a page, or a file of a report, holds of a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.view.recording import PassRun, Recording
from mlc_compiler.view.snapshot import Snapshot
from mlc_dialects.loop import dialect as loop
from mlc_dialects.loop.host import LaunchOp
from mlc_dialects.triton import dialect as triton
from mlc_support.walks import walk
from passes.common.device import device_named

AROUND = 3
"""Lines of the user's program that are shown around one that ops come from."""
PANES = ("tensor", "loop", "source", "machine")
"""The levels that stand beside the user's program."""
LONGEST = 2000
"""Letters of a line of the user's program that are shown."""


def as_data(recording: Recording) -> dict[str, Any]:
    """The graph of a recording that has finished. Times are seconds, of kernels microseconds."""
    spots = recording.spots.keys
    files = {name: k for k, name in enumerate(dict.fromkeys(file for file, _, _ in spots))}
    levels = [_level(name, recording.levels[name]) for name in PANES if name in recording.levels]
    return {
        "name": recording.name,
        "began": recording.began,
        "seconds": recording.seconds,
        "recording": recording.own,
        "device": _device(recording.device),
        "files": [_file(recording, name) for name in files],
        "spots": [[files[file], line] for file, line, _ in spots],
        "levels": levels,
        "first": recording.first,
        "passes": [_pass(step) for step in recording.passes],
        "rules": {name: {"identity": r.identity, "inexact": r.inexact} for name, r in recording.rules.items()},
        "kernels": _kernels(recording),
        "calls": [asdict(call) for call in recording.calls],
    }


def _level(name: str, snapshot: Snapshot) -> dict[str, Any]:
    return {"name": name, "lines": snapshot.lines, "spots": snapshot.spots, "kernels": snapshot.kernels}


def _pass(step: PassRun) -> dict[str, Any]:
    firings = [[firing.rule, firing.op, firing.spots] for firing in step.firings]
    return asdict(step) | {"firings": firings}


def _device(name: str) -> dict[str, Any]:
    device = device_named(name)
    rates = {"bandwidth": device.bandwidth, "flops": device.flops, "launch_us": device.launch_us}
    return {"key": name, "name": device.name, **rates}


def _file(recording: Recording, name: str) -> dict[str, Any]:
    """The lines of a file that ops come from, and a few around them, by number."""
    told = {line: text for (file, line), text in recording.spots.texts.items() if file == name}
    wanted = sorted({line for file, line, _ in recording.spots.keys if file == name})
    lines = dict(enumerate(recording.read(name), 1))
    near = sorted({k for line in wanted for k in range(line - AROUND, line + AROUND + 1) if k in lines} | {*wanted})
    texts = [[k, (lines.get(k) or told.get(k, "")).rstrip("\r\n")[:LONGEST]] for k in near]
    return {"name": _short(name), "lines": texts}


def _short(name: str) -> str:
    """A file below the working folder by its way from there."""
    return name.removeprefix(f"{Path.cwd()}/")


def _kernels(recording: Recording) -> list[dict[str, Any]]:
    """The kernels of the last module, in its order, with what is known of each."""
    module = recording.final
    if module is None:
        return []
    launches = Counter(op.kernel.string_value() for op in walk(module) if isinstance(op, LaunchOp))
    return [_kernel(op, launches, recording) for op in _kernel_ops(module)]


def _kernel_ops(module: ModuleOp) -> list[loop.KernelOp | triton.KernelOp]:
    return [op for op in module.ops if isinstance(op, loop.KernelOp | triton.KernelOp)]


def _kernel(op: loop.KernelOp | triton.KernelOp, launches: Mapping[str, int], recording: Recording) -> dict[str, Any]:
    name = op.sym_name.data
    forecast = recording.forecasts.get(name)
    return {
        "name": name,
        "why": op.why.data if op.why is not None else "",
        "launches": launches[name],
        "grid": [g.data for g in op.grid] if isinstance(op, triton.KernelOp) else [],
        "warps": op.warps.value.data if op.warps is not None else None,
        "forecast": None if forecast is None else asdict(forecast),
    }
