"""Graphs of Dynamo that are compiled already: which are kept, and that others never take their programs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from mlc_compiler.frontend import backend
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.frontend.cuda_graphs import CudaGraphs

Function = Callable[..., Any]


pytestmark = pytest.mark.usefixtures("kept_programs")


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Gets an entry for each graph that AOTAutograd traces from now on."""
    found: list[str] = []
    compile_with = backend.compile_with

    def counted(gm: Any, *given: Any, **options: Any) -> Any:
        found.append(str(gm.graph))
        return compile_with(gm, *given, **options)

    monkeypatch.setattr(backend, "compile_with", counted)
    return found


def call(function: Function, *inputs: Any, dynamic: bool = False, **options: Any) -> Any:
    """The result in a state of Dynamo as that of a new process."""
    torch._dynamo.reset()
    run = torch.compile(function, backend=compile_graph_module, dynamic=dynamic, options=options or None)
    return run(*inputs)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Linear(8, 16), nn.LayerNorm(16)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.norm(self.first(x))
        return torch.softmax(hidden[:, 1:] * 0.3, -1), hidden.sum(0)


@torch.no_grad()
def test_second_time_nothing_is_traced(traced: list[str]) -> None:
    model, x = Net(), torch.randn(4, 8)
    first = call(model, x)
    second, again = call(model, x), call(model, x + 1)
    assert len(traced) == 1
    for found, same, other, wanted in zip(first, second, again, model(x + 1), strict=True):
        torch.testing.assert_close(found, same, rtol=0, atol=0)
        torch.testing.assert_close(other, wanted)
        assert not same.requires_grad


def scaled(x: torch.Tensor) -> torch.Tensor:
    return torch.tanh(x * 0.1)


def shifted(x: torch.Tensor) -> torch.Tensor:
    return torch.tanh(x * 0.10000000000000002)


@pytest.mark.parametrize(
    "other",
    [
        lambda: call(shifted, torch.ones(6, 4)),
        lambda: call(scaled, torch.ones(4, 6)),
        lambda: call(scaled, torch.ones(4, 6).t()),
        lambda: call(scaled, torch.ones(7, 4)[1:]),
        lambda: call(scaled, torch.ones(6, 4, dtype=torch.float64)),
        lambda: call(scaled, torch.ones(6, 4), fast_math=True),
        lambda: call(scaled, torch.ones(6, 4, requires_grad=True)),
    ],
)
def test_others_are_traced(other: Callable[[], Any], traced: list[str]) -> None:
    """Another number, layout, place in memory, type, option; gradients."""
    call(scaled, torch.ones(6, 4))
    call(scaled, torch.ones(6, 4))
    assert len(traced) == 1
    other()
    assert len(traced) == 2


def test_state_of_pytorch(traced: list[str]) -> None:
    x = torch.ones(6, 4)
    call(scaled, x)
    with torch.no_grad():
        call(scaled, x)
    assert len(traced) == 2
    for _ in range(2):
        with torch.autocast("cpu", torch.bfloat16):
            call(scaled, x)
    assert len(traced) == 4


def writes(x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x * 2


def views(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x[1:], x * 2


def twice(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    y = x.exp()
    return y, y.view(-1)


def memory(tensors: Any) -> list[int]:
    """The first of the tensors that each shares its memory with."""
    places = [t.untyped_storage()._cdata for t in tensors]
    return [places.index(p) for p in places]


@pytest.mark.parametrize("function", [writes, views, twice])
def test_what_autograd_does_more_for(function: Function, traced: list[str]) -> None:
    """Writes to inputs, and results that share memory, are no business of a program alone."""
    for number in range(3):
        x, y = torch.full((3, 4), 2.0), torch.full((3, 4), 2.0)
        found, wanted = call(function, x), function(y)
        found, wanted = ([x, *f] if isinstance(f, tuple) else [x, f] for f in (found, wanted))
        wanted[0] = y
        for a, b in zip(found, wanted, strict=True):
            torch.testing.assert_close(a, b)
        assert memory(found) == memory(wanted)
        assert function is twice or len(traced) == number + 1


def test_random_numbers_are_drawn_anew(traced: list[str]) -> None:
    def noisy(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(x, 0.5)

    x = torch.ones(64, 8)
    found = []
    for seed in (1, 2, 1):
        torch.manual_seed(seed)
        found.append(call(noisy, x))
    assert torch.equal(found[0], found[2]) and not torch.equal(found[0], found[1])
    assert len(traced) == 1


@torch.no_grad()
def test_recorded_programs(traced: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch is told the same of a graph that is not traced again: parameters keep their addresses, x does not."""
    told: list[tuple[list[int], dict[str, Any]]] = []

    def cudagraphify_impl(run: Function, inputs: Any, static: list[int], **options: Any) -> Function:
        told.append((static, options))
        return run

    monkeypatch.setattr("torch._inductor.cudagraph_trees.cudagraphify_impl", cudagraphify_impl)
    monkeypatch.setattr(CudaGraphs, "takes", lambda *_: True)
    model, x = Net(), torch.randn(4, 8)
    for _ in range(2):
        torch._dynamo.reset()
        run = torch.compile(model, backend=compile_graph_module, dynamic=False, mode="reduce-overhead")
        for found, wanted in zip(run(x), model(x), strict=True):
            torch.testing.assert_close(found, wanted)
    assert len(traced) == 1
    (first, options), (second, again) = told
    assert first == second and len(first) == 4
    for name in ("stack_traces", "is_inference", "mutated_input_idxs", "constants"):
        assert options[name] == again[name]
    assert [p.name for p in options["placeholders"]] and len(options["placeholders"]) == len(again["placeholders"]) == 5
    call(model, x)
    assert len(traced) == 2, "without recordings it is another program"


def test_damaged_files_count_as_not_there(traced: list[str], tmp_path: Path) -> None:
    x = torch.ones(6, 4)
    call(scaled, x)
    for path in (tmp_path / "cache").glob("*.json"):
        path.write_text(path.read_text()[:-5])
    torch.testing.assert_close(call(scaled, x), scaled(x))
    assert len(traced) == 2
    torch.testing.assert_close(call(scaled, x), scaled(x))
    assert len(traced) == 2


PRECISION = """
import torch
from mlc_compiler.frontend.backend import compile_graph_module

torch.backends.cuda.matmul.fp32_precision = "tf32"
run = torch.compile(lambda x, w: torch.relu(x @ w), backend=compile_graph_module)
x, w = torch.randn(8, 8), torch.randn(8, 8)
torch.testing.assert_close(run(x, w), torch.relu(x @ w))
"""


def test_precision_may_be_set_for_one_library() -> None:
    """PyTorch refuses to say what the precision of all libraries is then."""
    subprocess.run([sys.executable, "-c", PRECISION], check=True)
