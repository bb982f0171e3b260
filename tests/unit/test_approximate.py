"""Coarse elementary functions against float64, over every 16-bit float: never worse than eager."""

from __future__ import annotations

from collections.abc import Callable
from math import erfc

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import compile_imported
from passes.loop.approximate import ERFC_IS_ZERO, LOG2_ERFC, LOG2_ERFC_FINE

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
HALVES = [torch.bfloat16, torch.float16]
Function = Callable[[torch.Tensor], torch.Tensor]


def tanh_gelu(x: torch.Tensor) -> torch.Tensor:
    return F.gelu(x, approximate="tanh")


def exact_tanh_gelu(x: torch.Tensor) -> torch.Tensor:
    return x / (1 + torch.exp(-2 * 0.7978845608028654 * (x + 0.044715 * x**3)))


def gelu_backward(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten.gelu_backward(torch.ones_like(x), x)


def exact_gelu_backward(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * torch.erfc(x * -0.7071067811865476) + x * torch.exp(-0.5 * x * x) * 0.3989422804014327


def gelu_tanh_backward(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten.gelu_backward(torch.ones_like(x), x, approximate="tanh")


def exact_gelu_tanh_backward(x: torch.Tensor) -> torch.Tensor:
    inner = 0.7978845608028654 * (x + 0.044715 * x**3)
    slope = 0.7978845608028654 * (1 + 0.134145 * x * x) / torch.cosh(inner.clamp(-300, 300)) ** 2
    return 1 / (1 + torch.exp(-2 * inner)) + (0.5 * x * slope).nan_to_num(0)


def silu_backward(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten.silu_backward(torch.ones_like(x), x)


def exact_silu_backward(x: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(x) + (x * torch.sigmoid(x) * torch.sigmoid(-x)).nan_to_num(0)


def slope_of_sigmoid(x: torch.Tensor) -> torch.Tensor:
    s = torch.sigmoid(x.float())
    return (s * (1 - s)).to(x.dtype)


def slope_of_tanh(x: torch.Tensor) -> torch.Tensor:
    t = torch.tanh(x.float())
    return (1 - t * t).to(x.dtype)


CANCELS = {"gelu-backward": 2.0**-2}
"""Functions with a zero in the middle: what the error may be above a rounding's there, in units of the result."""
FUNCTIONS: dict[str, tuple[Function, Function]] = {
    "gelu": (F.gelu, lambda x: x * 0.5 * torch.erfc(x * -0.7071067811865476)),
    "gelu-tanh": (tanh_gelu, exact_tanh_gelu),
    "gelu-backward": (gelu_backward, exact_gelu_backward),
    "gelu-tanh-backward": (gelu_tanh_backward, exact_gelu_tanh_backward),
    "silu-backward": (silu_backward, exact_silu_backward),
    "sigmoid-backward": (slope_of_sigmoid, lambda x: torch.sigmoid(x) * torch.sigmoid(-x)),
    "tanh-backward": (slope_of_tanh, lambda x: 1 / torch.cosh(x.clamp(-700, 700)) ** 2),
    "1 + erf": (lambda x: torch.erf(x.float()).add(1).to(x.dtype), lambda x: torch.erfc(-x)),
    "1 + tanh": (lambda x: torch.tanh(x.float()).add(1).to(x.dtype), lambda x: 2 / (1 + torch.exp(-2 * x))),
    "exp": (torch.exp, torch.exp),
    "x / 11 / 3": (lambda x: (x.float() / 11 / 3).to(x.dtype), lambda x: x / 33),
    "sigmoid": (torch.sigmoid, torch.sigmoid),
    "silu": (F.silu, F.silu),
    "mish": (F.mish, F.mish),
    "elu": (F.elu, F.elu),
    "softplus": (F.softplus, F.softplus),
}
"""Each with the same in float64, without the cancellation that float64 would show too."""


def every(dtype: torch.dtype, device: str) -> torch.Tensor:
    """All 65536 values: NaN, infinities, both zeros and denormals are among them."""
    return torch.arange(-(2**15), 2**15, dtype=torch.int16).view(dtype).to(device)


def errors(value: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """The error in units in the last place of the exact result; float32 shows what float64 has no unit for."""
    info = torch.finfo(value.dtype)
    unit = 2.0 ** torch.floor(torch.log2(exact.abs().clamp_min(info.tiny))) * info.eps
    return (value.double() - exact).abs() / unit


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", HALVES, ids=["bf16", "f16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_worse_than_eager(name: str, dtype: torch.dtype, device: str) -> None:
    """On every input: no NaN that eager has not, and no error above eager's or a rounding's and a little."""
    (function, in_double), x = FUNCTIONS[name], every(dtype, device)
    imported = import_callable(function, [x])
    (found,) = compile_imported(imported)(x)
    eager, exact = function(x), in_double(x.double())
    assert not (found.isnan() & ~eager.isnan()).any() and found[x.isnan()].isnan().all()
    assert not (found.isinf() & (exact.abs() < torch.finfo(dtype).max)).any() and found[exact.isinf()].isinf().all()
    finite = found.isfinite() & eager.isfinite() & exact.isfinite()
    if device == "cuda":  # Triton has the device's functions take and give 0 for denormal numbers
        finite &= exact.abs() >= torch.finfo(dtype).tiny
    own, theirs = errors(found, exact)[finite], errors(eager, exact)[finite]
    worse = own > torch.clamp_min(theirs, 0.5) + CANCELS.get(name, 2.0**-5)
    assert not worse.any(), torch.stack((x[finite].double(), own, theirs), 1)[worse][:8].tolist()
    assert own.mean() <= theirs.mean() + 2.0**-10


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", HALVES, ids=["bf16", "f16"])
def test_quotients_by_a_row(dtype: torch.dtype, device: str) -> None:
    """Every divisor that all columns of a row share, under numbers of any size: rounded like the exact quotient."""
    divisors = every(dtype, device)[:, None].expand(-1, 16).contiguous()
    places = torch.randint(2**16, divisors.shape, generator=torch.Generator().manual_seed(3))
    x = every(dtype, device)[places.to(device)]

    def share(x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return (x.float() / rows.float().amax(-1, keepdim=True)).to(x.dtype)

    executable = compile_imported(import_callable(share, [x, divisors]))
    assert "1.6777216e+07" in executable.source  # 2 ** 24: small divisors are scaled
    (found,), exact = executable(x, divisors), x.double() / divisors.double()
    rounded = exact.float().to(dtype)
    assert torch.equal(found.isnan(), rounded.isnan())
    finite = found.isfinite() & rounded.isfinite()
    assert torch.equal(found[~finite].nan_to_num(0), rounded[~finite].nan_to_num(0))
    if device == "cuda":  # Triton has the device's functions take and give 0 for denormal numbers
        finite &= exact.abs() >= torch.finfo(dtype).tiny
    assert errors(found, exact)[finite].max() <= 0.5 + 2.0**-12


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", HALVES, ids=["bf16", "f16"])
@pytest.mark.parametrize("cap", [1.0, 30.0, 50.0])
def test_capped_scores(cap: float, dtype: torch.dtype, device: str) -> None:
    """Every score, capped: what exp makes of it is rounded like the exact power, save next to a tie."""

    def power(x: torch.Tensor) -> torch.Tensor:
        return torch.exp(cap * torch.tanh(x.float() / cap) - cap).to(x.dtype)

    x = every(dtype, device)
    executable = compile_imported(import_callable(power, [x]))
    assert "lib.tanh(" not in executable.source and "libdevice.tanh(" not in executable.source
    (found,), exact = executable(x), torch.exp(cap * torch.tanh(x.double() / cap) - cap)
    assert torch.equal(found.isnan(), x.isnan())
    seen = ~x.isnan() & (exact >= torch.finfo(dtype).tiny)
    assert errors(found, exact)[seen].max() <= 0.5 + (2.0**-5 if dtype == torch.float16 else 2.0**-8)


@pytest.mark.parametrize(("coefficients", "relative"), [(LOG2_ERFC, 2**-17), (LOG2_ERFC_FINE, 2**-20)])
def test_the_polynomials_have_their_errors(coefficients: tuple[float, ...], relative: float) -> None:
    """In float32: relative for x > -2, 2**-26 below, and nothing where erfc has vanished."""
    for x in np.linspace(-9, 6, 20001):
        one_side = np.float32(min(abs(x), ERFC_IS_ZERO))
        power = np.float32(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            power = np.float32(np.float64(power) * one_side + np.float32(c))
        tail = np.exp2(power * one_side)
        found, exact = (tail if x < 0 else np.float32(2) - tail), erfc(-x)
        assert abs(found - exact) <= (relative * exact if x > -2 else 2**-26), x
    end = np.float32(sum(c * ERFC_IS_ZERO ** (k + 1) for k, c in enumerate(coefficients)))
    assert np.exp2(end) == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("spread", [1.0, 8.0, 30.0])
def test_log_of_a_sum_is_as_good_as_eager(spread: float, device: str) -> None:
    """log_softmax and logsumexp in float32: a few confident rows among others."""
    generator = torch.Generator().manual_seed(0)
    x = (torch.randn(64, 4000, generator=generator) * spread).to(device)
    for function in (lambda x: torch.log_softmax(x, -1), lambda x: torch.logsumexp(x, -1)):
        (found,) = compile_imported(import_callable(function, [x]))(x)
        exact = function(x.double())
        scale = 1.2e-7 * exact.abs().clamp_min(1)
        own, theirs = ((v.double() - exact).abs() / scale for v in (found, function(x)))
        assert own.max() <= theirs.max() + 2 and own.mean() <= 1.5 * theirs.mean() + 0.05
