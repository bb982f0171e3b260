"""Products that follow each other, such as attention: one kernel, whatever stands between them; numbers of float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from lowering.fx_to_tensor import import_callable
from lowering.loop_to_triton.lower import LoopToTritonPass
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.kernel_files import load_module
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_compiler.triton_interpreter.launch import portable
from mlc_support.parsing import parse_module
from tests.unit.generated_kernels import ARCHITECTURES, DEVICES, ahead_of_time, compiled
from tools.universe import context

SCORES = "scores in registers"
"""What a kernel's comment says of them."""
FEW = 16
"""Numbers of a result: gradients of a sink for each head are such."""


def scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.mT * 0.2


def positions(q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    return torch.arange(q.shape[-2], device=q.device)[:, None], torch.arange(k.shape[-2], device=q.device)


def hidden(where: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return scores(q, k).masked_fill(where(*positions(q, k)), -torch.inf).softmax(-1) @ v

    return attention


def plain(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, -1) @ v


def spelled_out(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    s = (q @ k.mT).float() * 0.2
    e = torch.exp(s - s.max(-1, keepdim=True).values)
    return (e / e.sum(-1, keepdim=True)).to(v.dtype) @ v


def divided_last(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    s = scores(q, k)
    e = torch.exp(s - s.amax(-1, keepdim=True))
    return (e @ v) / e.sum(-1, keepdim=True)


def logarithms(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.log_softmax(scores(q, k), -1).exp() @ v


def einsum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = torch.softmax(torch.einsum("bhqd,bhkd->bhqk", q, k) / 5, -1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, v)


def transposed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (v.mT @ torch.softmax(k @ q.mT * 0.2, -2)).mT


def added_mask(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mask = torch.full((q.shape[-2], k.shape[-2]), -torch.inf, device=q.device).triu(1)
    return torch.softmax(scores(q, k) + mask, -1).to(v.dtype) @ v


def slopes(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    i, j = positions(q, k)
    slope = torch.exp2(-torch.arange(1, q.shape[1] + 1, device=q.device)).to(q.dtype)[:, None, None]
    return torch.softmax(scores(q, k) - slope * (i - j).abs(), -1) @ v


def loaded_bias(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    bias = (q[..., :1] + k[..., :1].mT).sin().contiguous()
    return torch.softmax(scores(q, k) + bias, -1) @ v


def capped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(2 * torch.tanh(scores(q, k) / 2), -1) @ v


def sinks(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    s, sink = scores(q, k), torch.linspace(-1, 1, q.shape[1], device=q.device).to(q.dtype)[:, None, None]
    m = torch.maximum(s.amax(-1, keepdim=True), sink)
    e = torch.exp(s - m)
    return (e / (e.sum(-1, keepdim=True) + torch.exp(sink - m))) @ v


def joined_sinks(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """As models write them: one more logit of each head, which is cut off behind the softmax."""
    s, sink = scores(q, k), torch.linspace(-1, 1, q.shape[1], device=q.device).to(q.dtype)[:, None, None]
    logits = torch.cat([s, sink.expand(*s.shape[:-1], 1)], -1)
    logits = logits - logits.max(-1, keepdim=True).values
    return torch.softmax(logits, -1)[..., :-1] @ v


def sinks_alone(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The first rows see no key: all of their weight is the sink's."""
    i, j = positions(q, k)
    s = scores(q, k).masked_fill(j > i - 5, -torch.inf)
    sink = torch.linspace(-1, 1, q.shape[1], device=q.device).to(q.dtype)[:, None, None]
    return torch.softmax(torch.cat([s, sink.expand(*s.shape[:-1], 1)], -1), -1)[..., :-1] @ v


def repeated_heads(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    k, v = (x[:, :1].repeat_interleave(q.shape[1], 1) for x in (k, v))
    return plain(q, k, v)


def grouped_heads(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    b, h, rows, d = q.shape
    q, k, v = q.view(b, 1, h, rows, d), k[:, :1, None], v[:, :1, None]
    return (torch.softmax(scores(q, k), -1) @ v).reshape(b, h, rows, d)


def dropped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    i, j = positions(q, k)
    return (torch.softmax(scores(q, k), -1) * ((i + j) % 3 > 0)) @ v


def no_softmax(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (torch.relu(scores(q, k)) ** 2 / k.shape[-2]) @ v


def one_head(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return plain(q[0, 0], k[0, 0], v[0, 0])


FUSED = {
    "plain": plain,
    "spelled out": spelled_out,
    "divided last": divided_last,
    "logarithms": logarithms,
    "einsum": einsum,
    "transposed": transposed,
    "causal": hidden(lambda i, j: j > i),
    "window": hidden(lambda i, j: (j > i + 2) | (j < i - 9)),
    "hides whole rows": hidden(lambda i, j: j > i - 5),
    "added mask": added_mask,
    "slopes": slopes,
    "loaded bias": loaded_bias,
    "capped": capped,
    "sinks": sinks,
    "joined sinks": joined_sinks,
    "sinks alone": sinks_alone,
    "repeated heads": repeated_heads,
    "grouped heads": grouped_heads,
    "dropped": dropped,
    "no softmax": no_softmax,
    "one head": one_head,
}
"""Functions of q [2, 2, rows, 16], k and v [2, 2, keys, 16]."""


def inputs(device: str, dtype: torch.dtype, rows: int, keys: int) -> list[Tensor]:
    torch.manual_seed(0)
    return [torch.randn(2, 2, length, 16, device=device).to(dtype) for length in (rows, keys, keys)]


@dataclass(frozen=True)
class Results:
    """What one function gives: ours, eager's, and in float64."""

    found: Tensor
    eager: Tensor
    exact: Tensor

    def check(self) -> None:
        """Ours has eager's form, NaN where there is one, and is at least about as near to float64 as eager."""
        found, eager, exact = self.found, self.eager, self.exact
        assert (found.shape, found.dtype, found.stride()) == (eager.shape, eager.dtype, eager.stride())
        assert torch.equal(found.isnan(), exact.isnan())
        error, allowed = ((y.double() - exact).nan_to_num().abs().max().item() for y in (found, eager))
        # Of few numbers eager's may be the nearest by chance.
        unit = torch.finfo(found.dtype).eps * exact.nan_to_num().abs().max().item() if found.numel() < FEW else 0
        assert error <= 1.5 * allowed + unit + 1e-6


def results(functions: Sequence[Callable[..., Tensor]], given: list[Tensor], cpu: str | None) -> list[Results]:
    """The results of functions that are compiled as one program; each has a q of its own, lest scores be shared."""
    q, *others = given
    queries = [q * (1 + n / 8) for n in range(len(functions))]
    sources: list[str] = []

    def every(queries: list[Tensor], k: Tensor, v: Tensor) -> list[Tensor]:
        return [function(q, k, v) for function, q in zip(functions, queries, strict=True)]

    found, eager = compiled(every, sources, cpu=cpu)(queries, *others), every(queries, *others)
    exact = every([q.double() for q in queries], *(x.double() for x in others))
    assert "ops.aten" not in sources[0], "batched products that are not fused are the library's"
    assert SCORES in sources[0]
    return [Results(*three) for three in zip(found, eager, exact, strict=True)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("where", DEVICES)
def test_numbers(where: tuple[str, str | None], subtests: Any) -> None:
    device, cpu = where
    given = inputs(device, torch.bfloat16, 16, 40)
    for name, one in zip(FUSED, results(list(FUSED.values()), given, cpu), strict=True):
        with subtests.test(name):
            one.check()


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("where", DEVICES)
def test_other_types(where: tuple[str, str | None], dtype: torch.dtype) -> None:
    """Several blocks of rows and keys, the last ones partial."""
    device, cpu = where
    for one in results([FUSED["window"], plain], inputs(device, dtype, 70, 150), cpu):
        one.check()


@pytest.mark.parametrize("where", DEVICES)
def test_infinities_and_nan(where: tuple[str, str | None]) -> None:
    """A row with a score of NaN or inf is NaN, and no other is."""
    device, cpu = where
    q, k, v = inputs(device, torch.bfloat16, 20, 33)
    q[0, 0, 3, 2], q[1, 1, 5] = torch.nan, torch.inf
    v[0, 1, 7, 4] = torch.inf
    found, exact = compiled(plain, [], cpu=cpu)(q, k, v), plain(q.double(), k.double(), v.double())
    # Not eager's bfloat16: with AMX the row before one of NaN is NaN too.
    assert torch.equal(found.isnan(), exact.isnan()) and torch.equal(found.isinf(), exact.isinf())


@pytest.mark.parametrize("where", DEVICES)
def test_large_scores(where: tuple[str, str | None]) -> None:
    """The maximum is subtracted before exponentials overflow, wherever it comes along the keys."""
    device, cpu = where
    q, k, v = inputs(device, torch.float32, 17, 150)
    function = compiled(plain, [], cpu=cpu)
    for x in (q * 1000, q * 1e12, q * 1e-30):
        exact = plain(x.double(), k.double(), v.double()).float()
        torch.testing.assert_close(function(x, k, v), exact, rtol=1e-3, atol=1e-4)


def cross_entropy(h: Tensor, w: Tensor, bias: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy((h @ w.t()).float(), target)


def capped_logits(h: Tensor, w: Tensor, bias: Tensor, target: Tensor) -> Tensor:
    logits = 3 * torch.tanh(F.linear(h, w, bias) / 3)
    return F.cross_entropy(logits, target, reduction="none")


def by_hand(h: Tensor, w: Tensor, bias: Tensor, target: Tensor) -> Tensor:
    logits = (h @ w.t()).float()
    total = torch.logsumexp(logits, -1)
    return total - logits.gather(1, target.clamp(min=0)[:, None])[:, 0] + 0.1 * total**2


def greatest(h: Tensor, w: Tensor, bias: Tensor, target: Tensor) -> Tensor:
    return (h @ w.t()).amax(-1)


def log_total(h: Tensor, w: Tensor) -> Tensor:
    return torch.logsumexp(h @ w.t(), -1)


CLASSES = [cross_entropy, capped_logits, by_hand, greatest]
"""Functions of what a last linear layer is given: [rows, 48], [classes, 48], a bias, and the class of each row."""


@pytest.mark.parametrize("where", DEVICES)
def test_cross_entropy(where: tuple[str, str | None], subtests: Any) -> None:
    """Logits, of which there are rows x classes, stay in registers."""
    device, cpu = where
    torch.manual_seed(0)
    h, w, bias = (torch.randn(shape, device=device).bfloat16() for shape in ((70, 48), (150, 48), (150,)))
    w, target = w / 4, torch.randint(0, 150, (70,), device=device)
    target[3] = -100
    sources: list[str] = []

    def every(h: Tensor, w: Tensor, bias: Tensor) -> list[Tensor]:
        return [function(h * (1 + n), w, bias, target) for n, function in enumerate(CLASSES)]

    found, eager = compiled(every, sources, cpu=cpu)(h, w, bias), every(h, w, bias)
    assert "ops.aten" not in sources[0] and sources[0].count("tl.dot(") == len(CLASSES)
    assert SCORES in sources[0]
    for function, *three in zip(CLASSES, found, eager, every(*(x.double() for x in (h, w, bias))), strict=True):
        with subtests.test(function.__name__):
            Results(*three).check()


def returned(q: Tensor, k: Tensor, v: Tensor) -> Any:
    weights = scores(q, k).softmax(-1)
    return weights @ v, weights


def recentred(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = scores(q, k).softmax(-1)
    return (weights - weights.mean(-1, keepdim=True)) @ v


APART = {
    "weights are returned": returned,
    "softmax over rows": lambda q, k, v: scores(q, k).softmax(-2) @ v,
    "not linear": lambda q, k, v: (scores(q, k).softmax(-1) ** 2) @ v,
    "less their mean": recentred,
    "few keys": lambda q, k, v: scores(q, k[..., :8, :]).softmax(-1) @ v[..., :8, :],
    "no keys": lambda q, k, v: scores(q, k[..., :0, :]).softmax(-1) @ v[..., :0, :],
}


def test_what_has_no_online_form_is_computed_in_parts() -> None:
    given = inputs("cpu", torch.bfloat16, 20, 20)
    functions, sources = list(APART.values()), list[str]()

    def every(q: Tensor, k: Tensor, v: Tensor) -> list[Any]:
        return [function(q * (1 + n / 8), k, v) for n, function in enumerate(functions)]

    found = compiled(every, sources, cpu="interpret")(*given)
    assert SCORES not in sources[0]
    torch.testing.assert_close(found, every(*given), rtol=2e-2, atol=2e-2)


def test_scores_that_are_read_again_and_again() -> None:
    """Each of thirty steps reads the one before twice: what is asked of a score is asked once, not once a path."""

    def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        s = scores(q, k)
        for _ in range(30):
            s = s * torch.tanh(s)
        return s.softmax(-1) @ v

    module = import_callable(attention, inputs("cpu", torch.bfloat16, 20, 20)).module
    lower_to(module, "fused", CompilerOptions(products="generated"))
    assert str(module).count('kind "online"') == 1


@pytest.mark.sampled(4)
@pytest.mark.parametrize("device, capability", ARCHITECTURES)
@pytest.mark.parametrize(
    "function, shapes",
    [(hidden(lambda i, j: j > i), [(4, 32, 4096, 128)] * 3), (log_total, [(8192, 4096), (128256, 4096)])],
    ids=["attention", "classes"],
)
def test_no_register_is_spilled(
    device: str, capability: int, function: Callable[..., Tensor], shapes: list[tuple[int, ...]]
) -> None:
    """At the sizes of models."""
    _, kernels = ahead_of_time(function, [(shape, torch.bfloat16) for shape in shapes], device, capability)
    assert kernels and all((used.spill_bytes, used.stack_bytes) == (0, 0) for used in kernels)


def test_other_products_are_the_librarys_by_default() -> None:
    sources: list[str] = []
    compiled(plain, sources, cpu="interpret", products="quicker")(*inputs("cpu", torch.bfloat16, 20, 20))
    assert SCORES not in sources[0] and "scaled_dot_product_attention" in sources[0]


STORED_SCORES = """
mlc_loop.kernel @stored(%x: memref<40x50xf32>, %v: memref<50x16xf32>, %out: memref<40x16xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 40 program 0 block 16 {
    mlc_loop.parallel %r = 0 to 16 block 16 {
      %m, %s, %o = mlc_loop.reduce softmax, weighted dot %j = 0 to 50 block 32 -> f32, f32, f32 {
        %a = mlc_loop.load %x[%p, %j] : memref<40x50xf32>
        %y = mlc_loop.load %v[%j, %r] : memref<50x16xf32>
        mlc_loop.yield %a, %y : f32, f32
      }
      %q = arith.divf %o, %s : f32
      mlc_loop.store %q, %out[%p, %r] : memref<40x16xf32>
    }
  }
}"""


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_scores_may_come_from_memory(device: str) -> None:
    module = parse_module(context(), STORED_SCORES)
    LoopToTritonPass().apply(context(), module)
    _, kernels = load_module(write_source(module_source(module)))
    x, v = (torch.randn(s, generator=torch.Generator().manual_seed(0)).to(device) for s in ((40, 50), (50, 16)))
    x[0], x[1, 7], x[2, :40] = -torch.inf, torch.nan, -torch.inf
    out = torch.empty(40, 16, device=device)
    portable(kernels["stored"])[(3,)](x, v, out, num_warps=4, enable_fp_fusion=False)
    torch.testing.assert_close(out, x.softmax(-1) @ v, rtol=1e-5, atol=1e-5, equal_nan=True)
