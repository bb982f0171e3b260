"""Each op family imports into native ops that compute what eager does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.torch_version import TorchVersion

from tests.unit.import_check import check, check_all

FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
INF, NAN = math.inf, math.nan


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def tensor(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    if dtype == torch.bool:
        return torch.rand(shape) > 0.5
    if not dtype.is_floating_point:
        return torch.randint(0 if dtype == torch.uint8 else -9, 10, shape, dtype=dtype)
    return torch.randn(shape, dtype=dtype)


def special(dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.tensor([0.0, -0.0, 1.5, -2.5, 0.5, INF, -INF, NAN, 3.0], dtype=dtype)


UNARY: dict[str, Callable[[torch.Tensor], Any]] = {
    name: getattr(torch, name)
    for name in (
        "neg", "abs", "sign", "floor", "ceil", "trunc", "round", "sigmoid", "exp", "exp2", "expm1", "log", "log2",
        "log10", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
        "asinh", "acosh", "atanh", "erf", "erfc", "isnan", "isinf", "isfinite", "relu", "reciprocal", "square",
        "logical_not", "frac", "positive", "sgn", "isposinf", "isneginf", "deg2rad",
    )
}  # fmt: skip
UNARY |= {
    "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu, "mish": F.mish,
    "softplus": F.softplus, "elu": F.elu, "selu": F.selu, "celu": F.celu, "leaky_relu": F.leaky_relu,
    "hardtanh": F.hardtanh, "relu6": F.relu6, "hardswish": F.hardswish, "hardsigmoid": F.hardsigmoid,
    "logsigmoid": F.logsigmoid, "softsign": F.softsign, "tanhshrink": F.tanhshrink, "hardshrink": F.hardshrink,
    "softshrink": F.softshrink, "threshold": lambda x: F.threshold(x, 0.1, 20.0), "logit": torch.logit,
    "nan_to_num": torch.nan_to_num, "pow2": lambda x: x**2, "pow3": lambda x: x**3, "pow0": lambda x: x**0,
    "pow_half": lambda x: x**0.5, "pow_minus_half": lambda x: x**-0.5, "pow_minus_one": lambda x: x**-1,
    "pow_minus_two": lambda x: x**-2, "pow": lambda x: x**2.5, "rpow": lambda x: 2.0**x, "rsub": lambda x: 1 - x,
    "add": lambda x: x + 0.1, "mul": lambda x: x * 0.1, "div": lambda x: x / 3, "rdiv": lambda x: 3 / x,
    "floordiv": lambda x: x // 2, "remainder": lambda x: x % 3, "fmod": lambda x: torch.fmod(x, 3),
    "alpha": lambda x: torch.add(x, x, alpha=3), "sub_alpha": lambda x: torch.sub(x, 2, alpha=3),
    "clamp": lambda x: x.clamp(-1, 2), "clamp_min": lambda x: x.clamp(min=1), "clamp_max": lambda x: x.clamp(max=1),
    "clip_nan": lambda x: x.clamp(3, 2), "lt": lambda x: x < 0.1, "ge": lambda x: x >= 1, "eq": lambda x: x == 0,
    "ne": lambda x: x != 0, "where": lambda x: torch.where(x > 0, x, 0.1), "nan_eq": lambda x: x == x,
    "masked_fill": lambda x: x.masked_fill(x > 0, -INF), "to_int": lambda x: x.nan_to_num(0, 1, 1).to(torch.int32),
    "to_bool": lambda x: x.to(torch.bool), "to_half": lambda x: x.to(torch.float16), "double": lambda x: x.double(),
    "div_trunc": lambda x: torch.div(x, 2, rounding_mode="trunc"),
    "clone": lambda x: x.clone() + x.detach(), "zeros_like": torch.zeros_like,
    "full_like": lambda x: torch.full_like(x, 3),
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_functions_of_one_float(dtype: torch.dtype) -> None:
    """NaN, infinities and zeros included, where eager's own kernels agree on them."""
    coarse = ("logit",) if dtype == torch.float16 and TorchVersion(torch.__version__) < "2.12" else ()  # eager's is
    check_all({name: f for name, f in UNARY.items() if name not in coarse}, tensor(20, dtype=dtype))
    unsettled = ("gelu", "gelu_tanh", "pow_half", "pow_minus_half")
    check_all({name: f for name, f in UNARY.items() if name not in unsettled}, special(dtype))


OF_INTEGERS = (
    "neg", "abs", "sign", "floor", "sigmoid", "exp", "sqrt", "isnan", "isfinite", "relu", "reciprocal", "square",
    "logical_not", "pow2", "pow3", "pow0", "rsub", "add", "mul", "div", "floordiv", "remainder", "fmod", "alpha",
    "sub_alpha", "clamp_min", "clamp_max", "lt", "ge", "eq", "where", "to_bool", "to_half", "double", "div_trunc",
    "zeros_like", "full_like",
)  # fmt: skip


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_functions_of_one_integer(dtype: torch.dtype) -> None:
    """Signed ones wrap; unsigned bytes too."""
    x = torch.cat([tensor(9, dtype=dtype), torch.tensor([100, 0, 120], dtype=dtype)])
    check_all({name: UNARY[name] for name in OF_INTEGERS}, x)


def test_functions_of_one_boolean() -> None:
    names = ("logical_not", "add", "mul", "eq", "sigmoid", "where", "double", "zeros_like", "square")
    check_all({name: UNARY[name] for name in names}, tensor(7, dtype=torch.bool))


BINARY: dict[str, Callable[..., Any]] = {
    name: getattr(torch, name)
    for name in (
        "add", "sub", "mul", "div", "floor_divide", "fmod", "remainder", "maximum", "minimum", "eq", "ne", "lt", "le",
        "gt", "ge", "logical_and", "logical_or", "logical_xor", "rsub",
    )
}  # fmt: skip
PAIRS = [
    (torch.float32, torch.bfloat16), (torch.bfloat16, torch.bfloat16), (torch.float16, torch.bfloat16),
    (torch.float32, torch.int64), (torch.int32, torch.int64), (torch.int8, torch.uint8), (torch.uint8, torch.uint8),
    (torch.bool, torch.int32), (torch.bool, torch.float16), (torch.float64, torch.float32),
]  # fmt: skip


@pytest.mark.parametrize("dtypes", PAIRS, ids=str)
def test_functions_of_two_tensors(dtypes: tuple[torch.dtype, torch.dtype]) -> None:
    """Types are promoted and shapes broadcast as torch does, which does not subtract booleans."""
    boolean = torch.bool in dtypes
    functions = {name: f for name, f in BINARY.items() if not (boolean and name in ("sub", "rsub"))}
    x, y = tensor(3, 1, 4, dtype=dtypes[0]), tensor(2, 4, dtype=dtypes[1])
    y = torch.where(y == 0, torch.ones_like(y), y)
    check_all(functions, x, y)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
@pytest.mark.parametrize("dtype", [torch.int32, torch.bool, torch.uint8], ids=str)
def test_functions_of_bits(name: str, dtype: torch.dtype) -> None:
    check(getattr(torch, name), tensor(5, dtype=dtype), tensor(5, dtype=dtype))
    check(torch.bitwise_not, tensor(5, dtype=dtype))


def test_tensors_of_rank_0_promote_as_scalars() -> None:
    """A double of rank 0 does not widen a vector."""
    check(torch.add, tensor(4), torch.tensor(2.5, dtype=torch.float64))
    check(torch.mul, tensor(4, dtype=torch.int32), torch.tensor(2.5))
    check(torch.add, torch.tensor(1), torch.tensor(2))
    check(lambda x: x + 1, torch.tensor(2.0))


@pytest.mark.parametrize("function", [torch.maximum, torch.fmin, torch.lt, torch.add, torch.mul])
def test_scalars_become_unsigned_before_they_are_compared(function: Callable[..., torch.Tensor]) -> None:
    """-9 of rank 0 beside unsigned bytes is 247."""
    check(function, torch.tensor(-9, dtype=torch.int8), torch.tensor([2, 250, 247, 0], dtype=torch.uint8))
    check(function, torch.tensor([2, 250, 0], dtype=torch.uint8), torch.tensor(-9))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_compound_functions(dtype: torch.dtype) -> None:
    functions: dict[str, Callable[..., Any]] = {
        "addcmul": torch.addcmul, "addcdiv": torch.addcdiv, "lerp": torch.lerp, "clamp": torch.clamp,
        "lerp_scalar": lambda x, y, z: torch.lerp(x, y, 0.3), "atan2": lambda x, y, z: torch.atan2(x, y),
        "copysign": lambda x, y, z: torch.copysign(x, y), "pow": lambda x, y, z: torch.pow(x.abs(), y),
        "logaddexp": lambda x, y, z: torch.logaddexp(x, y), "where": lambda x, y, z: torch.where(x > 0, y, z),
    }  # fmt: skip
    tolerance = 2e-2 if dtype.itemsize == 2 else None
    check_all(functions, *(tensor(3, 4, dtype=dtype) for _ in range(3)), tolerance=tolerance)


REDUCTIONS: dict[str, Callable[[torch.Tensor], Any]] = {
    "sum": lambda x: x.sum(), "sum1": lambda x: x.sum(1), "sum_keep": lambda x: x.sum((0, -1), keepdim=True),
    "sum64": lambda x: x.sum(0, dtype=torch.float64), "mean": lambda x: x.mean(), "mean1": lambda x: x.mean(1),
    "mean_keep": lambda x: x.mean((0, 2), keepdim=True), "amax": lambda x: x.amax(1), "amin": lambda x: x.amin((0, 1)),
    "max": lambda x: x.max(), "min": lambda x: x.min(), "max1": lambda x: x.max(1), "min1": lambda x: x.min(1, True),
    "argmax": lambda x: x.argmax(), "argmin1": lambda x: x.argmin(1), "argmax_keep": lambda x: x.argmax(0, True),
    "var": lambda x: x.var(), "var1": lambda x: x.var(1, correction=0), "std": lambda x: x.std((0, 1), keepdim=True),
    "var_mean": lambda x: torch.var_mean(x, 1), "std_mean": lambda x: torch.std_mean(x, (0, 2), correction=2),
    "prod": lambda x: x.prod(), "prod1": lambda x: x.prod(1, keepdim=True), "any": lambda x: (x > 1).any(),
    "all1": lambda x: (x > -1).all(1), "any_nan": lambda x: x.any(1), "norm": lambda x: x.norm(),
    "norm1": lambda x: torch.linalg.vector_norm(x, 1, dim=1), "logsumexp": lambda x: x.logsumexp(1),
    "nansum": lambda x: x.nansum(1), "aminmax": lambda x: torch.aminmax(x, dim=1),
    "count_nonzero": lambda x: x.count_nonzero(),
}  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_reductions(dtype: torch.dtype) -> None:
    """Halves are summed in float32."""
    tolerance = 2e-2 if dtype.itemsize == 2 else None
    check_all(REDUCTIONS, tensor(3, 5, 4, dtype=dtype), tolerance=tolerance)
    with_nan = tensor(3, 5, 4, dtype=dtype)
    with_nan[1, 2, 0] = NAN
    check_all(REDUCTIONS, with_nan, tolerance=tolerance)


@pytest.mark.parametrize("dtype", [*INTEGERS, torch.bool], ids=str)
def test_reductions_of_integers(dtype: torch.dtype) -> None:
    names = ["sum", "sum1", "max", "amax", "prod1", "any_nan", *(["argmax"] if dtype != torch.bool else [])]
    check_all({name: REDUCTIONS[name] for name in names}, tensor(3, 4, dtype=dtype))


def test_reductions_of_little() -> None:
    """Rank 0, no elements, and too few for the correction."""
    names = ("sum", "mean", "amax", "argmax", "any", "var")
    of_one = {name: getattr(torch, name) for name in names} | {"dim": lambda x: x.sum(0), "amin": lambda x: x.amin(-1)}
    check_all(of_one, torch.tensor(2.5))
    check(lambda x: (x.sum(), x.sum(1), x.prod(0), x.mean(), x.mean(0), x.any(1), x.var(0)), tensor(0, 3))
    check(lambda x: (x.var(1), x.var(0), x.std(), x[:, :2].var(1, correction=5)), tensor(1, 3))


VIEWS: dict[str, Callable[[torch.Tensor], Any]] = {
    "view": lambda x: x.view(4, 15), "reshape": lambda x: x.reshape(-1), "permute": lambda x: x.permute(2, 0, 1),
    "transpose": lambda x: x.transpose(0, -1), "expand": lambda x: x[:, :1].expand(-1, 5, -1), "T": lambda x: x[0].t(),
    "slice": lambda x: x[1:, ::2, -3:-1], "select": lambda x: x[-1, :, 2], "unsqueeze": lambda x: x.unsqueeze(1),
    "squeeze": lambda x: x[:1].squeeze(), "squeeze_dim": lambda x: x[:1].squeeze(0), "none": lambda x: x[None, ..., 1],
    "cat": lambda x: torch.cat([x, x[:1], x], 0), "cat_types": lambda x: torch.cat([x, x.double()], 1),
    "stack": lambda x: torch.stack([x, x * 2], 1), "flip": lambda x: x.flip(0, 2), "pad": lambda x: F.pad(x, (1, 2)),
    "pad_value": lambda x: F.pad(x, (0, 1, 2, 0), value=-INF), "pad_negative": lambda x: F.pad(x, (-1, 2, 1, -2)),
    "split": lambda x: x.split(2, 1), "chunk": lambda x: x.chunk(2, 2), "unbind": lambda x: x.unbind(0),
    "split_sizes": lambda x: x.split([1, 4], 1), "repeat": lambda x: x.repeat(2, 1, 1), "roll": lambda x: x.roll(1, 1),
    "tril": lambda x: x.tril(), "triu": lambda x: x.triu(1), "movedim": lambda x: x.movedim(0, 2) + 1,
    "narrow": lambda x: x.narrow(1, 1, 2), "tile": lambda x: x.tile(2), "flatten": lambda x: x.flatten(1),
    "slice_far": lambda x: x[:, 3:100], "slice_none": lambda x: x[:, 5:], "swap": lambda x: x.mT @ x,
    "contiguous": lambda x: x.transpose(0, 1).contiguous(), "repeat_interleave": lambda x: x.repeat_interleave(2, 1),
    "set_slice": lambda x: torch.slice_scatter(x, x[:, :2] * 2, 1, 0, 2),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x, 2),
    "set_select": lambda x: torch.select_scatter(x, x[0] * 2, 0, 1), "unflatten": lambda x: x.unflatten(2, (1, 3)),
}  # fmt: skip


def layouts() -> Iterator[Any]:
    yield pytest.param(lambda: tensor(4, 5, 3), id="row-major")
    yield pytest.param(lambda: tensor(4, 3, 5).transpose(1, 2), id="transposed")
    yield pytest.param(lambda: tensor(8, 5, 3)[::2], id="strided")
    yield pytest.param(lambda: tensor(4, 5, 3, dtype=torch.bool), id="bool")
    yield pytest.param(lambda: tensor(4, 5, 3, dtype=torch.bfloat16), id="bf16")


@pytest.mark.parametrize("make", [*layouts()])
def test_views(make: Callable[[], torch.Tensor]) -> None:
    x = make()
    arithmetic = ("swap", "movedim", "pad_value", "stack", "set_slice", "set_select")
    left_out = [*(arithmetic if x.dtype == torch.bool else ()), *(() if x.is_contiguous() else ("view",))]
    check_all({name: f for name, f in VIEWS.items() if name not in left_out}, x)


def test_views_of_nothing() -> None:
    names = ("permute", "transpose", "slice", "unsqueeze", "cat", "stack", "flip", "pad", "repeat")
    check_all({name: VIEWS[name] for name in names} | {"reshape": lambda x: x.reshape(3, 0)}, tensor(0, 5, 3))
    check(lambda x: (torch.cat([torch.empty(0), x]), x[0:0] * 2), tensor(2, 3))
    check(lambda x: (x.reshape(1, 1), x.expand(3), x.unsqueeze(0)), torch.tensor(1.0))


CREATIONS: dict[str, Callable[[torch.Tensor], Any]] = {
    "zeros": lambda x: torch.zeros(3, 2), "ones": lambda x: torch.ones(2, dtype=torch.int32),
    "eye": lambda x: torch.eye(3, 4),
    "full": lambda x: torch.full((2, 3), -INF), "full_int": lambda x: torch.full((2,), 7),
    "arange": lambda x: torch.arange(5),
    "arange_step": lambda x: torch.arange(1, 10, 3, dtype=torch.int32),
    "arange_float": lambda x: torch.arange(0, 1, 0.25),
    "arange_half": lambda x: torch.arange(5, dtype=torch.float16), "tensor": lambda x: torch.tensor([1.0, 2.0]) * x[:2],
    "scalar": lambda x: torch.tensor(3.0) + x, "bools": lambda x: torch.ones(2, dtype=torch.bool),
    "linspace": lambda x: torch.linspace(0, 1, 5),
    "mask": lambda x: torch.full((4, 4), -INF).triu(1), "new": lambda x: x.new_full((2,), 3.0),
    "empty": lambda x: torch.empty(0, 3),
    "full_u8": lambda x: torch.full((2,), 200, dtype=torch.uint8), "none": lambda x: (x * 2, None, 3, x),
}  # fmt: skip


def test_creations() -> None:
    check_all(CREATIONS, tensor(4))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_products_of_matrices(dtype: torch.dtype) -> None:
    functions: dict[str, Callable[..., Any]] = {
        "mm": lambda a, b, bias, batch: a @ b, "mv": lambda a, b, bias, batch: a @ b[:, 0],
        "addmm": lambda a, b, bias, batch: torch.addmm(bias, a, b, beta=0.5, alpha=2),
        "addmm_zero": lambda a, b, bias, batch: torch.addmm(bias, a, b, beta=0),
        "linear": lambda a, b, bias, batch: F.linear(batch.mT, b.t(), bias),
        "broadcast": lambda a, b, bias, batch: a @ batch @ a,
    "bmm": lambda a, b, bias, batch: torch.bmm(batch, batch.mT),
        "baddbmm": lambda a, b, bias, batch: torch.baddbmm(batch @ batch.mT, batch, batch.mT),
        "dot": lambda a, b, bias, batch: torch.dot(a[0], b[:, 0]), "empty": lambda a, b, bias, batch: a[:, :0] @ b[:0],
        "einsum": lambda a, b, bias, batch: torch.einsum("bij,kj->bik", batch, a.t()),
    }  # fmt: skip
    if dtype.itemsize == 2:  # the library adds the bias to the accumulator, and rounds once
        del functions["addmm"], functions["baddbmm"]
    tolerance = 5e-2 if dtype.itemsize == 2 else None
    inputs = [tensor(*shape, dtype=dtype) for shape in ((3, 4), (4, 5), (5,), (2, 4, 3))]
    check_all(functions, *inputs, tolerance=tolerance)
