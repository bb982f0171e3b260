"""Memory of programs for CPUs: what large tensors ask the system for."""

from __future__ import annotations

import mmap

import pytest
import torch

from mlc_runtime import memory
from mlc_support.cpu import CPU

LONG = 1 << 20
SHAPES = [((), ()), ((0, 3), (3, 1)), ((5, 7), (1, 5)), ((4, 3), (8, 1)), ((LONG, 3), (1, LONG)), ((2 * LONG,), (1,))]


@pytest.fixture(name="advice")
def _advice(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int, int]]:
    """What the system was told: address, bytes, and which advice."""
    told: list[tuple[int, int, int]] = []
    monkeypatch.setattr(memory, "_advise", lambda *given: told.append(given))
    monkeypatch.setattr(memory, "_HUGE_PAGES", 14)
    return told


@pytest.mark.parametrize(("shape", "strides"), SHAPES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.bool])
def test_tensors_have_their_layout(shape: tuple[int, ...], strides: tuple[int, ...], dtype: torch.dtype) -> None:
    made = memory.allocate(shape, strides, dtype).fill_(1)
    assert (tuple(made.shape), made.stride(), made.dtype) == (shape, strides, dtype)
    assert bool((made == 1).all())


def test_large_tensors_get_huge_pages(advice: list[tuple[int, int, int]]) -> None:
    """Whole pages inside the tensor, and nearly all of it."""
    made = memory.allocate((CPU.paged_bytes // 4,), (1,), torch.float32)
    ((begin, size, which),) = advice
    assert which == 14
    assert begin % mmap.PAGESIZE == size % mmap.PAGESIZE == 0
    assert made.data_ptr() <= begin
    assert begin + size <= made.data_ptr() + made.nbytes
    assert size > made.nbytes - 2 * mmap.PAGESIZE


def test_small_tensors_get_what_there_is(advice: list[tuple[int, int, int]]) -> None:
    memory.allocate((CPU.paged_bytes - 1,), (1,), torch.int8)
    assert advice == []


def test_a_system_without_huge_pages_gives_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_advise", None)
    assert memory.allocate((CPU.paged_bytes,), (1,), torch.int8).fill_(3).sum().item() == 3 * CPU.paged_bytes
