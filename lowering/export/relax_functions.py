"""The elementwise table in Relax: its op, or a few that mean the same.

Of the special functions only `erf` and `erfc` stand here: the others are opened (`special`).
`expm1` and `log1p` lose their accuracy near 0, and `round` is TVM's, which is fine where it is groups that are
compared and not numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lowering.export.python_lines import Lines

Function = Callable[..., str]
_KNOWN = re.compile(r'R\.const\((\d+), "\w+"\)')
"""A constant that is not negative."""


def _named(name: str) -> Function:
    return lambda lines, dtype, *args: f"R.{name}({', '.join(args)})"


def _compared(name: str) -> Function:
    """TVM compares no booleans: they are integers for it."""

    def write(lines: Lines, dtype: str, *args: str) -> str:
        if dtype == "bool":
            args = tuple(lines.let(f'R.astype({x}, "int8")') for x in args)
        return f"R.{name}({', '.join(args)})"

    return write


def _widened(name: str) -> Function:
    """A function that TVM has of float32, and not of 16 bits."""

    def write(lines: Lines, dtype: str, *args: str) -> str:
        if dtype not in ("float16", "bfloat16"):
            return f"R.{name}({', '.join(args)})"
        joined = ", ".join(lines.let(f'R.astype({x}, "float32")') for x in args)
        return f'R.astype({lines.let(f"R.{name}({joined})")}, "{dtype}")'

    return write


def _by_type(of_booleans: str, of_integers: str) -> Function:
    """Relax has one function for truth and one for bits."""
    return lambda lines, dtype, *args: f"R.{of_booleans if dtype == 'bool' else of_integers}({', '.join(args)})"


def _const(number: float, dtype: str) -> str:
    return f'R.const({number!r}, "{dtype}")'


def _log_to(natural: float) -> Function:
    return lambda lines, dtype, x: f"R.divide({lines.let(f'R.log({x})')}, {_const(natural, dtype)})"


def _exp2(lines: Lines, dtype: str, x: str) -> str:
    return f"R.exp({lines.let(f'R.multiply({x}, {_const(0.6931471805599453, dtype)})')})"


def _expm1(lines: Lines, dtype: str, x: str) -> str:
    return f"R.subtract({lines.let(f'R.exp({x})')}, {_const(1.0, dtype)})"


def _log1p(lines: Lines, dtype: str, x: str) -> str:
    return f"R.log({lines.let(f'R.add({x}, {_const(1.0, dtype)})')})"


def _erfc(lines: Lines, dtype: str, x: str) -> str:
    return f"R.subtract({_const(1.0, dtype)}, {lines.let(f'R.erf({x})')})"


def _number(extreme: str) -> Function:
    """The extreme of two; the other one where one is NaN."""

    def write(lines: Lines, dtype: str, x: str, y: str) -> str:
        both = lines.let(f"R.{extreme}({x}, {y})")
        kept = lines.let(f"R.where({lines.let(f'R.isnan({y})')}, {x}, {both})")
        return f"R.where({lines.let(f'R.isnan({x})')}, {y}, {kept})"

    return write


def _hypot(lines: Lines, dtype: str, x: str, y: str) -> str:
    """m * sqrt(1 + (n / m) ** 2) of the greater size m and the lesser n; inf where one is, 0 where both are."""
    x, y = (lines.let(f"R.abs({v})") for v in (x, y))
    great, less = (lines.let(f"R.{extreme}({x}, {y})") for extreme in ("maximum", "minimum"))
    ratio = lines.let(f"R.divide({less}, {great})")
    square = lines.let(f"R.multiply({ratio}, {ratio})")
    grown = lines.let(f"R.sqrt({lines.let(f'R.add({square}, {_const(1.0, dtype)})')})")
    size = lines.let(f"R.multiply({great}, {grown})")
    size = lines.let(f"R.where({lines.let(f'R.equal({great}, {_const(0.0, dtype)})')}, {great}, {size})")
    total = lines.let(f"R.add({x}, {y})")  # TVM's extremes may lose a NaN
    size = lines.let(f"R.where({lines.let(f'R.isnan({total})')}, {total}, {size})")
    infinite = lines.let(f"R.logical_or({lines.let(f'R.isinf({x})')}, {lines.let(f'R.isinf({y})')})")
    return f'R.where({infinite}, R.const(1e999, "{dtype}"), {size})'


def _copysign(lines: Lines, dtype: str, x: str, y: str) -> str:
    """|x| with the sign of y; that of a zero is its reciprocal's, and NaN counts as positive."""
    size = lines.let(f"R.abs({x})")
    zero, one = _const(0.0, dtype), _const(1.0, dtype)
    below = [lines.let(f"R.less({v}, {zero})") for v in (y, lines.let(f"R.divide({one}, {y})"))]
    return f"R.where({lines.let(f'R.logical_or({below[0]}, {below[1]})')}, {lines.let(f'R.negative({size})')}, {size})"


def _shift(side: str) -> Function:
    """The shift by y where 0 <= y < bits; beyond that what is left of x: nothing, or its sign."""

    def write(lines: Lines, dtype: str, x: str, y: str) -> str:
        bits = int(dtype.removeprefix("u").removeprefix("int"))
        known = _KNOWN.fullmatch(y)
        if known and int(known.group(1)) < bits:
            return f"R.{side}_shift({x}, {y})"
        zero, most = (f'R.const({n}, "{dtype}")' for n in (0, bits - 1))
        bounds = [
            lines.let(f"R.{name}({y}, {bound})") for name, bound in (("greater_equal", zero), ("less_equal", most))
        ]
        inside = lines.let(f"R.logical_and({', '.join(bounds)})")
        held = lines.let(f"R.where({inside}, {y}, {most})")
        shifted = f"R.{side}_shift({x}, {held})"
        return f"R.where({inside}, {lines.let(shifted)}, {zero})" if side == "left" else shifted

    return write


FUNCTIONS: dict[str, Function] = {
    "add": _named("add"),
    "sub": _named("subtract"),
    "mul": _named("multiply"),
    "div": _named("divide"),
    "floordiv": _named("floor_divide"),
    "truncdiv": _named("divide"),
    "fmod": _named("mod"),
    "remainder": _named("floor_mod"),
    "pow": _named("power"),
    "atan2": _widened("atan2"),
    "fma": lambda lines, dtype, x, y, z: f"R.add({lines.let(f'R.multiply({x}, {y})')}, {z})",
    "maximum": _named("maximum"),
    "fmax": _number("maximum"),
    "fmin": _number("minimum"),
    "hypot": _hypot,
    "copysign": _copysign,
    "minimum": _named("minimum"),
    "shl": _shift("left"),
    "shr": _shift("right"),
    "neg": _named("negative"),
    "and": _by_type("logical_and", "bitwise_and"),
    "or": _by_type("logical_or", "bitwise_or"),
    "xor": _by_type("logical_xor", "bitwise_xor"),
    "not": _by_type("logical_not", "bitwise_not"),
    "eq": _compared("equal"),
    "ne": _compared("not_equal"),
    "lt": _compared("less"),
    "le": _compared("less_equal"),
    "gt": _compared("greater"),
    "ge": _compared("greater_equal"),
    "select": _named("where"),
    "exp2": _exp2,
    "expm1": _expm1,
    "log1p": _log1p,
    "log2": _log_to(0.6931471805599453),
    "log10": _log_to(2.302585092994046),
    "erfc": _erfc,
    **{
        name: _named(name)
        for name in (
            "abs", "sign", "isnan", "isinf", "floor", "ceil", "trunc", "round", "sigmoid", "exp", "log", "sqrt",
            "rsqrt", "sin", "cos", "tan", "tanh", "erf",
        )
    },
    **{name: _widened(name) for name in ("asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh")},
}  # fmt: skip
"""Function of the table to the expression that computes it."""
