"""The elementwise table in StableHLO: an op of theirs, of CHLO, or a few that mean the same.

Exact where XLA's own op is: `floordiv` of floats is the floor of the quotient, `exp2`, `log2`
and `log10` go through e, and `copysign` reads the sign bit of its second operand. The special functions `erfcx` and
`ndtri` are opened before (`special`).
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import IntegerType

from lowering.export.stablehlo_writer import Val, Writer
from mlc_dialects.common.types import BY_TYPE, is_float

Function = Callable[..., Val]

LN_2, LN_10 = 0.6931471805599453, 2.302585092994046


def _named(name: str, dialect: str = "stablehlo") -> Function:
    return lambda w, *args: w.op(name, args, dialect=dialect)


def _compared(direction: str) -> Function:
    return lambda w, a, b: w.compare(direction, a, b)


def _floordiv(w: Writer, x: Val, y: Val) -> Val:
    quotient = w.op("divide", [x, y])
    if is_float(x.element):
        return w.op("floor", [quotient])
    zero = w.splat(0, x.type)
    rest = w.op("remainder", [x, y])
    lower = w.op("subtract", [quotient, w.splat(1, x.type)])
    return w.select(_wrong_sign(w, rest, y, zero), lower, quotient)


def _remainder(w: Writer, x: Val, y: Val) -> Val:
    zero = w.splat(0, x.type)
    rest = w.op("remainder", [x, y])
    return w.select(_wrong_sign(w, rest, y, zero), w.op("add", [rest, y]), rest)


def _wrong_sign(w: Writer, rest: Val, y: Val, zero: Val) -> Val:
    """True where a C remainder is not zero and its sign is not y's."""
    differ = w.op("xor", [w.compare("LT", rest, zero), w.compare("LT", y, zero)])
    return w.op("and", [w.compare("NE", rest, zero), differ])


def _copysign(w: Writer, x: Val, y: Val) -> Val:
    bits = w.op("bitcast_convert", [y], w.like(y, IntegerType(8 * BY_TYPE[y.element].bytes)))
    size = w.op("abs", [x])
    return w.select(w.compare("LT", bits, w.splat(0, bits.type)), w.op("negate", [size]), size)


def _sign(w: Writer, x: Val) -> Val:
    if not is_float(x.element):
        return w.op("sign", [x])
    nan = w.compare("NE", x, x)
    return w.select(nan, w.splat(0, x.type), w.op("sign", [x]))


def _trunc(w: Writer, x: Val) -> Val:
    return w.select(w.compare("LT", x, w.splat(0, x.type)), w.op("ceil", [x]), w.op("floor", [x]))


def _isinf(w: Writer, x: Val) -> Val:
    return w.op("is_inf", [x], w.like(x, IntegerType(1)), dialect="chlo")


def _number(extreme: str) -> Function:
    """The extreme of two; the other one where one is NaN."""

    def write(w: Writer, x: Val, y: Val) -> Val:
        both = w.select(w.compare("NE", y, y), x, w.op(extreme, [x, y]))
        return w.select(w.compare("NE", x, x), y, both)

    return write


def _hypot(w: Writer, x: Val, y: Val) -> Val:
    """m * sqrt(1 + (n / m) ** 2) of the greater size m and the lesser n; inf where one is, 0 where both are."""
    x, y = w.op("abs", [x]), w.op("abs", [y])
    great, less = w.op("maximum", [x, y]), w.op("minimum", [x, y])
    ratio = w.op("divide", [less, great])
    grown = w.op("sqrt", [w.op("add", [w.op("multiply", [ratio, ratio]), w.splat(1, x.type)])])
    size = w.select(w.compare("EQ", great, w.splat(0, x.type)), great, w.op("multiply", [great, grown]))
    infinite = w.op("or", [_isinf(w, x), _isinf(w, y)])
    return w.select(infinite, _number("maximum")(w, x, y), size)


def _exp2(w: Writer, x: Val) -> Val:
    return w.op("exponential", [w.op("multiply", [x, w.splat(LN_2, x.type)])])


def _log_to(natural: float) -> Function:
    return lambda w, x: w.op("divide", [w.op("log", [x]), w.splat(natural, x.type)])


FUNCTIONS: dict[str, Function] = {
    "add": _named("add"),
    "sub": _named("subtract"),
    "mul": _named("multiply"),
    "div": _named("divide"),
    "floordiv": _floordiv,
    "truncdiv": _named("divide"),
    "fmod": _named("remainder"),
    "remainder": _remainder,
    "pow": _named("power"),
    "atan2": _named("atan2"),
    "fma": lambda w, x, y, z: w.op("add", [w.op("multiply", [x, y]), z]),
    "maximum": _named("maximum"),
    "minimum": _named("minimum"),
    "fmax": _number("maximum"),
    "fmin": _number("minimum"),
    "hypot": _hypot,
    "shl": _named("shift_left"),
    "shr": _named("shift_right_arithmetic"),
    "copysign": _copysign,
    "neg": _named("negate"),
    "abs": _named("abs"),
    "sign": _sign,
    "and": _named("and"),
    "or": _named("or"),
    "xor": _named("xor"),
    "not": _named("not"),
    **{name: _compared(name.upper()) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "isnan": lambda w, x: w.compare("NE", x, x),
    "isinf": _isinf,
    "select": lambda w, c, x, y: w.select(c, x, y),
    "floor": _named("floor"),
    "ceil": _named("ceil"),
    "trunc": _trunc,
    "round": _named("round_nearest_even"),
    "sigmoid": _named("logistic"),
    "exp": _named("exponential"),
    "exp2": _exp2,
    "expm1": _named("exponential_minus_one"),
    "log": _named("log"),
    "log2": _log_to(LN_2),
    "log10": _log_to(LN_10),
    "log1p": _named("log_plus_one"),
    "sqrt": _named("sqrt"),
    "rsqrt": _named("rsqrt"),
    "sin": _named("sine"),
    "cos": _named("cosine"),
    "tan": _named("tan"),
    "tanh": _named("tanh"),
    **{name: _named(name, "chlo") for name in ("asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh")},
    "erf": _named("erf", "chlo"),
    "erfc": _named("erfc", "chlo"),
    "erfinv": _named("erf_inv", "chlo"),
    "lgamma": _named("lgamma", "chlo"),
}
"""Function of the table to what writes it."""
