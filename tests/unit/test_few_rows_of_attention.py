"""Attention of few rows under a mask is PyTorch's kernel, and gives NaN where eager does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.unit.generated_kernels import DEVICES, compiled
from tests.unit.test_library_attention import calls
from tests.unit.test_online_gradients import with_gradients
from tests.unit.test_online_products import Results, scores

KEYS = 40
CALL = "aten.scaled_dot_product_attention"
Attention = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def hidden(q: Tensor, k: Tensor, v: Tensor, hides: Tensor) -> Tensor:
    return scores(q, k).masked_fill(hides, -torch.inf).softmax(-1) @ v


def kept(q: Tensor, k: Tensor, v: Tensor, hides: Tensor) -> Tensor:
    s = scores(q, k)
    return torch.where(~hides, s, torch.full_like(s, -torch.inf)).softmax(-1) @ v


def added(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return (scores(q, k) + mask).softmax(-1).to(q.dtype) @ v


def chosen(q: Tensor, k: Tensor, v: Tensor, hides: Tensor) -> Tensor:
    mask = torch.zeros_like(hides, dtype=q.dtype).masked_fill(hides, -torch.inf)
    return added(q, k, v, mask)


def widened(q: Tensor, k: Tensor, v: Tensor, hides: Tensor) -> Tensor:
    s = scores(q, k).masked_fill(hides, -torch.inf)
    return s.softmax(-1, dtype=torch.float32 if q.dtype != torch.float64 else None).to(q.dtype) @ v


def grouped(q: Tensor, k: Tensor, v: Tensor, hides: Tensor) -> Tensor:
    k, v = (x[:, :2].repeat_interleave(2, 1) for x in (k, v))
    return hidden(q, k, v, hides)


def of_one_batch(q: Tensor, k: Tensor, v: Tensor, hides: Tensor) -> Tensor:
    return hidden(q[0], k[0], v[0], hides[0])


def of_two_batches(q: Tensor, k: Tensor, v: Tensor, hides: Tensor) -> Tensor:
    """Three dimensions of batches, and a mask of two."""
    q, k, v = (x.unflatten(0, (2, 2)) for x in (q, k, v))
    return hidden(q, k, v, hides[:, 0].flatten(0, 1)[: q.shape[-2]])


BOOLEAN: dict[str, Attention] = {
    "hidden": hidden, "kept": kept, "chosen": chosen, "widened": widened, "grouped": grouped,
    "of one batch": of_one_batch, "of two batches": of_two_batches,
}  # fmt: skip


def inputs(device: str, dtype: torch.dtype, rows: int = 3, batch: int = 4) -> list[Tensor]:
    torch.manual_seed(0)
    return [torch.randn(batch, 4, length, 16, device=device).to(dtype) for length in (rows, KEYS, KEYS)]


def hides(device: str, rows: int = 1) -> Tensor:
    """In the first batch all keys, in others the first, the last, or all but one."""
    mask = torch.zeros(4, 1, rows, KEYS, dtype=torch.bool, device=device)
    mask[0, :, -1], mask[1, ..., :30], mask[2, ..., 7:], mask[3, ..., 1:] = True, True, True, True
    return mask


def check(function: Attention, given: list[Tensor], mask: Tensor, cpu: str | None, count: int) -> None:
    """As near to float64 as eager, with `count` calls."""
    q, k, v = given
    sources: list[str] = []
    found = compiled(function, sources, cpu=cpu, products="quicker")(q, k, v, mask)
    assert sources[0].count(CALL) == count
    exact = function(q.double(), k.double(), v.double(), mask.double() if mask.is_floating_point() else mask)
    Results(found, function(q, k, v, mask), exact).check()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("name", BOOLEAN)
@pytest.mark.parametrize("where", DEVICES)
def test_booleans(where: tuple[str, str | None], name: str, dtype: torch.dtype) -> None:
    """float32 is multiplied as the program says."""
    device, cpu = where
    rows = 1 if name == "of one batch" else 3
    check(BOOLEAN[name], inputs(device, dtype), hides(device, rows), cpu, int(dtype != torch.float32))


def low(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """The lowest number for -inf, as models write it: a row of nothing else counts its keys alike."""
    return torch.zeros_like(mask, dtype=dtype).masked_fill(mask, torch.finfo(dtype).min)


def numbers(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """A bias, and -inf."""
    bias = torch.linspace(-2, 2, mask.numel(), device=mask.device).reshape(mask.shape)
    return bias.to(dtype).masked_fill(mask, -torch.inf)


def with_nan(mask: Tensor, dtype: torch.dtype) -> Tensor:
    numbered = numbers(mask, dtype)
    numbered[1:3, ..., 3] = torch.nan
    return numbered


def large(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """One number for each score."""
    return numbers(mask.expand(-1, 4, 3, -1), dtype)


def in_float32(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """More digits than the scores have."""
    return numbers(mask, torch.float32)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("form", [low, numbers, with_nan, large, in_float32])
@pytest.mark.parametrize("where", DEVICES)
def test_numbers(
    where: tuple[str, str | None], form: Callable[[Tensor, torch.dtype], Tensor], dtype: torch.dtype
) -> None:
    device, cpu = where
    called = dtype != torch.float32 and form is not in_float32
    check(added, inputs(device, dtype), form(hides(device), dtype), cpu, int(called))


def test_many_rows_are_ours() -> None:
    check(hidden, inputs("cpu", torch.bfloat16, rows=16), hides("cpu"), "interpret", 0)


def test_machine_code() -> None:
    """A CPU without Triton's interpreter calls it as well."""
    check(grouped, inputs("cpu", torch.bfloat16), hides("cpu"), "native", 1)


@pytest.mark.parametrize("function", [hidden, added])
def test_gradients_are_of_the_formula(function: Attention) -> None:
    """In rows that the lowest numbers hide PyTorch's kernels have others."""
    mask, given = hides("cpu"), inputs("cpu", torch.bfloat16)
    mask = low(mask, torch.bfloat16) if function is added else mask & (mask.sum(-1, keepdim=True) < KEYS)

    def masked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return function(q, k, v, mask.to(q.dtype) if function is added else mask)

    sources: list[str] = []
    found: Any = with_gradients(compiled(masked, sources, cpu="interpret", products="quicker"), given)
    assert calls(sources) == [0, 0]
    eager, exact = with_gradients(masked, given), with_gradients(masked, [x.double() for x in given])
    for three in zip(found, eager, exact, strict=True):
        Results(*three).check()
