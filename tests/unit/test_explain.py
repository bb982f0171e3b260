"""`explain`: which ops PyTorch runs, how often, at which lines, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from lowering.fx_to_tensor import import_callable
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.frontend.explain import explanation, foreign_calls
from tools.mlc_translate import main


def sorts_twice(x: torch.Tensor) -> Any:
    first = torch.sort(x).values
    second = torch.sort(first * 2).indices
    return second, torch.view_as_complex(x.reshape(-1, 2)).abs()


def test_calls_are_counted_with_lines_and_reasons() -> None:
    module = import_callable(sorts_twice, [torch.randn(8)]).module
    calls = {c.callee: c for c in foreign_calls(module)}
    sort = calls["aten.sort.default"]
    assert sort.count == 2 and sort.why == "no rule makes kernels of it"
    assert [line.partition("  ")[2] for line in sort.lines] == [
        "first = torch.sort(x).values",
        "second = torch.sort(first * 2).indices",
    ]
    assert "no native type" in calls["aten.abs.default"].why
    text = explanation(module)
    assert text.startswith("4 call(s) of PyTorch's own kernels:\n   2 x aten.sort.default: no rule")


def test_a_declining_rule_says_why() -> None:
    module = import_callable(lambda x, y: x**y, [torch.arange(3), torch.arange(3)]).module
    (call,) = foreign_calls(module)
    assert (call.callee, call.why) == ("aten.pow.Tensor_Tensor", "a power of integers")


def test_native_graphs_say_so() -> None:
    """Seeds of random numbers and copies to arguments are parts of native ops."""
    module = import_callable(lambda x: torch.softmax(x, -1) + torch.rand_like(x), [torch.randn(3, 4)]).module
    assert explanation(module) == "every op is native\n"


def test_option_of_torch_compile(capsys: pytest.CaptureFixture[str]) -> None:
    run = torch.compile(lambda x: torch.sort(x).values + 1, backend=compile_graph_module, options={"explain": True})
    run(torch.randn(5))
    assert "1 x aten.sort.default" in capsys.readouterr().err


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text("import torch\n\ndef f(x):\n    return torch.sort(x).values\n")
    assert main([f"{program}:f", "--args", "8xf32", "--explain"]) == 0
    shown = capsys.readouterr().out
    assert "1 x aten.sort.default: no rule makes kernels of it" in shown
    assert f"{program}:4  return torch.sort(x).values" in shown
