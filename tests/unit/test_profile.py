"""Profiles: a launch is called by the user's lines, in PyTorch's profiler and in the traces that it writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from mlc_compiler.execution.program import shown_name
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.kernels.manifest import KernelEntry


def two_kernels(x: torch.Tensor) -> Any:
    ordered = torch.sort(torch.exp(x)).values
    return ordered * 2 + 1


@pytest.mark.parametrize("cpu", ["native", "interpret"])
def test_launches_are_called_by_lines_in_a_trace(cpu: str, tmp_path: Path) -> None:
    torch._dynamo.reset()
    x = torch.randn(5, 3)
    compiled = torch.compile(two_kernels, backend=compile_graph_module, options={"cpu": cpu})
    expected = compiled(x)
    with profile(activities=[ProfilerActivity.CPU]) as recorded:
        found = compiled(x)
    assert torch.equal(found, expected), "profiling changes nothing"
    recorded.export_chrome_trace(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    names = [event["name"] for event in events if str(event.get("name")).startswith("test_profile.py")]
    assert [name.partition("  ")[2] for name in names] == [
        "ordered = torch.sort(torch.exp(x)).values [exp]",
        "return ordered * 2 + 1 [mul_add]",
    ]
    assert all("dur" in event for event in events if event.get("name") in names)


def test_names_say_how_many_lines_there_are() -> None:
    entry = KernelEntry("k", (), 0, {}, False, ("a.py:1  x", "a.py:2  y", "a.py:3  z"))
    assert shown_name(entry) == "a.py:1  x and 2 more [k]"
    assert shown_name(KernelEntry("k", (), 0, {}, False)) == "k"
