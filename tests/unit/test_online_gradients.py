"""Gradients of products that follow each other: the backward computes scores again, and keeps them in registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mlc_compiler.options import WORTH
from passes.common.online_tiling import OnlineSizes, best_online_tiling
from passes.loop.schedule import tile_online
from tests.unit.generated_kernels import ARCHITECTURES, DEVICES, ahead_of_time, compiled
from tests.unit.test_online_products import FUSED, SCORES, Results, capped, hidden, inputs, plain, scores

IN_PARTS = ("spelled out", "divided last", "sinks")
"""Autograd differentiates the maximum that these subtract, which needs sums along the keys of what scores become."""
GRADIENTS = {name: function for name, function in FUSED.items() if name not in IN_PARTS}


def dropped_out(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.dropout(scores(q, k).softmax(-1), 0.25, True) @ v


def with_gradients(function: Callable[..., Any], given: list[Tensor]) -> list[Tensor]:
    """The result of a function, and the gradients of what it is given; those of the result are random."""
    leaves = [x.detach().requires_grad_() for x in given]
    found = function(*leaves)
    torch.manual_seed(1)
    gradient = torch.randn(found.shape).to(found.device, torch.bfloat16).to(found.dtype)
    return [found, *torch.autograd.grad(found, leaves, gradient)]


def in_registers(sources: list[str]) -> list[int]:
    """How many kernels of the forward and the backward hold scores in registers."""
    return [source.count(SCORES) for source in sources]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("where", DEVICES)
def test_numbers(where: tuple[str, str | None], name: str) -> None:
    """Each number is about as near to float64 as eager's; no score is in memory."""
    device, cpu = where
    function, given, sources = GRADIENTS[name], inputs(device, torch.bfloat16, 24, 40), list[str]()
    found = with_gradients(compiled(function, sources, cpu=cpu), given)
    assert in_registers(sources) == [1, 2]
    assert not any(call in source for source in sources for call in ("aten.bmm", "aten.mm", "torch.bmm", "torch.mm"))
    eager, exact = with_gradients(function, given), with_gradients(function, [x.double() for x in given])
    for three in zip(found, eager, exact, strict=True):
        Results(*three).check()


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is predicted: no tensor core multiplies float32, and the library does it quicker."""
    monkeypatch.setitem(WORTH, "generated", 100.0)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("where", DEVICES)
def test_several_blocks(where: tuple[str, str | None], dtype: torch.dtype) -> None:
    """Of rows and keys, the last ones partial; a window hides blocks at both ends of each row, and of each key."""
    device, cpu = where
    function, given, sources = FUSED["window"], inputs(device, dtype, 150, 150), list[str]()
    found = with_gradients(compiled(function, sources, cpu=cpu), given)
    assert in_registers(sources) == [1, 2] and sources[1].count("tl.range(") == 6  # loops cut at both ends
    eager, exact = with_gradients(function, given), with_gradients(function, [x.double() for x in given])
    for three in zip(found, eager, exact, strict=True):
        Results(*three).check()


@pytest.mark.parametrize("name", IN_PARTS)
def test_what_sums_gradients_along_keys_is_computed_in_parts(name: str) -> None:
    given, sources = inputs("cpu", torch.bfloat16, 24, 40), list[str]()
    found = with_gradients(compiled(FUSED[name], sources, cpu="interpret"), given)
    assert in_registers(sources) == [0, 0]
    for ours, eager in zip(found, with_gradients(FUSED[name], given), strict=True):
        torch.testing.assert_close(ours, eager, rtol=2e-2, atol=2e-2)


@pytest.mark.usefixtures("always")
def test_dropout_is_the_same_in_both() -> None:
    """What a row drops is drawn again from its seed. Where a weight is dropped its gradient is 0."""
    given, sources = inputs("cpu", torch.float32, 24, 40), list[str]()
    function = compiled(dropped_out, sources, cpu="interpret")
    q, k, v = (x.requires_grad_() for x in given)
    v.data = torch.eye(40, 16).expand(2, 2, 40, 16).contiguous()
    found = function(q, k, v)
    (gradient,) = torch.autograd.grad(found.sum(), v)
    assert in_registers(sources) == [1, 2]
    kept = gradient.sum((-2, -1)) / 16  # the sum of all weights that are kept, which is near the number of rows
    assert ((kept / 24 - 1).abs() < 0.2).all() and (found == 0).float().mean() > 0.15


def returned(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = scores(q, k).softmax(-1)
    return torch.cat([weights @ v, weights], -1)


def shared_bias(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The gradient of the bias sums those of the scores of all heads: they have to be in memory."""
    return torch.softmax(scores(q, k) + q[0, 0] @ k[0, 0].mT, -1) @ v


@pytest.mark.parametrize("function", [returned, shared_bias])
def test_scores_that_others_read_are_kept(function: Callable[..., Tensor]) -> None:
    given, sources = inputs("cpu", torch.bfloat16, 24, 40), list[str]()
    with_gradients(compiled(function, sources, cpu="interpret"), given)
    assert in_registers(sources) == [0, 0]


def biased(q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
    """T5: a number for each pair of positions, of each head, which the batch has in common."""
    return torch.softmax(scores(q, k) + bias, -1) @ v


def biased_and_capped(q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
    return torch.softmax(torch.tanh(scores(q, k) + bias.float()) * 3.0, -1).to(v.dtype) @ v


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("function", [biased, biased_and_capped])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("keys", [24, 90])
@pytest.mark.parametrize("where", DEVICES)
def test_scores_that_a_batch_adds_up(
    where: tuple[str, str | None], keys: int, dtype: torch.dtype, function: Callable[..., Tensor]
) -> None:
    """The gradient of what a batch has in common is one kernel more, which adds up blocks of scores in registers."""
    device, cpu = where
    given, sources = inputs(device, dtype, 40, keys), list[str]()
    given.append(torch.randn(1, 2, 40, keys).to(device, dtype))
    found = with_gradients(compiled(function, sources, cpu=cpu), given)
    assert in_registers(sources) == [1, 3]
    eager, exact = with_gradients(function, given), with_gradients(function, [x.double() for x in given])
    for three in zip(found, eager, exact, strict=True):
        Results(*three).check()


@pytest.mark.usefixtures("always")
def test_keys_that_heads_share_where_a_batch_adds_up() -> None:
    """Scores of all heads have the same keys, but not the same values: heads are no rows of one product."""
    q, k, v = inputs("cpu", torch.float32, 40, 24)
    given, sources = [q, k[:, :1].contiguous(), v, torch.randn(1, 2, 40, 24)], list[str]()
    found = with_gradients(compiled(biased, sources, cpu="interpret"), given)
    for three in zip(found, *(with_gradients(biased, x) for x in (given, [x.double() for x in given])), strict=True):
        Results(*three).check()


def added(q: Tensor, k: Tensor) -> Tensor:
    """Without gradients: what is made of scores, added up over the batch, and over the heads alone."""
    return torch.tanh(scores(q, k)).sum(0)


def added_over_heads(q: Tensor, k: Tensor) -> Tensor:
    return torch.tanh(scores(q, k)).mT.sum(1)


def of_rows_too(q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """A sum of each row as well: no kernel has both, and scores are in memory."""
    t = torch.tanh(scores(q, k))
    return t.sum(0), t.sum(-1)


def in_pairs(q: Tensor, k: Tensor) -> Tensor:
    """Pairs of rows are added up, which is no sum over a batch."""
    return torch.tanh(scores(q, k)).unflatten(2, (-1, 2)).sum(2)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("function, kernels", [(added, 1), (added_over_heads, 1), (of_rows_too, 0), (in_pairs, 0)])
def test_sums_over_a_batch_alone(function: Callable[..., Any], kernels: int) -> None:
    q, k, _ = inputs("cpu", torch.float32, 40, 24)
    sources = list[str]()
    found = compiled(function, sources, cpu="interpret")(q, k)
    assert in_registers(sources) == [kernels]
    torch.testing.assert_close(found, function(q, k), rtol=1e-4, atol=1e-4)


def averaged(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """MultiheadAttention: beside the result its weights, as the mean of all heads."""
    weights = scores(q, k).softmax(-1)
    return torch.cat([(weights @ v).flatten(), weights.mean(1).flatten()])


@pytest.mark.usefixtures("always")
def test_a_softmax_that_is_added_up_is_in_memory() -> None:
    """Its maximum is known behind all keys of a row, of which a block of the sum has some."""
    given, sources = inputs("cpu", torch.float32, 40, 24), list[str]()
    found = with_gradients(compiled(averaged, sources, cpu="interpret"), given)
    assert in_registers(sources) == [0, 0]
    for three in zip(found, *(with_gradients(averaged, x) for x in (given, [x.double() for x in given])), strict=True):
        Results(*three).check()


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("shape", [(1, 1, 40, 24), (2, 1, 40, 24), (2, 1, 1, 24), (1, 2, 1, 24), (1, 2, 40, 1)])
def test_biases_of_any_shape(shape: tuple[int, ...]) -> None:
    """Sums over heads, over heads and the batch, and over rows or keys as well: in registers, or in parts."""
    given, sources = [*inputs("cpu", torch.float32, 40, 24), torch.randn(shape)], list[str]()
    found = with_gradients(compiled(biased, sources, cpu="interpret"), given)
    for three in zip(found, *(with_gradients(biased, x) for x in (given, [x.double() for x in given])), strict=True):
        Results(*three).check()


def keys_first(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Scores are [.., keys, rows], and their gradients [.., rows, keys]."""
    return torch.softmax((k @ q.mT).mT * 0.2, -1) @ v


def test_scores_and_gradients_may_lie_otherwise() -> None:
    given, sources = inputs("cpu", torch.bfloat16, 24, 40), list[str]()
    found = with_gradients(compiled(keys_first, sources, cpu="interpret"), given)
    assert in_registers(sources) == [1, 2]
    eager, exact = with_gradients(keys_first, given), with_gradients(keys_first, [x.double() for x in given])
    for three in zip(found, eager, exact, strict=True):
        Results(*three).check()


def test_short_rows_are_kept_by_default() -> None:
    """Where the prediction says that computing scores again takes longer than reading them."""
    given, sources = inputs("cpu", torch.bfloat16, 24, 40), list[str]()
    with_gradients(compiled(capped, sources, cpu="interpret", products="library"), given)
    assert in_registers(sources) == [0, 0]


@pytest.mark.parametrize("name", ["plain", "causal", "window", "slopes"])
def test_the_forward_keeps_numbers_of_rows(name: str) -> None:
    """Beside the inputs and the result: the maximum and the sum of each row, and no mask of positions."""
    kept: list[int] = []
    given = [x.requires_grad_() for x in inputs("cpu", torch.bfloat16, 150, 150)]
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x.numel()) or x, lambda x: x):
        compiled(FUSED[name], [], cpu="interpret")(*given)
    assert sorted(set(kept)) == [2 * 2 * 150, 2 * 2 * 150 * 16]


def test_factors_that_are_loaded_once() -> None:
    """Keys are a factor of the scores and of the gradients of queries; queries and gradients are two such factors."""
    sizes: list[OnlineSizes] = []
    seen = lambda found, device: sizes.append(found) or best_online_tiling(found, device)  # noqa: E731
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tile_online, "best_online_tiling", seen)
        rows = (2, 8, 1024)
        shapes = [((*rows, 64), torch.bfloat16)] * 4 + [((*rows, 1), torch.float32)] * 3
        ahead_of_time(gradients, shapes, "h200", 90)
    assert [(s.sums, s.shared) for s in sizes] == [(1, 1), (2, 2)]


def gradients(*given: Tensor) -> tuple[Tensor, ...]:
    """Those of causal attention, from the gradient of its result, and the maximum and the sum of each row."""
    q, k, v, gradient, most, total, inner = given
    i = torch.arange(q.shape[-2])
    mask = i > i[:, None]
    t = torch.tanh(q @ k.mT / 160)
    p = torch.exp((20 * t).float().masked_fill(mask, -torch.inf) - most) / total
    ds = (p * ((gradient @ v.mT).float() - inner)).masked_fill(mask, 0) * (1 - t * t)
    ds = ds.to(q.dtype) / 8
    return ds @ k, ds.mT @ q, p.to(q.dtype).mT @ gradient


@pytest.mark.sampled(4)
@pytest.mark.parametrize("depth", [64, 128])
@pytest.mark.parametrize("device, capability", ARCHITECTURES)
def test_no_register_is_spilled(device: str, capability: int, depth: int) -> None:
    """At the sizes of models: the gradients of queries in one kernel, those of keys and values in another."""
    rows = (4, 32, 4096)
    shapes = [((*rows, depth), torch.bfloat16)] * 4 + [((*rows, 1), torch.float32)] * 3
    source, kernels = ahead_of_time(gradients, shapes, device, capability)
    assert source.count(SCORES) == 2 and source.count("tl.dot(") == 2 * 7  # each loop is two: one without a mask
    assert all((used.spill_bytes, used.stack_bytes) == (0, 0) for used in kernels)


def of_bias(*given: Tensor) -> tuple[Tensor, ...]:
    """The gradients of a bias that a batch has in common, and of queries."""
    q, k, v, gradient, most, total, inner, bias = given
    p = torch.exp((q @ k.mT / 8 + bias).float() - most) / total
    ds = (p * ((gradient @ v.mT).float() - inner)).to(q.dtype)
    return ds.sum(0, keepdim=True), ds @ k


@pytest.mark.parametrize("device, capability", ARCHITECTURES)
def test_no_register_is_spilled_where_a_batch_adds_up(device: str, capability: int) -> None:
    rows = (16, 8, 1024)
    shapes = [((*rows, 64), torch.bfloat16)] * 4 + [((*rows, 1), torch.float32)] * 3
    source, kernels = ahead_of_time(of_bias, [*shapes, ((1, 8, 1024, 1024), torch.bfloat16)], device, capability)
    assert source.count(SCORES) == 2 and source.count("tl.dot(") == 5
    assert all((used.spill_bytes, used.stack_bytes) == (0, 0) for used in kernels)


def test_keys_that_nothing_sees() -> None:
    """More keys than rows see: gradients of the others are 0, not what memory held."""
    function, given = hidden(lambda i, j: j > i), inputs("cpu", torch.float32, 24, 150)
    found = with_gradients(compiled(function, [], cpu="interpret"), given)
    assert all((g[:, :, 24:] == 0).all() for g in found[2:])
    for ours, exact in zip(found, with_gradients(function, [x.double() for x in given]), strict=True):
        torch.testing.assert_close(ours.double(), exact, rtol=1e-4, atol=1e-5)


def test_sums_of_gradients_alone() -> None:
    """Of a number that is added to each row of scores, where no gradient of queries is asked for: a third kernel."""
    given, sources = inputs("cpu", torch.bfloat16, 24, 40), list[str]()
    row = given[0][..., :1].detach().contiguous()

    def attention(row: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return torch.relu(scores(given[0], k) + row) ** 2 / 40 @ v

    leaves = [row, *given[1:]]
    found = with_gradients(compiled(attention, sources, cpu="interpret"), leaves)
    assert in_registers(sources)[0] == 1 and in_registers(sources)[1] >= 2
    eager = with_gradients(attention, leaves)
    given[0] = given[0].double()
    for three in zip(found, eager, with_gradients(attention, [x.double() for x in leaves]), strict=True):
        Results(*three).check()


@pytest.mark.parametrize("products", ["generated", "quicker"])
def test_sizes_that_are_not_known(products: str) -> None:
    """Scores of any number of rows and keys are kept as before."""
    given, sources = inputs("cpu", torch.bfloat16, 24, 40), list[str]()
    function = compiled(plain, sources, dynamic=True, cpu="interpret", products=products)
    leaves = [x.requires_grad_() for x in given]
    found = torch.autograd.grad(function(*leaves).float().cos().sum(), leaves)
    eager = torch.autograd.grad(plain(*leaves).float().cos().sum(), leaves)
    assert in_registers(sources) == [0, 0]
    torch.testing.assert_close(found, eager, rtol=3e-2, atol=3e-2)
