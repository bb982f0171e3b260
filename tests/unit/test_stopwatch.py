"""`time`: each second counts for one activity, and the table says which."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import torch

from mlc_compiler import stopwatch
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.stopwatch import Stopwatch, table


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """A clock that shows its one number."""
    now = [100.0]
    monkeypatch.setattr(stopwatch.time, "perf_counter", lambda: now[0])
    yield now


def test_the_inner_activity_counts_and_the_outer_goes_on(clock: list[float]) -> None:
    said: list[str] = []
    watch = Stopwatch(said.append)
    watch.add("before", 2.0)
    with watch.during("outer"):
        clock[0] += 1
        with watch.during("inner"):
            clock[0] += 5
        clock[0] += 2
        with watch.during("inner"):
            clock[0] += 10
        assert not said
    assert said == [table({"before": 2.0, "outer": 3.0, "inner": 15.0})]


def test_an_error_ends_an_activity_and_the_next_begins_anew(clock: list[float]) -> None:
    said: list[str] = []
    watch = Stopwatch(said.append)
    with pytest.raises(KeyError), watch.during("fails"):
        clock[0] += 1
        raise KeyError
    with watch.during("next"):
        clock[0] += 2
    assert said == [table({"fails": 1.0}), table({"next": 2.0})]


def test_little_is_one_line_and_the_total_counts_it() -> None:
    assert table({"long": 99.5, "short": 0.25, "brief": 0.25}).splitlines() == [
        "seconds of compilation:",
        "  long       99.500 s  100 %",
        "  2 others    0.500 s    0 %",
        "  in all    100.000 s  100 %",
    ]
    assert "others" not in table({"one": 1.0, "two": 0.01 * 1.0 / 0.9})
    assert table({}).splitlines()[-1].split() == ["in", "all", "0.000", "s", "0", "%"]


def test_option_of_torch_compile(capsys: pytest.CaptureFixture[str]) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x * 3, -1).sum(0)

    torch._dynamo.reset()
    x = torch.randn(5, 7, requires_grad=True)
    run = torch.compile(function, backend=compile_graph_module, options={"time": True, "cpu": "native"})
    torch.testing.assert_close(run(x), function(x))
    (text,) = re.findall(r"seconds of compilation:\n(?:  .*\n)+", capsys.readouterr().err)
    rows = {name: float(spent) for name, spent in re.findall(r"  (\w[\w -]*?) +([0-9.]+) s +\d+ %", text)}
    assert {"Dynamo", "AOTAutograd", "import", "fuse", "LLVM"} <= rows.keys()
    total = rows.pop("in all")
    assert total > 0 and abs(sum(rows.values()) - total) < 0.001 * (len(rows) + 1)
    run(x)
    assert not capsys.readouterr().err
    torch._dynamo.reset()
    torch.compile(function, backend=compile_graph_module)(x)
    assert not capsys.readouterr().err
