"""CUDA graphs of compiled functions: what is recorded, what is not and why; numbers of replays."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv

import mlc_compiler
from mlc_compiler.frontend import cuda_graphs
from mlc_compiler.frontend.cuda_graphs import CudaGraphs
from mlc_runtime.host import Counters

FIRST = torch.device("cuda", 0)


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    torch._dynamo.reset()
    return torch.compile(function, backend=mlc_compiler.compile_graph_module, mode="reduce-overhead", **options)


@pytest.fixture
def reasons(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What PyTorch's log is told."""
    found: list[str] = []
    monkeypatch.setattr(cuda_graphs, "log_cudagraph_skip_and_bump_counter", found.append)
    return found


def traced(function: Callable[..., Any], *devices: torch.device) -> GraphModule:
    """The graph of a function of 4 floats on each of the devices, none of which need exist."""
    with FakeTensorMode(allow_non_fake_inputs=True):
        return make_fx(function)(*(torch.empty(4, device=d) for d in devices))


def test_on_the_cpu_nothing_is_recorded(reasons: list[str]) -> None:
    """The numbers of eager, and one reason for forward and backward."""
    x = torch.randn(5, 7, requires_grad=True)
    y = compiled(lambda x: torch.softmax(x, -1) * 2)(x)
    y.sum().backward()
    torch.testing.assert_close(y, torch.softmax(x, -1) * 2)
    assert reasons == ["skipping cudagraphs due to no tensor on a GPU"]


def test_the_default_mode_gives_no_reason(reasons: list[str]) -> None:
    torch._dynamo.reset()
    torch.compile(torch.sin, backend=mlc_compiler.compile_graph_module)(torch.randn(3))
    assert not reasons


CPU, SECOND = torch.device("cpu"), torch.device("cuda", 1)
ONE_GPU = pytest.mark.skipif(torch.cuda.device_count() == 1, reason="where there is one GPU, PyTorch takes no second")


@pytest.mark.parametrize("other", [CPU, pytest.param(SECOND, marks=ONE_GPU)], ids=str)
def test_several_devices_are_refused(other: torch.device, reasons: list[str]) -> None:
    graph = traced(lambda x, y: (x + 1, y * 2), FIRST, other)
    graphs = CudaGraphs()
    assert not graphs.takes(graph, "forward")
    assert len(reasons) == 1 and f"on {other} beside tensors on cuda:0" in reasons[0]
    assert not graphs.takes(traced(torch.sin, FIRST), "backward")
    assert len(reasons) == 1


def test_a_size_that_a_call_tells_is_refused(reasons: list[str]) -> None:
    with FakeTensorMode(shape_env=ShapeEnv()):
        graph = make_fx(lambda x: x.nonzero())(torch.empty(4))
        for node in graph.graph.nodes:  # PyTorch traces it on a GPU only where there is one
            if "val" in node.meta:
                node.meta["val"] = node.meta["val"].to(FIRST)
    assert not CudaGraphs().takes(graph, "inference")
    assert len(reasons) == 1 and "incompatible op nonzero" in reasons[0]


class Trees:
    """Stands for PyTorch's module: says what it is given, and runs programs as they are."""

    def __init__(self) -> None:
        self.made: list[tuple[list[int], dict[str, Any]]] = []
        self.backwards = self.resets = 0

    def cudagraphify_impl(self, run: Any, inputs: list[Any], static: Sequence[int], **options: Any) -> Any:
        self.made.append(([*static], options))
        return run

    def get_manager(self, device: int, create_if_none_exists: bool) -> Any:
        return SimpleNamespace(set_to_running_backward=self.count)

    def count(self) -> None:
        self.backwards += 1

    def reset_cudagraph_trees(self) -> None:
        self.resets += 1


@pytest.fixture
def trees(monkeypatch: pytest.MonkeyPatch) -> Trees:
    found = Trees()
    monkeypatch.setattr(cuda_graphs, "_trees", lambda: found)
    return found


def adds_in_place(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x + y, torch.ops.aten.add_.Tensor(y, 1)


def test_what_pytorch_is_told(trees: Trees) -> None:
    """One recording for all calls; inputs that are written; none that stay where nothing says so."""
    graph, graphs = traced(adds_in_place, FIRST, FIRST), CudaGraphs()
    assert graphs.takes(graph, "forward")
    run = graphs.recorded(graph, "forward", lambda inputs: [sum(inputs)], [0, 1], ())
    assert [run([1, 2]), run([3, 4])] == [[3], [7]]
    ((static, options),) = trees.made
    assert static == [] and options["mutated_input_idxs"] == (1,)
    assert (options["device_index"], options["is_backward"], options["is_inference"]) == (0, False, False)
    assert len(options["placeholders"]) == 2 and len(options["stack_traces"]) == 2


def test_frozen_inputs_are_not_counted(trees: Trees) -> None:
    graph, graphs = traced(adds_in_place, FIRST, FIRST), CudaGraphs()
    assert graphs.takes(graph, "inference")
    graphs.recorded(graph, "inference", lambda inputs: inputs, [1], ("constant",))([2])
    ((_, options),) = trees.made
    assert options["mutated_input_idxs"] == (0,) and options["constants"] == ("constant",)
    assert len(options["placeholders"]) == 1 and options["is_inference"]


def test_a_backward_that_is_not_recorded_is_announced(trees: Trees, reasons: list[str]) -> None:
    graphs = CudaGraphs()
    assert graphs.takes(traced(torch.sin, FIRST), "forward")
    assert not graphs.takes(traced(lambda x, y: (x, y + 1), FIRST, CPU), "backward") and len(reasons) == 1
    assert graphs.beside("backward", lambda inputs: inputs)([1]) == [1]
    assert trees.backwards == 1
    assert CudaGraphs().beside("backward", lambda inputs: inputs)([1]) == [1]
    assert trees.backwards == 1


def test_counters_that_are_not_kept() -> None:
    """Zeros for every call, for the memory of a recording is used again."""
    counters, device = Counters(kept=False), torch.device("cpu")
    first = counters(3, device)
    first += 1
    kept = counters.kept("kernel", 2, device)
    kept += 1
    assert counters(3, device).tolist() == [0, 0, 0] and counters.kept("kernel", 2, device).tolist() == [0, 0]


class Block(nn.Module):
    """Batch norm writes its statistics, the sum takes several programs."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.norm = nn.Linear(64, 64), nn.BatchNorm1d(64)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.norm(self.linear(x))) * x.sum()


@pytest.mark.gpu
@pytest.mark.parametrize("mode", ["reduce-overhead", "max-autotune"])
def test_replays_of_inference(mode: str, reasons: list[str]) -> None:
    torch.manual_seed(0)
    model = Block().cuda().eval()
    torch._dynamo.reset()
    run = torch.compile(model, backend=mlc_compiler.compile_graph_module, mode=mode)
    with torch.no_grad():
        for rows in (512, 512, 512, 512, 384, 384, 384):
            x = torch.randn(rows, 64, device="cuda")
            torch.testing.assert_close(run(x), model(x), rtol=2e-4, atol=2e-3)
    assert not reasons


@pytest.mark.gpu
@pytest.mark.parametrize("dynamic", [False, True])
def test_replays_of_training(dynamic: bool) -> None:
    """Gradients and running statistics of several steps, with an optimiser between them."""
    torch.manual_seed(0)
    models = [Block().cuda() for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    functions = [compiled(models[0], dynamic=dynamic), models[1]]
    optimisers = [torch.optim.SGD(m.parameters(), 1e-5) for m in models]
    for step in range(6):
        x = torch.randn(256 if step < 4 or not dynamic else 320, 64, device="cuda")
        torch.compiler.cudagraph_mark_step_begin()
        for function, optimiser in zip(functions, optimisers, strict=True):
            optimiser.zero_grad()
            function(x).square().mean().backward()
            optimiser.step()
        for found, wanted in zip(models[0].state_dict().values(), models[1].state_dict().values(), strict=True):
            torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-3)


@pytest.mark.gpu
def test_random_numbers_go_on() -> None:
    """Each replay draws others, and the generator's seed decides."""
    x = torch.ones(512, 64, device="cuda")
    run = compiled(lambda x: torch.dropout(x, 0.5, True))
    drawn: list[list[Tensor]] = []
    for _ in range(2):
        torch.manual_seed(3)
        drawn.append([run(x).clone() for _ in range(5)])
    assert all(torch.equal(a, b) for a, b in zip(*drawn, strict=True))
    assert not any(torch.equal(a, b) for a, b in zip(drawn[0], drawn[0][1:], strict=False))


@pytest.mark.gpu
def test_inputs_that_are_written() -> None:
    """A plain input is written by a program that is not replayed."""

    def function(x: Tensor, total: Tensor) -> Tensor:
        total += x.sum(0)
        return total * 2

    run, totals = compiled(function), [torch.zeros(64, device="cuda") for _ in range(2)]
    for _ in range(4):
        x = torch.randn(32, 64, device="cuda")
        torch.testing.assert_close(run(x, totals[0]), function(x, totals[1]))
        torch.testing.assert_close(*totals)


def test_reset(trees: Trees, monkeypatch: pytest.MonkeyPatch) -> None:
    """`torch.compiler.reset()` lets go of recordings, if PyTorch's module was ever loaded."""
    monkeypatch.delitem(sys.modules, "torch._inductor.cudagraph_trees", raising=False)
    cuda_graphs.reset()  # PyTorch's own reset may load the module, where Inductor has run
    assert trees.resets == 0
    compiled(torch.sin)(torch.randn(3))
    monkeypatch.setitem(sys.modules, "torch._inductor.cudagraph_trees", ModuleType("trees"))
    torch.compiler.reset()
    assert trees.resets == 1
