"""Compiled programs as PyTorch calls them: what a guard has checked, what a call lets go, where it runs."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
import torch
from torch import nn
from triton import knobs

from lowering.fx_to_tensor import import_callable
from lowering.fx_to_tensor.imported import ConstantOutput, ResultOutput, SizeOutput
from mlc_compiler.execution import program
from mlc_compiler.execution.executable import Executable, compile_imported
from mlc_compiler.execution.program import Kinds, placed
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.options import CompilerOptions
from mlc_runtime.host import allocator, named_device, reinterpret
from mlc_runtime.program import graph_program
from mlc_support.index_parse import parse

ALIVE: list[bool] = []
WATCHED: list[weakref.ref[torch.Tensor]] = []


@torch.library.custom_op("mlc_tests::who_is_alive", mutates_args=())
def who_is_alive(x: torch.Tensor) -> torch.Tensor:
    """A copy; notes whether each watched tensor still exists."""
    ALIVE.extend(w() is not None for w in WATCHED)
    return x.clone()


@who_is_alive.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def compiled(function: Any, seen: list[Executable], **options: Any) -> Callable[..., Any]:
    """A function by `torch.compile`, its executables noted."""
    torch._dynamo.reset()
    backend = partial(compile_graph_module, observe=lambda _, executable: seen.append(executable))
    return torch.compile(function, backend=backend, **options)


def checked(executable: Executable) -> set[str]:
    """The arguments that its program looks at."""
    taken = re.search(r"^    (.*) = arguments$", executable.source, re.MULTILINE)
    assert taken is not None
    names = re.findall(r"\w+", taken[1])
    return {n for n in names if re.search(rf"^    {n} = (expect|with_layout)\({n}, ", executable.source, re.MULTILINE)}


def test_guarded_inputs_are_not_looked_at() -> None:
    seen: list[Executable] = []
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.BatchNorm1d(8))
    run, x = compiled(model, seen, dynamic=False), torch.randn(4, 8)
    exact = nn.Sequential(*model)
    torch.testing.assert_close(run(x), exact(x), rtol=1e-4, atol=1e-5)
    with torch.no_grad():
        model.eval()
        torch.testing.assert_close(run(x), exact(x), rtol=1e-4, atol=1e-5)
    for executable in seen:
        assert not checked(executable)


def test_another_layout_is_another_program() -> None:
    """Dynamo's guard, on which programs count."""
    seen: list[Executable] = []
    run = compiled(lambda x: x * 2 + 1, seen, dynamic=False)
    x = torch.randn(6, 6)
    for y in (x, x.t(), x[::2], x[:, ::2], x.double()):
        torch.testing.assert_close(run(y), y * 2 + 1)
    assert len(seen) == 5 and not any(map(checked, seen))


def test_tangents_are_looked_at() -> None:
    """AOTAutograd guesses their strides."""
    seen: list[Executable] = []
    run = compiled(lambda x: torch.sin(x).t(), seen, dynamic=False)
    for tangent in (torch.randn(3, 5), torch.randn(5, 3).t(), torch.randn(3, 1).expand(3, 5)):
        x = torch.randn(5, 3, requires_grad=True)
        run(x).backward(tangent)
        torch.testing.assert_close(x.grad, torch.cos(x.detach()) * tangent.t())
    (backward,) = (e for e in seen if "def backward(" in e.source)
    assert checked(backward)


def test_named_sizes_are_looked_at() -> None:
    seen: list[Executable] = []
    run = compiled(lambda x: x * 2, seen, dynamic=True)
    torch.testing.assert_close(run(x := torch.randn(5, 7)), x * 2)
    assert checked(seen[0])


def test_who_calls_without_dynamo_is_looked_at() -> None:
    x = torch.randn(6, 6)
    executable = compile_imported(import_callable(torch.sin, [x]))
    assert len(checked(executable)) == 1
    torch.testing.assert_close(executable(x.t())[0], torch.sin(x.t()))
    graph = torch.fx.symbolic_trace(lambda y: (torch.relu(y),))  # pyright: ignore[reportArgumentType]
    torch.testing.assert_close(compile_graph_module(graph, [x])(x.t())[0], torch.relu(x.t()))


def test_views_of_one_memory_that_are_written_are_looked_at() -> None:
    """AOTAutograd gives the memory itself, which no guard knows."""

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x * y

    run = compiled(step, [], dynamic=False)
    ours = torch.randn(12)
    exact = ours.clone()
    found, wanted = (f(m[:8].view(2, 4), m[4:].view(2, 4)) for f, m in ((run, ours), (step, exact)))
    torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(ours, exact)
    longer = torch.randn(40)
    with pytest.raises(ValueError, match=r"expected a tensor of shape \(12,\), found \(40,\)"):
        run(longer[:8].view(2, 4), longer[4:12].view(2, 4))


def test_weights_are_looked_at_once() -> None:
    seen: list[Executable] = []
    model, x = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), torch.randn(3, 8)
    torch._dynamo.reset()
    backend = partial(
        compile_graph_module,
        observe=lambda _, e: seen.append(e),
        options=CompilerOptions(freeze=True),
    )
    with torch.no_grad():
        torch.testing.assert_close(torch.compile(model, backend=backend, dynamic=False)(x), model(x))
    assert not checked(seen[0]) and "_weights(arguments)" in seen[0].source


def test_arguments_are_let_go_when_they_have_been_read() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return who_is_alive(torch.exp(x)) + y

    x, y = torch.randn(4), torch.randn(4)
    executable = compile_imported(import_callable(function, [x, y]))
    arguments, expected = [x.clone(), y.clone()], torch.exp(x) + y
    ALIVE.clear()
    WATCHED[:] = map(weakref.ref, arguments)
    (found,) = executable.run(arguments)
    assert ALIVE == [False, True] and arguments == []
    torch.testing.assert_close(found, expected)


def test_saved_activations_are_let_go_when_they_have_been_read() -> None:
    """Else a backward would hold all of them to its end."""
    seen: list[Executable] = []
    run = compiled(lambda x, w: torch.sin(torch.sin(x) @ w), seen, dynamic=False)
    x, w = torch.randn(4, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True)
    run(x, w).sum().backward()
    (backward,) = (e for e in seen if "def backward(" in e.source)
    assert "    del " in backward.source.split("torch.mm(")[1]


def test_memory_that_is_seen_from_outside_counts_its_writes() -> None:
    """The transposed weights that a forward keeps are a view; eager refuses gradients after they were written."""
    run = compiled(lambda x, w: torch.sin(x) @ w, [], dynamic=False)
    x, w = torch.randn(4, 4, requires_grad=True), torch.randn(4, 4)
    result = run(x, w).sum()
    w.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()


def test_outputs_that_are_results_are_passed_on() -> None:
    def host(arguments: list[Any]) -> Sequence[Any]:
        return tuple(a * 2 for a in arguments)

    both = (ResultOutput(0), ResultOutput(1))
    assert graph_program(host, (), both, lambda _: {}) is host
    assert graph_program(host, (5,), both, lambda _: {})([3]) == (6, 10)  # pyright: ignore[reportArgumentType]
    assert graph_program(host, (), (ConstantOutput(7),), lambda _: {})([3]) == [7]
    turned = (ResultOutput(1), ConstantOutput(None), SizeOutput(parse("N + 1")), ResultOutput(0))
    assert graph_program(host, (), turned, lambda given: {"N": given[0]})([3, 4]) == (8, None, 4, 6)


class Gpus:
    """Two GPUs that are not there: which is current, and what happened on which."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.current, self.log = 0, list[tuple[str, int]]()
        monkeypatch.setattr(program, "current_device", lambda: self.current)
        monkeypatch.setattr(program, "_on", self._on)
        kinds = Kinds(*(partial(self._note, kind) for kind in ("direct", "triton", "named")))
        self.run = placed(kinds, lambda given: given[0], self._compile)

    def _compile(self) -> None:
        self._note("compile")

    def _note(self, what: str, arguments: Sequence[Any] = ()) -> Sequence[Any]:
        assert not torch.is_grad_enabled()
        self.log.append((what, self.current))
        return ()

    def _on(self, device: int) -> Any:
        gpus = self

        class Context:
            def __enter__(self) -> None:
                self.before, gpus.current = gpus.current, device

            def __exit__(self, *_: Any) -> None:
                gpus.current = self.before

        return Context()


def test_each_device_is_compiled_for_once_and_is_current_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = Gpus(monkeypatch)
    with torch.no_grad():
        for device in (0, 0, 1, 1, 0):
            gpus.run([device])
            assert gpus.current == 0
    direct0, direct1 = ("direct", 0), ("direct", 1)
    assert gpus.log == [("compile", 0), direct0, direct0, ("compile", 1), direct1, direct1, direct0]


def test_gradients_are_never_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = Gpus(monkeypatch)
    with torch.enable_grad():
        gpus.run([0])
        gpus.run([0])
    assert [what for what, _ in gpus.log] == ["compile", "direct", "direct"]


def test_hooks_of_launches_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Triton's profiler counts on them."""
    gpus = Gpus(monkeypatch)

    hook: Any = print
    with torch.no_grad():
        gpus.run([0])
        for chain in (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook):
            chain.add(hook)
            try:
                gpus.run([0])
            finally:
                chain.remove(hook)
        monkeypatch.setattr(knobs.runtime, "launch_enter_hook", hook)
        gpus.run([0])
        monkeypatch.setattr(knobs.runtime, "launch_enter_hook", None)
        gpus.run([0])
    assert [what for what, _ in gpus.log] == ["compile", "direct", "triton", "triton", "triton", "direct"]


def test_buffers_and_views_lie_as_they_are_asked_to() -> None:
    buffer = allocator(torch.device("cpu"))((2, 3), (1, 2), torch.bfloat16)
    assert (buffer.shape, buffer.stride(), buffer.dtype) == ((2, 3), (1, 2), torch.bfloat16)
    elsewhere = allocator(torch.device("meta"))((2, 3), (1, 2), torch.int64)
    assert (elsewhere.device.type, elsewhere.stride(), elsewhere.dtype) == ("meta", (1, 2), torch.int64)
    memory = torch.arange(24.0)
    view = reinterpret(memory[3:], (2, 4), (8, 2), 1)
    assert view.tolist() == [[4, 6, 8, 10], [12, 14, 16, 18]] and view.storage_offset() == 4
    assert named_device("cpu") == torch.device("cpu")


@pytest.mark.gpu
def test_on_a_gpu_the_default_device_has_its_index() -> None:
    here = torch.device("cuda", torch.cuda.current_device())
    assert named_device("cuda") == here
    buffer = allocator(here)((2, 3), (3, 1), torch.float32)
    assert buffer.device == here and buffer.stride() == (3, 1) and buffer.data_ptr() % 16 == 0


@pytest.mark.gpu
def test_on_a_gpu_a_stream_of_its_own_is_waited_for() -> None:
    """Launches go to the current stream."""
    run = compiled(lambda x: x * 2 + 1, [], dynamic=False)
    x = torch.zeros(1 << 20, device="cuda")
    run(x)
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        x += 1
        found = run(x)
    stream.synchronize()
    assert found.unique().tolist() == [3]


@pytest.mark.gpu
@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_on_two_gpus_kernels_run_where_their_tensors_are() -> None:
    run = compiled(lambda x: torch.softmax(x * 2, -1), [], dynamic=False)
    for _ in range(3):
        for device in ("cuda:0", "cuda:1"):
            x = torch.randn(16, 100, device=device)
            torch.testing.assert_close(run(x), torch.softmax(x * 2, -1))
            assert torch.cuda.current_device() == 0
