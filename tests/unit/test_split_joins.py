"""Gradients of what is computed of joined scores, as of attention with sinks: part by part, scores in registers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Graph, Node

from mlc_compiler.frontend import partition
from mlc_compiler.frontend.pointwise import aten
from mlc_compiler.frontend.softmax_shift import drop_shifts
from tests.unit.generated_kernels import DEVICES, compiled
from tests.unit.test_online_gradients import always as always
from tests.unit.test_online_gradients import in_registers, with_gradients
from tests.unit.test_online_products import Results, inputs, scores

ZEROS = (aten.new_zeros.default, aten.full.default, aten.zeros.default)


def spread(sinks: Tensor, s: Tensor) -> Tensor:
    return sinks.expand(*s.shape[:-1], sinks.shape[-1])


def later(s: Tensor) -> Tensor:
    """Which keys come later than the row, or at most 5 before it: the first rows see none."""
    i = torch.arange(s.shape[-1], device=s.device)
    return i > torch.arange(s.shape[-2], device=s.device)[:, None] - 5


def last(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    s = scores(q, k).masked_fill(later(scores(q, k)), -torch.inf)
    return torch.cat([s, spread(sinks, s)], -1).softmax(-1)[..., :-1] @ v


def first(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    s = scores(q, k)
    return torch.cat([spread(sinks, s), s], -1).softmax(-1)[..., 1:] @ v


def grouped(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    k, v = (x[:, :1].repeat_interleave(q.shape[1], 1) for x in (k, v))
    return last(q, k, v, sinks)


def wide(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    """Sinks in float32: what they are joined to becomes that as well. In float64 nothing does."""
    s = scores(q, k)
    sinks = spread(sinks, s) if s.dtype == torch.float64 else spread(sinks, s).float()
    return torch.cat([s, sinks], -1).softmax(-1)[..., :-1].to(v.dtype) @ v


def three(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    """Scores between two parts that have no value."""
    s = scores(q, k)
    return torch.cat([spread(sinks, s), s, spread(2 * sinks, s)], -1).softmax(-1)[..., 1:-1] @ v


def rows_last(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    """Joined along the second last dimension."""
    s = scores(k, q)
    return (v.mT @ torch.cat([s, sinks.expand(*s.shape[:-2], 1, s.shape[-1])], -2).softmax(-2)[..., :-1, :]).mT


def capped(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    """Pointwise ops of all parts together, with numbers that are the same for all keys, and others for each."""
    s = scores(q, k)
    both = torch.tanh(torch.cat([s, spread(sinks, s)], -1) / 2) * torch.linspace(1, 2, q.shape[-2])[:, None].to(s)
    return both.log_softmax(-1).exp()[..., :-1] @ v


def gpt_oss(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    """As Hugging Face writes it: the maximum is subtracted, and gradients go through it."""
    s = scores(q, k).masked_fill(later(scores(q, k)), -torch.inf)
    both = torch.cat([s, sinks.reshape(1, -1, 1, 1).expand(*s.shape[:-1], -1)], -1)
    both = both - both.max(-1, keepdim=True).values
    return both.softmax(-1, dtype=both.dtype)[..., :-1] @ v


def both_cut(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    """Both parts are read behind the softmax."""
    s = scores(q, k)
    p = torch.cat([s, spread(sinks, s)], -1).softmax(-1)
    kept, rest = p.split([s.shape[-1], 1], -1)
    return (kept @ v) * (1 - rest) + p[..., -1:]


SPLIT = {f.__name__: f for f in (last, first, grouped, wide, three, rows_last, capped, gpt_oss)}
"""Functions of q [2, 2, rows, 16], k and v [2, 2, keys, 16], and sinks [2, 1, 1]."""


def with_sinks(device: str, dtype: torch.dtype, rows: int, keys: int) -> list[Tensor]:
    given = inputs(device, dtype, rows, keys)
    return [*given, torch.randn(2, 1, 1).to(device, dtype)]


def check(function: Callable[..., Tensor], given: list[Tensor], cpu: str | None) -> list[str]:
    """That gradients are about as near to float64 as eager's; the sources of kernels."""
    sources: list[str] = []
    found = with_gradients(compiled(function, sources, cpu=cpu), given)
    eager, exact = with_gradients(function, given), with_gradients(function, [x.double() for x in given])
    for results in zip(found, eager, exact, strict=True):
        Results(*results).check()
    return sources


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", SPLIT)
@pytest.mark.parametrize("where", DEVICES)
def test_numbers(where: tuple[str, str | None], name: str) -> None:
    device, cpu = where
    sources = check(SPLIT[name], with_sinks(device, torch.bfloat16, 24, 40), cpu)
    assert in_registers(sources) == [1, 2]
    assert not any(call in source for source in sources for call in ("aten.bmm", "aten.mm", "torch.bmm", "torch.mm"))


@pytest.mark.parametrize("target", ZEROS[1:], ids=str)
def test_zeros_of_other_versions(target: OpOverload, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a gradient is scattered into is made in one way or another, by the version of PyTorch."""
    found: list[Node] = []

    def spelled(graph: Graph) -> None:
        made = [node for other in ZEROS for node in graph.find_nodes(op="call_function", target=other)]
        for node in [node for node in made if node.target is not aten.full.default or node.args[1] == 0]:
            value = node.meta["val"]
            args = ([*value.shape], 0) if target is aten.full.default else ([*value.shape],)
            with graph.inserting_before(node):
                new = graph.call_function(target, args, {"dtype": value.dtype, "device": value.device})
            new.meta = dict(node.meta)
            node.replace_all_uses_with(new)
            graph.erase_node(node)
            found.append(new)
        drop_shifts(graph)

    monkeypatch.setattr(partition, "drop_shifts", spelled)
    assert in_registers(check(gpt_oss, with_sinks("cpu", torch.bfloat16, 24, 40), "interpret")) == [1, 2]
    assert found


def test_both_parts_are_read() -> None:
    """The gradient of the weights is a sum of two, each of which is 0 in one part."""
    sources = check(both_cut, with_sinks("cpu", torch.bfloat16, 24, 40), "interpret")
    assert in_registers(sources)[1] == 2


@pytest.mark.usefixtures("always")
def test_several_blocks() -> None:
    sources = check(last, with_sinks("cpu", torch.float32, 150, 150), "interpret")
    assert in_registers(sources) == [1, 2]


@pytest.mark.parametrize("function", [first, last, gpt_oss])
@pytest.mark.parametrize("number", [torch.nan, torch.inf, -torch.inf])
def test_numbers_that_are_not_finite(number: float, function: Callable[..., Tensor]) -> None:
    """As sink of one head, and as a number of a key."""
    given = with_sinks("cpu", torch.bfloat16, 24, 40)
    given[3][0] = number
    given[1][0, 1, 3, 5] = number
    found = with_gradients(compiled(function, [], cpu="interpret"), given)
    for ours, eager in zip(found, with_gradients(function, given), strict=True):
        assert torch.equal(ours.isnan(), eager.isnan()) and torch.equal(ours.isinf(), eager.isinf())


def whole(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    s = scores(q, k)
    p = torch.cat([s, spread(sinks, s)], -1).softmax(-1)
    return torch.cat([p[..., :-1] @ v, p], -1)


def as_a_factor(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    s = scores(q, k)
    return torch.cat([s, spread(sinks, s)], -1).softmax(-1) @ torch.cat([v, v[..., :1, :]], -2)


def across(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    """A slice that is no part."""
    s = scores(q, k)
    return torch.cat([s, spread(sinks, s)], -1).softmax(-1)[..., 1:] @ v


def returned(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    """A view of a slice: it has the strides of the whole."""
    s = scores(q, k)
    return torch.cat([s, spread(sinks, s) * v[..., :1, :1]], -1).softmax(-1)[..., :-1].mT


@pytest.mark.parametrize("function", [whole, as_a_factor, across, returned])
def test_what_is_needed_whole_stays(function: Callable[..., Tensor]) -> None:
    sources = check(function, with_sinks("cpu", torch.bfloat16, 24, 40), "interpret")
    assert in_registers(sources) == [0, 0]


def sum_of_exponentials(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    """Of joined tensors that are no scores: they stay as they are."""
    return torch.cat([q, sinks.expand(*q.shape[:-1], 1)], -1).logsumexp(-1) + k[..., 0, :1] + v[..., 0, :1]


def of_scores(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
    """A joined result of a product that becomes no factor of another one."""
    s = scores(q, k)
    return torch.cat([spread(sinks, s), s], -1).logsumexp(-1) + v[..., 0, :1]


@pytest.mark.parametrize("function", [sum_of_exponentials, of_scores])
def test_other_joined_tensors(function: Callable[..., Tensor]) -> None:
    check(function, with_sinks("cpu", torch.float32, 24, 40), "interpret")


def test_gradients_of_a_maximum_that_are_not_zero() -> None:
    """Only what a softmax is given may be shifted."""

    def shifted(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Tensor:
        s = scores(q, k) + sinks
        return torch.sigmoid(s - s.max(-1, keepdim=True).values) @ v

    sources = check(shifted, with_sinks("cpu", torch.bfloat16, 24, 40), "interpret")
    assert in_registers(sources) == [0, 0]


def test_gradient_of_the_maximum_of_a_scalar() -> None:
    x = torch.tensor(3.0, requires_grad=True)
    compiled(lambda x: torch.max(x, 0).values, [], cpu="interpret")(x).backward()
    assert x.grad == 1


def test_what_heads_share_is_kept_once() -> None:
    """Beside the inputs and the result: the maximum and the sum of each row."""
    kept: list[int] = []
    q, k, v, sinks = with_sinks("cpu", torch.bfloat16, 150, 150)
    given = [x.requires_grad_() for x in (q, k[:, :1].detach(), v[:, :1].detach(), sinks)]
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x.numel()) or x, lambda x: x):
        compiled(grouped, [], cpu="interpret")(*given)
    assert sorted(kept) == sorted([q.numel(), q.numel(), q.numel() // 2, q.numel() // 2, 600, 600, 2])
