"""Weights of 8 and 4 bits, which products read as they are: for some rows no wider copy of them is in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from benchmarks.cases.packed import GROUP, of_words
from lowering.fx_to_tensor import import_callable
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from passes.common.device import device_named
from passes.common.product_tiling import Blocks, Sizes, best_tiling
from passes.loop.analysis import contraction
from tests.unit.generated_kernels import ARCHITECTURES, DEVICES, adds_parts, ahead_of_time, compiled

CASES: dict[str, tuple[Callable[[Tensor, Tensor, Tensor], Tensor], bool]] = {
    "scaled weights": (lambda x, w, s: x @ (w.to(x.dtype) * s), False),
    "scaled result": (lambda x, w, s: (x @ w.to(x.dtype)) * s, False),
    "linear, scaled result": (lambda x, w, s: F.linear(x, w.to(x.dtype)) * s, True),
    "linear, scaled weights": (lambda x, w, s: F.linear(x, w.to(x.dtype) * s[:, None]), True),
}
"""A function of x [m, k], weights [k, n] of 8 bits and scales [n]; True if weights are [n, k]."""


def of_groups(x: Tensor, q: Tensor, s: Tensor) -> Tensor:
    """x [m, k] times weights q [n, k], of which each group has a scale of s."""
    return x @ (q.unflatten(1, (-1, GROUP)).to(x.dtype) * s[:, :, None]).flatten(1).T


def low_first(w: Tensor) -> Tensor:
    return torch.stack([(w & 15).to(torch.int8) - 8, (w >> 4).to(torch.int8) - 8], -1).flatten(1)


def high_first(w: Tensor) -> Tensor:
    return torch.stack([w >> 4, w & 15], -1).flatten(1).to(torch.int8) - 8


def in_words(w: Tensor) -> Tensor:
    return ((w[:, :, None] >> (4 * torch.arange(8, dtype=torch.int32, device=w.device))) & 15).flatten(1) - 8


PACKED: dict[str, tuple[Callable[[Tensor], Tensor], torch.dtype, int]] = {
    "8 bits": (lambda w: w, torch.int8, 1),
    "4 bits": (low_first, torch.uint8, 2),
    "4 bits, the high ones first": (high_first, torch.uint8, 2),
    "4 bits in words": (in_words, torch.int32, 8),
}
"""How weights are unpacked, what they are packed in, and how many in one."""


def packed(name: str, columns: int, device: str) -> Tensor:
    _, dtype, count = PACKED[name]
    limits = torch.iinfo(dtype)
    return torch.randint(limits.min, limits.max + 1, (columns, 1024 // count), device=device).to(dtype)


def kernels_of_products(source: str) -> int:
    """How many kernels there are but for one that adds up parts."""
    return source.count("@triton.jit") - adds_parts(source)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rows", [1, 2, 16, 100])
@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("name", PACKED)
def test_packed_weights_are_unpacked_where_they_are_multiplied(
    name: str, where: tuple[str, str | None], rows: int
) -> None:
    device, cpu = where
    unpack = PACKED[name][0]
    torch.manual_seed(0)
    x, w = torch.randn(rows, 1024, device=device).bfloat16(), packed(name, 96, device)
    s = torch.rand(96, 1024 // GROUP, device=device).bfloat16()
    sources: list[str] = []
    found = compiled(lambda *a: of_groups(a[0], unpack(a[1]), a[2]), sources, cpu=cpu, products="generated")(x, w, s)
    assert (kernels_of_products(sources[0]), sources[0].count("tl.dot(")) == (1, int(rows > 1))
    exact = of_groups(x.double(), unpack(w), s.double())
    error, allowed = ((y.double() - exact).abs().max().item() for y in (found, of_groups(x, unpack(w), s)))
    assert error <= 1.05 * allowed + 1e-3


@pytest.mark.parametrize("rows", [4, 64])
@pytest.mark.parametrize("device, capability", ARCHITECTURES)
@pytest.mark.parametrize("name", [n for n, (_, _, count) in PACKED.items() if count < 8])
def test_lanes_unpack_each_byte_once(name: str, device: str, capability: int, rows: int) -> None:
    unpack, dtype, count = PACKED[name]
    shapes = [((rows, 4096), torch.bfloat16), ((8192, 4096 // count), dtype), ((8192, 32), torch.bfloat16)]
    source, kernels = ahead_of_time(lambda x, w, s: of_groups(x, unpack(w), s), shapes, device, capability)
    assert source.count("lib.interleaved(") == int(count == 2)
    (used,) = (used for used in kernels if used.tensor_core_instructions)
    assert used.vector_loads and len(kernels) == 1 + adds_parts(source)
    assert all((used.spill_bytes, used.stack_bytes) == (0, 0) for used in kernels)


@pytest.mark.parametrize("name", PACKED)
def test_halves_of_a_byte_are_no_axis_of_their_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each group the neighbours are summed, in the model of time too: with two or eight a step would load pieces."""
    unpack, dtype, count = PACKED[name]
    shapes, runs = [((16, 4096), torch.bfloat16), ((4096, 4096 // count), dtype), ((4096, 32), torch.bfloat16)], set()

    def sizes(*args: Any, **named: Any) -> Sizes:
        runs.add(named["run"])
        return Sizes(*args, **named)

    monkeypatch.setattr(contraction, "Sizes", sizes)
    ahead_of_time(lambda x, w, s: of_groups(x, unpack(w), s), shapes, "h200", 90)
    assert runs == {GROUP}


def words_of_outputs(rows: int, inner: int, columns: int, device: str) -> list[Tensor]:
    """What `of_words` takes."""
    torch.manual_seed(0)
    limits = torch.iinfo(torch.int32)
    q, z = (
        torch.randint(limits.min, limits.max, (n, columns // 8), dtype=torch.int32, device=device)
        for n in (inner, inner // GROUP)
    )
    s = torch.rand(inner // GROUP, columns, device=device).bfloat16()
    return [torch.randn(rows, inner, device=device).bfloat16(), q, z, s]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rows", [1, 2, 16, 100])
@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("products", ["generated", "quicker"])
def test_words_of_several_outputs(products: str, where: tuple[str, str | None], rows: int) -> None:
    device, cpu = where
    given, sources = words_of_outputs(rows, 512, 96, device), list[str]()
    found = compiled(of_words, sources, cpu=cpu, products=products)(*given)
    if products == "generated":
        assert (sources[0].count("@triton.jit"), sources[0].count("tl.dot(")) == (1, 1)
    x, q, z, s = given
    exact = of_words(x.double(), q, z, s.double())
    error, allowed = ((y.double() - exact).abs().max().item() for y in (found, of_words(*given)))
    assert error <= 1.05 * allowed + 1e-3


@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("rows", [1, 5])
def test_bytes_of_two_outputs(where: tuple[str, str | None], rows: int) -> None:
    """Of one matrix, and of a batch of them, with what follows the product."""
    device, cpu = where
    torch.manual_seed(0)

    def product(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
        return F.relu(x @ (torch.stack([w & 15, w >> 4], -1).flatten(-2).to(torch.int8) - 8).to(x.dtype) + b)

    for batch in ((), (3,)):
        x = torch.randn(*batch, rows, 192, device=device).bfloat16()
        w = torch.randint(0, 256, (*batch, 192, 40), dtype=torch.uint8, device=device)
        b, sources = torch.randn(80, device=device).bfloat16(), list[str]()
        found = compiled(product, sources, cpu=cpu, products="generated")(x, w, b)
        assert (sources[0].count("@triton.jit"), sources[0].count("tl.dot(")) == (1, 1)
        exact, eager = product(x.double(), w, b.double()), product(x, w, b)
        error, allowed = ((y.double() - exact).abs().max().item() for y in (found, eager))
        assert error <= 1.05 * allowed + 1e-3


@pytest.mark.parametrize("where", DEVICES)
def test_infinities_of_one_row(where: tuple[str, str | None]) -> None:
    """Lanes beside the one row multiply by it, and are not stored."""
    device, cpu = where
    given = words_of_outputs(1, 512, 96, device)
    given[0][0, 3], given[0][0, 7] = torch.inf, torch.nan
    found, eager = compiled(of_words, [], cpu=cpu, products="generated")(*given), of_words(*given)
    assert torch.equal(found.isnan(), eager.isnan()) and found.isnan().all()


@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("device, capability", ARCHITECTURES)
def test_words_of_several_outputs_spill_nothing(device: str, capability: int, rows: int) -> None:
    inner, columns = 4096, 14336
    words, halves = torch.int32, torch.bfloat16
    shapes = [
        ((rows, inner), halves),
        ((inner, columns // 8), words),
        ((inner // GROUP, columns // 8), words),
        ((inner // GROUP, columns), halves),
    ]
    source, kernels = ahead_of_time(of_words, shapes, device, capability)
    assert source.count("tl.dot(") == 1 and kernels[-1].tensor_core_instructions
    assert not any(used.spill_bytes for used in kernels)


@pytest.mark.parametrize("rows, by_library", [(1, False), (2, False), (64, False), (1024, True)])
def test_few_rows_of_several_outputs_are_unpacked_as_they_are_multiplied(rows: int, by_library: bool) -> None:
    with FakeTensorMode():
        given = words_of_outputs(rows, 4096, 14336, "cpu")
        module = import_callable(of_words, given).module
    text = str(lower_to(module, "fused", CompilerOptions(device="h200")))
    assert ("mlc_tensor.matmul" in text) == by_library


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rows", [1, 2, 5, 16])
@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_few_rows_are_one_kernel(name: str, where: tuple[str, str | None], rows: int) -> None:
    device, cpu = where
    function, turned = CASES[name]
    torch.manual_seed(0)
    x = torch.randn(rows, 1024, device=device).bfloat16()
    w = torch.randint(-128, 128, (96, 1024) if turned else (1024, 96), dtype=torch.int8, device=device)
    s = torch.rand(96, device=device).bfloat16()
    sources: list[str] = []
    found = compiled(function, sources, cpu=cpu)(x, w, s)
    assert (kernels_of_products(sources[0]), sources[0].count("tl.dot(")) == (1, int(rows > 1))
    exact = function(x.double(), w, s.double())
    error, allowed = ((y.double() - exact).abs().max().item() for y in (found, function(x, w, s)))
    assert error <= 1.05 * allowed + 1e-3


@pytest.mark.parametrize("columns", [4096, 14336])
@pytest.mark.parametrize("device, capability", ARCHITECTURES)
@pytest.mark.parametrize("name", CASES)
def test_tensor_cores_compute_it_and_nothing_is_spilled(name: str, device: str, capability: int, columns: int) -> None:
    function, turned = CASES[name]
    weights = (columns, 4096) if turned else (4096, columns)
    shapes = [((4, 4096), torch.bfloat16), (weights, torch.int8), ((columns,), torch.bfloat16)]
    source, kernels = ahead_of_time(function, shapes, device, capability)
    assert source.count("tl.dot(") == sum(used.tensor_core_instructions > 0 for used in kernels) == 1
    assert len(kernels) == 1 + adds_parts(source)
    assert all((used.spill_bytes, used.stack_bytes) == (0, 0) for used in kernels)


def test_many_rows_and_wide_weights_stay_with_the_library() -> None:
    """The library is as quick for large weights of 16 bits, and for many rows weights are widened once."""
    with FakeTensorMode():
        halves = [torch.empty(4096, 4096, dtype=torch.bfloat16) for _ in range(2)]
        bytes_ = torch.empty(4096, 4096, dtype=torch.int8)
    for function, given in (
        (lambda x, w: x @ w, halves),
        (lambda x, w: x @ w.to(x.dtype), [halves[0], bytes_]),
    ):
        text = str(lower_to(import_callable(function, given).module, "fused", CompilerOptions(device="h200")))
        assert text.count("mlc_tensor.matmul") == 1


@pytest.mark.parametrize(("n", "k", "read"), [(4096, 4096, 8781824), (4096, 14336, 30736384)])
def test_warps_do_not_unpack_the_same_weights(n: int, k: int, read: int) -> None:
    """16 rows and 32 columns are four instructions: eight warps took 1.45 times as long as four (H200)."""
    packed = Blocks(0, parts=3, computed=2)
    sizes = Sizes(16, n, k, row_step=n, run=128, read=read, computed=(0.0, 0.04), blocks=(Blocks(2), packed))
    tiling = best_tiling(sizes, device_named("h200"))
    assert tiling is not None and tiling.repeated == 1
    assert replace(tiling, rows=16, columns=32, warps=8).repeated == 2
    assert replace(tiling, rows=64, columns=32, warps=8).repeated == 1  # these multiply together
