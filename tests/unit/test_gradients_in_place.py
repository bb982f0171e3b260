"""Gradients of a last layer in the memory of its logits: the numbers of eager, and no more memory than they need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from math import inf, nan
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch._dynamo import compiled_autograd
from torch._functorch import config
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import GraphModule
from torch.profiler import ProfilerActivity, profile
from torch.utils.checkpoint import checkpoint
from xdsl.dialects.builtin import ModuleOp

from benchmarks.case import Case
from benchmarks.cases.last_layer import BACKWARD
from lowering.fx_to_tensor import Imported
from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend import backend
from mlc_compiler.frontend.autograd import compile_with
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.common.buffers import buffer_shape
from mlc_dialects.loop.host import AllocOp, CallOp
from mlc_runtime import gradients
from mlc_support.index_expr import product
from passes.common.device import H200, SERVER
from passes.common.gradient_chunks import classes_at_once

pytestmark = pytest.mark.usefixtures("machine_code")

Loss = Callable[[Tensor, Tensor], Tensor]
CLASSES, WIDTH = 1000, 32
CALLS = ("mlc.product_behind", "= leaves(linear_gradients(")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Chunks of 96 classes, whatever the sizes."""
    monkeypatch.setattr(backend, "classes_at_once", lambda *_: 96)
    torch.compiler.reset()
    torch.manual_seed(0)
    yield


def capped(logits: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(3 * torch.tanh(logits / 3), target)


def z_loss(logits: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(logits, target) + 1e-2 * torch.logsumexp(logits, -1).square().mean()


def weighted(logits: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(logits, target, torch.linspace(0.5, 2, CLASSES, dtype=logits.dtype))


def by_hand(logits: Tensor, target: Tensor) -> Tensor:
    p = torch.softmax(logits, -1)
    return -(torch.gather(p, 1, target.clamp(min=0)[:, None]) + 1e-6).log().mean()


def each(logits: Tensor, target: Tensor) -> Tensor:
    return (F.cross_entropy(logits, target, reduction="none") * torch.linspace(0, 1, len(target))).sum()


def in_batches(logits: Tensor, target: Tensor) -> Tensor:
    """As models have it: [batch, tokens, classes]."""
    batches = logits.view(2, -1, CLASSES) * torch.linspace(1, 2, 2, dtype=logits.dtype)[:, None, None]
    return F.cross_entropy(batches.view(-1, CLASSES), target)


LOSSES: dict[str, Loss] = {
    "mean": F.cross_entropy,
    "sum": partial(F.cross_entropy, reduction="sum"),
    "each": each,
    "smoothed": partial(F.cross_entropy, label_smoothing=0.1),
    "ignored": lambda logits, target: F.cross_entropy(logits, target.clamp(min=0), ignore_index=7),
    "weighted": weighted,
    "capped": capped,
    "z_loss": z_loss,
    "by_hand": by_hand,
    "in_batches": in_batches,
    "squares": lambda logits, target: logits.square().mean(),
}


def layer(loss: Loss, wide: bool = True) -> Callable[..., Tensor]:
    def step(x: Tensor, w: Tensor, target: Tensor) -> Tensor:
        logits = F.linear(x, w)
        return loss(logits.float() if wide else logits, target)

    return step


def made(tokens: int, dtype: torch.dtype = torch.bfloat16) -> tuple[Tensor, Tensor, Tensor]:
    x, w = torch.randn(tokens, WIDTH, dtype=dtype), torch.randn(CLASSES, WIDTH, dtype=dtype) / 4
    target = torch.randint(CLASSES, (tokens,))
    target[0], target[-1] = -100, 7
    return x, w, target


def differentiated(step: Callable[..., Any], x: Tensor, w: Tensor, target: Tensor, scale: float = 1.0) -> list[Tensor]:
    x, w = x.detach().clone().requires_grad_(), w.detach().clone().requires_grad_()
    result = step(x, w, target)
    (result * scale).backward()
    assert x.grad is not None and w.grad is not None
    return [result.detach(), x.grad, w.grad]


def compiled(step: Callable[..., Any], seen: list[Executable]) -> Callable[..., Any]:
    observe = lambda _, executable: seen.append(executable)  # noqa: E731
    return torch.compile(step, backend=partial(compile_graph_module, observe=observe), dynamic=False)


def is_placed(seen: list[Executable]) -> bool:
    return len(seen) == 2 and all(call in e.source for e, call in zip(seen, CALLS, strict=True))


def error(found: Tensor, exact: Tensor) -> float:
    return float((found.double() - exact).norm() / exact.norm())


@pytest.mark.parametrize("tokens", [32, 20, 50], ids=["as many as wide", "fewer", "more"])
@pytest.mark.parametrize("name", LOSSES)
def test_numbers_are_those_of_eager(name: str, tokens: int) -> None:
    seen: list[Executable] = []
    step, given = layer(LOSSES[name]), made(tokens)
    found = differentiated(compiled(step, seen), *given, 0.37)
    eager = differentiated(step, *given, 0.37)
    exact = differentiated(layer(LOSSES[name], wide=False), given[0].double(), given[1].double(), given[2], 0.37)
    assert is_placed(seen)
    for mine, other, want in zip(found, eager, exact, strict=True):
        assert mine.shape == other.shape and mine.is_contiguous() and mine.dtype == other.dtype
        assert error(mine, want) <= 1.05 * error(other, want) + 1e-6
    rows = {32: 96 * 32, 20: 96 * 20, 50: 0}[tokens]
    assert found[2].untyped_storage().nbytes() <= 2 * (CLASSES * WIDTH + rows + 64)


@pytest.mark.parametrize("tokens", [32, 20, 50], ids=["as many as wide", "fewer", "more"])
def test_a_backward_pass_by_compiled_autograd(tokens: int) -> None:
    """It is traced again with eager's layouts, in which the gradient would have no place."""
    seen: list[Executable] = []
    step, given = layer(F.cross_entropy), made(tokens)
    with compiled_autograd._enable(lambda graph: compiled(graph, seen), dynamic=False):
        found = differentiated(compiled(step, seen), *given)
    assert is_placed(seen)
    for mine, other in zip(found, differentiated(step, *given), strict=True):
        torch.testing.assert_close(mine, other)
    rows = {32: 96 * 32, 20: 96 * 20, 50: 0}[tokens]
    assert found[2].untyped_storage().nbytes() <= 2 * (CLASSES * WIDTH + rows + 64)


@pytest.mark.parametrize("tokens", [32, 50])
@pytest.mark.parametrize("value", [nan, inf])
def test_what_is_not_finite_stays_where_it_is(value: float, tokens: int) -> None:
    """In float32: some processors' products of bfloat16 make rows NaN that have none."""
    seen: list[Executable] = []
    step, (x, w, target) = layer(F.cross_entropy), made(tokens, torch.float32)
    w[5, 3] = value
    found, eager = differentiated(compiled(step, seen), x, w, target), differentiated(step, x, w, target)
    assert is_placed(seen)
    for mine, other in zip(found, eager, strict=True):
        assert torch.equal(mine.isfinite(), other.isfinite())


def returned(x: Tensor, w: Tensor, target: Tensor) -> Any:
    logits = F.linear(x, w)
    return F.cross_entropy(logits.float(), target), logits


def biased(x: Tensor, w: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(F.linear(x, w, w[:, 0]).float(), target)


def used_twice(x: Tensor, w: Tensor, target: Tensor) -> Tensor:
    logits = F.linear(x, w)
    return F.cross_entropy(logits.float(), target) + (logits @ w).float().mean()


def cumulated(x: Tensor, w: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(F.linear(x, w).cumsum(0).float(), target)


def followed(x: Tensor, w: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(F.gelu(F.linear(x, w)) @ w.detach(), target.clamp(0, WIDTH - 1))


@pytest.mark.parametrize("step", [returned, biased, used_twice, cumulated, followed])
def test_other_layers_stay(step: Callable[..., Any]) -> None:
    """Logits that somebody else sees or multiplies, gradients that a third reads, and what mixes tokens."""
    seen: list[Executable] = []
    given = made(32, torch.float32)
    first = lambda run: lambda *inputs: run(*inputs)[0] if step is returned else run(*inputs)  # noqa: E731
    found, eager = differentiated(first(compiled(step, seen)), *given), differentiated(first(step), *given)
    assert not any("linear_gradients(" in e.source for e in seen)
    torch.testing.assert_close(found, eager, rtol=1e-4, atol=1e-5)


def test_a_second_backward_adds() -> None:
    seen: list[Executable] = []
    step, (x, w, target) = layer(F.cross_entropy), made(32, torch.float32)
    run = compiled(step, seen)
    x, w = x.requires_grad_(), w.requires_grad_()
    for _ in range(3):
        run(x, w, target).backward()
    mine = (x.grad, w.grad)
    x.grad = w.grad = None
    for _ in range(3):
        step(x, w, target).backward()
    assert is_placed(seen)
    torch.testing.assert_close(mine, (x.grad, w.grad), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("tokens", [32, 20, 50])
def test_a_graph_that_is_kept_runs_twice(tokens: int) -> None:
    """Where PyTorch donates nothing, the logits stay."""
    seen: list[Executable] = []
    step, (x, w, target) = layer(F.cross_entropy), made(tokens, torch.float32)
    x, w = x.requires_grad_(), w.requires_grad_()
    with config.patch(donated_buffer=False):
        loss = compiled(step, seen)(x, w, target)
        first, second = (torch.autograd.grad(loss, (x, w), retain_graph=True) for _ in range(2))
    assert is_placed(seen)
    torch.testing.assert_close(first, second, rtol=0, atol=0)
    torch.testing.assert_close(first, torch.autograd.grad(step(x, w, target), (x, w)), rtol=1e-4, atol=1e-6)


def test_checkpoints_decide_what_is_kept() -> None:
    seen: list[Executable] = []
    step, given = layer(F.cross_entropy), made(32, torch.float32)
    again = lambda *inputs: checkpoint(step, *inputs, use_reentrant=False)  # noqa: E731
    found, eager = differentiated(compiled(again, seen), *given), differentiated(step, *given)
    assert not any("mlc.product_behind" in e.source for e in seen)
    torch.testing.assert_close(found, eager, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("tokens", "pieces"), [(8, 1), (6, 1), (12, 2)])
@pytest.mark.parametrize("chunk", [1, 7, 64, 100])
def test_the_products_of_a_chunk(tokens: int, pieces: int, chunk: int) -> None:
    """Also of memory that holds nothing yet, and of gradients that have no room before them."""
    x, w, target = torch.randn(tokens, 8), torch.randn(64, 8), torch.randn(tokens, 64)
    room = gradients.room_for(64, tokens, 8, chunk) if pieces == 1 else 0
    for behind in {room, 0}:
        parts: list[Tensor] = []
        for values in target.split([8, tokens - 8] if pieces == 2 else [tokens]):
            memory = torch.full((behind + values.numel(),), nan)
            memory[behind:] = values.t().flatten()
            parts.append(memory[behind:].view(64, -1).t())
        dx, dw = gradients.linear_gradients(parts, x, w, chunk)
        torch.testing.assert_close((dx, dw), (target @ w, target.t() @ x))
        placed = dw.untyped_storage().data_ptr() == parts[0].untyped_storage().data_ptr()
        assert placed == (behind == room)


def test_the_peak_is_logits_and_little_else() -> None:
    """Bytes alive at once, as PyTorch's allocator reports them."""
    tokens, classes, width = 256, 8192, 256
    x, w = torch.randn(tokens, width, dtype=torch.bfloat16), torch.randn(classes, width, dtype=torch.bfloat16)
    target = torch.randint(classes, (tokens,))
    run = compiled(layer(F.cross_entropy), [])
    x, w = x.requires_grad_(), w.requires_grad_()
    torch.autograd.grad(run(x, w, target), (x, w))
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as told:
        torch.autograd.grad(run(x, w, target), (x, w))
    events: Any = told.profiler.kineto_results.events()  # pyright: ignore
    products = [(e.start_ns(), e.start_ns() + e.duration_ns()) for e in events if e.name() == "aten::mm"]
    memory = [(e.start_ns(), e.nbytes()) for e in events if e.name() == "[memory]"]
    alive = peak = 0
    for (at, size), (_, following) in pairwise([*memory, (0, 0)]):
        alive += size
        if following != -size or not any(start <= at <= end for start, end in products):
            peak = max(peak, alive)  # but for a product's own workspace, which some processors have
    logits = 2 * tokens * classes
    assert logits < peak < 1.25 * logits  # eager: 6 times, and the gradient


def graphs_for_h200(case: Case) -> list[ModuleOp]:
    """Forward and backward as compiled for an H200, whose memory nobody needs to have for that."""
    modules: list[ModuleOp] = []

    def chunk(tokens: int, width: int, classes: int, element_bytes: int, device: torch.device) -> int | None:
        return classes_at_once(tokens, width, classes, element_bytes, H200)

    def compile_one(imported: Imported, recorded: bool) -> Any:
        modules.append(imported.module)
        return lambda given: given

    def compile_graph(graph: GraphModule, given: Sequence[Any]) -> Callable[..., Any]:
        return compile_with(graph, given, compile_one, chunk=chunk)

    with FakeTensorMode():
        inputs = [arg.empty("cpu") for arg in case.args]
        for k in case.gradients:
            inputs[k] = inputs[k].detach().requires_grad_()
        with config.patch(force_non_lazy_backward_lowering=True), suppress(Exception):  # nothing runs
            torch.compile(case.function, backend=compile_graph, dynamic=False)(*inputs)
    for module in modules:
        lower_to(module, "loop", CompilerOptions(device="h200"))
    return modules


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", BACKWARD[1:], ids=lambda case: case.name)
def test_a_gpu_allocates_nothing_large(case: Case) -> None:
    """Beside the logits: what is as large is in their memory."""
    modules = graphs_for_h200(case)
    allocated = [op.buffer.type for m in modules for op in m.walk() if isinstance(op, AllocOp)]
    called = [op.callee.data for m in modules for op in m.walk() if isinstance(op, CallOp)]
    pieces = 1 if case.args[0].shape[0] <= case.args[0].shape[1] else 2
    assert called == ["mlc.product_behind.default"] * pieces + ["mlc.linear_gradients.default"]
    assert all(product(buffer_shape(type_)).evaluate({}) <= case.args[0].shape[0] * 64 for type_ in allocated)


def test_chunks_fill_the_device() -> None:
    assert classes_at_once(8192, 4096, 128256, 2, H200) == 2048
    assert classes_at_once(2048, 2048, 128256, 2, H200) == 4096
    assert classes_at_once(8192, 4096, 14336, 2, H200) is None  # no larger than others
    assert classes_at_once(8192, 4096, 128256, 2, SERVER) is None
    assert classes_at_once(8191, 4096, 128256, 2, H200) is None  # no vectors
    assert classes_at_once(0, 4096, 128256, 2, H200) is None
    assert classes_at_once(16, 4096, 128256, 2, H200) is None  # the gradient is all there is
    assert classes_at_once(8192, 768, 4096, 2, H200) is None
