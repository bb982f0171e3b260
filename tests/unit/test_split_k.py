"""Programs share long sums of products, and the keys of attention: the result is that of one loop over all terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from xdsl.context import Context

from lowering.interpreter.run import run
from mlc_support.parsing import parse_module
from mlc_support.verification import verify_module
from passes.loop.reduction.split_k import SplitKPass
from tests.unit.generated_kernels import ARCHITECTURES, DEVICES, adds_parts, ahead_of_time, compiled
from tests.unit.test_online_products import Results, scores
from tools.universe import context

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def capped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (20 * torch.tanh(scores(q, k) / 20)).softmax(-1) @ v


def sloped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    behind = torch.arange(k.shape[-2] - 1, -1, -1, device=q.device)
    slopes = torch.arange(1, q.shape[1] + 1, device=q.device)[:, None, None] / 64
    return (scores(q, k) - slopes * behind).softmax(-1).to(v.dtype) @ v


def grouped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    groups = q.shape[1] // k.shape[1]
    return capped(q, k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1))


def windowed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Whole parts of the keys are hidden."""
    hides = torch.arange(k.shape[-2], device=q.device) < k.shape[-2] - 100
    return (20 * torch.tanh(scores(q, k) / 20)).masked_fill(hides, -torch.inf).softmax(-1) @ v


def summed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """No softmax: parts are added."""
    return torch.relu(scores(q, k)) @ v


FUNCTIONS: dict[str, Attention] = {
    "capped": capped, "sloped": sloped, "grouped": grouped, "windowed": windowed, "summed": summed,
}  # fmt: skip


def inputs(device: str, heads: int, keys: int, queries: int = 1, width: int = 64) -> list[Tensor]:
    generator = torch.Generator().manual_seed(keys)
    shapes = (2, 4, queries, width), (2, heads, keys, width), (2, heads, keys, width)
    return [torch.randn(shape, generator=generator).bfloat16().to(device) for shape in shapes]


@pytest.mark.parametrize("keys", [512, 1025, 2200])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("where", DEVICES)
def test_parts_are_combined(where: tuple[str, str | None], name: str, keys: int) -> None:
    """Of 1025 keys a part may have none, or one."""
    device, cpu = where
    sources: list[str] = []
    function, given = FUNCTIONS[name], inputs(device, 2 if name == "grouped" else 4, keys)
    found = compiled(function, sources, cpu=cpu)(*given)
    assert keys < 1000 or adds_parts(sources[0])
    Results(found, function(*given), function(*(x.double() for x in given))).check()


@pytest.mark.parametrize("where", DEVICES)
def test_a_few_queries(where: tuple[str, str | None]) -> None:
    """Of each head that shares keys, as where tokens are guessed ahead."""
    device, cpu = where
    sources: list[str] = []
    given = inputs(device, 2, 1500, queries=3)
    found = compiled(grouped, sources, cpu=cpu)(*given)
    assert adds_parts(sources[0])
    Results(found, grouped(*given), grouped(*(x.double() for x in given))).check()


@pytest.mark.parametrize("where", DEVICES)
def test_numbers_of_keys_known_at_run_time(where: tuple[str, str | None]) -> None:
    """One program: parts grow with the cache, and those of few keys are empty."""
    device, cpu = where
    sources: list[str] = []
    run = compiled(grouped, sources, dynamic=None, cpu=cpu)
    for keys in (1500, 2049, 700, 5):
        given = inputs(device, 2, keys)
        for tensor in given[1:]:
            torch._dynamo.mark_dynamic(tensor, 2)
        Results(run(*given), grouped(*given), grouped(*(x.double() for x in given))).check()
    assert len(sources) == 1


@pytest.mark.parametrize("where", DEVICES)
def test_special_values(where: tuple[str, str | None]) -> None:
    """NaN and infinities of one part, and a row that sees no key."""
    device, cpu = where
    q, k, v = inputs(device, 4, 1200)
    k[0, 0, 3, 0], v[0, 1, 700, 5], v[0, 2, 1100, 6], q[1, 3] = torch.nan, torch.inf, torch.nan, -torch.inf
    k[1, 3] = 1.0

    found, eager = compiled(capped, [], cpu=cpu)(q, k, v), capped(q, k, v)
    torch.testing.assert_close(found, eager, rtol=2e-2, atol=2e-2, equal_nan=True)
    everything = torch.full((1200,), True, device=device)

    def sees_nothing(q: Tensor, k: Tensor, v: Tensor, hides: Tensor) -> Tensor:
        return (20 * torch.tanh(scores(q, k) / 20)).masked_fill(hides, -torch.inf).softmax(-1) @ v

    assert compiled(sees_nothing, [], cpu=cpu)(q, k.nan_to_num(), v.nan_to_num(), everything).isnan().all()


@pytest.mark.parametrize("device, capability", ARCHITECTURES)
def test_no_register_is_spilled(device: str, capability: int) -> None:
    shapes = (1, 32, 1, 128), (1, 8, 8192, 128), (1, 8, 8192, 128)
    source, kernels = ahead_of_time(grouped, [(shape, torch.bfloat16) for shape in shapes], device, capability)
    assert adds_parts(source) and len(kernels) == 2
    assert all((used.spill_bytes, used.stack_bytes) == (0, 0) for used in kernels)


PRODUCTS: dict[str, Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]] = {
    "bare": lambda x, w, v, r: x @ w.mT,
    "columns in rows": lambda x, w, v, r: x @ w.T.contiguous(),
    "gates": lambda x, w, v, r: F.silu(x @ w.mT) * (x @ v.mT),
    "residual": lambda x, w, v, r: torch.relu(x @ w.mT) + r,
    "norm behind": lambda x, w, v, r: F.rms_norm(x @ w.mT + r, r.shape[-1:]),
    "batch": lambda x, w, v, r: F.gelu(x @ w.unflatten(0, (2, -1)).mT),
}


def factors(device: str, m: int, k: int, n: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(m * k + n)
    shapes = {(m, k): 1.0, (n, k): k**-0.5, (-n, k): k**-0.5, (m, n): 1.0}
    drawn = (torch.randn([abs(d) for d in shape], generator=generator) * s for shape, s in shapes.items())
    return [x.bfloat16().to(device) for x in drawn]


@pytest.mark.parametrize("m, k, n", [(2, 8192, 64), (5, 4160, 48), (33, 4096, 40)])
@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("where", DEVICES)
def test_parts_of_sums_are_added(where: tuple[str, str | None], name: str, m: int, k: int, n: int) -> None:
    device, cpu = where
    sources: list[str] = []
    function, given = PRODUCTS[name], factors(device, m, k, n)
    found = compiled(function, sources, cpu=cpu)(*given)
    assert adds_parts(sources[0])
    Results(found, function(*given), function(*(x.double() for x in given))).check()


@pytest.mark.parametrize("where", DEVICES)
def test_sums_that_are_infinite_or_not_a_number(where: tuple[str, str | None]) -> None:
    device, cpu = where
    x, w, v, r = factors(device, 4, 8192, 64)
    x[0, 7], x[1, 5000], w[3, 8000], w[5, 1] = torch.inf, torch.nan, -torch.inf, torch.inf
    sources: list[str] = []
    found, eager = compiled(PRODUCTS["bare"], sources, cpu=cpu)(x, w, v, r), x @ w.mT
    assert adds_parts(sources[0])
    assert torch.equal(found.isnan(), eager.isnan()) and torch.equal(found.isposinf(), eager.isposinf())
    assert torch.equal(found.isneginf(), eager.isneginf())


@pytest.mark.parametrize("device, capability", ARCHITECTURES)
@pytest.mark.parametrize("name", ["bare", "gates", "residual"])
def test_parts_of_sums_spill_no_register(name: str, device: str, capability: int) -> None:
    shapes = (4, 14336), (1024, 14336), (1024, 14336), (4, 1024)
    source, kernels = ahead_of_time(PRODUCTS[name], [(shape, torch.bfloat16) for shape in shapes], device, capability)
    assert adds_parts(source) and len(kernels) == 2
    assert all((used.spill_bytes, used.stack_bytes) == (0, 0) for used in kernels)


LOOP = """
mlc_loop.kernel @decode(%q: memref<6x8xf32>, %k: memref<2x50x8xf32>, %v: memref<2x50x4xf32>, %out: memref<6x4xf32>)
    schedule <part = PART> {
  mlc_loop.parallel (%h, %n) = 0 to (6, 4) {
    %m, %s, %o = mlc_loop.reduce softmax, weighted %j = 0 to 50 -> f32, f32, f32 {
      %x = mlc_loop.reduce add %d = 0 to 8 -> f32 {
        %a = mlc_loop.load %q[%h, %d] : memref<6x8xf32>
        %b = mlc_loop.load %k[%h floordiv 3, %j, %d] : memref<2x50x8xf32>
        %ab = arith.mulf %a, %b : f32
        mlc_loop.yield %ab : f32
      }
      %c = mlc_loop.load %v[%h floordiv 3, %j, %n] : memref<2x50x4xf32>
      mlc_loop.yield %x, %c : f32, f32
    }
    %y = arith.divf %o, %s : f32
    mlc_loop.store %y, %out[%h, %n] : memref<6x4xf32>
  }
}
func.func @main(%q: memref<6x8xf32>, %k: memref<2x50x8xf32>, %v: memref<2x50x4xf32>) -> memref<6x4xf32> {
  %out = mlc_loop.alloc : memref<6x4xf32>
  mlc_loop.launch @decode(%q, %k, %v, %out) : memref<6x8xf32>, memref<2x50x8xf32>, memref<2x50x4xf32>, memref<6x4xf32>
  func.return %out : memref<6x4xf32>
}"""


@pytest.mark.parametrize("part", [1, 16, 25, 49, 50])
def test_the_oracle_agrees(part: int) -> None:
    module: Any = parse_module(context(), LOOP.replace("PART", str(part)))
    draw = np.random.default_rng(part)
    q, k, v = (draw.normal(size=shape).astype(np.float32) for shape in ((6, 8), (2, 50, 8), (2, 50, 4)))
    (before,) = run(module, [q, k, v])
    SplitKPass().apply(Context(), module)
    verify_module(module)
    assert ("@decode_parts" in str(module)) == (part < 50)
    (after,) = run(module, [q, k, v])
    np.testing.assert_allclose(after, before, rtol=1e-5)
    x = np.einsum("hd,hjd->hj", q, k.repeat(3, 0)).astype(np.float64)
    weights = np.exp(x - x.max(1, keepdims=True))
    exact = np.einsum("hj,hjn->hn", weights / weights.sum(1, keepdims=True), v.repeat(3, 0))
    np.testing.assert_allclose(after, exact, rtol=1e-4, atol=1e-6)


PRODUCT = """
mlc_loop.kernel @linear(%x: memref<17x48xf16>, %w: memref<48x20xf16>, %out: memref<17x20xf32>)
    schedule <part = PART> {
  mlc_loop.parallel (%i, %j) = 0 to (17, 20) {
    %s = mlc_loop.reduce add %k = 0 to 48 -> f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<17x48xf16>
      %b = mlc_loop.load %w[%k, %j] : memref<48x20xf16>
      %a32 = arith.extf %a : f16 to f32
      %b32 = arith.extf %b : f16 to f32
      %ab = arith.mulf %a32, %b32 : f32
      mlc_loop.yield %ab : f32
    }
    %y = arith.addf %s, %s : f32
    mlc_loop.store %y, %out[%i, %j] : memref<17x20xf32>
  }
}
func.func @main(%x: memref<17x48xf16>, %w: memref<48x20xf16>) -> memref<17x20xf32> {
  %out = mlc_loop.alloc : memref<17x20xf32>
  mlc_loop.launch @linear(%x, %w, %out) : memref<17x48xf16>, memref<48x20xf16>, memref<17x20xf32>
  func.return %out : memref<17x20xf32>
}"""


@pytest.mark.parametrize("part", [1, 3, 16, 24, 48])
def test_the_oracle_agrees_on_products(part: int) -> None:
    module: Any = parse_module(context(), PRODUCT.replace("PART", str(part)))
    draw = np.random.default_rng(part)
    x, w = (draw.integers(-8, 8, size=shape).astype(np.float32) for shape in ((17, 48), (48, 20)))
    SplitKPass().apply(Context(), module)
    verify_module(module)
    assert ("@linear_parts" in str(module)) == (part < 48)
    (found,) = run(module, [v.astype(np.float16) for v in (x, w)])
    np.testing.assert_array_equal(found, 2 * x @ w)
