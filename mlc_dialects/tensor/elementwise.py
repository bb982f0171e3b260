"""The elementwise table: every function of tensors that works on each element alone.

One entry is one function: its op, what it means on scalars, its reference, its algebra
and its cost. Importer, verifier, folder, passes, lowering, oracle and docs read it here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith, math
from xdsl.ir import SSAValue

from mlc_dialects.common.scalar_builder import Scalars, by_kind, comparison, libdevice
from mlc_dialects.common.types import is_float
from mlc_dialects.tensor.elementwise_op import ELEMENTWISE, ElementwiseOp, SelectOpBase, elementwise
from mlc_dialects.tensor.elementwise_special import of_one_float

Args = Sequence[SSAValue]


# Arithmetic


@elementwise("add", 2, "fi", by_kind(arith.AddfOp, arith.AddiOp), np.add, commutative=True, unit=0, float_unit=-0.0)
class AddOp(ElementwiseOp):
    """x + y"""


@elementwise("sub", 2, "fi", by_kind(arith.SubfOp, arith.SubiOp), np.subtract, unit=0, float_unit=0.0)
class SubOp(ElementwiseOp):
    """x - y"""


@elementwise(
    "mul", 2, "fi", by_kind(arith.MulfOp, arith.MuliOp), np.multiply,
    commutative=True, unit=1, float_unit=1.0, absorber=0,
)  # fmt: skip
class MulOp(ElementwiseOp):
    """x * y"""


@elementwise("div", 2, "f", by_kind(arith.DivfOp), np.divide, flops=8, float_unit=1.0)
class DivOp(ElementwiseOp):
    """x / y, rounded to nearest"""


def _c_remainder(scalars: Scalars, args: Args) -> SSAValue:
    if is_float(args[0].type):
        return libdevice("fmod")(scalars, args)
    return scalars.op(arith.RemSIOp(args[0], args[1]))


def _floor_div(scalars: Scalars, args: Args) -> SSAValue:
    x, y = args
    if not is_float(x.type):
        # C division rounds towards zero: one less where signs differ and a rest is left.
        quotient, rest = scalars.op(arith.DivSIOp(x, y)), scalars.op(arith.RemSIOp(x, y))
        zero = scalars.constant(0, x.type)
        signs = scalars.compare("lt", scalars.op(arith.XOrIOp(rest, y)), zero)
        inexact = scalars.compare("ne", rest, zero)
        lower = scalars.op(arith.SubiOp(quotient, scalars.constant(1, x.type)))
        return scalars.select(scalars.op(arith.AndIOp(signs, inexact)), lower, quotient)
    return _float_floor_div(scalars, x, y)


def _float_floor_div(scalars: Scalars, x: SSAValue, y: SSAValue) -> SSAValue:
    """As torch has it: (x - fmod(x, y)) / y, corrected to the floor, then snapped to an integer."""
    zero, one = scalars.constant(0, x.type), scalars.constant(1, x.type)
    rest = libdevice("fmod")(scalars, (x, y))
    quotient = scalars.op(arith.DivfOp(scalars.op(arith.SubfOp(x, rest)), y))
    signs_differ = scalars.op(arith.XOrIOp(scalars.compare("lt", y, zero), scalars.compare("lt", rest, zero)))
    adjust = scalars.op(arith.AndIOp(scalars.compare("ne", rest, zero), signs_differ))
    quotient = scalars.select(adjust, scalars.op(arith.SubfOp(quotient, one)), quotient)
    floored = scalars.op(math.FloorOp(quotient))
    half = scalars.constant(0.5, x.type)
    above = scalars.compare("gt", scalars.op(arith.SubfOp(quotient, floored)), half)
    snapped = scalars.select(above, scalars.op(arith.AddfOp(floored, one)), floored)
    exact = scalars.op(arith.DivfOp(x, y))
    signed_zero = scalars.op(math.CopySignOp(zero, exact))
    snapped = scalars.select(scalars.compare("ne", quotient, zero), snapped, signed_zero)
    return scalars.select(scalars.compare("eq", y, zero), exact, snapped)


def _floor_div_reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "f":
        return np.where(y == 0, np.divide(x, y), np.floor_divide(x, y)).astype(x.dtype)
    return np.floor_divide(x, y)


@elementwise("floordiv", 2, "fi", _floor_div, _floor_div_reference, flops=20, unit=1)
class FloorDivOp(ElementwiseOp):
    """floor(x / y), as Python's // does; integers refuse y == 0 (undefined)"""


def _trunc_div_reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    floored = np.floor_divide(x, y)  # 0 where y is 0, which has no answer
    return floored + ((floored * y != x) & ((x < 0) != (y < 0)) & (y != 0)).astype(x.dtype)


@elementwise("truncdiv", 2, "i", by_kind(i=arith.DivSIOp), _trunc_div_reference, flops=16, unit=1)
class TruncDivOp(ElementwiseOp):
    """x / y rounded towards zero, of integers"""


@elementwise("fmod", 2, "fi", _c_remainder, np.fmod, flops=16, aten=("fmod.Tensor",))
class FmodOp(ElementwiseOp):
    """x - y * trunc(x / y): the sign is x's"""


def _remainder(scalars: Scalars, args: Args) -> SSAValue:
    """The C remainder, plus y where it is not zero and its sign is not y's."""
    y = args[1]
    rest = _c_remainder(scalars, args)
    zero = scalars.constant(0, y.type)
    differ = scalars.op(arith.XOrIOp(scalars.compare("lt", y, zero), scalars.compare("lt", rest, zero)))
    wrong = scalars.op(arith.AndIOp(scalars.compare("ne", rest, zero), differ))
    add = arith.AddfOp if is_float(y.type) else arith.AddiOp
    return scalars.select(wrong, scalars.op(add(rest, y)), rest)


def _remainder_reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """As torch has it; numpy gives a zero the sign of y."""
    if x.dtype.kind != "f":
        return np.remainder(x, y)
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest)


@elementwise("remainder", 2, "fi", _remainder, _remainder_reference, flops=20, aten=("remainder.Tensor",))
class RemainderOp(ElementwiseOp):
    """x - y * floor(x / y): the sign is y's, as Python's % does"""


def _pow_reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Rounded to nearest where y is 2 or -1, as torch computes it; libraries may be off by the last bit."""
    return np.where(y == 2, x * x, np.where(y == -1, 1 / x, np.power(x, y)))


@elementwise("pow", 2, "f", by_kind(math.PowFOp), _pow_reference, flops=24, float_unit=1.0)
class PowOp(ElementwiseOp):
    """x ** y"""


@elementwise("atan2", 2, "f", by_kind(math.Atan2Op), np.arctan2, flops=24, aten=("atan2.default",))
class Atan2Op(ElementwiseOp):
    """The angle of the point (y, x): atan2(x, y) with operands in aten's order"""


def _maximum_reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    greater = np.maximum(x, y)
    return np.where((x == 0) & (y == 0), x + y, greater) if x.dtype.kind == "f" else greater


def _minimum_reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return -_maximum_reference(-x, -y) if x.dtype.kind == "f" else np.minimum(x, y)


@elementwise(
    "maximum", 2, "fi", by_kind(arith.MaximumfOp, arith.MaxSIOp), _maximum_reference,
    commutative=True, idempotent=True, aten=("maximum.default",),
)  # fmt: skip
class MaximumOp(ElementwiseOp):
    """The greater of x and y, 0.0 being greater than -0.0; NaN if either is"""


@elementwise(
    "minimum", 2, "fi", by_kind(arith.MinimumfOp, arith.MinSIOp), _minimum_reference,
    commutative=True, idempotent=True, aten=("minimum.default",),
)  # fmt: skip
class MinimumOp(ElementwiseOp):
    """The lesser of x and y, -0.0 being less than 0.0; NaN if either is"""


@elementwise("copysign", 2, "f", by_kind(math.CopySignOp), np.copysign, aten=("copysign.Tensor",))
class CopysignOp(ElementwiseOp):
    """|x| with the sign of y"""


def _neg(scalars: Scalars, args: Args) -> SSAValue:
    x = args[0]
    if is_float(x.type):
        return scalars.op(arith.NegfOp(x))
    return scalars.op(arith.SubiOp(scalars.constant(0, x.type), x))


@elementwise("neg", 1, "fi", _neg, np.negative, involution=True, aten=("neg.default",))
class NegOp(ElementwiseOp):
    """-x"""


@elementwise("abs", 1, "fi", by_kind(math.AbsFOp, math.AbsIOp), np.abs, idempotent=True, aten=("abs.default",))
class AbsOp(ElementwiseOp):
    """|x|; the least integer stays"""


def _sign(scalars: Scalars, args: Args) -> SSAValue:
    x = args[0]
    zero = scalars.constant(0, x.type)
    positive = scalars.convert(scalars.compare("gt", x, zero), x.type)
    negative = scalars.convert(scalars.compare("lt", x, zero), x.type)
    return scalars.op((arith.SubfOp if is_float(x.type) else arith.SubiOp)(positive, negative))


@elementwise(
    "sign", 1, "fi", _sign, lambda x: (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype),
    flops=4, idempotent=True, aten=("sign.default",),
)  # fmt: skip
class SignOp(ElementwiseOp):
    """1, 0 or -1; 0 for NaN, as torch has it"""


# Bits and truth


@elementwise(
    "and", 2, "ib", by_kind(i=arith.AndIOp, b=arith.AndIOp), np.bitwise_and,
    commutative=True, idempotent=True, unit=-1, absorber=0, aten=("bitwise_and.Tensor",),
)  # fmt: skip
class AndOp(ElementwiseOp):
    """x & y"""


@elementwise(
    "or", 2, "ib", by_kind(i=arith.OrIOp, b=arith.OrIOp), np.bitwise_or,
    commutative=True, idempotent=True, unit=0, absorber=-1, aten=("bitwise_or.Tensor",),
)  # fmt: skip
class OrOp(ElementwiseOp):
    """x | y"""


@elementwise(
    "xor", 2, "ib", by_kind(i=arith.XOrIOp, b=arith.XOrIOp), np.bitwise_xor,
    commutative=True, unit=0, aten=("bitwise_xor.Tensor",),
)  # fmt: skip
class XorOp(ElementwiseOp):
    """x ^ y"""


@elementwise(
    "not", 1, "ib", lambda scalars, args: scalars.not_(args[0]), np.invert,
    involution=True, aten=("bitwise_not.default",),
)  # fmt: skip
class NotOp(ElementwiseOp):
    """~x"""


# Comparisons: false where an operand is NaN, save `ne`


@elementwise("eq", 2, "fib", comparison("eq"), np.equal, predicate=True, commutative=True, aten=("eq.Tensor",))
class EqOp(ElementwiseOp):
    """x == y"""


@elementwise("ne", 2, "fib", comparison("ne"), np.not_equal, predicate=True, commutative=True, aten=("ne.Tensor",))
class NeOp(ElementwiseOp):
    """x != y: true on NaN"""


@elementwise("lt", 2, "fib", comparison("lt"), np.less, predicate=True, aten=("lt.Tensor",))
class LtOp(ElementwiseOp):
    """x < y"""


@elementwise("le", 2, "fib", comparison("le"), np.less_equal, predicate=True, aten=("le.Tensor",))
class LeOp(ElementwiseOp):
    """x <= y"""


@elementwise("gt", 2, "fib", comparison("gt"), np.greater, predicate=True, aten=("gt.Tensor",))
class GtOp(ElementwiseOp):
    """x > y"""


@elementwise("ge", 2, "fib", comparison("ge"), np.greater_equal, predicate=True, aten=("ge.Tensor",))
class GeOp(ElementwiseOp):
    """x >= y"""


@elementwise(
    "isnan", 1, "f", lambda scalars, args: scalars.compare("ne", args[0], args[0]), np.isnan,
    predicate=True, aten=("isnan.default",),
)  # fmt: skip
class IsNanOp(ElementwiseOp):
    """True where x is NaN"""


def _isinf(scalars: Scalars, args: Args) -> SSAValue:
    return scalars.compare("eq", scalars.op(math.AbsFOp(args[0])), scalars.constant(float("inf"), args[0].type))


@elementwise("isinf", 1, "f", _isinf, np.isinf, predicate=True, aten=("isinf.default",))
class IsInfOp(ElementwiseOp):
    """True where x is +inf or -inf"""


@elementwise("select", 3, "fib8", lambda scalars, args: scalars.select(*args), np.where, aten=("where.self",))
class SelectOp(SelectOpBase):
    """x where the condition (i1) holds, else y"""


# Rounding


@elementwise("floor", 1, "f", by_kind(math.FloorOp), np.floor, idempotent=True, aten=("floor.default",))
class FloorOp(ElementwiseOp):
    """The greatest integer that is not above x"""


@elementwise("ceil", 1, "f", by_kind(math.CeilOp), np.ceil, idempotent=True, aten=("ceil.default",))
class CeilOp(ElementwiseOp):
    """The least integer that is not below x"""


@elementwise("trunc", 1, "f", by_kind(math.TruncOp), np.trunc, idempotent=True, aten=("trunc.default",))
class TruncOp(ElementwiseOp):
    """x without its fraction"""


@elementwise("round", 1, "f", by_kind(math.RoundEvenOp), np.rint, idempotent=True, aten=("round.default",))
class RoundOp(ElementwiseOp):
    """The nearest integer, ties to even"""


# Elementary functions


def _sigmoid(scalars: Scalars, args: Args) -> SSAValue:
    one = scalars.constant(1, args[0].type)
    decay = scalars.op(math.ExpOp(scalars.op(arith.NegfOp(args[0]))))
    return scalars.op(arith.DivfOp(one, scalars.op(arith.AddfOp(one, decay))))


@elementwise("sigmoid", 1, "f", _sigmoid, lambda x: 1 / (1 + np.exp(-x)), flops=20, aten=("sigmoid.default",))
class SigmoidOp(ElementwiseOp):
    """1 / (1 + e ** -x)"""


@elementwise("exp", 1, "f", by_kind(math.ExpOp), np.exp, flops=8, inverse="log", aten=("exp.default",))
class ExpOp(ElementwiseOp):
    """e ** x"""


@elementwise("exp2", 1, "f", by_kind(math.Exp2Op), np.exp2, flops=6, inverse="log2", aten=("exp2.default",))
class Exp2Op(ElementwiseOp):
    """2 ** x"""


@elementwise("expm1", 1, "f", by_kind(math.ExpM1Op), np.expm1, flops=16, inverse="log1p", aten=("expm1.default",))
class Expm1Op(ElementwiseOp):
    """e ** x - 1, accurate near 0"""


@elementwise("log", 1, "f", by_kind(math.LogOp), np.log, flops=10, inverse="exp", aten=("log.default",))
class LogOp(ElementwiseOp):
    """The natural logarithm"""


@elementwise("log2", 1, "f", by_kind(math.Log2Op), np.log2, flops=10, inverse="exp2", aten=("log2.default",))
class Log2Op(ElementwiseOp):
    """The logarithm to base 2"""


@elementwise("log10", 1, "f", by_kind(math.Log10Op), np.log10, flops=10, aten=("log10.default",))
class Log10Op(ElementwiseOp):
    """The logarithm to base 10"""


@elementwise("log1p", 1, "f", by_kind(math.Log1pOp), np.log1p, flops=16, inverse="expm1", aten=("log1p.default",))
class Log1pOp(ElementwiseOp):
    """log(1 + x), accurate near 0"""


@elementwise("sqrt", 1, "f", by_kind(math.SqrtOp), np.sqrt, flops=8, aten=("sqrt.default",))
class SqrtOp(ElementwiseOp):
    """The square root, rounded to nearest"""


@elementwise("rsqrt", 1, "f", by_kind(math.RsqrtOp), lambda x: 1 / np.sqrt(x), flops=4, aten=("rsqrt.default",))
class RsqrtOp(ElementwiseOp):
    """1 / sqrt(x)"""


of_one_float("sin", by_kind(math.SinOp), np.sin, "The sine of x radians", flops=96)
of_one_float("cos", by_kind(math.CosOp), np.cos, "The cosine of x radians", flops=96)
of_one_float("tan", by_kind(math.TanOp), np.tan, "The tangent of x radians")
of_one_float("asin", by_kind(math.AsinOp), np.arcsin, "The angle in [-pi/2, pi/2] whose sine is x")
of_one_float("acos", by_kind(math.AcosOp), np.arccos, "The angle in [0, pi] whose cosine is x")
of_one_float("atan", by_kind(math.AtanOp), np.arctan, "The angle in [-pi/2, pi/2] whose tangent is x")
of_one_float("sinh", by_kind(math.SinhOp), np.sinh, "The hyperbolic sine")
of_one_float("cosh", by_kind(math.CoshOp), np.cosh, "The hyperbolic cosine")
of_one_float("tanh", by_kind(math.TanhOp), np.tanh, "The hyperbolic tangent")
of_one_float("asinh", by_kind(math.AsinhOp), np.arcsinh, "The inverse hyperbolic sine")
of_one_float("acosh", by_kind(math.AcoshOp), np.arccosh, "The inverse hyperbolic cosine")
of_one_float("atanh", by_kind(math.AtanhOp), np.arctanh, "The inverse hyperbolic tangent")

OPS = tuple(ELEMENTWISE.values())
"""Every op of the table, in its order."""
