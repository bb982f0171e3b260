"""Masks of attention that need not be: the numbers of eager with the mask, and the call without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

import mlc_compiler

BATCH, HEADS, SIZE = 2, 4, 16
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def _causal(q: Tensor) -> Tensor:
    """Which keys a query sees, as decoders have it: comparisons of positions, one sequence a row."""
    positions = torch.arange(q.shape[-2], device=q.device)
    rows = positions[None, :].expand(q.shape[0], -1)
    jumps = torch.diff(rows, prepend=rows[:, :1] - 1, dim=-1) != 1
    sequence = jumps.cumsum(-1)
    before = positions[None, :] <= positions[:, None]
    return (before[None] & (sequence[:, None, :] == sequence[:, :, None]))[:, None]


def nothing_hidden(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """BERT's mask: 1 for each token, made large and negative where it is not 1."""
    ones = torch.ones(q.shape[0], 1, 1, k.shape[-2], device=q.device, dtype=q.dtype)
    inverted = 1.0 - ones
    mask = inverted.masked_fill(inverted.bool(), torch.finfo(q.dtype).min)
    return F.scaled_dot_product_attention(q, k, v, mask.expand(-1, -1, q.shape[-2], -1))


def causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, _causal(q), scale=0.2)


def grouped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Half as many heads of keys and values, each repeated."""
    k, v = (x[:, ::2, None].expand(-1, -1, 2, -1, -1).reshape(q.shape) for x in (k * 2, v * 2))
    return F.scaled_dot_product_attention(q, k, v, _causal(q))


def grouped_by_pytorch(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The same said to PyTorch, which has kernels for it."""
    return F.scaled_dot_product_attention(q, k[:, ::2], v[:, ::2], _causal(q), enable_gqa=True)


def windowed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Of the keys before it a query sees the last three."""
    positions = torch.arange(q.shape[-2], device=q.device)
    near = positions[None, :] > positions[:, None] - 3
    return F.scaled_dot_product_attention(q, k, v, _causal(q) & near)


def hidden_rows(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The first query sees no key at all."""
    positions = torch.arange(q.shape[-2], device=q.device)
    return F.scaled_dot_product_attention(q, k, v, positions[None, :] < positions[:, None])


MASKLESS: dict[str, Attention] = {
    "nothing-hidden": nothing_hidden, "causal": causal, "grouped": grouped, "grouped-by-pytorch": grouped_by_pytorch,
}  # fmt: skip
MASKED: dict[str, Attention] = {"windowed": windowed, "hidden-rows": hidden_rows}


def check(function: Attention, device: str, length: int, dtype: torch.dtype, grad: bool) -> str:
    """Compares with eager and float64; gives what runs."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    shape = (BATCH, length, HEADS, SIZE)
    inputs = [torch.randn(shape, device=device, dtype=dtype).transpose(1, 2).requires_grad_(grad) for _ in range(3)]
    sources: list[str] = []

    def backend(gm: Any, examples: Any) -> Any:
        return mlc_compiler.compile_graph_module(gm, examples, observe=lambda _, e: sources.append(e.source))

    exact = [x.detach().double().requires_grad_(grad) for x in inputs]
    compiled = torch.compile(function, backend=backend, dynamic=False)
    given = ((compiled, inputs), (function, inputs), (function, exact))
    results = [[f(*x)] for f, x in given]
    if grad:
        weight = torch.randn_like(results[2][0])
        losses = [(r[0] * weight.to(r[0].dtype)).sum() for r in results]
        pairs = zip(results, losses, (x for _, x in given), strict=True)
        results = [[*r, *torch.autograd.grad(y, x)] for r, y, x in pairs]
    for found, eager, wanted in zip(*results, strict=True):
        assert found.stride() == eager.stride()
        error, allowed = ((x.double() - wanted).abs().max().item() for x in (found, eager))
        assert error <= 1.5 * allowed + 1e-5
    return "\n".join(sources)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("length", [16, 13])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", MASKLESS)
def test_without_a_mask(name: str, device: str, length: int, dtype: torch.dtype) -> None:
    """One call of the op that picks a kernel, and no mask beside it; heads of 16-bit keys are not repeated."""
    source = check(MASKLESS[name], device, length, dtype, grad=False)
    assert "aten.scaled_dot_product_attention.default" in source
    assert 'float("-inf")' not in source
    groups = name == "grouped-by-pytorch" or (name == "grouped" and dtype == torch.bfloat16)
    assert ("enable_gqa=True" in source) == groups


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("name", [name for name in MASKLESS if name != "nothing-hidden"])
def test_taken_apart_without_a_mask(name: str, dtype: torch.dtype) -> None:
    """PyTorch's formula is a call again, and does without the mask."""
    with sdpa_kernel(SDPBackend.MATH):
        source = check(MASKLESS[name], "cpu", 16, dtype, grad=False)
    assert "aten.scaled_dot_product_attention.default" in source
    assert 'float("-inf")' not in source


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", MASKLESS)
def test_trained_without_a_mask(name: str, device: str) -> None:
    """Forward and backward each do without."""
    source = check(MASKLESS[name], device, 16, torch.bfloat16, grad=True)
    assert "attention" in source
    assert "attn_mask=None" in source or "attn_mask" not in source


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("name", MASKED)
def test_with_a_mask(name: str, grad: bool, device: str) -> None:
    """What hides something else stays, rows that see nothing are 0."""
    source = check(MASKED[name], device, 16, torch.float32, grad)
    assert "aten.scaled_dot_product_attention.default" not in source


def _all(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v)


def _added(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    distance = torch.arange(q.shape[-2], device=q.device)[:, None] - torch.arange(k.shape[-2], device=q.device)
    return F.scaled_dot_product_attention(q, k, v, -distance.abs().to(q.dtype))


def _grouped_mask(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """What no fused kernel takes: groups of heads beside a mask."""
    lengths = torch.arange(q.shape[-2], device=q.device)
    return F.scaled_dot_product_attention(
        q, k[:, ::2], v[:, ::2], lengths[None, :] < 7 - lengths[:, None], enable_gqa=True
    )


TAKEN_APART: dict[str, Attention] = {
    "all": _all,
    "causal": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.2),
    "added": _added,
    "hidden-rows": hidden_rows,
    "grouped": lambda q, k, v: F.scaled_dot_product_attention(q, k[:, ::2], v[:, ::2], enable_gqa=True),
    "grouped-mask": _grouped_mask,
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", TAKEN_APART)
def test_taken_apart(name: str, device: str, dtype: torch.dtype) -> None:
    """PyTorch's formula for attention, scaled on either side and safe of hidden rows, is a call again."""
    with sdpa_kernel(SDPBackend.MATH):
        source = check(TAKEN_APART[name], device, 16, dtype, grad=False)
    assert "aten.scaled_dot_product_attention.default" in source
    assert source.count("@triton.jit") <= 3


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", TAKEN_APART)
def test_trained_taken_apart(name: str) -> None:
    """A backward pass reads the weights, so they are computed."""
    with sdpa_kernel(SDPBackend.MATH):
        check(TAKEN_APART[name], "cpu", 16, torch.float32, grad=True)
