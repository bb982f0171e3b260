"""The formulas of special functions against PyTorch's own kernels, over their whole range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from lowering.fx_to_tensor import import_callable
from lowering.fx_to_tensor.decompositions.special_functions import TABLE
from mlc_compiler.execution.executable import compile_imported
from tests.unit.import_check import check, externs

OTHERS = ("zeta", "polygamma", "ldexp", "frexp", "decimals")
ORDINARY = [op for op in TABLE if not any(name in str(op) for name in OTHERS)]
"""Functions of one tensor."""
EXACT = {torch.float32: 4e-6, torch.float64: 1e-6}
"""Relative to the largest of |result| and 1. PyTorch's double precision J and Y are off by 4e-7 about x = 5."""


def points(dtype: torch.dtype) -> torch.Tensor:
    """Both signs, every seam of the expansions, tiny and large; no NaN. Poles stand exactly."""
    seams = torch.tensor([0.0, -0.0, 1.0, 2.0, 5.0, 8.0, 10.0, 0.5, -0.5, 1e-30, 80.0, -1.0, -2.0, -3.0])
    return torch.cat([torch.linspace(-29.95, 60, 1999), torch.logspace(-8, 1.9, 200), seams]).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("op", ORDINARY, ids=str)
def test_is_what_eager_computes(op: Callable[..., Any], dtype: torch.dtype) -> None:
    x = points(dtype)
    found, wanted, exact = TABLE[op](x), op(x), op(x.double())
    assert found.dtype == wanted.dtype
    assert torch.equal(found.isnan(), wanted.isnan())
    assert torch.equal(found.isinf(), wanted.isinf()) and torch.equal(found[found.isinf()], wanted[wanted.isinf()])
    plain = wanted.isfinite() & exact.isfinite()
    size = exact[plain].abs().clamp_min(1)
    own, eager = ((v.double()[plain] - exact[plain]).abs() / size for v in (found, wanted))
    assert bool((own <= EXACT[dtype] + 2 * eager).all()), f"{own.max()} at {x[plain][own.argmax()]}"


@pytest.mark.parametrize("order", range(5))
def test_polygamma(order: int) -> None:
    x = torch.cat([torch.linspace(0.1, 30, 300), torch.arange(-4, 0) + 0.3, torch.arange(-4, 0) + 0.85])
    polygamma = TABLE[torch.ops.aten.polygamma.default]
    torch.testing.assert_close(polygamma(order, x), torch.polygamma(order, x), rtol=1e-5, atol=1e-4)
    x = x.double()
    torch.testing.assert_close(polygamma(order, x), torch.polygamma(order, x), rtol=1e-9, atol=1e-9)


def test_zeta() -> None:
    s, q = torch.meshgrid(
        torch.tensor([1.0, 0.5, 2.0, 3.0, 2.5, 10.0]),
        torch.tensor([-3.0, -2.5, 0.0, 0.1, 1.0, 9.5, 40.0]),
        indexing="ij",
    )
    found, wanted = TABLE[torch.ops.aten.special_zeta.default](s, q), torch.special.zeta(s, q)
    torch.testing.assert_close(found, wanted, equal_nan=True, rtol=2e-6, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_frexp_is_exact(dtype: torch.dtype) -> None:
    tiny, largest = torch.finfo(dtype).smallest_normal, torch.finfo(dtype).max
    powers = 2.0 ** torch.arange(-30, 31, dtype=dtype)
    below = torch.nextafter(powers, torch.zeros_like(powers))
    edges = torch.tensor([0.0, -0.0, tiny, tiny / 4, largest, -largest, -3.7], dtype=dtype)
    x = torch.cat([powers, below, edges])
    mantissa, exponent = TABLE[torch.ops.aten.frexp.Tensor](x)
    wanted = torch.frexp(x)
    assert torch.equal(mantissa, wanted.mantissa) and torch.equal(exponent, wanted.exponent)
    assert torch.equal(torch.signbit(mantissa), torch.signbit(x))


NAN, INF = float("nan"), float("inf")
SPECIAL = torch.tensor([0.0, -0.0, 1.5, -2.5, 0.25, INF, -INF, NAN, 3.0, 1e-3])


def test_pointwise_functions_are_native() -> None:
    """Every one of them at special values, with integers and 16-bit floats where eager has those."""
    other = SPECIAL.flip(0)
    check(lambda x, y: (torch.fmax(x, y), torch.fmin(x, y), torch.hypot(x, y)), SPECIAL, other)
    check(lambda x: (torch.signbit(x), torch.angle(x), torch.erfinv(x / 4), torch.special.ndtri(x / 4)), SPECIAL)
    check(lambda x: (torch.round(x, decimals=1), torch.round(x, decimals=-1)), SPECIAL)
    check(lambda x: (torch.special.erfcx(x), torch.special.log_ndtr(x)), SPECIAL[:5])
    check(lambda x, n: torch.ldexp(x, n), SPECIAL, torch.arange(-5, 5))
    check(lambda x: (torch.fmax(x, x.flip(0)), torch.digamma(x)), SPECIAL.bfloat16())
    integers = torch.tensor([0, 1, -1, 5, -8, 127])
    check(lambda x: (torch.fmax(x, x.flip(0)), torch.signbit(x), torch.angle(x), torch.digamma(x)), integers)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.uint8], ids=str)
def test_shifts_beyond_the_width(dtype: torch.dtype) -> None:
    x = torch.tensor([1, -1, 100, -128, 5, 7, 0, -3]).to(dtype)
    y = torch.tensor([1, 2, 3, 7, 8, 0, 63, 70]).to(dtype)
    check(lambda x, y: (x << y, x >> y, x << 3, x >> 3, x >> 100), x, y)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", ["reflect", "replicate"])
@pytest.mark.parametrize("shape", [(2, 3, 7), (2, 3, 4, 5), (1, 2, 4, 3, 5)], ids=str)
def test_pads_and_their_gradients(mode: str, shape: tuple[int, ...]) -> None:
    pads = [1, 2, 2, 0, 1, 1][: 2 * (len(shape) - 2)]

    def padded(x: torch.Tensor, seed: torch.Tensor) -> Any:
        return torch.nn.functional.pad(x, pads, mode=mode)

    x = torch.randn(shape)
    imported = check(padded, x, torch.randn(1))
    assert not externs(imported.module)
    backward = getattr(
        torch.ops.aten, f"{'reflection' if mode == 'reflect' else 'replication'}_pad{len(shape) - 2}d_backward"
    )
    seed = torch.randn_like(padded(x, x))
    check(lambda x, seed: backward(seed, x, pads), x, seed)


@pytest.mark.parametrize("pads", [[2, 1, 0, 3], [-1, 2, 1, -2]], ids=str)
def test_gradients_of_pads_that_cut(pads: list[int]) -> None:
    x = torch.randn(2, 3, 5, 4)
    seed = torch.rand_like(torch.nn.functional.pad(x, pads, mode="replicate"))
    check(lambda x, seed: torch.ops.aten.replication_pad2d_backward(seed, x, pads), x, seed)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 2.0, 3.0, INF])
def test_distances_of_all_pairs(p: float) -> None:
    x, y = torch.randn(2, 5, 4), torch.randn(2, 6, 4)
    y[:, 0] = x[:, 1]
    check(lambda x, y: torch.cdist(x, y, p), x, y, tolerance=1e-5)
    distances = torch.ops.aten._cdist_forward(x, y, p, None)
    seed = torch.randn_like(distances)
    check(lambda g, x, y, d: torch.ops.aten._cdist_backward(g, x, y, p, d), seed, x, y, distances, tolerance=1e-5)


def test_searches_in_short_lists() -> None:
    edges, values = torch.tensor([-1.0, 0.0, 0.0, 2.0]), torch.tensor([[NAN, -3.0, 0.0], [1.0, 2.0, 5.0]])
    check(lambda v, e: (torch.bucketize(v, e), torch.bucketize(v, e, right=True, out_int32=True)), values, edges)
    check(lambda e, v: torch.searchsorted(e, v, side="right"), torch.stack([edges, edges + 1]), values)
    check(lambda v, e: (torch.isin(v, e), torch.isin(v, e, invert=True)), values, edges)
    long = torch.arange(2000.0)
    imported = import_callable(lambda v, e: torch.bucketize(v, e), (values, long))
    assert externs(imported.module) == ["aten.bucketize.Tensor"]


@pytest.mark.parametrize("offset", [-2, 0, 1])
def test_diagonals(offset: int) -> None:
    x = torch.randn(3, 4, 5)
    check(lambda x: (x.diagonal(offset, 0, 2), x.diagonal(offset, 2, 1), torch.diagonal_copy(x, offset)), x)
    source = torch.randn(4, x.diagonal(offset, 0, 2).shape[-1])
    check(lambda x, s: torch.diagonal_scatter(x, s, offset, 0, 2), x, source)


def test_numbers_in_float64_kernels() -> None:
    """A quotient whose divisor is a sum, of single numbers; bytes and booleans that are known."""
    x = torch.tensor(0.7, dtype=torch.float64)
    for function in (torch.sigmoid, torch.digamma, lambda x: 3 / (1 + x)):
        imported = import_callable(function, [x])
        torch.testing.assert_close(compile_imported(imported)(x)[0], function(x))
    imported = import_callable(lambda x: F.pad(torch.zeros_like(x, dtype=torch.uint8), [1, 1]), [torch.randn(3)])
    assert compile_imported(imported)(torch.randn(3))[0].tolist() == [0] * 5


def test_a_reversed_index_that_wraps_around() -> None:
    x = torch.randn(5)
    imported = import_callable(lambda x: torch.sign(x.repeat(2).flip(0)), [x])
    assert torch.equal(compile_imported(imported)(x)[0], torch.sign(x.repeat(2).flip(0)))
