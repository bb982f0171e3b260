"""Products by oneDNN on CPUs: right for the layouts that the pass takes, and chosen by the machine."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
import torch
from torch import Tensor

import mlc_compiler
from mlc_compiler import machine
from mlc_compiler.execution.executable import Executable
from passes.loop.cpu.onednn_products import LINEAR

pytest.importorskip("llvmlite")
needs_onednn = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="PyTorch has no oneDNN")


def rows(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(shape[0]))


def columns(*shape: int) -> Tensor:
    return rows(*shape[::-1]).t()


def inside(*shape: int) -> Tensor:
    """Rows that do not follow each other in memory."""
    return rows(shape[0], shape[1] + 7)[:, 3:-4]


def run(function: Callable[..., Tensor], *inputs: Tensor, dynamic: bool = False) -> tuple[Tensor, str]:
    """The result, and the program that gave it."""
    seen: list[str] = []

    def observe(_: object, executable: Executable) -> None:
        seen.append(executable.source)

    def backend(gm: torch.fx.GraphModule, given: list[object]) -> object:
        return mlc_compiler.compile_graph_module(gm, given, observe=observe, options={"cpu": "native"})

    torch._dynamo.reset()
    result = torch.compile(function, backend=backend, dynamic=dynamic)(*inputs)
    return result, "".join(seen)


def fast(monkeypatch: pytest.MonkeyPatch, speed: float = 2.2) -> None:
    monkeypatch.setattr(machine, "onednn_speed", lambda: speed)


@pytest.mark.sampled(4)
@needs_onednn
@pytest.mark.parametrize(("left", "right"), [*product((rows, columns, inside), repeat=2)])
def test_every_layout(
    monkeypatch: pytest.MonkeyPatch, left: Callable[..., Tensor], right: Callable[..., Tensor]
) -> None:
    fast(monkeypatch)
    x, w = left(130, 190), right(190, 150)
    found, source = run(lambda x, w: x @ w + 1, x, w)
    assert LINEAR in source
    torch.testing.assert_close(found.double(), x.double() @ w.double() + 1, rtol=1e-5, atol=1e-4)


@needs_onednn
def test_numbers_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    fast(monkeypatch)
    x, w = rows(128, 256), rows(256, 128)
    x[3, 5], x[7, 1], x[9] = float("nan"), float("inf"), 0.0
    found, source = run(lambda x, w: x @ w, x, w)
    assert LINEAR in source
    torch.testing.assert_close(found, x @ w, rtol=1e-4, atol=1e-4, equal_nan=True)


@needs_onednn
def test_sizes_known_at_run_time(monkeypatch: pytest.MonkeyPatch) -> None:
    fast(monkeypatch)
    for count in (200, 1, 0):
        x, w = rows(200, 256)[:count], rows(256, 128)
        found, _ = run(lambda x, w: torch.relu(x @ w), x, w, dynamic=True)
        torch.testing.assert_close(found, torch.relu(x @ w), rtol=1e-4, atol=1e-4)


@needs_onednn
def test_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    fast(monkeypatch)
    layer = torch.nn.Linear(256, 192)
    x = rows(128, 256)

    def loss(x: Tensor) -> Tensor:
        return (layer(x) ** 2).mean()

    wanted = torch.autograd.grad(loss(x), [*layer.parameters()])
    result, source = run(loss, x)
    assert LINEAR in source
    for found, right in zip(torch.autograd.grad(result, [*layer.parameters()]), wanted, strict=True):
        torch.testing.assert_close(found, right, rtol=1e-4, atol=1e-6)


def test_other_machines_keep_their_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    fast(monkeypatch, speed=1.0)
    found, source = run(lambda x, w: x @ w, rows(128, 256), rows(256, 128))
    assert LINEAR not in source
    assert torch.equal(found, rows(128, 256) @ rows(256, 128))


@pytest.mark.parametrize(
    ("vendor", "family", "capability", "mkl", "speed"),
    [
        ("AuthenticAMD", 26, "AVX512", True, 2.2), ("AuthenticAMD", 25, "AVX512", True, 1.07),
        ("GenuineIntel", 6, "AVX512", True, 1.0), ("", 0, "AVX512", True, 1.0),
        ("AuthenticAMD", 25, "AVX2", True, 1.0), ("AuthenticAMD", 26, "AVX512", False, 1.0),
    ],
)  # fmt: skip
def test_which_machines(
    monkeypatch: pytest.MonkeyPatch, vendor: str, family: int, capability: str, mkl: bool, speed: float
) -> None:
    monkeypatch.setattr(machine, "cpu_model", lambda: (vendor, family))
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: mkl)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    assert machine.onednn_speed() == speed


def test_this_cpu() -> None:
    vendor, family = machine.cpu_model()
    assert bool(vendor) == (family > 0)
