"""Attention with dropout that a program spells out is PyTorch's own kernel where it has one.

What the forward drops, the backward drops. CPUs have no such kernel. Here flash attention, which PyTorch differentiates
on any device, has a formula for CPUs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import GraphModule
from torch.library import _scoped_library
from torch.utils.checkpoint import checkpoint

from mlc_compiler.frontend import library_attention
from tests.unit.generated_kernels import compiled

aten = torch.ops.aten
RATE = 0.25
FORWARD, BACKWARD, SEEDS = "_flash_attention.default", "_flash_attention_backward.default", "mlc.seeds"


def scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5


def dropped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.dropout(scores(q, k).softmax(-1), RATE) @ v


def causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    later = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).triu(1)
    return F.dropout(scores(q, k).masked_fill(later, float("-inf")).softmax(-1), RATE) @ v


def weights_of(q: Tensor, k: Tensor, seed: Tensor, rate: float, is_causal: bool, scale: float) -> tuple[Tensor, Tensor]:
    """The softmax, and by what dropout multiplies it: a function of the seed."""
    found = (q.double() @ k.double().mT) * scale
    if is_causal:
        found = found.masked_fill(torch.ones(found.shape[-2:], dtype=torch.bool).triu(1), float("-inf"))
    generator = torch.Generator().manual_seed(int(seed.view(torch.int64)[0]))
    return found.softmax(-1), (torch.rand(found.shape, generator=generator) >= rate) / (1 - rate)


def forward(
    q: Tensor, k: Tensor, v: Tensor, rate: float = 0.0, is_causal: bool = False, debug: bool = False, *, scale: float
) -> tuple[Any, ...]:
    seed = torch.randint(2**62, [2]).view(torch.uint64)
    weights, factors = weights_of(q, k, seed, rate, is_causal, scale)
    result = torch.empty_like(q).copy_((weights * factors) @ v.double())
    lse, rest = torch.zeros(q.shape[:-1]), torch.empty([], dtype=torch.uint64)
    return result, lse, None, None, q.shape[2], k.shape[2], seed, rest, q.new_empty(0)


def backward(
    gradient: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, q_starts: Any, k_starts: Any,
    longest_q: int, longest_k: int, rate: float, is_causal: bool, seed: Tensor, rest: Tensor, *, scale: float
) -> tuple[Tensor, ...]:  # fmt: skip
    weights, factors = weights_of(q, k, seed, rate, is_causal, scale)
    of_weights = (gradient.double() @ v.double().mT) * factors
    of_scores = scale * weights * (of_weights - (of_weights * weights).sum(-1, keepdim=True))
    found = (of_scores @ k.double(), of_scores.mT @ q.double(), (weights * factors).mT @ gradient.double())
    return tuple(torch.empty_like(x).copy_(g) for x, g in zip((q, k, v), found, strict=True))


@pytest.fixture
def flash(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """PyTorch chooses flash attention, as it does on a GPU."""

    def chosen(source: str, device: str) -> GraphModule:
        module = graph_module(source, device)
        for node in module.graph.find_nodes(op="call_function", target=aten.scaled_dot_product_attention.default):
            q, k, v, mask, rate, is_causal = node.args
            assert mask is None
            with module.graph.inserting_before(node):
                call: Any = (aten._scaled_dot_product_flash_attention.default, (q, k, v, rate, is_causal), node.kwargs)
                result = module.graph.call_function(operator.getitem, (module.graph.call_function(*call), 0))
            node.replace_all_uses_with(result)
            module.graph.erase_node(node)
        module.recompile()
        return module

    graph_module = library_attention.graph_module
    monkeypatch.setattr(library_attention, "graph_module", chosen)
    with _scoped_library("aten", "IMPL") as library:
        library.impl("_scaled_dot_product_flash_attention", forward, "CPU")
        library.impl("_scaled_dot_product_flash_attention_backward", backward, "CPU")
        yield


def inputs(device: str = "cpu", keys: int = 32) -> list[Tensor]:
    """Values are the identity and columns of zeros, for heads are wider: the first columns of the result are the
    weights. There is one gradient of each, in bfloat16.
    """
    torch.manual_seed(0)
    q, k = (torch.randn(2, 3, keys, 2 * keys).to(device, torch.bfloat16) for _ in range(2))
    v = torch.eye(keys, 2 * keys).expand(2, 3, -1, -1).contiguous().to(device, torch.bfloat16)
    return [x.requires_grad_() for x in (q, k, v)]


def trained(function: Callable[..., Any], sources: list[str]) -> Callable[..., Any]:
    return compiled(function, sources, cpu="interpret", products="quicker")


def counts(source: str) -> tuple[int, int, int]:
    return source.count(FORWARD), source.count(BACKWARD), source.count(SEEDS)


def check_gradients(function: Callable[..., Tensor], run: Callable[..., Tensor], given: list[Tensor]) -> Tensor:
    """The weights that the forward gave; the gradients are those of `function` with what it kept of them."""
    result = run(*given)
    weights = result.detach()[..., : result.shape[-2]]
    upstream = torch.randn(result.shape).to(result)
    found = torch.autograd.grad(result, given, upstream)
    torch.testing.assert_close(found[2], weights.mT @ upstream, rtol=2e-2, atol=2e-2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(F, "dropout", lambda x, p: x * (weights != 0) / (1 - p))
        expected = torch.autograd.grad(function(*given), given, upstream)
    for ours, eager in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, eager, rtol=3e-2, atol=3e-2)
    return weights


@pytest.mark.usefixtures("flash")
@pytest.mark.parametrize("function, share", [(dropped, RATE), (causal, 1 - (1 - RATE) * 33 / 64)])
def test_forward_and_backward_drop_the_same(function: Callable[..., Tensor], share: float) -> None:
    given, sources = inputs(), list[str]()
    weights = check_gradients(function, trained(function, sources), given)
    assert [counts(s) for s in sources] == [(1, 0, 0), (0, 1, 0)]
    assert f", {RATE}, " in sources[0] and abs((weights == 0).double().mean() - share) < 0.02


@pytest.mark.usefixtures("flash")
def test_numbers_are_the_generators() -> None:
    given, run = inputs(), trained(dropped, [])
    results = []
    for seed in (3, 3, 4):
        torch.manual_seed(seed)
        results.append((run(*given), run(*given)))
    (one, two), again, other = results
    assert torch.equal(one, again[0]) and torch.equal(two, again[1])
    assert not torch.equal(one, two) and not torch.equal(one, other[0])


def two_layers(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Equal ones, and a dropout behind them that is a kernel of ours."""
    return F.dropout(dropped(q, k, v) + dropped(q, k, v), 0.5)


@pytest.mark.usefixtures("flash")
def test_beside_other_dropout() -> None:
    """Each attention draws for itself; the seed of the other dropout is drawn and kept as before."""
    given, sources = inputs(), list[str]()
    found = trained(two_layers, sources)(*given)
    torch.autograd.grad(found.sum(), given)
    assert [counts(s) for s in sources] == [(2, 0, 1), (0, 2, 0)]
    share = (found[..., : found.shape[-2]] != 0).double().mean()
    assert abs(share - 0.5 * (1 - RATE**2)) < 0.02


@pytest.mark.usefixtures("flash")
def test_a_checkpoint_keeps_the_numbers() -> None:
    """What else is in it is computed again."""

    def function(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return checkpoint(dropped, q, k, v, use_reentrant=False)  # pyright: ignore[reportReturnType]

    sources: list[str] = []
    check_gradients(dropped, trained(function, sources), inputs())
    assert [counts(s) for s in sources] == [(1, 0, 0), (0, 1, 0)]


def returned(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    weights = F.dropout(scores(q, k).softmax(-1), RATE)
    return weights @ v, weights


def masked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.dropout((scores(q, k) + q[..., :1].detach()).softmax(-1), RATE) @ v


def rare(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.dropout(scores(q, k).softmax(-1), 0.001) @ v


def by_rows(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scores(q, k).softmax(-1) * F.dropout(torch.ones_like(q[..., :1]), RATE) @ v


@pytest.mark.usefixtures("flash")
@pytest.mark.parametrize("function", [returned, masked, rare, by_rows])
def test_other_dropout_stays(function: Callable[..., Any]) -> None:
    given, sources = inputs(), list[str]()
    found = trained(function, sources)(*given)
    torch.autograd.grad(found[0].sum(), given)
    assert not any(FORWARD in s or BACKWARD in s for s in sources) and SEEDS in sources[0]


@pytest.mark.usefixtures("flash")
def test_float32_stays() -> None:
    given, sources = [x.detach().float().requires_grad_() for x in inputs()], list[str]()
    trained(dropped, sources)(*given).sum().backward()
    assert not any(FORWARD in s for s in sources)


@pytest.mark.parametrize("cpu", ["interpret", "native"])
def test_a_device_without_a_kernel(cpu: str) -> None:
    """PyTorch would multiply matrices itself: kernels of ours draw, forward and backward."""
    given, sources = inputs(), list[str]()
    compiled(dropped, sources, cpu=cpu, products="quicker")(*given).sum().backward()
    assert SEEDS in sources[0] and not any("attention" in s for s in sources)


KERNELS = ("flash_attention", "efficient_attention", "cudnn_attention")


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("function, share", [(dropped, RATE), (causal, 1 - (1 - RATE) * 65 / 128)])
def test_kernels_drop_the_same(function: Callable[..., Tensor], share: float, dtype: torch.dtype) -> None:
    """One call forward and one backward; each weight that is kept is the softmax, scaled."""
    given = [x.detach().to(dtype).requires_grad_() for x in inputs("cuda", 64)]
    sources: list[str] = []
    weights = check_gradients(function, compiled(function, sources, products="quicker"), given)
    assert [sum(s.count(name) for name in KERNELS) for s in sources] == [1, 1]
    assert not any(SEEDS in s for s in sources)
    assert abs((weights == 0).double().mean().item() - share) < 0.02
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(F, "dropout", lambda x, p: x / (1 - p))
        undropped = function(*given).detach()[..., : weights.shape[-1]]
    torch.testing.assert_close(weights, undropped * (weights != 0), rtol=2e-2, atol=2e-3)


def without_gradients(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.dropout(scores(q, k).softmax(-1), 0.1) @ v


@pytest.mark.gpu
@pytest.mark.parametrize("gradients", [False, True])
def test_numbers_of_kernels(gradients: bool) -> None:
    """The rate, the mean and the deviation; other numbers at each call, and the same from the same seed."""
    given, sources = [x.detach().requires_grad_(gradients) for x in inputs("cuda", 128)], list[str]()
    run = compiled(without_gradients, sources, products="quicker")
    results = []
    for seed in (3, 3, 4):
        torch.manual_seed(seed)
        results.append((run(*given).detach(), run(*given).detach()))
    (one, two), again, other = results
    assert torch.equal(one, again[0]) and torch.equal(two, again[1])
    assert not torch.equal(one, two) and not torch.equal(one, other[0])
    assert "attention" in sources[0] and SEEDS not in sources[0]
    kept = torch.stack([x[..., : x.shape[-2]] for x in (one, two, other[0], other[1])]) != 0
    assert abs(kept.double().mean().item() - 0.9) < 0.005
    of_rows = kept.double().mean(-1)
    assert abs(of_rows.std().item() - (0.09 / 128) ** 0.5) < 0.002
    assert abs(one.double().sum(-1).mean().item() - 1) < 0.01
    both = (kept[0] & kept[1]).double().mean().item()
    assert abs(both - 0.81) < 0.01
