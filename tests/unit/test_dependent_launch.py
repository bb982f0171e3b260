"""Launches that begin while the one before ends: what the driver is told, and on a GPU that nothing is read early."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
import torch

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import compile_imported
from mlc_runtime import dependent_launch
from mlc_runtime.dependent_launch import launch_dependent


class Config(ctypes.Structure):
    """`CUlaunchConfig` of cuda.h."""

    _fields_: ClassVar[Sequence[tuple[str, Any]]] = [
        *((name, ctypes.c_uint) for name in ("x", "y", "z", "block_x", "block_y", "block_z", "shared")),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("count", ctypes.c_uint),
    ]


class Attribute(ctypes.Structure):
    """`CUlaunchAttribute` of cuda.h; its value is a union of 64 bytes."""

    _fields_: ClassVar[Sequence[tuple[str, Any]]] = [
        ("id", ctypes.c_int),
        ("pad", ctypes.c_char * 4),
        ("value", ctypes.c_int * 16),
    ]


class Driver:
    """Reads what a launch says, as the driver does, and gives one status after the other."""

    def __init__(self, *statuses: int) -> None:
        self.statuses, self.launches = [*statuses], list[tuple[Any, ...]]()

    def __call__(self, config: int, function: int, parameters: None, extra: int) -> int:
        assert parameters is None
        told, words = Config.from_address(config), (ctypes.c_uint64 * 5).from_address(extra)
        attribute = Attribute.from_address(told.attributes)
        assert told.count == 1 and attribute.id == 6 and [*attribute.value] == [1, *[0] * 15]
        assert (words[0], words[2], words[4]) == (1, 2, 0)
        count = ctypes.c_uint64.from_address(words[3]).value // 8
        given = (ctypes.c_int64 * count).from_address(words[1])
        grid, block = (told.x, told.y, told.z), (told.block_x, told.block_y, told.block_z)
        self.launches.append((function, grid, block, told.shared, told.stream, *given))
        return self.statuses.pop(0) if self.statuses else 0


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    """In the place of NVIDIA's."""
    made = Driver()
    monkeypatch.setattr(dependent_launch, "_driver", lambda: made)
    return made


def test_the_driver_is_told_all_of_a_launch(driver: Driver) -> None:
    launch_dependent(7, 8, 3, 2, 4, 512, "OOlOO", (1 << 40, 2048, -5, 0, 0), 700)
    launch_dependent(9, 2**31 - 1, 1, 1, 16, 0, "OO", (0, 0), 0)
    assert driver.launches == [
        (7, (8, 3, 2), (128, 1, 1), 512, 700, 1 << 40, 2048, -5, 0, 0),
        (9, (2**31 - 1, 1, 1), (512, 1, 1), 0, None, 0, 0),
    ]


def test_a_kernel_may_have_very_many_arguments(driver: Driver) -> None:
    given = tuple(range(1, 1 + dependent_launch.MOST_ARGUMENTS))
    launch_dependent(7, 1, 1, 1, 1, 0, "", given, 5)
    assert driver.launches[0][5:] == given


def test_threads_do_not_share_what_they_tell(driver: Driver) -> None:
    def launch(number: int) -> None:
        for k in range(200):
            launch_dependent(number, k + 1, 1, 1, 1, 0, "OO", (number, k), number)

    threads = [threading.Thread(target=launch, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(1, 5):
        own = [launch for launch in driver.launches if launch[0] == number]
        assert own == [(number, (k + 1, 1, 1), (32, 1, 1), 0, number, number, k) for k in range(200)]


def test_what_the_driver_refuses_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependent_launch, "_driver", lambda: Driver(701))
    monkeypatch.setattr(dependent_launch, "_library", lambda: SimpleNamespace(cuGetErrorString=lambda *_: 1))
    with pytest.raises(RuntimeError, match="status 701"):
        launch_dependent(7, 1, 1, 1, 1, 0, "OO", (0, 0), 0)


def test_a_thread_that_has_no_context_gets_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    made = Driver(dependent_launch.INVALID_CONTEXT)
    stream = SimpleNamespace(query=lambda: asked.append(True))
    monkeypatch.setattr(dependent_launch, "_driver", lambda: made)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: stream)
    launch_dependent(7, 1, 1, 1, 1, 0, "OO", (3, 4), 0)
    assert asked == [True] and made.launches == [(7, (1, 1, 1), (32, 1, 1), 0, None, 3, 4)] * 2


def _chain(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    """Many kernels, each of which reads what the one before has stored last, and first."""
    for _ in range(20):
        y = (x * y.flip(0)).cumsum(0).flip(0) * 1e-3
        x = torch.addmm(x, y, y.t()[: y.shape[1], : y.shape[1]].contiguous()).tanh()
    return [x, y, x.sum(0), (x + y).softmax(1)]


@pytest.mark.gpu
@pytest.mark.parametrize("size", [64, 1024, 4096])
def test_on_a_gpu_nothing_is_read_early(size: int) -> None:
    x, y = torch.randn(2, size, 64, device="cuda")
    compiled = compile_imported(import_callable(_chain, [x, y]))
    first = [t.clone() for t in compiled(x, y)]
    for wanted, found in zip(_chain(x, y), first, strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-4)
    for _ in range(30):
        for wanted, found in zip(first, compiled(x, y), strict=True):
            assert torch.equal(found, wanted), "the same bits each time"


@pytest.mark.gpu
def test_on_a_gpu_launches_are_captured() -> None:
    x, y = torch.randn(2, 1024, 64, device="cuda")
    compiled = compile_imported(import_callable(_chain, [x, y]))
    wanted = [t.clone() for t in compiled(x, y)]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = compiled(x, y)
    for _ in range(30):
        for t in found:
            t.fill_(float("nan"))
        graph.replay()
        for old, new in zip(wanted, found, strict=True):
            assert torch.equal(old, new)


@pytest.mark.gpu
def test_on_a_gpu_a_thread_may_begin_with_a_launch() -> None:
    x = torch.randn(1000, device="cuda")
    compiled = compile_imported(import_callable(lambda x: x.mul_(2), [x.clone()]))
    compiled(x.clone())
    given, found = x.clone(), list[torch.Tensor]()
    torch.cuda.synchronize()
    thread = threading.Thread(target=lambda: found.extend(compiled(given)))
    thread.start()
    thread.join()
    torch.cuda.synchronize()
    assert torch.equal(given, 2 * x) and found
