"""Entries of the elementwise table beyond the common ones: shifts, NaN-free extremes, special functions.

With them stands how a function enters that takes one float and has no class of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import erf, erfc, exp, inf, isinf, isnan, lgamma, nan, pi, sqrt
from statistics import NormalDist

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from mlc_dialects.common.scalar_builder import Scalars, by_kind, fma, libdevice
from mlc_dialects.tensor.elementwise_op import ElementwiseOp, Reference, ScalarRule, elementwise

Args = Sequence[SSAValue]
_NORMAL = NormalDist()


def each(function: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    """A function of Python floats, on arrays of float32 or float64."""

    def on_array(x: np.ndarray) -> np.ndarray:
        flat = [function(v) for v in x.astype(np.float64).ravel().tolist()]
        return np.asarray(flat, dtype=x.dtype).reshape(x.shape)

    return on_array


def of_one_float(
    name: str, rule: ScalarRule, reference: Reference, doc: str, aten: str | None = None, flops: int = 24
) -> None:
    """Enters a function of one float; `aten` is its name there, where that is another."""
    base = type(f"{name.capitalize()}Op", (ElementwiseOp,), {"__doc__": doc, "__module__": __name__})
    elementwise(name, 1, "f", rule, reference, flops=flops, aten=(f"{aten or name}.default",))(base)


# Shifts


def _shift(left: bool) -> Callable[[Scalars, Args], SSAValue]:
    """The shift by y where 0 <= y < bits; beyond that what is left of x: nothing, or its sign."""

    def rule(scalars: Scalars, args: Args) -> SSAValue:
        x, y = args
        bits = x.type.bitwidth  # pyright: ignore
        shift = arith.ShLIOp if left else arith.ShRSIOp
        known = y.owner.value if isinstance(y.owner, arith.ConstantOp) else None
        if isa(known, IntegerAttr) and 0 <= known.value.data < bits:
            return scalars.op(shift(x, y))
        zero = scalars.constant(0, x.type)
        low, high = scalars.compare("ge", y, zero), scalars.compare("lt", y, scalars.constant(bits, x.type))
        inside = scalars.op(arith.AndIOp(low, high))
        if left:
            return scalars.select(inside, scalars.op(shift(x, scalars.select(inside, y, zero))), zero)
        return scalars.op(shift(x, scalars.select(inside, y, scalars.constant(bits - 1, x.type))))

    return rule


def _left_shift_reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    inside = (y >= 0) & (y < x.dtype.itemsize * 8)
    return np.where(inside, np.left_shift(x, np.where(inside, y, 0)), 0).astype(x.dtype)


def _right_shift_reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    bits = x.dtype.itemsize * 8
    inside = (y >= 0) & (y < bits)
    shifted = np.right_shift(x, np.where(inside, y, bits - 1).astype(x.dtype))
    return np.where(inside, shifted, np.where(x < 0, -1, 0)).astype(x.dtype)


def _shift_names(side: str) -> tuple[str, ...]:
    base = f"bitwise_{side}_shift"
    return (f"{base}.Tensor", f"{base}.Tensor_Scalar", f"{base}.Scalar_Tensor", f"__{side[0]}shift__.Tensor")


@elementwise("shl", 2, "i", _shift(True), _left_shift_reference, unit=0, aten=_shift_names("left"))
class ShlOp(ElementwiseOp):
    """x * 2 ** y, wrapped; 0 where y is negative or not below the number of bits"""


@elementwise("shr", 2, "i", _shift(False), _right_shift_reference, unit=0, aten=_shift_names("right"))
class ShrOp(ElementwiseOp):
    """floor(x / 2 ** y); 0 or -1, as x's sign is, where y is negative or not below the number of bits"""


# Extremes that prefer numbers to NaN


def _fmax_reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    greater = np.fmax(x, y)
    return np.where((x == 0) & (y == 0), x + y, greater)


@elementwise(
    "fmax", 2, "f", by_kind(arith.MaxnumfOp), _fmax_reference,
    commutative=True, idempotent=True, aten=("fmax.default",),
)  # fmt: skip
class FmaxOp(ElementwiseOp):
    """The greater of x and y; the other one where one is NaN"""


def _fmin_reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return -_fmax_reference(-x, -y)


@elementwise(
    "fmin", 2, "f", by_kind(arith.MinnumfOp), _fmin_reference,
    commutative=True, idempotent=True, aten=("fmin.default",),
)  # fmt: skip
class FminOp(ElementwiseOp):
    """The lesser of x and y; the other one where one is NaN"""


@elementwise(
    "hypot", 2, "f", libdevice("hypot"), np.hypot, flops=16, commutative=True, aten=("hypot.default",),
)  # fmt: skip
class HypotOp(ElementwiseOp):
    """sqrt(x * x + y * y) without overflow on the way; inf where either is"""


# A product that is not rounded by itself


def _fma_reference(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The product of two float32 is exact in float64; of float64 the last bit is off."""
    return (x.astype(np.float64) * y + z).astype(x.dtype)


@elementwise("fma", 3, "f", lambda scalars, args: scalars.op(fma(*args)), _fma_reference, flops=2)
class FmaOp(ElementwiseOp):
    """x * y + z, rounded once"""


# The error function, the gamma function and the normal distribution


def _lgamma(x: float) -> float:
    if isnan(x) or isinf(x):
        return abs(x)
    return inf if x <= 0 and x == int(x) else lgamma(x)


def _quantile(p: float) -> float:
    """The x below which a normal variable is with probability p."""
    if isnan(p) or not 0 <= p <= 1:
        return nan
    return -inf if p == 0 else inf if p == 1 else _NORMAL.inv_cdf(p)


def _erfinv(x: float) -> float:
    if isnan(x) or abs(x) >= 1:
        return x * inf if abs(x) == 1 else nan
    y = -_quantile((1 - abs(x)) / 2) / sqrt(2)
    for _ in range(2):  # Newton: near 0 the quantile has an absolute error, and the root needs a relative one
        y -= (erf(y) - abs(x)) * sqrt(pi) / 2 * exp(y * y)
    return y if x > 0 else -y


def _erfcx(x: float) -> float:
    if x < 20:
        return inf if x < -26.6 else exp(x * x) * erfc(x)
    series = 1 - 1 / (2 * x * x) * (1 - 3 / (2 * x * x) * (1 - 5 / (2 * x * x) * (1 - 7 / (2 * x * x))))
    return series / (x * sqrt(pi))


of_one_float("erf", by_kind(math.ErfOp), each(erf), "The error function")
of_one_float("erfc", libdevice("erfc"), each(erfc), "1 - erf(x), accurate for large x")
of_one_float("lgamma", libdevice("lgamma"), each(_lgamma), "log |gamma(x)|")
of_one_float(
    "erfinv", libdevice("erfinv"), each(_erfinv), "The x whose error function is the operand",
    flops=32,
)  # fmt: skip
of_one_float(
    "erfcx", libdevice("erfcx"), each(_erfcx), "exp(x * x) * erfc(x), finite for large x",
    aten="special_erfcx", flops=32,
)  # fmt: skip
of_one_float(
    "ndtri", libdevice("normcdfinv"), each(_quantile), "The x below which a normal variable is that likely",
    aten="special_ndtri", flops=32,
)  # fmt: skip
